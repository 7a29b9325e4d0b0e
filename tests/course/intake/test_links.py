"""Nothing outside what was handed in is opened: no link, pipe, socket or device."""

import os
import socket
import zipfile
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.intake import collect
from helpers.course.settings import Course

UNIT = "01-tiny"
MINE = b'{"nbformat": 4, "cells": []}'


def _special(place: Path, kind: str, target: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        _bound(place)
    elif kind == "link to a socket":
        _bound(target.with_name("socket"))
        place.symlink_to(target.with_name("socket"))
    else:
        place.symlink_to({"link": target, "link to a device": Path("/dev/zero")}[kind])


def _bound(place: Path) -> None:
    """A socket's address has 108 bytes at most, so it is bound by a shorter way."""
    folder = os.open(place.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{folder}/{place.name}")
    os.close(folder)


KINDS = ["link", "link to a device", "link to a socket", "pipe", "socket"]
PLACES = ["eve", "eve.ipynb", "eve.zip", f"eve/{UNIT}", f"eve/{UNIT}/{UNIT}.ipynb", "eve/x.zip"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PLACES)
def test_nothing_but_files_and_folders_is_opened(
    two_units: Course, tmp_path: Path, kind: str, name: str
) -> None:
    bob, outside = tmp_path / "in" / "bob" / UNIT, tmp_path / "outside"
    for folder in (bob, outside / UNIT):
        folder.mkdir(parents=True)
        (folder / f"{UNIT}.ipynb").write_bytes(MINE)
    target = outside
    if name.endswith(".ipynb"):
        target = outside / UNIT / f"{UNIT}.ipynb"
    elif name.endswith(".zip"):
        target = tmp_path / "outside.zip"
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"{UNIT}.ipynb", MINE)
    _special(tmp_path / "in" / name, kind, target)
    table = collect.collect(two_units, tmp_path / "in", tmp_path / "out").set_index("student")
    assert [p.parts[-3] for p in (tmp_path / "out").rglob("*.ipynb")] == ["bob"]
    assert "is a link or the like, and was not opened" in table.notes["eve"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_time_is_read_from_elsewhere(two_units: Course, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "in" / "eve" / UNIT
    folder.mkdir(parents=True)
    (folder / f"{UNIT}.ipynb").write_bytes(MINE)
    (tmp_path / "secret").write_bytes(b"2001-01-01 00:00:00 UTC")
    _special(folder / "timestamp.txt", kind, tmp_path / "secret")
    [found] = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    assert (found.unit, found.when, found.problem) == (UNIT, "", "")
    assert found.notes == ("timestamp.txt is a link or the like, and was not opened",)


def test_folders_without_end_are_left(two_units: Course, tmp_path: Path) -> None:
    (tmp_path / "in" / "bob").mkdir(parents=True)
    (tmp_path / "in" / "bob" / f"{UNIT}.ipynb").write_bytes(MINE)
    here = os.open(tmp_path / "in", os.O_RDONLY)
    for _ in range(60):
        os.mkdir("eve", dir_fd=here)
        deeper = os.open("eve", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    bob, eve = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    assert (bob.problem, eve.problem) == ("", "folders more than 50 deep in folders")
