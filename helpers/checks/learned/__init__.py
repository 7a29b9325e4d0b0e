"""Unit 03, learned encodings: what its five exercises ask and look at."""

# Files of further mistakes, which add themselves to their exercises.
from helpers.checks.learned import (  # noqa: F401
    fourier_features,
    fourier_frequencies,
    index_norm,
    stretch_training,
    summary_above,
    summary_wrong,
    table_rows,
    table_start,
)
from helpers.checks.learned.fourier import fourier
from helpers.checks.learned.index_mlp import index_mlp
from helpers.checks.learned.stretch import stretch
from helpers.checks.learned.summary import summary
from helpers.checks.learned.table import table

__all__ = ["fourier", "index_mlp", "stretch", "summary", "table"]
