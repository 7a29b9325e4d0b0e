"""Unit 09: what several of its exercises draw and ask with."""

from __future__ import annotations

import copy
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import pandas as pd
import torch
from torch import Generator, Tensor

from helpers.checks.engine import Answer, ArgumentChangedError, Case, ResultFormError, compare
from helpers.checks.engine.plain import plain

Ask = Callable[[Answer], Any]
Given = tuple[Any, ...]


@dataclass(frozen=True)
class Question:
    """What an answer is given, and the verdict that is right for it."""

    label: str
    given: Given
    right: str


def ask_for(name: str, *given: Any, keys: Sequence[str] | None = None) -> Ask:
    """Asks for one entry of the dict that an answer returns; columns of numbers as tensors.

    With `keys` the entry is a dict as well, of which these are looked at and no others.
    """

    def ask(answer: Answer) -> Any:
        value = entry_of(asked(answer, given), name)
        if keys is None:
            return value if name == "verdict" else as_numbers(value)
        if value is None:
            return None
        return {key: as_numbers(entry_of(value, key, f"{name}: ")) for key in keys}

    return ask


def asked(answer: Answer, given: Given) -> Any:
    """What an answer returns for these arguments.

    Raises:
        ArgumentChangedError: it wrote into one of them.
    """
    own = copy.deepcopy(given)
    found = answer(*own)
    if not all(_unchanged(now, before) for now, before in zip(own, given, strict=True)):
        raise ArgumentChangedError
    return found


def _unchanged(now: Any, before: Any) -> bool:
    if isinstance(before, pd.DataFrame):
        return before.equals(now)
    return compare.same(plain(now), plain(before), 0)


def entry_of(found: Any, name: str, where: str = "") -> Any:
    """found[name], None where nothing was found; an error in plain words where it has none."""
    if found is None:
        return None
    if not isinstance(found, dict):
        raise ResultFormError(f"{where}expected a dict, found {type(found).__name__}")
    if name not in found:
        raise ResultFormError(f"{where}your dict has no entry {name}")
    if found[name] is None:
        raise ResultFormError(f"{where}the entry {name} is None")
    return found[name]


def as_numbers(value: Any) -> Any:
    """A column or a list as numbers that can be compared; a dict as a plain one."""
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, pd.Series):
        return value.to_numpy()
    if not isinstance(value, list | tuple):
        return value
    try:
        return torch.tensor(value, dtype=torch.float64)
    except (TypeError, ValueError, RuntimeError):  # no numbers, or of different lengths
        return value


def listed(value: Any) -> list[float]:
    """The numbers of a column of two or more; none where it is no such column."""
    tensor = compare.as_tensor(as_numbers(value))
    return [] if tensor is None or tensor.dim() != 1 or len(tensor) < 2 else tensor.tolist()


def verdict_cases(
    questions: Sequence[Question], follows: Callable[[dict[str, Any], Given], str]
) -> Iterator[Case]:
    """Asks for the verdicts: right is the right one, or what follows from the answer's own numbers.

    So that whoever measures wrongly, and judges what was measured rightly, loses one part of two.
    A verdict that is the same for all questions follows from nothing.

    Args:
        follows: the verdict for the dict that an answer returned, "" where there is none.
    """

    all_given = [question.given for question in questions]  # without what is right
    known: list[tuple[Answer, bool]] = []  # whether its verdicts differ, which takes all questions

    def differ(answer: Answer, verdict: str) -> bool:
        for other, differing in known:
            if other is answer:
                return differing
        others = (entry_of(asked(answer, each), "verdict") for each in all_given)
        known.append((answer, any(each != verdict for each in others)))
        return known[-1][1]

    def ask(answer: Answer, given: Given) -> Any:
        found = asked(answer, given)
        verdict = entry_of(found, "verdict")
        if type(verdict) is not str:
            return verdict
        return {
            "verdict": verdict,
            "of its numbers": verdict == follows(found, given) and differ(answer, verdict),
        }

    def read(said: Any, right: str) -> Any:
        return right if said["of its numbers"] is True else said["verdict"]

    for question in questions:
        words = f"{question.label}: the verdict"
        yield Case(words, partial(ask, given=question.given), partial(read, right=question.right))


def drawn(rng: Random, mean: float, spread: float, count: int) -> list[float]:
    """Numbers with this mean and this standard deviation (n − 1), and with another median.

    Of two numbers the median is the mean.
    """
    while True:
        found = [rng.expovariate(1) for _ in range(count)]
        centre, size = statistics.fmean(found), statistics.stdev(found)
        if count == 2 or abs(statistics.median(found) - centre) > 0.15 * size:
            sign = rng.choice((-1, 1))
            return [mean + sign * spread * (value - centre) / size for value in found]


def about_two(
    rng: Random, end: float, spread: float, count: int
) -> Iterator[tuple[str, list[float]]]:
    """Numbers whose mean is about two standard deviations from `end`, as the rule has it."""
    for distance in (1.98, 2.03, -1.98, -2.03):
        words = f"{count} values, their mean {_from(distance)} {end:.3g}"
        yield words, drawn(rng, end - distance * spread, spread, count)


def near(rng: Random, end: float, spread: float, count: int) -> Iterator[tuple[str, list[float]]]:
    """Such, and numbers nearer and farther of which one stands apart.

    There a rule by the median, by the largest or by a shorter interval says something else.
    """
    yield from about_two(rng, end, spread, count)
    for distance in (0.2, 0.8, 1.2, 1.6, 2.5, -0.2, -0.8, -1.2, -1.6, -2.5):
        for sign in (-1, 1) if abs(distance) < 1.5 else (rng.choice((-1, 1)),):
            words = f"{count} values, one apart, their mean {_from(distance)} {end:.3g}"
            place = count - 1 if distance == 0.2 else 0 if distance == -0.2 else None
            yield words, _one_apart(rng, end - distance * spread, sign * spread, count, place)


def _from(distance: float) -> str:
    return f"{abs(distance)} standard deviations {'below' if distance > 0 else 'above'}"


def _one_apart(
    rng: Random, mean: float, spread: float, count: int, place: int | None
) -> list[float]:
    """Numbers with this mean and standard deviation; one is above all others, or below them.

    Args:
        spread: the standard deviation, negative where the one is below.
        place: of that one, any if None.
    """
    found = [rng.uniform(-0.1, 0.1) for _ in range(count)]
    found[rng.randrange(count) if place is None else place] = 3.0
    centre, size = statistics.fmean(found), statistics.stdev(found)
    return [mean + spread * (value - centre) / size for value in found]


def normal(rng: Random, *shape: int) -> Tensor:
    """Normal random numbers, float64."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(*shape, generator=draw, dtype=torch.float64)
