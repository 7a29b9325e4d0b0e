"""What `make test` skipped, and the one command that runs it: `python -m tests.skipped FILE`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

PACKAGES = {"needs bubblewrap": "bubblewrap", "needs Chromium": "chromium"}
NOTHING = "No test was skipped."


def told(reasons: list[str]) -> str:
    """A line per reason, then what to install and run; `NOTHING` if there is none."""
    if not reasons:
        return NOTHING
    counted = Counter(reasons)
    lines = [f"Skipped: {len(reasons)} tests."]
    lines += [f"  {number} × {reason}" for reason, number in counted.most_common()]
    if missing := [name for reason, name in PACKAGES.items() if reason in counted]:
        install = f"sudo apt install {' '.join(missing)} && make test"
        lines.append(f"To run them too, on Debian and Ubuntu: {install}")
    if set(counted) - set(PACKAGES):
        lines.append("For the others, look at what each says it needs.")
    return "\n".join(lines)


if __name__ == "__main__":
    file = Path(sys.argv[1])
    print(told(file.read_text(encoding="utf-8").splitlines() if file.exists() else []))
