"""The rules of the race: tasks, budgets, learning rates and rivals. docs/race.md says why.

What changes a score here changes `VERSION`: cards of two versions are not compared.
"""

from __future__ import annotations

from typing import NamedTuple

from helpers.corpora import Grammar, LagLanguage, Patches, Reverse, Task, TreeLanguage
from helpers.race.english import EnglishWords

VERSION = "race 1.0"
TIMES = (1, 2, 4, 8)  # lengths of the tests, in training lengths
RATES = (2e-3, 6e-3, 1.8e-2, 5.4e-2)  # learning rates of the sweep, the same for all
SWEEP, SCORED = 0, 1  # draws of a language: the learning rate is chosen on one, scored is the other
SWEEP_SEED = 100  # of weights and text; no scored run has it
BEATS = ((6, 11, 16), (5, 12, 18))  # of the grammar, by draw

# How a card calls them → name for `create`. The last is the best so far: of the encodings in the
# recorded studies `lag3` and `bert_grammar` it has the lowest mean loss at all their lengths.
RIVALS = {"none": "none", "RoPE": "rotary", "window": "window"}

# Lengths of a task's texts in tokens, one for each of `TIMES`; the first is that of the training.
TASKS = {
    "lag": (24, 48, 96, 192),
    "reverse": (16, 32, 64, 128),
    "grammar": (24, 48, 96, 192),
    "tree": (16, 32, 64, 128),
    "patches": (25, 49, 100, 196),  # squares
    "english": (32, 64, 128, 256),
}
SYNTHETIC = tuple(TASKS)[:-1]  # their limits are known


def draw_task(name: str, draw: int, told: bool = True, test: bool = False) -> Task:
    """Return a task in one of its draws, each of which has other rules of the same kind.

    Args:
        name: one of `TASKS`.
        draw: `SWEEP` or `SCORED`.
        told: False where a model hears nothing beside the tokens, as of the offsets in a tree.
        test: True for text that no training has; of a synthetic language all text is fresh.
    """
    if name == "english":  # which takes seconds to read
        return EnglishWords(draw, test)
    tasks: dict[str, Task] = {
        "lag": LagLanguage(seed=draw),
        "reverse": Reverse(),
        "grammar": Grammar(24, BEATS[draw], echo=3),
        "tree": TreeLanguage(seed=draw, told="offsets" if told else "nothing"),
        "patches": Patches(seed=draw, told="places" if told else "order"),
    }
    return tasks[name]


class Budget(NamedTuple):
    """How much is trained and tested.

    Args:
        name: as a card gives it.
        steps: batches of 64 texts in a scored run.
        sweep_steps: the same in a run of the sweep.
        seeds: scored runs of each encoding on each task, two or more.
        tests: batches of 64 texts that a run is tested on at each length.
        tasks: names in `TASKS`.
    """

    name: str
    steps: int
    sweep_steps: int
    seeds: int
    tests: int
    tasks: tuple[str, ...] = SYNTHETIC


QUICK = Budget("quick", steps=200, sweep_steps=50, seeds=3, tests=4)
FULL = Budget("full", steps=1200, sweep_steps=300, seeds=5, tests=8, tasks=tuple(TASKS))
