"""Unit 04, “Which vector does a pair use?”: right rows in the wrong kind of object."""

from __future__ import annotations

import torch

from helpers.checks.relative.rows import rows


@rows.mistake(
    "The numbers are right, but they are floats, which cannot index a table. torch.arange of "
    "an integer gives int64.",
    breaks="Its dtype is int64",
)
def rows_as_floats(length, k):
    p = torch.arange(float(length))
    return (p[None, :] - p[:, None]).clamp(-k, k) + k


@rows.mistake(
    "The numbers are right, but in a NumPy array. The exercise asks for a tensor: "
    "torch.from_numpy converts it, or start with torch.arange.",
    breaks="It returns a $(T, T)$ tensor",
)
def rows_in_an_array(length, k):
    p = torch.arange(length)
    return ((p[None, :] - p[:, None]).clamp(-k, k) + k).numpy()


@rows.mistake(
    "Your rows are right only as long as k is small. float16 cannot represent every integer "
    "beyond 2,048, and int16 ends at 32,767. torch.arange of an integer gives int64.",
    loses="offsets up to k",
    breaks="$k$ may be larger than $T$, or 0",
)
def rows_in_half_precision(length, k):
    p = torch.arange(length).half()
    return ((p[None, :] - p[:, None]).clamp(-k, k) + k).long()


@rows.mistake(
    "Your rows are lists of lists. The exercise asks for a tensor: torch.tensor(…) converts them."
)
def rows_as_lists(length, k):
    p = torch.arange(length)
    return ((p[None, :] - p[:, None]).clamp(-k, k) + k).tolist()
