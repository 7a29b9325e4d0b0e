"""Grade all everyday notebooks, or those whose names hold a text, and print what came of them.

`python -m tests.course.everyday [TEXT …]`
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.course.everyday.rows import ROWS, graded

if __name__ == "__main__":  # each worker imports this module
    wanted = sys.argv[1:] or [""]
    rows = [each for each in ROWS if any(text in each.name for text in wanted)]
    with TemporaryDirectory() as folder:
        table = graded(rows, Path(folder))
    print(table.to_string(index=False, max_colwidth=200))
    print(f"{table.hurt.sum()} of {len(table)} hurt")
    sys.exit(bool(table.hurt.any()))
