"""What a run has graded, line by line, so that the next run need not do it again."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.course.settings import CourseError

LOCK = ".lock"  # in every folder of a class


def entries(out: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of OUT/journal.jsonl, each with "key", "row" and "seconds" by test."""
    path = out / "journal.jsonl"
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                entry = json.loads(line)
                yield {name: entry[name] for name in ("key", "row", "seconds")}
            except (ValueError, KeyError, TypeError):
                continue


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Nobody else grades into OUT meanwhile. However a process ends, its lock ends with it.

    Raises:
        CourseError: somebody does.
    """
    with (out / LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            told = f"somebody is grading into {out}: wait until that ends, or name another --out"
            raise CourseError(told) from error
        yield


class Journal:
    """The file OUT/journal.jsonl: what has been graded.

    A line is written when the gradebook holds the marks. A line that breaks off, as when the
    machine stops, is as good as none.
    """

    def __init__(self, out: Path) -> None:
        self.path = out / "journal.jsonl"
        if not (out / "gradebook.db").exists():
            self.path.unlink(missing_ok=True)  # the marks that it tells of are not there
        # Of several notebooks of one learner, one after the other, the gradebook has the last.
        last = {(e["row"].get("student"), e["row"].get("unit")): e for e in entries(out)}
        self.rows = {entry["key"]: entry["row"] for entry in last.values()}
        if self.path.exists():
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n")  # the last line may lack its end

    def add(self, key: str, row: dict[str, Any], seconds: dict[str, float]) -> None:
        """Note that a notebook is graded; `seconds` by test."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "row": row, "seconds": seconds}) + "\n")

    def withdraw(self, student: str, unit: str) -> None:
        """Note that an earlier notebook's marks are about to be replaced, if there are any."""
        if any((r.get("student"), r.get("unit")) == (student, unit) for r in self.rows.values()):
            self.add("", {"student": student, "unit": unit}, {})
