"""The pages of the units: what a learner is handed, with what the worked notebook shows.

An answer is never read from the worked notebook: the cell of an answer and the check below it are
those of the release, and only what the lesson's own cells showed is taken over.
"""

from __future__ import annotations

import dataclasses
import html
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers import checks
from helpers.checks.engine import Exercise
from helpers.checks.engine.report import as_html
from helpers.course.authoring import published, source
from helpers.course.authoring.source import Cell
from helpers.course.settings import Course
from web import links, predictions
from web.explore import Figure, load
from web.markdown import code, fold, folded, raw, relinked
from web.outputs import Outputs

SET_UP = "# Set-up: "
HEADING = re.compile(r"(#+) (.+)")
SECTION = re.compile(r"\n(?=##+ )")
READING = re.compile(r"takes about (\d+) minutes besides")
EXERCISE = re.compile(r"### Exercise \d+:")
TO_RUN = """
It runs in the folder of the course: `make lab` opens your copy there, which is in `work/`
([all ways](../more/starting.md)).
"""
BEGIN, END = raw('<div class="exercise">'), raw("</div>")


def read(path: Path) -> NotebookNode:
    """A notebook."""
    return nbformat.read(path, as_version=4)


class Unit:
    """One unit of the course, as its page shows it."""

    def __init__(
        self, course: Course, name: str, outputs: Outputs, figures: Iterable[Figure] = ()
    ) -> None:
        self.course, self.name, self.outputs = course, name, outputs
        self.figures = [each for each in figures if name in each.units]
        self.lead = links.leader(course, f"units/{name}", f"notebooks/{name}/{name}.ipynb")
        self.cells: list[Cell] = source.read(course.text(name))
        self.title = source.heading(course.text(name))
        self.exercises = checks.exercises(name)
        file = f"{name}/{name}.ipynb"
        self.released = read(course.notebooks / file).cells
        self.worked = {cell.id: cell for cell in read(course.solutions / file).cells}

    @property
    def titles(self) -> list[str]:
        """Of the exercises."""
        return [cell.keys["title"] for cell in self.cells if cell.kind == "exercise"]

    @property
    def minutes(self) -> float:
        """That the exercises take."""
        return sum(cell.keys["minutes"] for cell in self.cells if cell.kind == "exercise")

    @property
    def reading(self) -> int:
        """Minutes besides the exercises, as the unit says."""
        said = READING.search(self.cells[0].text)
        return int(said[1]) if said else 5

    @property
    def points(self) -> float:
        """Of all exercises."""
        return source.points(self.cells)

    def page(self) -> str:
        """The page as Markdown."""
        parts = [part for text in self._folded() for part in SECTION.split(text)]
        for each in self.figures:
            if any(each.mark in part for part in parts):  # a cell of the lesson shows it
                parts.append(raw(load(each.name, "../")))
                continue
            end = end_of_section(parts, each.units[self.name])
            parts[end - 1] += f"\n\n{raw(each.markup('../'))}"
        return "\n\n".join([parts[0], self._bar(), *parts[1:]])

    def _bar(self) -> str:
        """Ways to run the unit; what to do with the file where there is no other."""
        file = f"../notebooks/{self.name}/{self.name}.ipynb"
        ways = {file: "Download the notebook"}
        if self.course.published:
            ways[published.colab(self.name, self.course)] = "Open in Colab"
            ways[published.binder(self.name, self.course)] = "Open in Binder"
        bar = raw(f'<p class="ways">{" ".join(itertools.starmap(way, ways.items()))}</p>')
        return bar if self.course.published else bar + TO_RUN

    def _folded(self) -> Iterator[str]:
        """The cells one by one, with what was measured folded below what is to be predicted."""
        folds = [*predictions.folds(self.released)]
        begins, ends = {each.first: each for each in folds}, {each.last for each in folds}
        for n, cell in enumerate(self.released):
            if fold := begins.get(n):
                yield predictions.begin(fold.name, self._shown(self.released[fold.tells]))
            text, *after = SECTION.split(self._cell(cell), maxsplit=1)
            yield f"{text}\n\n{raw('</details>')}" if n in ends else text
            yield from after
        yield raw(predictions.SCRIPT)

    def _shown(self, cell: NotebookNode) -> str:
        """What the cell showed in the worked notebook."""
        return self.outputs.shown(self.worked[cell.id].get("outputs", []))

    def _cell(self, cell: NotebookNode) -> str:
        grader = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown":
            return self._text(cell.source, bool(grader))
        if cell.source.startswith(SET_UP):
            return ""
        if grader.get("solution"):
            return raw('<p class="yours">Your answer goes here:</p>') + code(cell.source)
        if grader.get("grade"):
            return code(cell.source) + self._check(grader["grade_id"].removesuffix("-test"))
        if name := predictions.asks(cell):
            asked = self.worked[cell.id].outputs[-1].data["text/plain"]
            given = "" if cell.source.startswith("predict(") else code(cell.source)
            return given + raw(predictions.question(name, asked))
        shown = raw(self._shown(cell))
        if cell.source.startswith("outcome("):
            return shown
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            return f"{folded('Its code', cell.source)}\n{shown}"
        return f"{code(cell.source)}\n{shown}"

    def _text(self, text: str, essay: bool) -> str:
        text = relinked(text, self.lead)
        if essay:
            return f"{raw('<p class=yours>Your answer goes here, in prose:</p>')}\n{text}\n{END}"
        if EXERCISE.match(text):
            heading, rest = text.split("\n", 1)
            return f"{heading}\n\n{BEGIN}\n{rest}"
        return text

    def _check(self, name: str) -> str:
        """What the check of an exercise says to a usual mistake, and all that it can hint at."""
        exercise = self.exercises.get(name)
        if exercise is None:
            return END
        title = next(c.keys["title"] for c in self.cells if (c.kind, c.name) == ("exercise", name))
        hints = list(dict.fromkeys(html.escape(each.hint) for each in exercise.mistakes))
        listed = "".join(f"<li>{each}</li>" for each in hints)
        said = fold("What the check says to a usual mistake", example(exercise, title), "said")
        known = fold(f"Hints for {len(hints)} usual mistakes", f"<ul>{listed}</ul>", "hints")
        return f"\n{raw(said + known)}\n{END}"


