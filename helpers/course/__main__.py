"""`python -m helpers.course COMMAND`: the command `course`, also before anything is installed."""

import sys

TOO_OLD = """\
Python {}.{} is too old; the course needs 3.11 or newer. Install one and name it:
make demo PYTHON=python3.12, or without make: python3.12 -m helpers.course demo"""

if sys.version_info < (3, 11):  # noqa: UP036 (such a Python can read this file and no other)
    sys.exit(TOO_OLD.format(*sys.version_info))

from helpers.course import install  # noqa: E402

sys.exit(install.start(sys.argv[1:]))
