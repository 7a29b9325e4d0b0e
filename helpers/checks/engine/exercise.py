"""An exercise: parts that carry points, and the usual mistakes with a hint for each.

A part asks the answer some questions (`Case`). The expected result is what the reference returns
for the same question, so whatever can be measured on an answer can be checked: numbers, properties,
exceptions. A mistake is a wrong answer that people give. Its hint is shown only where it gives the
learner's results in every part, or at least in all that it loses.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from helpers.checks.engine import compare, hints, run
from helpers.checks.engine.case import Answer, Case, without_caching
from helpers.checks.engine.hints import Fault, Mistake, Written
from helpers.checks.engine.report import STUB, Finding, Report, for_learner
from helpers.checks.engine.run import Answers, silent
from helpers.checks.engine.serialize import CapturedException

Drawn = dict[str, list[Case]]  # by part
Difference = tuple[Case, Any, Any]  # a case, what an answer returned, and what is expected
NOT_ALLOWED = (
    "which is not allowed here. In practice you would do just that; here the points are for your "
    "own code."
)


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
        _expected(self, seed)  # before the answer is asked: it may write into what questions read
        drawn = self.drawn(seed)
        report = self.grade(self.ask(answer, seed, drawn), seed, drawn)
        return for_learner(report, self.module, answer)

    def ask(self, answer: Answer, seed: int, drawn: Drawn | None = None) -> Answers:
        """What `answer` returns for the questions of every part; drawn anew if not given."""
        found, used = {}, {}
        for name, cases in (drawn or self.drawn(seed)).items():
            found[name], used[name] = run.run_cases(cases, answer, self._forbidden)
        return Answers(getattr(answer, "__name__", self.name), found, used)

    def grade(self, answers: Answers, seed: int, drawn: Drawn | None = None) -> Report:
        """The report on what `ask` returned with the same seed, here or in another process.

        Args:
            drawn: the cases of that seed; drawn anew if not given.
        """
        drawn, expected = drawn or self.drawn(seed), _expected(self, seed)
        with silent():
            found = {n: _read(drawn[n], answers.found[n]) for n in drawn}
            differ = {n: self._difference(drawn[n], found[n], expected[n]) for n in drawn}
            told = self._hints(drawn, found, {name for name in drawn if differ[name]})
            findings = [self._finding(p, answers, differ[p.name], told) for p in self.parts]
            return Report(self.name, findings)

    def is_correct(self, answer: Answer, seed: int = 0) -> bool:
        """Whether `answer` earns all points; no more is asked once a part is wrong."""
        expected = _expected(self, seed)
        for name, cases in self.drawn(seed).items():
            results, used = run.run_cases(cases, answer, self._forbidden)
            with silent():
                if used or self._difference(cases, _read(cases, results), expected[name]):
                    return False
        return True

    def use(self, answer: Answer) -> Answer:
        """The learner's answer if it is right, else the course's, so that the lesson goes on."""
        if self.is_correct(answer):
            return answer
        print(f"“{self.name}” is not right yet, so this cell goes on with the course's version.")
        return self.reference

    def drawn(self, seed: int) -> Drawn:
        """The cases of every part, the first `without_caching`; another seed, other questions."""
        found = {}
        with silent():
            for part in self.parts:
                cases = list(part.cases(random.Random(f"{self.name} {part.name} {seed}")))
                found[part.name] = [*map(without_caching, cases[:1]), *cases[1:]]
        return found

    @cached_property
    def _forbidden(self) -> dict[Any, str]:
        return run.forbidden((self.reference, *self.forbidden))

    def _difference(
        self, cases: Sequence[Case], found: Sequence[Any], expected: Sequence[Any]
    ) -> Difference | None:
        """The first case of a part in which a result is not the expected one; None if all are."""
        for each in zip(cases, found, expected, strict=True):
            if not compare.same(*each[1:], self.tolerance):
                return each
        return None

    def _hints(self, drawn: Drawn, found: dict[str, list[Any]], wrong: set[str]) -> dict[str, str]:
        """By part, the hint of the first mistake that gives all results.

        If none does, of several that give those of the parts that they lose; an error is no proof.
        """
        pairs = {name: list(zip(drawn[name], found[name], strict=True)) for name in drawn}
        every = [pair for n in sorted(drawn, key=lambda n: n not in wrong) for pair in pairs[n]]
        for mistake in self.mistakes:
            # Those that lose other parts need not be asked.
            if wrong == {*mistake.loses} and mistake.gives(every, self.tolerance):
                return dict.fromkeys(wrong, mistake.hint)
        told: dict[str, str] = {}
        for mistake in self.mistakes:
            own = [pair for name in mistake.loses for pair in pairs[name]]
            apart = wrong > {*mistake.loses} and told.keys().isdisjoint(mistake.loses)
            ended = any(isinstance(each, CapturedException) for _, each in own)
            if apart and not ended and mistake.gives(own, self.tolerance):
                told |= dict.fromkeys(mistake.loses, mistake.hint)
        return told

    def _finding(
        self, part: Part, answers: Answers, differs: Difference | None, told: dict[str, str]
    ) -> Finding:
        if used := answers.used[part.name]:
            message = f"This calls {used[0]}, {NOT_ALLOWED}"
            return Finding(part.name, part.points, 0, message)
        if differs is None:
            return Finding(part.name, part.points, part.points)
        case, found, expected = differs
        # PyTorch raises the same for what it cannot do, but never without a text.
        if found == CapturedException("NotImplementedError", ""):
            return Finding(part.name, part.points, 0, STUB)
        hint = told.get(part.name, "")
        if not hint and (fault := hints.fault_in(found, expected, self.tolerance)):
            hint = fault.hint
        asked = f"{answers.name}{case.label}" if case.label.startswith("(") else case.label
        if isinstance(found, CapturedException):
            message = f"{asked}: {found.message()}"
            return Finding(part.name, part.points, 0, message, hint, found.line)
        message = f"{asked}: {compare.difference(found, expected, self.tolerance)}"
        return Finding(part.name, part.points, 0, message, hint)


@lru_cache(maxsize=16)  # learners run a check again and again, with the seed in its cell
def _expected(exercise: Exercise, seed: int) -> dict[str, list[Any]]:
    """What the reference returns, by part.

    Raises:
        RuntimeError: the reference fails, so that whoever fails in the same way would be right.
    """
    with silent():  # here a learner would see what the reference is warned about
        expected = {
            name: [run.run_case(case, exercise.reference) for case in cases]
            for name, cases in exercise.drawn(seed).items()
        }
    results = (each for part in expected.values() for each in part)
    if error := next((each for each in results if isinstance(each, CapturedException)), None):
        raise RuntimeError(
            f"the course's own answer to “{exercise.name}” stopped ({error.kind}: {error.text}); "
            "restart the kernel, and tell the authors if it happens again"
        )
    return expected


def _read(cases: Sequence[Case], results: Sequence[Any]) -> list[Any]:
    return [run.read(*pair) for pair in zip(cases, results, strict=True)]
