"""Notebooks as they are handed in, in folders and archives, and who was found."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

from helpers.course.intake import Submission

# Cells of either unit: so it is of the one that it is named by.
CELLS = [{"cell_type": "code", "id": name} for name in ("double", "twofold")]
NOTEBOOK = json.dumps({"nbformat": 4, "cells": CELLS})
UNITS = ["01-tiny", "02-small"]
MOODLE = "{}_{}_assignsubmission_file_"
Files = Mapping[str, str | bytes]


def of(*names: str) -> dict[str, str | bytes]:
    return dict.fromkeys(names, NOTEBOOK)


def write(folder: Path, files: Files) -> Path:
    """Write files into a folder, each newer than the one before; return the folder."""
    for number, (name, content) in enumerate(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        os.utime(path, (number, number))
    return folder


def zipped(files: Files) -> bytes:
    with io.BytesIO() as content:
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
            for name, text in files.items():
                opened.writestr(name, text)
        return content.getvalue()


def both(place: Path, files: Files) -> tuple[Path, Path]:
    (place / "all.zip").write_bytes(zipped(files))
    return write(place / "in", files), place / "all.zip"


def who(found: list[Submission]) -> list[tuple[str, str]]:
    return [(each.student, each.unit) for each in found]
