"""What is no notebook says so; what is one in another form is read."""

import ast
import json

import nbformat
import pytest

from helpers.course.intake import notebook_file
from helpers.course.settings import CourseError
from tests.course.intake.worked import Made, graded, repaired

OURS, THEIRS, ENDS = "<<<<<<< HEAD", "=======", ">>>>>>> abc"


def _read(source: str) -> tuple[str, list[str]]:
    """Read a notebook of one cell; return its source, and the repairs."""
    cells = [{"cell_type": "code", "source": source}]
    content = json.dumps({"nbformat": 4, "cells": cells}, ensure_ascii=False).encode()
    [cell], repairs = notebook_file.read(content)
    return cell.source, repairs


@pytest.mark.parametrize(
    "pairs",
    [
        ("    ", "\u00a0" * 4),
        ("    ", "\u2007\u202f\u2003\u3000"),
        ("return", "\u200breturn\ufeff"),
        ('"', "\u201d", " * ", "\u00a0* "),
        ("(", "\uff08", ")", "\uff09", ":", "\uff1a"),
        ("2 * x", "2 * x \u2212 0"),
        ("\n    return", "\u2028    return"),
    ],
)
def test_signs_that_python_does_not_know_are_written_as_it_does(pairs: tuple[str, ...]) -> None:
    """As a web page, a phone or an input method writes what they have typed."""
    source = 'def double(x):\n    """Twice."""\n    return 2 * x'
    for plain, odd in zip(pairs[::2], pairs[1::2], strict=True):
        source = source.replace(plain, odd)
    read, [told] = _read(f"%time\n{source}")
    assert ast.parse(read.removeprefix("%time\n")) and "return 2 * x" in read
    assert "signs that Python does not know" in told


@pytest.mark.parametrize(
    "source",
    [
        "said = '\u201cone\u00a0word\u201d \u2212'\n%time",
        "x = 'Việt क्षि ﷺ e\u0301\u0327 👩\u200d👩\u200d👧 ｶﾞ'",
    ],
)
def test_what_python_can_read_keeps_its_signs(source: str) -> None:
    assert _read(source) == (source, [])


STUB = '"    raise NotImplementedError()  # which is a long line"'


@pytest.mark.parametrize(
    ("ours", "base", "theirs"),
    [
        (['"    return 2 * x"'], [], [STUB]),
        ([STUB], ["||||||| base", '"    pass"'], ['"    return 2 * x"']),
        (['"    # twice\\n",', '"    return 2 * x"'], [], ['"    return 2 * x"']),
    ],
)
def test_a_merge_that_git_left_in_the_file_is_settled(
    made: Made, ours: list[str], base: list[str], theirs: list[str]
) -> None:
    lines = nbformat.writes(made.worked).splitlines()
    place = next(n for n, line in enumerate(lines) if "return 2 * x" in line)
    lines[place : place + 1] = [OURS, *ours, *base, THEIRS, *theirs, ENDS]
    notebook, repairs = repaired("\r\n".join(lines).encode(), made.released)
    assert "    return 2 * x" in dict(graded(notebook))["double"]
    assert dict(graded(notebook))["triple"] == dict(graded(made.worked))["triple"]
    assert "merge conflict" in repairs[0] and not any("missing" in each for each in repairs)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04", "archive"),
        (b"{", "is no notebook"),
        (b"\n<!DOCTYPE html><html>", "a web page, no notebook; download the notebook"),
        (b"%PDF-1.7", "a PDF"),
        (b"import torch\nprint(1)", "a script or another text"),
        (b'{"doc_id": "1x", "email": "a@b.c"}', "only a link to Google Drive; download"),
        (b"[" * 100_000, "is no notebook"),
        (b"[1, 2]", "other JSON"),
        (b'{"a": 1}', "no cells"),
        (b'{"nbformat": 3}', "old notebook"),
    ],
)
def test_what_cannot_be_graded_says_why(content: bytes, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        notebook_file.read(content)


def test_pictures_in_a_text_are_kept_and_nothing_else_that_is_attached() -> None:
    attached = {"a.png": {"image/png": "AAAA"}, "b": {"text/html": "<script>"}, "c": 5}
    cell = {"cell_type": "markdown", "source": "![a](attachment:a.png)", "attachments": attached}
    [read], _ = notebook_file.read(json.dumps({"nbformat": 4, "cells": [cell]}).encode())
    assert read.attachments == {"a.png": {"image/png": "AAAA"}}


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [
        ("x = 1", "x = 1 + 1", "x = 1 + 1"),
        ("!ls\nx = 1", "x = (", "!ls\nx = 1"),
        ("x = 1", "raise NotImplementedError", "x = 1"),
        ("x = (", "x = [", ""),
    ],
)
def test_a_merge_that_nbdime_left_in_a_cell_is_settled(ours: str, theirs: str, kept: str) -> None:
    source = "\n".join(["<<<<<<< local", ours, THEIRS, theirs, ">>>>>>> remote", "y = 2"])
    read, [told] = _read(source)
    assert read == (f"{kept}\ny = 2" if kept else source)
    assert ("the longer side" if kept else "keep one side") in told and told.startswith("cell 1: ")


@pytest.mark.parametrize("source", ["a" + "\u0301\u0327" * 16, "\u0f73" * 31, "x" * (2**20 + 1)])
def test_no_notebook_is_larger_than_a_person_writes(source: str) -> None:
    with pytest.raises(CourseError, match=r"more than 30 accents|1,048,576 are allowed"):
        _read(source)
