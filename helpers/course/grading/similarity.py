"""Pairs of learners whose answers are alike beyond what the exercise forces; for a person to read.

An answer is taken as runs of tokens within one statement, so that neither another order of the
statements nor other comments change it. Names that an author chooses all count as one; those of a
library, after a dot, stay. Runs that the release or the course's own answer have, or many of the
class, are what the exercise forces. Nothing here is a mark.
"""

from __future__ import annotations

import builtins
import io
import re
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from keyword import iskeyword
from pathlib import Path
from typing import NamedTuple

from nbformat import v4

RUN = 5  # tokens
SET = re.compile(r"\b\w+\.(\w+)\s*=(?!=)")  # attributes that an author names
LONGEST = 20_000  # characters of an answer; nobody writes so much by hand
TEXT = "text"  # all strings
# From Python 3.12 on an f-string is several tokens, from one to another of these types.
BEGIN, END = (getattr(tokenize, f"FSTRING_{each}", None) for each in ("START", "END"))
MAGIC = re.compile(r"^[%!].*", re.MULTILINE)  # a line that is IPython's
SKIPPED = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
# Measured in tests/course/grading/test_similarity.py, on copies and on answers written apart.
ALIKE = 0.75  # fraction of the shorter answer's own runs
ENOUGH = 10  # runs shared; a line may be the same by chance
COMMON = 0.25  # fraction of a class: what more have is the exercise's, or a book's
FEW = 4  # learners, who may have copied from each other however small the class
MOST = 50  # learners; pairs grow with their square, and nobody reads a thousand
CLASS = 8  # learners, from which on that can be said

Runs = Counter[tuple[str, ...]]


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
    """The pairs among those graded into OUT, the most alike first."""
    given = [out / place / unit / f"{unit}.ipynb" for place in ("release", "source")]
    usual = list(map(answers, given))
    written = {who: answers(out / "submitted" / who / unit / f"{unit}.ipynb") for who in students}
    found = []
    for exercise in usual[0]:
        texts = {who: each[exercise] for who, each in written.items() if exercise in each}
        forced = set().union(*(runs(each.get(exercise, "")) for each in usual))
        theirs = own(texts, forced)
        for (one, other), fraction in alike(theirs).items():
            both, shared = (texts[one], texts[other]), theirs[one] & theirs[other]
            marked = _lines(both[0], shared), _lines(both[1], shared)
            found.append(Pair(unit, exercise, (one, other), fraction, both, marked))
    return sorted(found, key=lambda pair: (-pair.fraction, pair.exercise, pair.students))


def answers(path: Path) -> dict[str, str]:
    """The code of each answer in a notebook."""
    return {
        cell.metadata.nbgrader.grade_id: cell.source
        for cell in v4.reads(path.read_text("utf-8")).cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }


def own(texts: Mapping[str, str], forced: set[tuple[str, ...]]) -> dict[str, Runs]:
    """The runs of each answer that are neither `forced` nor in many of the answers."""
    written = {who: runs(text) for who, text in texts.items()}
    have = Counter(run for each in written.values() for run in each)
    many = min(max(COMMON * len(texts), FEW), MOST) if len(texts) >= CLASS else len(texts)
    return {
        who: Counter({run: n for run, n in each.items() if run not in forced and have[run] <= many})
        for who, each in written.items()
    }


def alike(theirs: Mapping[str, Runs]) -> dict[tuple[str, str], float]:
    """Which two of some answers are alike, by the runs of their `own`, and what they share."""
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for who, each in theirs.items():
        for run in each:
            holders[run].append(who)
    shared: Counter[tuple[str, str]] = Counter()
    for run, group in holders.items():
        for one, other in combinations(group, 2):
            shared[one, other] += min(theirs[one][run], theirs[other][run])
    fractions = {
        pair: count / min(theirs[who].total() for who in pair)
        for pair, count in shared.items()
        if count >= ENOUGH
    }
    return {pair: fraction for pair, fraction in fractions.items() if fraction >= ALIKE}


def runs(code: str) -> Runs:
    """The runs of tokens in a text, with how often each is there."""
    return Counter(run for run, _ in _runs(code))


def _lines(code: str, shared: Runs) -> tuple[int, ...]:
    """The lines of a text on which some runs stand."""
    return tuple(sorted({line for run, lines in _runs(code) if run in shared for line in lines}))


def _runs(code: str) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
    """Each run of tokens, and the line of each of them."""
    for statement in _statements(code[:LONGEST]):
        tokens, lines = zip(*statement, strict=True)
        if tokens[0] not in ("import", "from"):
            for i in range(max(1, len(tokens) - RUN + 1)):
                yield tokens[i : i + RUN], lines[i : i + RUN]


def _statements(code: str) -> Iterator[list[tuple[str, int]]]:
    """The tokens of each statement, and the line of each, counted from 1; texts alone are none.

    Of what is no Python, those up to where it is none.
    """
    named = set(SET.findall(code))
    statement: list[tuple[str, int]] = []
    before, depth = "", 0
    with suppress(tokenize.TokenError, SyntaxError):
        for each in tokenize.generate_tokens(io.StringIO(MAGIC.sub("", code)).readline):
            inside, depth = depth, depth + (each.type == BEGIN) - (each.type == END)
            if inside:  # an f-string, which is one text by its first token
                continue
            if each.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                if any(token != TEXT for token, _ in statement):
                    yield statement
                statement = []
            elif each.type not in SKIPPED:
                statement.append((_token(each, before, named), each.start[0]))
                before = each.string


def _token(token: tokenize.TokenInfo, before: str, named: set[str]) -> str:
    """A token as it counts: all names that an author chooses are one, and so are all strings."""
    text = token.string
    if token.type in (tokenize.STRING, BEGIN):
        return TEXT
    if token.type == tokenize.NUMBER:
        with suppress(ValueError):  # hexadecimal, complex
            return f"{float(text):g}"  # 10_000.0 is 10000
    if token.type == tokenize.NAME and (before != "." or text in named):
        return text if iskeyword(text) or hasattr(builtins, text) else "name"
    return text
