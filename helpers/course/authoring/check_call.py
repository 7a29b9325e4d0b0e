"""Reads a graded code cell, whose last line is `check.EXERCISE(ANSWER, seed=NUMBER)`."""

from __future__ import annotations

import ast
import hmac
import importlib
from dataclasses import dataclass, replace

from helpers.checks import package
from helpers.checks.engine import Exercise
from helpers.course.settings import CourseError

FORM = "check.EXERCISE(ANSWER, seed=NUMBER)"


@dataclass(frozen=True)
class Check:
    """What a graded cell asks.

    Args:
        module: of the checks. exercise: its name in it.
        answer: the learner's, as Python code. seed: draws the questions.
    """

    module: str
    exercise: str
    answer: str
    seed: int

    def load(self) -> Exercise:
        """Import the exercise, which knows the right answers.

        Raises:
            CourseError: there is no such module, or no such exercise in it.
        """
        try:
            module = importlib.import_module(self.module)
        except ImportError as error:
            raise CourseError(f"{self.module} cannot be imported: {error}") from error
        found = getattr(module, self.exercise, None)
        if not isinstance(found, Exercise):
            known = ", ".join(getattr(module, "__all__", ()))
            raise CourseError(f"there is no check.{self.exercise}, but {known}")
        return found

    def seeded(self, secret: bytes, name: str) -> Check:
        """Return it with the seed that OUT's secret gives for a name: another for each name."""
        digest = hmac.digest(secret, name.encode(), "sha256")
        seed = int.from_bytes(digest[:8]) | 1 << 63  # so that no other number is taken for it
        return replace(self, seed=seed)


def read(unit: str, text: str) -> Check:
    """Return what a cell asks; `check` is the unit's module, or one that the cell imports.

    Raises:
        CourseError: its last line has another form.
    """
    try:
        body = ast.parse(text).body
    except SyntaxError:
        body = []
    match body[-1:]:
        case [
            ast.Expr(
                ast.Call(
                    ast.Attribute(ast.Name("check"), exercise),
                    [answer],
                    [ast.keyword("seed", ast.Constant(int(seed)))],
                )
            )
        ]:
            modules = [package(unit)]
            for each in body:
                if isinstance(each, ast.ImportFrom):
                    called = {alias.asname or alias.name: alias.name for alias in each.names}
                    modules += [f"{each.module}.{called['check']}"] if "check" in called else []
            return Check(modules[-1], exercise, ast.unparse(answer), seed)
    raise CourseError(f"a graded cell must end with a hidden test of the form {FORM}")
