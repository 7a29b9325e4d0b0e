"""What an encoding costs: parameters, and time and memory of a training step by length."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from helpers.claims.timing import bytes_kept, seconds
from helpers.encodings import Encoding
from helpers.model.encoder import Encoder
from helpers.race.properties import WORDS, Build
from helpers.training.experiments import LAYERS

LENGTHS, TEXTS, ROUNDS = (32, 128, 512), 4, 8


def costs(build: Build) -> dict[str, Any]:
    """Return the parameters of the encoding at `max_len` 512, all layers together, and `steps`.

    A row of `steps` is a length in tokens, and ratios to a model without positions: `time`, of the
    processor, on one thread, median of steps that take turns; `memory`, bytes that a forward pass
    keeps for the way back.
    """
    encoding = build(max(LENGTHS))
    models = {
        "none": Encoder(Encoding(encoding.d_model, encoding.num_heads), WORDS, LAYERS),
        "mine": Encoder(encoding, WORDS, LAYERS),
    }
    sizes = {name: sum(each.numel() for each in m.parameters()) for name, m in models.items()}
    steps = []
    for length in LENGTHS:
        ids = torch.randint(WORDS, (TEXTS, length))
        took = seconds({name: partial(_step, m, ids) for name, m in models.items()}, ROUNDS)
        kept = {name: bytes_kept(model, ids) for name, model in models.items()}
        ratios = {"time": took["mine"] / took["none"], "memory": kept["mine"] / kept["none"]}
        steps.append({"length": length} | ratios)
    return {"parameters": sizes["mine"] - sizes["none"], "steps": steps}


def _step(model: nn.Module, ids: torch.Tensor) -> None:
    model.zero_grad()
    model(ids).sum().backward()
