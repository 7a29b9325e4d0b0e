"""Checks that name the mistake: a folder per unit, a file per exercise.

A notebook calls `check.table(sinusoidal_table)` with `from helpers.checks import sinusoidal as
check`. The same call, with another `seed`, is the hidden test.
"""

from __future__ import annotations

import importlib

from helpers.checks.engine import Exercise

__all__ = ["exercises", "package"]


def package(unit: str) -> str:
    """Name of the package that checks a unit, as 02-sinusoidal."""
    return f"{__name__}.{unit.split('-', 1)[1].replace('-', '_')}"


def exercises(unit: str) -> dict[str, Exercise]:
    """The unit's exercises by name."""
    module = importlib.import_module(package(unit))
    found = (getattr(module, name) for name in module.__all__)
    return {each.name: each for each in found if isinstance(each, Exercise)}
