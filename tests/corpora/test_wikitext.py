"""WikiText-2 from a server on this machine, which breaks in every way that servers do."""

import hashlib
import io
import re
import time
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pooch.core
import pytest

from helpers.book import d2l
from helpers.corpora import wikitext
from helpers.corpora.wikitext import DownloadError, fetch, wikitext2
from tests.common import ROOT
from tests.web.figures import Silent, hosting

TEXT = """
 = A heading =

 The well @-@ known bird sings . It weighs 1 @.@ 5 kilograms . It eats 1 @,@ 000 seeds .
 One sentence is no document .
"""


def _parquet() -> bytes:
    """As the hub has it: a column of lines, each with its end."""
    buffer = io.BytesIO()
    pd.DataFrame({"text": (TEXT * 40).splitlines(keepends=True)}).to_parquet(buffer)
    return buffer.getvalue()


def _archive() -> bytes:
    """As the book wants it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("wikitext-2/wiki.train.tokens"), TEXT * 40)
    return buffer.getvalue()


FILE, ARCHIVE, NONSENSE = _parquet(), _archive(), b"PAR1 nothing"
SHA256 = hashlib.sha256(FILE).hexdigest()


class _Handler(Silent):
    """The path says how it behaves; `asked` keeps those that were wanted."""

    asked: list[str]

    def do_GET(self) -> None:  # noqa: N802
        self.asked.append(self.path)
        if self.path == "/404":
            self.send_error(404)
            return
        if self.path == "/silent":
            time.sleep(3)
        body = ARCHIVE if self.path.endswith(".zip") else FILE
        body = NONSENSE if self.path == "/nonsense" else body
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.path == "/cut" and len(self.asked) == 1
        with suppress(OSError):  # who asked may have hung up
            self.wfile.write(body[: len(body) // 2] if cut or self.path == "/always-cut" else body)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait between attempts."""
    monkeypatch.setattr(pooch.core, "time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    _Handler.asked = []
    with hosting(tmp_path, _Handler) as address:
        yield address


def test_the_books_loader_works_as_the_docs_show(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new address, and the checksum that the book has: here, that of what this server has."""
    sha1 = hashlib.sha1(ARCHIVE).hexdigest()
    monkeypatch.setitem(d2l.DATA_HUB, "wikitext-2", ("nowhere", sha1))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    page = (ROOT / "docs/starting.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    found: dict[str, Any] = {}
    there = re.sub(r"https:.*?/(?=wikitext-2-v1.zip)", f"{server}/", shown)
    exec(there, found)
    assert (tmp_path / "data" / "wikitext-2" / "wiki.train.tokens").read_text() == TEXT * 40
    assert "bird" in found["vocabulary"].token_to_idx
    tokens, *_ = found["batches"].dataset[0]
    assert tokens.shape == (64,)


def test_paragraphs_become_documents_of_sentences(server: str, tmp_path: Path) -> None:
    found = wikitext2(tmp_path, f"{server}/fine", SHA256)
    assert len(found.documents) == 40
    assert found.documents[0] == [
        "The well-known bird sings .",
        "It weighs 1.5 kilograms .",
        "It eats 1,000 seeds .",
    ]
    assert found.sources == {"WikiText-2": 40 * sum(map(len, found.documents[0]))}
    again = wikitext2(tmp_path, f"{server}/fine", SHA256)
    assert again.digest == found.digest
    assert len(_Handler.asked) == 1


def test_a_download_that_is_cut_is_tried_again(server: str, tmp_path: Path) -> None:
    fetch(f"{server}/cut", tmp_path / "file.parquet", SHA256)
    assert (tmp_path / "file.parquet").read_bytes() == FILE
    assert _Handler.asked == ["/cut", "/cut"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("404", "answers 404; is the address right"),
        ("nonsense", f"gave a file whose SHA-256 is not {SHA256}; .* log in, and try again"),
        ("always-cut", "no connection .* try again"),
        ("silent", r"no connection .*\(ReadTimeout\); try again"),
    ],
)
def test_what_cannot_be_had_or_kept_is_said(
    server: str, tmp_path: Path, path: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path == "silent":  # the others answer, though it be late on a busy machine
        monkeypatch.setattr(wikitext, "TIMEOUT", 0.2)
    with pytest.raises(DownloadError, match=words):
        fetch(f"{server}/{path}", tmp_path / "file.parquet", SHA256)
    assert not list(tmp_path.iterdir())
    (tmp_path / "cache").touch()
    with pytest.raises(DownloadError, match=r"cache cannot keep the file .* another folder"):
        wikitext2(tmp_path / "cache", f"{server}/fine", SHA256)


def test_docstrings_take_its_place(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikitext, "docstrings", lambda cache: f"docstrings in {cache.name}")
    found = wikitext.english(tmp_path, address=f"{server}/404")
    assert str(found) == f"docstrings in {tmp_path.name}"
    assert "answers 404" in capsys.readouterr().out
    assert wikitext.english(tmp_path, address=f"{server}/fine", sha256=SHA256).sources


def test_a_broken_file_is_fetched_again(server: str, tmp_path: Path) -> None:
    kept = tmp_path / f"wikitext-2-{SHA256[:12]}.parquet"
    kept.write_bytes(FILE[:-1])
    assert wikitext2(tmp_path, f"{server}/fine", SHA256).documents
    assert kept.read_bytes() == FILE
