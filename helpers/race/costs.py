"""What an encoding costs: parameters, and time and memory of a training step by length."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from helpers.claims.timing import bytes_kept, forward_and_back, seconds
from helpers.encodings import Encoding
from helpers.model.encoder import Encoder
from helpers.race.entrant import MOST, Build
from helpers.race.properties import WORDS
from helpers.training.experiments import LAYERS

LENGTHS, TEXTS, ROUNDS = (32, 128, MOST), 4, 8


def costs(build: Build) -> dict[str, Any]:
    """Return the parameters of the encoding at `max_len` MOST, all layers together, and `steps`.

    A row of `steps` is a length in tokens, and ratios to a model without positions: `time`, of the
    processor, on one thread, median of steps that take turns; `memory`, bytes that a forward pass
    keeps for the way back. They end before a text that the encoding cannot read.
    """
    mine = build(MOST)
    none = Encoding(mine.d_model, mine.num_heads)
    models = {name: Encoder(each, WORDS, LAYERS) for name, each in (("none", none), ("mine", mine))}
    sizes = {name: sum(each.numel() for each in m.parameters()) for name, m in models.items()}
    steps = []
    for length in LENGTHS:
        ids = torch.randint(WORDS, (TEXTS, length))
        try:
            models["mine"](ids)
        except Exception:  # an own class may break in any way on what is too long for it
            break
        took = seconds({n: partial(forward_and_back, m, ids) for n, m in models.items()}, ROUNDS)
        kept = {name: bytes_kept(model, ids) for name, model in models.items()}
        ratios = {"time": took["mine"] / took["none"], "memory": kept["mine"] / kept["none"]}
        steps.append({"length": length} | ratios)
    return {"parameters": sizes["mine"] - sizes["none"], "steps": steps}
