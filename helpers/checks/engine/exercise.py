"""An exercise: parts that carry points, and the usual mistakes with a hint for each.

A part asks the answer some questions (`Case`). The right result is what the reference answers to
the same question, so whatever can be measured on an answer can be checked: numbers, properties,
exceptions. A mistake is a wrong answer that people give. Where a learner's results are those of a
mistake, its hint is shown.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import torch

from helpers.checks.engine import compare
from helpers.checks.engine.asking import LATER, SWITCHED, ask, ask_all, silent
from helpers.checks.engine.case import Answer, ArgumentChangedError, Case
from helpers.checks.engine.library import HIDDEN, library_calls
from helpers.checks.engine.plain import Raised
from helpers.checks.engine.report import Finding, Report

Given = TypeVar("Given", bound=Answer)
STUB = "Not written yet: put your code where it says raise NotImplementedError()."


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
class Mistake:
    """A wrong answer that people give.

    Args:
        answer: the wrong version, able to stand alone in a notebook cell.
        hint: names the mistake and says where to look, without giving the answer.
        loses: names of the parts that it must lose; the others it must keep.
        breaks: words of the sentences in the exercise's text that it does not keep to.
    """

    answer: Answer
    hint: str
    loses: tuple[str, ...]
    breaks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the wrong version, in words."""
        return self.answer.__name__.replace("_", " ")


