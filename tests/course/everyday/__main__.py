"""Grade all everyday notebooks, or those whose names hold a text, and print what came of them.

`python -m tests.course.everyday [TEXT …]`
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.course.everyday import notebooks
from tests.course.everyday.rows import graded

if __name__ == "__main__":  # each worker imports this module
    wanted = sys.argv[1:]
    rows = [
        each for each in notebooks.ROWS if not wanted or any(text in each.name for text in wanted)
    ]
    with TemporaryDirectory() as folder:
        table = graded(rows, Path(folder))
    print(table.to_string(index=False, max_colwidth=200))
    print(f"{table.hurt.sum()} of {len(table)} hurt")
    sys.exit(bool(table.hurt.any()))
