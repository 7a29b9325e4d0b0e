"""Unit 00-start-here: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.start_here.positions import positions

__all__ = [
    "positions",
]
