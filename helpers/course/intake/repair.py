"""Puts the cells of a release back into their places in a learner's notebook; nothing is executed.

They get their metadata, and locked ones their text, back from the release; each repair is named.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import nbformat
from nbformat import NotebookNode, v4

from helpers.course.intake.notebook_file import STUB, fresh

MARKER = re.compile(r"#\s*(EXERCISE|CHECK)\s+([\w-]+)")
DEFINED = re.compile(r"^(?:async def|def|class)\s+(\w+)", re.MULTILINE)
AS_A_LINE = " as a line: the answer stands in another cell"


def restored(cells: list[NotebookNode], release: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Return the learner's cells with those of the release in their places, and the repairs."""
    wanted = {c.metadata.nbgrader.grade_id: c for c in release.cells if "nbgrader" in c.metadata}
    found, repairs = matched(cells, wanted)
    known = {id(cell) for cell in found.values()}
    for cell in cells:
        if id(cell) not in known and cell.metadata.pop("nbgrader", None) is not None:
            repairs.append("a graded cell that this release has not, made a plain one")
    order = list(cells)
    before = -1  # index of the released cell before this one
    for name, released in wanted.items():
        if name not in found:
            found[name] = made = fresh(released)
            elsewhere = any(_defined(released) & _defined(each) for each in order)
            if elsewhere:  # what the release has there would take its place
                made.source = released.source.split("\n")[0]
            order.insert(before + 1, made)
            repairs.append(f"{name}: the cell was missing, put back" + AS_A_LINE * elsewhere)
        mine = found[name]
        repairs += _reset(name, mine, released)
        answer = found.get(name.removesuffix("-test"), mine)
        if _is_check(released) and _index(order, answer) > _index(order, mine):
            order.pop(_index(order, mine))
            order.insert(_index(order, answer) + 1, mine)
            repairs.append(f"{name}: the check stood above its answer, put behind it")
        before = _index(order, mine)
    repairs += _gathered(order, {name: found[name] for name in wanted}, release)
    for number, cell in enumerate(order):
        cell.metadata.pop("id", None)
        cell.id = cell.metadata.get("nbgrader", {}).get("grade_id", f"cell-{number}")
    notebook = v4.new_notebook(cells=order, metadata=nbformat.from_dict(release.metadata))
    return notebook, list(dict.fromkeys(repairs))


def _gathered(
    order: list[NotebookNode], found: dict[str, NotebookNode], release: NotebookNode
) -> Iterator[str]:
    """Copy essays that stand in cells around their own, which is as it was released, into it."""
    given = {each.source.strip() for each in release.cells}
    graded = [_index(order, cell) for cell in found.values()]
    for name, cell in found.items():
        mine = cell.metadata.nbgrader
        if cell.cell_type == "code" or not mine.get("grade") or cell.source.strip() not in given:
            continue
        place = _index(order, cell)
        begin = max((each for each in graded if each < place), default=-1)
        end = min((each for each in graded if each > place), default=len(order))
        texts = [each.source.strip() for each in order[begin + 1 : end] if each.cell_type != "code"]
        if own := [each for each in texts if each and each not in given]:
            cell.source = "\n\n".join(own)
            yield f"{name}: the answer stood in another cell, copied into its own"


def _reset(name: str, mine: NotebookNode, released: NotebookNode) -> Iterator[str]:
    """Give a learner's cell what the release says of it; name what had been changed."""
    if mine.cell_type != released.cell_type:
        changed = fresh({**mine, "cell_type": released.cell_type})
        mine.clear()
        mine.update(changed)
        yield f"{name}: was another kind of cell, put back"
    mine.metadata["nbgrader"] = nbformat.from_dict(released.metadata.nbgrader)
    if _is_check(released):
        if mine.source.strip() != released.source.strip():
            yield f"{name}: the check was another than this release's, put back"
        mine.source = released.source


def matched(
    cells: list[NotebookNode], wanted: dict[str, NotebookNode]
) -> tuple[dict[str, NotebookNode], list[str]]:
    """Tell which cell is which of the release: by name, id, first line, or what it defines.

    Of several copies one counts. Those that nobody wrote in, and of checks all others, are taken
    out of `cells`: what stands further down would take the place of the answer.
    """
    found: dict[str, NotebookNode] = {}
    repairs: list[str] = []
    spare: list[NotebookNode] = []
    place = {id(cell): number for number, cell in enumerate(cells, 1)}
    called = defaultdict(list)
    for cell in cells:
        called[next((each for each in _claims(cell) if each in wanted), "")].append(cell)
    checks = [name for name, released in wanted.items() if _is_check(released)]
    for name in (each for each in wanted if each not in checks):
        released = wanted[name]
        same = (each for each in called[""] if _defined(each) & _defined(released))
        fits = called.get(name) or list(same)
        written = [each for each in fits if _is_written(each, released)]
        if fits:
            found[name] = mine = (written or fits)[-1]
            spare += [each for each in fits if each not in written]
        if len(fits) > 1:
            which = "the last with an answer" if written else "one"
            which = f"{which} counts (cell {place[id(mine)]})"
            repairs.append(f"{name}: {len(fits)} cells of this name; {which}")
    for name in checks:
        # Something else that is written in its cell may be a helper of the learner's.
        fits = [each for each in called[name] if not _defined(each)]
        if fits:
            answer = place.get(id(found.get(name.removesuffix("-test"))), len(cells))
            found[name] = next((each for each in fits if place[id(each)] > answer), fits[-1])
            spare += fits
        if len(fits) > 1:
            repairs.append("of checks that stand there more than once, one counts")
    unused = {id(each) for each in spare} - {id(each) for each in found.values()}
    cells[:] = [each for each in cells if id(each) not in unused]
    return found, repairs


def names(cell: NotebookNode) -> set[str]:
    """Return what exercises the cell may be of: by its metadata, its id or its first line."""
    return {each.removesuffix("-test") for each in _claims(cell)}


def is_answered(cell: NotebookNode) -> bool:
    """Return whether the cell, which is of an exercise, is neither a stub nor a check."""
    lines = [line.strip() for line in cell.source.strip().split("\n")]
    is_stub = any(STUB in line and not line.startswith("#") for line in lines)
    return cell.cell_type == "code" and not is_stub and "check." not in lines[-1]


def _claims(cell: NotebookNode) -> Iterator[str]:
    """Yield which released cell it says it is; by nbgrader's name, its ids, or the first line."""
    given = cell.metadata.get("nbgrader")
    claims = [given.get("grade_id") if isinstance(given, dict) else None]
    claims += [cell.id, cell.metadata.get("id")]
    if marker := MARKER.match(cell.source.lstrip()):
        claims.append(marker[2] + "-test" * (marker[1] == "CHECK"))
    yield from (each for each in claims if each and isinstance(each, str))


def _is_check(released: NotebookNode) -> bool:
    return bool(released.metadata.nbgrader.locked)


def _index(cells: list[NotebookNode], cell: NotebookNode) -> int:
    return next(n for n, each in enumerate(cells) if each is cell)


def _is_written(cell: NotebookNode, released: NotebookNode) -> bool:
    """Return whether somebody wrote in it more than comments and blanks."""
    return _gist(cell) not in ("", _gist(released))


def _gist(cell: NotebookNode) -> str:
    if cell.cell_type != "code":
        return str(cell.source.strip())
    lines = [line.rstrip() for line in cell.source.split("\n")]
    return "\n".join(each for each in lines if each and not each.lstrip().startswith("#"))


def _defined(cell: NotebookNode) -> set[str]:
    return set(DEFINED.findall(cell.source)) if cell.cell_type == "code" else set()
