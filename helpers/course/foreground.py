"""Programs that run in the foreground of the terminal, Jupyter's servers among them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

PAUSE = 2.0  # seconds between two calls


def run(
    words: Sequence[str],
    folder: Path | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> int:
    """Run a program to its end and return its exit code.

    Ctrl-C is for the program to answer; who ends this process ends that one.

    Args:
        meanwhile: called every few seconds.
    """
    with subprocess.Popen(words, cwd=folder) as program:
        before = signal.signal(signal.SIGTERM, lambda *_: program.terminate())
        try:
            while True:
                with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                    meanwhile()
                    return program.wait(PAUSE)
        finally:
            signal.signal(signal.SIGTERM, before)


def jupyter(app: Sequence[str], root: Path, port: int, browser: bool) -> list[str]:
    """Return what starts one of Jupyter's servers, as Python gets it, on the files below `root`."""
    words = [sys.executable, *app, f"--port={port}", f"--ServerApp.root_dir={root.absolute()}"]
    words += [] if browser else ["--no-browser"]
    # Jupyter refuses root otherwise; the address has a token.
    return [*words, "--allow-root"] if is_root() else words


def is_root() -> bool:
    """Return whether root has started this program."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
