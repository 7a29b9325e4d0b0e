"""Where am I: device, versions, profile, seeds."""

from __future__ import annotations

import importlib.util
import os
import platform
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from IPython import get_ipython
from tqdm import tqdm

MIN_PYTHON = (3, 11)


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def profile() -> str:
    """Return `full` on a GPU, else `quick`; the variable ORDER_MATTERS_PROFILE overrides it.

    With `dry` every training ends after a few steps: enough to see that all cells run.

    Raises:
        ValueError: the variable holds anything else.
    """
    chosen = os.environ.get("ORDER_MATTERS_PROFILE") or (
        "full" if torch.cuda.is_available() else "quick"
    )
    if chosen not in ("quick", "full", "dry"):
        raise ValueError(f"ORDER_MATTERS_PROFILE={chosen!r} must be 'quick', 'full' or 'dry'")
    return chosen


def cuda_fault() -> str:
    """Return why PyTorch cannot use an NVIDIA GPU here, in its words; "" if it can."""
    try:
        torch.cuda.init()
    except (RuntimeError, AssertionError) as error:  # no driver, one too old; a build without CUDA
        return str(error).strip().split("\n")[0]
    return ""


def fast_precision(device: str = "cuda") -> str:
    """Return the precision of products in training that is quick here, as `train` names it.

    bfloat16 where the device has it; float16 on a GPU that has not, such as a T4.

    Args:
        device: where it is trained; the CPU where there is no such GPU.
    """
    if device == "cuda" and torch.cuda.is_available():
        return "bfloat16" if torch.cuda.get_device_capability() >= (8, 0) else "float16"
    return "bfloat16" if "avx512_bf16" in _processor("flags") else "float32"


def keep_freed_memory() -> None:
    """Let Linux's allocator keep what a training step frees, up to 60 MiB, for the next step.

    glibc gives freed memory back beyond twice the largest block that was freed so far (mallopt(3),
    M_MMAP_THRESHOLD; blocks above 32 MiB do not count), and clearing the fresh pages in the next
    step costs a mini BERT about a fifth of its time (measured by benchmarks/mini_bert.py).
    """
    torch.empty(30 * 2**20, dtype=torch.uint8)


def in_notebook() -> bool:
    """Return whether this runs in a Jupyter kernel."""
    return hasattr(get_ipython(), "kernel")


def bar(*iterable: Any, **options: Any) -> tqdm:
    """Return a progress bar of text, which a notebook keeps; options are tqdm's.

    A widget would be gone then. Jupyter paints what goes to stderr as if it were an error.
    """
    return tqdm(*iterable, file=sys.stdout if in_notebook() else sys.stderr, **options)


def seed_everything(seed: int) -> None:
    """Make Python, NumPy and PyTorch repeat themselves."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def machine() -> dict[str, str]:
    """Return what a recorded result has to say about where it was measured."""
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else _processor("model name")
    return {
        "device": name,
        "threads": str(torch.get_num_threads()),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        **({"cuda": str(torch.version.cuda)} if torch.cuda.is_available() else {}),
    }


def _processor(entry: str) -> str:
    """Return what Linux says of the processor; elsewhere its name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith(entry))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def check() -> str:
    """Return a line for each thing that notebooks need, with what to do where it is missing."""
    lines = [
        _line(
            sys.version_info >= MIN_PYTHON,
            f"Python {platform.python_version()}",
            "the course needs Python 3.11 or newer",
        ),
        _line(True, f"PyTorch {torch.__version__.split('+')[0]}", ""),
        _line(
            _has("ipywidgets"),
            "ipywidgets, for the sliders",
            "no sliders: pip install ipywidgets",
        ),
        _line(
            _has("d2l"),
            "d2l, for the comparisons with the book",
            "those cells will be left out: pip install --no-deps d2l==1.0.3",
        ),
    ]
    where = "the CPU"
    if torch.cuda.is_available():
        where = f"a GPU, {torch.cuda.get_device_name()}, in {fast_precision()}"
    elif torch.backends.mps.is_available():
        where = "the CPU; Apple's GPU stays unused"
    lines.append(_line(True, f"training runs on {where}", ""))
    if torch.version.cuda and "too old" in (fault := cuda_fault()):
        lines.append(_line(False, "the NVIDIA GPU", fault))
    return "\n".join(lines)


def _line(fine: bool, what: str, remedy: str) -> str:
    return f"✓ {what}" if fine else f"✗ {what}: {remedy}"
