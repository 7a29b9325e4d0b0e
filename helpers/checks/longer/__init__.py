"""Unit 10-longer: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.longer.angles2d import angles2d
from helpers.checks.longer.longer_base import longer_base
from helpers.checks.longer.positions import positions
from helpers.checks.longer.ramp import ramp
from helpers.checks.longer.turns import turns

__all__ = [
    "angles2d",
    "longer_base",
    "positions",
    "ramp",
    "turns",
]
