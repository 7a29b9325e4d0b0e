"""Notices an answer that only calls a library's version of what the exercise asks for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

# Packages that come with encodings of their own, by a piece of their files' paths.
_ELSEWHERE = ("/d2l/", "/transformers/", "/x_transformers/", "/rotary_embedding_torch/")


@contextmanager
def library_calls(answers: Iterable[Callable[..., Any]]) -> Iterator[set[str]]:
    """Collect the names of the library functions called inside the `with` block.

    Calls are seen whatever they were imported as, subclassed from or fetched by.

    Args:
        answers: the functions and classes of `helpers` that an answer may not call.
    """
    forbidden = {code: name for answer in answers for code, name in _codes(answer)}
    used: set[str] = set()

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code in forbidden:
            used.add(forbidden[code])
        elif any(piece in code.co_filename for piece in _ELSEWHERE):
            used.add(code.co_qualname)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield used
    finally:
        sys.setprofile(before)


def _codes(answer: Callable[..., Any]) -> Iterator[tuple[CodeType, str]]:
    functions = vars(answer).values() if isinstance(answer, type) else [answer]
    for function in functions:
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code, f"{answer.__module__}.{answer.__name__}"
