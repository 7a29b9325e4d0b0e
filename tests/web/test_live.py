"""The live mini BERT computes what the course's own model does, and reads text as it does."""

import json
import random
from collections.abc import Iterable
from functools import cache
from typing import Any, cast

import pytest
import torch
from playwright.sync_api import Page
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor

from benchmarks import live_weights
from benchmarks.live_study import ENCODINGS, WEIGHTS
from helpers.corpora.wordpiece import CLS, MASK, SEP, SPECIAL
from helpers.encodings import prepare_positions
from helpers.model.attention import EncoderLayer
from helpers.model.bert import Bert, Pretraining, preset
from tests.common import needs_browser
from tests.tiers import sample

pytestmark = needs_browser
READ = """async ([name, all]) => {
    const {index, model} = await import("/modules/weights.js");
    const bert = await model(name, await index(`${location.origin}/modules/`));
    return all.map((ids) => {
        const {logits, attention} = bert.read(ids);
        return [[...logits], attention.map((heads) => heads.map((each) => [...each]))];
    });
}"""
CODE = """async (texts) => {
    const {index} = await import("/modules/weights.js");
    const {WordPiece} = await import("/modules/wordpiece.js");
    const coder = new WordPiece((await index(`${location.origin}/modules/`)).vocabulary);
    return texts.map((text) => coder.encode(text));
}"""


@cache
def index() -> dict[str, Any]:
    """What stands beside the weights."""
    found: dict[str, Any] = json.loads((WEIGHTS / "weights.json").read_text(encoding="utf-8"))
    return found


@cache
def model(encoding: str) -> Pretraining:
    """The course's own model with the weights of the page."""
    known = index()
    sizes = {"vocab_size": len(known["vocabulary"]), "max_len": known["longest"]}
    made = Pretraining(Bert(preset("mini", **sizes, **known["size"]), encoding)).eval()
    content = (WEIGHTS / f"{encoding}.bin").read_bytes()
    live_weights.load(made, live_weights.unpack(content, known["encodings"][encoding]["shapes"]))
    return made


def _drawn(lengths: Iterable[int]) -> list[list[int]]:
    """Ids of sentences of these lengths, some of their pieces hidden, without padding."""
    draw = random.Random(1)
    words = range(len(SPECIAL), len(index()["vocabulary"]))
    hidden = [MASK if draw.random() < 0.2 else draw.choice(words) for _ in range(99)]
    return [[CLS, *draw.sample(hidden, n - 2), SEP] for n in lengths]


@torch.no_grad()
def expected(model: Pretraining, ids: list[int]) -> tuple[Tensor, Tensor]:
    """Logits (T, V), and who looks at whom, (L, H, T, T)."""
    bert, tokens = model.bert, torch.tensor([ids])
    x = bert.words(tokens) + bert.segments.weight[0]
    x = bert.norm(bert.position.embed(x, prepare_positions(x)))
    weights = []
    for layer in cast(Iterable[EncoderLayer], bert.layers):
        weights.append(layer.attention.weights(layer.norms[0](x))[0])
        x = layer(x)
    return model(tokens)[0], torch.stack(weights)


@pytest.mark.parametrize("encoding", sample(ENCODINGS, 3))
def test_the_page_computes_what_pytorch_computes_with_the_same_weights(
    encoding: str, blank: Page
) -> None:
    sentences = _drawn((index()["longest"], 7))
    found: list[Any] = blank.evaluate(READ, [encoding, sentences])
    for ids, given in zip(sentences, found, strict=True):
        for ours, theirs in zip(expected(model(encoding), ids), given, strict=True):
            assert (torch.tensor(theirs).view_as(ours) - ours).abs().max() <= 1e-4
    # Recorded by the study: how far rounding has moved a logit.
    assert index()["encodings"][encoding]["moved"] <= 1e-3


def test_a_verb_follows_the_nearest_noun_as_the_page_says() -> None:
    words = index()["vocabulary"]
    for nouns, verb in (("two values", "are"), ("the values of the array", "is")):
        pieces = f"if {nouns} [MASK] equal , return true ."
        ids = [CLS, *map(words.index, pieces.split()), SEP]
        for encoding in {*ENCODINGS} - {"none"}:
            likely = model(encoding)(torch.tensor([ids]))[0, ids.index(MASK)]
            assert words[int(likely.argmax())] == verb, encoding


def _texts(count: int = 300) -> list[str]:
    """Texts of words, parts of words, marks, accents, blanks, other scripts and special tokens."""
    draw = random.Random(3)
    pieces = [each.removeprefix("##") for each in index()["vocabulary"]]
    odd = [*"ÉÇñßΣσςİıﬁ½中文日本語한글😀…—“”’´`~^|$€\u00ad\u200b", "naïve", "ΟΔΟΣ", "x" * 101]
    odd += ["\t", "\n", "\u00a0", "\u3000", "\0", "\ufffd", "[MASK]", "[SEP]", "[mask]", "[ MASK]"]

    def part() -> str:
        word = "".join(draw.choices(pieces, k=draw.randint(1, 3)))
        mark = draw.choice(".,;:!?()[]{}_-/'\"")
        return draw.choice([word, word.upper(), draw.choice(odd), mark])

    return ["".join(part() + " " * draw.randint(0, 2) for _ in range(9)) for _ in range(count)]


def test_wordpiece_in_the_page_is_that_of_the_course(blank: Page) -> None:
    texts, known = _texts(), index()["vocabulary"]
    vocabulary = {piece: number for number, piece in enumerate(known)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(list(SPECIAL))
    ids = [each.ids for each in tokenizer.encode_batch(texts)]
    found = blank.evaluate(CODE, texts)
    wrong = [text for text, a, b in zip(texts, found, ids, strict=True) if a != b]
    assert wrong == []
