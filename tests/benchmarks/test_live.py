"""The study behind the live mini BERT, on a made-up text and for a few steps; its weights."""

import json
import random
from pathlib import Path

import pytest
import torch

from benchmarks import live_study, live_text, live_weights
from benchmarks.live_text import Sentences, masked_batches, sentences
from helpers.corpora.english import English
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP
from helpers.model.bert import Bert, Pretraining, preset

SIZE = preset("mini", vocab_size=80, d_model=8, num_heads=4, max_len=live_text.LONGEST)


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> Sentences:
    draw = random.Random(0)
    words = ["array", "string", "value", "empty", "returns", "given", "model", "file"]
    documents = [
        [" ".join(draw.choices(words, k=draw.randint(3, 9))) + "." for _ in range(4)]
        for _ in range(60)
    ]
    english = English([*documents, ["Zyx qwv jkh returns a value."]], {}, "made up")
    monkeypatch.setattr(live_text, "docstrings", lambda sources: english)
    monkeypatch.setattr(live_text, "PIECES", 60)
    monkeypatch.setattr(live_text, "COMMON", 9)
    return sentences(62)


def test_sentences_are_plain_whole_and_without_padding(text: Sentences) -> None:
    assert {"returns", "file", "##s"} <= set(text.vocabulary)
    for length, rows in {**text.testing, **text.training}.items():
        assert rows.shape[1] == length
        assert (rows[:, 0] == CLS).all() and (rows[:, -1] == SEP).all()
        assert not (rows == PAD).any()
    ids = [row for rows in text.training.values() for row in rows.tolist()]
    decoded = text.tokenizer.decode_batch(ids)
    assert not any("zyx" in each for each in decoded)  # four words that are not common
    assert sum(map(len, text.testing.values())) == 3 * 4  # of one document in twenty


def test_a_batch_has_one_length_and_hides_words_only(text: Sentences) -> None:
    draw = masked_batches(text.training, len(text.vocabulary), tokens=64, fraction=0.25, seed=0)
    lengths = set()
    for _ in range(400):
        inputs, places, targets = draw()
        lengths.add(inputs.shape[1])
        assert inputs.numel() <= 64
        assert (inputs[:, 0] == CLS).all() and (targets > MASK).all()
        assert (places > 0).all() and (places < inputs.shape[1] - 1).all()
    assert lengths == set(text.training)


def test_what_is_unpacked_is_off_by_half_a_step_at_most() -> None:
    torch.manual_seed(0)
    model = Pretraining(Bert(SIZE, "shaw"))
    weights = live_weights.read_by_the_page(model)
    found = live_weights.unpack(live_weights.pack(weights), live_weights.shapes(weights))
    assert list(found) == list(weights)
    for name, each in weights.items():
        if each.dim() == 1:
            assert torch.equal(found[name], each)
        else:
            step = 1.02 * each.abs().amax(1, keepdim=True) / live_weights.LARGEST
            assert ((found[name] - each).abs() <= 0.51 * step).all()
            assert not torch.equal(found[name], each)


def test_the_page_reads_everything_that_fills_a_gap() -> None:
    """A model that is given what is read fills gaps as the one that it was taken from."""
    torch.manual_seed(0)
    for encoding in live_study.ENCODINGS:
        model = Pretraining(Bert(SIZE, encoding)).eval()
        other = Pretraining(Bert(SIZE, encoding)).eval()
        with torch.no_grad():
            for each in model.parameters():
                each.add_(torch.randn_like(each))
        live_weights.load(other, live_weights.read_by_the_page(model))
        ids = torch.randint(5, SIZE.vocab_size, (2, 9))
        assert torch.equal(model(ids), other(ids)), encoding


def test_a_run_writes_the_same_files_again_and_goes_on_where_it_stopped(
    text: Sentences, tmp_path: Path
) -> None:
    size = preset("mini", **{**vars(SIZE), "vocab_size": len(text.vocabulary)})
    first, second = (tmp_path / each for each in "ab")
    for out in (first, second):
        live_study.study(text, size, 4, out, out / "kept")
    names = [f"{encoding}.bin" for encoding in live_study.ENCODINGS]
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    known = json.loads((first / "weights.json").read_text(encoding="utf-8"))
    assert known["vocabulary"] == text.vocabulary
    for encoding, found in known["encodings"].items():
        assert found["bytes"] == (first / f"{encoding}.bin").stat().st_size
        assert 0 < found["loss"] < 10 and 0 <= found["right"] <= 1
        assert 0 < found["moved"] < 1e-3
    again = live_study.study(text, size, 4, tmp_path / "c", first / "kept")
    assert again == known["encodings"]
