"""What is no notebook says so."""

import json
from typing import Any

import pytest

from helpers.course.intake import notebook_file
from helpers.course.settings import CourseError
from helpers.predict import ANSWER


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04", "archive"),
        (b"{", "is no notebook, or breaks off"),
        ("{}".encode("utf-16"), "saved as UTF-16: save it as UTF-8"),
        (b'{"nbformat": 3, "worksheets": []}', "nbformat 3: open it in Jupyter and save it"),
        (b"\n<!DOCTYPE html><html>", "a web page, no notebook; download the notebook"),
        (b"%PDF-1.7", "a PDF"),
        (b"import torch\nprint(1)", "is no notebook"),
        (b'{"doc_id": "1x", "email": "a@b.c"}', "only a link to Google Drive; download"),
        (b"[" * 100_000, "is no notebook"),
        (b"[1, 2]", "no notebook"),
        (b'{"a": 1}', "no cells"),
    ],
)
def test_what_cannot_be_graded_says_why(content: bytes, words: str) -> None:
    with pytest.raises(CourseError, match=words):
        notebook_file.read(content)


def test_letters_that_are_lost_are_a_repair() -> None:
    text = json.dumps({"cells": [{"cell_type": "code", "source": "é, \ufffd"}]}, ensure_ascii=False)
    assert notebook_file.read(text.encode())[1] == []
    [cell], repairs = notebook_file.read(text.replace("\ufffd", "è").encode("cp1252"))
    assert cell.source == "\ufffd, \ufffd"
    assert repairs == ["characters that are not in UTF-8, lost: 2"]


def test_pictures_in_a_text_are_kept_and_nothing_else_that_is_attached() -> None:
    attached = {"a.png": {"image/png": "AAAA"}, "b": {"text/html": "<script>"}, "c": 5}
    cell = {"cell_type": "markdown", "source": "![a](attachment:a.png)", "attachments": attached}
    [read], _ = notebook_file.read(json.dumps({"nbformat": 4, "cells": [cell]}).encode())
    assert read.attachments == {"a.png": {"image/png": "AAAA"}}


@pytest.mark.parametrize(
    ("found", "source"), [("b", '"b"'), ('"); x("', r'"\"); x(\""'), (3, '""')]
)
def test_a_prediction_that_was_chosen_below_its_cell_is_written_into_it(
    found: object, source: str
) -> None:
    outputs: list[Any] = [None, {"data": []}, {"data": {ANSWER: found}}]
    asks = 'predict("far", "Is it?", answer="")'
    cell = {"cell_type": "code", "source": asks, "outputs": outputs}
    [read], _ = notebook_file.read(json.dumps({"cells": [cell]}).encode())
    assert read.source == f'predict("far", "Is it?", answer={source})' and read.outputs == []


def test_a_prediction_is_written_once_however_often_it_is_asked_for() -> None:
    outputs = [{"data": {ANSWER: "b" * 50}}]
    cell = {"cell_type": "code", "source": 'answer=""' * 1000, "outputs": outputs}
    [read], _ = notebook_file.read(json.dumps({"cells": [cell]}).encode())
    assert len(read.source) == 9_050


def test_a_plot_of_a_million_numbers_costs_nobody_a_mark() -> None:
    figure = {"data": [{"x": list(range(1_000_000))}]}
    shown = {"output_type": "display_data", "data": {"application/vnd.plotly.v1+json": figure}}
    cell = {"cell_type": "code", "source": "plot()", "outputs": [shown]}
    [read], repairs = notebook_file.read(json.dumps({"cells": [cell]}).encode())
    assert (read.source, repairs) == ("plot()", [])


def test_no_notebook_is_larger_than_a_person_writes() -> None:
    cells = [{"cell_type": "code", "source": "x" * (2**20 + 1)}]
    with pytest.raises(CourseError, match="1,048,576 are allowed"):
        notebook_file.read(json.dumps({"cells": cells}).encode())
