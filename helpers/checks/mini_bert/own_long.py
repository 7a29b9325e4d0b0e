"""Unit 08, “An encoding of your own”: long texts, and what is kept outside of the class."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from helpers.checks.engine import Answer
from helpers.checks.mini_bert import own_measured as measured
from helpers.checks.mini_bert import own_trained
from helpers.checks.mini_bert.own_hooks import close


def at_default(answer: Answer, width: int, tokens: Tensor) -> dict[str, bool]:
    """A long text where `max_len` is left as it is, and the gradients that come back from it."""
    sizes = {"d_model": width, "num_heads": 1, "max_len": 512}
    model = measured.model_with(partial(_by_default, answer), sizes)
    hidden = model(tokens)
    own_trained.send_back(model, tokens)
    gradients = [each.grad for each in model.parameters() if each.grad is not None]
    return {
        measured.FINITE: bool(hidden.isfinite().all()),
        own_trained.FINITE_GRADIENTS: all(bool(each.isfinite().all()) for each in gradients),
    }


def _by_default(answer: Answer, d_model: int, num_heads: int, max_len: int) -> Any:
    return answer(d_model, num_heads)


@torch.no_grad()
def its_own(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> bool:
    """Whether two models of the same sizes have nothing to do with each other.

    What the first leaves outside, in float32, the second would find there, and not in float64.
    """
    measured.model_with(answer, sizes, seed=11)(tokens)
    second = measured.model_with(answer, sizes, seed=12)
    try:
        wanted = second.double()(tokens)
    except RuntimeError:  # that it does not fit is asked elsewhere
        return True
    return close(second.float()(tokens).double(), wanted, 0.02)
