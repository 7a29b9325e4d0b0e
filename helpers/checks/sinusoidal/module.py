"""Unit 02, “The module”: what it asks; the files beside it hold what people write instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import (
    Answer,
    ArgumentChangedError,
    Case,
    Exercise,
    Part,
    differentiated,
    refusal,
)
from helpers.checks.positions import at
from helpers.checks.sinusoidal import common
from helpers.encodings import absolute

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def _generator(rng: Random) -> Generator:
    return Generator().manual_seed(rng.randrange(2**31))


def _tokens(rng: Random, batch: int, length: int, width: int) -> Tensor:
    return torch.randn(batch, length, width, generator=_generator(rng))


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    return _tokens(rng, rng.randint(2, 5), rng.randint(6, 12), 2 * rng.randint(7, 10))


def _positions(rng: Random, max_len: int, *shape: int) -> Tensor:
    """Positions in any order, some of them twice; the first and the last row are among them."""
    drawn = torch.randint(max_len, shape, generator=_generator(rng)).flatten()
    first = rng.randrange(len(drawn))
    drawn[first] = 0
    drawn[first - rng.randrange(1, len(drawn))] = max_len - 1
    return drawn.view(shape)


def _embedded(module: Any, x: Tensor, *positions: Tensor) -> Any:
    """What `embed` returns.

    Raises:
        ArgumentChangedError: it wrote into x or the positions, or x asks for gradients now.
    """
    given = [x.clone(), *(each.clone() for each in positions)]
    result = module.embed(given[0], at(*given))
    if given[0].requires_grad or not all(map(torch.equal, given, (x, *positions))):
        raise ArgumentChangedError
    return result


def _embeds(x: Tensor, max_len: int, *positions: Tensor, heads: int = 1) -> Case:
    words = f"embed(x) with x of shape {tuple(x.shape)}, max_len={max_len}"
    sizes = {"max_len": max_len} | ({"num_heads": heads} if heads > 1 else {})
    words += f", num_heads={heads}" if heads > 1 else ""
    for each in positions:
        words = words.replace("(x)", "(x, positions)") + f", positions of shape {tuple(each.shape)}"
    return Case(words, lambda answer: _embedded(answer(x.shape[2], **sizes), x, *positions))


def _rows_added(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    batch, length, width = x.shape
    yield _embeds(x, 40)
    hollow = x.clone()
    hollow[0, 1] = 0  # as padding may be
    yield _embeds(hollow, 40)
    yield _embeds(_tokens(rng, batch, length, 4 * rng.randint(4, 5)), 40, heads=4)
    yield _embeds(_tokens(rng, length, length, width), length + 1)  # B = T
    yield _embeds(_tokens(rng, batch, width, width), 40)  # T = D
    yield _embeds(_tokens(rng, 4, 4, 4), 4)  # and all the same
    yield _embeds(_tokens(rng, 1, length, 6), length)  # B = 1, T = max_len
    yield _embeds(_tokens(rng, batch, 1, width), 1)
    yield _embeds(_tokens(rng, batch, 1, width), 20)
    yield from (_embeds(_tokens(rng, batch, length, n), 20) for n in (2, 2 * rng.randint(33, 40)))
    yield _embeds(_tokens(rng, 30, length, 4), 20)  # B is beyond max_len
    yield _embeds(_tokens(rng, length, batch, width).transpose(0, 1), 20)  # has no flat view
    yield _embeds(_tokens(rng, batch, 520 + length, 6), 600)
    texts = [_tokens(rng, batch, length + more, width) for more in (0, 3, -2)]

    positions = _positions(rng, 50, batch, length)

    def ask(answer: Answer) -> dict[str, Any]:
        module, other = answer(width, max_len=50), answer(width, max_len=25).eval()
        with contextlib.suppress(Exception):  # what comes of it is asked for by another part
            module.embed(x.clone(), at(x, positions.clone()))
        return {f"T={text.shape[1]}": _embedded(module, text) for text in texts} | {
            "another module in eval(), with max_len=25": _embedded(other, texts[0])
        }

    yield Case("embed(x) of the same module for several T", ask)


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    batch, length, width = x.shape
    square = _tokens(rng, length, length, width)  # B = T
    yield _embeds(x, 40, _positions(rng, 40, batch, length))
    yield _embeds(x, 40, _positions(rng, 40, length))
    yield _embeds(_tokens(rng, batch, length, 8), 600, _positions(rng, 600, length), heads=4)
    yield _embeds(square, 30, _positions(rng, 30, length))
    yield _embeds(square, 30, _positions(rng, 30, length, length))
    alike = _tokens(rng, batch, width, width)  # T = D
    yield _embeds(alike, 40, _positions(rng, 40, width))
    yield _embeds(alike, 40, _positions(rng, 40, batch, width))
    yield _embeds(x[:1], length, _positions(rng, length, 1, length))  # B = 1, T = max_len
    yield _embeds(x[:1], 20, _positions(rng, 20, length))
    row = torch.tensor([rng.randint(1, 29)])
    yield _embeds(x[:, :1], 30, row)
    yield _embeds(x[:, :1], 30, _positions(rng, 30, batch, 1))
    yield _embeds(_tokens(rng, batch, length, 6), 30, _positions(rng, 30, batch, length))
    crossed = _tokens(rng, length, batch, width).transpose(0, 1)  # has no flat view
    yield _embeds(crossed, 30, _positions(rng, 30, length, batch).T)
    # Every token at position 0, which is not the same as no positions.
    yield _embeds(x, 40, torch.zeros(length, dtype=torch.long))
    yield _embeds(x, 40, torch.zeros(batch, length, dtype=torch.long))
    # They begin and end as if nothing were left out; in order, they begin late or end early.
    yield _embeds(x, 40, torch.tensor([7, *rng.sample(range(30), length - 2), 7 + length - 1]))
    yield _embeds(x, 40, torch.arange(length) + rng.randint(1, 20))
    yield _embeds(x, 40, torch.arange(length) // 2)
    chosen = _positions(rng, 40, batch, length), _positions(rng, 40, batch, length)

    def ask(answer: Answer) -> dict[str, Any]:
        module = answer(width, max_len=40)
        module.embed(x.clone(), at(x))
        found = [_embedded(module, x, given) for given in chosen]
        return dict(zip(("some positions", "other positions"), found, strict=True))

    yield Case("embed(x, positions) of the same module, twice", ask)


def _kept(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    max_len = rng.randint(30, 50)
    positions = _positions(rng, max_len, *x.shape[:2])

    def ask(answer: Answer) -> dict[str, Any]:
        answer(x.shape[2], num_heads=2, max_len=max_len + 10)  # another one, with a longer table
        module = answer(x.shape[2], num_heads=2, max_len=max_len)
        sizes = [getattr(module, name, None) for name in ("d_model", "num_heads", "max_len")]
        trained = [t.numel() for t in (*module.parameters(), *module.buffers()) if t.requires_grad]
        seen = {
            "it is an Encoding": isinstance(module, encodings.Encoding),
            "its d_model, num_heads and max_len": sizes,
            "rows in its buffers": sum(b.numel() for b in _floating(module)) // x.shape[2],
            "numbers that would be trained": sum(trained),
            "numbers in its parameters": sum(p.numel() for p in module.parameters()),
        }
        made = [buffer.clone() for buffer in _floating(module)]
        with common.ToTheCpu() as watched:
            _embedded(module, x), _embedded(module, x, positions)
        seen["it moves something to the CPU, wherever the model is"] = watched.fetched
        seen["embed leaves its buffers as __init__ made them"] = len(made) == len(
            _floating(module)
        ) and all(map(torch.equal, made, _floating(module)))
        module.to(torch.bfloat16)
        dtypes = {str(buffer.dtype) for buffer in _floating(module)}
        module.to(torch.float64)
        for buffer in _floating(module):
            buffer.zero_()
        return seen | {
            "dtypes of its buffers after .to(torch.bfloat16)": sorted(dtypes),
            "embed(x) once its buffers are filled with zeros": module.embed(x, at(x)),
            "embed(x, positions) once its buffers are filled with zeros": module.embed(
                x, at(x, positions)
            ),
        }

    yield Case(f"the module with max_len={max_len}", ask)


def _floating(module: nn.Module) -> list[Tensor]:
    return [buffer for buffer in module.buffers() if buffer.is_floating_point()]


def _backwards(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    positions = _positions(rng, 40, x.shape[1])

    def embed(answer: Answer, training: bool = True) -> Answer:
        module = answer(x.shape[2], max_len=40).train(training)
        return lambda x, *positions: module.embed(x, at(x, *positions))

    for case in (
        differentiated(of=embed, x=x),
        differentiated(of=embed, x=x, positions=positions),
        differentiated(" after eval()", of=partial(embed, training=False), x=x),
    ):
        yield Case(f"embed{case.label}", case.ask)
    for kept in (torch.float32, torch.bfloat16, torch.float64):
        yield Case(f"embed(x) of a module in {_word(kept)}", partial(_in_dtypes, x, (), kept))
        yield Case(
            f"embed(x, positions) of a module in {_word(kept)}",
            partial(_in_dtypes, x, (positions,), kept),
        )


def _in_dtypes(
    x: Tensor, positions: tuple[Tensor, ...], kept: torch.dtype, answer: Answer
) -> dict[str, Any]:
    """For x of each dtype: that of the result, what is added to x, and the gradient of x."""
    module = answer(x.shape[2], max_len=40).to(kept)
    rows = encodings.sinusoidal_table(40, x.shape[2])
    rows = rows[positions[0]] if positions else rows[: x.shape[1]]
    given = {f"for x in {_word(dtype)}": _large(x, dtype).requires_grad_() for dtype in DTYPES}
    found = {name: module.embed(leaf, at(leaf, *positions)) for name, leaf in given.items()}
    return (
        {name: str(getattr(y, "dtype", type(y))) for name, y in found.items()}
        | {
            f"the result minus x, {name}": _added(y, given[name].detach().double(), rows, kept)
            for name, y in found.items()
        }
        | {f"the gradient of x {name}": _gradient(y, given[name]) for name, y in found.items()}
    )


def _large(x: Tensor, dtype: torch.dtype) -> Tensor:
    """In large numbers it shows whether x is rounded, in the others whether the rows are."""
    large = x.clone()
    large[:, :, ::2] *= 10_000 if dtype == torch.float16 else 100_000  # the others hold more
    return large.to(dtype)


def _gradient(result: Any, leaf: Tensor) -> Tensor:
    """What reaches `leaf` from the sum of the result; zeros where nothing does."""
    if isinstance(result, Tensor) and result.requires_grad:
        result.sum().backward()
    return torch.zeros_like(leaf) if leaf.grad is None else leaf.grad


def _added(found: Any, x: Tensor, rows: Tensor, kept: torch.dtype) -> Any:
    """`found` less x; `rows` where that is as near as the dtypes of `found` and of `kept` allow."""
    if type(found) is not Tensor or found.shape != x.shape or not found.is_floating_point():
        return found
    # The angles of a table that was computed in float32 are off by some 1e-6.
    allowed = 2e-5 + torch.finfo(kept).eps + torch.finfo(found.dtype).eps * (1 + (x + rows).abs())
    added = found.detach().double() - x
    return torch.where((added - rows).abs() <= allowed, rows, added)


def _word(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _too_long(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    length = x.shape[1]
    yield _refusal(x, length - 1)
    yield _refusal(x, length - rng.randint(2, 4))
    yield _refusal(x[:1], length - 1)
    yield _refusal(_tokens(rng, 7, rng.randint(40, 60), 20), rng.randint(25, 38))
    yield _refusal(_tokens(rng, 2, rng.randint(40, 60), 20), rng.randint(5, 9))
    yield _refusal(x[:, :2], 1)
    yield _refusal(x, length)
    yield Case("T=512 and no max_len", lambda answer: _refused(answer(4), torch.ones(1, 512, 4)))
    yield Case("T=513 and no max_len", lambda answer: _refused(answer(4), torch.ones(2, 513, 4)))


def _refusal(x: Tensor, max_len: int) -> Case:
    label = f"T={x.shape[1]} with max_len={max_len}"
    return Case(label, lambda answer: _refused(answer(x.shape[2], max_len=max_len), x))


def _refused(module: Any, x: Tensor) -> dict[str, Any]:
    sizes = {"T": x.shape[1], "max_len": module.max_len}
    in_training = refusal(partial(module.train().embed, x.clone(), at(x)), **sizes)
    after = refusal(partial(module.eval().embed, x.clone(), at(x)), **sizes)
    return in_training | {f"after eval(), {words}": found for words, found in after.items()}


module = Exercise(
    "module",
    encodings.Sinusoidal,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("is an Encoding with the table as its buffer", 0.25, _kept),
        Part("says when a sequence is too long", 0.5, _too_long),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=(absolute.Table, encodings.Additive),
    module=__name__,
)
