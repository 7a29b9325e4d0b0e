"""The models of the live mini BERT as PyTorch has them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from benchmarks import live_weights
from benchmarks.live_study import WEIGHTS
from helpers.model.bert import Bert, Pretraining, preset


@cache
def index() -> dict[str, Any]:
    """What stands beside the weights."""
    found: dict[str, Any] = json.loads((WEIGHTS / "weights.json").read_text(encoding="utf-8"))
    return found


@cache
def model(encoding: str) -> Pretraining:
    """The course's own model with the weights of the page."""
    known = index()
    sizes = {"vocab_size": len(known["vocabulary"]), "max_len": known["longest"]}
    made = Pretraining(Bert(preset("mini", **sizes, **known["size"]), encoding)).eval()
    content = (WEIGHTS / f"{encoding}.bin").read_bytes()
    live_weights.load(made, live_weights.unpack(content, known["encodings"][encoding]["shapes"]))
    return made
