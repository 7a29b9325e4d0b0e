"""Programs that run in the foreground of the terminal, Jupyter's servers among them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def run(words: Sequence[str], folder: Path | None = None) -> int:
    """Run a program to its end and give its exit code; Ctrl-C is for the program to answer."""
    with subprocess.Popen(words, cwd=folder) as program:
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:  # it has been told as well
                continue


def jupyter(app: Sequence[str], root: Path, port: int, browser: bool) -> list[str]:
    """What starts one of Jupyter's servers, as Python is told, on the files below `root`."""
    words = [sys.executable, *app, f"--port={port}", f"--ServerApp.root_dir={root.absolute()}"]
    if not browser:
        words.append("--no-browser")
    if is_root():
        words.append("--allow-root")  # Jupyter refuses it otherwise; the address has a token
    return words


def is_root() -> bool:
    """Whether root has started this program."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
