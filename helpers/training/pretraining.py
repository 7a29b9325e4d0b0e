"""Pretraining a mini BERT: batches that lie ready on the device, and one call for a whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from typing import Any

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers import runtime
from helpers.corpora import Grammar, MaskedBatch
from helpers.corpora.grammar import KINDS
from helpers.corpora.inputs import MlmBatch, mask_words, places_loss
from helpers.corpora.masking import SELECTED
from helpers.encodings import Encoding
from helpers.model.bert import Bert, Pretraining, Size, preset
from helpers.training import Score, train

POOL = 20_000  # texts that lie ready; their masks are drawn anew each time
TEST_WORDS = 64_000


def batches(
    tokens: Tensor, size: int, seed: int, mask: Callable[[Tensor, Generator], MlmBatch]
) -> Callable[[], MlmBatch]:
    """Return a function that gives freshly masked batches of `size` rows of `tokens`.

    Rows go by in random order, each once before any comes again. All is done on the device of
    `tokens`.

    Raises:
        ValueError: `tokens` has no rows.
    """
    if not len(tokens):
        raise ValueError("there are no rows of tokens to draw from")
    draw = Generator(device=tokens.device).manual_seed(seed)
    order = torch.empty(0, dtype=torch.int64, device=tokens.device)

    def batch() -> MlmBatch:
        nonlocal order
        while len(order) < size:
            fresh = torch.randperm(len(tokens), generator=draw, device=tokens.device)
            order = torch.cat([order, fresh])
        rows, order = order[:size], order[size:]
        return mask(tokens[rows], draw)

    return batch


def grammar_batches(
    grammar: Grammar,
    size: int,
    seed: int,
    device: str = "cpu",
    pool: int = POOL,
    fraction: float = SELECTED,
) -> Callable[[], MlmBatch]:
    """Return `batches` of the grammar; every id but [MASK] is a word."""
    text = _texts(grammar.length, grammar.beat_places, grammar.echo, pool, seed).to(device)

    def mask(tokens: Tensor, draw: Generator) -> MlmBatch:
        return mask_words(tokens, grammar.num_symbols, draw, fraction, 0, grammar.mask_id)

    return batches(text, size, seed, mask)


def text_batches(
    rows: Tensor, vocab_size: int, size: int, seed: int, fraction: float = SELECTED
) -> Callable[[], MlmBatch]:
    """Return `batches` of rows of WordPieces (n, T), on their device."""

    def mask(tokens: Tensor, draw: Generator) -> MlmBatch:
        return mask_words(tokens, vocab_size, draw, fraction)

    return batches(rows, size, seed, mask)


@lru_cache(maxsize=3)  # seeds by turns; to draw them takes as long as a hundred steps
def _texts(length: int, beats: tuple[int, ...], echo: int, number: int, seed: int) -> Tensor:
    return Grammar(length, beats, echo).sample(number, Generator().manual_seed(seed))


def on_grammar(
    encoding: str | Encoding,
    seed: int,
    steps: int,
    size: Size | None = None,
    device: str = "cpu",
    batch: int = 64,
    lr: float = 3e-3,
    fraction: float = SELECTED,
    grammar: Grammar | None = None,
    **options: Any,
) -> tuple[Pretraining, list[float]]:
    """Train a mini BERT on the grammar; return the model and its losses.

    Args:
        encoding: a name for `create`, or an `Encoding` of the size's D and H.
        seed: of the weights and of the text.
        size: by default the mini BERT with the vocabulary and length of the grammar.
        batch: rows of a step. fraction: of the positions that are masked.
        grammar: one with all its rules if not given.
        options: for `train`.
    """
    grammar = grammar or Grammar()
    size = size or preset(vocab_size=grammar.vocab_size, max_len=grammar.length)
    next_batch = grammar_batches(grammar, batch, seed, device, fraction=fraction)
    return _trained(encoding, size, seed, next_batch, steps, lr, device, **options)


def on_text(
    encoding: str | Encoding,
    rows: Tensor,
    seed: int,
    steps: int,
    size: Size,
    device: str = "cpu",
    batch: int = 64,
    lr: float = 3e-3,
    fraction: float = SELECTED,
    **options: Any,
) -> tuple[Pretraining, list[float]]:
    """Train a mini BERT on rows of WordPieces (n, T); as `on_grammar`."""
    next_batch = text_batches(rows.to(device), size.vocab_size, batch, seed, fraction)
    return _trained(encoding, size, seed, next_batch, steps, lr, device, **options)


def _trained(
    encoding: str | Encoding,
    size: Size,
    seed: int,
    next_batch: Callable[[], MlmBatch],
    steps: int,
    lr: float,
    device: str,
    **options: Any,
) -> tuple[Pretraining, list[float]]:
    runtime.seed_everything(seed)
    model = Pretraining(Bert(size, encoding)).to(device)
    label = encoding if isinstance(encoding, str) else type(encoding).__name__
    options = {"label": label} | options
    return model, train(model, next_batch, steps, lr, loss=places_loss, **options)


@torch.no_grad()
def grammar_scores(
    model: Pretraining, lengths: Iterable[int] = (64,), grammar: Grammar | None = None
) -> pd.DataFrame:
    """Score a model on the grammar, on text that is the same for every model.

    Args:
        lengths: of the texts, that of the grammar or longer.
        grammar: one with all its rules if not given.

    Returns:
        A row for each length and kind of place: length, kind ("all" and `KINDS`), loss and limit
        in nats per selected word, and accuracy.
    """
    model.eval()
    device = next(model.parameters()).device
    grammar = grammar or Grammar()
    tables = []
    for length in runtime.bar([*lengths], desc="scoring", unit="length"):
        test, known = _grammar_test(length, grammar.length, grammar.beat_places, grammar.echo)
        inputs = test.inputs.to(device)
        logits = torch.cat([model(rows).cpu() for rows in inputs.split(100)])[test.selected]
        targets = test.targets[test.selected]
        loss = F.cross_entropy(logits.double(), targets, reduction="none")
        right = (logits.argmax(-1) == targets).double()
        places = known.assign(loss=loss.numpy(), accuracy=right.numpy())
        both = pd.concat([places.assign(kind="all"), places])
        means = both.groupby("kind", sort=False)[["loss", "limit", "accuracy"]].mean()
        tables.append(means.reset_index().assign(length=length))
    return pd.concat(tables, ignore_index=True)


@cache
def _grammar_test(
    length: int, shortest: int, beats: tuple[int, ...], echo: int
) -> tuple[MaskedBatch, pd.DataFrame]:
    """Draw text to be scored on, and find each selected place's kind and the limit there."""
    grammar = Grammar(shortest, beats, echo)
    test = grammar.batch(TEST_WORDS // length, length, Generator().manual_seed(10_000 + length))
    return test, limits_by_kind(grammar, test)


def limits_by_kind(grammar: Grammar, test: MaskedBatch) -> pd.DataFrame:
    """Return the kind of each selected place, and the exact limit there in nats: kind, limit."""
    likely = grammar.posterior(test).gather(-1, test.targets[..., None])[..., 0]
    kinds = [KINDS[kind] for kind in grammar.kinds(test.targets)[test.selected]]
    return pd.DataFrame({"kind": kinds, "limit": -likely[test.selected].log().numpy()})


@torch.no_grad()
def text_score(model: Pretraining, rows: Tensor, seed: int = 0) -> Score:
    """Score a model on rows of WordPieces (n, T), masked in the same way for every model."""
    model.eval()
    device = next(model.parameters()).device
    masked = mask_words(rows, model.bert.size.vocab_size, Generator().manual_seed(seed))
    loss, right, count = 0.0, 0, 0
    for inputs, places, targets in zip(*(each.split(256) for each in masked), strict=True):
        logits = model(inputs.to(device), places.to(device)).flatten(0, 1).float().cpu()
        wanted = targets.flatten()
        loss += F.cross_entropy(logits, wanted, ignore_index=-100, reduction="sum").item()
        right += int((logits.argmax(-1) == wanted).sum())
        count += int((wanted >= 0).sum())
    return Score(loss / count, right / count)
