"""WikiText-2 from a server on this machine, which breaks in every way that servers do."""

import hashlib
import io
import re
import threading
import time
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from helpers.book import d2l
from helpers.corpora import wikitext
from helpers.corpora.wikitext import MEMBER, DownloadError, fetch, wikitext2
from tests.common import ROOT

TEXT = """
 = A heading =

 The <unk> well @-@ known bird sings . It weighs 1 @.@ 5 kilograms . It eats 1 @,@ 000 seeds .
 One sentence is no document .
"""


def _archive() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo(MEMBER), TEXT * 40)
    return buffer.getvalue()


ARCHIVE = _archive()
SHA1 = hashlib.sha1(ARCHIVE).hexdigest()


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
        if begin >= len(ARCHIVE):
            self.send_error(416)
            return
        body = b"x" * len(ARCHIVE) if self.path == "/corrupted" else ARCHIVE
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
    """A new address, and the checksum that the book has."""
    assert d2l.DATA_HUB["wikitext-2"][1] == wikitext.SHA1
    monkeypatch.setattr(wikitext, "ADDRESS", f"{server}/wikitext-2-v1.zip")
    monkeypatch.setattr(wikitext, "SHA1", SHA1)
    monkeypatch.setitem(d2l.DATA_HUB, "wikitext-2", d2l.DATA_HUB["wikitext-2"])
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    lesson = (ROOT / "source/07-bert-inputs/07-bert-inputs.py").read_text()
    [shown] = re.findall(r"# ```python\n(.*?)# ```", lesson, re.DOTALL)
    found: dict[str, Any] = {}
    exec(shown.replace("# ", "").replace("#\n", "\n"), found)
    assert (tmp_path / "data" / "wikitext-2" / "wiki.train.tokens").read_text() == TEXT * 40
    assert "bird" in found["vocabulary"].token_to_idx
    tokens, *_ = found["batches"].dataset[0]
    assert tokens.shape == (64,)


def test_paragraphs_become_documents_of_sentences(server: str, tmp_path: Path) -> None:
    found = wikitext2(tmp_path, f"{server}/fine", SHA1)
    assert len(found.documents) == 40
    assert found.documents[0] == [
        "The [UNK] well-known bird sings .",
        "It weighs 1.5 kilograms .",
        "It eats 1,000 seeds .",
    ]
    assert found.sources == {"WikiText-2": 40 * sum(map(len, found.documents[0]))}
    again = wikitext2(tmp_path, f"{server}/fine", SHA1)
    assert again.digest == found.digest
    assert len(_Handler.asked) == 1


def test_a_cut_download_goes_on_where_it_stopped(server: str, tmp_path: Path) -> None:
    fetch(f"{server}/cut", tmp_path / "file.zip", SHA1)
    assert (tmp_path / "file.zip").read_bytes() == ARCHIVE
    assert _Handler.asked == [None, f"bytes={len(ARCHIVE) // 2}-"]


@pytest.mark.parametrize("kept", [10, len(ARCHIVE)])
@pytest.mark.parametrize("path", ["fine", "no-ranges"])
def test_what_an_earlier_run_left_is_used(
    server: str, tmp_path: Path, kept: int, path: str
) -> None:
    (tmp_path / "file.part").write_bytes(ARCHIVE[:kept])
    fetch(f"{server}/{path}", tmp_path / "file.zip", SHA1)
    assert (tmp_path / "file.zip").read_bytes() == ARCHIVE
    assert _Handler.asked == [f"bytes={kept}-"]


@pytest.mark.parametrize(
    ("path", "words", "requests"),
    [
        ("missing", "answers 404; is the address right", 1),
        ("corrupted", "gave a file with SHA-1 .* it must be", 1),
        ("always-cut", "no connection .* try again", 3),
    ],
)
def test_what_cannot_be_had_is_said_and_nothing_is_kept(
    server: str, tmp_path: Path, path: str, words: str, requests: int
) -> None:
    with pytest.raises(DownloadError, match=words):
        fetch(f"{server}/{path}", tmp_path / "file.zip", SHA1)
    assert len(_Handler.asked) == requests
    assert not (tmp_path / "file.zip").exists()


def test_a_corrupted_file_is_not_found_again(server: str, tmp_path: Path) -> None:
    (tmp_path / "file.part").write_bytes(b"nonsense")
    with pytest.raises(DownloadError, match="SHA-1"):
        fetch(f"{server}/fine", tmp_path / "file.zip", SHA1)
    fetch(f"{server}/fine", tmp_path / "file.zip", SHA1)


def test_a_server_that_falls_silent(tmp_path: Path) -> None:
    class _Slow(_Handler):
        def do_GET(self) -> None:
            time.sleep(0.5)

    with ThreadingHTTPServer(("127.0.0.1", 0), _Slow) as slow:
        threading.Thread(target=slow.serve_forever, daemon=True).start()
        with pytest.raises(DownloadError, match=r"no connection .*timed out"):
            fetch(f"http://127.0.0.1:{slow.server_port}", tmp_path / "f.zip", SHA1, timeout=0.1)
        slow.shutdown()


def test_docstrings_take_its_place(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikitext, "docstrings", lambda cache: f"docstrings in {cache.name}")
    found = wikitext.english(tmp_path, address=f"{server}/missing")
    assert str(found) == f"docstrings in {tmp_path.name}"
    assert "answers 404" in capsys.readouterr().out
    assert wikitext.english(tmp_path, address=f"{server}/fine", sha1=SHA1).sources


def test_a_broken_archive_is_named(tmp_path: Path) -> None:
    (tmp_path / "wikitext-2-v1.zip").write_bytes(b"PK nothing")
    with pytest.raises(DownloadError, match=r"cannot be read .* delete it"):
        wikitext2(tmp_path)
