"""Unit 08, “An encoding of your own”: what it asks.

An encoding of one's own is asked for properties; any idea that has them is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import IN_PLACE, NO_GRADIENT, Case, Exercise, Part
from helpers.checks.mini_bert import properties
from helpers.encodings import Encoding, absolute


def _question(
    ask: Any, rng: Random, sizes: dict[str, int], length: int, batch: int = 1, **more: Tensor
) -> Case:
    """Ask about rows of words, none twice in a row where there are enough of them."""
    draw, most = draws.generator(rng), max(properties.WORDS, length)
    rows = [torch.randperm(most, generator=draw)[:length] for _ in range(batch)]
    label = ", ".join(f"{name}={value}" for name, value in sizes.items())
    tokens = torch.stack(rows) % properties.WORDS
    return Case(f"{label}, B={batch}, T={length}", partial(ask, sizes=sizes, tokens=tokens, **more))


def _sizes(rng: Random, heads: int = 0, width: int = 0, max_len: int = 0) -> dict[str, int]:
    """Draw d_model, num_heads and max_len; `width` is that of a head, and even."""
    heads, width = heads or rng.randint(2, 4), width or rng.choice((4, 6, 8))
    max_len = max_len or rng.randint(17, 24)
    return {"d_model": heads * width, "num_heads": heads, "max_len": max_len}


def _drops_in(rng: Random) -> Iterator[Case]:
    """D above and below T, and beyond 128; B as many as H and not; as many heads as BERT has."""
    for heads, width, batch in ((2, 4, 3), (5, 30, 5), (1, 6, rng.randint(2, 4)), (12, 2, 2)):
        sizes = _sizes(rng, heads, width)
        length = sizes["max_len"] - rng.randint(1, 4)
        yield _question(properties.fits, rng, sizes, length, batch=batch)


def _lengths(rng: Random) -> Iterator[Case]:
    sizes = _sizes(rng)
    end = sizes["max_len"]
    for length in (1, 2, rng.randint(8, 10), end - 1, end):
        yield _question(properties.basics, rng, sizes, length)
    yield _question(properties.basics, rng, _sizes(rng, 1, 4, 130), 130)
    for length in (end + 1, 3 * end):
        yield _question(properties.beyond, rng, sizes, length)


def _order(rng: Random, reverse: bool) -> Iterator[Case]:
    for cut in (0, 1, rng.randint(5, 8)):
        sizes = _sizes(rng)
        places = list(range(sizes["max_len"] - cut))
        order = torch.tensor(places[::-1] if reverse else rng.sample(places, len(places)))
        yield _question(properties.told_apart, rng, sizes, len(places), order=order)


def _trained(rng: Random) -> Iterator[Case]:
    for sizes in (_sizes(rng), _sizes(rng)):
        yield _question(properties.learns, rng, sizes, sizes["max_len"])


own = Exercise(
    "own",
    encodings.Learned,  # one of many that are right
    (
        Part("it drops into Bert", 1, _drops_in),
        Part("any length up to max_len", 0.5, _lengths),
        Part("it is not blind to order", 0.5, partial(_order, reverse=False)),
        Part("it tells left from right", 0.5, partial(_order, reverse=True)),
        Part("it learns, and can be saved", 0.5, _trained),
    ),
    forbidden=(
        absolute.Table,
        *(each.kind for each in encodings.REGISTRY.values() if each.kind is not Encoding),
    ),
    explains=(
        "Any idea will do",
        "Two hooks stand there",
        "Then run the check",
        "These properties are checked",
        "(The two order tests",
        "Dropout may leave something out",
        "$d = D/H$ is even.",
        "The tokens stand at",
        "`bias` may also return what",
        "(`Bert` re-initialises each",
        "Say here what your idea is.",
    ),
    generic={
        "A hook does not modify what it is given": IN_PLACE,
        "gradients reach the $x$": NO_GRADIENT,
    },
    module=__name__,
)
