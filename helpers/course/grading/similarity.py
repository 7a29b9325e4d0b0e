"""Pairs of learners whose answers are alike beyond what the exercise forces; for a person to read.

An answer is taken as the expressions and simple statements of its syntax tree, so that neither
another order of the statements nor other comments, blanks or brackets change it. Names that an
author chooses all count as one; those of a library, after a dot, stay. What the release or the
course's own answer have, or many of the class, is what the exercise forces. Nothing here is a mark.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from nbformat import v4

SMALLEST = 3  # nodes of a fragment that is counted
LONGEST = 20_000  # characters of an answer; nobody writes so much by hand
NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
MAGIC = re.compile(r"^[%!].*", re.MULTILINE)  # a line that is IPython's
# Measured in tests/course/grading/test_similarity.py, on copies and on answers written apart.
ALIKE = 0.75  # fraction of the shorter answer's own fragments
ENOUGH = 6  # fragments shared; a line may be the same by chance
COMMON = 0.25  # fraction of a class: what more have is the exercise's, or a book's
FEW = 4  # learners, who may have copied from each other however small the class
MOST = 50  # learners; pairs grow with their square, and nobody reads a thousand
CLASS = 8  # learners, from which on that can be said

Fragments = Counter[str]


class Pair(NamedTuple):
    """Two learners' answers to an exercise, and what fraction of the shorter one is in both.

    Args:
        lines: of each text, counted from 1, those with what both have of their own.
    """

    unit: str
    exercise: str
    students: tuple[str, str]
    fraction: float
    texts: tuple[str, str]
    lines: tuple[tuple[int, ...], tuple[int, ...]]


def pairs(out: Path, unit: str, students: list[str]) -> list[Pair]:
    """Return the pairs among those graded into OUT, the most alike first."""
    given = [out / place / unit / f"{unit}.ipynb" for place in ("release", "source")]
    usual = list(map(answers, given))
    written = {who: answers(out / "submitted" / who / unit / f"{unit}.ipynb") for who in students}
    found = []
    for exercise in usual[0]:
        texts = {who: each[exercise] for who, each in written.items() if exercise in each}
        forced = set().union(*(fragments(each.get(exercise, "")) for each in usual))
        theirs = own(texts, forced)
        for (one, other), fraction in alike(theirs).items():
            both, shared = (texts[one], texts[other]), theirs[one] & theirs[other]
            marked = _lines(both[0], shared), _lines(both[1], shared)
            found.append(Pair(unit, exercise, (one, other), fraction, both, marked))
    return sorted(found, key=lambda pair: (-pair.fraction, pair.exercise, pair.students))


def answers(path: Path) -> dict[str, str]:
    """Return the code of each answer in a notebook."""
    return {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in v4.reads(path.read_text("utf-8")).cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }


def own(texts: Mapping[str, str], forced: set[str]) -> dict[str, Fragments]:
    """Return the fragments of each answer that are neither `forced` nor in many of the answers."""
    written = {who: fragments(text) for who, text in texts.items()}
    have = Counter(each for found in written.values() for each in found)
    many = min(max(COMMON * len(texts), FEW), MOST) if len(texts) >= CLASS else len(texts)
    usual = {each for each, count in have.items() if count > many or each in forced}
    return {
        who: Counter({each: n for each, n in found.items() if each not in usual})
        for who, found in written.items()
    }


def alike(theirs: Mapping[str, Fragments]) -> dict[tuple[str, str], float]:
    """Return which two of some answers are alike, by their `own`, and the fraction they share."""
    holders: dict[str, list[str]] = defaultdict(list)
    for who, found in theirs.items():
        for each in found:
            holders[each].append(who)
    shared: Counter[tuple[str, str]] = Counter()
    for each, group in holders.items():
        for one, other in combinations(group, 2):
            shared[one, other] += min(theirs[one][each], theirs[other][each])
    fractions = {
        pair: count / min(theirs[who].total() for who in pair)
        for pair, count in shared.items()
        if count >= ENOUGH
    }
    return {pair: fraction for pair, fraction in fractions.items() if fraction >= ALIKE}


def fragments(code: str) -> Fragments:
    """Return the fragments of a text, with how often each is there."""
    return Counter(each for each, _ in _fragments(code))


def _lines(code: str, shared: Fragments) -> tuple[int, ...]:
    return tuple(
        sorted({line for each, lines in _fragments(code) if each in shared for line in lines})
    )


def _fragments(code: str) -> Iterator[tuple[str, range]]:
    """Yield each expression and simple statement of a text, and its lines, counted from 1."""
    with suppress(*NO_PYTHON):
        tree = ast.parse(MAGIC.sub("", code[:LONGEST]))
        told = dict[ast.AST, tuple[str, int]]()
        _digest(_Anonymous(tree).visit(tree), told)
        for node, (digest, size) in told.items():
            if not isinstance(node, ast.expr | ast.stmt) or hasattr(node, "body"):
                continue
            if size >= SMALLEST and not isinstance(node, ast.Import | ast.ImportFrom):
                yield digest, range(node.lineno, (node.end_lineno or 0) + 1)


def _digest(node: ast.AST, told: dict[ast.AST, tuple[str, int]]) -> tuple[str, int]:
    """Put a digest of each node of a tree, and how many are in it, into `told`; return the tree's.

    It is one of its children's: whole texts of a deep tree's would take the square of its depth.
    """
    parts, size = [type(node).__name__], 1
    for name, value in ast.iter_fields(node):
        for each in value if isinstance(value, list) else [value]:
            digest, more = _digest(each, told) if isinstance(each, ast.AST) else (repr(each), 0)
            parts += name, digest
            size += more
    told[node] = sha256(repr(parts).encode()).hexdigest(), size
    return told[node]


class _Anonymous(ast.NodeTransformer):
    """Gives all that an author names one name, and all texts one text."""

    def __init__(self, tree: ast.AST) -> None:
        attributes = [each for each in ast.walk(tree) if isinstance(each, ast.Attribute)]
        self.own = {each.attr for each in attributes if isinstance(each.ctx, ast.Store)}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(node.id if hasattr(builtins, node.id) else "name"), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = "name" if node.attr in self.own else node.attr
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = "text" if isinstance(node.value, str) else node.value
        value = int(value) if isinstance(value, float) and value.is_integer() else value
        return ast.copy_location(ast.Constant(value), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return ast.copy_location(ast.Constant("text"), node)
