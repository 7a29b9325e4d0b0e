"""Notices an answer that only calls a library's version of what the exercise asks for."""

from __future__ import annotations

import _thread
import importlib
import os
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
    "position|sinusoid|rotary|alibi|relative|cope|bucket|slope|attention"
    "|embeddings|tokens_and_segments|next_sentence|mlm|collator|wordpiece",
    re.IGNORECASE,
)

# Calls after which the profiler of this thread sees no more.
HIDDEN = "a thread, a process or a profiler of its own"
_HIDING = {sys.setprofile, _thread.start_new_thread}
if hasattr(os, "fork"):  # not on Windows
    _HIDING |= {os.fork, importlib.import_module("_posixsubprocess").fork_exec}


@contextmanager
def library_calls(answers: Iterable[Callable[..., Any]]) -> Iterator[set[str]]:
    """Collect the names of the library functions called inside the `with` block.

    Calls are seen whatever they were imported as, subclassed from or fetched by.

    Args:
        answers: the functions and classes that an answer may not call, compiled ones as well.
    """
    answers = tuple(answers)
    # By their place and not by the code, of which a copy may have another name.
    forbidden = {_place(code): name for answer in answers for code, name in _codes(answer)}
    compiled = {each: _name(each) for each in answers if not any(True for _ in _codes(each))}
    used: set[str] = set()
    known: dict[int, tuple[CodeType, str]] = {}  # the code is kept, so that no other has its id

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        # A check calls Python a million times, and each call comes by here.
        if event == "call":
            code = frame.f_code
            if id(code) not in known:
                known[id(code)] = code, forbidden.get(_place(code)) or _elsewhere(frame)
            if name := known[id(code)][1]:
                used.add(name)
        elif event == "c_call":
            if watching and argument in _HIDING:
                used.add(HIDDEN)
            if compiled:
                owner = type(getattr(argument, "__self__", None))
                used.update(compiled[each] for each in (argument, owner) if each in compiled)

    watching = True
    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield used
    finally:
        watching = False
        sys.setprofile(before[0])
        threading.setprofile(before[1])


def _elsewhere(frame: FrameType) -> str:
    """The name of what is called, where it is another package's encoding; else nothing."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    name = frame.f_code.co_qualname
    found = package in _ELSEWHERE and _ENCODING.search(name)
    return f"{package}: {name.partition('.')[0]}" if found else ""


def _codes(answer: Callable[..., Any]) -> Iterator[tuple[CodeType, str]]:
    functions = vars(answer).values() if isinstance(answer, type) else [answer]
    for function in functions:
        code = getattr(function, "__code__", None)
        if isinstance(code, CodeType):
            yield code, _name(answer)


def _place(code: CodeType) -> tuple[str, int] | CodeType:
    made = code.co_filename.startswith("<")  # as a dataclass makes its methods, all in one place
    return code if made else (code.co_filename, code.co_firstlineno)


def _name(answer: Callable[..., Any]) -> str:
    module = str(answer.__module__)
    inner = any(each.startswith("_") for each in module.split("."))
    return answer.__name__ if inner else f"{module}.{answer.__name__}"
