"""Unit 06, stacking: what its exercises ask and look at."""

# A file of further mistakes, which add themselves to their exercise.
from helpers.checks.stacking import probe_errors  # noqa: F401
from helpers.checks.stacking.convolution import convolution
from helpers.checks.stacking.cost import cost
from helpers.checks.stacking.depths import depths
from helpers.checks.stacking.probe import probe
from helpers.checks.stacking.residual import residual
from helpers.checks.stacking.tree import tree

__all__ = ["convolution", "cost", "depths", "probe", "residual", "tree"]
