"""Each step is timed in a process of its own, which imports this file: it needs little."""

import os
import time
from functools import partial

from benchmarks import timing


def _sleeper(duration: float, parent: int) -> timing.Step:
    assert os.getpid() != parent
    return partial(time.sleep, duration)


def test_each_step_is_timed_in_a_process_of_its_own() -> None:
    makers = {name: partial(_sleeper, s, os.getpid()) for name, s in (("a", 0.02), ("b", 0.2))}
    found = timing.apart(makers, 0)
    assert 0.02 <= found["a"] < found["b"] and found["b"] >= 0.2  # a busy machine takes longer
