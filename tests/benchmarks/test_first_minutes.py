"""A newcomer's steps follow one another; that the exercise is solved, the browser's tests see."""

import json
import re
import subprocess
from pathlib import Path

import pandas as pd

from benchmarks import first_minutes as bench
from helpers.results import RESULTS
from tests.common import ROOT

MAKEFILE = """\
lab:
\t@echo $(PORT) >port
\t@echo "JupyterLab is starting."
\t@sleep 1000 & echo $$! >pid; $$BROWSER "file://$$HOME/open.html"; wait
"""


def test_a_target_is_met_or_missed() -> None:
    def told(installing: float, solving: float) -> list[str]:
        steps = {"git clone": 2.0, bench.INSTALLING: installing, "solved": solving}
        rows = [{"step": step, "seconds": seconds} for step, seconds in steps.items()]
        return [line[:6].strip() for line in bench.targets(pd.DataFrame(rows))]

    assert told(240, 57) == ["met", "met"]
    assert told(240, 59) == ["missed", "met"]
    assert told(200, 61) == ["met", "missed"]


def test_the_browser_is_told_the_address_and_the_server_ends(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE)
    with bench.opened_lab(folder) as address:
        assert address == f"file://{tmp_path}/open.html"
        assert 1024 < int((folder / "port").read_text()) < 65536
    pid = (folder / "pid").read_text().strip()
    listed = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True)
    assert listed.stdout.strip()[:1] in ("", "Z")


def test_each_step_is_recorded() -> None:
    """As the command would write it today: a step with another name asks for a new record."""
    rows = json.loads((RESULTS / "first_minutes.json").read_text())["rows"]
    source = Path(bench.__file__).read_text()
    steps = [row["step"] for row in rows]
    assert steps[1] == bench.INSTALLING and len(steps) == source.count("laps.end(")
    assert all(f'"{step}"' in source for step in steps)
    whole, behind = (line.split() for line in bench.targets(pd.DataFrame(rows)))
    assert whole[0] == behind[0] == "met"
    page = re.sub(r"\s+", " ", (ROOT / "docs" / "starting.md").read_text(encoding="utf-8"))
    assert f"it took {whole[1]} seconds" in page and f"solved, {behind[1]} of them" in page
