"""Steps are timed where and in the order that is said."""

import os
import time
from functools import partial

import pytest

from benchmarks import timing


def _sleeper(duration: float) -> timing.Step:
    return partial(time.sleep, duration)


def _own_process(parent: int) -> timing.Step:
    assert os.getpid() != parent
    return partial(time.sleep, 0.001)


def _dies() -> timing.Step:
    raise SystemExit("it cannot be made")


def test_medians_and_turns() -> None:
    said = {"a": iter([9.0, 1.0, 2.0, 3.0, 4.0]), "b": iter([5.0] * 5)}
    order: list[str] = []

    def timer(name: str) -> float:
        order.append(name)
        return next(said[name])

    assert timing.in_turn({name: partial(timer, name) for name in said}, 0) == {"a": 3, "b": 5}
    assert order == ["a", "b"] * 5


def test_each_step_has_a_process_of_its_own_and_its_own_time() -> None:
    makers = {
        "short": partial(_sleeper, 0.02),
        "long": partial(_sleeper, 0.2),
        "elsewhere": partial(_own_process, os.getpid()),
    }
    found = timing.apart(makers, 0)
    assert 0.02 <= found["short"] < 0.2 <= found["long"] < 2


def test_a_step_that_cannot_be_made_is_no_endless_wait() -> None:
    with pytest.raises(EOFError):
        timing.apart({"none": _dies}, 0)
