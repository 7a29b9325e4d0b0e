"""What is no notebook says so; what is one in another form is read."""

import ast
import json
from collections.abc import Callable
from typing import Any

import nbformat
import pytest

from helpers.course.intake import notebook_file
from helpers.course.settings import CourseError
from tests.course.intake.worked import Made, graded, repaired

OURS, THEIRS, ENDS = "<<<<<<< HEAD", "=======", ">>>>>>> abc"


def _signs(*pairs: str) -> Callable[[dict[str, Any]], None]:
    """As a web page, a phone or an input method writes what they have typed."""

    def change(found: dict[str, Any]) -> None:
        for cell in found["cells"]:
            if "# EXERCISE double" in "".join(cell["source"]):
                source = "".join(cell["source"])
                for plain, odd in zip(pairs[::2], pairs[1::2], strict=True):
                    source = source.replace(plain, odd)
                cell["source"] = "%time\n" + source

    return change


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
def test_signs_that_python_does_not_know_are_written_as_it_does(
    made: Made, pairs: tuple[str, ...]
) -> None:
    found = json.loads(nbformat.writes(made.worked))
    _signs(*pairs)(found)
    notebook, repairs = repaired(json.dumps(found).encode(), made.released)
    answer = dict(graded(notebook))["double"].removeprefix("%time\n")
    assert ast.parse(answer) and "return 2 * x" in answer
    assert [each for each in repairs if "signs that Python does not know" in each]


def test_what_python_can_read_keeps_its_signs() -> None:
    source = "said = '\u201cone\u00a0word\u201d \u2212'\n%time"
    cells = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}
    read, repairs = notebook_file.read(json.dumps(cells).encode())
    assert (read[0].source, repairs) == (source, [])
    cells["cells"] = [{"cell_type": "code", "source": source.replace(" =", "\u00a0=")}]
    assert (
        "\u201cone word\u201d \u2212" in notebook_file.read(json.dumps(cells).encode())[0][0].source
    )


STUB = '"    raise NotImplementedError()  # which is a long line"'


@pytest.mark.parametrize("base", [[], ["||||||| base", '"    pass"']])
@pytest.mark.parametrize(
    "sides",
    [
        (['"    return 2 * x"'], [STUB]),
        ([STUB], ['"    return 2 * x"']),
        (['"    # twice\\n",', '"    return 2 * x"'], ['"    return 2 * x"']),
    ],
)
def test_a_merge_that_git_left_in_the_file_is_settled(
    made: Made, sides: tuple[list[str], list[str]], base: list[str]
) -> None:
    lines = nbformat.writes(made.worked).splitlines()
    place = next(n for n, line in enumerate(lines) if "return 2 * x" in line)
    lines[place : place + 1] = [OURS, *sides[0], *base, THEIRS, *sides[1], ENDS]
    notebook, repairs = repaired("\r\n".join(lines).encode(), made.released)
    assert "    return 2 * x" in dict(graded(notebook))["double"]
    assert dict(graded(notebook))["triple"] == dict(graded(made.worked))["triple"]
    assert "merge conflict" in repairs[0] and not any("missing" in each for each in repairs)


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
    cells = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}
    [cell], [told] = notebook_file.read(json.dumps(cells).encode())
    assert cell.source == (f"{kept}\ny = 2" if kept else source)
    assert ("the longer side" if kept else "keep one side") in told and told.startswith("cell 1: ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"PK\x03\x04", "archive"),
        (b"\xff\xfe\xff", "is no notebook"),
        (b"{", "is no notebook"),
        (b"\n<!DOCTYPE html><html>", "a web page, no notebook; download the notebook"),
        (b"\xef\xbb\xbf<html lang=de>", "a web page"),
        (b"%PDF-1.7", "a PDF"),
        (b"{\\rtf1", "a text document"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x1f\x8b\x08", "a compressed file"),
        (b"version https://git-lfs.github.com/spec/v1", "git lfs pull"),
        (b"import torch\nprint(1)", "a script or another text"),
        (b'{"doc_id": "1x", "email": "a@b.c"}', "only a link to Google Drive; download"),
        (b"[InternetShortcut]\nURL=https://", "a shortcut"),
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
    ("cells", "words"),
    [
        ([{}] * (notebook_file.CELLS + 1), "2,001 cells; 2,000 are allowed"),
        (
            [{"source": "x" * (notebook_file.TEXT // 2 + 1)}] * 2,
            "characters; 1,048,576 are allowed",
        ),
        ([{"source": "a" + "\u0301\u0327" * 16}], "more than 30 accents"),
        ([{"source": "\u0f73" * 31}], "more than 30 accents"),
    ],
)
def test_no_notebook_is_larger_than_a_person_writes(
    cells: list[dict[str, str]], words: str
) -> None:
    with pytest.raises(CourseError, match=words):
        notebook_file.read(json.dumps({"nbformat": 4, "cells": cells}).encode())


def test_letters_of_all_languages_are_read() -> None:
    source = "x = 'Việt क्षि ﷺ e\u0301\u0327 👩\u200d👩\u200d👧 ｶﾞ'"
    cells = {"nbformat": 4, "cells": [{"cell_type": "code", "source": source}]}
    assert notebook_file.read(json.dumps(cells).encode())[0][0].source == source


def test_a_byte_that_is_not_in_utf_8_costs_itself_alone() -> None:
    cell = {"cell_type": "code", "source": "\u03b8 = '\u00e9\u2026'  # x"}
    content = json.dumps({"nbformat": 4, "cells": [cell]}, ensure_ascii=False).encode()
    [read], repairs = notebook_file.read(content.replace(b"# x", b"# \xe9"))
    assert read.source == "\u03b8 = '\u00e9\u2026'  # \u00e9" and "not in UTF-8" in repairs[0]
