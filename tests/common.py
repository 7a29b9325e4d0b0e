"""The checkout, its units, and the source of a tiny unit to do harm to."""

from pathlib import Path

from helpers.course import settings

ROOT = Path(__file__).parent.parent
UNITS = settings.find(ROOT).units()

LESSON = '''\
# %% [markdown]
# # A tiny unit

# %% [markdown] exercise="double" title="Twice" difficulty=1 minutes=2
# Write it.

# %% solution="double"
def double(x: int) -> int:
    """Twice x."""
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% test="double" points=2
assert double(2) == 4
### BEGIN HIDDEN TESTS
assert double(21) == 42
### END HIDDEN TESTS
'''
