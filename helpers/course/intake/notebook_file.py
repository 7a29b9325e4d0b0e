"""Reads the file that a learner handed in as the cells of a notebook; nothing of it is executed.

Every cell is made anew from its type and source, so that what an editor adds or leaves out does not
matter. A file that is broken, merged or saved in another form is read as far as possible.
"""

from __future__ import annotations

import ast
import codecs
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import nbformat
from nbformat import NotebookNode

from helpers.course.settings import CourseError

LARGEST = 50 * 2**20  # bytes of a file; figures in outputs make some notebooks large
CELLS = 2_000
TEXT = 2**20  # characters in all cells; the longest unit has 60,000
MARKS = 30  # on one letter; to put them in order, Unicode's way, takes as long as their square
STUB = "raise NotImplementedError"  # the last line of what is to be answered
TYPES = ("code", "markdown", "raw")
PICTURES = {"image/png", "image/jpeg", "image/gif"}
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
ODD_BYTE = re.compile("[\udc80-\udcff]")  # that is not in UTF-8, as Python writes it in a text
MERGED = "lines of a merge conflict (<<<<<<<) stand in it"
CONFLICT = re.compile(  # the lines that git or nbdime leave: one side, what both had, the other
    r"^<{7}\s.*?\n(.*?)(?:^\|{7}\s.*?)?^={7}\s(.*?)^>{7}(?:\s.*?(?:\n|\Z)|\Z)",
    re.MULTILINE | re.DOTALL,
)
# What editors, web pages and phones write for a plain sign, in the order in which they are tried.
SPACES = dict.fromkeys([0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
SPACES |= dict.fromkeys([0x85, 0x2028, 0x2029], "\n")
SPACES |= dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF], "")
QUOTES = dict.fromkeys(map(ord, "‘’‚‛′"), "'") | dict.fromkeys(map(ord, "“”„‟″"), '"')
SIGNS = dict.fromkeys(map(ord, "‐‑‒–−"), "-") | {0xFEE0 + n: chr(n) for n in range(0x21, 0x7F)}
PLAIN = (SPACES, SPACES | QUOTES, SPACES | QUOTES | SIGNS)
ODD = re.compile("[" + "".join(map(chr, PLAIN[-1])) + "]")


def read(content: bytes) -> tuple[list[NotebookNode], list[str]]:
    """Return the cells in a file, without outputs, and the repairs that this took.

    Raises:
        CourseError: there is no notebook in it; the text says what there is instead.
    """
    if not content.strip():
        raise CourseError("the file is empty; save the notebook and hand it in again")
    begin = content[:1000].removeprefix(codecs.BOM_UTF8).lstrip()
    for what, signs in NO_NOTEBOOK.items():
        if re.match(signs, begin):
            raise CourseError(f"the file is {what}, no notebook; {DOWNLOAD}")
    repairs: list[str] = []
    found = _cells(_loaded(_decoded(content, repairs), repairs), repairs)
    if len(found) > CELLS:
        raise CourseError(f"the notebook has {len(found):,} cells; {CELLS:,} are allowed")
    if any(_lacks_line_ends(cell.get("source")) for cell in found):
        repairs.append("lines without line ends, joined with them")
    cells = [fresh(cell) for cell in found]
    if (size := sum(len(cell.source) for cell in cells)) > TEXT:
        raise CourseError(f"its cells have {size:,} characters; {TEXT:,} are allowed")
    if _has_many_marks("\n".join(cell.source for cell in cells)):
        raise CourseError(f"a letter in it has more than {MARKS} accents")
    for number, cell in enumerate(cells, 1):
        if cell.cell_type == "code":
            repairs += [f"cell {number}: {what}" for what in (*_settled(cell), *_plain(cell))]
    return cells, repairs


