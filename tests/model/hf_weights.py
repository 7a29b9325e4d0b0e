"""Weights to and from BertForPreTraining of the transformers library."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from helpers.encodings import Learned
from helpers.model.bert import Pretraining

# ours: theirs, of which attention's projections are three
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
    "attention.qkv": "attention.self.query attention.self.key attention.self.value",
    "attention.out": "attention.output.dense",
    "norms.0": "attention.output.LayerNorm",
    "mlp.0": "intermediate.dense",
    "mlp.2": "output.dense",
    "norms.1": "output.LayerNorm",
}
TABLE = ("bert.position.table", "bert.embeddings.position_embeddings.weight")


def _names(num_layers: int) -> Iterator[tuple[str, list[str]]]:
    """Name of each weight and bias of ours, and of those that make it up in theirs."""
    modules = {ours: [theirs] for ours, theirs in ONCE.items()}
    for i in range(num_layers):
        for ours, theirs in PER_LAYER.items():
            modules[f"bert.layers.{i}.{ours}"] = [
                f"bert.encoder.layer.{i}.{each}" for each in theirs.split()
            ]
    for kind in ("weight", "bias"):
        for name, parts in modules.items():
            yield f"{name}.{kind}", [f"{part}.{kind}" for part in parts]


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
    for name, parts in _names(size.num_layers):
        if name in ours:
            theirs |= zip(parts, ours[name].chunk(len(parts)), strict=True)
    if left := ours.keys() - {TABLE[0], "bias", *(name for name, _ in _names(size.num_layers))}:
        raise ValueError(f"the published model has nothing for {sorted(left)}")
    theirs["cls.predictions.bias"] = theirs["cls.predictions.decoder.bias"] = ours["bias"]
    theirs["cls.predictions.decoder.weight"] = ours["bert.words.weight"]
    return theirs


def from_transformers(theirs: dict[str, Tensor]) -> dict[str, Tensor]:
    """A state_dict of BertForPreTraining under our names."""
    layers = {name.split(".")[3] for name in theirs if name.startswith("bert.encoder.layer.")}
    ours = {TABLE[0]: theirs[TABLE[1]], "bias": theirs["cls.predictions.bias"]}
    for name, parts in _names(len(layers)):
        if parts[0] in theirs:
            ours[name] = torch.cat([theirs[part] for part in parts])
    return ours
