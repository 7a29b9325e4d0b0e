"""The helpers as a notebook that is graded has them: in memory, with no file of theirs to read.

Of the exercises there is only a stand-in: what is right is known to the grader alone. What of the
library an exercise asks for is *withheld*, by its name, until the exercise has been asked.
"""

from __future__ import annotations

import base64
import functools
import importlib
import importlib.abc
import itertools
import marshal
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
OPEN = ("__init__.py", "course/__init__.py", "course/sandbox")  # what shuts the rest in
CHECKS = "helpers.checks."
VARIADIC, KEYWORDS = 0x04, 0x08  # flags of a code object: it takes *args, **kwargs


class WithheldError(Exception):
    """Something of the library that is not there before an exercise has been asked."""


# What follows is for the grader.


Modules = dict[str, tuple[CodeType | None, str, bool]]


@functools.cache
def packed() -> str:
    """Code, path and whether it is a package, of each module but the tool's and the exercises'.

    Text would stand in the memory of a process that has long forgotten it.
    """
    found: Modules = {}
    for path in sorted(ROOT.rglob("*.py")):
        names = path.relative_to(ROOT.parent).with_suffix("").parts
        is_package = names[-1] == "__init__"
        name = ".".join(names[:-1] if is_package else names)
        if not name.startswith(("helpers.course", CHECKS)) or name.startswith(CHECKS + "engine"):
            code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            found[name] = code, str(path), is_package
    return base64.b64encode(zlib.compress(marshal.dumps(found))).decode()


def name(answer: Callable[..., Any]) -> str:
    """Where the library has `answer`, as in helpers.model.attention:MultiHeadAttention.forward.

    Empty if it is none of the library's.
    """
    home = str(getattr(answer, "__module__", ""))
    ours = home.startswith("helpers.") and not home.startswith(CHECKS)
    return f"{home}:{answer.__qualname__}" if ours else ""


def codes(name: str) -> bytes:
    """What `give` gives back."""
    return marshal.dumps([each.__code__ for each in _functions(_named(name))])


# What follows runs in the sandbox.


class Lent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules in `sent`, see `packed`; one that is loaded stays as it is."""

    def __init__(self, sent: str) -> None:
        self.found: Modules = marshal.loads(zlib.decompress(base64.b64decode(sent)))
        self.loaded: dict[str, ModuleType] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Called by import and by `importlib.reload`."""
        if name in self.found:
            _, file, is_package = self.found[name]
            spec = ModuleSpec(name, self, origin=file, is_package=is_package)
            spec.has_location = True
            return spec
        is_unit = name.startswith(CHECKS) and name.count(".") == CHECKS.count(".")
        return ModuleSpec(name, self) if is_unit else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The one that there is; for the exercises of a unit, their stand-in."""
        if spec.name not in self.found and spec.name not in self.loaded:
            self.loaded[spec.name] = Exercises(spec.name)
        return self.loaded.get(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run it, once."""
        name = module.__name__
        if name not in self.loaded:
            self.loaded[name] = module
            code, file, is_package = self.found[name]
            assert code is not None
            self.found[name] = None, file, is_package
            exec(code, vars(module))


class Exercises(ModuleType):
    """What a graded notebook has for the exercises of a unit."""

    def __getattr__(self, name: str) -> StandIn:
        if name.startswith("_"):
            raise AttributeError(name)
        found = StandIn(name)
        setattr(self, name, found)
        return found


class StandIn:
    """Called as an exercise is, it says nothing of right or wrong; `ours` is the course's answer,
    once the learner's has been asked and is wrong.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.ours: Any = None

    def __call__(self, answer: Any, seed: int = 0) -> Any:
        """A report without points."""
        from helpers.checks.engine import Report

        return Report(f"{self.name} (asked in the cell of its check)", [])

    def use(self, answer: Any) -> Any:
        """As `Exercise.use`."""
        if self.ours is None:
            return answer
        print(f"“{self.name}” is not right yet, so this cell goes on with the course's version.")
        return self.ours


def withhold(names: Iterable[str]) -> None:
    """Leave of each function, and of each method of a class, no more than its name."""
    for each in names:
        for function in _functions(_named(each)):
            function.__code__ = _empty(function.__code__, each.partition(":")[2])


def give(name: str, given: bytes) -> None:
    """Undo `withhold`, with what `codes` says."""
    for function, code in zip(_functions(_named(name)), marshal.loads(given), strict=True):
        function.__code__ = code


def _named(name: str) -> Any:
    module, _, path = name.partition(":")
    return functools.reduce(getattr, path.split("."), importlib.import_module(module))


def _functions(value: Any) -> Iterator[FunctionType]:
    """The function itself, or those of a class, without what wraps them."""
    if isinstance(value, type):
        inner = [each for each in vars(value).values() if not isinstance(each, type)]
        yield from itertools.chain.from_iterable(map(_functions, inner))
    elif isinstance(value, staticmethod | classmethod):
        yield from _functions(value.__func__)
    elif isinstance(value, property):
        yield from _functions(value.fget)
    elif hasattr(value, "__wrapped__"):
        yield from _functions(value.__wrapped__)
    elif isinstance(value, FunctionType) and value.__code__.co_filename.startswith(str(ROOT)):
        yield value


def _empty(code: CodeType, name: str) -> CodeType:
    """Code of the same signature, at the same place, that only raises an error."""
    only, most = code.co_posonlyargcount, code.co_argcount
    names = list(code.co_varnames[: most + code.co_kwonlyargcount])
    rest = list(code.co_varnames[len(names) :])
    words = [*names[:only], *["/"] * bool(only), *names[only:most]]
    if code.co_flags & VARIADIC:
        words.append("*" + rest.pop(0))
    elif code.co_kwonlyargcount:
        words.append("*")
    words += names[most:]
    if code.co_flags & KEYWORDS:
        words.append("**" + rest.pop(0))
    free = ", ".join(code.co_freevars)
    told = f"{name} is what an exercise asks for: it is there once your answer has been asked"
    error = f"__import__({__name__!r}, fromlist=['WithheldError']).WithheldError({told!r})"
    body = f"  def empty({', '.join(words)}):\n    {f'if 0: {free}' if free else 'pass'}\n"
    outer: dict[str, Any] = {}
    exec(f"def outer({free}):\n{body}    raise {error}\n  return empty", outer)
    made: CodeType = outer["outer"](*code.co_freevars).__code__
    return made.replace(
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
        co_name=code.co_name,
        co_qualname=code.co_qualname,
    )
