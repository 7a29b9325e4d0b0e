"""The same job on a Dask cluster: two workers on separate folders, one killed midway."""

import os
import threading
import time
from pathlib import Path

import nbformat
import psutil
import pytest
from distributed import LocalCluster

from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.grading.journal import entries
from helpers.course.grading.workers import executor
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course, CourseError
from tests.common import ISOLATED

UNIT = "01-tiny"


def _running(cluster: LocalCluster) -> list[str]:
    """The programs that the workers have started."""
    return [
        each.name()
        for worker in cluster.workers.values()
        for each in psutil.Process(worker.pid).children(recursive=True)
    ]


def test_a_worker_that_is_killed_costs_nobody_a_mark(tiny: Course, tmp_path: Path) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    for number in range(6):
        path = tmp_path / "in" / f"s{number}" / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(built.solution, path)
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address="",
        local_directory=str(tmp_path / "workers"),
    )
    out = tmp_path / "out"

    def kill_one() -> None:
        while len(list(entries(out))) < 2:
            time.sleep(0.02)
        psutil.Process(cluster.workers[0].pid).kill()

    with cluster:
        killer = threading.Thread(target=kill_one)
        killer.start()
        table = grade.grade(
            tiny,
            tmp_path / "in",
            out,
            scheduler=cluster.scheduler_address,
            isolated=ISOLATED,
        )
        killer.join()
        # What the killed one had begun may be done twice, and ends a little later.
        end = time.monotonic() + 60
        while "bwrap" in (running := _running(cluster)) and time.monotonic() < end:
            time.sleep(0.1)
        assert "bwrap" not in running
    assert table.score.tolist() == [2] * 6
    assert table.status.tolist() == ["graded"] * 6


def test_who_cannot_execute_is_told(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    path = tmp_path / "in" / "ada" / UNIT / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(built.solution, path)
    given = (tiny, tmp_path / "in", tmp_path / "out")
    with pytest.raises(CourseError, match="no Dask scheduler answers"):
        grade.grade(*given, scheduler="tcp://127.0.0.1:1")
    with pytest.raises(CourseError, match="one at least"):
        grade.grade(*given, workers=-1, isolated=False)
    with (
        LocalCluster(n_workers=0, dashboard_address="") as cluster,
        pytest.raises(CourseError, match="no worker has joined"),
    ):
        grade.grade(*given, scheduler=cluster.scheduler_address)
    monkeypatch.setattr(bubblewrap, "available", lambda: "bubblewrap is missing")
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address="") as cluster,
        pytest.raises(CourseError, match=r"a worker of .* cannot execute: bubblewrap is missing"),
    ):
        grade.grade(*given, scheduler=cluster.scheduler_address)


def test_two_notebooks_more_than_cores_are_taken_unless_told_otherwise() -> None:
    with executor("", 0, isolated=False) as (_, by_default), executor("", 2, False) as (_, told):
        assert (by_default, told) == ((os.cpu_count() or 1) + 2, 2)
