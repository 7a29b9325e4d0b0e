"""Unit 04, “Learned vectors by offset”: what it asks."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import Answer, Case, CheckError, Exercise, Part, digits, unchanged
from helpers.checks.engine.hints import DTYPE, NO_GRADIENT
from helpers.checks.positions import by
from helpers.checks.relative import common

TABLES = {"bias": "keys", "context": "values"}  # the table that a hook reads
WIDTH, CLIP = 20, 3  # of the objects, where a case names no other
NUMBERS = 30_000  # of a table: a right mean is 8 deviations, a right fourth moment 7 from refusal


def _built(
    answer: Answer, name: str, table: Tensor, k: int = CLIP, dtype: torch.dtype = torch.float32
) -> Any:
    """Return an object with known vectors in the table that a hook reads."""
    module = answer(d_model=WIDTH, num_heads=WIDTH // table.shape[1], max_len=12, k=k).to(dtype)
    _fill(module, name, table)
    return module


def _fill(module: Any, name: str, table: Tensor) -> None:
    """Put vectors into a table, as a step of training does; CheckError if there is no room."""
    own, size = getattr(module, TABLES[name], None), tuple(table.shape)
    if not isinstance(own, Tensor):
        raise CheckError(f"self.{TABLES[name]} is no tensor, but {type(own).__name__}")
    if own.shape[-2:] != size:  # copy_ would repeat a single row for all
        found = tuple(own.shape)
        raise CheckError(f"self.{TABLES[name]} has the shape {found}, expected {size}")
    own.data.copy_(table)


def _ask(module: Any, name: str, first: Tensor, offsets: Tensor | None = None) -> Any:
    """Return what `bias` says to these queries, or `context` to these weights; they must stay."""
    told = by(first, offsets)
    given = [first, first.flip(2) + 1] if name == "bias" else [first]
    before = [each.detach().clone() for each in (*given, told.offsets)]
    found = getattr(module, name)(*given, told)
    unchanged((*given, told.offsets), tuple(before))
    return found


def _first(rng: Random, name: str, batch: int, heads: int, length: int) -> Tensor:
    """Return weights, or queries as attention makes them, by a transpose."""
    if name == "context":
        return common.attention_weights(rng, batch, heads, length)
    return draws.normal(rng, batch, length, heads, WIDTH // heads).transpose(1, 2)


def _table(rng: Random, heads: int, k: int = CLIP) -> Tensor:
    return draws.normal(rng, 2 * k + 1, WIDTH // heads)


def _trees(rng: Random, batch: int, length: int) -> Tensor:
    """Return any offsets from −6 to 6, and some far beyond; (B, T, T)."""
    trees = torch.stack([common.any_rows(rng, length, 13) - 6 for _ in range(batch)])
    trees[:, rng.randrange(length)] *= 100
    return trees


def _hook(rng: Random, name: str) -> Iterator[Case]:
    """Ask about texts of several lengths, and clips, for an object each; then one for several."""
    for batch, heads, length, k in (
        (3, rng.choice((2, 4)), rng.randint(7, 9), 3),
        (1, 2, rng.randint(150, 170), rng.randint(128, 132)),  # beyond what a byte counts
        (1, 1, rng.randint(1_030, 1_100), 5),
        (4, 1, rng.randint(3, 4), rng.randint(5, 6)),
        (1, 4, 1, 2),
        (5, 2, 4, 0),
        (4, 4, 4, 1),  # B = H = T
        (2, 20, 4, 2),  # heads of one number each
    ):
        first, table = _first(rng, name, batch, heads, length), _table(rng, heads, k)
        label = f"{name} with k={k}, B={batch}, H={heads}, T={length}, max_len=12"
        yield Case(label, partial(_of_text, name=name, first=first, table=table, k=k))
    yield _in_turn(rng, name)


def _of_text(answer: Answer, name: str, first: Tensor, table: Tensor, k: int) -> Any:
    length = first.shape[2]
    module = _built(answer, name, table, k)
    answer(d_model=WIDTH, k=k + 2)  # another object may have another clip
    found = _ask(module, name, first)
    # Of a long text a few queries: all would be more than a sandbox may show.
    return found[:, :, ::50] if length > 100 and isinstance(found, Tensor) else found


def _in_turn(rng: Random, name: str) -> Case:
    """One object meets one text after the other, and its table changes on the way."""
    heads, length = rng.choice((2, 4)), rng.randint(5, 6)
    text, longer = (_first(rng, name, 2, heads, n) for n in (length, length + 9))
    tables = [_table(rng, heads) for _ in range(4)]
    tree = _trees(rng, 1, length)[0].clamp(-2, 2)

    def ask(answer: Answer) -> dict[str, Any]:
        module = _built(answer, name, tables[0])
        _ask(module, name, text, tree)
        found = {"first text": _ask(module, name, text), "longer": _ask(module, name, longer)}
        _fill(module, name, tables[1])
        found["first text, after a step of training"] = _ask(module, name, text)
        layer = copy.deepcopy(module)
        _fill(layer, name, tables[2])
        found["first text, by a copy with other numbers"] = _ask(layer, name, text)
        with torch.no_grad():
            for table in tables[2:]:
                _fill(module.eval(), name, table)
                found["first text, after eval() and more steps"] = _ask(module, name, text)
        return found

    return Case(f"{name} of one object, T = {length}, {length + 9}, … in turn", ask)


def _given(rng: Random) -> Iterator[Case]:
    """Ask with (T, T) and (B, T, T), where B is H and T, or neither, and with zeros."""
    for name in TABLES:
        for batch, heads, length in ((3, 2, rng.randint(6, 8)), (4, 4, 4), (2, 4, 1)):
            first, table = _first(rng, name, batch, heads, length), _table(rng, heads)
            trees = _trees(rng, batch, length)
            for offsets in (trees[0], trees, torch.zeros_like(trees[0])):
                label = f"{name} of H={heads}, offsets {tuple(offsets.shape)}, others before"
                given: Any = {"name": name, "first": first, "table": table, "offsets": offsets}
                yield Case(label, partial(_by_offsets, **given))


def _by_offsets(answer: Answer, name: str, first: Tensor, table: Tensor, offsets: Tensor) -> Any:
    module = _built(answer, name, table)
    _ask(module, name, first)  # without, as other calls of the same object
    _ask(module, name, first, offsets.flip(-1) + 1)  # and with others of the same shape
    return _ask(module, name, first, offsets)


def _learned(rng: Random) -> Iterator[Case]:
    def ask(answer: Answer, sizes: dict[str, int]) -> dict[str, Any]:
        module = answer(d_model=WIDTH, **sizes)
        # A table may have a second name; it counts once, and as what the text calls it.
        called = {id(getattr(module, each, None)): each for each in ("values", "keys")}
        every = [(called.get(id(each), name), each) for name, each in module.named_parameters()]
        named = sorted(every, key=lambda each: each[0])
        return {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            "its heads and its clip": [getattr(module, each, None) for each in ("num_heads", "k")],
            "parameters, by name": {name: list(each.shape) for name, each in named},
            "trained": [name for name, each in named if each.requires_grad],
        }

    for k in (rng.randint(3, 6), 0):
        sizes = {"num_heads": rng.choice((2, 4)), "max_len": 12, "k": k}
        yield Case(f"an object of d_model={WIDTH} and {sizes}", partial(ask, sizes=sizes))
    yield Case(f"an object of d_model={WIDTH} alone", partial(ask, sizes={}))


def _begin(rng: Random) -> Iterator[Case]:
    """Ask at two widths: at one of them a fixed deviation may be that of another formula."""
    heads = rng.choice((2, 3))
    for width in (rng.randint(5, 7), rng.randint(20, 30)):  # at 4, d/2 is √d
        k = NUMBERS // width // 2
        label = f"a new object with k={k}, D={heads * width}, H={heads}"
        yield Case(label, partial(_beginning, sizes=(heads * width, heads, 12, k)))


def _beginning(answer: Answer, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Measure the tables of two objects, made one after the other, so that one seed shows."""
    objects = [answer(*sizes) for _ in range(2)]
    found = [getattr(each, name, None) for each in objects for name in ("keys", "values")]
    tables = [each.detach() if isinstance(each, Tensor) else torch.zeros(2) for each in found]
    drawn = [each.double().flatten() * (sizes[0] / sizes[1]) ** 0.5 for each in tables]
    different = len(torch.cat(drawn).unique()) > 3 * len(drawn[0])
    said = {"all four tables of two objects begin with different numbers": different}
    return _moments("keys", drawn[0]) | _moments("values", drawn[1]) | said


