"""Own modules and small data files travel with the notebook that they stand beside."""

import hashlib
import re
from pathlib import Path

import pytest

from helpers.course import intake
from helpers.course.settings import Course
from tests.course.intake.handed_in import NOTEBOOK, write, zipped

BESIDE = [
    "mine.py", "utils/__init__.py", "data/prices.csv", "old.zip", "report.7z", "index.html",
    "timestamp.txt", "helpers/course/cli.py", "helpers.py", "__pycache__/mine.pyc",
    ".ipynb_checkpoints/x.py", ".hidden", "other.ipynb", "bad\x1bname.py",
]  # fmt: skip


@pytest.mark.parametrize("packed", [True, False])
def test_what_stands_beside_a_notebook_goes_with_it(
    two_units: Course, tmp_path: Path, packed: bool
) -> None:
    place, alone = tmp_path / "in", tmp_path / "alone"
    names = ["01-tiny.ipynb", *(each for each in BESIDE if each != "old.zip")]
    if packed:
        zipped(place / "ada" / "homework.zip", [f"a folder/{each}" for each in names])
        zipped(place / "ada" / "homework.zip", ["deep/er/" + each for each in names])
        write(place, "ada/not-of-it.py")
    else:
        write(place, *(f"ada/01-tiny/{each}" for each in names), "ada/not-of-it.py")
        zipped(place / "ada" / "01-tiny" / "old.zip", ["old.py"])
    write(alone, "ada/01-tiny/01-tiny.ipynb")
    [found] = intake.find(two_units, place, tmp_path / "unpacked")
    assert [*found.files] == ["mine.py", "utils/__init__.py", "data/prices.csv"]
    assert all(each.read_text() == NOTEBOOK for each in found.files.values())
    assert all(re.fullmatch(r"\d+\.file", each.name) for each in found.files.values())
    copies = {each.name for each in found.path.parent.iterdir()}
    assert copies > {each.name for each in found.files.values()} and len(copies) <= 5
    assert "left out of what goes with it" in found.notes[-1]
    digest = found.digest
    [only] = intake.find(two_units, alone, tmp_path / "unpacked2")
    assert only.digest == hashlib.sha256(NOTEBOOK.encode()).hexdigest() != digest
    if not packed:
        (place / "ada/01-tiny/mine.py").write_text("x = 2")
        [changed] = intake.find(two_units, place, tmp_path / "unpacked")
        assert changed.digest not in (digest, only.digest)


def test_what_goes_with_a_notebook_is_not_too_much(two_units: Course, tmp_path: Path) -> None:
    write(
        tmp_path / "in", "ada/01-tiny/01-tiny.ipynb", *(f"ada/01-tiny/{n}.txt" for n in range(60))
    )
    for name, size in (("a.bin", 3 << 20), ("b.bin", 1 << 20), ("c.bin", 1 << 20), ("z.py", 9)):
        (tmp_path / "in/ada/01-tiny" / name).write_bytes(b"#" * size)
    [found] = intake.find(two_units, tmp_path / "in", tmp_path / "unpacked")
    assert "z.py" in found.files and "a.bin" not in found.files and len(found.files) <= 50
    assert sum(each.stat().st_size for each in found.files.values()) <= 2 << 20
    assert "(at most 50 files, 2 MB, with usual names): " in found.notes[0]


FLAT = {
    "canvas": "lovelaceada_12345_{}_{}",
    "canvas, no names": "anon_vHq3z_{}_{}",
    "moodle": "Ada Lovelace_123456_assignsubmission_file_{1}",
}


@pytest.mark.parametrize("platform", FLAT)
@pytest.mark.parametrize("packed", [True, False])
def test_loose_files_of_one_person_go_with_the_notebook(
    two_units: Course, tmp_path: Path, platform: str, packed: bool
) -> None:
    mine = ["01-tiny.ipynb", "mine.py", "__init__.py", "table.csv"]
    names = [FLAT[platform].format(900 + number, each) for number, each in enumerate(mine)]
    names += [FLAT["canvas"].format(999, "mine.py").replace("ada_12345", "bob_7")]
    if "canvas" in platform:
        names.append(FLAT[platform].format(950, "mine-1.py"))
    place = zipped(tmp_path / "all.zip", names) if packed else write(tmp_path / "in", *names)
    found = intake.find(two_units, place, tmp_path / "unpacked")
    [files] = [each.files for each in found if each.unit]
    assert sorted(files) == ["__init__.py", "mine.py", "table.csv"]
