"""The board: what is recorded, and places that are shared where chance may decide."""

import json
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import race_study
from helpers.race import racing
from helpers.race.distances import distances, places
from helpers.race.rules import RATES, VERSION
from helpers.race.runs import MEASURED, REFUSED
from tests.race.test_race import TINY, _here
from web import race_board
from web.outputs import Outputs

LOSSES = {"none": [2.0, 2.2], "alibi": [1.3, 1.4], "rotary": [1.31, 1.39], "cope": [1.61, 1.72]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four records of one task; ALiBi and RoPE are alike, and CoPE refuses longer texts."""
    about = {"task": "lag", "kind": "all", "limit": 1.0}
    for name, losses in LOSSES.items():
        rows = []
        for seed, loss in enumerate(losses):
            for times in (1, 2, 4, 8):
                read = name != "cope" or times == 1
                row = {"encoding": name, "seed": seed, "times": times} | about
                outcome = MEASURED if read else REFUSED
                rows.append(row | {"loss": loss if read else None, "outcome": outcome})
        (tmp_path / f"{name}.json").write_text(json.dumps({"rows": rows}))
    return tmp_path


def _rows(folder: Path) -> pd.DataFrame:
    return pd.DataFrame(
        [row for each in race_study.recorded(folder).values() for row in each["rows"]]
    )


def test_a_contributed_encoding_stands_beside_the_courses(folder: Path, tmp_path: Path) -> None:
    record = json.loads((folder / "alibi.json").read_text())
    rows = [row | {"encoding": "Mine"} for row in record["rows"]]
    (folder / "Mine.json").write_text(json.dumps({"rows": rows, "hooks": ["embed"], "code": ["x"]}))
    page = race_board.page(Outputs(tmp_path / "pictures", "pictures"), folder)
    assert "**4 of 37 encodings are recorded.**" in page and "in their records: Mine." in page
    assert '<tr data-name="Mine"><td>Mine</td>' in page
    assert 'value="embed"' in page and 'value="contributed"' in page


def test_a_place_is_shared_where_chance_may_decide(folder: Path) -> None:
    found = places(distances(_rows(folder)))
    at_once = found.xs(("lag", 1), level=("measure", "times"))["place"]
    assert dict(at_once) == {"alibi": 1, "rotary": 1, "cope": 3, "none": 4}
    longer = found.xs(("lag", 2), level=("measure", "times"))["place"]
    assert dict(longer.dropna()) == {"alibi": 1, "rotary": 1, "none": 3}  # CoPE has no loss


def test_the_page_says_who_is_missing_and_shows_ties(folder: Path, tmp_path: Path) -> None:
    page = race_board.page(Outputs(tmp_path / "pictures", "pictures"), folder)
    assert "**4 of 37 encodings are recorded.** Missing: sinusoidal, " in page
    assert "**At the training length, ALiBi and RoPE are first on 1 of 1 measures each;" in page
    assert "(=1)</td>" in page and "(3)</td>" in page and page.count("<td data-key") == 4 * 4
    assert page.count(">no loss</td>") == 3
    assert 'value="embed"' not in page and 'value="rotate"' in page
    assert page.count("<tr data-name=") == 4


def test_without_a_record_of_no_positions_nothing_is_compared(folder: Path, tmp_path: Path) -> None:
    (folder / "none.json").unlink()
    outputs = Outputs(tmp_path / "pictures", "pictures")
    page = race_board.page(outputs, folder)
    assert "**3 of 37 encodings are recorded.** Missing: none, " in page and "<table" not in page
    assert "**0 of 37 encodings" in race_board.page(outputs, tmp_path / "pictures")


def test_a_record_has_each_scored_run_and_what_the_sweep_has_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(racing, "run_jobs", _here)
    path = race_study.record("alibi", TINY, tmp_path, tmp_path)
    record = json.loads(path.read_text())
    assert record["command"] == "make study" and {"date", "machine"} < set(record)
    rows = pd.DataFrame(record["rows"])
    assert set(rows["encoding"]) == {"alibi"} and set(rows["rules"]) == {VERSION}
    assert len(rows) == TINY.seeds * 4 and {*rows["lr"]} <= {*RATES}
    assert (rows["sweep_seconds"] >= 0).all() and (rows["loss"] > rows["limit"]).all()
