"""What only a GPU can show, in one command for a machine that has one: `make gpu`.

The tests that have a device run on it: every encoding, behind masks, in half precision and
compiled, FlexAttention with its gradient, and training. Then come the forms of a training step with
their share of the device's peak, the forms of relative attention, and unit 08 in the full profile
with the seconds of each cell. Each part is stopped when its time is up; together they take 20
minutes at most. Writes gpu.json, with a row for each part, mini_bert_forms_cuda.json,
relative_forms_cuda.json, full_profile_cuda.json and full_curves_cuda.json.

`ORDER_MATTERS_PROFILE=dry python -m benchmarks.gpu --out FOLDER` goes the same way on a CPU, with
little of each.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.mini_bert import DEVICE, DRY, out
from helpers import results

TESTS = (
    "tests/encodings/test_properties.py",
    "tests/encodings/test_relative_logits.py",
    "tests/training/test_training.py",
)
FEW = "cpu and (rotary or flex_attention or adamw)"  # of the tests, where it is a dry run


@dataclass(frozen=True)
class Part:
    """A module and its options, in a process of its own: an error of the GPU's spoils what follows.

    Args:
        seconds: when it is stopped.
    """

    name: str
    seconds: float
    command: tuple[str, ...]


def parts(out: Path) -> list[Part]:
    """All there is to do; the longest is last."""
    tests = ("pytest", "--disable-warnings", "-k", FEW if DRY else "cuda", *TESTS)
    return [
        Part("tests", 300, tests),
        Part("forms of a step", 240, ("benchmarks.mini_bert_forms", "--out", str(out))),
        Part("forms of a sum", 240, ("benchmarks.relative_forms", "--out", str(out))),
        Part("full profile", 420, ("benchmarks.full_profile", "--out", str(out))),
    ]


def run(part: Part) -> dict[str, Any]:
    """A row for gpu.json: how long the part ran, and the last line that it printed."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *part.command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        told, _ = process.communicate(timeout=part.seconds)
        last = (told.strip().splitlines() or ["nothing was printed"])[-1]
        outcome = "done" if process.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # kernels and compilers are processes as well
        told, _ = process.communicate()
        last, outcome = f"its {part.seconds:g} s were up", "stopped"
    print(told, flush=True)
    seconds = round(time.perf_counter() - begun, 1)
    return {"part": part.name, "outcome": outcome, "seconds": seconds, "last line": last}


def main() -> int:
    """Run all parts, print and store; 0 where every one of them is done."""
    if not DRY and DEVICE != "cuda":
        print("PyTorch finds no CUDA here. To try the command: ORDER_MATTERS_PROFILE=dry, --out")
        return 1
    folder = out()
    table = pd.DataFrame([run(part) for part in parts(folder)])
    print(table.to_string(index=False))
    print(results.save("gpu", table, "make gpu", folder))
    return int((table["outcome"] != "done").any())


if __name__ == "__main__":
    sys.exit(main())
