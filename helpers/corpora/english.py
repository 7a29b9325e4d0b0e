"""Real English without a network: the docstrings of installed packages, or a folder's texts.

It differs from machine to machine, so a loss on it is compared within one run only, and a digest
says which text it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import itertools
import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from helpers import runtime
from helpers.corpora import prose

STDLIB = "the standard library"
PACKAGES = (STDLIB, "numpy", "matplotlib", "torch")
PORTION = 100  # files that a process is given at once


class English(NamedTuple):
    """Documents, each a list of sentences, and where they are from."""

    documents: list[list[str]]
    sources: dict[str, int]  # package → characters
    digest: str

    def __str__(self) -> str:
        total = sum(self.sources.values())
        shares = ", ".join(f"{name} {size / total:.0%}" for name, size in self.sources.items())
        return (
            f"{len(self.documents):,} documents, {total / 1e6:.2f} million characters "
            f"({shares}); digest {self.digest}"
        )

    def split(self) -> tuple[list[list[str]], list[list[str]]]:
        """Return the documents to train on, and one in twenty that is held out."""
        train = [document for n, document in enumerate(self.documents) if n % 20]
        return train, self.documents[::20]


def docstrings(packages: Iterable[str] = PACKAGES, cache: Path | None = None) -> English:
    """Collect the sentences of the docstrings of `packages`, in a fixed order, none twice.

    Nothing is imported: the files are only parsed, which takes seconds. What the first call finds
    is kept under `cache`, by the versions of the packages and the rules for sentences.

    Args:
        packages: names as in an import, or "the standard library"; those not installed are left
            out.
        cache: folder; $XDG_CACHE_HOME/order-matters or ~/.cache/order-matters if not given.

    Raises:
        ValueError: none of them has a docstring.
    """
    folders = {name: folder for name in packages if (folder := _folder(name)) is not None}
    key = hashlib.sha1(repr(sorted(map(_version, folders.items()))).encode())
    for code in (prose.__file__, __file__):  # the rules by which sentences are chosen
        key.update(Path(code).read_bytes())
    path = (cache or cache_folder()) / f"english-{key.hexdigest()[:12]}.json"
    found = _read(path)
    if found is None:
        found = _collect(folders)
        _write(path, found)
    return found


def text_files(folder: Path) -> English:
    """Read the sentences of the *.txt files under `folder`, in order; a paragraph is a document.

    Raises:
        ValueError: there are none.
    """
    documents: list[list[str]] = []
    sources: dict[str, int] = {}
    for file in sorted(folder.rglob("*.txt")):
        text = file.read_text(encoding="utf-8", errors="replace")
        paragraphs = (" ".join(each.split()) for each in re.split(r"\n\s*\n", text))
        documents += [prose.SENTENCE_ENDS.split(each) for each in paragraphs if each]
        sources[str(file.relative_to(folder))] = len(text)
    if not documents:
        raise ValueError(f"no text in *.txt files under {folder}")
    return English(documents, sources, _digest(documents))


def _digest(documents: list[list[str]]) -> str:
    text = "\n".join("\n".join(document) for document in documents)
    return hashlib.sha1(text.encode()).hexdigest()[:12]


def cache_folder() -> Path:
    """Return where what takes long to collect or to fetch is kept."""
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
    """Read what an earlier call kept; None where it is missing or broken."""
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
        for docstring in _read_prose(files, f"docstrings of {name}"):
            sentences = [s for s in dict.fromkeys(docstring) if s not in seen]
            seen.update(sentences)
            if len(sentences) >= 2:
                documents.append(sentences)
                size += sum(map(len, sentences))
        sources[name] = size
    if not documents:
        raise ValueError(f"no docstrings in {', '.join(folders) or 'none of the packages'}")
    return English(documents, sources, _digest(documents))


def _read_prose(files: list[Path], label: str) -> Iterator[list[str]]:
    """Yield the sentences of each docstring in `files`, in their order.

    Parsing is most of the work, and Python's threads cannot share it; processes can.
    """
    portions = [files[n : n + PORTION] for n in range(0, len(files), PORTION)]
    read = _in_a_process if len(portions) > 1 and (os.cpu_count() or 1) > 1 else _here
    with (
        ThreadPoolExecutor(os.cpu_count()) as pool,
        runtime.bar(total=len(files), desc=label, unit="file") as bar,
    ):
        for portion, found in zip(portions, pool.map(read, portions), strict=True):
            bar.update(len(portion))
            yield from itertools.chain.from_iterable(found)


def _in_a_process(files: list[Path]) -> list[list[list[str]]]:
    command = [sys.executable, "-I", prose.__file__]
    try:
        asked = json.dumps([str(file) for file in files])
        done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):  # where no process may be started
        return _here(files)
    return json.loads(done.stdout)


def _here(files: list[Path]) -> list[list[list[str]]]:
    return [prose.of_file(file) for file in files]


def _is_prose(path: Path) -> bool:
    """Return whether a file is neither of another package inside nor of tests."""
    skipped = {"site-packages", "dist-packages", "tests", "test", "testing", "idlelib"}
    return not skipped & set(path.parts)
