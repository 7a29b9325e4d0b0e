"""One training step of a mini BERT, ours beside those of other libraries, as each is used.

L = 2, D = 128, H = 2, T = 64, V = 4,096, 64 rows, the same random words. Each runs in a process of
its own; they take turns, so that noise falls on each alike, and the median counts. Prints tokens
per second and the targets; writes mini_bert.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn
from torch.optim import Optimizer
from transformers import BertConfig, BertForMaskedLM

from benchmarks import timing
from benchmarks.timing import Step
from helpers import results, runtime
from helpers.book import d2l
from helpers.corpora.inputs import mask_words, places_loss
from helpers.encodings import prepare_positions
from helpers.model.bert import Bert, Pretraining, Size
from helpers.training import optimizer as optimizers
from helpers.training.loop import PRECISIONS
from helpers.training.pretraining import batches

DRY = runtime.profile() == "dry"  # to see that all of it runs
SIZE = Size(64, 16, 1, 2, 16) if DRY else Size()
ROWS = 4 if DRY else 64
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
COMMAND = {"cuda": "make gpu", "cpu": "make bench"}[DEVICE]  # what a record is repeated by
# On a CPU without bfloat16 products all of them would be slow alike.
FAST = runtime.fast_precision() if DEVICE == "cuda" else "bfloat16"
SECONDS = 0.0 if DRY else 60.0  # spent at least on each group
WORDS = torch.randint(
    5, SIZE.vocab_size, (2000, SIZE.max_len), generator=Generator().manual_seed(0)
)

RELU = "ours with d2l's ReLU"
GIVEN_BACK = "ours, giving freed memory back"


def out() -> Path:
    """Where records go: the folder behind --out, or that of all recorded results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=results.RESULTS, help="where records go")
    return parser.parse_args().out


def _stepper(model: nn.Module, loss: Callable[[], Tensor], precision: str = "float32") -> Step:
    """A step with AdamW as in `helpers.training`."""
    return stepper(loss, optimizers.build(model, "adamw", 1e-3), precision)


def stepper(loss: Callable[[], Tensor], parts: Sequence[Optimizer], precision: str) -> Step:
    """Forward, backward and update."""

    def step() -> None:
        for each in parts:
            each.zero_grad()
        with torch.autocast(DEVICE, PRECISIONS[precision], enabled=precision != "float32"):
            value = loss()
        value.backward()
        for each in parts:
            each.step()

    return step


def _everywhere(batch: Any) -> tuple[Tensor, Tensor]:
    """Inputs, and targets (B, T) with −100 where nothing is scored: as libraries want them."""
    targets = torch.full_like(batch.inputs, -100).scatter(1, batch.places, batch.targets)
    return batch.inputs, targets


def ours(precision: str = "float32", masked_only: bool = True) -> Step:
    """Our model; logits at the masked places only, or everywhere."""
    model = Pretraining(Bert(SIZE)).to(DEVICE)
    next_batch = draws()

    def loss() -> Tensor:
        batch = next_batch()
        if masked_only:
            return places_loss(model, batch)
        inputs, targets = _everywhere(batch)
        return F.cross_entropy(model(inputs).flatten(0, 1).float(), targets.flatten())

    return _stepper(model, loss, precision)


def with_relu(precision: str) -> Step:
    """Our model with d2l's activation, which costs less than GELU, to see what that makes."""
    model = Pretraining(Bert(SIZE)).to(DEVICE)
    for parent in list(model.modules()):
        for name, child in parent.named_children():
            if isinstance(child, nn.GELU):
                setattr(parent, name, nn.ReLU())
    next_batch = draws()
    return _stepper(model, lambda: places_loss(model, next_batch()), precision)


def draws() -> Callable[[], Any]:
    """A function that gives masked batches."""

    def mask(tokens: Tensor, generator: Generator) -> Any:
        return mask_words(tokens, SIZE.vocab_size, generator)

    return batches(WORDS.to(DEVICE), ROWS, 0, mask)


def bert_of_transformers(size: Size, dropout: float) -> Any:
    """BertForMaskedLM of the same sizes as ours."""
    model: Any = BertForMaskedLM(
        BertConfig(
            vocab_size=size.vocab_size,
            hidden_size=size.d_model,
            num_hidden_layers=size.num_layers,
            num_attention_heads=size.num_heads,
            intermediate_size=4 * size.d_model,
            max_position_embeddings=size.max_len,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
        )
    )
    return model.to(DEVICE)


def logits_of_transformers(model: Any, inputs: Tensor, places: Tensor) -> Tensor:
    """What its encoder and head give at the places only, (B, n, V)."""
    hidden = model.bert(inputs).last_hidden_state
    return model.cls(hidden.gather(1, places[..., None].expand(-1, -1, hidden.shape[-1])))


def of_transformers(dropout: float, masked_only: bool, precision: str = "float32") -> Step:
    """BertForMaskedLM, or its encoder and head at the masked places only."""
    model = bert_of_transformers(SIZE, dropout)
    next_batch = draws()

    def loss() -> Tensor:
        batch = next_batch()
        if masked_only:
            asked: Any = partial(logits_of_transformers, model)
            return places_loss(asked, batch)
        inputs, targets = _everywhere(batch)
        return model(inputs, labels=targets).loss

    return _stepper(model, loss, precision)