@dataclass(frozen=True)
class Answers:
    """What an answer said.

    Args:
        name: the learner's name for it.
        found: for each part, a plain value or `Raised` per question.
        used: for each part, the library functions that it called, of those it may not.
    """

    name: str
    found: dict[str, list[Any]]
    used: dict[str, list[str]]


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
        mistakes: the usual wrong answers, which `mistake` adds.
    """

    name: str
    reference: Answer
    parts: tuple[Part, ...]
    forbidden: tuple[Answer, ...] = ()
    tolerance: float = 1e-4
    explains: tuple[str, ...] = ()
    mistakes: list[Mistake] = field(default_factory=list, init=False, compare=False)

    def mistake(
        self, hint: str, loses: str | tuple[str, ...] = (), breaks: str | tuple[str, ...] = ()
    ) -> Callable[[Given], Given]:
        """Decorate a wrong answer that people give; see `Mistake`.

        Args:
            loses: the name of a part, or the names of several; all parts if none is named.
            breaks: words of a sentence in the text, or of several.

        Raises:
            ValueError: the exercise has no such part.
        """
        parts = [part.name for part in self.parts]
        lost = (loses,) if isinstance(loses, str) else loses or tuple(parts)
        broken = (breaks,) if isinstance(breaks, str) else breaks
        if unknown := set(lost) - set(parts):
            raise ValueError(f"{self.name} has no part {', '.join(unknown)}; it has {parts}")

        def add(answer: Given) -> Given:
            in_order = tuple(part for part in parts if part in lost)
            self.mistakes.append(Mistake(answer, hint, in_order, broken))
            return answer

        return add

    @property
    def points(self) -> float:
        """The most that can be earned."""
        return sum(part.points for part in self.parts)

    def __call__(self, answer: Answer, seed: int = 0) -> Report:
        """Check `answer`; `seed` draws the shapes and numbers of the questions."""
        answers = self.ask(answer, seed)
        with silent():  # here a learner would see what the reference is warned about
            return self.judge(answers, seed)

    def ask(self, answer: Answer, seed: int) -> Answers:
        """What `answer` says to the questions of every part."""
        answers = Answers(getattr(answer, "__name__", self.name), {}, {})
        with silent():
            for part in self.parts:
                self._ask(part, answer, seed, answers)
        return answers

    def right(self, answer: Answer, seed: int = 0) -> bool:
        """Whether `answer` earns all points; no more is asked once a part is lost."""
        answers = Answers("", {}, {})
        with silent():
            for part in self.parts:
                self._ask(part, answer, seed, answers)
                trial = self._trial(part, answers, seed)
                if trial.wrong or trial.used:
                    return False
        return True

    def judge(self, answers: Answers, seed: int) -> Report:
        """The report on what `ask` was told with the same seed, here or in another process."""
        with torch.random.fork_rng(devices=[]):
            trials = [self._trial(part, answers, seed) for part in self.parts]
            hint = self._hint(trials)
            return Report(self.name, [self._finding(trial, hint) for trial in trials])

    def use(self, answer: Answer) -> Answer:
        """The learner's answer if it is right, else the course's, so that the lesson goes on."""
        if self.right(answer):
            return answer
        print(f"“{self.name}” is not right yet, so this cell goes on with the course's version.")
        return self.reference

    def draw(self, part: Part, seed: int) -> list[Case]:
        """The questions of a part; another seed, other questions."""
        return list(part.cases(random.Random(f"{self.name} {part.name} {seed}")))

    def _ask(self, part: Part, answer: Answer, seed: int, answers: Answers) -> None:
        cases = self.draw(part, seed)
        with library_calls((self.reference, *self.forbidden)) as called:
            answers.found[part.name] = ask_all(cases, answer)
        answers.used[part.name] = sorted(called)

    def _trial(self, part: Part, answers: Answers, seed: int) -> _Trial:
        cases, expected = self.draw(part, seed), _expected(self, part, seed)
        found = answers.found[part.name]
        pairs = zip(found, expected, strict=True)
        wrong = [i for i, pair in enumerate(pairs) if not compare.same(*pair, self.tolerance)]
        return _Trial(part, answers.name, cases, found, expected, wrong, answers.used[part.name])

    def _finding(self, trial: _Trial, hint: str) -> Finding:
        part = trial.part
        if trial.used:
            return Finding(part.name, part.points, 0, _kindly(trial.used))
        if not trial.wrong:
            return Finding(part.name, part.points, part.points)
        first = trial.wrong[0]
        found = trial.found[first]
        if isinstance(found, Raised) and found.kind == "NotImplementedError":
            return Finding(part.name, part.points, 0, STUB)
        label = trial.cases[first].label
        asked = f"{trial.answer_name}{label}" if label.startswith("(") else label
        message = f"{asked}: {self._difference(found, trial.expected[first])}"
        return Finding(part.name, part.points, 0, message, hint)

    def _difference(self, found: Any, expected: Any) -> str:
        if isinstance(found, Raised) and found.kind == ArgumentChangedError.__name__:
            return f"your function changes its argument {found.text}".rstrip() + ": work on a copy."
        if found == LATER:
            return "a later call of your function changes this result: give a new one each time."
        if isinstance(found, Raised) and found.kind == SWITCHED:
            return f"your function leaves {found.text} changed for all code that comes after it."
        if isinstance(found, Raised):
            return found.told()
        return compare.difference(found, expected, self.tolerance)

    def _hint(self, trials: list[_Trial]) -> str:
        """The hint of the mistake that gives the learner's results in every part, if there is one.

        Where only some parts agree with a mistake, its hint may name what the learner did not do.
        """
        wrong_first = sorted(trials, key=lambda trial: not trial.wrong)
        wrong = {trial.part.name for trial in trials if trial.wrong}
        for mistake in self.mistakes:
            # Those that lose other parts need not be asked.
            if wrong == {*mistake.loses} and all(self._explains(mistake, t) for t in wrong_first):
                return mistake.hint
        return ""

    def _explains(self, mistake: Mistake, trial: _Trial) -> bool:
        """True where the mistake gives the learner's result in every case of the trial."""
        return all(
            compare.same(found, ask(case, mistake.answer), self.tolerance)
            for case, found in zip(trial.cases, trial.found, strict=True)
        )


@dataclass(frozen=True)
class _Trial:
    """A part with what the answer and the reference gave; `wrong` are indices of `cases`."""

    part: Part
    answer_name: str
    cases: list[Case]
    found: list[Any]
    expected: list[Any]
    wrong: list[int]
    used: list[str]


@lru_cache(maxsize=64)  # learners run a check again and again, always with the seed in its cell
def _expected(exercise: Exercise, part: Part, seed: int) -> list[Any]:
    """What is right.

    Raises:
        RuntimeError: the reference fails, so that whoever fails in the same way would be right.
    """
    expected = [ask(case, exercise.reference) for case in exercise.draw(part, seed)]
    if failed := next((each for each in expected if isinstance(each, Raised)), None):
        raise RuntimeError(
            f"the course's own answer to “{exercise.name}” stopped ({failed.kind}: {failed.text}); "
            "restart the kernel, and tell the authors should it happen again"
        )
    return expected


def _kindly(used: list[str]) -> str:
    if HIDDEN in used:
        return f"This uses {HIDDEN}, where a check cannot follow. Plain lines will do here."
    names = ", ".join(used[:3])
    return (
        f"This calls {names}, which is what the exercise asks you to write. At work you would do "
        "just that; here the points are for your own lines."
    )
