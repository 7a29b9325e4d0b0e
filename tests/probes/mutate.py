"""Mutants of a worked solution: the same text with one small thing changed.

Our own and short: the libraries (mutmut, cosmic-ray, mutatest) change a package and run its test
suite for each mutant, and know nothing of what goes wrong with tensors: axes, swapped arguments,
sine for cosine, a call left out.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from helpers.course.authoring.source import MARKERS

Names = frozenset[str]

OPERATORS: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Pow: (ast.Mult,),
    ast.MatMult: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.MatMult)  # a ∘ b is not b ∘ a
_PAIRS = (
    ("sin", "cos"), ("min", "max"), ("minimum", "maximum"), ("sum", "mean"), ("zeros", "ones"),
    ("zeros_like", "ones_like"), ("new_zeros", "new_ones"), ("tril", "triu"),
)  # fmt: skip
NAMES = dict(_PAIRS) | {second: first for first, second in _PAIRS}
OWNERS = ("torch.", "math.", "nn.", "encodings.", "self.", "super()")  # no values, as x in x.abs()


@dataclass(frozen=True)
class Mutant:
    """A solution cell with one change; `change` is the line as it was and as it is now."""

    change: str
    text: str


def mutants(cell: str) -> list[Mutant]:
    """All mutants of a solution cell that are valid Python; what the learner is given stays."""
    tree = ast.parse(cell)
    found: dict[str, Mutant] = {}
    for node, names in _answered(tree, cell):
        for now in _changed(node, names):
            text = _replaced(cell, node, now)
            if _differs(text, tree):
                found.setdefault(text, Mutant(_change(cell, text), text))
    return _numbered(list(found.values()))


def _answered(tree: ast.AST, cell: str) -> Iterator[tuple[ast.stmt | ast.expr, Names]]:
    """Nodes between the marks, each with the names of its function; no texts of exceptions."""
    begin, end = MARKERS["solution"]
    inside, lines = False, set()
    for number, line in enumerate(cell.split("\n"), 1):
        inside = (inside or line.strip() == begin) and line.strip() != end
        if inside:
            lines.add(number)
    waiting: list[tuple[ast.AST, Names]] = [(tree, frozenset())]
    while waiting:
        node, names = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            names |= _local(node)
        if isinstance(node, ast.stmt | ast.expr) and node.lineno in lines:
            yield node, names
        if not isinstance(node, ast.Raise | ast.arguments | ast.JoinedStr):
            waiting += [(child, names) for child in ast.iter_child_nodes(node)]


def _local(function: ast.FunctionDef) -> Names:
    """Arguments and variables of a function; what is in its functions may be among them."""
    inside = list(ast.walk(function))
    arguments = {node.arg for node in inside if isinstance(node, ast.arg)}
    stored = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset((arguments | stored) - {"self"})


def _changed(node: ast.AST, names: Names) -> Iterator[str]:
    """What may stand in the place of `node`."""
    if isinstance(node, ast.stmt):
        if not isinstance(node, ast.Pass | ast.FunctionDef | ast.ClassDef):
            yield "pass"
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from sorted(names - {node.id})
    for changed in _expressions(node):
        text = ast.unparse(ast.fix_missing_locations(changed))
        atom = isinstance(changed, ast.Constant | ast.Name | ast.Attribute | ast.Call)
        atom = atom or isinstance(changed, ast.Subscript)
        yield text if atom else f"({text})"


def _expressions(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            yield from (_with(node, op=other()) for other in OPERATORS.get(type(op), ()))
            if isinstance(node, ast.BinOp) and isinstance(op, ORDERED):
                yield _with(node, left=node.right, right=node.left)
        case ast.Compare(ops=[op]):
            yield from (_with(node, ops=[other()]) for other in OPERATORS.get(type(op), ()))
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Constant(value=value):
            yield from (ast.Constant(other) for other in _constants(value))
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in NAMES:
            yield _with(node, **{"id" if isinstance(node, ast.Name) else "attr": NAMES[name]})
        case ast.Call():
            yield from _calls(node)
        case ast.Subscript():
            yield from _slices(node)


def _constants(value: object) -> Iterator[str | int | float]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield from (value / 2, value + 0.1)
    elif isinstance(value, str):
        yield f"{value}?"


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Two arguments swapped, a keyword left out, the call left out: x.abs() → x, f(x) → x."""
    for i in range(len(node.args) - 1):
        first, second = node.args[i : i + 2]
        if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
            yield _with(node, args=[*node.args[:i], second, first, *node.args[i + 2 :]])
    for i in range(len(node.keywords)):
        yield _with(node, keywords=node.keywords[:i] + node.keywords[i + 1 :])
    if isinstance(node.func, ast.Attribute) and not ast.unparse(node.func).startswith(OWNERS):
        yield node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _slices(node: ast.Subscript) -> Iterator[ast.AST]:
    """A bound left out: x[:, 1:] → x[:, :]."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for i, part in enumerate(parts):
        for bound in ("lower", "upper", "step"):
            if isinstance(part, ast.Slice) and getattr(part, bound) is not None:
                changed = [*parts[:i], _with(part, **{bound: None}), *parts[i + 1 :]]
                several = isinstance(node.slice, ast.Tuple)
                yield _with(node, slice=_with(node.slice, elts=changed) if several else changed[0])


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _replaced(cell: str, node: ast.stmt | ast.expr, text: str) -> str:
    """The cell with `text` where `node` stood; columns count bytes."""
    lines = cell.encode().split(b"\n")
    assert node.end_lineno is not None and node.end_col_offset is not None
    before = [*lines[: node.lineno - 1], lines[node.lineno - 1][: node.col_offset]]
    after = [lines[node.end_lineno - 1][node.end_col_offset :], *lines[node.end_lineno :]]
    return (b"\n".join(before) + text.encode() + b"\n".join(after)).decode()


def _differs(text: str, tree: ast.AST) -> bool:
    try:
        return ast.dump(ast.parse(text)) != ast.dump(tree)
    except SyntaxError:
        return False


def _change(before: str, after: str) -> str:
    """The lines that differ, as they were and as they are."""
    old, new = before.split("\n"), after.split("\n")
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return " → ".join(" ".join(line.strip() for line in lines) for lines in (old, new))


def _numbered(found: list[Mutant]) -> list[Mutant]:
    """Changes are keys: where a line stands twice in a cell, the second says so."""
    seen: dict[str, int] = {}
    numbered = []
    for mutant in found:
        seen[mutant.change] = n = seen.get(mutant.change, 0) + 1
        change = mutant.change if n == 1 else f"{mutant.change} ({n})"
        numbered.append(Mutant(change, mutant.text))
    return numbered