def of_the_book(as_shipped: bool, precision: str = "float32") -> Step:
    """d2l's BERTModel; as its book trains it, or without dropout, lengths and the pair task."""
    model = d2l.BERTModel(
        SIZE.vocab_size,
        SIZE.d_model,
        4 * SIZE.d_model,
        SIZE.num_heads,
        SIZE.num_layers,
        0.2 if as_shipped else 0.0,
        max_len=SIZE.max_len,
    ).to(DEVICE)
    next_batch = draws()
    segments = torch.zeros(ROWS, SIZE.max_len, dtype=torch.int64, device=DEVICE)
    lengths = torch.full((ROWS,), float(SIZE.max_len), device=DEVICE)

    def loss() -> Tensor:
        batch = next_batch()
        _, words, pair = model(
            batch.inputs, segments, lengths if as_shipped else None, batch.places
        )
        value = F.cross_entropy(words.flatten(0, 1).float(), batch.targets.flatten())
        return value + F.cross_entropy(pair.float(), segments[:, 0]) if as_shipped else value

    model(WORDS[:ROWS].to(DEVICE), segments, None, segments[:, :1])  # sizes of its lazy layers
    return _stepper(model, loss, precision)


class _OfPyTorch(nn.Module):
    """nn.TransformerEncoder with our embeddings and head."""

    def __init__(self) -> None:
        super().__init__()
        self.body = Pretraining(Bert(SIZE))
        layer = nn.TransformerEncoderLayer(
            SIZE.d_model,
            SIZE.num_heads,
            4 * SIZE.d_model,
            0.0,
            "gelu",
            batch_first=True,
            norm_first=True,
        )
        self.body.bert.layers = nn.ModuleList()
        self.encoder = nn.TransformerEncoder(layer, SIZE.num_layers, enable_nested_tensor=False)

    def forward(self, tokens: Tensor, places: Tensor) -> Tensor:
        bert = self.body.bert
        x = bert.position.embed(bert.words(tokens), prepare_positions(tokens))
        hidden = self.encoder(bert.norm(x))
        hidden = hidden.gather(1, places[..., None].expand(-1, -1, SIZE.d_model))
        return self.body.mlm_logits(hidden)


def of_pytorch(precision: str = "float32") -> Step:
    """nn.TransformerEncoder, masked places only."""
    model = _OfPyTorch().to(DEVICE)
    next_batch = draws()
    return _stepper(model, lambda: places_loss(model, next_batch()), precision)


def feeding() -> Step:
    """What it takes to draw and mask a batch."""
    next_batch = draws()

    def step() -> None:
        next_batch()

    return step


def kept(make: Callable[[], Step]) -> Step:
    """A step whose process keeps what is freed, as `helpers.training.train` lets it."""
    runtime.keep_freed_memory()
    return make()


def _all_kept(makers: dict[str, Callable[[], Step]]) -> dict[str, Callable[[], Step]]:
    return {name: partial(kept, make) for name, make in makers.items()}


GROUPS: dict[str, dict[str, Callable[[], Step]]] = {
    "as each is used": {
        "ours": partial(kept, partial(ours, FAST)),
        GIVEN_BACK: partial(ours, FAST),
        "transformers, its defaults": partial(of_transformers, 0.1, masked_only=False),
        "d2l, as its book trains it": partial(of_the_book, as_shipped=True),
    },
    "masked places only, no dropout, same precision": _all_kept(
        {
            "ours": partial(ours, FAST),
            "nn.TransformerEncoder": partial(of_pytorch, FAST),
            "transformers": partial(of_transformers, 0.0, masked_only=True, precision=FAST),
            "d2l": partial(of_the_book, as_shipped=False, precision=FAST),
            RELU: partial(with_relu, FAST),
        }
    ),
    "where logits are computed": _all_kept(
        {
            "masked places": partial(ours, FAST),
            "everywhere": partial(ours, FAST, masked_only=False),
            "masked places, float32": ours,
            "everywhere, float32": partial(ours, masked_only=False),
            "feeding": feeding,
        }
    ),
}


def targets(table: pd.DataFrame) -> list[str]:
    """Each target with what was measured; a line begins with "met" or "missed"."""
    speed = table.set_index(["group", "name"]).tokens_per_second
    lines = []

    def say(group: str, name: str, other: str, least: float) -> None:
        ratio = speed[group, name] / speed[group, other]
        met = "met   " if ratio >= least else "missed"
        lines.append(f"{met} {name}: {ratio:.2f} times {other} (at least {least:g}); {group}")

    used, alike, where = GROUPS
    say(used, "ours", "transformers, its defaults", 4.5)
    say(used, "ours", "d2l, as its book trains it", 2.2)
    kept_pays = speed[used, "ours"] / speed[used, GIVEN_BACK]
    lines.append(f"       ours: {kept_pays:.2f} times {GIVEN_BACK}")
    others = (name for name in GROUPS[alike] if name not in ("ours", RELU))
    best = max(others, key=lambda name: speed[alike, name])
    say(alike, "ours", best, 1.0)
    lines.append(f"       {RELU}: {speed[alike, RELU] / speed[alike, 'd2l']:.2f} times d2l")
    say(where, "masked places", "everywhere", 2.4)
    say(where, "masked places, float32", "everywhere, float32", 2.4)
    say(where, "feeding", "masked places", 50.0)  # at most 2 % of a step
    return lines


def main() -> None:
    """Measure each group, print tokens per second and the targets, and store them."""
    rows = [
        {"group": group, "name": name, "tokens_per_second": ROWS * SIZE.max_len / seconds}
        for group, makers in GROUPS.items()
        for name, seconds in timing.apart(makers, SECONDS).items()
    ]
    table = pd.DataFrame(rows)
    print(table.round(0).to_string(index=False))
    lines = targets(table)
    print("\n".join(lines))
    path = results.save("mini_bert", table, "make bench")
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
