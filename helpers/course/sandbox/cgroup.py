"""Limits of a whole sandbox that Linux itself holds, where systemd makes a scope for it.

A scope is a cgroup: it counts all processes of a sandbox together, with the files that they have in
memory, and at every moment. Elsewhere `Sandbox.check_limits` holds alone.
"""

from __future__ import annotations

import os
import subprocess
from functools import cache

VARIABLES = ("PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # that systemd is found by


@cache
def unavailable() -> str:
    """Return why systemd makes no scope; empty where it does."""
    try:
        trial = [*prefix(1 << 30, 100), "true"]
        subprocess.run(trial, capture_output=True, text=True, timeout=10, check=True)
    except subprocess.CalledProcessError as error:
        return f"systemd makes no scope: {error.stderr.strip()}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"systemd makes no scope: {error}"
    return ""


def prefix(memory: int, processes: int) -> list[str]:
    """Return what stands before a command that is to run in a scope of its own.

    Args:
        memory: bytes in all, files in memory included. processes: threads count.
    """
    limits = {"MemoryMax": memory, "MemorySwapMax": 0, "TasksMax": processes, "OOMPolicy": "kill"}
    words = ["systemd-run", "--scope", "--quiet", "--collect"]
    words += [] if os.geteuid() == 0 else ["--user"]
    return words + [f"--property={name}={value}" for name, value in limits.items()]
