"""Unit 03-learned: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.learned.fourier import fourier
from helpers.checks.learned.index_mlp import index_mlp
from helpers.checks.learned.stretch import stretch
from helpers.checks.learned.summary import summary
from helpers.checks.learned.table import table

__all__ = [
    "fourier",
    "index_mlp",
    "stretch",
    "summary",
    "table",
]
