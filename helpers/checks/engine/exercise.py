"""An exercise: parts that carry points, and the usual mistakes with a hint for each.

A part asks the answer some questions (`Case`). The right result is what the reference answers to
the same question, so whatever can be measured on an answer can be checked: numbers, properties,
exceptions. A mistake is a wrong answer that people give. Where a learner's results are those of a
mistake, its hint is shown.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from helpers.checks.engine import compare, mistake, run
from helpers.checks.engine.caching import without_caching
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.faults import Fault
from helpers.checks.engine.grade import grade
from helpers.checks.engine.library import Forbidden, forbidden
from helpers.checks.engine.mistake import Mistake, Written
from helpers.checks.engine.report import Report
from helpers.checks.engine.run import Answers, silent
from helpers.checks.engine.serialize import CapturedException
from helpers.checks.engine.session import noted

Drawn = dict[str, list[Case]]  # by part


@dataclass(frozen=True)
class Part:
    """What one part of the points is given for.

    Args:
        name: shown to the learner.
        points: given when every case agrees with the reference.
        cases: draws the questions from a random generator, so that a new seed is a new test.
    """

    name: str
    points: float
    cases: Callable[[random.Random], Iterable[Case]]


@dataclass(frozen=True)
class Exercise:
    """Called on a learner's answer, it returns the `Report` that the notebook shows.

    Args:
        name: the exercise's name in the source.
        reference: the right answer.
        parts: see `Part`; their points add up to those of the exercise.
        forbidden: library versions that the answer may not call, beside the reference.
        tolerance: largest difference that still counts as equal, see `compare.same`.
        explains: words of the sentences in the exercise's text that ask for nothing.
        generic: words of the sentences that only a fault of any exercise breaks, and that fault.
        module: the one that defines the exercise; the file of its mistakes stands beside it.
    """

    name: str
    reference: Answer
    parts: tuple[Part, ...]
    forbidden: tuple[Answer, ...] = ()
    tolerance: float = 1e-4
    explains: tuple[str, ...] = ()
    generic: dict[str, Fault] = field(default_factory=dict, compare=False)
    module: str = ""

    @cached_property
    def _written(self) -> tuple[tuple[Written, ...], tuple[Mistake, ...]]:
        return mistake.read(self.module, [part.name for part in self.parts])

    @property
    def right_answers(self) -> tuple[Written, ...]:
        """Right answers as learners write them, which the mistakes change."""
        return self._written[0]

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The usual wrong answers, in the order in which they are tried."""
        return self._written[1]

    @property
    def points(self) -> float:
        """The most that can be earned."""
        return sum(part.points for part in self.parts)

    def __call__(self, answer: Answer, seed: int = 0) -> Report:
        """Check `answer`; `seed` draws the shapes and numbers of the questions."""
        drawn = self.drawn(seed)
        self._expected(drawn, seed)  # before a learner's answer is asked, which may write into it
        answers = self._asked(drawn, answer)
        return noted(self.judge(answers, seed, drawn), self, answer)

    def ask(self, answer: Answer, seed: int) -> Answers:
        """What `answer` says to the questions of every part."""
        return self._asked(self.drawn(seed), answer)

    def judge(self, answers: Answers, seed: int, drawn: Drawn | None = None) -> Report:
        """The report on what `ask` was told with the same seed, here or in another process.

        Args:
            drawn: with that seed.
        """
        drawn = drawn or self.drawn(seed)
        expected = self._expected(drawn, seed)
        with silent():
            return Report(self.name, grade(self, answers, drawn, expected))

    def is_correct(self, answer: Answer, seed: int = 0) -> bool:
        """Whether `answer` earns all points; no more is asked once a part is wrong."""
        drawn = self.drawn(seed)
        expected = self._expected(drawn, seed)
        for name, cases in drawn.items():
            said, used = run.ask(cases, answer, self._forbidden)
            with silent():
                found = [run.read(*pair) for pair in zip(cases, said, strict=True)]
            if used or not compare.same(found, expected[name], self.tolerance):
                return False
        return True

    def use(self, answer: Answer) -> Answer:
        """The learner's answer if it is right, else the course's, so that the lesson goes on."""
        if self.is_correct(answer):
            return answer
        print(f"“{self.name}” is not right yet, so this cell goes on with the course's version.")
        return self.reference

    def drawn(self, seed: int) -> Drawn:
        """The cases of every part; another seed, other questions."""
        with silent():
            return {part.name: self.draw(part, seed) for part in self.parts}

    def draw(self, part: Part, seed: int) -> list[Case]:
        """The cases of one part. The first is `without_caching`."""
        cases = list(part.cases(random.Random(f"{self.name} {part.name} {seed}")))
        return [*map(without_caching, cases[:1]), *cases[1:]]

    def _asked(self, drawn: Drawn, answer: Answer) -> Answers:
        said = {name: run.ask(cases, answer, self._forbidden) for name, cases in drawn.items()}
        found, used = ({name: each[place] for name, each in said.items()} for place in (0, 1))
        return Answers(getattr(answer, "__name__", self.name), found, used)

    @cached_property
    def _forbidden(self) -> Forbidden:
        return forbidden((self.reference, *self.forbidden))

    def _expected(self, drawn: Drawn, seed: int) -> dict[str, list[Any]]:
        """What is right, by part: learners run a check again and again, with the seed in its cell.

        Raises:
            RuntimeError: the reference fails, so that whoever fails in the same way would be right.
        """
        if (self, seed) not in _EXPECTED:
            if len(_EXPECTED) == REMEMBERED:
                _EXPECTED.clear()
            with silent():  # here a learner would see what the reference is warned about
                expected = {
                    name: [run.run_case(case, self.reference) for case in cases]
                    for name, cases in drawn.items()
                }
            said = itertools.chain(*expected.values())
            if failed := next((e for e in said if isinstance(e, CapturedException)), None):
                raise RuntimeError(
                    f"the course's own answer to “{self.name}” stopped ({failed.kind}: "
                    f"{failed.text}); restart the kernel, and tell the authors if it happens again"
                )
            _EXPECTED[self, seed] = expected
        return _EXPECTED[self, seed]


REMEMBERED = 16  # exercises, each with a seed
_EXPECTED: dict[tuple[Exercise, int], dict[str, list[Any]]] = {}