def _moments(name: str, numbers: Tensor) -> dict[str, Any]:
    """Tell mean and deviation in steps of 0.1; the fourth moment is 3 for normal numbers."""
    fourth = (numbers - numbers.mean()).pow(4).mean() / numbers.var().square()
    return {
        f"standard deviation of {name}, times √d": round(numbers.std().item(), 1),
        f"mean of {name}, times √d": round(numbers.mean().item(), 1) + 0.0,
        f"{name} have a normal distribution": abs(fourth.item() - 3) < 0.2,
    }


def _backwards(rng: Random) -> Iterator[Case]:
    """Ask for dtypes, for what reaches each table and what comes before, and for the digits."""
    heads, length = rng.choice((2, 4)), rng.randint(5, 7)
    for name in TABLES:
        first, table = _first(rng, name, 2, heads, length), _table(rng, heads)
        for offsets, words in ((None, ""), (_trees(rng, 2, length), " and given offsets, eval()")):
            label = f"{name} in float64 with B=2, H={heads}, T={length}{words}"
            given: Any = {"name": name, "first": first, "table": table, "offsets": offsets}
            yield Case(label, partial(_differentiated, **given))
        yield digits(name, first, table).of(partial(_by_table, name))


def _differentiated(answer: Answer, name: str, first: Tensor, table: Tensor, offsets: Any) -> Any:
    module = _built(answer, name, table, dtype=torch.float64)
    given, own = first.double().requires_grad_(), getattr(module, TABLES[name])
    found = _ask(module.train(offsets is None), name, given, offsets)
    if isinstance(found, Tensor) and found.requires_grad:
        found.sin().sum().backward()
    half = _ask(_built(answer, name, table, dtype=torch.bfloat16), name, first.bfloat16(), offsets)
    return {
        "the result": found,
        "its dtype": str(getattr(found, "dtype", None)),
        f"the gradient of {'q' if name == 'bias' else 'weights'}": given.grad,
        f"the gradient of {TABLES[name]}": own.grad,
        "its dtype in bfloat16": str(getattr(half, "dtype", None)),
    }


def _by_table(name: str, answer: Answer) -> Answer:
    return lambda x, table: _ask(_built(answer, name, table, dtype=torch.float64), name, x)


module = Exercise(
    "module",
    encodings.Shaw,
    (
        Part("bias: q_i · w^K by offset", 0.5, lambda rng: _hook(rng, "bias")),
        Part("context: Σ α_ij w^V by offset", 0.5, lambda rng: _hook(rng, "context")),
        Part("offsets that are given", 0.5, _given),
        Part("two tables to be trained", 0.5, _learned),
        Part("how the tables begin", 0.5, _begin),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(*common.MODULES, *common.TERMS),
    explains=(
        "which answers the book's question",
        "Both hooks need the rows",
        "`rows` is not checked by itself",
        "Rows of the tables for every pair",
    ),
    generic={
        "The result has the dtype of `q` or of `weights`": DTYPE,
        "gradients must reach `q`, `weights` and both tables": NO_GRADIENT,
    },
    module=__name__,
)
