"""A record that somebody sends to the board: one that is right, and what is wrong with others."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks import race_study
from benchmarks.race_study import FOLDER
from benchmarks.race_verify import verify
from helpers.encodings import available
from helpers.race import racing
from tests.race.test_race import BAD, TINY, _here
from tests.tiers import sample

NONE = FOLDER / "none.json"
OWN = [path for path in sorted(FOLDER.glob("*.json")) if path.stem in available()]
CONTRIBUTED = [path for path in sorted(FOLDER.glob("*.json")) if path not in OWN]
Record = dict[str, Any]


def test_records_of_the_board_are_right() -> None:
    """All that are contributed, and one of the course's own; all of them at night."""
    for path in [*CONTRIBUTED, *sample(OWN, len(OWN))] if OWN else CONTRIBUTED:
        assert "comes to the same" in verify(path, NONE)


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the records of no positions and of a contributed class."""
    folder = tmp_path_factory.mktemp("records")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racing, "run_jobs", _here)
        for source in ("none", f"{BAD}:MarksTheFirst"):
            race_study.record(source, TINY, folder, folder)
    return folder


def test_a_record_that_is_right_comes_to_the_same(sent: Path) -> None:
    for name in ("MarksTheFirst", "none"):
        said = verify(sent / f"{name}.json", sent / "none.json", TINY)
        assert said.startswith(f"{name}.json: its form is right, and lag with seed ")
    assert [*race_study.recorded(sent)] == ["none", "MarksTheFirst"]


def _each_row(**more: Any) -> Callable[[Record], Record]:
    return lambda found: found | {"rows": [row | more for row in found["rows"]]}


def _at_the_limit(found: Record) -> Record:
    return found | {"rows": [row | {"loss": row["limit"] - 5} for row in found["rows"]]}


def _other_class(found: Record) -> Record:
    code = [line.replace("self.mark *", "math.nan * self.mark *") for line in found["code"]]
    assert code != found["code"]
    return found | {"code": code}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda found: [found], "must be an object with command, date, machine, rows, hooks, code"),
        (lambda found: found | {"code": []}, "code must be a list that is not empty"),
        (lambda found: found | {"rows": found["rows"][1:]}, "are not those of the race"),
        (lambda found: found | {"rows": found["rows"] * 2}, "are not those of the race"),
        (lambda found: found | {"rows": [{"loss": 1}]}, "each row must have encoding, kind, "),
        (lambda found: found | {"hooks": ["bias"]}, r"hooks must be \['embed'\]"),
        (_each_row(kind=["all"]), "no lists and objects"),
        (_each_row(seed="0"), "are not those of the race"),
        (_each_row(encoding="alibi"), "encoding must be MarksTheFirst; row 0"),
        (_each_row(rules="race 0.9"), "rules must be race 1.0; row 0"),
        (_each_row(task="leg"), "task must be one of lag"),
        (_each_row(lr=0.5), "lr must be one of 0.002, 0.006"),
        (_each_row(outcome="won"), "outcome must be one"),
        (_each_row(loss=None), "loss must be a number where it was measured, else null"),
        (_each_row(limit="low"), "limit, seconds and sweep_seconds must be numbers"),
        (_each_row(seconds=10**400), "limit, seconds and sweep_seconds must be numbers"),
        (_each_row(limit=0.1), "limits are not those of the tests"),
        (
            _each_row(loss=None, outcome="refused"),
            "the record has refused, nan; run again it is measured",
        ),
        (_at_the_limit, "may be between them"),
        (_other_class, "run again it is no number, nan"),
    ],
)
def test_what_is_wrong_is_told(
    change: Callable[[Record], object], says: str, sent: Path, tmp_path: Path
) -> None:
    found = race_study.read(sent / "MarksTheFirst.json")
    path = tmp_path / "MarksTheFirst.json"
    path.write_text(json.dumps(change(found)))
    with pytest.raises(ValueError, match=f"MarksTheFirst.json: .*{says}"):
        verify(path, sent / "none.json", TINY)


def test_what_is_no_json_or_has_another_class_is_told(sent: Path, tmp_path: Path) -> None:
    path = tmp_path / "MarksTheFirst.json"
    text = (sent / path.name).read_text()
    path.write_text(text.replace('"loss": ', '"loss": NaN, "was": ', 1))
    with pytest.raises(ValueError, match="NaN is no JSON; a loss that is no number is null"):
        verify(path, sent / "none.json", TINY)
    path.write_text(text[:-9])
    with pytest.raises(ValueError, match="no JSON: "):
        verify(path, sent / "none.json", TINY)
    other = tmp_path / "Other.json"
    shutil.copy(sent / path.name, other)
    other.write_text(text.replace('"encoding": "MarksTheFirst"', '"encoding": "Other"'))
    with pytest.raises(ValueError, match="has no class Other"):
        verify(other, sent / "none.json", TINY)
