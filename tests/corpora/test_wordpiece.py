"""WordPiece: ours beside the library's, saved and loaded."""

import random
from pathlib import Path

import pytest

from helpers.corpora import wordpiece

WORDS = ["position", "positions", "encode", "encoding", "relative", "absolute", "token", "unseen"]
TEXTS = [" ".join(random.Random(n).choices(WORDS, k=9)) for n in range(200)]
TOKENIZER = wordpiece.train(TEXTS, vocab_size=90)


def test_longest_match_is_the_librarys_on_thousands_of_words() -> None:
    draw = random.Random(0)
    vocabulary = TOKENIZER.get_vocab()
    letters = [*sorted({letter for word in WORDS for letter in word}), "z"]
    known = set()
    for _ in range(2000):
        parts = draw.choices(WORDS, k=draw.randint(0, 2))
        word = "".join(part[: draw.randint(1, 9)] for part in parts)
        word += "".join(draw.choices(letters, k=draw.randint(1, 5)))
        ours = wordpiece.longest_match(word, vocabulary)
        assert ours == TOKENIZER.encode(word).tokens
        known.add(ours != ["[UNK]"])
    assert known == {True, False}


def test_special_tokens_come_first_and_a_file_brings_it_back(tmp_path: Path) -> None:
    assert [TOKENIZER.token_to_id(token) for token in wordpiece.SPECIAL] == [0, 1, 2, 3, 4]
    wordpiece.save(TOKENIZER, tmp_path / "pieces.json")
    again = wordpiece.load(tmp_path / "pieces.json")
    assert again.encode(TEXTS[0]).ids == TOKENIZER.encode(TEXTS[0]).ids
    assert again.decode(again.encode("Relative Encodings").ids) == "relative encodings"
    assert [path.name for path in tmp_path.iterdir()] == ["pieces.json"]


def test_bad_files_and_sizes_are_named(tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ValueError, match=r"bad\.json holds no tokenizer"):
        wordpiece.load(tmp_path / "bad.json")
    with pytest.raises(ValueError, match="vocab_size=5 must be above 5"):
        wordpiece.train(TEXTS, vocab_size=5)


def test_a_piece_is_as_frequent_as_is_asked() -> None:
    pieces = [wordpiece.train(["abc abc"], 60, least).encode("abc").tokens for least in (2, 3)]
    assert pieces == [["abc"], ["a", "##b", "##c"]]
