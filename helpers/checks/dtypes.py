"""What dtype a result has, beside its numbers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

REAL = (torch.float32, torch.float64)


def with_dtype(found: Any, dtypes: tuple[torch.dtype, ...] = REAL) -> dict[str, Any]:
    """A tensor's dtype, of which any of these will do, and its numbers."""
    if not isinstance(found, Tensor):
        return {"its dtype": f"none, as it is a {type(found).__name__}"}
    told = " or ".join(map(str, dtypes)) if found.dtype in dtypes else str(found.dtype)
    return {"its dtype": told, "the numbers": found}
