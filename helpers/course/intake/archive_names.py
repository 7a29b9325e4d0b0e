"""Names in folders and archives: read by their bytes, split into parts, told from leftovers."""

from __future__ import annotations

import contextlib
import re
import zipfile

UTF_8 = 0x800  # flag of a zip's member: that is how its name is written
# How a zip writes names that does not say so, and what their words are then made of.
SCRIPTS = {"cp866": "[\u0400-\u04ff]+", "gb2312": "[\u4e00-\u9fff]+", "cp437": ".+", "cp850": ".+"}
FRAMES = re.compile("[\u2500-\u259f]")  # signs of old tables, which stand in nobody's name


def path_of(member: zipfile.ZipInfo) -> str:
    """Return the path of a zip's member, read by its bytes where the zip does not say how."""
    if member.flag_bits & UTF_8:
        return member.filename
    try:
        written = member.filename.encode("cp437")  # as which zipfile has read it
    except UnicodeEncodeError:  # from Python 3.12 on it reads a field with the name in Unicode
        return member.filename
    with contextlib.suppress(UnicodeDecodeError):
        return written.decode()
    for encoding, letters in SCRIPTS.items():
        with contextlib.suppress(UnicodeDecodeError):
            path = written.decode(encoding)
            words = [each for each in re.findall(r"[^\W\d_]+", path) if not each.isascii()]
            if not FRAMES.search(path) and all(re.fullmatch(letters, each) for each in words):
                return path
    return member.filename


def split(path: str, separators: str = "/\\") -> tuple[str, ...]:
    """Return the path in an archive in parts; what would lead out of it is left out."""
    parts = re.split(f"[{re.escape(separators)}]", path)
    return tuple(part for part in parts if part not in ("", ".", ".."))


def is_work(name: str) -> bool:
    """Whether it is more than what an operating system or an editor leaves."""
    return not name.startswith(".") and name != "__MACOSX"
