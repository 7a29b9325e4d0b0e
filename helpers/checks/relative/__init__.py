"""Unit 04-relative: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.relative.batched import batched
from helpers.checks.relative.gather import gather
from helpers.checks.relative.memory import memory
from helpers.checks.relative.module import module
from helpers.checks.relative.pairs import pairs
from helpers.checks.relative.rows import rows
from helpers.checks.relative.skew import skew
from helpers.checks.relative.values import values

__all__ = [
    "batched",
    "gather",
    "memory",
    "module",
    "pairs",
    "rows",
    "skew",
    "values",
]
