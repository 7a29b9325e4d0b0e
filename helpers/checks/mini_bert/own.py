"""Unit 08, “An encoding of your own”: what it asks, and what people write instead.

An encoding of one's own is asked for properties; any idea that has them is right. Mistakes about
order, lengths, and what is kept and trained are in own_properties.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.mini_bert import own_long, own_trained
from helpers.checks.mini_bert import own_measured as measured
from helpers.encodings import Encoding, Positions, absolute

OF_THE_LIBRARY = tuple(
    each.kind for each in encodings.REGISTRY.values() if each.kind is not Encoding
)


class RowAndOffset(Encoding):
    """One example: a row per position at the input, and a number per offset in each layer.

    It is cut into pieces so that a mistake shows its one wrong piece.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.numbers = nn.Parameter(torch.zeros(num_heads, 2 * max_len - 1))
        self.keep(torch.randn(max_len, d_model))

    def keep(self, rows: Tensor) -> None:
        self.rows = nn.Parameter(rows)

    def check(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        self.check(x.shape[1])
        return x + self.rows[: x.shape[1]]

    def offsets(self, length: int) -> Tensor:
        p = torch.arange(length)
        return p[None, :] - p[:, None]

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        self.check(q.shape[2])
        return self.numbers[:, self.offsets(q.shape[2]) + self.max_len - 1]


def _sizes(rng: Random, heads: int, width: int) -> dict[str, int]:
    """d_model, num_heads and max_len; `width` is that of a head, and even."""
    return {"d_model": heads * width, "num_heads": heads, "max_len": rng.randint(17, 24)}


def _any_sizes(rng: Random) -> dict[str, int]:
    return _sizes(rng, rng.randint(2, 4), rng.choice((4, 6, 8)))


def _tokens(rng: Random, batch: int, length: int) -> Tensor:
    """Rows of words, none twice in a row where there are enough of them."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    many = max(measured.WORDS, length)
    rows = [torch.randperm(many, generator=draw) for _ in range(batch)]
    return torch.stack(rows)[:, :length] % measured.WORDS


def _words(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sizes.items())


def _drops_in(rng: Random) -> Iterator[Case]:
    """D above and below T, and beyond 128; B as many as H and not."""
    heads = rng.randint(2, 3)
    for sizes, batch in (
        (_sizes(rng, heads, rng.choice((4, 6))), heads + 1),
        ({**_sizes(rng, heads + 3, rng.choice((26, 30))), "max_len": 12}, heads + 3),
        (_sizes(rng, 1, rng.choice((4, 6))), rng.randint(2, 4)),
        (_sizes(rng, heads, 2), heads + 1),
        (_sizes(rng, rng.randint(12, 16), 2), 2),  # as many heads as BERT has
    ):
        tokens = _tokens(rng, batch, sizes["max_len"] - rng.randint(1, 4))
        asked = f"with {_words(sizes)}, tokens of shape {tuple(tokens.shape)}"
        for label, measure in (
            (f"its hooks, {asked}", measured.leaves_alone),
            (f"in a Bert {asked}", measured.fits),
            (f"in a Bert in float64 {asked}: its dtype", measured.in_float64),
        ):
            yield Case(label, partial(measure, sizes=sizes, tokens=tokens))


def _lengths(rng: Random) -> Iterator[Case]:
    sizes = _any_sizes(rng)
    end = sizes["max_len"]
    for length in (1, 2, rng.randint(8, 10), end - 1):  # and `end` below
        tokens = _tokens(rng, 1, length)
        label = f"T={length} with max_len={end}"
        yield Case(label, partial(measured.at_length, sizes=sizes, tokens=tokens))
    long = {"d_model": 4, "num_heads": 1, "max_len": rng.randint(130, 150)}
    for label, measure, each in (
        (f"T from 1 to {end}, which is max_len", measured.at_every_length, sizes),
        (f"T={long['max_len']} with max_len={long['max_len']}", measured.at_length, long),
    ):
        tokens = _tokens(rng, 1, each["max_len"])
        yield Case(label, partial(measure, sizes=each, tokens=tokens))
    width = rng.choice((2, 4))
    tokens = _tokens(rng, 1, 512)
    label = f"T=512 with max_len left as it is, 512, and d_model={width}"
    yield Case(label, partial(own_long.at_default, width=width, tokens=tokens))
    longer = {"d_model": 8, "num_heads": 1, "max_len": rng.randint(520, 560)}
    tokens = _tokens(rng, 1, longer["max_len"])
    label = f"T={longer['max_len']} with max_len={longer['max_len']}"
    yield Case(label, partial(measured.at_length, sizes=longer, tokens=tokens))
    for length in (end + 1, end + rng.randint(2, 4), 3 * end):
        tokens = _tokens(rng, 1, length)
        label = f"T={length} with max_len={end}"
        yield Case(label, partial(measured.beyond, sizes=sizes, tokens=tokens))


def _order(rng: Random, reverse: bool) -> Iterator[Case]:
    for cut in (0, 1, rng.randint(5, 8)):
        sizes = _any_sizes(rng)
        tokens = _tokens(rng, 1, sizes["max_len"] - cut)
        places = list(range(tokens.shape[1]))
        if reverse:
            places.reverse()
        else:
            rng.shuffle(places)
        words = "reversing" if reverse else "shuffling"
        yield Case(
            f"{words} {len(places)} words",
            partial(measured.told_apart, sizes=sizes, tokens=tokens, order=torch.tensor(places)),
        )


def _trained(rng: Random) -> Iterator[Case]:
    for turn in range(2):
        sizes = _any_sizes(rng)
        tokens = _tokens(rng, 1, sizes["max_len"])
        yield Case(
            f"a model with {_words(sizes)}", partial(own_trained.learns, sizes=sizes, tokens=tokens)
        )
        sizes = {**sizes, "max_len": 30}
        tokens = _tokens(rng, 1, 25 + turn)  # as no model before
        label = "this model depends on its own numbers only, whatever another one was asked before"
        yield Case(label, partial(own_long.its_own, sizes=sizes, tokens=tokens))


own = Exercise(
    "own",
    RowAndOffset,
    (
        Part("it drops into Bert", 1, _drops_in),
        Part("any length up to max_len", 0.5, _lengths),
        Part("it is not blind to order", 0.5, partial(_order, reverse=False)),
        Part("it tells left from right", 0.5, partial(_order, reverse=True)),
        Part("it learns, and can be saved", 0.5, _trained),
    ),
    forbidden=(absolute.Table, *OF_THE_LIBRARY),
    explains=(
        "Write `OwnEncoding`.",
        "Any idea will do",
        "Two hooks stand there",
        "These properties are checked",
        "(The two order tests",
        "Dropout may leave something out",
        "is even.",
        "The tokens stand at",
        "`bias` may also return what",
        "(`Bert` re-initialises each",
        "Say here what your idea is.",
    ),
    module=__name__,
)
