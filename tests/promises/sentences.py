"""The sentences that tell a learner what an exercise asks for."""

import ast
import re
from collections.abc import Iterator

from helpers.course.authoring import source
from helpers.course.settings import Course

# Behind these a text tells why one should care, and helps; it asks for nothing more.
ASIDE = re.compile(r"^(\*Why care|<details><summary>Hint)", re.MULTILINE)
FOLDED = re.compile(r"^(<details>.*</summary>|</details>)$", re.MULTILINE)  # small print
END = re.compile(r"(?<=[.:;?!])\s+(?=[A-Z`“*$(])")
BULLET = re.compile(r"^\s*(?:[-*]|\d+\.|\|)\s+", re.MULTILINE)
NAMED = re.compile(r"^Write `[^`]*`[.:]$")  # says what the answer is called, which the check calls
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def of(course: Course, unit: str) -> dict[str, list[str]]:
    """By exercise: the sentences of its text and of the docstrings that a learner is given."""
    found: dict[str, list[str]] = {}
    for cell in source.read(course.text(unit)):
        if cell.kind == "exercise":
            found[cell.name] = list(_split(ASIDE.split(cell.text)[0]))
        elif cell.kind == "solution":
            found[cell.name] += [each for text in _docstrings(cell.text) for each in _split(text)]
    return found


def plain(text: str) -> str:
    """The text in one line with single spaces."""
    return " ".join(text.split())


def _docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield ast.get_docstring(node) or ""


def _split(text: str) -> Iterator[str]:
    """Sentence by sentence; a bullet or a row of a table begins a new one."""
    for block in re.split(r"\n\s*\n", FOLDED.sub("", FENCED.sub("", text))):
        for item in BULLET.split(block):
            for sentence in END.split(plain(item)):
                if re.search(r"[A-Za-z]{2}", sentence) and not NAMED.match(sentence):
                    yield sentence
