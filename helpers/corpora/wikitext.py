"""WikiText-2 (Merity et al. 2016, 1609.07843), from its author's own address.

It is the file that the book's loader asks for, byte for byte: the checksum is the book's. The
address in d2l 1.0.3 no longer answers. The text is CC BY-SA and GFDL; nothing of it is kept here.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

import httpx
from tqdm.auto import tqdm

from helpers.corpora.english import English, cache_folder, docstrings

ADDRESS = "https://wikitext.smerity.com/wikitext-2-v1.zip"
SHA1 = "3c914d17d80b1459be871a5039ac23e752a53cbe"
MEMBER = "wikitext-2/wiki.train.tokens"
ATTEMPTS = 3


class DownloadError(RuntimeError):
    """A file could not be fetched; the text says what to do."""


def english(cache: Path | None = None, **options: str) -> English:
    """WikiText-2 where it can be had, else the docstrings; says which, and why.

    Args:
        cache: folder, see `docstrings`.
        options: for `wikitext2`.
    """
    try:
        return wikitext2(cache, **options)
    except DownloadError as error:
        print(f"{error}\nDocstrings take its place.")
        return docstrings(cache=cache)


def wikitext2(cache: Path | None = None, address: str = ADDRESS, sha1: str = SHA1) -> English:
    """The training text of WikiText-2: a document for each paragraph of two sentences or more.

    Args:
        cache: folder that keeps the file; that of `docstrings` if not given.
        address: where the archive lies. sha1: of the archive.

    Raises:
        DownloadError: the archive cannot be had, or is not the right one.
    """
    path = (cache or cache_folder()) / "wikitext-2-v1.zip"
    if not path.exists():
        fetch(address, path, sha1)
    try:
        text = zipfile.ZipFile(path).read(MEMBER).decode("utf-8")
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise DownloadError(f"{path} cannot be read ({error}); delete it and try again") from error
    documents = [found for line in text.split("\n") if len(found := _sentences(line)) >= 2]
    size = sum(len(sentence) for document in documents for sentence in document)
    digest = hashlib.sha1(text.encode()).hexdigest()[:12]
    return English(documents, {"WikiText-2": size}, digest)


def _sentences(line: str) -> list[str]:
    """Sentences of a paragraph; none of a heading. The archive has spaces around all marks."""
    if line.lstrip().startswith("="):
        return []
    joined = re.sub(r" @(.)@ ", r"\1", line.strip()).replace("<unk>", "[UNK]")
    return [f"{each.strip()} ." for each in f"{joined} ".split(" . ") if each.strip()]


def fetch(address: str, path: Path, sha1: str, timeout: float = 20.0) -> None:
    """Download `address` to `path`; goes on where an earlier call stopped.

    Args:
        timeout: longest wait for the next piece, in seconds.

    Raises:
        DownloadError: no answer in three attempts, a refusal, or a file with another checksum.
    """
    part = path.with_suffix(".part")
    part.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(ATTEMPTS):
        try:
            _append(address, part, timeout)
            break
        except httpx.HTTPStatusError as error:
            code = error.response.status_code
            raise DownloadError(f"{address} answers {code}; is the address right?") from error
        except httpx.TransportError as error:
            if attempt == ATTEMPTS - 1:
                why = str(error) or type(error).__name__
                raise DownloadError(f"no connection to {address} ({why}); try again") from error
    found = hashlib.sha1(part.read_bytes()).hexdigest()
    if found != sha1:
        part.unlink()  # or it would be found, and found wrong, for ever
        raise DownloadError(f"{address} gave a file with SHA-1 {found}; it must be {sha1}")
    part.replace(path)


def _append(address: str, part: Path, timeout: float) -> None:
    """Fetch what `part` lacks."""
    have = part.stat().st_size if part.exists() else 0
    asked = {"Range": f"bytes={have}-"} if have else {}
    with httpx.stream(
        "GET", address, headers=asked, timeout=timeout, follow_redirects=True
    ) as answer:
        if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            return  # all of it is here; the checksum will tell
        answer.raise_for_status()
        goes_on = answer.status_code == httpx.codes.PARTIAL_CONTENT
        total = int(answer.headers.get("Content-Length", 0)) + (have if goes_on else 0)
        with (
            part.open("ab" if goes_on else "wb") as file,
            tqdm(total=total or None, initial=file.tell(), unit="B", unit_scale=True) as bar,
        ):
            bar.set_description(part.stem)
            for piece in answer.iter_bytes():
                file.write(piece)
                bar.update(len(piece))
