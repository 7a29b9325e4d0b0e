"""The book's own library, d2l, for the cells that check our results against it.

`from helpers.book import d2l` works on CPU builds of PyTorch too. d2l imports torchvision, which
those builds lack and which nothing here needs; an empty stand-in takes its place.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

INSTALL = "pip install --no-deps d2l==1.0.3"


class MissingBook:
    """Stands in for d2l where it is not installed; false, and clear about it when used."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def __bool__(self) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        raise ModuleNotFoundError(f"d2l.{name} is not here ({self._reason}); try: {INSTALL}")


def _load() -> Any:
    stand_in = not _works("torchvision")
    if stand_in:
        vision, transforms = types.ModuleType("torchvision"), types.ModuleType("transforms")
        vision.transforms = transforms  # type: ignore[attr-defined]
        sys.modules |= {"torchvision": vision, "torchvision.transforms": transforms}
    try:
        return importlib.import_module("d2l.torch")
    except ImportError as error:
        print(f"The comparisons with the book are left out ({error}). For them: {INSTALL}")
        return MissingBook(str(error))
    finally:
        if stand_in:  # nobody else should find an empty torchvision
            del sys.modules["torchvision"], sys.modules["torchvision.transforms"]


def _works(module: str) -> bool:
    try:
        importlib.import_module(module)
    except (ImportError, RuntimeError):  # RuntimeError: built for another PyTorch
        for name in [name for name in sys.modules if name.split(".")[0] == module]:
            del sys.modules[name]
        return False
    return True


d2l = _load()
