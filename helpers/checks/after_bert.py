"""Unit 05, encodings after BERT: what its seven exercises ask and look at."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks import compare
from helpers.checks.after_bert_hooks import hooks
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import after_bert as mistakes
from helpers.encodings import distance

__all__ = ["alibi_bias", "buckets", "counted", "hooks", "rope_attention", "slopes", "turn"]

BASES = (100.0, 500.0, 50_000.0)


def _random(rng: Random, *shape: int) -> Tensor:
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw)


def _heads(rng: Random) -> Tensor:
    """(B, H, T, d) with four different sizes; d/2 is even, odd or 5."""
    return _random(rng, 2, 3, rng.choice((5, 7, 9)), rng.choice((8, 10, 12)))


def _turn(x: Tensor, base: float = 10_000.0, layout: str = "interleaved") -> Tensor:
    """Pair n of the vector at position p turned by p·θ_n, (B, H, T, d)."""
    return encodings.Rotary(x.shape[-1], base=base, layout=layout).rotate(x, x)[0]


def _neighbours(rng: Random) -> Iterator[Case]:
    yield call(_heads(rng))
    yield call(_heads(rng))


def _turn_base(rng: Random) -> Iterator[Case]:
    yield call(_heads(rng), base=rng.choice(BASES))


def _halves(rng: Random) -> Iterator[Case]:
    yield call(_heads(rng), layout="halves")
    yield call(_heads(rng), layout="interleaved")


def _elsewhere() -> tuple[Answer, ...]:
    """PyTorch's own rotation, where this version has one."""
    try:
        return (importlib.import_module("torch.onnx.ops").rotary_embedding,)
    except (ImportError, AttributeError):
        return ()


turn = Exercise(
    "turn",
    _turn,
    (
        Part("pairs of neighbouring columns", 1, _neighbours),
        Part("any other base", 0.5, _turn_base),
        Part("both layouts", 1, _halves),
    ),
    mistakes.TURN,
    forbidden=(encodings.Rotary, encodings.XPos, *_elsewhere()),
)


def _rope_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """softmax((R q)(R k)ᵀ/√d) v, (B, H, T, d)."""
    products = _turn(q) @ _turn(k).transpose(-2, -1)
    return (products / math.sqrt(q.shape[-1])).softmax(-1) @ v


