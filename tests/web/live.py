"""The models of the live mini BERT as PyTorch has them.

`python -m tests.web.live` prints how long the page takes to read a sentence.
"""

from __future__ import annotations

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import live_weights
from benchmarks.live_study import WEIGHTS
from helpers.model.bert import Bert, Pretraining, Size, preset
from tests.web.figures import browsing, serving


@cache
def index() -> dict[str, Any]:
    """What stands beside the weights."""
    found: dict[str, Any] = json.loads((WEIGHTS / "weights.json").read_text(encoding="utf-8"))
    return found


def size_of(known: dict[str, Any]) -> Size:
    """The size of the models that an index tells of."""
    return preset(
        "mini", vocab_size=len(known["vocabulary"]), max_len=known["longest"], **known["size"]
    )


@cache
def model(encoding: str) -> Pretraining:
    """The course's own model with the weights of the page."""
    known = index()
    made = Pretraining(Bert(size_of(known), encoding)).eval()
    content = (WEIGHTS / f"{encoding}.bin").read_bytes()
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
