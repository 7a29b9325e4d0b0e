"""Are the checks strict, and are they fair? Wrong answers must lose points, right ones none.

Four kinds of answers: the usual mistakes, each of which must get its own hint; right answers
written differently; mutants of the course's own solutions; and saboteurs, which break one thing of
them. One of these two that keeps all points is a survivor, unless source/UNIT/equivalent.toml says
why it is as right as the solution, or why the text of the exercise does not forbid what it does.
"""

import ast
import os
import resource
import signal
import symtable
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from types import FrameType
from typing import Any

import psutil

from helpers.checks.engine import Answer, Exercise, Mistake, Written
from helpers.course.authoring import check_call, source
from helpers.course.authoring.check_call import Check
from helpers.course.settings import Course
from tests.probes import mutate, saboteurs
from tests.probes.mutate import Mutant
from tests.tiers import NIGHTLY

SECONDS = 4.0  # of computing, for one mutant; a slow machine needs 1.5 for the slowest solution
OF_A_SABOTEUR = 10.0  # so that none is caught for being slow on a slow machine
MEMORY = 2 << 30  # bytes that a mutant may take beside what there is
SEEDS = range(int(os.environ.get("SEEDS", "2" if NIGHTLY else "1")))  # asked of known answers


class TooLongError(BaseException):
    """An answer is at it for too long; no `except Exception` of a check takes this."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what takes too long, and refuse it memory without end."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    used = getattr(psutil.Process().memory_info(), "data", 0)  # Linux alone tells, and bounds it
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, hard))
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def mistake_fault(exercise: Exercise, mistake: Mistake) -> str:
    """Empty where the mistake loses exactly its parts and gets its own hint; else what happens."""
    for seed in SEEDS:
        report = exercise(mistake.answer, seed)
        lost = tuple(finding.part for finding in report.findings if not finding.right)
        kept = sum(part.points for part in exercise.parts if part.name not in mistake.loses)
        if (lost, report.hints, report.earned) != (mistake.loses, [mistake.hint], kept):
            return f"seed {seed}, must lose {mistake.loses} and get “{mistake.hint}”:\n{report}"
    return ""


def variant_fault(exercise: Exercise, variant: Written) -> str:
    """Empty where a right answer keeps all points; else the report on it."""
    reports = (exercise(variant.answer, seed) for seed in SEEDS)
    return next((str(report) for report in reports if not report.complete), "")


@dataclass(frozen=True)
class Solution:
    """The worked cell of an exercise, what it needs of the cells before it, and its check."""

    exercise: str
    before: str
    cell: str
    check: Check

    def survives(self, text: str) -> bool:
        """Whether `text` in the place of the worked cell gets all points from the hidden test."""
        namespace = dict(self._namespace)
        exercise = self.check.load()
        try:
            with limited(SECONDS):
                exec(compile(text, "<cell>", "exec"), namespace)
                return exercise.is_correct(eval(self.check.answer, namespace), self.check.seed)
        except (Exception, TooLongError):
            return False

    def answer(self) -> Answer:
        """The worked answer itself."""
        namespace = dict(self._namespace)
        exec(compile(self.cell, "<cell>", "exec"), namespace)
        answer: Answer = eval(self.check.answer, namespace)
        return answer

    @cached_property
    def _namespace(self) -> dict[str, Any]:
        namespace: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(self.before, "<before>", "exec"), namespace)
        known = self.check.load()
        known.is_correct(known.reference, self.check.seed)  # its first call's imports take seconds
        return namespace


@cache
def solutions(course: Course, unit: str) -> list[Solution]:
    """Return what of a unit can be mutated: the solutions that a check looks at."""
    cells = source.read(course.text(unit))
    checks = {c.name: check_call.read(unit, c.text) for c in cells if c.kind == "test"}
    found, before = [], ""
    for cell in cells:
        if cell.kind == "solution" and cell.name in checks:
            check = checks[cell.name]
            found.append(Solution(cell.name, _needed(before, cell.text), cell.text, check))
        if cell.type == "code":
            before += f"{cell.text}\n"
    return found


def solution(course: Course, unit: str, exercise: str) -> Solution:
    """Return the worked cell of one exercise."""
    [found] = [each for each in solutions(course, unit) if each.exercise == exercise]
    return found


def _needed(before: str, cell: str) -> str:
    """The statements of `before` that make what `cell` uses; no figure, no training."""
    wanted = used(cell)
    kept: list[str] = []
    for statement in reversed(ast.parse(before).body):
        if made_here := made(statement) & wanted:
            kept.insert(0, ast.unparse(statement))
            wanted = wanted - made_here | used(kept[0])
    return "\n".join(kept)


def used(text: str) -> set[str]:
    """The global names that a piece of code reads."""
    waiting = [symtable.symtable(text, "<cell>", "exec")]
    used = set()
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        top = table.get_type() == "module"
        used |= {s.get_name() for s in table.get_symbols() if s.is_global() or top}
    return used


def made(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(each.asname or each.name).partition(".")[0] for each in names}
    nodes = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def equivalents(course: Course, unit: str, kind: str = "changes") -> dict[str, set[str]]:
    """Return by exercise what makes an answer that is as right as the solution.

    Args:
        kind: "changes", of mutants, or "saboteurs", as patterns of their names.
    """
    path = course.source / unit / "equivalent.toml"
    stored = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        exercise: {name for group in groups for name in group.get(kind, [])}
        for exercise, groups in stored.items()
    }


def faults(solution: Solution, mutants: list[Mutant], equivalent: set[str]) -> list[str]:
    """Try mutants of a solution; return a line for each that survives without being `equivalent`.

    And one for each entry of `equivalent`, from equivalent.toml, that is untrue.
    """
    there = {each.change for each in mutate.mutants(solution.cell)}
    found = [f"no such mutant: {change}" for change in sorted(equivalent - there)]
    for mutant in mutants:
        right = mutant.change in equivalent
        if solution.survives(mutant.text) != right:
            found.append(f"{'not equivalent' if right else 'survived'}: {mutant.change}")
    return found


def sabotaged(exercise: Exercise, right: Answer) -> dict[str, bool]:
    """Try every saboteur on a right answer; return which of those that break something lose points.

    By its name: whether it does.
    """
    exercise.is_correct(right)  # what is right is known from here on, and is in nobody's time
    found = {}
    for name, each in saboteurs.of(right):
        try:
            with limited(OF_A_SABOTEUR):
                caught = not exercise.is_correct(each.answer)
        except TooLongError:
            caught = True
        if each.broke:
            found[name] = caught
    return found


def holes(tried: Mapping[str, bool], excused: Collection[str]) -> list[str]:
    """Return a line for each hole of a check, and for each excuse that no saboteur needs.

    Args:
        tried: which saboteurs lose points. excused: patterns of the names of those that need not.
    """
    kept = [name for name, caught in tried.items() if not caught]
    through = [name for name in kept if not any(fnmatchcase(name, each) for each in excused)]
    needless = [each for each in sorted(excused) if not any(fnmatchcase(n, each) for n in kept)]
    return [f"survived: {name}" for name in through] + [f"no excuse needed: {n}" for n in needless]
