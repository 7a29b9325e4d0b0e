"""Reads the file that a learner handed in as the cells of a notebook; nothing of it is executed.

Every cell is made anew from its type, source and tags, so that what an editor adds or leaves out
does not matter. A file that is broken, merged or saved in another form is read as far as possible.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.authoring.source import TRAINING
from helpers.course.settings import CourseError

LARGEST = 50 * 2**20  # bytes of a file; figures in outputs make some notebooks large
CELLS = 2_000
TEXT = 2**20  # characters in all cells; the longest unit has 60,000
MARKS = 30  # on one letter; to put them in order, Unicode's way, takes as long as their square
STUB = "raise NotImplementedError"  # the last line of what is to be answered
MERGED = "lines of a merge conflict (<<<<<<<) stand in it"
PICTURES = {"image/png", "image/jpeg", "image/gif"}
TYPES = ("code", "markdown", "raw")
DECODER = json.JSONDecoder(strict=False)  # a tab or a line end in a text stops no notebook
DOWNLOAD = (
    "download the notebook (JupyterLab: File > Download; Colab: File > Download > Download .ipynb) "
    "and hand that in"
)
NO_NOTEBOOK = {  # what a file is that begins so, whatever it is called
    "a zip archive or an Office document": rb"PK",
    "a PDF": rb"%PDF",
    "a web page": rb"<[!?a-zA-Z]",
    "a pointer of git-lfs, which `git lfs pull` turns into the file": rb"version https://git-lfs",
    "a shortcut": rb"\[InternetShortcut",
    "a picture": rb"\x89PNG|\xff\xd8\xff|GIF8",
    "a text document (RTF or Word)": rb"\{\\rtf|\xd0\xcf\x11\xe0",
    "a compressed file": rb"\x1f\x8b|BZh|7z\xbc\xaf|Rar!|\xfd7zXZ",
    "a script or another text": rb"[\w#%@\"']",
}
CONFLICT = re.compile(r"([<|=>])\1{6}(\s|\Z)")  # a line that git or nbdime leaves
CODE = 20_000  # characters of a cell that is parsed; some take their square in time
# What editors, web pages and phones write for a plain sign, in the order in which they are tried.
SPACES = dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
SPACES |= dict.fromkeys([0x85, 0x2028, 0x2029], "\n")
SPACES |= dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF], "")
QUOTES = dict.fromkeys(map(ord, "‘’‚‛′"), "'") | dict.fromkeys(map(ord, "“”„‟″"), '"')
SIGNS = dict.fromkeys(map(ord, "‐‑‒–−"), "-") | {0xFEE0 + n: chr(n) for n in range(0x21, 0x7F)}
PLAIN = (SPACES, SPACES | QUOTES, SPACES | QUOTES | SIGNS)
ODD = re.compile("[" + "".join(map(chr, PLAIN[-1])) + "]")


def read(content: bytes) -> tuple[list[NotebookNode], list[str]]:
    """The cells in a file, without outputs, and the repairs that this took.

    Raises:
        CourseError: there is no notebook in it; the text says what there is instead.
    """
    if not content.strip():
        raise CourseError("the file is empty; save the notebook and hand it in again")
    begin = content[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    for what, signs in NO_NOTEBOOK.items():
        if re.match(signs, begin):
            raise CourseError(f"the file is {what}, no notebook; {DOWNLOAD}")
    repairs: list[str] = []
    found = _loaded(_decoded(content, repairs), repairs)
    cells = _cells(found, repairs)
    if len(cells) > CELLS:
        raise CourseError(f"the notebook has {len(cells):,} cells; {CELLS:,} are allowed")
    if any(_lacks_line_ends(cell.get("source")) for cell in cells):
        repairs.append("lines without line ends, joined with them")
    read = [fresh(cell) for cell in cells]
    if (size := sum(len(cell.source) for cell in read)) > TEXT:
        raise CourseError(f"its cells have {size:,} characters; {TEXT:,} are allowed")
    if _marked("\n".join(cell.source for cell in read)):
        raise CourseError(f"a letter in it has more than {MARKS} accents")
    for number, cell in enumerate(read, 1):
        if cell.cell_type == "code":
            repairs += [f"cell {number}: {what}" for what in (*_settled(cell), *_plain(cell))]
    return read, repairs


def _cells(found: Any, repairs: list[str]) -> list[dict[str, Any]]:
    """Return the cells in a file's JSON, if it is a notebook's."""
    if not isinstance(found, dict):
        raise CourseError(f"the file holds no notebook, but other JSON; {DOWNLOAD}")
    if isinstance(found.get("content"), dict):  # as Jupyter's server answers a browser
        found = found["content"]
    if found.get("nbformat") in (1, 2, 3) or "worksheets" in found:
        found = _upgraded(found)
        repairs.append("an old notebook format, converted")
    cells = found.get("cells")
    if not isinstance(cells, list):
        link = "url" in found or "doc_id" in found
        what = "only a link to Google Drive" if link else "no notebook: it has no cells"
        raise CourseError(f"the file holds {what}; {DOWNLOAD}")
    if found.get("nbformat") != 4:
        repairs.append(f"format {str(found.get('nbformat'))[:9]}, read as 4")
    return [cell for cell in cells if isinstance(cell, dict)]


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
    mended = content.decode("utf-8", "replace")
    odd = mended.count("\ufffd")
    if 0 < odd < sum(map(mended.count, set(mended) - set(map(chr, range(128))))) - odd:
        repairs.append(f"{odd} characters that are not in UTF-8, replaced")
        return mended.removeprefix("\ufeff")
    by_windows = ["cp1252"] * (content.lstrip()[:1] == b"{")  # before UTF-16 takes it for Chinese
    for encoding in ("utf-8", "utf-8-sig", *by_windows, "utf-16"):
        try:
            text = content.decode(encoding)
        except UnicodeError:
            continue
        if not text.startswith("\ufeff"):
            if encoding != "utf-8":
                repairs.append(f"saved as {encoding}")
            return text
    raise CourseError(f"the file is no text in UTF-8, so no notebook; {DOWNLOAD}")


def _loaded(text: str, repairs: list[str]) -> Any:
    """Return the JSON in `text`; of a file that breaks off, the cells up to there."""
    versions = _versions(text)
    if len(versions) > 1:
        repairs.append(f"{MERGED}; the longest version that can be read counts")
    whole = []
    for version in sorted(versions, key=len, reverse=True):
        try:
            found, end = DECODER.raw_decode(version.lstrip())
            whole.append((found, bool(version.lstrip()[end:].strip())))
        except (ValueError, RecursionError) as problem:
            error = problem
    if whole:
        found, more = min(whole, key=lambda each: _broken(each[0])) if whole[1:] else whole[0]
        repairs += ["text behind the end of the notebook, left out"] * more
        return found
    cells = max((list(_whole_cells(each)) for each in versions), key=len)
    if not cells:
        raise CourseError(f"the file is no notebook ({error}); {DOWNLOAD}") from error
    repairs.append(f"the file is broken; its first {len(cells)} cells could be read")
    return {"nbformat": 4, "cells": cells}


def _versions(text: str) -> list[str]:
    """Return a text; where git left conflicts in it, with both sides of each, ours, and theirs."""
    if not re.search(r"^<{7}\s", text, re.MULTILINE):
        return [text]
    both: list[str] = []
    ours: list[str] = []
    theirs: list[str] = []
    inside = {"<": [both, ours], "|": [], "=": [both, theirs]}
    everywhere = into = [both, ours, theirs]
    for line in text.splitlines(keepends=True):
        mark = CONFLICT.match(line)
        if mark and (mark[1] == "<" or into is not everywhere):
            into = inside.get(mark[1], everywhere)
        else:
            for each in into:
                each.append(line)
    return ["".join(each) for each in everywhere]


def _broken(found: Any) -> tuple[int, int]:
    """Count how many code cells are no Python, and how many are not answered yet."""
    cells = found.get("cells") if isinstance(found, dict) else None
    if not isinstance(cells, list):
        return CELLS + 1, 0
    read = [fresh(each) for each in cells if isinstance(each, dict)]
    code = [each.source for each in read if each.cell_type == "code"]
    return sum(not _parses(each) for each in code), sum(STUB in each for each in code)


def _settled(cell: NotebookNode) -> Iterator[str]:
    """Give a cell one side of a merge, where both stand in it; say so."""
    _, *sides = _versions(cell.source)
    if fits := [side for side in sides if _parses(side)]:
        cell.source = max(fits, key=lambda side: (STUB not in side, len(side)))
        yield f"{MERGED}; the longer side that is Python counts"
    elif sides:
        yield f"{MERGED}, and neither side is Python; keep one side and delete the other"


def _plain(cell: NotebookNode) -> Iterator[str]:
    """Write odd signs as plain ones, where Python can read the cell then and not before."""
    if not ODD.search(cell.source) or _parses(cell.source):
        return
    for table in PLAIN:
        if _parses(plain := cell.source.translate(table)):
            cell.source = plain
            yield "spaces, quotes or signs that Python does not know, written as plain ones"
            return


def _parses(source: str) -> bool:
    """Return whether it is Python, but for the lines that are IPython's."""
    if len(source) > CODE:
        return False
    for each in (source, "\n".join(map(_without_magic, source.split("\n")))):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            ast.parse(each)
            return True
    return False


