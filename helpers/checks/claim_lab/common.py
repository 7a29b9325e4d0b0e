"""Unit 09: what several of its exercises draw and ask with."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import pandas as pd
import torch

from helpers.checks import draws
from helpers.checks.engine import Answer, Case, CheckError, call, compare

Ask = Callable[[Answer], Any]
Given = tuple[Any, ...]
normal = partial(draws.normal, dtype=torch.float64)


def ask_for(name: str, *given: Any, keys: Sequence[str] | None = None) -> Ask:
    """Ask for one entry of the dict that an answer returns; columns of numbers as tensors.

    With `keys` the entry is a dict as well, of which these are looked at and no others.
    """

    def ask(answer: Answer) -> Any:
        value = entry_of(call(*given).ask(answer), name)
        if keys is None:
            return as_numbers(value)
        if value is None:
            return None
        return {key: as_numbers(entry_of(value, key, f"{name}: ")) for key in keys}

    return ask


def entry_of(found: Any, name: str, where: str = "") -> Any:
    """Return found[name], None where nothing was found.

    Raises:
        CheckError: there is no such entry; in plain words.
    """
    if found is None:
        return None
    if not isinstance(found, dict):
        raise CheckError(f"{where}expected a dict, found {type(found).__name__}")
    if name not in found:
        raise CheckError(f"{where}your dict has no entry {name}")
    if found[name] is None:
        raise CheckError(f"{where}the entry {name} is None")
    return found[name]


def as_numbers(value: Any) -> Any:
    """Return a column or a list as numbers that can be compared; a dict as a plain one."""
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
    """Return the numbers of a column of two or more; none where it is no such column."""
    tensor = compare.as_tensor(as_numbers(value))
    return [] if tensor is None or tensor.dim() != 1 or len(tensor) < 2 else tensor.tolist()


def verdict_cases(
    reference: Answer,
    questions: Iterable[tuple[str, Given]],
    follows: Callable[[dict[str, Any], Given], str],
) -> Iterator[Case]:
    """Ask for the verdicts: right is the right one, or what follows from the answer's own numbers.

    So that whoever measures wrongly, and judges what was measured rightly, loses one part of two.

    Args:
        questions: each with a label, and what an answer is given.
        follows: the verdict for the dict that an answer returned, "" where there is none.
    """

    def ask(answer: Answer, given: Given) -> Any:
        found = call(*given).ask(answer)
        verdict = entry_of(found, "verdict")
        if type(verdict) is not str:
            return verdict
        return {"verdict": verdict, "of its numbers": verdict == follows(found, given)}

    def read(said: Any, right: str) -> Any:
        return right if said["of its numbers"] is True else said["verdict"]

    for label, given in questions:
        right = reference(*given)["verdict"]
        yield Case(f"{label}: the verdict", partial(ask, given=given), partial(read, right=right))


def drawn(rng: Random, mean: float, spread: float, count: int) -> list[float]:
    """Draw numbers with this mean and this standard deviation (n − 1), and with another median.

    Of two numbers the median is the mean.
    """
    while True:
        found = [rng.expovariate(1) for _ in range(count)]
        centre, size = statistics.fmean(found), statistics.stdev(found)
        if count == 2 or abs(statistics.median(found) - centre) > 0.15 * size:
            sign = rng.choice((-1, 1))
            return [mean + sign * spread * (value - centre) / size for value in found]


def near(rng: Random, end: float, spread: float, count: int) -> Iterator[tuple[str, list[float]]]:
    """Draw numbers whose mean is about two standard deviations from `end`, or nearer."""
    for distance in (2.03, 1.98, 0.5, -0.5, -1.98, -2.03):
        words = f"{count} values, their mean {distance} standard deviations below {end:.3g}"
        yield words, drawn(rng, end - distance * spread, spread, count)