def end_of_section(parts: Sequence[str], words: str) -> int:
    """Where the first section ends whose heading has these words, with its exercises.

    Raises:
        ValueError: there is no such heading.
    """
    headings = [(n, found) for n, part in enumerate(parts) if (found := HEADING.match(part))]
    begin = next(((n, h) for n, h in headings[1:] if words in h[2].lower()), None)
    if begin is None:
        raise ValueError(f"no heading has the words {words!r} of web/figures/contents.toml")
    after = (n for n, h in headings if n > begin[0] and len(h[1]) <= len(begin[1][1]))
    return next(after, len(parts))


def way(address: str, words: str, kind: str = "") -> str:
    """A link that looks like a button; a notebook is saved, not shown."""
    load = " download" if address.endswith(".ipynb") and "//" not in address else ""
    return f'<a class="way {kind}" href="{html.escape(address)}"{load}>{words}</a>'


def example(exercise: Exercise, title: str) -> str:
    """What a notebook shows to a usual mistake, to one that costs some parts only if that is told.

    Without the line that raised an error, which may be half right.
    """
    mistakes = sorted(exercise.mistakes, key=lambda each: len(each.loses) == len(exercise.parts))
    some = sum(len(each.loses) < len(exercise.parts) for each in mistakes)
    # Not all of them come first: where a check trains, each costs a second.
    tried = [*mistakes[: min(2, some)], *mistakes[some:], *mistakes[min(2, some) : some]]
    report = next(each for each in (exercise(m.answer) for m in tried) if each.hints)
    findings = [dataclasses.replace(each, line="") for each in report.findings]
    report = dataclasses.replace(report, findings=findings, title=title, so_far="")
    return as_html(report).replace(' role="status"', "")
