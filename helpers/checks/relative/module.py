"""Unit 04, “Learned vectors by offset”: what it asks.

What people write instead is in module_hooks.py, module_objects.py, module_tables.py and
module_training.py.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.positions import by
from helpers.checks.relative import beginnings, common
from helpers.checks.relative.module_asked import (
    TABLES,
    ask_hook,
    built,
    fill,
    fine,
    fine_table,
    first_for,
    shape_of,
    table_for,
    told,
)


def _texts(rng: Random, name: str) -> Iterator[Case]:
    """Texts of several lengths, and clips, for an object each."""
    length = rng.randint(7, 9)
    for batch, heads, tokens, k in (
        (3, rng.choice((2, 4)), length, 3),
        (2, 5, rng.randint(65, 70), rng.randint(17, 20)),
        (2, rng.choice((2, 4)), rng.randint(24, 26), rng.randint(9, 16)),
        (1, 2, rng.randint(150, 170), rng.randint(128, 132)),  # beyond what a byte counts
        (1, 1, rng.randint(515, 520), rng.randint(258, 290)),  # either way
        (1, 1, rng.randint(1_030, 1_100), 5),
        (4, 1, rng.randint(3, 4), rng.randint(5, 6)),
        (1, 4, 1, 2),
        (5, 2, 4, 0),
        (1, 1, 1, 0),
        *((4, 2, 4, 2), (4, 4, 5, 2), (2, 5, 5, 3), (4, 4, 4, 1)),  # B = T, B = H, H = T, all
        (2, 20, 4, 2),  # heads of one number each
        (rng.randint(9, 12), 2, 5, 2),
    ):
        first = first_for(rng, name, batch, heads, tokens)
        yield _text(name, first, table_for(rng, name, heads, k), k)


def _text(name: str, first: Tensor, table: dict[str, Tensor], k: int) -> Case:
    batch, heads, length = first.shape[:3]
    beyond = ", which is beyond max_len=12" if length > 12 else ""

    def ask(answer: Answer) -> Any:
        module = built(answer, table, num_heads=heads, k=k)
        answer(20, heads, 12, k + 2)  # another object may have another clip
        return told(module, table, lambda: ask_hook(module, name, first))

    return Case(f"{name} with k={k}, B={batch}, H={heads}, T={length}{beyond}", ask)


def _in_turn(rng: Random, name: str) -> Iterator[Case]:
    """One object meets one text after the other, and its table changes on the way."""
    heads, length = rng.choice((2, 4)), rng.randint(5, 6)
    sizes = {"first text": (2, length), "second, as long": (2, length),
             "third, longer": (2, length + 9), "fourth, shorter": (2, length - 2),
             "four sentences, as long as the first": (4, length)}  # fmt: skip
    texts = {words: first_for(rng, name, batch, heads, tokens)
             for words, (batch, tokens) in sizes.items()}  # fmt: skip
    before, after, last = (table_for(rng, name, heads) for _ in range(3))
    given = _trees(rng, 1, length)[0].clamp(-2, 2)
    beside = {hook: first_for(rng, hook, 2, heads, length) for hook in (name, *TABLES)}

    def ask(answer: Answer) -> dict[str, Any]:
        module = built(answer, before, num_heads=heads)
        return told(module, before, lambda: turns(module))

    def turns(module: Any) -> dict[str, Any]:
        for hook, first in beside.items():
            with contextlib.suppress(Exception):  # offsets that are given have a part of their own
                ask_hook(module, hook, first, given)
        found = {words: ask_hook(module, name, first) for words, first in texts.items()}
        fill(module, after)
        again = ask_hook(module, name, texts["first text"])
        found["first text, after a step of training"] = again
        with torch.no_grad():  # as one evaluates; what is kept of the tables would be old now
            found["first text, after eval()"] = ask_hook(module.eval(), name, texts["first text"])
            fill(module, last)
            again = ask_hook(module, name, texts["first text"])
        found["first text, after eval() and one more step"] = again
        ask_hook(module, name, texts["first text"].clone().requires_grad_() * 1)
        layer = copy.deepcopy(module)
        fill(layer, before)
        again = ask_hook(layer, name, texts["first text"])
        found["first text, by a copy of the object with other numbers in its tables"] = again
        return found

    words = ", ".join(f"({batch}, {tokens})" for batch, tokens in sizes.values())
    yield Case(f"{name} of one object, (B, T) = {words} in turn", ask)


def _hook(rng: Random, name: str) -> Iterator[Case]:
    yield from _texts(rng, name)
    yield from _in_turn(rng, name)


def _given(rng: Random) -> Iterator[Case]:
    """(T, T) and (B, T, T), where B is H, or T, or neither; far beyond k on both sides."""
    for name in TABLES:
        for batch, heads, length in (
            *((3, 2, rng.randint(6, 8)), (4, 4, 5), (4, 2, 4), (1, 4, 6)),
            *((2, 5, 5), (4, 4, 4), (2, 4, 1)),
        ):
            first = first_for(rng, name, batch, heads, length)
            table = table_for(rng, name, heads)
            yield _offsets_case(name, first, table, _trees(rng, batch, length)[0])
            yield _offsets_case(name, first, table, _trees(rng, batch, length))
        first, table = first_for(rng, name, 2, 2, 6), table_for(rng, name, 2)
        yield _offsets_case(name, first, table, torch.zeros(6, 6, dtype=torch.long))
        k = rng.randint(17, 20)
        first, table = first_for(rng, name, 3, 2, 9), table_for(rng, name, 2, k)
        yield _offsets_case(name, first, table, _trees(rng, 3, 9, most=25), k)


def _trees(rng: Random, batch: int, length: int, most: int = 6) -> Tensor:
    """Any offsets up to `most`, and one far beyond; (B, T, T)."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    trees = torch.randint(-most, most + 1, (batch, length, length), generator=draw)
    trees[:, rng.randrange(length), rng.randrange(length)] *= 100
    return trees


