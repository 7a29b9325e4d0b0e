"""Copies are found whatever their names and order; answers written apart are left alone."""

import ast
import builtins
import math
import random
import re
from functools import cache
from itertools import combinations
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from helpers import checks
from helpers.course import report
from helpers.course.authoring import build
from helpers.course.demo import answered
from helpers.course.grading import similarity
from helpers.course.grading.similarity import CLASS, FEW, alike, fragments, own, pairs
from helpers.course.settings import Course
from tests.checks import variants
from tests.common import UNITS
from tests.course.judged import hand_in
from tests.course.pages.payloads import harm

FOUND, FALSE = 0.95, 0.01


@cache
def _right_answers() -> list[tuple[set[str], list[str]]]:
    """For each exercise what it forces, and right answers that were written apart."""
    found = []
    for unit in UNITS:
        for name, exercise in checks.exercises(unit).items():
            forced = set(fragments(variants.written(exercise.reference).text))
            # Those beside the mistakes are like the solution, and like each other.
            like = exercise.right_answers
            texts = [each.text for each in variants.of(unit)[name] if each not in like]
            found.append((forced, texts))
    return found


class _Disguised(ast.NodeTransformer):
    """Other names for all that the author named, and another order of the statements."""

    def __init__(self, seed: int, tree: ast.AST) -> None:
        self.random = random.Random(seed)
        attributes = [each for each in ast.walk(tree) if isinstance(each, ast.Attribute)]
        self.own = {each.attr for each in attributes if isinstance(each.ctx, ast.Store)}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(node.id if hasattr(builtins, node.id) else f"{node.id}_mine", node.ctx)

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        self.generic_visit(node)
        return ast.Attribute(node.value, node.attr + "_mine" * (node.attr in self.own), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(f"{node.arg}_mine")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        self.random.shuffle(node.body)
        node.name += "_mine"
        return node


def _copy(text: str, seed: int) -> str:
    """What somebody hands in who wants it to look like their own work."""
    tree = ast.parse(text)
    disguised = ast.unparse(ast.fix_missing_locations(_Disguised(seed, tree).visit(tree)))
    lines = [f"{line}  # step {n}" for n, line in enumerate(disguised.split("\n"))]
    return '"""All my own work."""\n# really\n\n' + "\n".join(lines)


def test_planted_copies_are_found() -> None:
    planted = [(forced, text) for forced, texts in _right_answers() for text in texts]
    found = [
        bool(alike(own({"ada": text, "eve": _copy(text, seed)}, forced)))
        for seed, (forced, text) in enumerate(planted)
    ]
    assert sum(found) >= FOUND * len(found), f"{sum(found)} of {len(found)}"


def test_answers_written_apart_are_no_pair() -> None:
    both = [(f, pair) for f, texts in _right_answers() for pair in combinations(texts, 2)]
    alarms = [bool(alike(own({"ada": one, "bob": other}, f))) for f, (one, other) in both]
    assert len(both) > 100
    assert sum(alarms) <= FALSE * len(alarms), f"{sum(alarms)} of {len(alarms)}"


def test_what_many_wrote_is_no_pair() -> None:
    text = max(_right_answers()[1][1], key=len)
    assert alike(own({"ada": text, "eve": text}, set())) == {("ada", "eve"): 1.0}
    assert alike(own({str(n): text for n in range(9)}, set())) == {}


def test_a_copy_within_a_longer_answer_is_found() -> None:
    short, more = ("\n".join(f"y = x + {n}" for n in range(m, m + 12)) for m in (0, 12))
    assert alike(own({"ada": short, "eve": f"{more}\n{short}"}, set())) == {("ada", "eve"): 1.0}


@pytest.mark.parametrize("copies", [2, 3, FEW])
def test_copies_in_the_smallest_class_are_found(copies: int) -> None:
    """What a few learners have is not yet what many have, however small the class."""
    found = []
    others = [texts[0] for _, texts in _right_answers()][:CLASS]
    for forced, texts in _right_answers():
        for text in texts:
            same = {f"copy {n}": _copy(text, n) for n in range(copies)}
            # There are too few right answers to some exercises: others' fill the class.
            apart = [each for each in (*texts, *others) if each != text][: CLASS - copies]
            class_ = same | {f"apart {n}": each for n, each in enumerate(apart)}
            assert len(class_) == CLASS
            have = alike(own(class_, forced))
            found.append(have.keys() >= set(combinations(same, 2)))
    assert sum(found) >= FOUND * len(found), f"{sum(found)} of {len(found)}"


def test_a_class_that_wrote_apart_has_no_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "CLASS", 1)  # the right answers to one exercise are a class
    classes = [({str(n): text for n, text in enumerate(t)}, f) for f, t in _right_answers()]
    alarms = sum(len(alike(own(texts, forced))) for texts, forced in classes)
    asked = sum(math.comb(len(texts), 2) for texts, _ in classes)
    assert asked > 100
    assert alarms <= FALSE * asked, f"{alarms} of {asked}"


