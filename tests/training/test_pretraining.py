"""Pretraining: text as rows, its level, and that models learn what there is to learn."""

import math
from string import ascii_lowercase
from typing import Any

import pandas as pd
import pytest
import torch
from torch import Generator

from helpers.corpora import Grammar, corrupt
from helpers.corpora.english import English
from helpers.corpora.inputs import mask_words
from helpers.corpora.text import Text, shuffled, tokenized
from helpers.corpora.wordpiece import MASK, SEP, UNK
from helpers.model.bert import Bert, Pretraining, preset
from helpers.model.probes import attention_weights
from helpers.training import evaluate, pretraining
from helpers.training.finetuning import Classifier, Labelled, accuracy
from helpers.training.pretraining import grammar_scores, on_grammar, on_text, text_score

WORDS = [f"word{n}" for n in range(6)]
# Each word is followed by the next one, so that any word is known from its neighbours.
DOCUMENTS = [[" ".join(WORDS[(n + k) % 6] for k in range(9)) + "." for n in range(5)]] * 80
ENGLISH = English(DOCUMENTS, {"here": 1}, "0")


def _text() -> Text:
    return tokenized(ENGLISH, vocab_size=60)


def test_rows_are_the_stream_and_sentences_end_with_sep() -> None:
    text = _text()
    rows = text.rows(16, test=True)
    assert rows.shape == (len(text.testing) // 16, 16)
    assert torch.equal(rows.flatten(), text.testing[: rows.numel()])
    assert int((text.testing == SEP).sum()) == 4 * 5  # a twentieth of 80 documents
    assert len(text.training) == 19 * len(text.testing)


def test_levels_of_who_counts_and_of_who_looks_at_the_place_are_exact() -> None:
    """By Bayes, from the table of all pairs of a word and what is shown in its place."""
    text = _text()
    rows, pieces = text.rows(16), text.tokenizer.get_vocab()
    masked = mask_words(rows, text.tokenizer.get_vocab_size(), Generator().manual_seed(1))
    counts = torch.tensor([1 + text.training.tolist().count(n) for n in range(5, len(pieces))])
    share = counts / counts.sum().double()
    seen = text.testing[text.testing >= 5] - 5
    assert text.unigram_baseline() == pytest.approx(-share[seen].log().mean().item())
    random, same = 0.1 / len(share), 0.1 * torch.eye(len(share), dtype=torch.float64)
    pairs = share[:, None] * (random + same)  # (word, shown)
    expected = []
    for row in range(len(rows)):
        for place, word in zip(masked.places[row], masked.targets[row], strict=True):
            if word >= 5:
                shown, word = int(masked.inputs[row, place]), int(word) - 5
                known = share if shown == MASK else pairs[:, shown - 5] / pairs[:, shown - 5].sum()
                expected.append(-math.log(known[word]))
    assert text.shown_baseline(masked) == pytest.approx(sum(expected) / len(expected), rel=1e-9)


@pytest.mark.rotating
def test_order_is_learned_and_lost_when_shuffled() -> None:
    text = _text()
    size = preset(vocab_size=text.tokenizer.get_vocab_size(), d_model=32, max_len=16)
    found = {}
    for name, change in {"order": lambda rows: rows, "none": shuffled}.items():
        losses = []
        for seed in (0, 1):  # WordPiece numbers its pieces anew, and 500 steps are too few for some
            model, _ = on_text("learned", change(text.rows(16)), seed, 500, size, lr=1e-2)
            losses.append(text_score(model, change(text.rows(16, test=True))).loss)
        found[name] = min(losses)
    assert found["order"] < 0.4 < 0.7 < found["none"] < text.unigram_baseline()
    across = shuffled(text.rows(16), across=True)  # over all rows
    assert torch.equal(across.flatten().sort().values, text.rows(16).flatten().sort().values)
    assert not torch.equal(across.sort(1).values, text.rows(16).sort(1).values)


def test_a_score_on_text_is_the_mean_over_masked_words() -> None:
    torch.manual_seed(0)
    rows = torch.randint(5, 60, (300, 16))
    model = Pretraining(Bert(preset(vocab_size=60, d_model=8, max_len=16))).eval()
    masked = mask_words(rows, 60, torch.Generator().manual_seed(3))
    with torch.no_grad():
        shares = model(masked.inputs).log_softmax(-1)
    picked = shares.gather(1, masked.places[..., None].expand(-1, -1, 60))
    right = picked.gather(-1, masked.targets[..., None])
    score = text_score(model, rows, seed=3)
    assert score.loss == pytest.approx(-right.mean().item(), abs=1e-5)
    share = (picked.argmax(-1) == masked.targets).double().mean().item()
    assert score.accuracy == pytest.approx(share, abs=1e-9)


def test_scores_on_the_grammar_are_those_of_evaluate_and_no_kind_beats_its_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pretraining, "TEST_WORDS", 12_800)
    grammar = Grammar(echo=3)  # another than is kept for other tests of this process
    size = preset(vocab_size=grammar.vocab_size, d_model=32, max_len=128)
    model, losses = on_grammar("learned", 0, 30, size, batch=8, grammar=grammar)
    table = grammar_scores(model, (64, 128), grammar)
    assert len(losses) == 30 and len(table) == 10
    every = table[table.kind == "all"].set_index("length")
    for length in (64, 128):
        test = grammar.batch(12_800 // length, length, Generator().manual_seed(10_000 + length))
        score = evaluate(model, test)
        assert every.loss[length] == pytest.approx(score.loss, abs=1e-4)
        assert every.accuracy[length] == pytest.approx(score.accuracy, abs=1e-6)
        assert every.limit[length] == pytest.approx(grammar.bayes_loss(test), abs=1e-9)
    assert isinstance(table, pd.DataFrame) and (table.loss > table.limit).all()


def test_scores_on_a_shorter_grammar_are_on_texts_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pretraining, "TEST_WORDS", 3_200)
    grammar = Grammar(32, beats=(8, 24))
    model = Pretraining(Bert(preset(vocab_size=grammar.vocab_size, d_model=8, max_len=32)))
    table = grammar_scores(model, (32,), grammar)
    test = grammar.batch(100, 32, Generator().manual_seed(10_032))
    assert table.limit[0] == pytest.approx(grammar.bayes_loss(test), abs=1e-9)


