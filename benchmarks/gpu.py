"""What only a GPU can show, in one command for a machine that has one: `make gpu`.

First come the forms of a training step with their share of the device's peak, unit 08 in the full
profile with the seconds of each cell, and the steps of BERT base and large; then the tests that
have a device, and the forms of relative attention. Each part is stopped when its time is up: the
first after 70 seconds, all together after seven minutes. Writes gpu.json, with a row for each
part and one for the versions of the packages, mini_bert_forms_cuda.json, full_profile_cuda.json,
full_curves_cuda.json, bert_sizes_cuda.json and relative_forms_cuda.json. All but the curves are
written as the measurement goes on, so that they hold what was measured before a part failed or was
stopped, or the machine was gone.

`ORDER_MATTERS_PROFILE=dry python -m benchmarks.gpu --out FOLDER` goes the same way on a CPU, with
little of each.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from benchmarks.mini_bert import DRY, out
from helpers import results, runtime

LOCK = Path(__file__).parent.parent / "requirements.lock"
TESTS = (
    "tests/encodings/test_properties.py",
    "tests/encodings/properties/test_modules.py",
    "tests/encodings/test_relative_logits.py",
    "tests/training/test_recording.py",
    "tests/training/test_recording_cuda.py",
    "tests/training/test_together.py",
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
    """All there is to do; what is asked most often comes first."""
    tests = ("pytest", "-vv", "--disable-warnings", "-k", FEW if DRY else "cuda", *TESTS)
    patience = 10 if DRY else 1  # a busy CPU is no fault of what is tried
    return [
        Part("forms of a step", 70 * patience, ("benchmarks.mini_bert_forms", "--out", str(out))),
        Part("full profile", 95 * patience, ("benchmarks.full_profile", "--out", str(out))),
        Part("base and large", 125 * patience, ("benchmarks.bert_sizes", "--out", str(out))),
        Part("tests", 75 * patience, tests),
        Part("forms of a sum", 55 * patience, ("benchmarks.relative_forms", "--out", str(out))),
    ]


def versions(lock: str) -> dict[str, Any]:
    """A row for gpu.json: which of the locked packages are here in another version, or not at all.

    Args:
        lock: a line `name==version` for each package, as in requirements.lock.
    """
    others = []
    for name, locked in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE):
        try:
            here = metadata.version(name)
        except metadata.PackageNotFoundError:
            here = "none"
        if here.split("+")[0] != locked:
            others.append(f"{name} {here} (lock: {locked})")
    outcome = "others than locked" if others else "as locked"
    return {"part": "versions", "outcome": outcome, "seconds": 0.0, "last line": ", ".join(others)}


def run(part: Part) -> dict[str, Any]:
    """A row for gpu.json: how long the part ran, and the last line that it printed.

    Lines in which pytest names a test that failed stand before it: those of its summary, or where
    it was stopped, those that it had printed.
    """
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *part.command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},  # or what it said would end with it
    )
    try:
        told, _ = process.communicate(timeout=part.seconds)
        outcome = "done" if process.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # kernels and compilers are processes as well
        told, _ = process.communicate()
        told, outcome = f"{told}\nits {part.seconds:g} s were up", "stopped"
    *lines, last = told.strip().splitlines() or ["nothing was printed"]
    named = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    last = "; ".join([*(named or [line for line in lines if " FAILED " in line]), last])
    print(told, flush=True)
    seconds = round(time.perf_counter() - begun, 1)
    return {"part": part.name, "outcome": outcome, "seconds": seconds, "last line": last}


def main() -> int:
    """Run all parts, print and store; 0 where every one of them is done."""
    if not DRY and (fault := runtime.cuda_fault()):
        print(f"PyTorch {torch.__version__} has no GPU here: {fault}")
        print("To try the command without one: ORDER_MATTERS_PROFILE=dry, and --out FOLDER")
        return 1
    folder = out()
    rows = [versions(LOCK.read_text(encoding="utf-8"))]
    for part in parts(folder):
        rows.append(run(part))
        path = results.save("gpu", pd.DataFrame(rows), "make gpu", folder)
    print(pd.DataFrame(rows).to_string(index=False))
    print(path)
    return int(any(row["outcome"] != "done" for row in rows[1:]))


if __name__ == "__main__":
    sys.exit(main())
