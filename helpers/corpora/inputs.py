"""BERT's input: pairs of sentences as token ids, segments and padding, and words to be masked.

Devlin et al. 2018, section 3.1 and appendix A.2. All masking is done on the device of the tokens.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import Generator, Tensor, nn

from helpers.corpora.masking import MASKED, RANDOM
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL

IS_NEXT, NOT_NEXT = 0, 1


class Pairs(NamedTuple):
    """N inputs [CLS] first [SEP] second [SEP] and padding.

    tokens, token_type_ids (0 first, 1 second) and attention_mask (False: padding) are (N, T); label
    (N,) is IS_NEXT or NOT_NEXT.
    """

    tokens: Tensor
    token_type_ids: Tensor
    attention_mask: Tensor
    label: Tensor

    def to(self, device: torch.device | str) -> Pairs:
        """Return the same on `device`."""
        return Pairs(*(each.to(device) for each in self))

    def rows(self, index: Tensor) -> Pairs:
        """Return some of the inputs."""
        return Pairs(*(each[index] for each in self))


def pairs(
    documents: Iterable[Sequence[str]], tokenizer: Tokenizer, length: int, seed: int
) -> Pairs:
    """Make a pair of each two neighbours of a document; half of the seconds are from elsewhere.

    A wrong second sentence is drawn from all second sentences, so that it is as long and as late
    in its text as a right one, and from another document.

    Args:
        documents: each a list of sentences.
        length: T; the longer sentence of a pair that does not fit loses words from its end.

    Raises:
        ValueError: fewer than two documents have two sentences.
    """
    encoded = [
        [encoding.ids for encoding in tokenizer.encode_batch(list(document))]
        for document in documents
    ]
    true = [
        (number, first, second)
        for number, document in enumerate(encoded)
        for first, second in itertools.pairwise(document)
    ]
    if len({number for number, _, _ in true}) < 2:
        raise ValueError("pairs need two documents of two sentences at least")
    draw = random.Random(seed)
    rows = []
    for number, first, second in true:
        other = _another(true, number, second, draw) if draw.random() < 0.5 else None
        label = IS_NEXT if other is None else NOT_NEXT
        rows.append((*_row(first, second if other is None else other, length), label))
    tokens, segments, labels = (torch.tensor(column) for column in zip(*rows, strict=True))
    return Pairs(tokens, segments, tokens != PAD, labels)


def _another(
    true: list[tuple[int, list[int], list[int]]],
    number: int,
    second: list[int],
    draw: random.Random,
) -> list[int] | None:
    """Draw another second sentence, of another document; None where there seems to be none."""
    for _ in range(100):
        other, _, sentence = draw.choice(true)
        if other != number and sentence != second:
            return sentence
    return None


def _row(first: list[int], second: list[int], length: int) -> tuple[list[int], list[int]]:
    """Return token ids and segments of one pair, `length` each."""
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = [PAD] * (length - len(tokens))
    return tokens + padding, segments + [0] * len(padding)


class MlmBatch(NamedTuple):
    """Masked inputs (B, T), and the same number of places to predict in each row.

    places and targets are (B, n); a target is −100 where a row had too few words to mask.
    """

    inputs: Tensor
    places: Tensor
    targets: Tensor


def mask_words(
    tokens: Tensor,
    vocab_size: int,
    generator: Generator,
    fraction: float = 0.15,
    first_word: int = len(SPECIAL),
    mask_id: int = MASK,
) -> MlmBatch:
    """Choose `fraction` of T places in each row, never a special token; 80/10/10 as in BERT.

    The number is the same in each row, so that shapes never change: the paper's masked words are
    counted over the whole text too.

    Args:
        first_word: lowest id that is a word; all below are special.
        mask_id: id of [MASK].
    """
    shape, device = tokens.shape, tokens.device
    number = max(1, round(fraction * shape[1]))

    def uniform(*size: int) -> Tensor:
        return torch.rand(size, generator=generator, device=device)

    is_word = (tokens >= first_word) & (tokens < vocab_size) & (tokens != mask_id)
    chosen = (uniform(*shape) + is_word.float()).topk(number, dim=1)
    places, words = chosen.indices, chosen.values >= 1
    targets = tokens.gather(1, places)
    action = uniform(*places.shape)
    low, high = first_word, vocab_size
    drawn = torch.randint(low, high, places.shape, generator=generator, device=device)
    shown = torch.where(action < MASKED, mask_id, targets)
    shown = torch.where((action >= MASKED) & (action < MASKED + RANDOM), drawn, shown)
    inputs = tokens.scatter(1, places, torch.where(words, shown, targets))
    return MlmBatch(inputs, places, torch.where(words, targets, -100))


def places_loss(model: nn.Module, batch: MlmBatch, **given: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats at the places, of logits `model(inputs, places)`."""
    logits = model(batch.inputs, batch.places, **given)
    return F.cross_entropy(logits.flatten(0, 1).float(), batch.targets.flatten(), ignore_index=-100)
