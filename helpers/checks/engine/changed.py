"""A wrong answer that is a right one with a single thing changed, said as just that change."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from typing import Any

Answer = Callable[..., Any]


def changed(right: Answer, was: str, now: str) -> Callable[[Answer], Answer]:
    """Decorate an empty function: it becomes `right` under that name, with `now` in place of `was`.

    `@changed(padding_mask, "!= PAD", "== PAD")` above `def padding_marked_true(): ...` is the
    text of `padding_mask` with `== PAD`. It belongs to the file in which `right` is written, so
    it knows what is imported there, and `inspect.getsource` gives its text.

    Raises:
        ValueError: `was` is not in the text of `right`, or is there more than once.
    """
    text = inspect.getsource(right)
    if (times := text.count(was)) != 1:
        raise ValueError(f"{was!r} is {times} times in {right.__name__}, not once")
    text = text.replace(was, now)

    def named(empty: Answer) -> Answer:
        name = empty.__name__
        renamed = text.replace(f"def {right.__name__}(", f"def {name}(", 1)
        file = f"<{right.__module__}: {name}>"
        linecache.cache[file] = len(renamed), None, renamed.splitlines(keepends=True), file
        made: dict[str, Answer] = {}
        exec(compile(renamed, file, "exec"), right.__globals__, made)
        return made[name]

    return named