@pytest.mark.parametrize(
    "text", ["", "(((((", "def f(:\n  '''", "x = " + "9" * 200_000, "x = 1\n" + " \n" * 49_800]
)
def test_a_text_that_is_no_code_is_no_error(text: str) -> None:
    assert isinstance(alike(own({"ada": text, "eve": text}, set())), dict)


def test_a_deep_answer_takes_no_square_of_its_depth() -> None:
    found = fragments(f"x = {'-' * 400}a")
    assert found.total() == len(found) == 401 and sum(map(len, found)) < 100 * 401


def test_an_f_string_is_one_text_and_a_magic_is_no_code() -> None:
    written = "%time it's\nx = f'{a:>{w}} is {b!r}' + f\"{f'{q}'}\" + y\n!ls 'x\nz = y - x\n"
    assert fragments(written) == fragments("x = 'a' + 'b' + y\nz = y - x\n")


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_class_gets_a_page_with_both_texts(course: Course, tmp_path: Path) -> None:
    unit = "02-sinusoidal"
    built = build.make(course, unit, tmp_path)
    right = variants.in_submissions(unit)
    handed_in = {who: answered(built.solution, right[n]) for n, who in enumerate(("ada", "bob"))}
    handed_in["eve"] = nbformat.from_dict(handed_in["ada"])
    handed_in["blank"], handed_in["blanker"] = built.released, built.released
    handed_in["taught"] = handed_in["told"] = built.solution
    for cell in handed_in["eve"].cells:
        if cell.id == "table":
            cell.source = _copy(cell.source, 0) + "\n'<script>x</script>'"
    hand_in(tmp_path / "submitted", unit, **handed_in)
    found = pairs(tmp_path, unit, sorted(handed_in))
    assert {pair.students for pair in found} == {("ada", "eve")}
    assert "table" in {pair.exercise for pair in found}
    before = _files(tmp_path)
    rows = pd.DataFrame({"unit": unit, "student": sorted(handed_in), "repairs": ""})
    report.write_similar(tmp_path, rows)
    after = _files(tmp_path)
    assert after.pop(tmp_path / "similar.html")
    assert after == before  # a person judges: neither marks nor notebooks are touched
    page = (tmp_path / "similar.html").read_text()
    copied = next(pair for pair in found if pair.exercise == "table")
    for text, lines in zip(copied.texts, copied.lines, strict=True):
        marked = [text.split("\n")[n - 1] for n in lines]
        assert len(marked) > 3
        assert not [line for line in marked if re.match(r"\s*(#|\"\"\"|'<|$)", line)]
    assert page.count('class="hll"') == sum(len(each) for p in found for each in p.lines)
    assert "table_mine" in page and "ada and eve" in re.sub("<[^>]+>", "", page)
    assert harm(page.split("<main>")[1].split("</main>")[0]) == []
