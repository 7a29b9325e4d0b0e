"""WordPiece (Schuster and Nakajima 2012; BERT, section 3), on the tokenizers library.

`train(texts)` learns a vocabulary; `save` and `load` keep it as one JSON file.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

PAD, UNK, CLS, SEP, MASK = range(5)
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
NORMALIZER = normalizers.BertNormalizer(lowercase=True)
SPLITTER = pre_tokenizers.BertPreTokenizer()


def words_of(text: str) -> list[str]:
    """Return its words in lower case, and each sign of punctuation."""
    return [word for word, _ in SPLITTER.pre_tokenize_str(NORMALIZER.normalize_str(text))]


def train(texts: Iterable[str], vocab_size: int = 4096, min_frequency: int = 2) -> Tokenizer:
    """Learn `vocab_size` pieces from `texts`; lower case, as in the uncased BERT.

    Ids 0 to 4 are [PAD], [UNK], [CLS], [SEP] and [MASK]; a piece inside a word begins with ##.

    Raises:
        ValueError: there is no room for anything but the special tokens.
    """
    if vocab_size <= len(SPECIAL):
        raise ValueError(f"vocab_size={vocab_size} must be above {len(SPECIAL)}, the special ones")
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = NORMALIZER, SPLITTER
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(SPECIAL),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def save(tokenizer: Tokenizer, path: Path) -> None:
    """Write the tokenizer to `path`, whole or not at all."""
    part = path.with_suffix(".part")
    tokenizer.save(str(part))
    part.replace(path)


def load(path: Path) -> Tokenizer:
    """Read what `save` wrote.

    Raises:
        ValueError: the file is no tokenizer, or another one's.
    """
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises a bare Exception
        raise ValueError(f"{path} holds no tokenizer ({error}); train it again") from error
    if [tokenizer.token_to_id(token) for token in SPECIAL] != list(range(len(SPECIAL))):
        raise ValueError(f"{path} has other special tokens than {SPECIAL}; train it again")
    return tokenizer


def longest_match(word: str, vocabulary: dict[str, int]) -> list[str]:
    """Split one lower-case word: the longest piece that fits, then the longest of the rest.

    Greedy, so not always the fewest pieces; a word that cannot be split whole is [UNK].
    """
    pieces: list[str] = []
    start = 0
    while start < len(word):
        prefix = "##" if pieces else ""
        ends = range(len(word), start, -1)
        fits = (prefix + word[start:end] for end in ends)
        piece = next((each for each in fits if each in vocabulary), None)
        if piece is None:
            return ["[UNK]"]
        pieces.append(piece)
        start += len(piece) - len(prefix)
    return pieces
