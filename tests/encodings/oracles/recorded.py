"""Beside numbers that others' code gave: see record.py, which says whose and why."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from helpers.model.attention import MultiHeadAttention
from tests.encodings import hooks
from tests.encodings.oracles.comparison import Pair, build, oracle

SOURCES = {
    "kerple": "NVIDIA NeMo, nemo-toolkit 1.23.0",
    "fire": "klei22/nanoGPT, 45fb5ec1",
    "tupe": "jaketae/tupe, 1f4d64f0",
}
PATH = Path(__file__).with_name("recorded.json")
H, T, D = 2, 6, 8


def _recorded(name: str) -> dict[str, Tensor]:
    stored = json.loads(PATH.read_text(encoding="utf-8"))[name]
    return {key: torch.tensor(value) for key, value in stored.items() if key != "source"}


def _bias(ours: Any) -> Tensor:
    q = torch.zeros(1, H, T, D // H)
    return (hooks.scores(ours, q, q) * ours.softmax_scale).expand(1, H, T, T)


@oracle("kerple", f"{SOURCES['kerple']} (recorded)", 1e-12)
def _kerple() -> Pair:
    theirs, ours = _recorded("kerple"), build("kerple", d_model=D, num_heads=H)
    with torch.no_grad():
        ours.raw.copy_(torch.stack([theirs["r1"], theirs["r2"]]).log())
    return _bias(ours), theirs["bias"]


@oracle("fire", f"{SOURCES['fire']} (recorded)", 1e-6, "keys to the left; it computes in float32")
def _fire() -> Pair:
    theirs = _recorded("fire")
    ours = build("fire", d_model=D, num_heads=H, hidden=len(theirs["f.0.bias"]))
    with torch.no_grad():
        ours.c.copy_(theirs["c"])
        ours.threshold.copy_(theirs["threshold"])
        for name, parameter in ours.f.named_parameters():
            parameter.copy_(theirs[f"f.{name}"])
    left = torch.ones(T, T).tril()
    return _bias(ours) * left, theirs["bias"] * left


@oracle("tupe", f"{SOURCES['tupe']} (recorded)", 1e-12, "a layer before its last map")
def _tupe() -> Pair:
    theirs = _recorded("tupe")
    ours: Any = MultiHeadAttention(build("tupe", d_model=D, num_heads=H, max_len=T))
    with torch.no_grad():
        ours.encoding.table.copy_(theirs["table"])
        ours.encoding.query.weight.copy_(theirs["query"])
        ours.encoding.key.weight.copy_(theirs["key"])
        ours.qkv.weight.copy_(torch.cat([theirs[f"words_{name}"] for name in "qkv"]))
        ours.qkv.bias.zero_()
        ours.out.weight.copy_(torch.eye(D))
        ours.out.bias.zero_()
    normed = torch.nn.functional.layer_norm(theirs["x"], [D])
    return ours(normed), theirs["out"]
