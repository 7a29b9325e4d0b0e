"""A platform's zip becomes nbgrader's folders, and everyone in it has a row."""

import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest

from helpers.course import intake
from helpers.course.authoring import build
from helpers.course.cli import main
from helpers.course.intake import collect
from helpers.course.settings import Course, CourseError

UNIT = "01-tiny"


def test_a_zip_as_moodle_gives_it(
    tiny: Course,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tiny.root)
    work = nbformat.writes(build.make(tiny, UNIT, tmp_path / "made").solution)
    archive, out = tmp_path / "all.zip", tmp_path / "submitted"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(f"Ada Lovelace_1_assignsubmission_file_/{UNIT}.ipynb", work)
        opened.writestr("Alan Turing_2_assignsubmission_file_/final (2).ipynb", work)
        opened.writestr("Emmy Noether_3_assignsubmission_file_/holiday.ipynb", "{}")
    assert main(["collect", str(archive), "--out", str(out), "--platform", "moodle"]) == 0
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*.ipynb")) == [
        f"Ada-Lovelace-1/{UNIT}/{UNIT}.ipynb",
        f"Alan-Turing-2/{UNIT}/{UNIT}.ipynb",
    ]
    assert (out / "Alan-Turing-2" / UNIT / f"{UNIT}.ipynb").read_text() == work
    printed = capsys.readouterr().out
    assert "handed in as final (2).ipynb, told by its cells" in printed
    assert "not collected: holiday.ipynb: the file holds no notebook" in printed
    assert "3 found" in printed


def test_a_later_collection_says_whose_work_it_replaces(tiny: Course, tmp_path: Path) -> None:
    place, out = tmp_path / "in" / "ada" / UNIT / f"{UNIT}.ipynb", tmp_path / "submitted"
    place.parent.mkdir(parents=True)
    (tmp_path / "in" / "bob").mkdir()
    notes = []
    for text in ("{}", "{}", "[]"):
        place.write_text(text)
        table = collect.collect(tiny, tmp_path / "in", out).set_index("student")
        notes.append(table.notes["ada"])
    assert notes == ["", "", "in the place of an earlier one"]
    assert table.notes["bob"] == "not collected: no notebook in the folder"
    assert (out / "ada" / UNIT / f"{UNIT}.ipynb").read_text() == "[]"


def test_what_goes_with_a_notebook_is_collected_too(tiny: Course, tmp_path: Path) -> None:
    place, out = tmp_path / "in" / "ada" / UNIT, tmp_path / "submitted"
    (place / "utils").mkdir(parents=True)
    for name in (f"{UNIT}.ipynb", "mine.py", "utils/__init__.py"):
        (place / name).write_text("{}")
    collect.collect(tiny, tmp_path / "in", out)
    assert (out / "ada" / UNIT / "mine.py").exists()
    shutil.rmtree(place / "utils")
    (place / "utils").write_text("now a file")
    [notes] = collect.collect(tiny, tmp_path / "in", out).notes
    assert notes == "not collected: utils, where an earlier try has another kind of file"
    [again] = intake.find(tiny, out, tmp_path / "unpacked")
    assert [*again.files] == ["mine.py", "utils/__init__.py"]


def test_places_that_would_mix_what_comes_in_with_what_goes_out(
    tiny: Course, tmp_path: Path
) -> None:
    for out in (tmp_path / "in", tmp_path / "in" / "submitted"):
        with pytest.raises(CourseError, match="is inside"):
            collect.collect(tiny, tmp_path / "in", out)
