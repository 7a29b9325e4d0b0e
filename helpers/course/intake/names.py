"""What a cell takes from other cells by name, and what it binds for them; nothing is executed."""

from __future__ import annotations

import ast
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

from pyflakes.checker import Builtin, Checker, ModuleScope
from pyflakes.messages import UndefinedName

WORD = re.compile(r"\w+")
# Code with one of these may use a name without writing it as one, or where pyflakes does not look.
BY_TEXT = re.compile(
    r"\b(?:await|eval|exec|compile|globals|locals|vars|dir|getattr|get_ipython|sys\.modules"
    r"|NameError|__(?:main|dict|name|globals|builtins)__)\b|\.query\(|\bimport\s*\*"
)
LONGEST = 20_000  # characters of a cell that is looked into: some take their square in time
PATIENCE = 0.5  # seconds of one cell, as pyflakes can be kept busy for hours
PERHAPS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match)
DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Names(NamedTuple):
    """Names that a cell uses and does not bind before, and names that it binds.

    Args:
        perhaps: names that it binds under a condition, or declares global, and may use unbound.
    """

    used: frozenset[str]
    bound: frozenset[str]
    perhaps: frozenset[str] = frozenset()


@lru_cache(maxsize=1024)  # the lessons of all units, for a whole class
def names(source: str) -> Names:
    """What a cell uses and binds; every word in it, where that cannot be told."""
    try:
        tree = ast.parse(source if len(source) <= LONGEST else "?")
        with _hurried():
            checked = Checker(tree)
        used, bound = _scopes(checked)
        perhaps = set(_perhaps(tree))
        if BY_TEXT.search(source):
            used |= set(_words(tree))
        used |= {f"prediction {name}" for name in _called(tree, "outcome")}
        bound |= {f"prediction {name}" for name in _called(tree, "predict")}
    except Exception:  # a magic or a shell's command, as a rule; a learner may write anything
        used = bound = perhaps = set(WORD.findall(source))
    return Names(frozenset(used), frozenset(bound), frozenset(perhaps))


@contextmanager
def _hurried() -> Iterator[None]:
    """Raise TimeoutError if it takes too long; only the main thread can be told."""

    def late(_signal: int, _frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _scopes(checked: Checker) -> tuple[set[str], set[str]]:
    """What pyflakes finds to be used without being bound, and to be bound at the top."""
    undefined = (each for each in checked.messages if isinstance(each, UndefinedName))
    [top] = [each for each in checked.deadScopes if isinstance(each, ModuleScope)]
    bound = {str(name) for name, of in top.items() if not isinstance(of, Builtin)}
    return {str(each.message_args[0]) for each in undefined}, bound


def _perhaps(tree: ast.Module) -> Iterator[str]:
    """Names that the cell binds only perhaps, so that another cell's may be used; and globals."""
    for statement in ast.walk(tree):
        if isinstance(statement, ast.Global):
            yield from statement.names
    for statement in tree.body:
        if isinstance(statement, PERHAPS):
            for part in ("body", "orelse", "handlers", "finalbody", "cases"):
                for inner in getattr(statement, part, ()):
                    yield from _bound_within(inner)


def _bound_within(statement: ast.AST) -> Iterator[str]:
    for each in ast.walk(statement):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, DEFINED):
            yield each.name
        elif isinstance(each, ast.alias):
            yield (each.asname or each.name).partition(".")[0]


def _words(tree: ast.Module) -> Iterator[str]:
    """All words of the code and of its texts; none of its comments."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield from WORD.findall(each.value)


def _called(tree: ast.Module, function: str) -> Iterator[str]:
    """The first arguments, where they are texts, of all calls of a function."""
    for each in ast.walk(tree):
        match each:
            case ast.Call(ast.Name(name), [ast.Constant(str(text)), *_]) if name == function:
                yield text
