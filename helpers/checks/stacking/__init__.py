"""Unit 06, stacking: what its exercises ask and look at."""

# Files of further mistakes, which add themselves to their exercise.
from helpers.checks.stacking import (  # noqa: F401
    convolution_heads,
    cost_dicts,
    probe_errors,
    residual_kept,
    tree_numbers,
)
from helpers.checks.stacking.convolution import convolution
from helpers.checks.stacking.cost import cost
from helpers.checks.stacking.depths import depths
from helpers.checks.stacking.probe import probe
from helpers.checks.stacking.residual import residual
from helpers.checks.stacking.tree import tree

__all__ = ["convolution", "cost", "depths", "probe", "residual", "tree"]
