"""Weights to and from BertForPreTraining of the transformers library."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from helpers.encodings import Learned
from helpers.model.bert import Pretraining

# ours: theirs; {i} is the layer
ONCE = {
    "bert.words": "bert.embeddings.word_embeddings",
    "bert.segments": "bert.embeddings.token_type_embeddings",
    "bert.norm": "bert.embeddings.LayerNorm",
    "bert.pooler.0": "bert.pooler.dense",
    "transform.0": "cls.predictions.transform.dense",
    "transform.2": "cls.predictions.transform.LayerNorm",
    "is_next": "cls.seq_relationship",
}
PER_LAYER = {
    "attention.out": "attention.output.dense",
    "norms.0": "attention.output.LayerNorm",
    "mlp.0": "intermediate.dense",
    "mlp.2": "output.dense",
    "norms.1": "output.LayerNorm",
}
TABLE = ("bert.position.table", "bert.embeddings.position_embeddings.weight")


def _pairs(num_layers: int) -> Iterator[tuple[str, str]]:
    """(our name, their name) of all but the projections, which they keep apart."""
    for ours, theirs in ONCE.items():
        yield ours, theirs
    for i in range(num_layers):
        for ours, theirs in PER_LAYER.items():
            yield f"bert.layers.{i}.{ours}", f"bert.encoder.layer.{i}.{theirs}"


def _projections(i: int) -> tuple[str, list[str]]:
    theirs = [f"bert.encoder.layer.{i}.attention.self.{name}" for name in ("query", "key", "value")]
    return f"bert.layers.{i}.attention.qkv", theirs


def to_transformers(model: Pretraining) -> dict[str, Tensor]:
    """Our weights under the names of BertForPreTraining.

    Raises:
        ValueError: the model has what the published one has not.
    """
    size = model.bert.size
    if not isinstance(model.bert.position, Learned) or size.norm != "post":
        raise ValueError("only a model with a learned table and norm='post' has a published twin")
    ours = model.state_dict()
    theirs = {TABLE[1]: ours[TABLE[0]]}
    for left, right in _pairs(size.num_layers):
        for kind in ("weight", "bias"):
            if f"{left}.{kind}" in ours:
                theirs[f"{right}.{kind}"] = ours[f"{left}.{kind}"]
    for i in range(size.num_layers):
        left, names = _projections(i)
        for kind in ("weight", "bias"):
            for name, part in zip(names, ours[f"{left}.{kind}"].chunk(3), strict=True):
                theirs[f"{name}.{kind}"] = part
    theirs["cls.predictions.bias"] = theirs["cls.predictions.decoder.bias"] = ours["bias"]
    theirs["cls.predictions.decoder.weight"] = ours["bert.words.weight"]
    return theirs


def from_transformers(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """A state_dict of BertForPreTraining under our names."""
    layers = {name.split(".")[3] for name in theirs if name.startswith("bert.encoder.layer.")}
    ours = {TABLE[0]: theirs[TABLE[1]], "bias": theirs["cls.predictions.bias"]}
    for left, right in _pairs(len(layers)):
        for kind in ("weight", "bias"):
            if f"{right}.{kind}" in theirs:
                ours[f"{left}.{kind}"] = theirs[f"{right}.{kind}"]
    for i in range(len(layers)):
        left, names = _projections(i)
        for kind in ("weight", "bias"):
            ours[f"{left}.{kind}"] = torch.cat([theirs[f"{name}.{kind}"] for name in names])
    return ours
