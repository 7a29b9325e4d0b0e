"""Unit 06, “Offsets in a tree”: offsets in another dtype, cut off, or written over their tree."""

from __future__ import annotations

from helpers.checks.engine import changed
from helpers.checks.stacking.tree import ACROSS, ON_A_PATH, WHOLE, offsets_by_paths, tree


@tree.mistake(
    "Your offsets are right, but their dtype cannot be used for an index: return integers, "
    "torch.int64.",
    loses=WHOLE,
    breaks="Return integers (`torch.int64`)",
)
@changed(offsets_by_paths, "torch.tensor(found)", "torch.tensor(found).float()")
def offsets_as_floats(): ...


@tree.mistake(
    "Your offsets stop growing at some number of steps. A tree may be a single chain.",
    loses=(ON_A_PATH, ACROSS),
    breaks="may be a single chain",
)
@changed(offsets_by_paths, "torch.tensor(found)", "torch.tensor(found).clamp(-20, 20)")
def offsets_up_to_twenty(): ...
