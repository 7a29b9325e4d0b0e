"""Plain sentences for a model of a page: short ones of the docstrings' commonest words.

Every row is one sentence, [CLS] … [SEP], and rows of one length are kept together, so that there
is no padding.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from tokenizers import Tokenizer, models
from torch import Generator, Tensor

from helpers.corpora import wordpiece
from helpers.corpora.english import PACKAGES, docstrings
from helpers.corpora.inputs import MlmBatch, mask_words
from helpers.corpora.text import TEST_SHARE
from helpers.corpora.wordpiece import CLS, MASK, SEP, SPECIAL
from helpers.training.pretraining import batches

SOURCES = (*PACKAGES, "pandas", "scipy", "sympy", "networkx")
COMMON = 2000  # a sentence may have one word that is not among the commonest
LONGEST = 32  # tokens, [CLS] and [SEP] included
PIECES = 400  # that WordPiece learns; the rest of the vocabulary are whole words
_WORD = re.compile(r"[a-z]+|\S")


class Sentences(NamedTuple):
    """Rows of token ids by their length T, (n, T) each, and what they are written with."""

    tokenizer: Tokenizer
    training: dict[int, Tensor]
    testing: dict[int, Tensor]
    digest: str

    @property
    def vocabulary(self) -> list[str]:
        """The pieces by their ids."""
        ids = self.tokenizer.get_vocab()
        return sorted(ids, key=ids.__getitem__)


def sentences(vocab_size: int, kept: Sequence[str] = (), seed: int = 0) -> Sentences:
    """The plain sentences of the docstrings of `SOURCES`; those of some documents are for testing.

    Args:
        kept: the vocabulary of an earlier study, which is used again, so that ids stay what they
            were; a new one is made where there is none.

    Raises:
        ValueError: there is too little text for so large a vocabulary.
    """
    english = docstrings(SOURCES)
    documents = list(english.documents)
    random.Random(seed).shuffle(documents)
    count = max(1, int(len(documents) * TEST_SHARE))
    common = _commonest(documents[count:])
    testing, training = (
        [each for document in part for each in document if _is_plain(each, common)]
        for part in (documents[:count], documents[count:])
    )
    tokenizer = wordpiece.train(training, min(PIECES, vocab_size))
    vocabulary = kept or _vocabulary(tokenizer, training, vocab_size)
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    tokenizer.model = models.WordPiece(ids, unk_token="[UNK]")
    return Sentences(
        tokenizer, _rows(tokenizer, training), _rows(tokenizer, testing), english.digest
    )


def _words(sentence: str) -> list[str]:
    return _WORD.findall(sentence.lower())


def _commonest(documents: list[list[str]]) -> set[str]:
    counts = Counter(w for document in documents for each in document for w in _words(each))
    return {word for word, _ in counts.most_common(COMMON)}


def _is_plain(sentence: str, common: set[str]) -> bool:
    return sentence.isascii() and sum(word not in common for word in _words(sentence)) <= 1


def _vocabulary(learned: Tokenizer, texts: list[str], vocab_size: int) -> list[str]:
    """The pieces that WordPiece has learned, and the commonest words whole."""
    # Sorted: the library learns the same pieces in each process, and gives them other ids.
    pieces = [*SPECIAL, *sorted(learned.get_vocab().keys() - set(SPECIAL))]
    known, counts = set(pieces), Counter(w for each in texts for w in _words(each))
    pieces += [word for word, _ in counts.most_common() if word not in known]
    if len(pieces) < vocab_size:
        raise ValueError(f"vocab_size={vocab_size}, but the text has {len(pieces)} pieces only")
    return pieces[:vocab_size]


def _rows(tokenizer: Tokenizer, texts: list[str]) -> dict[int, Tensor]:
    by_length: dict[int, list[list[int]]] = {}
    for encoding in tokenizer.encode_batch(texts):
        row = [CLS, *encoding.ids, SEP]
        if len(row) <= LONGEST:
            by_length.setdefault(len(row), []).append(row)
    return {length: torch.tensor(rows) for length, rows in sorted(by_length.items())}


def masked_batches(
    rows: dict[int, Tensor], vocab_size: int, tokens: int, fraction: float, seed: int
) -> Callable[[], MlmBatch]:
    """A function that gives masked batches of about `tokens` tokens, each of rows of one length."""

    def mask(some: Tensor, draw: Generator) -> MlmBatch:
        return mask_words(some, vocab_size, draw, fraction)

    pools = [batches(each, tokens // n, seed + n, mask) for n, each in rows.items()]
    sizes = torch.tensor([float(each.numel()) for each in rows.values()])
    choice = Generator().manual_seed(seed)
    return lambda: pools[int(sizes.multinomial(1, generator=choice))]()


def one_hidden(rows: Tensor, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Rows (n, T) with one word of each behind [MASK]; its place and the word, (n, 1) each."""
    is_word = (rows >= len(SPECIAL)).double()
    place = is_word.multinomial(1, generator=Generator().manual_seed(seed))
    return rows.scatter(1, place, MASK), place, rows.gather(1, place)
