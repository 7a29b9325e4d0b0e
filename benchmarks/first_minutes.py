"""A newcomer's first minutes, step by step: from `git clone` to the first exercise solved.

The last commit is cloned into a temporary folder, and pip fetches all packages anew, less those
that its settings find on this machine's own disk. From `make lab` on, Chromium stands in for the
learner, who needs no time to read or to think. Prints the targets and whether they are met; writes
first_minutes.json.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from playwright.sync_api import Page

from helpers import results
from tests.browser.conftest import end, free_port, run
from tests.common import ROOT
from tests.web.figures import browsing

ANSWER = "return torch.arange(tokens.shape[1]).expand(tokens.shape)"
INSTALLING = "make lab installs"
WHOLE, BEHIND = 300, 60  # seconds meant for all steps, and for those behind the installation


class Laps:
    """How long each step takes, one behind the other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, str | float]] = []
        self.last = time.perf_counter()

    def end(self, step: str) -> None:
        """Note that `step` has come to its end, and that the next one begins."""
        now = time.perf_counter()
        self.rows.append({"step": step, "seconds": round(now - self.last, 1)})
        print(f"{self.rows[-1]['seconds']:7.1f} s  {step}", flush=True)
        self.last = now


@contextmanager
def opened_lab(folder: Path) -> Iterator[str]:
    """`make lab` in a checkout; gives the address that a browser is told to open."""
    # Settings, and what JupyterLab remembers, are a newcomer's: there are none.
    environment = os.environ | {"BROWSER": "echo", "HOME": str(folder.parent)}
    server = subprocess.Popen(
        ["make", "lab", f"PORT={free_port()}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout
    try:
        yield next(line.strip() for line in server.stdout if "://" in line)
    finally:
        end(server)


def show(page: Page, address: str) -> None:
    """Go to what a new JupyterLab opens, unit 00, and wait for its kernel."""
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()


def run_above(page: Page) -> None:
    """Run all that stands above the cell of the first answer."""
    answer = page.locator(".jp-CodeCell").filter(has_text="# EXERCISE positions")
    answer.scroll_into_view_if_needed()
    answer.locator(".cm-line").last.click()
    bags = page.get_by_text("the same bag of words: True")
    run(page, bags, "Run All Above Selected Cell")


def solve(page: Page) -> None:
    """Type the answer, run it and its check, and wait for all of its points."""
    page.locator(".cm-line").filter(has_text="raise NotImplementedError").first.click()
    page.keyboard.press("End")
    page.keyboard.press("Shift+Home")
    page.keyboard.press("Delete")
    page.keyboard.type(ANSWER)
    for _ in ("the answer", "the text below it", "the check"):
        page.keyboard.press("Shift+Enter")
    page.locator("[role=status]").filter(has_text="2 of 2").first.wait_for()


def measure(page: Page, folder: Path) -> pd.DataFrame:
    """Take all steps in an empty folder; a row for each."""
    checkout = folder / "order-matters"
    laps = Laps()
    subprocess.run(["git", "clone", "--quiet", f"file://{ROOT}", checkout], check=True)
    laps.end("git clone")
    subprocess.run(
        ["make", ".venv/installed-lab"],
        cwd=checkout,
        env=os.environ | {"PIP_NO_CACHE_DIR": "1"},
        check=True,
    )
    laps.end(INSTALLING)
    with opened_lab(checkout) as address:
        laps.end("it starts JupyterLab")
        show(page, address)
        laps.end("unit 00 is open and its kernel ready")
        run_above(page)
        laps.end("what stands above the first exercise has run")
        solve(page)
        laps.end("the answer is typed, and its check says that all is right")
        page.close()  # the server would wait for it
    return pd.DataFrame(laps.rows)


def targets(table: pd.DataFrame) -> list[str]:
    """A line for each target; it begins with "met" or "missed"."""
    installed = list(table["step"]).index(INSTALLING)
    whole, behind = table["seconds"].sum(), table["seconds"][installed + 1 :].sum()
    return [
        f"{'met   ' if found <= most else 'missed'} {found:.0f} s {what} (at most {most})"
        for found, most, what in (
            (whole, WHOLE, "from the clone to the first exercise solved"),
            (behind, BEHIND, "of these behind the installation"),
        )
    ]


def main() -> None:
    """Measure, print, and store."""
    with tempfile.TemporaryDirectory() as name, browsing() as browser:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(300_000)
        table = measure(page, Path(name))
    print(*targets(table), sep="\n")
    print(results.save("first_minutes", table, "python -m benchmarks.first_minutes"))


if __name__ == "__main__":
    main()
