"""Notices an answer that only calls a library's version of what the exercise asks for."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

# Packages that come with encodings of their own, and the words by which those are known.
_ELSEWHERE = ("d2l", "transformers", "x_transformers", "rotary_embedding_torch", "local_attention")
_ENCODING = re.compile(
    "position|sinusoid|rotary|alibi|relative|cope|bucket|slope|attention", re.IGNORECASE
)


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
            return
        package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        if package in _ELSEWHERE and _ENCODING.search(code.co_qualname):
            used.add(f"{package}: {code.co_qualname.partition('.')[0]}")

    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield used
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])


def _codes(answer: Callable[..., Any]) -> Iterator[tuple[CodeType, str]]:
    functions = vars(answer).values() if isinstance(answer, type) else [answer]
    for function in functions:
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code, f"{answer.__module__}.{answer.__name__}"
