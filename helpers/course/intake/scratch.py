"""A scratch folder in /tmp that goes with its process, whatever ends that."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import weakref
from pathlib import Path

from helpers.course import drop

# It waits for the end of a pipe whose other end this process alone has.
REMOVE = "import shutil, sys; sys.stdin.read(); shutil.rmtree(sys.argv[1], ignore_errors=True)"


class Scratch:
    """A folder that is removed by `close`, with this object, or when the process is killed.

    Args:
        prefix: of its name.
    """

    def __init__(self, prefix: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=prefix))
        drop.give(self.path)  # only its owner may enter it
        words = [sys.executable, "-ISc", REMOVE, str(self.path)]
        # In a session of its own: what ends this process with its group leaves it its work.
        watch = subprocess.Popen(words, stdin=subprocess.PIPE, cwd="/", start_new_session=True)
        self._end = weakref.finalize(self, watch.communicate)

    def close(self) -> None:
        """Remove it now."""
        self._end()