def test_what_is_kept_for_testing_is_drawn_by_the_seed_and_teaches_no_pieces() -> None:
    with pytest.raises(ValueError, match="3 documents are too few"):
        tokenized(English(DOCUMENTS[:3], {}, "0"))
    english = English([[5 * letter, 5 * letter] for letter in ascii_lowercase], {}, "0")
    texts = [tokenized(english, 400, seed) for seed in range(3)]
    assert all(text.testing.tolist() == [UNK, SEP, UNK, SEP] for text in texts)
    assert len({str(text.training.tolist()) for text in texts}) == 3
    with pytest.raises(ValueError, match="4 tokens kept for testing are too few for a row of 5"):
        texts[0].rows(5, test=True)


def test_each_row_comes_once_before_any_comes_again_and_the_fraction_is_masked() -> None:
    same: Any = lambda rows, draw: rows  # noqa: E731
    next_batch: Any = pretraining.batches(torch.arange(10), 4, 0, same)
    rows = torch.cat([next_batch() for _ in range(5)]).view(2, 10)
    assert torch.equal(rows.sort(1).values, torch.arange(10).expand(2, -1))
    many: Any = pretraining.batches(torch.arange(10), 25, 0, same)()
    assert torch.equal(many.bincount().sort().values, torch.tensor([2] * 5 + [3] * 5))
    with pytest.raises(ValueError, match="no rows"):
        pretraining.batches(torch.arange(0), 4, 0, same)
    half = pretraining.grammar_batches(Grammar(), 4, 0, pool=9, fraction=0.5)
    assert half().places.shape == (4, 32)


def test_scores_are_taken_without_dropout() -> None:
    model: Any = Pretraining(Bert(preset(vocab_size=60, d_model=8, max_len=16)))
    rows, draw, modes = torch.randint(5, 60, (40, 16)), Generator(), list[bool]()
    model.bert.layers[0].register_forward_pre_hook(lambda each, _: modes.append(each.training))
    text_score(model.train(), rows)
    evaluate(model.train(), corrupt(rows, 60, MASK, draw))
    accuracy(Classifier(model.bert, 8).train(), Labelled(rows, rows[:, 0]))
    attention_weights(model.bert.train(), rows)
    assert modes == [False] * 4
