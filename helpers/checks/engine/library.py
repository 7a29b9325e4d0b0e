"""Notices an answer that only calls a library's version of what the exercise asks for.

Who hides such a call, in a thread of C or another process, deceives nobody but oneself.
"""

from __future__ import annotations

import inspect
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

# Packages that come with encodings of their own, and the words by which those are known.
_ELSEWHERE = ("d2l", "transformers", "x_transformers", "rotary_embedding_torch", "local_attention")
_ENCODING = re.compile(
    "position|sinusoid|rotary|alibi|relative|cope|bucket|slope|attention"
    "|embeddings|tokens_and_segments|next_sentence|mlm|collator|wordpiece",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Forbidden:
    """What an answer may not call, by its name.

    Functions are known by their place and not by their code, of which a copy may have another name.
    """

    places: dict[tuple[str, int] | CodeType, str]
    compiled: dict[Any, str]


def forbidden(answers: Iterable[Callable[..., Any]]) -> Forbidden:
    """Functions and classes, compiled ones as well."""
    found = Forbidden({}, {})
    for answer in answers:
        codes, name = list(_codes(answer)), _name(answer)
        found.places.update(dict.fromkeys(map(_place, codes), name))
        if not codes:
            found.compiled[answer] = name
    return found


@contextmanager
def library_calls(of: Forbidden) -> Iterator[set[str]]:
    """Collect the names of the library functions called inside the `with` block.

    Calls are seen whatever they were imported as, subclassed from or fetched by.
    """
    places, compiled = of.places, of.compiled
    used: set[str] = set()
    known: dict[int, tuple[CodeType, str]] = {}  # the code is kept, so that no other has its id

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        # A check calls Python a million times, and each call comes by here.
        if event == "call":
            code = frame.f_code
            found = known.get(id(code))
            if found is None:
                found = known[id(code)] = code, places.get(_place(code)) or _elsewhere(frame)
            if found[1]:
                caller = frame.f_back and known.get(id(frame.f_back.f_code))
                # What the library calls in turn is nothing that the learner has called.
                if not (caller and caller[1]):
                    used.add(found[1])
        elif event == "c_call" and compiled:
            owner = type(getattr(argument, "__self__", None))
            used.update(compiled[each] for each in (argument, owner) if each in compiled)

    before = sys.getprofile(), threading.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield used
    finally:
        sys.setprofile(before[0])
        threading.setprofile(before[1])


def _elsewhere(frame: FrameType) -> str:
    """The name of what is called, where it is another package's encoding; else nothing."""
    package = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    name = frame.f_code.co_qualname
    called = frame.f_code.co_flags & inspect.CO_OPTIMIZED  # and not only defined, by an import
    found = called and package in _ELSEWHERE and _ENCODING.search(name)
    return f"{package}: {name.partition('.')[0]}" if found else ""


def _codes(answer: Callable[..., Any]) -> Iterator[CodeType]:
    for function in vars(answer).values() if isinstance(answer, type) else [answer]:
        inner = getattr(function, "fget", None) or function  # of a property
        code = getattr(inspect.unwrap(inner), "__code__", None)
        if isinstance(code, CodeType):
            yield code


def _place(code: CodeType) -> tuple[str, int] | CodeType:
    made = code.co_filename.startswith("<")  # as a dataclass makes its methods, all in one place
    return code if made else (code.co_filename, code.co_firstlineno)


def _name(answer: Callable[..., Any]) -> str:
    """Its name, behind the outermost package that has it, from which a learner imports it."""
    owner, _, method = getattr(answer, "__qualname__", "").rpartition(".")
    if inspect.isfunction(answer) and owner and not owner.endswith("<locals>"):
        return f"{owner}.{method}"  # a learner has an object of that class, and no module
    name = answer.__name__ or "a compiled version"  # as PyTorch's own operators have none
    steps = str(answer.__module__).split(".")
    if any(each.startswith("_") for each in steps):
        return name
    packages = [".".join(steps[:n]) for n in range(1, len(steps) + 1)]
    has = (each for each in packages if getattr(sys.modules.get(each), name, None) is answer)
    return f"{next(has, packages[-1])}.{name}"
