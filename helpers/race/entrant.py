"""An encoding that takes part in the race: where its class is, and how a model gets one."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from helpers.encodings import REGISTRY, Encoding
from helpers.race.rules import RIVALS
from helpers.training.experiments import HEADS, WIDTH


class EntrantError(ValueError):
    """A class that cannot take part; the text says why."""


@dataclass(frozen=True)
class Entrant:
    """An encoding in the race.

    Args:
        name: as the card calls it.
        source: a name for `create`, "FILE.py:Class", or the class itself.
    """

    name: str
    source: str | type[Encoding]

    def kind(self) -> type[Encoding]:
        """Return the class.

        Raises:
            EntrantError: there is no such file or class, or it is no `Encoding`.
        """
        if self.source in REGISTRY:
            return REGISTRY[str(self.source)].kind
        found: object = self.source
        if isinstance(found, str):
            path, name = self._place()
            found = _loaded(path, name, _digest(path))
        if not (isinstance(found, type) and issubclass(found, Encoding)):
            raise EntrantError(f"{self.name} is no subclass of helpers.encodings.Encoding")
        return found

    def build(self, max_len: int) -> Encoding:
        """Return a new encoding of the race's width."""
        return self.kind()(d_model=WIDTH, num_heads=HEADS, max_len=max_len)

    def digest(self) -> str:
        """Return what tells this code from other code; empty where only Python knows it."""
        if isinstance(self.source, type):
            return ""
        return self.source if self.source in REGISTRY else _digest(self._place()[0])

    def _place(self) -> tuple[Path, str]:
        file, colon, name = str(self.source).rpartition(":")
        path = Path(file).resolve()
        if not (colon and name.isidentifier()):
            raise EntrantError(f"{self.source!r} must be FILE.py:Class, as mine.py:MyEncoding")
        if not path.is_file():
            raise EntrantError(f"{file} is no file")
        return path, name


def entrant(encoding: str | type[Encoding]) -> Entrant:
    """Return who takes part, by the `source` of an `Entrant`.

    Raises:
        EntrantError: it cannot take part, or cannot be built.
    """
    name = encoding if isinstance(encoding, str) else encoding.__name__
    name = name.rpartition(":")[2]
    found = Entrant(f"{name}, yours" if name in RIVALS else name, encoding)
    found.kind()
    try:
        found.build(max_len=32)
    except Exception as error:
        raise EntrantError(
            f"{found.name}(d_model={WIDTH}, num_heads={HEADS}, max_len=32) cannot be built: "
            f"{type(error).__name__}: {error}"
        ) from error
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@lru_cache
def _loaded(path: Path, name: str, digest: str) -> object:
    """Return what the file calls `name`; it is read again where its text has changed."""
    module = f"race_{digest}"
    spec = importlib.util.spec_from_file_location(module, path)
    if spec is None or spec.loader is None:
        raise EntrantError(f"{path.name} is no Python file")
    loaded = sys.modules[module] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    except Exception as error:
        raise EntrantError(
            f"{path.name} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not hasattr(loaded, name):
        raise EntrantError(f"{path.name} has no class {name}")
    return getattr(loaded, name)
