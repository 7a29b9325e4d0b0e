"""WikiText-2 from a server on this machine, which breaks in every way that servers do."""

import hashlib
import io
import re
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers.book import d2l
from helpers.corpora import wikitext
from helpers.corpora.wikitext import DownloadError, fetch, wikitext2
from tests.common import ROOT

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


FILE, ARCHIVE = _parquet(), _archive()
SHA256 = hashlib.sha256(FILE).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    """The path says how it behaves; `asked` keeps the ranges that were wanted."""

    asked: list[str | None]

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.asked.append(wanted)
        if self.path == "/missing":
            self.send_error(404)
            return
        begin = int(wanted.removeprefix("bytes=")[:-1]) if wanted else 0
        whole = ARCHIVE if self.path.endswith(".zip") else FILE
        if begin >= len(whole):
            self.send_error(416)
            return
        body = b"x" * len(whole) if self.path == "/corrupted" else whole
        plain = begin == 0 or self.path == "/no-ranges"
        body = body if plain else body[begin:]
        self.send_response(200 if plain else 206)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.path == "/cut" and len(self.asked) == 1
        self.wfile.write(body[: len(body) // 2] if cut or self.path == "/always-cut" else body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing on the screen."""


@pytest.fixture
def server() -> Iterator[str]:
    _Handler.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


def test_the_books_loader_works_as_unit_07_shows(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A new address, and the checksum that the book has: here, that of what this server has."""
    sha1 = hashlib.sha1(ARCHIVE).hexdigest()
    monkeypatch.setitem(d2l.DATA_HUB, "wikitext-2", ("nowhere", sha1))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    lesson = (ROOT / "source/07-bert-inputs/07-bert-inputs.py").read_text()
    [shown] = re.findall(r"# ```python\n(.*?)# ```", lesson, re.DOTALL)
    found: dict[str, Any] = {}
    there = re.sub(r"https:.*?/(?=wikitext-2-v1.zip)", f"{server}/", shown)
    exec(there.replace("# ", "").replace("#\n", "\n"), found)
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


def test_a_cut_download_goes_on_where_it_stopped(server: str, tmp_path: Path) -> None:
    fetch(f"{server}/cut", tmp_path / "file.parquet", SHA256)
    assert (tmp_path / "file.parquet").read_bytes() == FILE
    assert _Handler.asked == [None, f"bytes={len(FILE) // 2}-"]


@pytest.mark.parametrize("kept", [10, len(FILE)])
@pytest.mark.parametrize("path", ["fine", "no-ranges"])
def test_what_an_earlier_run_left_is_used(
    server: str, tmp_path: Path, kept: int, path: str
) -> None:
    (tmp_path / "file.part").write_bytes(FILE[:kept])
    fetch(f"{server}/{path}", tmp_path / "file.parquet", SHA256)
    assert (tmp_path / "file.parquet").read_bytes() == FILE
    assert _Handler.asked == [f"bytes={kept}-"]


@pytest.mark.parametrize(
    ("path", "words", "requests"),
    [
        ("missing", "answers 404; is the address right", 1),
        ("corrupted", "gave a file with SHA-256 .* it must be", 1),
        ("always-cut", "no connection .* try again", 3),
    ],
)
def test_what_cannot_be_had_is_said_and_nothing_is_kept(
    server: str, tmp_path: Path, path: str, words: str, requests: int
) -> None:
    with pytest.raises(DownloadError, match=words):
        fetch(f"{server}/{path}", tmp_path / "file.parquet", SHA256)
    assert len(_Handler.asked) == requests
    assert not (tmp_path / "file.parquet").exists()


def test_a_corrupted_file_is_not_found_again(server: str, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(b"nonsense")
    with pytest.raises(DownloadError, match="SHA-256"):
        fetch(f"{server}/fine", tmp_path / "file.parquet", SHA256)
    fetch(f"{server}/fine", tmp_path / "file.parquet", SHA256)


def test_a_server_that_falls_silent(tmp_path: Path) -> None:
    class _Slow(_Handler):
        def do_GET(self) -> None:
            time.sleep(0.5)

    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as slow:
        threading.Thread(target=slow.serve_forever, daemon=True).start()
        with pytest.raises(DownloadError, match=r"no connection .*timed out"):
            fetch(
                f"http://127.0.0.1:{slow.server_port}", tmp_path / "f.parquet", SHA256, timeout=0.1
            )
        slow.shutdown()


def test_docstrings_take_its_place(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikitext, "docstrings", lambda cache: f"docstrings in {cache.name}")
    found = wikitext.english(tmp_path, address=f"{server}/missing")
    assert str(found) == f"docstrings in {tmp_path.name}"
    assert "answers 404" in capsys.readouterr().out
    assert wikitext.english(tmp_path, address=f"{server}/fine", sha256=SHA256).sources


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / f"wikitext-2-{wikitext.SHA256[:12]}.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DownloadError, match=r"cannot be read .* delete it"):
        wikitext2(tmp_path)


def test_the_library_that_reads_it_is_named_where_it_is_missing(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DownloadError, match="pip install datasets"):
        wikitext2(tmp_path, f"{server}/fine", SHA256)


def test_the_revision_is_fixed() -> None:
    assert re.search(r"/resolve/[0-9a-f]{40}/", wikitext.ADDRESS)
    assert re.fullmatch("[0-9a-f]{64}", wikitext.SHA256)
