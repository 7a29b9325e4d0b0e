"""Renew tests/durations.csv from a run: `make test` and then `python -m tests.durations`.

The seconds are those of each file's tests, added up over the processes that ran side by side.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pandas as pd

from tests.common import ROOT

RUN = ROOT / "build" / "tests.xml"  # as pytest writes it
TABLE = ROOT / "tests" / "durations.csv"


def by_file(run: Path) -> pd.DataFrame:
    """Return tests and seconds of each file, the slowest of each kind first."""
    cases = ElementTree.parse(run).iter("testcase")
    named = [case for case in cases if case.get("classname")]  # a file that cannot be read has none
    rows = [(_file(case.get("classname", "")), float(case.get("time", 0))) for case in named]
    table = pd.DataFrame(rows, columns=["file", "seconds"])
    table["kind"] = table.file.map(_kind)
    grouped = table.groupby(["kind", "file"]).seconds.agg(["size", "sum"]).reset_index()
    grouped.columns = pd.Index(["kind", "file", "tests", "seconds"])
    return grouped.sort_values(["kind", "seconds"], ascending=[True, False]).round({"seconds": 1})


def by_kind(table: pd.DataFrame) -> pd.DataFrame:
    """Return the sums of each kind, the slowest first."""
    return table.groupby("kind")[["tests", "seconds"]].sum().sort_values("seconds", ascending=False)


def _file(classname: str) -> str:
    """Return the file of a test: a dotted name that may end in the name of a class."""
    if classname.endswith(".ipynb"):
        return f"{classname.removesuffix('.ipynb').replace('.', '/')}.ipynb"
    return "/".join(part for part in classname.split(".") if not part.startswith("Test")) + ".py"


def _kind(file: str) -> str:
    """Return the folder of a test below tests/, or solutions."""
    folders = file.split("/")[:-1]
    return "/".join(folders[1:]) or folders[0] if folders[0] == "tests" else folders[0]


if __name__ == "__main__":
    table = by_file(RUN)
    table.to_csv(TABLE, index=False)
    print(by_kind(table).to_string())
