"""The live mini BERT served on this machine, and its models as PyTorch has them.

`python -m tests.web.live` prints how long the page takes to read a sentence.
"""

from __future__ import annotations

import functools
import html
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks import live_weights
from benchmarks.live_study import WEIGHTS
from helpers.model.bert import Bert, Pretraining, Size, preset
from tests.common import ROOT
from tests.web.figures import CONTENTS, FIGURES, Silent, browsing

LIVE = ROOT / "web" / "live"


@contextmanager
def serving(folder: Path, weights: Path = WEIGHTS) -> Iterator[str]:
    """The address of a page with the figure, its modules under `figures/`, and `weights`."""
    for each in (FIGURES, LIVE):
        shutil.copytree(each, folder / "figures", dirs_exist_ok=True)
    shutil.copytree(weights, folder / "figures" / "weights", dirs_exist_ok=True)
    (folder / "live.html").write_text(_page(), encoding="utf-8")
    handler = functools.partial(Silent, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _page() -> str:
    told = {key: html.escape(str(text)) for key, text in CONTENTS["live"].items()}
    return f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="figures/figures.css"><title>{told["title"]}</title></head><body><main>
<h1>{told["title"]}</h1><figure class="explorable" data-module="live">
<figcaption>{told["sentence"]}</figcaption><p class="fallback">{told["fallback"]}</p></figure>
</main><script type="module" src="figures/load.js"></script></body></html>"""


def index(weights: Path = WEIGHTS) -> dict[str, Any]:
    """What stands beside the weights."""
    found: dict[str, Any] = json.loads((weights / "weights.json").read_text(encoding="utf-8"))
    return found


def size_of(known: dict[str, Any]) -> Size:
    """The size of the models that an index tells of."""
    return preset(
        "mini", vocab_size=len(known["vocabulary"]), max_len=known["longest"], **known["size"]
    )


def model(encoding: str, weights: Path = WEIGHTS) -> Pretraining:
    """The course's own model with the weights of the page."""
    known = index(weights)
    made = Pretraining(Bert(size_of(known), encoding)).eval()
    content = (weights / f"{encoding}.bin").read_bytes()
    live_weights.load(made, live_weights.unpack(content, known["encodings"][encoding]["shapes"]))
    return made


# Milliseconds of one reading, [CLS] and [SEP] included, in the order of the encodings.
TIMED = """async (ids) => {
    const {index, model} = await import('/figures/weights.js');
    const known = await index();
    const found = {};
    for (const name of Object.keys(known.encodings)) {
        const bert = await model(name, known);
        const times = [];
        for (let n = 0; n < 30; n++) {
            const begun = performance.now();
            bert.read(ids);
            times.push(performance.now() - begun);
        }
        found[name] = [times[0], times.sort((a, b) => a - b)[15]];
    }
    return found;
}"""


def main() -> None:
    """Print how long the page takes to read the longest sentence."""
    longest = index()["longest"]
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as address, \
            browsing() as browser:  # fmt: skip
        page = browser.new_page()
        page.goto(f"{address}/figures/weights/weights.json")
        load = os.getloadavg()[0] / (os.cpu_count() or 1)
        print(f"Chromium {browser.version}, {load:.1f} processes waiting for each core")
        for name, (first, median) in page.evaluate(TIMED, list(range(longest))).items():
            print(f"{name:12} {longest} tokens: {median:.1f} ms (median), {first:.1f} at first")


if __name__ == "__main__":
    main()
