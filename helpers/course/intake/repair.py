"""What a learner handed in, as a notebook that can be graded; nothing of it is executed.

Every cell is made anew from its type, source and tags, so that what an editor adds or leaves out
does not matter. The cells of the release get their metadata, and locked ones their text, back from
it; each repair is named.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from helpers.course.authoring.source import TRAINING
from helpers.course.settings import CourseError

LARGEST = 50 * 2**20  # bytes of a file; figures in outputs make some notebooks large
CELLS = 2_000
TEXT = 2**20  # characters in all cells; the longest unit has 60,000
MARKS = 30  # on one letter; to put them in order, Unicode's way, takes as long as their square
MARKER = re.compile(r"#\s*(EXERCISE|CHECK)\s+([\w-]+)")
AS_A_LINE = " as a line: the answer stands in another cell"
LIKE = 0.6  # fraction of a released cell that must be found again
PICTURES = {"image/png", "image/jpeg", "image/gif"}
TYPES = ("code", "markdown", "raw")


def read(content: bytes) -> tuple[list[NotebookNode], list[str]]:
    """The cells in a file, without outputs, and the repairs that this took.

    Raises:
        CourseError: there is no notebook in it; the text says what there is instead.
    """
    if not content.strip():
        raise CourseError("the file is empty")
    if content.startswith(b"PK"):
        raise CourseError("the file is an archive that cannot be unpacked")
    repairs: list[str] = []
    found = _loaded(_decoded(content, repairs), repairs)
    if not isinstance(found, dict):
        raise CourseError("the file holds no notebook, but other JSON")
    if found.get("nbformat") in (1, 2, 3) or "worksheets" in found:
        found = _upgraded(found)
        repairs.append("an old notebook format, converted")
    cells = found.get("cells")
    if not isinstance(cells, list):
        raise CourseError("the file holds no notebook: it has no cells")
    if found.get("nbformat") != 4:
        repairs.append(f"format {str(found.get('nbformat'))[:9]}, read as 4")
    if len(cells) > CELLS:
        raise CourseError(f"the notebook has {len(cells):,} cells; {CELLS:,} are allowed")
    read = [_cell(cell) for cell in cells if isinstance(cell, dict)]
    if (size := sum(len(cell.source) for cell in read)) > TEXT:
        raise CourseError(f"its cells have {size:,} characters; {TEXT:,} are allowed")
    if _marked("\n".join(cell.source for cell in read)):
        raise CourseError(f"a letter in it has more than {MARKS} accents")
    return read, repairs


def _marked(text: str) -> bool:
    """Whether more accents and the like than any language has stand on one letter."""
    marks = {
        each
        for each in set(text)
        if any(map(unicodedata.combining, unicodedata.normalize("NFKD", each)))
    }
    named = re.escape("".join(sorted(marks)))
    return bool(marks) and re.search(f"[{named}]{{{MARKS + 1}}}", text) is not None


def _decoded(content: bytes, repairs: list[str]) -> str:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if not text.startswith("\ufeff"):
            if encoding != "utf-8":
                repairs.append(f"saved as {encoding}")
            return text
    raise CourseError("the file is no text in UTF-8")


def _loaded(text: str, repairs: list[str]) -> Any:
    """The JSON in `text`; of a file that breaks off, the cells up to there."""
    try:
        found, end = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError) as error:
        cells = list(_whole_cells(text))
        if not cells:
            raise CourseError(f"the file is no notebook ({error})") from error
        repairs.append(f"the file is broken; its first {len(cells)} cells could be read")
        return {"nbformat": 4, "cells": cells}
    if text.lstrip()[end:].strip():
        repairs.append("text behind the end of the notebook, left out")
    return found


def _whole_cells(text: str) -> Iterator[Any]:
    begin = re.search(r'"cells"\s*:\s*\[', text)
    place = begin.end() if begin else len(text)
    decoder = json.JSONDecoder()
    while start := re.compile(r"[\s,]*(?=\{)").match(text, place):
        try:
            cell, place = decoder.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            return
        yield cell


def _upgraded(found: dict[str, Any]) -> Any:
    try:
        return nbformat.convert(nbformat.from_dict(found), 4)
    except Exception as error:  # whatever an ancient file lacks
        raise CourseError(f"an old notebook that cannot be converted ({error})") from error


def _cell(cell: dict[str, Any]) -> NotebookNode:
    """A fresh cell of the same type and text; of its metadata only what grading reads."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(map(str, source))
    kind = cell.get("cell_type")
    kind = kind if kind in TYPES else "raw"
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    known = {name: metadata[name] for name in ("nbgrader", "id") if name in metadata}
    tags = metadata.get("tags")
    if isinstance(tags, list) and TRAINING in tags:
        known["tags"] = [TRAINING]
    source = str(source).encode(errors="replace").decode()  # half a letter cannot be written
    source = source.replace("\r\n", "\n")  # the line ends of some editors
    made = nbformat.from_dict({"cell_type": kind, "source": source, "metadata": known})
    if kind == "code":
        made.outputs, made.execution_count = [], None
    made.id = str(cell.get("id", metadata.get("id", "")))
    if isinstance(pictures := cell.get("attachments"), dict) and kind == "markdown":
        made.attachments = nbformat.from_dict({n: p for n, p in pictures.items() if _is_picture(p)})
    return made


