"""Notebooks as they are handed in, in folders and archives, and who was found."""

import io
import json
import os
import zipfile
from collections.abc import Iterable
from pathlib import Path

from helpers.course.intake import Submission

# Cells of either unit: so it is of the one that it is named by.
CELLS = [{"cell_type": "code", "id": name} for name in ("double", "twofold")]
NOTEBOOK = json.dumps({"nbformat": 4, "cells": CELLS})


def write(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(NOTEBOOK)
        os.utime(path, (number, number))
    return folder


def zipped(path: Path, names: Iterable[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, NOTEBOOK)
    return path


def who(found: list[Submission]) -> list[tuple[str, str]]:
    return [(each.student, each.unit) for each in found]


def archive(*names: str) -> bytes:
    with io.BytesIO() as content:
        with zipfile.ZipFile(content, "w") as opened:
            for name in names:
                opened.writestr(name, "{}")
        return content.getvalue()


def zip_of(place: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(place, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return place
