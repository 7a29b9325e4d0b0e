"""Running text as rows of WordPieces, and the loss of a model that only counts words."""

from __future__ import annotations

import random
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Generator, Tensor

from helpers.corpora import wordpiece
from helpers.corpora.english import English
from helpers.corpora.inputs import MlmBatch
from helpers.corpora.masking import MASKED, RANDOM

TEST_SHARE = 0.05
FIRST = len(wordpiece.SPECIAL)  # the lowest id that is a word


@dataclass(frozen=True)
class Text:
    """Two streams of token ids, (N,) each, from different documents.

    Every sentence ends with [SEP], so that none of its neighbours looks like its end.
    """

    tokenizer: Tokenizer
    training: Tensor
    testing: Tensor

    def rows(self, length: int, test: bool = False) -> Tensor:
        """Cut one of the streams into rows of `length`, (n, length); a last part is left out.

        Raises:
            ValueError: it is shorter than a row.
        """
        stream, purpose = (self.testing, "testing") if test else (self.training, "training")
        if len(stream) < length:
            told = f"{len(stream)} tokens kept for {purpose} are too few for a row of {length}"
            raise ValueError(told)
        return stream[: len(stream) // length * length].view(-1, length)

    def frequencies(self) -> Tensor:
        """Estimate P(word), (V − 5,), from the training text; each is counted once more."""
        words = self.training[self.training >= FIRST] - FIRST
        counts = torch.bincount(words, minlength=self.tokenizer.get_vocab_size() - FIRST)
        return (counts + 1).double() / (counts + 1).sum()

    def unigram_baseline(self) -> float:
        """Return the loss, in nats per word, of who knows how frequent words are, and no more.

        Taken on the test text.
        """
        words = self.testing[self.testing >= FIRST] - FIRST
        return float(-self.frequencies()[words].log().mean())

    def shown_baseline(self, masked: MlmBatch) -> float:
        """Return the loss of who knows how frequent words are and looks at the chosen place.

        A chosen word that is not hidden was left as it is, or is a random one (Devlin et al. 2018,
        section 3.1): seen s, the probability of word w is as p_w·(RANDOM/V + KEPT·[w = s]).

        Args:
            masked: places of rows of words, see `helpers.corpora.inputs.mask_words`.
        """
        probability = self.frequencies()
        random, kept = RANDOM / len(probability), 1 - MASKED - RANDOM
        real = masked.targets >= FIRST
        words, seen = masked.targets[real], masked.inputs.gather(1, masked.places)[real]
        likely = probability[words - FIRST]
        at_seen = probability[(seen - FIRST).clamp(min=0)]
        left = (words == seen).to(probability) * kept
        open_to_view = likely * (random + left) / (random + kept * at_seen)
        return float(-torch.where(seen == wordpiece.MASK, likely, open_to_view).log().mean())


def tokenized(
    english: English, vocab_size: int = 4096, seed: int = 0, tokenizer: Tokenizer | None = None
) -> Text:
    """Train WordPiece on the text and cut the text with it; some documents are kept for testing.

    Args:
        tokenizer: one that was trained before. Among pieces that are equally frequent, another
            training may number them in another order.

    Raises:
        ValueError: there are too few documents to keep any.
    """
    documents = list(english.documents)
    random.Random(seed).shuffle(documents)
    kept = int(len(documents) * TEST_SHARE)
    if not kept:
        raise ValueError(f"{len(documents)} documents are too few to keep any for testing")
    if tokenizer is None:
        tokenizer = wordpiece.train(
            (sentence for document in documents[kept:] for sentence in document), vocab_size
        )
    testing, training = (_stream(tokenizer, part) for part in (documents[:kept], documents[kept:]))
    return Text(tokenizer, training, testing)


def _stream(tokenizer: Tokenizer, documents: list[list[str]]) -> Tensor:
    sentences = [sentence for document in documents for sentence in document]
    ids = (encoding.ids for encoding in tokenizer.encode_batch(sentences))
    return torch.tensor([token for each in ids for token in (*each, wordpiece.SEP)])


def shuffled(rows: Tensor, seed: int = 0, across: bool = False) -> Tensor:
    """Return the words without their order, (n, T).

    Args:
        rows: (n, T).
        across: all words change places, so that a row has no topic either; else each row is
            shuffled by itself.
    """
    draw = Generator().manual_seed(seed)
    if across:
        return rows.flatten()[torch.randperm(rows.numel(), generator=draw)].view_as(rows)
    return rows.gather(1, torch.rand(rows.shape, generator=draw).argsort(1))
