"""BERT's inputs: pairs, masks, and their rates."""

import itertools
from collections import Counter

import pytest
import torch
from torch import Generator

from helpers.corpora import wordpiece
from helpers.corpora.inputs import IS_NEXT, NOT_NEXT, mask_words, pairs, places_loss
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP

DOCUMENTS = [
    [f"the {a} {b} sat on the mat", f"then the {b} saw a {a} one", f"it was {a} and {b} again"]
    for a in ("red", "green", "blue", "old", "new")
    for b in ("cat", "dog", "bird", "cow")
]
TOKENIZER = wordpiece.train((s for d in DOCUMENTS for s in d), vocab_size=120, min_frequency=1)


def test_a_pair_is_cls_first_sep_second_sep_padding() -> None:
    made = pairs(DOCUMENTS, TOKENIZER, length=24, seed=0)
    assert made.tokens.shape == made.token_type_ids.shape == made.attention_mask.shape == (40, 24)
    for row, segments, real in zip(*(each.tolist() for each in made[:3]), strict=True):
        length = sum(real)
        ends = [t for t, token in enumerate(row) if token == SEP]
        assert row[0] == CLS and len(ends) == 2 and ends[1] == length - 1
        assert row[length:] == [PAD] * (24 - length)
        assert segments == [0] * (ends[0] + 1) + [1] * (ends[1] - ends[0]) + [0] * (24 - length)


def test_half_of_the_pairs_are_neighbours_and_the_others_are_not() -> None:
    made = pairs(DOCUMENTS * 10, TOKENIZER, length=24, seed=0)
    assert made.label.double().mean() == pytest.approx(0.5, abs=0.06)
    neighbours = {
        repr(TOKENIZER.encode(a).ids) + repr(TOKENIZER.encode(b).ids)
        for d in DOCUMENTS
        for a, b in itertools.pairwise(d)
    }
    for row, label in zip(made.tokens.tolist(), made.label.tolist(), strict=True):
        middle, end = [t for t, token in enumerate(row) if token == SEP]
        is_pair = repr(row[1:middle]) + repr(row[middle + 1 : end]) in neighbours
        assert is_pair == (label == IS_NEXT)
    assert IS_NEXT in made.label
    assert not torch.equal(pairs(DOCUMENTS * 10, TOKENIZER, 24, seed=1).label, made.label)


def test_a_second_sentence_without_pieces_is_no_neighbour_either() -> None:
    nothing = "\ufffd"  # of which WordPiece makes nothing
    made = [pairs([["a cat", "a dog"], [nothing, nothing]], TOKENIZER, 12, n) for n in range(9)]
    lengths = {int(each.label[0]): int(each.attention_mask[0].sum()) for each in made}
    assert lengths == {IS_NEXT: 7, NOT_NEXT: 5}


def test_a_pair_that_is_too_long_is_cut_from_the_longer_sentence() -> None:
    documents = [["a cat", "the old dog sat on the new mat and saw it"], *DOCUMENTS[:2]]
    made = pairs(documents, TOKENIZER, length=10, seed=3)
    assert (made.attention_mask.sum(1) <= 10).all()
    assert ((made.tokens == SEP).sum(1) == 2).all()
    with pytest.raises(ValueError, match="two documents"):
        pairs(documents[:1], TOKENIZER, length=12, seed=0)


def test_masking_rates_and_what_is_never_masked() -> None:
    words = 1000
    tokens = torch.randint(5, words, (400, 100), generator=Generator().manual_seed(0))
    tokens[:, 0], tokens[:, 50], tokens[:, 90:] = CLS, SEP, PAD
    made = mask_words(tokens, words, Generator().manual_seed(1))
    assert made.places.shape == (400, 15)
    assert (made.targets == tokens.gather(1, made.places)).all()
    assert not torch.isin(made.targets, torch.arange(5)).any()
    assert all(len(set(row)) == 15 for row in made.places.tolist())
    shown = made.inputs.gather(1, made.places)
    rates = Counter(
        "mask" if s == MASK else "same" if s == t else "random"
        for s, t in zip(shown.flatten().tolist(), made.targets.flatten().tolist(), strict=True)
    )
    shares = {kind: count / 6000 for kind, count in rates.items()}
    assert shares == pytest.approx({"mask": 0.8, "random": 0.1, "same": 0.1}, abs=0.015)
    assert shown.min() >= MASK  # no random token is a special one
    untouched = torch.ones_like(tokens, dtype=torch.bool).scatter(1, made.places, False)
    assert (made.inputs == tokens)[untouched].all()
    every = torch.zeros(100).scatter_add(0, made.places.flatten(), torch.ones(6000))
    assert (every[1:50] > 30).all() and every[[0, 50]].sum() == every[90:].sum() == 0


def test_a_row_with_too_few_words_is_scored_on_those_it_has() -> None:
    tokens = torch.full((2, 20), PAD)
    tokens[0, :4] = torch.tensor([CLS, 7, 8, SEP])
    made = mask_words(tokens, 100, Generator().manual_seed(0))
    assert sorted(made.targets[0].tolist()) == [-100, 7, 8]
    assert (made.targets[1] == -100).all() and (made.inputs[1] == PAD).all()


def test_the_loss_counts_the_chosen_places_only() -> None:
    tokens = torch.randint(5, 50, (3, 20), generator=Generator().manual_seed(0))
    batch = mask_words(tokens, 50, Generator().manual_seed(1))
    logits = torch.randn(3, 3, 50)

    class Fixed(torch.nn.Module):
        def forward(self, inputs: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
            return logits

    expected = -logits.log_softmax(-1).gather(-1, batch.targets[..., None]).mean()
    torch.testing.assert_close(places_loss(Fixed(), batch), expected)
