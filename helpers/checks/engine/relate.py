"""What wrong numbers have to do with the expected ones, where something simple holds of them all.

It is said of what was found, and guesses at no cause; it is nothing where it would hold anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations

import torch
from torch import Tensor

AXES = 4  # of a tensor with more, no other order is tried
FACTORS = {math.pi: "π", 2 * math.pi: "2π", 4 * math.pi**2: "4π²", 180 / math.pi: "180/π"}
FACTORS |= {1 / math.pi: "1/π", 1 / (2 * math.pi): "1/2π", math.pi / 180: "π/180"}
FACTORS |= {math.log(2): "ln 2", 1 / math.log(2): "1/ln 2"}
OF_EACH: dict[str, Callable[[Tensor], Tensor]] = {
    "the square of the expected one": torch.square,
    "the root of the expected one": torch.sqrt,
    "1 divided by the expected one": torch.reciprocal,
    "1 minus the expected one": lambda x: 1 - x,
    "the natural logarithm of the expected one": torch.log,
    "e to the power of the expected one": torch.exp,
    "the whole part of the expected one": torch.trunc,
    "the expected one rounded to a whole number": torch.round,
    **{f"the expected one to {n} decimals": partial(torch.round, decimals=n) for n in (1, 2, 3)},
}


def numbers(found: Tensor, expected: Tensor, wrong: Tensor, tolerance: float) -> str:
    """Return up to two sentences on tensors of one shape that differ where `wrong` is true."""
    if wrong.sum() < 2:
        return ""
    if len(torch.stack([found, expected]).unique()) == 2 and wrong.all():
        return "The two values are exchanged."
    # What is said explains nearly all of the difference, and not only what is nearly right.
    tolerance = min(tolerance, (found - expected).nan_to_num().abs().max().item() / 100)
    where = places(wrong)
    if value := _of_each(found[wrong], expected[wrong], wrong, tolerance):
        return f"{value} {where}".strip() if "alone" not in where else value
    return next(_order(found, expected, tolerance), where)


def places(wrong: Tensor) -> str:
    """Say where those stand that are wrong, or else the only ones that are right."""
    for mask in () if wrong.all() else (wrong, ~wrong):
        for words, region in _regions(mask):
            if torch.equal(mask & region, mask) and (mask is wrong or torch.equal(mask, region)):
                return f"All stand {words}." if mask is wrong else f"Those {words} alone are right."
    return ""


def shapes(found: Tensor, expected: Tensor, tolerance: float) -> str:
    """Return a sentence on tensors of different shapes, the numbers of which are the same."""
    if found.numel() == expected.numel() > 0:
        for order in permutations(range(found.dim())) if found.dim() <= AXES else ():
            turned = found.permute(order)
            if turned.shape == expected.shape and _same(turned, expected, tolerance):
                return "The numbers are right; the axes stand in another order."
        if _same(found.reshape(expected.shape), expected, tolerance):
            return "The numbers are right; only the shape is another one."
    for axis, length in enumerate(expected.shape):
        if found.dim() == expected.dim() and (both := min(found.shape[axis], length)):
            for words, first in (("first", 0), ("last", -both)):
                a, b = (x.narrow(axis, first % x.shape[axis], both) for x in (found, expected))
                if a.shape == b.shape and _same(a, b, tolerance):
                    return f"The {words} {both} along axis {axis} are right."
    return ""


def _same(found: Tensor, expected: Tensor, tolerance: float) -> bool:
    """Whether all agree, relative to the largest where that is small."""
    largest = expected[expected.isfinite()].abs().max().item() if expected.isfinite().any() else 1
    near = torch.isclose(found, expected, tolerance, tolerance * min(1, largest), equal_nan=True)
    return bool(near.all())


def _of_each(found: Tensor, expected: Tensor, wrong: Tensor, tolerance: float) -> str:
    """What holds of each wrong number and the one that is expected in its place."""
    constant = [bool(torch.isclose(x, x[0], 0, 1e-9).all()) for x in (found, expected)]
    if all(constant):
        return "All of them differ in this way."
    if constant[0]:
        return f"Each of yours is {round(found[0].item(), 9) + 0:.6g}."
    if constant[1]:
        return "" if wrong.all() else f"Each should be {round(expected[0].item(), 9) + 0:.6g}."
    if not (found.isfinite().all() and expected.isfinite().all()):
        return ""
    if len(expected.abs().unique()) > 1 and _same(found, -expected, tolerance):
        return "Each has the opposite sign."
    factor = ((found @ expected) / (expected @ expected)).item()
    if _same(found, factor * expected, tolerance):
        return f"Each is {_named(factor)} times the expected one."
    more = (found - expected).mean().item()
    if _same(found, expected + more, tolerance):
        return f"Each is {abs(more):.6g} {'more' if more > 0 else 'less'} than the expected one."
    for words, function in OF_EACH.items():
        if len(expected.unique()) > 2 and _same(found, function(expected), tolerance):
            return f"Each is {words}."
    if ((found - expected).abs() <= expected.abs() / 100).all():
        return "None is off by more than 1 %."
    return ""


def _named(factor: float) -> str:
    """Return it as 3, 1/2, √8 or 2π, where it is that."""
    sign, size = "−" if factor < 0 else "", abs(factor)
    part, square = (Fraction(x).limit_denominator(1000) for x in (size, size**2))
    names = dict(FACTORS)
    if min(part.as_integer_ratio()) == 1 or max(part.as_integer_ratio()) <= 12:
        names[float(part)] = str(part)
    if square and square.numerator == 1:
        names.setdefault(math.sqrt(square), f"1/√{square.denominator}")
    elif square.denominator == 1 and square <= 1000:
        names.setdefault(math.sqrt(square), f"√{square}")
    near = (name for other, name in names.items() if math.isclose(size, other, rel_tol=1e-5))
    return sign + next(near, f"{size:.6g}")


def _order(found: Tensor, expected: Tensor, tolerance: float) -> Iterator[str]:
    """How the numbers stand along the axes, where they are the expected ones at other places."""
    for one, other in combinations(range(expected.dim()), 2):
        exchanged = expected.transpose(one, other)
        if exchanged.shape == found.shape and _same(found, exchanged, tolerance):
            yield f"Axes {one} and {other} are exchanged."
    for axis, length in enumerate(expected.shape):
        for words, order in _orders(length):
            if _same(found, expected.index_select(axis, order), tolerance):
                yield f"Along axis {axis}, {words}."
        rest, first = (slice(1, length), slice(0, length - 1))
        for now, right, words in ((rest, first, "before"), (first, rest, "after")):
            here, there = found.movedim(axis, 0)[now], expected.movedim(axis, 0)[right]
            if length > 2 and _same(here, there, tolerance):
                yield f"Along axis {axis}, each is the one expected just {words} it."
    for axis in range(expected.dim()):
        still = [_same(x, x.narrow(axis, 0, 1).expand_as(x), tolerance) for x in (found, expected)]
        if still == [True, False]:
            yield f"Along axis {axis}, yours are all the same."
        if _same(found.sort(axis).values, expected.sort(axis).values, tolerance):
            yield f"Along axis {axis}, they are the expected ones in another order."
    if _same(found.flatten().sort().values, expected.flatten().sort().values, tolerance):
        yield "They are the expected ones in another order."


def _orders(length: int) -> Iterator[tuple[str, Tensor]]:
    index = torch.arange(length)
    apart = torch.cat([index[::2], index[1::2]])
    yield "they stand in reverse order", index.flip(0)
    yield "those expected at even indices come first, then those at odd ones", apart
    yield "those expected in the two halves take turns", apart.argsort()
    if length % 2 == 0:
        yield "even and odd indices are exchanged", index ^ 1
        yield "the two halves are exchanged", index.roll(length // 2)


def _regions(mask: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Parts of a tensor in which the first place that is True stands, in words."""
    first = mask.nonzero()[0].tolist()
    none, every = torch.zeros_like(mask), torch.ones_like(mask)
    for axis, (index, length) in enumerate(zip(first, mask.shape, strict=True)):
        if length > 1:
            here = none.index_fill(axis, torch.tensor(index), True)
            yield f"at index {index} of axis {axis}", here
    if mask.dim() > 1 and mask.shape[-1] == mask.shape[-2] > 2:
        yield "above the diagonal", every.triu(1)
        yield "below the diagonal", every.tril(-1)
        yield "on the diagonal", every.triu() & every.tril()
    for axis, (index, length) in enumerate(zip(first, mask.shape, strict=True)):
        if length > 3:
            half, second = length // 2, index >= length // 2
            alike = none.index_fill(axis, torch.arange(half) + second * half, True)
            if length % 2 == 0:
                yield f"in the {('first', 'second')[second]} half of axis {axis}", alike
            alike = none.index_fill(axis, torch.arange(index % 2, length, 2), True)
            yield f"at {('even', 'odd')[index % 2]} indices of axis {axis}", alike
