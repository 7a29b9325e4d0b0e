"""Unit 08, “An encoding of your own”: how it is measured whether one is trained and saved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers.checks.engine import Answer
from helpers.checks.mini_bert import own_hooks, own_kept
from helpers.checks.mini_bert.own_hooks import close
from helpers.checks.mini_bert.own_measured import DRAWINGS, FINITE, TWICE, counted, model_with
from helpers.model.bert import Bert

FINITE_GRADIENTS = "all gradients are finite"
REACHED = "a gradient reaches every Parameter"
ROUNDING = 1e-10  # of the largest gradient, in float64; a softmax may leave that much of a 0
FROM_THE_START = "its Parameters and buffers are there before the first call"


def _gradients(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Where the gradients of a result arrive, in float64 if the encoding can."""
    model = _sent_back(answer, sizes, tokens, training=False)
    largest = _largest([*model.position.parameters()])
    training = _sent_back(answer, sizes, tokens, training=True)
    return {
        FINITE_GRADIENTS: all(map(math.isfinite, largest)),
        REACHED: _reached(largest),
        "what no gradient reaches, or only in part": own_hooks.cut(
            model.position, own_hooks.given(sizes, tokens), model.words.weight.dtype
        ),
        f"{REACHED}, in train mode": _reached(_largest([*training.position.parameters()])),
        "a gradient reaches the words, in train mode": any(_largest([training.words.weight])),
    }


def _sent_back(answer: Answer, sizes: dict[str, int], tokens: Tensor, training: bool) -> Bert:
    """A model with the gradients of its result; in train mode, those of several drawings."""
    model = model_with(answer, sizes).train(training)
    try:
        model = model.double()
        send_back(model, tokens)
    except RuntimeError:  # that it does not fit is asked elsewhere
        model = model_with(answer, sizes).train(training)
        send_back(model, tokens)
    for seed in range(1, DRAWINGS if training else 1):
        if _reached(_largest([*model.position.parameters()])):
            break
        torch.default_generator.manual_seed(seed)
        send_back(model, tokens)
    return model


def _largest(weights: Sequence[Tensor]) -> list[float]:
    """The largest gradient of each."""
    return [0.0 if each.grad is None else float(each.grad.abs().max()) for each in weights]


def _reached(largest: list[float]) -> bool:
    least = ROUNDING * max(filter(math.isfinite, largest), default=0.0)
    return all(each > least or each != each for each in largest)


def send_back(model: Bert, tokens: Tensor) -> None:
    """Send a gradient back that is another one for each number."""
    hidden = model(tokens)
    weights = torch.randn(hidden.shape, generator=Generator().manual_seed(3))
    (hidden * weights.to(hidden.dtype)).sum().backward()


def learns(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Whether the encoding can be trained, saved and asked again; T is max_len."""
    torch.default_generator.manual_seed(0)
    fresh = answer(**sizes)
    found = own_kept.kept(fresh)
    model = model_with(answer, sizes)
    hidden = model(tokens)
    gradients = _gradients(answer, sizes, tokens)
    used = own_kept.kept(model.position)
    other = model_with(answer, sizes, seed=7)
    with torch.no_grad():
        model(tokens[:, 2:])  # another length in between
        again = model(tokens)
        given = own_hooks.given(sizes, tokens)
        hooks = own_hooks.changing(model.position, given)
        other(tokens)  # what it was asked before its numbers changed must not count,
        unasked = model_with(answer, sizes, seed=8)
        misfits = _loaded(unasked, model.state_dict()) or _loaded(other, model.state_dict())
        other(tokens[:, :5])  # nor what it is asked first afterwards
        return {
            **{name: found[name] and used[name] for name in found},
            FINITE: bool(hidden.isfinite().all()),
            **gradients,
            TWICE: close(again, hidden) and not hooks,
            FROM_THE_START: _names(fresh) == _names(model.position),
            "what is saved and does not fit into a new object": misfits,
            "saved and loaded into a new object, it gives the same result": close(
                other(tokens), hidden
            )
            and not own_hooks.unlike(model.position, other.position, given),
            **counted(model, tokens),
        }


def _names(module: nn.Module) -> set[str]:
    """Of all that is trained or saved."""
    return {*dict(module.named_parameters()), *module.state_dict()}


def _loaded(model: Bert, saved: dict[str, Tensor]) -> list[str]:
    """The names of what does not fit, or is missing, in the encoding; none if all can be loaded."""
    try:
        model.load_state_dict(saved)
    except RuntimeError:
        own = model.state_dict()
        return sorted(
            name.removeprefix("position.")
            for name in {*own, *saved}
            if name.startswith("position.")
            and not (name in own and name in saved and own[name].shape == saved[name].shape)
        ) or ["it"]
    return []