def _without_magic(line: str) -> str:
    said = line.strip()
    magic = said.startswith(("%", "!", "?")) or said.endswith("?")
    return line[: len(line) - len(line.lstrip())] + "pass" if magic else line


def _whole_cells(text: str) -> Iterator[Any]:
    begin = re.search(r'"cells"\s*:\s*\[', text)
    place = begin.end() if begin else len(text)
    while start := re.compile(r"[\s,]*(?=\{)").match(text, place):
        try:
            cell, place = DECODER.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            return
        yield cell


def _upgraded(found: dict[str, Any]) -> Any:
    try:
        return nbformat.convert(nbformat.from_dict(found), 4)
    except Exception as error:  # whatever an ancient file lacks
        raise CourseError(f"an old notebook that cannot be converted ({error})") from error


def _lacks_line_ends(source: Any) -> bool:
    """Return whether it is a list of lines as some programs split them."""
    lines = source[:-1] if isinstance(source, list) else []
    return bool(lines) and not any("\n" in str(each) for each in lines)


def fresh(cell: dict[str, Any]) -> NotebookNode:
    """A fresh cell of the same type and text; of its metadata only what grading reads."""
    source = cell.get("source") or cell.get("input") or ""  # as older programs call it
    if isinstance(source, list):
        source = ("\n" if _lacks_line_ends(source) else "").join(map(str, source))
    kind = str(cell.get("cell_type", "code" if "outputs" in cell else "raw")).lower()
    kind = kind if kind in TYPES else "raw"
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    known = {name: metadata[name] for name in ("nbgrader", "id") if name in metadata}
    tags = metadata.get("tags")
    if isinstance(tags, list) and TRAINING in tags:
        known["tags"] = [TRAINING]
    source = str(source).encode(errors="replace").decode()  # half a letter cannot be written
    source = source.replace("\r\n", "\n").replace("\r", "\n")  # the line ends of some editors
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