def _decoded(content: bytes, repairs: list[str]) -> str:
    """Read bytes as UTF-16 where they say so, else as UTF-8, with odd bytes as of Windows."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        repairs.append("saved as utf-16")
        return content.decode("utf-16", "replace")
    text, odd = ODD_BYTE.subn(
        lambda found: bytes([ord(found[0]) - 0xDC00]).decode("cp1252", "replace"),
        content.decode("utf-8", "surrogateescape"),
    )
    if odd:
        repairs.append(f"{odd} characters that are not in UTF-8, read as cp1252")
    if text.startswith("\ufeff"):
        repairs.append("saved as utf-8-sig")
    return text.removeprefix("\ufeff")


def _loaded(text: str, repairs: list[str]) -> Any:
    """Return the JSON in `text`; of a file that breaks off, the cells up to there."""
    sides = _sides(text)
    if sides:
        repairs.append(f"{MERGED}; the side with fewer open exercises counts")
    # Of a merge, the side that is answered, or longer.
    versions = sorted(sides or [text], key=lambda each: (each.count(STUB), -len(each)))
    for version in versions:
        try:
            found, end = DECODER.raw_decode(version.lstrip())
        except (ValueError, RecursionError) as problem:
            error = problem
            continue
        if version.lstrip()[end:].strip():
            repairs.append("text behind the end of the notebook, left out")
        return found
    cells = max((list(_whole_cells(each)) for each in versions), key=len)
    if not cells:
        raise CourseError(f"the file is no notebook ({error}); {DOWNLOAD}") from error
    repairs.append(f"the file is broken; its first {len(cells)} cells could be read")
    return {"nbformat": 4, "cells": cells}


def _sides(text: str) -> list[str]:
    """Return both sides of a text in which a merge has left conflicts; else nothing."""
    return [CONFLICT.sub(side, text) for side in (r"\1", r"\2") if CONFLICT.search(text)]


def _whole_cells(text: str) -> Iterator[Any]:
    """Yield the cells up to where a file breaks off."""
    begin = re.search(r'"cells"\s*:\s*\[', text)
    place = begin.end() if begin else len(text)
    while start := re.compile(r"[\s,]*(?=\{)").match(text, place):
        try:
            cell, place = DECODER.raw_decode(text, start.end())
        except (ValueError, RecursionError):
            return
        yield cell


def _cells(found: Any, repairs: list[str]) -> list[dict[str, Any]]:
    """Return the cells in a file's JSON, if it is a notebook's."""
    if not isinstance(found, dict):
        raise CourseError(f"the file holds no notebook, but other JSON; {DOWNLOAD}")
    if found.get("nbformat") in (1, 2, 3) or "worksheets" in found:
        try:
            found = nbformat.convert(nbformat.from_dict(found), 4)
        except Exception as error:  # whatever an ancient file lacks
            raise CourseError(f"an old notebook that cannot be converted ({error})") from error
        repairs.append("an old notebook format, converted")
    cells = found.get("cells")
    if not isinstance(cells, list):
        link = "url" in found or "doc_id" in found
        what = "only a link to Google Drive" if link else "no notebook: it has no cells"
        raise CourseError(f"the file holds {what}; {DOWNLOAD}")
    if found.get("nbformat") != 4:
        repairs.append(f"format {str(found.get('nbformat'))[:9]}, read as 4")
    return [cell for cell in cells if isinstance(cell, dict)]


def _lacks_line_ends(source: Any) -> bool:
    """Return whether it is a list of lines as some programs split them."""
    lines = source[:-1] if isinstance(source, list) else []
    return bool(lines) and not any("\n" in str(each) for each in lines)


def _has_many_marks(text: str) -> bool:
    """Return whether more accents and the like than any language has stand on one letter."""
    normal = {each: unicodedata.normalize("NFKD", each) for each in set(text)}
    marks = [each for each in normal if any(map(unicodedata.combining, normal[each]))]
    many = f"[{re.escape(''.join(marks))}]{{{MARKS + 1}}}"
    return bool(marks) and re.search(many, text) is not None


def _settled(cell: NotebookNode) -> Iterator[str]:
    """Give a cell one side of a merge, where both stand in it; say so."""
    sides = _sides(cell.source)
    if fits := [side for side in sides if _parses(side)]:
        cell.source = max(fits, key=lambda side: (STUB not in side, len(side)))
        yield f"{MERGED}; the longer side that is Python counts"
    elif sides:
        yield f"{MERGED}, and neither side is Python; keep one side and delete the other"


def _plain(cell: NotebookNode) -> Iterator[str]:
    """Write odd signs as plain ones, where Python can read the cell then and not before."""
    if ODD.search(cell.source) and not _parses(cell.source):
        plain = (cell.source.translate(table) for table in PLAIN)
        if source := next(filter(_parses, plain), ""):
            cell.source = source
            yield "spaces, quotes or signs that Python does not know, written as plain ones"


def _parses(source: str) -> bool:
    """Return whether it is Python, but for the lines that are IPython's."""
    magic = re.compile(r"^([ \t]*)(?:[%!?].*|\S.*\?[ \t]*)$", re.MULTILINE)
    for each in (source, magic.sub(r"\1pass", source)):
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            ast.parse(each)
            return True
    return False


def fresh(cell: dict[str, Any]) -> NotebookNode:
    """Make a cell of the same type and text; of its metadata only what grading reads."""
    source = cell.get("source") or cell.get("input") or ""  # as older programs call it
    if isinstance(source, list):
        source = ("\n" if _lacks_line_ends(source) else "").join(map(str, source))
    source = str(source).encode(errors="replace").decode()  # half a letter cannot be written
    source = source.replace("\r\n", "\n").replace("\r", "\n")  # the line ends of some editors
    kind = str(cell.get("cell_type", "code" if "outputs" in cell else "raw")).lower()
    kind = kind if kind in TYPES else "raw"
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    known = {name: metadata[name] for name in ("nbgrader", "id") if name in metadata}
    made = nbformat.from_dict({"cell_type": kind, "source": source, "metadata": known})
    made.id = str(cell.get("id", metadata.get("id", "")))
    if kind == "code":
        made.outputs, made.execution_count = [], None
    if isinstance(pictures := cell.get("attachments"), dict) and kind == "markdown":
        made.attachments = nbformat.from_dict({n: p for n, p in pictures.items() if _is_picture(p)})
    return made


def _is_picture(bundle: Any) -> bool:
    kinds = bundle if isinstance(bundle, dict) else {}
    texts = all(isinstance(each, str) for each in kinds.values())
    return bool(kinds) and set(kinds) <= PICTURES and texts