def _attended(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        shape = _heads(rng).shape
        # Queries twice as long: the softmax is then far from even, and a wrong axis shows.
        yield call(2 * _random(rng, *shape), _random(rng, *shape), _random(rng, *shape))


rope_attention = Exercise(
    "rope_attention",
    _rope_attention,
    (Part("attention with RoPE", 1, _attended),),
    mistakes.ROPE_ATTENTION,
)


def _powers(rng: Random) -> Iterator[Case]:
    yield call(8)
    yield call(rng.choice((4, 16)))
    yield call(rng.choice((1, 2, 32)))


def _other_numbers(rng: Random) -> Iterator[Case]:
    yield call(rng.choice((5, 6, 7)))
    yield call(rng.randint(10, 15))


slopes = Exercise(
    "slopes",
    distance.alibi_slopes,
    (
        Part("powers of 2", 1, _powers),
        Part("any other number of heads", 1, _other_numbers),
    ),
    mistakes.SLOPES,
    forbidden=(encodings.Alibi,),
)


def _alibi_bias(slopes: Tensor, length: int, form: str = "causal") -> Tensor:
    """What ALiBi adds to the scaled scores, (H, T, T)."""
    alibi = encodings.Alibi(len(slopes), len(slopes), form=form)
    alibi.slopes = slopes
    each = torch.arange(length)
    return alibi.bias(each[None, :] - each[:, None])


def _slopes_and_length(rng: Random) -> tuple[Tensor, int]:
    heads = rng.randint(2, 4)
    return torch.rand(heads, generator=Generator().manual_seed(rng.randrange(2**31))) + 0.1, (
        rng.randint(5, 8)
    )


def _bias_of_form(form: str) -> Callable[[Random], Iterator[Case]]:
    def cases(rng: Random) -> Iterator[Case]:
        yield call(*_slopes_and_length(rng), form=form)

    return cases


def _causal_bias(rng: Random) -> Iterator[Case]:
    """By exp(bias), so that −∞ is 0, a number like the others."""
    slopes, length = _slopes_and_length(rng)

    def ask(answer: Answer) -> Any:
        found = answer(slopes.clone(), length, form="causal")
        bias = compare.as_tensor(found)
        return found if bias is None else bias.exp()

    label = f"exp(bias) for slopes of shape {tuple(slopes.shape)}, T={length}, form='causal'"
    yield Case(label, ask)


alibi_bias = Exercise(
    "alibi_bias",
    _alibi_bias,
    (
        Part("causal", 0.5, _causal_bias),
        Part("symmetric", 0.5, _bias_of_form("symmetric")),
        Part("directional", 0.5, _bias_of_form("directional")),
    ),
    mistakes.ALIBI_BIAS,
    forbidden=(encodings.Alibi,),
)


def _buckets(offsets: Tensor, num_buckets: int = 32, max_distance: int = 128) -> Tensor:
    """T5's bucket of each offset j − i, for text that is read in both directions."""
    bias = encodings.T5Bias(1, buckets=num_buckets, max_distance=max_distance)
    return bias.bucket(offsets)


def _both_sides(distances: list[int]) -> Tensor:
    return torch.tensor([sign * each for each in distances for sign in (-1, 1)])


def _clear(distances: range, num_buckets: int, max_distance: int) -> list[int]:
    """Those whose bucket does not hang on the last digit of a logarithm."""
    side, exact = num_buckets // 2, num_buckets // 4

    def share(each: int) -> float:
        return math.log(each / exact) / math.log(max_distance / exact) * (side - exact)

    return [n for n in distances if n <= exact or abs(share(n) - round(share(n))) > 1e-3]


def _near(rng: Random) -> Iterator[Case]:
    offsets = list(range(-7, 8))
    rng.shuffle(offsets)
    yield call(torch.tensor(offsets))


def _far(rng: Random) -> Iterator[Case]:
    yield call(_both_sides([8, *rng.sample(_clear(range(9, 127), 32, 128), 40)]))
    yield call(_both_sides(rng.sample(range(129, 1000), 12)).view(4, 6))


def _other_sizes(rng: Random) -> Iterator[Case]:
    num_buckets, max_distance = rng.choice(((16, 60), (20, 100), (40, 300), (64, 500)))
    some = rng.sample(_clear(range(1, 2 * max_distance), num_buckets, max_distance), 50)
    some.append(num_buckets // 4)  # where the far buckets begin
    yield call(_both_sides(some), num_buckets=num_buckets, max_distance=max_distance)
    close = _clear(range(1, 30), 32, 12)  # so near that far buckets hold less than one offset each
    yield call(_both_sides(close), num_buckets=32, max_distance=12)


buckets = Exercise(
    "buckets",
    _buckets,
    (
        Part("near: a bucket for each offset", 0.5, _near),
        Part("far: buckets that widen", 0.5, _far),
        Part("other numbers of buckets", 0.5, _other_sizes),
    ),
    mistakes.BUCKETS,
    forbidden=(encodings.T5Bias,),
)


def _counted(scores: Tensor) -> Tensor:
    """CoPE's position of each key j ≤ i, the gates from j to i added up; 0 to the right."""
    gates = scores.sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()


def _one_side(rng: Random, cut: Callable[[Tensor], Tensor], words: str) -> Iterator[Case]:
    scores = 2 * _random(rng, 2, 3, rng.randint(5, 8), 1) + _random(rng, 1, 1, 1, 1)
    scores = scores + 2 * _random(rng, 2, 3, scores.shape[2], scores.shape[2])

    def ask(answer: Answer) -> Any:
        found = answer(scores.clone())
        positions = compare.as_tensor(found)
        fits = positions is not None and positions.shape == scores.shape
        return cut(positions) if positions is not None and fits else found

    yield Case(f"{words}, scores of shape {tuple(scores.shape)}", ask)


counted = Exercise(
    "counted",
    _counted,
    (
        Part("keys to the left", 1, lambda rng: _one_side(rng, torch.tril, "where j ≤ i")),
        Part("0 to the right", 0.5, lambda rng: _one_side(rng, _right_of, "where j > i")),
    ),
    mistakes.COUNTED,
    forbidden=(encodings.Cope,),
)


def _right_of(positions: Tensor) -> Tensor:
    return positions.triu(1)
