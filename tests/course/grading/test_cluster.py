"""The same job on a Dask cluster: two workers on separate folders, one killed midway."""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from distributed import Client, LocalCluster

from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.grading.journal import graded
from helpers.course.sandbox import bubblewrap
from helpers.course.settings import Course, CourseError
from tests.common import ISOLATED
from tests.course.judged import hand_in

UNIT = "01-tiny"


@contextmanager
def _cluster(folder: Path) -> Iterator[tuple[str, list[psutil.Popen]]]:
    """The address of a cluster and its two workers, which have a folder of their own."""
    folder.mkdir()
    with LocalCluster(n_workers=0, dashboard_address="") as made, ExitStack() as ending:
        words = [sys.executable, "-m", "dask", "worker", made.scheduler_address]
        words += ["--no-nanny", "--nthreads", "1", "--no-dashboard"]
        home = os.environ | {"HOME": str(folder)}
        pair = [psutil.Popen(words, cwd=folder, env=home) for _ in range(2)]
        for each in pair:
            ending.callback(each.wait)
            ending.callback(each.kill)
        with Client(made.scheduler_address) as client:
            client.wait_for_workers(2, timeout=60)
        yield made.scheduler_address, pair


@pytest.mark.rotating
def test_a_worker_that_is_killed_costs_nobody_a_mark(tiny: Course, tmp_path: Path) -> None:
    built = build.make(tiny, UNIT, tmp_path / "made")
    hand_in(
        tmp_path / "in", **dict.fromkeys(("ada", "bob", "cem", "dua", "eve", "fay"), built.solution)
    )
    out = tmp_path / "out"
    started: list[psutil.Process] = []

    def kill_one() -> None:
        while len(graded(out)) < 2:
            time.sleep(0.02)
        started.extend(pair[0].children(recursive=True))
        pair[0].kill()

    with _cluster(tmp_path / "workers") as (address, pair):
        killer = threading.Thread(target=kill_one)
        killer.start()
        table = grade.grade(tiny, tmp_path / "in", out, scheduler=address, isolated=ISOLATED)
        killer.join()
        assert started and psutil.wait_procs(started, timeout=10)[1] == []
        # What the killed one had begun may be done twice, and ends a little later.
        end = time.monotonic() + 60
        names = {"bwrap"}
        while "bwrap" in names and time.monotonic() < end:
            names = {each.name() for each in pair[1].children(recursive=True)}
            time.sleep(0.1)
        assert "bwrap" not in names
    assert table.score.tolist() == [2] * 6
    assert table.status.tolist() == ["graded"] * 6


@pytest.mark.rotating
def test_a_worker_that_has_no_sandbox_executes_nothing(
    tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in(tmp_path / "in", ada=build.make(tiny, UNIT, tmp_path / "made").solution)
    monkeypatch.setattr(bubblewrap, "available", lambda: "bubblewrap is missing")
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address="") as cluster,
        pytest.raises(CourseError, match=r"a worker of .* cannot execute: bubblewrap is missing"),
    ):
        grade.grade(tiny, tmp_path / "in", tmp_path / "out", scheduler=cluster.scheduler_address)
