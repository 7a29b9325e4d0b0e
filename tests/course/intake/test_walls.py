"""One learner stops nobody: too much, too deep, too slow, and what is no file of theirs."""

import errno
import io
import json
import random
import re
import stat
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbformat import v4

from helpers.course import intake
from helpers.course.grading import words
from helpers.course.intake import reader
from helpers.course.intake.parcel import Limits
from helpers.course.intake.reader import Reader
from helpers.course.settings import Course, CourseError

UNIT = "01-tiny"
MINE = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "id": "double"}]}).encode()
KANJI = "課"
Files = list[tuple[str, bytes]]


def _zip(files: Files) -> bytes:
    with io.BytesIO() as content:
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
            for name, text in files:
                opened.writestr(name, text)
        return content.getvalue()


def _bomb(layers: int) -> bytes:
    inner = _zip([(f"{n}.ipynb", b"\0" * (16 << 20)) for n in range(4)])
    for _ in range(layers):
        inner = _zip([(f"{n}.zip", inner) for n in range(4)])
    return inner


def _overlapping() -> bytes:
    """Members that share one body: each entry of the directory leads to the same bytes.

    Some versions of Python refuse all but the first, which is therefore no notebook.
    """
    content = bytearray(_zip([("0.ipynb", b"\0" * (16 << 20))]))
    start = content.rindex(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    entry = bytes(content[start:end])
    entries = entry.replace(b".ipynb", b".other") + entry * 9
    tail = bytearray(content[end:])
    tail[8:10] = tail[10:12] = (10).to_bytes(2, "little")
    tail[12:16] = len(entries).to_bytes(4, "little")
    return bytes(content[:start]) + entries + bytes(tail)


def _encrypted() -> bytes:
    content = bytearray(_zip([("01-tiny.ipynb", MINE)]))
    content[6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def _link(mode: int) -> bytes:
    with io.BytesIO() as content:
        with zipfile.ZipFile(content, "w") as opened:
            member = zipfile.ZipInfo("01-tiny.ipynb")
            member.external_attr = (mode | 0o777) << 16
            opened.writestr(member, "/etc/passwd")
        return content.getvalue()


GRADED = ""
# What is in Eve's folder of a platform's zip, and what her row says.
PARCELS: dict[str, tuple[Callable[[], Files], str]] = {
    "a name of 270 bytes": (lambda: [(KANJI * 90 + ".ipynb", MINE)], GRADED),
    "the same in an archive": (
        lambda: [("h.zip", _zip([(KANJI * 90 + "/x.ipynb", MINE)]))],
        GRADED,
    ),
    "a name as long as a zip allows": (lambda: [("x" * 65_000 + ".ipynb", MINE)], GRADED),
    "a file and a folder of one name": (
        lambda: [("x.ipynb", MINE), ("x.ipynb/01-tiny.ipynb", MINE)],
        GRADED,
    ),
    "989 folders deep": (lambda: [("d/" * 989 + "01-tiny.ipynb", MINE)], GRADED),
    "989 deep in an archive": (lambda: [("h.zip", _zip([("d/" * 989 + "x.ipynb", MINE)]))], GRADED),
    "the same name twice": (lambda: [("01-tiny.ipynb", b"[]"), ("01-tiny.ipynb", MINE)], GRADED),
    "names that lead out": (
        lambda: [("h.zip", _zip([("../../../x.ipynb", MINE), ("/etc/y.ipynb", MINE)]))],
        GRADED,
    ),
    "a path of Windows": (lambda: [("h.zip", _zip([("..\\01-tiny\\mine.ipynb", MINE)]))], GRADED),
    "what macOS leaves": (
        lambda: [("01-tiny.ipynb", MINE), ("__MACOSX/._01-tiny.ipynb", b"x"), ("._x.ipynb", b"x")],
        GRADED,
    ),
    "nested archives": (lambda: [("h.zip", _bomb(1))], "more than 64 MB, unpacked"),
    "archives side by side": (
        lambda: [(f"{n}.zip", _bomb(0)) for n in range(2)],
        "more than 64 MB",
    ),
    "members that overlap": (lambda: [("h.zip", _overlapping())], "more than 64 MB|Overlapped"),
    "notebooks side by side": (
        lambda: [(f"{n}.ipynb", b"\0" * (20 << 20)) for n in range(4)],
        "more than 64 MB",
    ),
    "one notebook": (lambda: [("01-tiny.ipynb", b" " * (51 << 20))], "51 MB; 50 are allowed"),
    "archives in archives": (
        lambda: [("h.zip", _zip([("h.zip", _zip([("h.zip", _zip([("h.zip", b"")]))]))]))],
        "more than 3 deep",
    ),
    "many files": (lambda: [("h.zip", _zip([(f"{n}", b"") for n in range(1001)]))], "1,000 files"),
    "many files in all": (lambda: [(f"f{n}", b"") for n in range(1001)], "1,000 files"),
    "many notebooks": (lambda: [(f"{n}.ipynb", b"{}") for n in range(201)], "more than 200"),
    "notebooks of no unit": (lambda: [(f"{n}.ipynb", b"{}") for n in range(99)], "no notebook"),
    "an encrypted archive": (lambda: [("h.zip", _encrypted())], "encrypted"),
    "half an archive": (lambda: [("h.zip", _bomb(0)[:999])], "cannot be unpacked"),
    "an archive of another kind": (lambda: [("h.7z", b""), ("h.tar.gz", b"")], "h.7z, h.tar.gz"),
    "a link in an archive": (lambda: [("h.zip", _link(stat.S_IFLNK))], "not opened"),
    "a pipe in an archive": (lambda: [("h.zip", _link(stat.S_IFIFO))], "not opened"),
    "a text of wide letters": (
        lambda: [("x.ipynb", b' {"x": "' + "\U0001f600".encode() + b"x" * (45 << 20) + b'"}')],
        "takes more than 500 MB of memory",
    ),
    "a number": (lambda: [("x.ipynb", b'{"cells": ' + b"9" * 9_000_000 + b"}")], "no notebook"),
    "a terminal's commands": (lambda: [("\x1b[2J\n=cmd.ipynb", b"{}")], "\ufffd\\[2J\ufffd=cmd"),
}


@pytest.fixture(scope="module")
def small() -> Iterator[Reader]:
    """The limits, smaller, so that they are reached in no time."""
    limits = Limits(seconds=6, memory=500 << 20, unpacked=64 << 20, files=1_000)
    made = Reader(limits)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _small(small: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "READER", small)


def _disk(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))


@pytest.mark.parametrize("parcel", PARCELS)
@pytest.mark.parametrize("packed", [True, False])
def test_a_parcel_costs_its_sender_alone(
    two_units: Course, tmp_path: Path, parcel: str, packed: bool
) -> None:
    made, told = PARCELS[parcel]
    place, files = tmp_path / "all.zip", made()
    if packed:
        eve = "Eve_9_assignsubmission_file_/"
        content = [("Bob_7_assignsubmission_file_/x.ipynb", MINE)]
        place.write_bytes(_zip([*content, *((eve + name, text) for name, text in files)]))
    else:
        place = tmp_path / "in"
        (place / "Bob-7").mkdir(parents=True)
        (place / "Bob-7" / "x.ipynb").write_bytes(MINE)
        (place / "Eve-9").mkdir()
        (place / "Eve-9" / "homework.zip").write_bytes(_zip(files))
    bob, *eves = intake.find(two_units, place, tmp_path / "unpacked")
    assert (bob.student, bob.unit, bob.problem) == ("Bob-7", UNIT, "")
    assert [each.student for each in eves] == ["Eve-9"]
    assert re.search(told, eves[0].problem), eves[0].problem
    assert all(each.isprintable() for each in (eves[0].problem, *eves[0].notes))
    if told == GRADED:
        assert (eves[0].unit, eves[0].problem) == (UNIT, "")
        assert eves[0].path.read_bytes() == MINE
    assert _disk(tmp_path / "unpacked") < 80 << 20
    copies = {p.relative_to(tmp_path / "unpacked") for p in (tmp_path / "unpacked").rglob("*")}
    assert all(re.fullmatch(r"[01](/\d+\.ipynb)?", path.as_posix()) for path in copies)
    assert not (tmp_path / "x.ipynb").exists()


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
    "blanks": lambda: _notebook("%x " + " " * 900_000 + "x"),
    "a shell's blanks": lambda: _notebook("!pip install " + " " * 900_000 + ";"),
    "pieces of text": lambda: _notebook("f'" + "{1}" * 300_000 + "'"),
    "numbers": lambda: _notebook("[" + "0," * 400_000 + "]"),
    "a large format": lambda: b'{"nbformat": "' + b"y" * 3_000_000 + b'", "cells": []}',
}


