"""An encoding that takes part in the race: where its class is, and how a model gets one."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import torch

from helpers.encodings import REGISTRY, Encoding
from helpers.model.encoder import Encoder
from helpers.race.rules import RIVALS
from helpers.training.experiments import HEADS, WIDTH

Build = Callable[[int], Encoding]  # max_len → encoding
MOST = 512  # tokens: the largest max_len that anything in a race asks for


class EntrantError(ValueError):
    """A class that cannot take part; the text says why."""


class Entrant(NamedTuple):
    """An encoding in the race.

    Args:
        name: as the card calls it.
        source: a name for `create`, "FILE.py:Class", or the class itself.
        code: digest of its file, "" if it has none.
    """

    name: str
    source: str | type[Encoding]
    code: str = ""

    def kind(self) -> type[Encoding]:
        """Return the class.

        Raises:
            EntrantError: there is none, it is no `Encoding`, or its file is no longer that of
                `code`.
        """
        found: object = self.source
        if isinstance(found, str):
            found = REGISTRY[found].kind if found in REGISTRY else _load(found, self.code)
        if not (isinstance(found, type) and issubclass(found, Encoding)):
            told = "must be a class derived from helpers.encodings.Encoding"
            raise EntrantError(f"{self.name} {told}; pass the class itself, not an instance")
        return found

    def build(self, max_len: int) -> Encoding:
        """Return a new encoding of the race's width."""
        return self.kind()(d_model=WIDTH, num_heads=HEADS, max_len=max_len)


def entrant(source: str | type[Encoding]) -> Entrant:
    """Return who takes part.

    Raises:
        EntrantError: it is no class, cannot be found or built, or breaks on a short text.
    """
    if isinstance(source, str):
        name = source.rpartition(":")[2]
        code = "" if source in REGISTRY else _digest(_read(source)[2])
    else:
        name, code = getattr(source, "__name__", f"this {type(source).__name__}"), ""
    found = Entrant(f"{name}, yours" if name in RIVALS else name, source, code)
    found.kind()
    try:
        model = Encoder(found.build(MOST), 8)
        with suppress(ValueError):  # it may refuse a plain text, as an encoding of trees does
            model(torch.randint(8, (2, 16))).sum().backward()
    except Exception as error:
        call = f"{name}(d_model={WIDTH}, num_heads={HEADS}, max_len={MOST})"
        told = f"{call} cannot be built, or breaks on 16 tokens: {type(error).__name__}: {error}"
        raise EntrantError(told) from error
    return found


def _digest(text: bytes) -> str:
    """Return eight hexadecimal digits that tell a file from another."""
    return hashlib.sha256(text).hexdigest()[:8]


def _read(source: str) -> tuple[Path, str, bytes]:
    """Return file, class and text of "FILE.py:Class"."""
    file, colon, name = source.rpartition(":")
    path = Path(file).resolve()
    if not (colon and name.isidentifier()):
        told = "must be FILE.py:Class, as mine.py:MyEncoding, or a name in docs/encodings.md"
        raise EntrantError(f"{source!r} {told}")
    if not path.is_file():
        raise EntrantError(f"{file} is no file")
    return path, name, path.read_bytes()


def _load(source: str, code: str) -> object:
    """Return what stands in "FILE.py:Class", if the file still has this digest."""
    path, name, text = _read(source)
    if _digest(text) != code:
        raise EntrantError(f"{path.name} has changed since the race began; begin it again")
    found = vars(_module(path, text))
    if name not in found:
        raise EntrantError(f"{path.name} has no class {name}")
    return found[name]


@cache  # each model has an encoding of its own, and a file may do more than define one
def _module(path: Path, text: bytes) -> ModuleType:
    module = ModuleType(f"race_{path.stem}")
    sys.modules[module.__name__] = module  # where pickle and torch.compile look it up
    try:
        exec(compile(text, path, "exec"), vars(module))
    except (Exception, SystemExit) as error:
        told = f"{path.name} cannot be imported: {type(error).__name__}: {error}"
        raise EntrantError(told) from error
    return module
