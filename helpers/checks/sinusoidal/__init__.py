"""Unit 02-sinusoidal: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.sinusoidal.any_width import any_width
from helpers.checks.sinusoidal.module import module
from helpers.checks.sinusoidal.shift import shift
from helpers.checks.sinusoidal.similarity import similarity
from helpers.checks.sinusoidal.table import table
from helpers.checks.sinusoidal.wavelengths import wavelengths

__all__ = [
    "any_width",
    "module",
    "shift",
    "similarity",
    "table",
    "wavelengths",
]
