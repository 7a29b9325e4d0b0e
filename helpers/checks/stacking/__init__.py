"""Unit 06-stacking: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.stacking.convolution import convolution
from helpers.checks.stacking.cost import cost
from helpers.checks.stacking.depths import depths
from helpers.checks.stacking.probe import probe
from helpers.checks.stacking.residual import residual
from helpers.checks.stacking.tree import tree

__all__ = [
    "convolution",
    "cost",
    "depths",
    "probe",
    "residual",
    "tree",
]
