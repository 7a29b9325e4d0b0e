"""An exercise: parts that carry points, and the usual mistakes with a hint for each.

A part asks the answer some questions (`Case`). The right result is what the reference answers to
the same question, so whatever can be measured on an answer can be checked: numbers, properties,
exceptions. A mistake is a wrong answer that people give. Its hint is shown only where it gives the
learner's results in every part: where some parts agree, it may name what the learner did not do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from helpers.checks.engine import compare, hints, run
from helpers.checks.engine.case import Answer, Case
from helpers.checks.engine.hints import Fault, Mistake, Written
from helpers.checks.engine.library import Forbidden, forbidden
from helpers.checks.engine.report import STUB, Finding, Report
from helpers.checks.engine.run import Answers, silent, without_caching
from helpers.checks.engine.serialize import CapturedException
from helpers.checks.engine.session import noted

Drawn = dict[str, list[Case]]  # by part
Difference = tuple[Case, Any, Any]  # a case, what an answer said to it, and what is right
NOT_ALLOWED = (
    "which is not allowed here. In practice you would do just that; here the points are for your "
    "own code."
)
REMEMBERED = 16  # exercises, each with a seed
_EXPECTED: dict[tuple[Exercise, int], dict[str, list[Any]]] = {}


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
        return hints.load(self.module, [part.name for part in self.parts])

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
        return noted(self.grade(self._ask(drawn, answer), seed, drawn), self, answer)

    def ask(self, answer: Answer, seed: int) -> Answers:
        """What `answer` says to the questions of every part."""
        return self._ask(self.drawn(seed), answer)

    def _ask(self, drawn: Drawn, answer: Answer) -> Answers:
        said = {n: run.run_cases(cases, answer, self._forbidden) for n, cases in drawn.items()}
        found, used = ({n: each[place] for n, each in said.items()} for place in (0, 1))
        return Answers(getattr(answer, "__name__", self.name), found, used)

    def grade(self, answers: Answers, seed: int, drawn: Drawn | None = None) -> Report:
        """The report on what `ask` returned with the same seed, here or in another process.

        Args:
            drawn: the cases of that seed; drawn anew if not given.
        """
        drawn = drawn or self.drawn(seed)
        expected = self._expected(drawn, seed)
        with silent():
            found = {n: _read(drawn[n], answers.found[n]) for n in drawn}
            differ = {n: self._difference(drawn[n], found[n], expected[n]) for n in drawn}
            hint = self._hint(drawn, found, {name for name in drawn if differ[name]})
            told = [self._finding(each, answers, differ[each.name], hint) for each in self.parts]
            return Report(self.name, told)

    def is_correct(self, answer: Answer, seed: int = 0) -> bool:
        """Whether `answer` earns all points; no more is asked once a part is wrong."""
        drawn = self.drawn(seed)
        expected = self._expected(drawn, seed)
        for name, cases in drawn.items():
            said, used = run.run_cases(cases, answer, self._forbidden)
            with silent():
                found = _read(cases, said)
            if used or self._difference(cases, found, expected[name]):
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
            all_said = (e for said in expected.values() for e in said)
            if error := next((e for e in all_said if isinstance(e, CapturedException)), None):
                raise RuntimeError(
                    f"the course's own answer to “{self.name}” stopped ({error.kind}: "
                    f"{error.text}); restart the kernel, and tell the authors if it happens again"
                )
            _EXPECTED[self, seed] = expected
        return _EXPECTED[self, seed]

    def _difference(
        self, cases: Sequence[Case], found: Sequence[Any], expected: Sequence[Any]
    ) -> Difference | None:
        """The first case of a part in which a result is not the expected one; None if all are."""
        for each in zip(cases, found, expected, strict=True):
            if not compare.same(*each[1:], self.tolerance):
                return each
        return None

    def _hint(self, drawn: Drawn, found: dict[str, list[Any]], wrong: set[str]) -> str:
        """The hint of the first mistake that gives all results; "" if none does."""
        wrong_first = sorted(drawn, key=lambda name: name not in wrong)
        pairs = [pair for n in wrong_first for pair in zip(drawn[n], found[n], strict=True)]
        for mistake in self.mistakes:
            # Those that lose other parts need not be asked.
            if wrong == {*mistake.loses} and mistake.gives(pairs, self.tolerance):
                return mistake.hint
        return ""

    def _finding(
        self, part: Part, answers: Answers, differs: Difference | None, hint: str
    ) -> Finding:
        if used := answers.used[part.name]:
            message = f"This calls {', '.join(used[:3])}, {NOT_ALLOWED}"
            return Finding(part.name, part.points, 0, message)
        if differs is None:
            return Finding(part.name, part.points, part.points)
        case, found, expected = differs
        # PyTorch raises the same for what it cannot do, but never without a text.
        if found == CapturedException("NotImplementedError", ""):
            return Finding(part.name, part.points, 0, STUB)
        if not hint and (fault := hints.fault_in(found, expected, self.tolerance)):
            hint = fault.hint
        asked = f"{answers.name}{case.label}" if case.label.startswith("(") else case.label
        if isinstance(found, CapturedException):
            message = f"{asked}: {found.message()}"
            return Finding(part.name, part.points, 0, message, hint, found.line)
        message = f"{asked}: {compare.difference(found, expected, self.tolerance)}"
        return Finding(part.name, part.points, 0, message, hint)


def _read(cases: Sequence[Case], said: Sequence[Any]) -> list[Any]:
    return [run.read(*pair) for pair in zip(cases, said, strict=True)]
