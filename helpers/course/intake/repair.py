"""Puts the cells of a release back into their places in a learner's notebook; nothing is executed.

They get their metadata, and locked ones their text, back from the release; each repair is named.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable
from difflib import SequenceMatcher

import nbformat
from nbformat import NotebookNode, v4

from helpers.course.intake.notebook_file import fresh

MARKER = re.compile(r"#\s*(EXERCISE|CHECK)\s+([\w-]+)")
AS_A_LINE = " as a line: the answer stands in another cell"
LIKE = 0.6  # fraction of a released cell that must be found again


def names(cell: NotebookNode) -> set[str]:
    """What exercise the cell may be of: by its metadata, its id or its first line."""
    given = cell.metadata.get("nbgrader")
    told = [given.get("grade_id") if isinstance(given, dict) else None, cell.id]
    marker = MARKER.match(cell.source.lstrip())
    told += [cell.metadata.get("id"), marker[2] if marker else None]
    return {str(each).removesuffix("-test") for each in told if each}


def restored(cells: list[NotebookNode], release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """The learner's cells with those of the release in their places, and the repairs."""
    wanted = {c.metadata.nbgrader.grade_id: c for c in release.cells if "nbgrader" in c.metadata}
    found, repairs = matched(cells, wanted)
    known = {id(cell) for cell in found.values()}
    for cell in cells:
        if id(cell) not in known and cell.metadata.pop("nbgrader", None) is not None:
            repairs.append("a cell that claims to be graded and is not, made a plain one")
    order = list(cells)
    before = -1  # index of the released cell before this one
    for name, cell in wanted.items():
        if name not in found:
            made = fresh(cell)
            elsewhere = not cell.metadata.nbgrader.locked and _holds(order, _defined(cell.source))
            if elsewhere:  # what the release has there would take its place
                made.source = cell.source.split("\n")[0]
            order.insert(before + 1, made)
            found[name] = made
            repairs.append(f"{name}: the cell was missing, put back" + AS_A_LINE * elsewhere)
        mine = found[name]
        repairs += _reset(name, mine, cell)
        answer = found.get(name.removesuffix("-test"), mine)
        if _is_check(cell) and _index(order, answer) > _index(order, mine):
            order.pop(_index(order, mine))
            order.insert(_index(order, answer) + 1, mine)
            repairs.append(f"{name}: the check stood above its answer, put behind it")
        before = _index(order, mine)
    for number, cell in enumerate(order):
        cell.metadata.pop("id", None)
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"cell-{number}")
    notebook = v4.new_notebook(cells=order, metadata=release.metadata)
    return notebook, list(dict.fromkeys(repairs))


def _holds(cells: list[NotebookNode], name: str) -> bool:
    """Whether one of the cells defines it."""
    defined = re.compile(rf"^(?:def|class)\s+{name}\b", re.MULTILINE)
    return bool(name) and any(c.cell_type == "code" and defined.search(c.source) for c in cells)


def _index(cells: list[NotebookNode], cell: NotebookNode) -> int:
    return next(n for n, each in enumerate(cells) if each is cell)


def _reset(name: str, mine: NotebookNode, released: NotebookNode) -> Iterable[str]:
    """Give a learner's cell what the release says of it; name what had been changed."""
    if mine.cell_type != released.cell_type:
        changed = fresh({**mine, "cell_type": released.cell_type})
        mine.clear()
        mine.update(changed)
        yield f"{name}: was another kind of cell, put back"
    if mine.metadata.get("nbgrader") != released.metadata.nbgrader:
        mine.metadata["nbgrader"] = nbformat.from_dict(released.metadata.nbgrader)
        yield f"{name}: its metadata had been changed, put back"
    tags = fresh(released).metadata.get("tags", [])
    if mine.metadata.pop("tags", []) != tags:
        yield f"{name}: its tags had been changed, put back"
    if tags:
        mine.metadata["tags"] = tags
    if released.metadata.nbgrader.locked:
        if mine.source.strip() != released.source.strip():
            yield f"{name}: the check had been edited, put back"
        mine.source = released.source