def _is_picture(bundle: Any) -> bool:
    match bundle:
        case {**kinds} if kinds and set(kinds) <= PICTURES:
            return all(isinstance(each, str) for each in kinds.values())
    return False


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
            fresh = _cell(cell)
            elsewhere = not cell.metadata.nbgrader.locked and _holds(order, _defined(cell.source))
            if elsewhere:  # what the release has there would take its place
                fresh.source = cell.source.split("\n")[0]
            order.insert(before + 1, fresh)
            found[name] = fresh
            repairs.append(f"{name}: the cell was missing, put back" + AS_A_LINE * elsewhere)
        mine = found[name]
        repairs += _reset(name, mine, cell)
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
        changed = _cell({**mine, "cell_type": released.cell_type})
        mine.clear()
        mine.update(changed)
        yield f"{name}: was another kind of cell, put back"
    if mine.metadata.get("nbgrader") != released.metadata.nbgrader:
        mine.metadata["nbgrader"] = nbformat.from_dict(released.metadata.nbgrader)
        yield f"{name}: its metadata had been changed, put back"
    tags = _cell(released).metadata.get("tags", [])
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
    """Which cell is which of the release: by name, by id, by first line, by likeness."""
    found: dict[str, NotebookNode] = {}
    repairs: list[str] = []
    # Way by way, so that no cell is taken by likeness that has another one's name.
    for way in (_by_name, _by_id, _by_marker, _by_likeness):
        for name in [each for each in wanted if each not in found]:
            taken = {id(each) for each in found.values()}
            fits = [c for c in cells if id(c) not in taken and way(c, name, wanted[name])]
            if fits:
                found[name] = _chosen(fits, wanted[name])
            if len(fits) > 1:
                repairs.append(f"{name}: {len(fits)} cells of this name; one of them counts")
    return found, repairs


def _chosen(fits: list[NotebookNode], released: NotebookNode) -> NotebookNode:
    """Of several copies the last that holds work; it is the one Python would go by."""
    worked = [cell for cell in fits if cell.source.strip() != released.source.strip()]
    return (worked or fits)[-1]


def _by_name(cell: NotebookNode, name: str, _released: NotebookNode) -> bool:
    given = cell.metadata.get("nbgrader")
    return isinstance(given, dict) and given.get("grade_id") == name


def _by_id(cell: NotebookNode, name: str, _released: NotebookNode) -> bool:
    return cell.id == name or cell.metadata.get("id") == name


def _by_marker(cell: NotebookNode, name: str, _released: NotebookNode) -> bool:
    """The first line that the builder gave the cell."""
    marker = MARKER.match(cell.source.lstrip())
    return marker is not None and name == marker[2] + "-test" * (marker[1] == "CHECK")


def _by_likeness(cell: NotebookNode, _name: str, released: NotebookNode) -> bool:
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
