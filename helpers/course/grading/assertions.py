"""Graded cells of plain assertions, written so that an answer cannot pass for what it is not."""

from __future__ import annotations

import ast
import builtins

EXACT = "__import__('helpers.course.sandbox.kernel', fromlist=['exact']).exact"


class _Exact(ast.NodeTransformer):
    """Both sides of a comparison go through `exact`."""

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        node.left, *node.comparators = map(_exact, [node.left, *node.comparators])
        return node


def _exact(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.Constant):
        return value
    return ast.Call(ast.parse(EXACT, mode="eval").body, [value], [])


def strict(text: str) -> str:
    """The test with exact comparisons, and with Python's own functions by their names."""
    tree = ast.parse(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    lines = [f"from builtins import {name}" for name in sorted(used & set(vars(builtins)))]
    return "\n".join([*lines, ast.unparse(ast.fix_missing_locations(_Exact().visit(tree)))])


def failing(text: str, nonce: str) -> str:
    """The test with its last assertion turned round, or with a false one, which says `nonce`."""
    tree = ast.parse(text)
    asserted = [node for node in tree.body if isinstance(node, ast.Assert)]
    if not asserted:
        asserted = [ast.Assert(ast.Constant(True))]
        tree.body += asserted
    asserted[-1].test = ast.UnaryOp(ast.Not(), asserted[-1].test)
    asserted[-1].msg = ast.Constant(nonce)
    return ast.unparse(ast.fix_missing_locations(tree))