def matched(
    cells: list[NotebookNode], wanted: dict[str, NotebookNode]
) -> tuple[dict[str, NotebookNode], list[str]]:
    """Tell which cell is which of the release: by name, id or first line, else by likeness.

    Of several copies one counts. Those that nobody wrote in, and of checks all others, are taken
    out of `cells`: what stands further down would take the place of the answer.
    """
    found: dict[str, NotebookNode] = {}
    repairs: list[str] = []
    spare: set[int] = set()
    place = {id(cell): number for number, cell in enumerate(cells, 1)}
    called = defaultdict(list)
    for cell in cells:
        called[_called(cell, wanted)].append(cell)
    # Named ones first, so that no cell is taken by likeness that has another one's name.
    for name in sorted(wanted, key=lambda each: (each not in called, _is_check(wanted[each]))):
        released, taken = wanted[name], {id(each) for each in found.values()}
        fits = called.get(name) or [
            each for each in called[""] if id(each) not in taken and _is_like(each, released)
        ]
        if _is_check(released):  # something else that is written in its cell may be a helper
            fits = [each for each in fits if _asks(each) or not _is_written(each, released)]
        if not fits:
            continue
        unwritten = {id(each) for each in fits if not _is_written(each, released)}
        if _is_check(released):
            answer = place.get(id(found.get(name.removesuffix("-test"))), len(cells))
            mine = next((each for each in fits if place[id(each)] > answer), fits[-1])
            spare |= {id(each) for each in fits if called.get(name)} | unwritten
        else:
            mine = ([each for each in fits if id(each) not in unwritten] or fits)[-1]
            spare |= unwritten
        found[name] = mine
        spare.discard(id(mine))
        if len(fits) > 1 and _is_check(released):
            repairs.append("of checks that stand there more than once, one counts")
        elif len(fits) > 1:
            which = "one" if id(mine) in unwritten else "the last with an answer"
            told = f"{len(fits)} cells of this name; {which} counts (cell {place[id(mine)]})"
            repairs.append(f"{name}: {told}")
    cells[:] = [each for each in cells if id(each) not in spare]
    return found, repairs


def _asks(cell: NotebookNode) -> bool:
    """Return whether nothing is written in it but what a check may hold."""
    return not re.search(r"^\s*(def|class|import|from)\s", cell.source, re.MULTILINE)


def _is_check(released: NotebookNode) -> bool:
    return bool(released.metadata.nbgrader.locked)


def _called(cell: NotebookNode, wanted: Container[str]) -> str:
    """Return which released cell it says it is; by nbgrader's name, its id, or the first line."""
    given = cell.metadata.get("nbgrader")
    told = [given.get("grade_id") if isinstance(given, dict) else None]
    told += [cell.id, cell.metadata.get("id")]
    if marker := MARKER.match(cell.source.lstrip()):
        told.append(marker[2] + "-test" * (marker[1] == "CHECK"))
    return next((each for each in told if isinstance(each, str) and each in wanted), "")


def _is_written(cell: NotebookNode, released: NotebookNode) -> bool:
    """Return whether somebody wrote in it more than comments and blanks."""
    return _gist(cell) not in ("", _gist(released))


def _gist(cell: NotebookNode) -> str:
    if cell.cell_type != "code":
        return str(cell.source.strip())
    lines = [line.rstrip() for line in cell.source.split("\n")]
    return "\n".join(each for each in lines if each and not each.lstrip().startswith("#"))


def _is_like(cell: NotebookNode, released: NotebookNode) -> bool:
    """Return whether it defines the same, or most of its text is the same."""
    if cell.cell_type != released.cell_type or not cell.source.strip():
        return False
    if _defined(released.source) and _defined(released.source) == _defined(cell.source):
        return True
    likeness = SequenceMatcher(None, released.source, cell.source, autojunk=False)
    return likeness.quick_ratio() > LIKE and likeness.ratio() > LIKE


def _defined(source: str) -> str:
    """The first function or class at the margin; empty if there is none."""
    defined = re.search(r"^(?:def|class)\s+(\w+)", source, re.MULTILINE)
    return defined[1] if defined else ""
