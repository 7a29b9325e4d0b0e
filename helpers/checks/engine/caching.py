"""Catches an answer that keeps something from one call to the next, by calling it again."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Generator, Tensor

from helpers.checks.engine import compare
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.serialize import RESULT, RESULT_MUTATED, CheckError


def without_caching(case: Case) -> Case:
    """The same question, its first call made before as well, with other numbers and the same.

    What is remembered by the tensor object gives another result than is right, as it would after
    a step of an optimizer; what returns one tensor again and again ends in `RESULT_MUTATED`.
    A class is asked as it is: what an object keeps is for the exercise to say.
    """
    return replace(case, ask=lambda answer: case.ask(_called_before(answer)))


def _called_before(answer: Answer) -> Answer:
    if isinstance(answer, type):
        return answer
    calls = itertools.count()

    @functools.wraps(answer)
    def called(*arguments: Any, **options: Any) -> Any:
        if next(calls):
            return answer(*arguments, **options)
        given, before = [*arguments, *options.values()], []
        for change in (_others, torch.clone):  # the same numbers too: some remember by value
            with contextlib.suppress(Exception, SystemExit, GeneratorExit), _filled(given, change):
                before.append(answer(*arguments, **options))
        found = answer(*arguments, **options)
        same = isinstance(found, dict) and any(found is each for each in before)
        if same or (_memory(before) & _memory(found)) - _memory(given):
            raise CheckError(RESULT_MUTATED.text, RESULT)
        return found

    return called


@contextlib.contextmanager
def _filled(given: list[Any], change: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Put other numbers into each tensor for a while, and let no draw of this while count."""
    states: list[tuple[Callable[[Any], Any], Any]] = []
    states += [(each.set_state, each.get_state()) for each in given if isinstance(each, Generator)]
    states += [(each.setstate, each.getstate()) for each in given if isinstance(each, Random)]
    numbers = [(each, each.detach().clone()) for each in given if type(each) is Tensor]
    with torch.random.fork_rng(devices=[]):
        try:
            for tensor, before in numbers:
                if before.numel():
                    _fill(tensor, change(before))
            yield
        finally:
            for tensor, before in numbers:
                _fill(tensor, before)
            for set_back, state in states:
                set_back(state)


def _others(numbers: Tensor) -> Tensor:
    """Other numbers that may be asked too: a permutation stays one.

    The parents of a tree, one of them −1, stay as they are: whoever climbs a circle never ends.
    """
    if numbers.is_floating_point():
        return numbers.flip(tuple(range(numbers.dim())))
    if numbers.dim() == 0 or (numbers.dim() == 1 and numbers.min() < 0):
        return numbers
    rows_or_all_different = numbers.dim() > 1 or len(numbers.unique()) == len(numbers)
    return numbers.flip(0) if rows_or_all_different else numbers.min().expand_as(numbers)


def _fill(tensor: Tensor, numbers: Tensor) -> None:
    # A view that shows one number at many places cannot be written into.
    with torch.no_grad(), contextlib.suppress(RuntimeError):
        tensor.copy_(numbers)


def _memory(value: Any) -> set[int]:
    """Where the numbers of a value's tensors and arrays stand.

    A list may well be the same one each time, looked up in a table that the answer begins with.
    """
    if isinstance(value, list | tuple | dict):
        inner = value.values() if isinstance(value, dict) else value
        return set().union(*map(_memory, inner))
    if type(value) is np.ndarray and value.size:
        return {value.ctypes.data}
    if type(value) in compare.ARRAYS and value.layout is torch.strided and value.numel():
        return {value.untyped_storage().data_ptr()}
    return set()
