"""The prose in the docstrings of Python files.

As a script it imports nothing but the standard library, so that several of it begin at once: it
reads paths from stdin and prints what `of_file` returns for each, both as JSON.
"""

from __future__ import annotations

import ast
import gc
import json
import re
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from pathlib import Path

SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NO_PROSE = re.compile(r"---|>>>|\.\. |::|[{}<>|=_]|https?:")


def of_file(file: Path) -> list[list[str]]:
    """Read the sentences of each docstring, from top to bottom; none where parsing fails."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other people's escapes
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError):
        return []
    found = []
    for node in _statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                found.append([*_sentences(text)])
    return found


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what of `ast.walk` may hold a definition; expressions are most of a tree."""
    todo = deque[ast.AST]([tree])
    while todo:
        node = todo.popleft()
        yield node
        for name in ("body", "handlers", "orelse", "finalbody", "cases"):
            todo.extend(getattr(node, name, ()))


def _sentences(text: str) -> Iterator[str]:
    """Yield whole sentences of running prose, four to sixty words long."""
    for paragraph in re.split(r"\n\s*\n", text):
        joined = " ".join(paragraph.split())
        for sentence in SENTENCE_ENDS.split(joined):
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


if __name__ == "__main__":
    gc.disable()  # a tree has no cycles, and looking for them takes a quarter of the time
    json.dump([of_file(Path(path)) for path in json.load(sys.stdin)], sys.stdout)
