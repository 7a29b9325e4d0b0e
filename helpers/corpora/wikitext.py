"""WikiText-2 (Merity et al. 2016, 1609.07843), the raw form, from the Hugging Face hub.

A fixed revision of the hub's copy, read by the datasets library. The hub's own client begins an
interrupted download anew and compares sizes only, so `fetch` does that part: it goes on where it
stopped, and knows the file by its checksum. The text is CC BY-SA and GFDL; nothing of it is kept
here.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path

import httpx
from tqdm.auto import tqdm

from helpers.corpora.english import English, cache_folder, docstrings

REVISION = "b08601e04326c79dfdd32d625aee71d232d685c3"
FILE = "wikitext-2-raw-v1/train-00000-of-00001.parquet"
ADDRESS = f"https://huggingface.co/datasets/Salesforce/wikitext/resolve/{REVISION}/{FILE}"
SHA256 = "e83889baabc497075506f91975be5fac0d45c5290b6b20582c8cd1e853d0c9f7"
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


def wikitext2(cache: Path | None = None, address: str = ADDRESS, sha256: str = SHA256) -> English:
    """The training text of WikiText-2: a document for each paragraph of two sentences or more.

    Args:
        cache: folder that keeps the file; that of `docstrings` if not given.
        address: where it lies. sha256: its checksum.

    Raises:
        DownloadError: the file cannot be had, is not the right one, or cannot be read.
    """
    path = (cache or cache_folder()) / f"wikitext-2-{sha256[:12]}.parquet"
    if not path.exists():
        fetch(address, path, sha256)
    lines = _lines(path)
    documents = [found for line in lines if len(found := _sentences(line)) >= 2]
    size = sum(len(sentence) for document in documents for sentence in document)
    digest = hashlib.sha1("".join(lines).encode()).hexdigest()[:12]
    return English(documents, {"WikiText-2": size}, digest)


def _lines(path: Path) -> list[str]:
    """The lines of the text: headings, paragraphs and what is empty."""
    try:
        from datasets import Dataset
    except ImportError as error:
        raise DownloadError(f"{error}; to read it: pip install datasets") from error
    with tempfile.TemporaryDirectory() as folder:  # the library's own copy is not needed again
        try:
            read = Dataset.from_parquet(str(path), cache_dir=folder, keep_in_memory=True)
            return list(read["text"])
        except Exception as error:  # the library has many ways to say that a file is no Parquet
            told = f"{path} cannot be read ({error}); delete it and try again"
            raise DownloadError(told) from error


def _sentences(line: str) -> list[str]:
    """Sentences of a paragraph; none of a heading. The text has spaces around all marks."""
    if line.lstrip().startswith("="):
        return []
    joined = re.sub(r" @(.)@ ", r"\1", line.strip())
    return [f"{each.strip()} ." for each in f"{joined} ".split(" . ") if each.strip()]


def fetch(address: str, path: Path, sha256: str, timeout: float = 20.0) -> None:
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
    found = hashlib.sha256(part.read_bytes()).hexdigest()
    if found != sha256:
        part.unlink()  # or it would be found, and found wrong, for ever
        raise DownloadError(f"{address} gave a file with SHA-256 {found}; it must be {sha256}")
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
