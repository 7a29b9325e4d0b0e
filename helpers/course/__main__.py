"""`python -m helpers.course COMMAND`: the command `course`, also before anything is installed."""

import sys

TOO_OLD = """\
Python {}.{} is too old; the course needs 3.11 or newer. Install one and name it:
make demo PYTHON=python3.12, or without make: python3.12 -m helpers.course demo"""


def main() -> int:
    """Run the command, where this Python can read more than this file."""
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(TOO_OLD.format(*sys.version_info))

    from helpers.course import install

    return install.main(sys.argv[1:])


sys.exit(main())
