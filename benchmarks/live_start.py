"""The live mini BERT's first answer: seconds here, and on a slow network with a slow processor.

Opens the page of the built site in Chromium, each time with an empty cache; text is compressed, as
GitHub Pages and other hosts do. The answer counts when its table is there. Slow is 1.6 Mbit/s,
150 ms there and back, and a quarter of this processor, as Lighthouse's mobile preset simulates it.
Prints the targets and whether they are met; writes live_start.json and .txt.
"""

from __future__ import annotations

import gzip
import tempfile
from functools import cache
from pathlib import Path

import pandas as pd
from playwright.sync_api import Browser
from tqdm import tqdm

from helpers import results
from tests.web.figures import Silent, browsing, hosting
from web.__main__ import build

TRIES = 5
GOALS = {"here": 1.0, "slow": 4.0}  # seconds
SLOW_NETWORK = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,  # bytes a second
    "uploadThroughput": 0.75e6 / 8,
}
# The seconds since the page was asked for, asked at each frame until the answer's table is there.
ANSWERED = "document.querySelector('.live-guess tbody tr') && performance.now() / 1000"


class Compressing(Silent):
    """Serves a folder, its text compressed."""

    def do_GET(self) -> None:  # noqa: N802
        """Answer a request, as http.server names it."""
        path = Path(self.translate_path(self.path))
        if path.suffix not in (".html", ".css", ".js", ".json", ".svg"):
            super().do_GET()
            return
        content = _compressed(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@cache
def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes())


def first_answer(browser: Browser, address: str, slow: bool) -> float:
    """Return the seconds from asking for the page to its first answer, nothing cached."""
    with browser.new_context() as context:
        page = context.new_page()
        if slow:
            devtools = context.new_cdp_session(page)
            devtools.send("Network.enable")
            devtools.send("Network.emulateNetworkConditions", SLOW_NETWORK)
            devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        page.goto(address, wait_until="commit")
        return float(page.wait_for_function(ANSWERED, timeout=60_000).json_value())


def main() -> None:
    """Measure, print, and store."""
    with tempfile.TemporaryDirectory() as name, browsing() as browser:
        folder = Path(name)
        if code := build(folder):
            raise SystemExit(code)
        with hosting(folder, Compressing) as served:
            rows = [
                {
                    "where": where,
                    "seconds": first_answer(browser, f"{served}/explore/live.html", slow),
                }
                for _ in tqdm(range(TRIES), desc="first answer")
                for where, slow in (("here", False), ("slow", True))
            ]
    table = pd.DataFrame(rows).groupby("where").seconds.agg(["median", "min", "max"]).reset_index()
    lines = targets(table)
    print(*lines, sep="\n")
    path = results.save("live_start", table, "make bench")
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path)


def targets(table: pd.DataFrame) -> list[str]:
    """Return a line for each target, which begins with "met" or "missed"."""
    lines = []
    for where, median, least, most in table.itertuples(index=False):
        met = "met   " if median <= GOALS[where] else "missed"
        lines.append(
            f"{met} the first answer, {where}, after {median:.2f} s "
            f"({least:.2f} to {most:.2f}; at most {GOALS[where]:.0f})"
        )
    return lines


if __name__ == "__main__":
    main()