def _offsets_case(
    name: str, first: Tensor, table: dict[str, Tensor], offsets: Tensor, k: int = 3
) -> Case:
    batch, heads, length = first.shape[:3]
    shape = "(T, T)" if offsets.dim() == 2 else "(B, T, T)"
    other = "context" if name == "bias" else "bias"
    beside = torch.ones(batch, heads, length, length if other == "context" else 20 // heads)

    def ask(answer: Answer) -> Any:
        module = built(answer, table, num_heads=heads, k=k).train(offsets.dim() == 2)

        def both() -> Any:
            ask_hook(module, name, first)  # without, as other calls of the same object
            # And with others of the same shape: a hook may not go by what another call was given.
            ask_hook(module, name, first, offsets.flip(-1))
            with contextlib.suppress(Exception):  # the other hook has cases of its own
                ask_hook(module, other, beside, offsets.mT)
            return ask_hook(module, name, first, offsets)

        return told(module, table, both)

    sizes = f"k={k}, B={batch}, H={heads}, T={length}"
    after = "" if offsets.dim() == 2 else ", after eval()"
    words = f"offsets of shape {shape}, others were given before{after}"
    return Case(f"{name} with {sizes}, {words}", ask)


def _learned(rng: Random) -> Iterator[Case]:
    for k in (rng.randint(3, 6), 0):
        sizes = {"num_heads": rng.choice((2, 4)), "max_len": 12, "k": k}
        yield _learned_case(f"with k={k}, D=20, H={sizes['num_heads']}", sizes)
    yield _learned_case("made by d_model=20 alone", {})


def _learned_case(words: str, sizes: dict[str, int]) -> Case:
    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(d_model=20, **sizes)
        # A table may have a second name; it counts once, and as what the text calls it.
        called = {id(getattr(module, each, None)): each for each in ("values", "keys")}
        every = [(called.get(id(each), name), each) for name, each in module.named_parameters()]
        named = sorted(every, key=lambda each: each[0])
        saved = module.state_dict()
        return {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            "its heads and its clip": [getattr(module, each, None) for each in ("num_heads", "k")],
            "saved with the model": [name for name in ("keys", "values") if name in saved],
            "parameters, by name": {name: list(each.shape) for name, each in named},
            "trained": [name for name, each in named if each.requires_grad],
            "keys and values are two tables": getattr(module, "keys", 0)
            is not getattr(module, "values", 1),
            "their shapes": [shape_of(module, name) for name in ("keys", "values")],
        }

    return Case(f"an object {words}", ask)


def _backwards(rng: Random) -> Iterator[Case]:
    """In float64 and in bfloat16: dtypes, and what reaches each table and what comes before."""
    heads, length = rng.choice((2, 4)), rng.randint(5, 7)
    for name in TABLES:
        first = first_for(rng, name, 2, heads, length)
        table = table_for(rng, name, heads)
        for offsets in (None, _trees(rng, 2, length)):
            yield _backwards_case(name, first, table, offsets)
        yield fine(name, first, table)
        yield fine_table(name, first, table)
        yield _whole(rng, name)


def _whole(rng: Random, name: str) -> Case:
    """A long text in bfloat16, of whole numbers that it holds exactly, as it does up to 256."""
    length, heads = rng.randint(290, 310), 2
    table = {TABLES[name]: torch.arange(7.0)[:, None].expand(7, 20 // heads)}
    first = torch.zeros(1, heads, length, length if name == "context" else 20 // heads)
    draw = Generator().manual_seed(rng.randrange(2**31))
    ones = torch.randint(first.shape[-1], first.shape[:3], generator=draw)
    if name == "context":  # each query looks at one key, not far away
        ones = (torch.arange(length) + ones % 5 - 2).clamp(0, length - 1)
    first = first.scatter(-1, ones[..., None], 1.0).bfloat16()

    def ask(answer: Answer) -> Any:
        module = built(answer, table, num_heads=heads, max_len=512).bfloat16()
        return told(module, table, lambda: ask_hook(module, name, first))

    return Case(f"{name} in bfloat16 with B=1, H={heads}, T={length}", ask)


def _backwards_case(
    name: str, first: Tensor, table: dict[str, Tensor], offsets: Tensor | None
) -> Case:
    batch, heads, length = first.shape[:3]

    def ask(answer: Answer) -> dict[str, Any]:
        module = built(answer, table, num_heads=heads).double()
        module.train(offsets is None)
        return told(module, table, lambda: back(module))

    def back(module: Any) -> dict[str, Any]:
        given = first.double().requires_grad_()
        arguments = (given, first.double()) if name == "bias" else (given,)
        found = _between_others(getattr(module, name), arguments, offsets)
        if type(found) is not Tensor:
            return {"the result": found}
        if found.requires_grad:
            weights = torch.arange(1, found.numel() + 1, dtype=torch.float64).cos()
            (found * weights.reshape(found.shape)).sum().backward()
        before = "q" if name == "bias" else "weights"
        return {
            "the result": found,
            "its dtype": _word(found),
            "its dtype in float32 and bfloat16": [
                _word(ask_hook(module.to(dtype), name, first.to(dtype), offsets))
                for dtype in (torch.float32, torch.bfloat16)
            ],
            f"the gradient of {before}": _gradient(given),
            f"the gradient of {TABLES[name]}": _gradient(getattr(module, TABLES[name])),
        }

    words = "" if offsets is None else " and offsets of shape (B, T, T), after eval()"
    return Case(f"{name} in float64 with B={batch}, H={heads}, T={length}{words}", ask)


def _between_others(hook: Any, arguments: tuple[Tensor, ...], offsets: Tensor | None) -> Any:
    """Calls as in a model: before, other numbers in the same `offsets`; after, another layer's."""
    others = [each.detach().flip(0) for each in arguments]
    same = copy.deepcopy(offsets)
    if same is not None:
        hook(*others, by(others[0], same.neg_()))
        same.neg_()
    found = hook(*arguments, by(arguments[0], same))
    hook(*others, by(others[0], same))
    return found


def _word(found: Any) -> str:
    return str(getattr(found, "dtype", "none")).removeprefix("torch.")


def _gradient(leaf: Tensor) -> Tensor:
    """What has come back to it; nothing at all is 0."""
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.double()


module = Exercise(
    "module",
    encodings.Shaw,
    (
        Part("bias: q_i · w^K by offset", 0.5, lambda rng: _hook(rng, "bias")),
        Part("context: Σ α_ij w^V by offset", 0.5, lambda rng: _hook(rng, "context")),
        Part("offsets that are given", 0.5, _given),
        Part("two tables to be trained", 0.5, _learned),
        Part("how the tables begin", 0.5, beginnings.cases),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    forbidden=(*common.MODULES, *common.TERMS),
    explains=(
        "which answers the book's question",
        "Both hooks need the rows",
        "`rows` is not checked by itself",
        "Rows of the tables for every pair",
    ),
    module=__name__,
)
