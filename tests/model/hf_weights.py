"""Weights of a `Pretraining` under the names of BertForPreTraining of the transformers library."""

from torch import Tensor

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


def to_transformers(model: Pretraining) -> dict[str, Tensor]:
    """Return its weights; the model must have a learned table and norm="post", as theirs has."""
    modules = {ours: [theirs] for ours, theirs in ONCE.items()}
    for i in range(model.bert.size.num_layers):
        for ours, theirs in PER_LAYER.items():
            names = [f"bert.encoder.layer.{i}.{each}" for each in theirs.split()]
            modules[f"bert.layers.{i}.{ours}"] = names
    weights, found = model.state_dict(), dict[str, Tensor]()
    for ours, names in modules.items():
        for kind in ("weight", "bias"):
            if f"{ours}.{kind}" in weights:  # an embedding has no bias
                parts = weights[f"{ours}.{kind}"].chunk(len(names))
                found |= {f"{name}.{kind}": part for name, part in zip(names, parts, strict=True)}
    found["bert.embeddings.position_embeddings.weight"] = weights["bert.position.table"]
    found["cls.predictions.bias"] = found["cls.predictions.decoder.bias"] = weights["bias"]
    found["cls.predictions.decoder.weight"] = weights["bert.words.weight"]
    return found
