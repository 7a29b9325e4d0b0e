"""The numbers that figures read: recorded results, and the weights of one small attention."""

from __future__ import annotations

from typing import Any

import pandas as pd
import torch

from helpers import results
from helpers.encodings import Encoding, create
from helpers.model.attention import MultiHeadAttention
from helpers.training.experiments import HEADS, WIDTH

# Recorded sweeps: what a text of theirs asks for.
TASKS = {
    "lag3": "A hidden token follows, nine times in ten, from the one three positions before it.",
    "shift3": "At each position, name the token three positions before it.",
    "reverse": "Write the text backwards: position t asks for the token at T − 1 − t.",
}
# A row of “move a word”: its name for a reader, and the encoding with its options.
NOTICING: dict[str, tuple[str, dict[str, Any]]] = {
    "No positions": ("none", {}),
    "Sinusoidal": ("sinusoidal", {}),
    "Learned table": ("learned", {"std": 1.0}),
    "ALiBi, symmetric": ("alibi", {}),
    "ALiBi, directional": ("alibi", {"form": "directional"}),
    "Shaw's keys": ("shaw_keys", {"k": 4}),
    "RoPE": ("rotary", {}),
}
CAUSAL = "No positions, causal mask"
SENTENCE = "the dog bites the man"
SMALL = {"d_model": 16, "num_heads": 4, "max_len": 32}


def losses() -> dict[str, Any]:
    """The recorded sweeps, one run beside the other."""
    return {name: {"asks": asks} | _sweep(name) for name, asks in TASKS.items()}


def clip() -> dict[str, Any]:
    """RoPE with and without the clip beyond the trained length, and the width of its heads.

    The sweep of all encodings has RoPE as well: its mean at the longest text stands beside.
    """
    found = _sweep("lag_controls", ["RoPE", "RoPE, clipped"])
    lengths = results.load("lag3").table.query("encoding == 'RoPE'").groupby("length")["loss"]
    return found | {"width": WIDTH // HEADS, "sweep": _numbers(lengths.mean())[-1]}


def _sweep(name: str, chosen: list[str] | None = None) -> dict[str, Any]:
    """Losses by encoding and length, a number for each seed; the limit is a mean over them."""
    found = results.load(name)
    table = found.table
    lengths = sorted(int(length) for length in table["length"].unique())
    runs = {
        encoding: [_numbers(rows.loc[rows["length"] == each, "loss"]) for each in lengths]
        for encoding, rows in table.groupby("encoding", sort=False)
        if chosen is None or encoding in chosen
    }
    limit = table.groupby("length")["limit"].mean()
    return {"lengths": lengths, "limit": _numbers(limit), "runs": runs, "note": found.note}


def _numbers(values: pd.Series) -> list[float]:
    return [round(float(value), 4) for value in values]


def attention() -> dict[str, Any]:
    """A sentence, a vector for each of its words, and an attention that was never trained."""
    words = SENTENCE.split()
    known = sorted(set(words))
    torch.manual_seed(0)
    embedding = torch.randn(len(known), SMALL["d_model"])
    layer = MultiHeadAttention(create("none", **SMALL))
    torch.nn.init.normal_(layer.qkv.weight, std=0.4)  # else all would look at all alike
    tables = {name: encoding(name) for name in NOTICING}
    return {
        "words": words,
        "x": _rounded(embedding[[known.index(word) for word in words]]),
        "heads": SMALL["num_heads"],
        "weights": {name: _rounded(each) for name, each in layer.named_parameters()},
        "learned": _rounded(tables["Learned table"].get_parameter("table")),
        "shaw": _rounded(tables["Shaw's keys"].get_parameter("keys")),
    }


def encoding(name: str) -> Encoding:
    """The encoding of a row of `NOTICING`, with the same parameters each time."""
    kind, options = NOTICING[name]
    torch.manual_seed(1)
    return create(kind, **SMALL, **options)


def _rounded(values: torch.Tensor) -> Any:
    return values.detach().double().mul(1000).round().div(1000).tolist()


FILES = {"losses": losses, "clip": clip, "attention": attention}