@pytest.mark.parametrize("content", SLOW)
def test_what_takes_long_to_read_comes_to_an_end(
    two_units: Course, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "0.ipynb"
    path.write_bytes(SLOW[content]())
    code = v4.new_code_cell(RELEASED, metadata={"nbgrader": {"grade_id": "x", "locked": False}})
    start = time.monotonic()
    try:
        notebook, repairs = intake.repaired(path.read_bytes(), v4.new_notebook(cells=[code]))
        assert all(len(each) <= reader.TEXT for each in repairs)
        assert all(len(each) < 100 for each in words.strange(notebook))
    except CourseError as error:
        assert re.search(r"more than 6 s|are allowed|accents", str(error))
    assert time.monotonic() - start < 20


def test_who_takes_too_long_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "READER", Reader(Limits(seconds=0.05)))
    code = v4.new_code_cell(RELEASED, metadata={"nbgrader": {"grade_id": "x", "locked": False}})
    with pytest.raises(CourseError, match=r"takes more than 0\.05 s"):
        intake.repaired(SLOW["cells alike"](), v4.new_notebook(cells=[code]))


@pytest.mark.parametrize("sign", [";", ",", "|", '; "'])
def test_nor_for_a_cell_of_its_own(sign: str) -> None:
    """Where a table is read whose cells ; parts, the rest of a name is another cell."""
    assert reader.printable(f"x{sign}=1+1") == f"x{sign[0]}'{sign[1:]}=1+1"
    assert reader.printable("one; two, 3-4") == "one; two, 3-4"


@pytest.mark.parametrize("name", ["=1+1", "\uff1d1", " =1", "-2+3", "@a", "+1"])
def test_no_table_takes_a_name_for_a_formula(name: str) -> None:
    assert reader.printable(name) == f"'{name}"
    assert reader.printable("x" + name) == "x" + name


def test_a_reader_that_died_is_started_again(small: Reader) -> None:
    with pytest.raises(CourseError, match="the file is empty"):
        small.ask("repaired", content="", release={})
    assert small.process
    small.process.kill()
    small.process.wait()
    with pytest.raises(CourseError, match="the file is empty"):
        small.ask("repaired", content="", release={})


def test_a_full_disk_is_nobodys_fault(small: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small, "_told", lambda _asked: {"full": True})
    with pytest.raises(OSError) as raised:
        small.ask("repaired", content="", release={})
    assert raised.value.errno == errno.ENOSPC
