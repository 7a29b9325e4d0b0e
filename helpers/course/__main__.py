"""`python -m helpers.course COMMAND` is `course COMMAND`."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (such a Python can read this file and no other)
    sys.exit(f"Python 3.11 or newer is needed; {sys.executable} is older. See docs/starting.md.")

from helpers.course.cli import main

raise SystemExit(main())
