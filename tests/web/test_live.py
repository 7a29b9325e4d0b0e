"""The live mini BERT computes what the course's own model computes, and reads text as it does.

And each comparison fails where the forward pass or WordPiece in the page is another one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any, cast

import pytest
import torch
from playwright.sync_api import Browser, Page, Route
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import Generator, Tensor

from benchmarks import live_weights
from benchmarks.live_study import ENCODINGS
from helpers.corpora.wordpiece import CLS, MASK, SEP, SPECIAL
from helpers.encodings import prepare_positions
from helpers.model.attention import EncoderLayer
from helpers.model.bert import Pretraining
from tests.common import needs_browser
from tests.web import live
from tests.web.figures import LIVE

pytestmark = needs_browser
EXACT, ROUNDED = 1e-4, 1e-3  # largest difference of a logit
# Of the page's modules, or of others where `query` asks for them.
READ = """async ([query, name, all]) => {
    const {index, model} = await import(`/figures/weights.js${query}`);
    const bert = await model(name, await index());
    return all.map((ids) => {
        const {logits, attention} = bert.read(ids);
        return [[...logits], attention.map((heads) => heads.map((each) => [...each]))];
    });
}"""
IMPORT = re.compile(r'(?<=from ")\./\w+\.js')
CODE = """async ([query, texts]) => {
    const {index} = await import('/figures/weights.js');
    const {WordPiece} = await import(`/figures/wordpiece.js${query}`);
    const coder = new WordPiece((await index()).vocabulary);
    return texts.map((text) => coder.encode(text));
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page without scripts of its own, of the same host."""
    found = browser.new_page()
    found.goto(f"{address}/figures/weights/weights.json")
    yield found
    found.close()


def _altered(page: Page, module: str, right: str, wrong: str) -> str:
    """A query that brings all modules once more, one of them with a part of it replaced."""
    text = (LIVE / module).read_text(encoding="utf-8")
    assert right in text
    query = f"?{abs(hash((module, right, wrong)))}"

    def answer(route: Route) -> None:
        name = route.request.url.split("/")[-1].removesuffix(query)
        body = (LIVE / name).read_text(encoding="utf-8")
        body = body.replace(right, wrong) if name == module else body
        body = IMPORT.sub(rf"\g<0>{query}", body)
        route.fulfill(body=body, content_type="text/javascript")

    page.route(f"**/*.js{query}", answer)
    return query


def _drawn(lengths: Iterable[int]) -> list[list[int]]:
    """Ids of sentences of these lengths, some of their pieces hidden, without padding."""
    draw = random.Random(1)
    words = range(len(SPECIAL), len(live.index()["vocabulary"]))
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


def _largest(
    page: Page, model: Pretraining, encoding: str, lengths: Iterable[int], query: str = ""
) -> tuple[float, float]:
    """The largest difference of a logit, and of a weight of attention."""
    sentences = _drawn(lengths)
    found: list[Any] = page.evaluate(READ, [query, encoding, sentences])
    gaps = []
    for ids, (logits, attention) in zip(sentences, found, strict=True):
        wanted, looks = expected(model, ids)
        gaps.append(
            (
                (torch.tensor(logits).view_as(wanted) - wanted).abs().max().item(),
                (torch.tensor(attention).view_as(looks) - looks).abs().max().item(),
            )
        )
    return max(each[0] for each in gaps), max(each[1] for each in gaps)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_page_computes_what_pytorch_computes_with_the_same_weights(
    encoding: str, page: Page
) -> None:
    logit, weight = _largest(page, live.model(encoding), encoding, (live.index()["longest"], 7))
    assert logit <= EXACT
    assert weight <= EXACT


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_rounding_moves_no_logit_by_a_thousandth(encoding: str, page: Page) -> None:
    known = live.index()["encodings"][encoding]
    assert known["moved"] <= ROUNDED  # recorded by the study, which had the weights before
    model = deepcopy(live.model(encoding))
    draw = Generator().manual_seed(2)
    # Whatever the weights were before, they lie within half a step of what they are now.
    with torch.no_grad():
        for each in live_weights.read_by_the_page(model).values():
            if each.dim() == 2:
                step = each.abs().amax(1, keepdim=True) / live_weights.LARGEST
                each.add_((torch.rand(each.shape, generator=draw) - 0.5) * step)
    assert _largest(page, model, encoding, (live.index()["longest"],))[0] <= ROUNDED


# A wrong way to compute: what is found in the module, and what is there instead.
WRONG = [
    ("none", "bert.js", "/ Math.SQRT2", ""),
    ("none", "bert.js", "product / Math.sqrt(d)", "product"),
    ("none", "bert.js", "- mean) * scale", ") * scale"),
    ("none", "bert.js", "3 * width, part * width, head", "3 * width, part * width, 0"),
    ("none", "bert.js", "+ segment[n]", ""),
    ("none", "weights.js", "Math.floor(n / columns)", "0"),
    ("sinusoidal", "encodings.js", "column % 2 ? Math.cos", "column % 2 ? Math.sin"),
    ("learned", "encodings.js", "x[n] += rows[n]", "x[n] += rows[n + width]"),
    ("rotary", "encodings.js", "x[n] * cos - x[n + 1] * sin", "x[n] * cos + x[n + 1] * sin"),
    ("rotary", "encodings.js", "-(n % d) / d", "-(n % d) / (2 * d)"),
    ("alibi", "encodings.js", "(-8 * (head + 1))", "(-8 * head)"),
    ("alibi", "encodings.js", "Math.abs(j - i)", "Math.max(0, i - j)"),
    ("shaw", "encodings.js", "shawKeys, context", "shawKeys, none"),
    ("shaw", "encodings.js", "clipped(j - i, keys", "clipped(i - j, keys"),
    ("shaw", "bert.js", "layer ?", "false ?"),
]


@pytest.mark.parametrize("encoding, module, right, wrong", WRONG)
def test_another_forward_pass_is_found(
    encoding: str, module: str, right: str, wrong: str, page: Page
) -> None:
    query = _altered(page, module, right, wrong)
    assert not _largest(page, live.model(encoding), encoding, (12,), query)[0] <= ROUNDED


@cache
def _texts(count: int = 300) -> list[str]:
    """Texts of words, parts of words, marks, accents, blanks, other scripts and special tokens."""
    draw = random.Random(3)
    pieces = [each.removeprefix("##") for each in live.index()["vocabulary"]]
    odd = [*"ÉÇñßΣσςİıﬁ½中文日本語한글😀…—“”’´`~^|$€\u00ad\u200b", "naïve", "ΟΔΟΣ", "x" * 101]
    odd += ["\t", "\n", "\u00a0", "\u3000", "\0", "\ufffd", "[MASK]", "[SEP]", "[mask]", "[ MASK]"]

    def part() -> str:
        word = "".join(draw.choices(pieces, k=draw.randint(1, 3)))
        mark = draw.choice(".,;:!?()[]{}_-/'\"")
        return draw.choice([word, word.upper(), draw.choice(odd), mark])

    return ["".join(part() + " " * draw.randint(0, 2) for _ in range(9)) for _ in range(count)]


def _python() -> Tokenizer:
    """The tokenizer of the study, with the vocabulary of the page."""
    known = live.index()["vocabulary"]
    vocabulary = {piece: number for number, piece in enumerate(known)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(list(SPECIAL))
    return tokenizer


@cache
def _ids() -> list[list[int]]:
    """Those that Python gives the texts."""
    return [each.ids for each in _python().encode_batch(_texts())]


def _unlike(page: Page, query: str = "") -> list[str]:
    found = page.evaluate(CODE, [query, _texts()])
    both = zip(_texts(), found, _ids(), strict=True)
    return [text for text, theirs, ours in both if theirs != ours]


def test_wordpiece_in_the_page_is_that_of_the_course(page: Page) -> None:
    assert _unlike(page) == []


@pytest.mark.parametrize(
    "right, wrong",
    [
        ('start ? "##" : ""', '""'),
        ('.normalize("NFD")', ""),
        (".toLowerCase()", ""),
        ("|\\p{P}", ""),
        ('.replace(IDEOGRAPH, " $& ")', ""),
        ("letters.length > LONGEST ? start : letters.length", "letters.length"),
        ("let end = letters", "let end = start + 3 < letters.length ? start + 3 : letters"),
        ("text.split(SPECIAL)", "[text]"),
        ('.replace(REMOVED, "")', ""),
    ],
)
def test_another_wordpiece_is_found(right: str, wrong: str, page: Page) -> None:
    assert _unlike(page, _altered(page, "wordpiece.js", right, wrong))
