"""Exercise → promises → cases: each sentence of a text, and what the check does to hold it.

A wrong answer that breaks a promise says so (`violates` in its file); the parts that it
loses hold the promise. A sentence that only a fault of any exercise breaks, such as a gradient cut
off, names that fault (`generic`), and a test tries it. One that asks for nothing is among the
exercise's `explains`. Of a formula, every sign is asked for: all of it is quoted.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from helpers import checks
from helpers.checks.engine import Exercise, Mistake
from helpers.checks.engine.hints import Fault
from helpers.course.authoring import source
from helpers.course.settings import Course

# Behind these a text tells why one should care, and helps; it asks for nothing more.
ASIDE = re.compile(r"^(\*Why care|<details><summary>Hint)", re.MULTILINE)
FOLDED = re.compile(r"^(<details>.*</summary>|</details>)$", re.MULTILINE)  # small print
END = re.compile(r"(?<=[.:;?!])\s+(?=[A-Z`“*$(])")
BULLET = re.compile(r"^\s*(?:[-*]|\d+\.|\|)\s+", re.MULTILINE)
NAMED = re.compile(r"^Write `[^`]*`[.:]$")  # says what the answer is called, which the check calls
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Promise:
    """A sentence of an exercise's text, and the wrong answers that break it."""

    exercise: Exercise
    sentence: str
    broken_by: tuple[Mistake, ...]
    generic: tuple[Fault, ...]
    explains: bool

    @property
    def parts(self) -> list[str]:
        """The parts of the check that are lost where the promise is broken."""
        lost = {part for mistake in self.broken_by for part in mistake.loses}
        return [part.name for part in self.exercise.parts if part.name in lost]

    @property
    def forbids(self) -> bool:
        """Whether it names a library's version, which the check notices by the call itself."""
        return any(
            each.__name__ and each.__name__ in self.sentence for each in self.exercise.forbidden
        )

    @property
    def fault(self) -> str:
        """Empty where the promise is held, or the sentence makes none."""
        if bool(self.broken_by or self.generic) != self.explains or self.forbids:
            return ""
        said = "explains, and a mistake breaks it" if self.explains else "nothing breaks it"
        return f"{self.exercise.name}: {said}: {self.sentence}"


def sentences(course: Course, unit: str) -> dict[str, list[str]]:
    """By exercise: the sentences of its text and of the docstrings that a learner is given."""
    found: dict[str, list[str]] = {}
    for cell in source.read(course.text(unit)):
        if cell.kind == "exercise":
            found[cell.name] = list(_split(ASIDE.split(cell.text)[0]))
        elif cell.kind == "solution":
            found[cell.name] += [each for text in _docstrings(cell.text) for each in _split(text)]
    return found


def _docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield ast.get_docstring(node) or ""


def _split(text: str) -> Iterator[str]:
    """Sentence by sentence; a bullet or a row of a table begins a new one."""
    for block in re.split(r"\n\s*\n", FOLDED.sub("", FENCED.sub("", text))):
        for item in BULLET.split(block):
            for sentence in END.split(_plain(item)):
                if re.search(r"[A-Za-z]{2}", sentence) and not NAMED.match(sentence):
                    yield sentence


def promises(course: Course, unit: str) -> Iterator[Promise]:
    """Every sentence of the unit's exercises."""
    exercises = checks.exercises(unit)
    for name, said in sentences(course, unit).items():
        if exercise := exercises.get(name):
            for sentence in said:
                broken = tuple(m for m in exercise.mistakes if _any(m.violates, sentence))
                generic = tuple(f for q, f in exercise.generic.items() if _any((q,), sentence))
                explains = _any(exercise.explains, sentence)
                yield Promise(exercise, sentence, broken, generic, explains)


def faults(course: Course, unit: str) -> list[str]:
    """Promises without a case, and quotes that no text holds."""
    found = list(promises(course, unit))
    lines = [each.fault for each in found if each.fault]
    for exercise in {each.exercise.name: each.exercise for each in found}.values():
        said = [each.sentence for each in found if each.exercise is exercise]
        quotes = [*exercise.explains, *exercise.generic]
        quotes += [quote for mistake in exercise.mistakes for quote in mistake.violates]
        lines += [
            f"{exercise.name}: no such sentence: {quote}"
            for quote in dict.fromkeys(quotes)
            if not any(_any((quote,), sentence) for sentence in said)
        ]
        lines += [
            f"{exercise.name}: not quoted as a whole: {formula}"
            for sentence in said
            for formula in FORMULA.findall(sentence)
            if re.search(r"[=<>]|\\le\b", formula)
            and not any(formula in _plain(quote) for quote in quotes)
        ]
    return lines


def shown(course: Course, unit: str) -> str:
    """The table in words."""
    lines, before = [f"\n{unit}"], ""
    for promise in promises(course, unit):
        if promise.explains:
            continue
        if promise.exercise.name != before:
            before = promise.exercise.name
            lines.append(f"\n  {before}")
        lines.append(f"    “{promise.sentence}”")
        for part in promise.exercise.parts:
            if part.name in promise.parts:
                labels = [case.label for case in promise.exercise.drawn(0)[part.name]]
                lines.append(f"      {part.name}: {'; '.join(labels)}")
        lines += [f"      broken by {mistake.name}" for mistake in promise.broken_by[:1]]
        lines += [f"      broken by any answer with {fault.name}" for fault in promise.generic]
    return "\n".join(lines)


def _any(quotes: tuple[str, ...], sentence: str) -> bool:
    return any(_plain(quote) in sentence for quote in quotes)


def _plain(text: str) -> str:
    """The text in one line with single spaces."""
    return " ".join(text.split())
