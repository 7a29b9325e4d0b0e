"""Pretraining a mini BERT: batches that lie ready on the device, and one call for a whole run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.bert import Bert, Pretraining, Size
from helpers.corpora import Grammar
from helpers.encodings import Encoding
from helpers.inputs import Places, mask_words, places_loss
from helpers.runtime import seed_everything
from helpers.training import train

POOL = 20_000  # texts that lie ready; their masks are drawn anew each time


def batches(
    tokens: Tensor, size: int, seed: int, mask: Callable[[Tensor, Generator], Places]
) -> Callable[[], Places]:
    """A function that gives freshly masked batches of `size` rows of `tokens`.

    Rows go by in random order, each once before any comes again. All is done on the device of
    `tokens`.
    """
    draw = Generator(device=tokens.device).manual_seed(seed)
    order = torch.empty(0, dtype=torch.int64, device=tokens.device)

    def batch() -> Places:
        nonlocal order
        if len(order) < size:
            fresh = torch.randperm(len(tokens), generator=draw, device=tokens.device)
            order = torch.cat([order, fresh])
        rows, order = order[:size], order[size:]
        return mask(tokens[rows], draw)

    return batch


def grammar_batches(
    grammar: Grammar, size: int, seed: int, device: str = "cpu", pool: int = POOL
) -> Callable[[], Places]:
    """Batches of the grammar, masked; every id but [MASK] is a word."""
    text = grammar.sample(pool, Generator().manual_seed(seed)).to(device)

    def mask(tokens: Tensor, draw: Generator) -> Places:
        return mask_words(tokens, grammar.num_symbols, draw, first_word=0, mask_id=grammar.mask_id)

    return batches(text, size, seed, mask)


def on_grammar(
    encoding: str | Encoding,
    seed: int,
    steps: int,
    size: Size,
    device: str = "cpu",
    batch: int = 64,
    lr: float = 3e-3,
    **options: Any,
) -> tuple[Pretraining, list[float]]:
    """Train a mini BERT on the grammar; the model and its losses.

    Args:
        encoding: a name for `create`, or an `Encoding` of the size's D and H.
        seed: of the weights and of the text.
        size: its `vocab_size` and `max_len` must be those of the grammar.
        options: for `train`.
    """
    grammar = Grammar()
    seed_everything(seed)
    model = Pretraining(Bert(size, encoding)).to(device)
    draw = grammar_batches(grammar, batch, seed, device)
    losses = train(model, draw, steps, lr, loss=places_loss, **options)
    return model, losses
