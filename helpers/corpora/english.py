"""Real English without a network: the docstrings of installed packages.

It differs from machine to machine, so a loss on it is compared within one run only, and a digest
says which text it was.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from helpers import runtime

STDLIB = "the standard library"
PACKAGES = (STDLIB, "numpy", "matplotlib", "torch")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NO_PROSE = re.compile(r"---|>>>|\.\. |::|[{}<>|=_]|https?:")


class English(NamedTuple):
    """Documents of two or more sentences each, and where they are from."""

    documents: list[list[str]]
    sources: dict[str, int]  # package → characters
    digest: str

    def __str__(self) -> str:
        total = sum(self.sources.values())
        shares = ", ".join(f"{name} {size / total:.0%}" for name, size in self.sources.items())
        return (
            f"{len(self.documents):,} docstrings, {total / 1e6:.2f} million characters "
            f"({shares}); digest {self.digest}"
        )


def docstrings(packages: Iterable[str] = PACKAGES, cache: Path | None = None) -> English:
    """Sentences of the docstrings of `packages`, in a fixed order, none twice.

    Nothing is imported: the files are only parsed. The first call takes up to half a minute; what
    it finds is kept under `cache`, by the versions of the packages.

    Args:
        packages: names as in an import, or "the standard library"; those not installed are left
            out.
        cache: folder; $XDG_CACHE_HOME/order-matters or ~/.cache/order-matters if not given.

    Raises:
        ValueError: none of them has a docstring.
    """
    folders = {name: folder for name in packages if (folder := _folder(name)) is not None}
    key = hashlib.sha1(repr(sorted(map(_version, folders.items()))).encode()).hexdigest()[:12]
    path = (cache or cache_folder()) / f"english-{key}.json"
    found = _read(path)
    if found is None:
        found = _collect(folders)
        _write(path, found)
    return found


def cache_folder() -> Path:
    """Where what takes long to collect or to fetch is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "order-matters"


def _folder(name: str) -> Path | None:
    if name == STDLIB:
        return Path(sysconfig.get_path("stdlib"))
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _version(package: tuple[str, Path]) -> tuple[str, str, str]:
    name, folder = package
    if name == STDLIB:
        return name, str(folder), sys.version
    try:
        return name, str(folder), metadata.version(name)
    except metadata.PackageNotFoundError:  # it is installed under another name, or not installed
        return name, str(folder), ""


def _read(path: Path) -> English | None:
    """What an earlier call kept; None where it is missing or broken."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return English(kept["documents"], kept["sources"], kept["digest"])
    except (OSError, ValueError, KeyError):
        return None


def _write(path: Path, found: English) -> None:
    part = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # a read-only home: it is only collected again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(json.dumps(found._asdict()), encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


def _collect(folders: dict[str, Path]) -> English:
    documents: list[list[str]] = []
    sources: dict[str, int] = {}
    seen: set[str] = set()
    for name, folder in folders.items():
        files = sorted(p for p in folder.rglob("*.py") if _is_prose(p.relative_to(folder)))
        size = 0
        for file in runtime.bar(files, desc=f"docstrings of {name}", unit="file"):
            for text in _docstrings(file):
                sentences = [s for s in dict.fromkeys(_sentences(text)) if s not in seen]
                seen.update(sentences)
                if len(sentences) >= 2:
                    documents.append(sentences)
                    size += sum(map(len, sentences))
        sources[name] = size
    if not documents:
        raise ValueError(f"no docstrings in {', '.join(folders) or 'none of the packages'}")
    text = "\n".join("\n".join(document) for document in documents)
    return English(documents, sources, hashlib.sha1(text.encode()).hexdigest()[:12])


def _is_prose(path: Path) -> bool:
    """Not another package inside, and no tests."""
    skipped = {"site-packages", "dist-packages", "tests", "test", "testing", "idlelib"}
    return not skipped & set(path.parts)


def _docstrings(file: Path) -> Iterator[str]:
    """The docstrings of one file, from top to bottom; none of a file that cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's escapes
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield text


def _sentences(text: str) -> Iterator[str]:
    """Whole sentences of running prose, four to sixty words long."""
    for paragraph in re.split(r"\n\s*\n", text):
        joined = " ".join(paragraph.split())
        for sentence in _SENTENCE_ENDS.split(joined):
            words = sentence.split()
            letters = sum(c.isalpha() or c.isspace() for c in sentence)
            if (
                4 <= len(words) <= 60
                and sentence[0].isupper()
                and sentence[-1] in ".!?"
                and letters > 0.85 * len(sentence)
                and not _NO_PROSE.search(sentence)
            ):
                yield sentence
