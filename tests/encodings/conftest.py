"""Double precision and a seed for every test of an encoding."""

import pytest


@pytest.fixture(autouse=True)
def _in_double_precision(double_precision: None) -> None:
    """As the shared fixture does."""
