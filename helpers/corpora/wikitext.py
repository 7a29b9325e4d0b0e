"""WikiText-2 (Merity et al. 2016, 1609.07843), the raw form, from the Hugging Face hub.

A fixed revision of the hub's copy, fetched by pooch, which knows the file by its checksum, and read
by pyarrow. The text is CC BY-SA and GFDL; nothing of it is kept here.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pooch
import pyarrow
import requests
from pyarrow import parquet

from helpers.corpora.english import English, cache_folder, docstrings

REVISION = "b08601e04326c79dfdd32d625aee71d232d685c3"
FILE = "wikitext-2-raw-v1/train-00000-of-00001.parquet"
ADDRESS = f"https://huggingface.co/datasets/Salesforce/wikitext/resolve/{REVISION}/{FILE}"
SHA256 = "e83889baabc497075506f91975be5fac0d45c5290b6b20582c8cd1e853d0c9f7"
ATTEMPTS = 3
TIMEOUT = 20.0  # seconds to wait for the next piece


class DownloadError(RuntimeError):
    """A file could not be fetched; the text says what to do."""


def english(cache: Path | None = None, **options: str) -> English:
    """Read WikiText-2 where it can be had, else the docstrings; say which, and why.

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
    """Read the training text of WikiText-2: a document for each paragraph of two sentences or more.

    Args:
        cache: folder that keeps the file; that of `docstrings` if not given.
        address: where it lies. sha256: its checksum.

    Raises:
        DownloadError: the file cannot be had, is not the right one, or cannot be read.
    """
    path = (cache or cache_folder()) / f"wikitext-2-{sha256[:12]}.parquet"
    fetch(address, path, sha256)
    lines = _lines(path)
    documents = [found for line in lines if len(found := _sentences(line)) >= 2]
    size = sum(len(sentence) for document in documents for sentence in document)
    digest = hashlib.sha1("".join(lines).encode()).hexdigest()[:12]
    return English(documents, {"WikiText-2": size}, digest)


def _lines(path: Path) -> list[str]:
    """Read the lines of the text: headings, paragraphs and what is empty."""
    try:
        return list(parquet.read_table(path, columns=["text"])["text"].to_pylist())
    except (pyarrow.ArrowException, OSError) as error:
        told = f"{path} cannot be read as Parquet ({error}); try: pip install -U pyarrow"
        raise DownloadError(told) from error


def _sentences(line: str) -> list[str]:
    """Return the sentences of a paragraph, none of a heading; all marks have spaces around."""
    if line.lstrip().startswith("="):
        return []
    joined = re.sub(r" @(.)@ ", r"\1", line.strip())
    return [f"{each.strip()} ." for each in f"{joined} ".split(" . ") if each.strip()]


def fetch(address: str, path: Path, sha256: str) -> None:
    """Download `address` to `path`, unless it is there already.

    Raises:
        DownloadError: in three attempts no connection, a refusal, or a file with another checksum;
            or it cannot be kept.
    """
    known = pooch.create(
        path.parent,
        base_url="",
        registry={path.name: sha256},
        urls={path.name: address},
        retry_if_failed=ATTEMPTS - 1,
    )
    try:
        known.fetch(path.name, downloader=pooch.HTTPDownloader(progressbar=True, timeout=TIMEOUT))
    except requests.HTTPError as error:
        assert error.response is not None  # it is what the error tells of
        code = error.response.status_code
        advice = "is the address right?" if code < 500 else "try again later"
        raise DownloadError(f"{address} answers {code}; {advice}") from error
    except requests.RequestException as error:
        why = type(error).__name__  # its text is long, and about requests
        raise DownloadError(f"no connection to {address} ({why}); try again") from error
    except ValueError as error:
        told = f"{address} gave a file whose SHA-256 is not {sha256}; a network that wants a login"
        raise DownloadError(f"{told} may have answered: log in, and try again") from error
    except OSError as error:
        told = f"{path.parent} cannot keep the file ({error}); give another folder as cache"
        raise DownloadError(told) from error
