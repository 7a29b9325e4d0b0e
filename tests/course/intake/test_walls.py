"""One learner stops nobody: too much, too deep, too slow, and what is no file of theirs."""

import contextlib
import io
import json
import os
import random
import re
import stat
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from nbformat import v4

from helpers.course import intake
from helpers.course.grading import autograde
from helpers.course.intake import upload
from helpers.course.settings import LONGEST, Course, CourseError, table_text
from tests.course.intake.handed_in import MOODLE, Files, write, zipped

UNIT = "01-tiny"
MINE = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "id": "double"}]}).encode()
KANJI = "課"


BOMB = zipped({f"{n}.ipynb": b"\0" * (16 << 20) for n in range(8)})


def _encrypted() -> bytes:
    content = bytearray(zipped({"01-tiny.ipynb": MINE}))
    content[6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def _bzip2() -> bytes:
    """As zipfile unpacks it, 300 bytes may become 200 MB at once."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("01-tiny.ipynb", MINE)
    return content.getvalue()


def _damaged() -> bytes:
    content = bytearray(zipped({"01-tiny.ipynb": MINE * 500}))
    content[45:55] = b"\xff" * 10  # the compressed data themselves
    return bytes(content)


def _link() -> bytes:
    content = zipped({"01-tiny.ipynb": "/etc/passwd"})
    place = content.rindex(b"PK\x01\x02") + 38  # of the attributes, in the directory
    attributes = ((stat.S_IFLNK | 0o777) << 16).to_bytes(4, "little")
    return content[:place] + attributes + content[place + 4 :]


GRADED = ""
# What is in Eve's folder of a platform's zip, and what her row says.
UPLOADS: dict[str, tuple[Callable[[], Files], str]] = {
    "a name of 270 bytes": (lambda: {KANJI * 90 + ".ipynb": MINE}, GRADED),
    "a name as long as a zip allows": (lambda: {"x" * 65_000 + ".ipynb": MINE}, GRADED),
    "a file and a folder of one name": (
        lambda: {"x.ipynb": MINE, "x.ipynb/01-tiny.ipynb": MINE},
        GRADED,
    ),
    "989 folders deep": (lambda: {"d/" * 989 + "01-tiny.ipynb": MINE}, GRADED),
    "names that lead out": (
        lambda: {"h.zip": zipped({"../../../x.ipynb": MINE, "/etc/y.ipynb": MINE})},
        GRADED,
    ),
    "what macOS leaves": (
        lambda: {"01-tiny.ipynb": MINE, "__MACOSX/._01-tiny.ipynb": b"x", "._x.ipynb": b"x"},
        GRADED,
    ),
    "an archive that is a bomb": (lambda: {"h.zip": BOMB}, "more than 64 MB, unpacked"),
    "a large archive": (lambda: {"h.zip": zipped({"x": os.urandom(2 << 20)})}, "more than 1 MB"),
    "notebooks side by side": (
        lambda: {f"{n}.ipynb": b"\0" * (20 << 20) for n in range(4)},
        "more than 64 MB",
    ),
    "one notebook": (lambda: {"01-tiny.ipynb": b" " * (51 << 20)}, "51 MB; 50 are allowed"),
    "many files": (lambda: {"h.zip": zipped({f"{n}": b"" for n in range(1001)})}, "1,000 files"),
    "an encrypted archive": (lambda: {"h.zip": _encrypted()}, "encrypted"),
    "a damaged archive": (lambda: {"h.zip": _damaged()}, "01-tiny.ipynb cannot be read"),
    "an archive of bzip2": (lambda: {"h.zip": _bzip2()}, "compressed as few programs do"),
    "a link in an archive": (lambda: {"h.zip": _link()}, "not opened"),
    "a text of wide letters": (
        lambda: {"x.ipynb": b' {"x": "' + "\U0001f600".encode() + b"x" * (45 << 20) + b'"}'},
        "no notebook: it has no cells",
    ),
    "a number": (lambda: {"x.ipynb": b'{"cells": ' + b"9" * 9_000_000 + b"}"}, "no notebook"),
    "a terminal's commands": (lambda: {"\x1b[2J\n=cmd.ipynb": b"{}"}, r"\x1b\[2J\n=cmd"),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits, smaller, so that they are reached in no time."""
    for name, most in {"ARCHIVE": 1 << 20, "UNPACKED": 64 << 20, "FILES": 1_000}.items():
        monkeypatch.setattr(upload, name, most)


@pytest.mark.parametrize("upload", UPLOADS)
def test_an_upload_costs_its_sender_alone(two_units: Course, tmp_path: Path, upload: str) -> None:
    made, told = UPLOADS[upload]
    eve = {MOODLE.format("Eve", 9) + f"/{name}": text for name, text in made().items()}
    place = tmp_path / "all.zip"
    place.write_bytes(zipped({MOODLE.format("Bob", 7) + "/x.ipynb": MINE, **eve}))
    bob, *eves = intake.find(two_units, place, tmp_path / "unpacked", platform="moodle")
    assert (bob.student, bob.unit, bob.problem) == ("Bob-7", UNIT, "")
    assert [each.student for each in eves] == ["Eve-9"]
    assert re.search(told, eves[0].problem), eves[0].problem
    assert all(each.isprintable() for each in eves[0].notes)
    if told == GRADED:
        assert (eves[0].unit, eves[0].problem) == (UNIT, "")
        assert eves[0].path.read_bytes() == MINE
    copies = [*(tmp_path / "unpacked").rglob("*")]
    assert sum(path.stat().st_blocks * 512 for path in copies) < 80 << 20
    names = {path.relative_to(tmp_path / "unpacked").as_posix() for path in copies}
    assert all(re.fullmatch(r"[01](/\d+)?", name) for name in names)
    assert not (tmp_path / "x.ipynb").exists()


@pytest.mark.parametrize("target", ["a file like it", "/dev/zero", "a pipe"])
@pytest.mark.parametrize(
    "name", ["eve", "eve.zip", f"eve/{UNIT}", "eve/x.ipynb", "eve/timestamp.txt"]
)
def test_nothing_but_files_and_folders_is_opened(
    two_units: Course, tmp_path: Path, target: str, name: str
) -> None:
    files: dict[str, str | bytes] = {f"{UNIT}.ipynb": MINE}
    files["timestamp.txt"] = "2001-01-01 00:00:00 UTC"
    outside = write(tmp_path / "outside", files | {"x.zip": zipped(files)})
    targets = {".ipynb": f"{UNIT}.ipynb", ".zip": "x.zip", ".txt": "timestamp.txt"}
    write(tmp_path / "in", {f"bob/{UNIT}.ipynb": MINE})
    (place := tmp_path / "in" / name).parent.mkdir(exist_ok=True)
    if target == "a pipe":
        os.mkfifo(place)
    else:
        like = outside / targets.get(place.suffix, "")
        place.symlink_to(target if target[0] == "/" else like)
    bob, *eves = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    copies = [each for each in (tmp_path / "unpacked").rglob("*") if each.is_file()]
    assert [each.read_bytes() for each in copies] == [MINE]
    assert not bob.problem and eves[0].student.startswith("eve")
    assert "is a link or the like, and was not opened" in eves[0].problem


def test_folders_without_end_are_left(two_units: Course, tmp_path: Path) -> None:
    write(tmp_path / "in", {f"bob/{UNIT}.ipynb": MINE})
    here = os.open(tmp_path / "in", os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("eve", dir_fd=here)
        deeper = os.open("eve", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    try:
        bob, eve = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    finally:
        subprocess.run(["rm", "-rf", tmp_path / "in" / "eve"], check=True)  # too deep for pytest
    assert (bob.problem, eve.student) == ("", "eve") and eve.problem


@pytest.mark.parametrize("error", [FileNotFoundError, PermissionError])
def test_a_file_that_cannot_be_looked_at_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[OSError]
) -> None:
    """Another program may have removed it since its folder was listed."""
    write(tmp_path, {f"{name}.ipynb": MINE for name in ("a", "b", "c")})
    scandir = os.scandir

    @contextlib.contextmanager
    def scanned(place: Path) -> Iterator[Iterator[os.DirEntry[str] | Mock]]:
        with scandir(place) as entries:
            gone = Mock(stat=Mock(side_effect=error), path=str(tmp_path / "b.ipynb"))
            gone.name = "b.ipynb"
            yield (gone if each.name == "b.ipynb" else each for each in entries)

    monkeypatch.setattr(os, "scandir", scanned)
    assert [each.name for each in upload.listed(tmp_path)] == ["a.ipynb", "c.ipynb"]


def _notebook(*sources: str) -> bytes:
    cells = [{"cell_type": "code", "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "cells": cells}).encode()


ALIKE = random.Random(7)
RELEASED = "def double(x: int) -> int:\n    # Twice x, by whatever means.\n" * 4
SLOW = {
    "cells alike": lambda: _notebook(
        *("".join(ALIKE.sample(RELEASED, len(RELEASED))) for _ in range(1500))
    ),
    "two million cells": lambda: b'{"nbformat": 4, "cells": [' + b"{}," * 2_000_000 + b"{}]}",
    "accents": lambda: _notebook("a" + "\u0301\u0327" * 100_000),
    "blank lines": lambda: _notebook("(\n" + "\n" * 900_000 + ")("),
    "a shell's blanks": lambda: _notebook("!pip install " + " " * 900_000 + ";"),
    "no text": lambda: b"{" + b"\xff" * (2 << 20),
}


@pytest.mark.parametrize("content", SLOW)
def test_what_takes_long_to_read_comes_to_an_end(content: str) -> None:
    code = v4.new_code_cell(RELEASED, metadata={"nbgrader": {"grade_id": "x", "locked": False}})
    start = time.monotonic()
    try:
        notebook, repairs = intake.repaired(SLOW[content](), v4.new_notebook(cells=[code]))
        assert all(len(each) <= LONGEST for each in repairs)
        assert all(len(each) < 100 for each in autograde.strange(notebook))
    except CourseError as error:
        assert re.search(r"are allowed|no notebook", str(error))
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("name", ["=1+1", "\uff1d1", " =1", "-2+3", "@a", "+1"])
def test_no_table_takes_a_name_for_a_formula(name: str) -> None:
    assert table_text(name) == f"'{name}"
    assert table_text("x" + name) == "x" + name
    for sign in (";", ",", "|", '; "'):  # a table may be read whose cells these part
        assert table_text(f"x{sign}=1+1") == f"x{sign[0]}'{sign[1:]}=1+1"
    assert table_text("one; two, 3-4") == "one; two, 3-4"
