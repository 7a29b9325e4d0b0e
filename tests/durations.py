"""Renew tests/durations.csv from a run: `make test` and then `python -m tests.durations`.

The seconds are those of each file's tests, added up over the processes that ran side by side.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pandas as pd

from tests.common import ROOT

RUN = ROOT / "build" / "tests.xml"  # as pytest writes it


def main() -> None:
    """Write tests and seconds of each file, the slowest of each kind first; print their sums."""
    rows = []
    for case in ElementTree.parse(RUN).iter("testcase"):
        if name := case.get("classname"):  # a file that cannot be read has none
            # Dotted; it may end in the name of a class.
            notebook = name.endswith(".ipynb")
            parts = [part for part in name.split(".") if not part.startswith("Test")]
            file = f"{'/'.join(parts[:-1])}.ipynb" if notebook else f"{'/'.join(parts)}.py"
            kind = file.removeprefix("tests/").rpartition("/")[0] or "tests"
            rows.append(
                (kind.split("/")[0] if notebook else kind, file, float(case.get("time", 0)))
            )
    table = pd.DataFrame(rows, columns=["kind", "file", "seconds"])
    by_file = table.groupby(["kind", "file"]).seconds.agg(tests="size", seconds="sum").reset_index()
    by_file = by_file.sort_values(["kind", "seconds"], ascending=[True, False])
    by_file.round({"seconds": 1}).to_csv(ROOT / "tests" / "durations.csv", index=False)
    sums = by_file.groupby("kind")[["tests", "seconds"]].sum()
    print(sums.sort_values("seconds", ascending=False).to_string())


if __name__ == "__main__":
    main()
