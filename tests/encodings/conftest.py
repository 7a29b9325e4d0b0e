"""Double precision and a seed for every test of an encoding."""

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def _in_double_precision() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)
