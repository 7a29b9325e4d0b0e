"""Unit 02, sinusoidal encoding: what its six exercises ask and look at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers import encodings
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mistakes import sinusoidal as mistakes


def _base(rng: Random) -> float:
    """Well away from the paper's, and too many to work out beforehand."""
    return float(rng.choice([rng.randint(50, 900), rng.randint(20_000, 90_000)]))


def _even(rng: Random) -> int:
    return 2 * rng.randint(3, 12)


def _length(rng: Random) -> int:
    return rng.randint(20, 60)


def _wavelengths(rng: Random) -> Iterator[Case]:
    yield call(_even(rng))
    yield call(_even(rng), base=_base(rng))


wavelengths = Exercise(
    "wavelengths",
    encodings.wavelengths,
    (Part("the wavelength of each pair", 1, _wavelengths),),
    mistakes.WAVELENGTHS,
)


def _default_base(rng: Random) -> Iterator[Case]:
    yield call(_length(rng), _even(rng))
    yield call(_length(rng), _even(rng) + 24)


def _other_base(rng: Random) -> Iterator[Case]:
    length, width = _length(rng), _even(rng)
    yield call(length, width)
    yield call(length, width, base=_base(rng))


table = Exercise(
    "table",
    encodings.sinusoidal_table,
    (
        Part("the paper's base", 2, _default_base),
        Part("any other base", 1, _other_base),
    ),
    mistakes.TABLE,
    forbidden=(encodings.Sinusoidal,),
)


def _odd(rng: Random) -> Iterator[Case]:
    yield call(_length(rng), _even(rng) + 1)
    yield call(_length(rng), _even(rng) + 1, base=_base(rng))


def _still_even(rng: Random) -> Iterator[Case]:
    yield call(_length(rng), _even(rng), base=_base(rng))


def _single(rng: Random) -> Iterator[Case]:
    yield call(_length(rng), 1)


any_width = Exercise(
    "any_width",
    encodings.sinusoidal_table,
    (
        Part("odd widths", 1, _odd),
        Part("even widths as before", 0.5, _still_even),
        Part("a single column", 0.5, _single),
    ),
    mistakes.ANY_WIDTH,
    forbidden=(encodings.Sinusoidal,),
)


def _shifted(k: int, width: int, **base: float) -> Case:
    """Move every row of a table by k with the answer's matrix: the result is what counts."""

    def ask(answer: Answer) -> Any:
        found = answer(k, width, **base)
        matrix = compare.as_tensor(found)
        if matrix is None or matrix.shape != (width, width):
            return found
        return encodings.sinusoidal_table(40, width, **base) @ matrix.T

    options = "".join(f", base={value:g}" for value in base.values())
    return Case(f"rows of a table times shift_matrix({k}, {width}{options})", ask)


def _forwards(rng: Random) -> Iterator[Case]:
    yield _shifted(1, _even(rng))
    yield _shifted(rng.randint(2, 30), _even(rng))


def _backwards(rng: Random) -> Iterator[Case]:
    yield _shifted(-rng.randint(1, 30), _even(rng))


def _shift_base(rng: Random) -> Iterator[Case]:
    yield _shifted(rng.randint(1, 30), _even(rng), base=_base(rng))


shift = Exercise(
    "shift",
    encodings.shift_matrix,
    (
        Part("forwards", 1, _forwards),
        Part("backwards", 0.5, _backwards),
        Part("any other base", 0.5, _shift_base),
    ),
    mistakes.SHIFT,
)


def _of_sinusoids(rng: Random) -> Iterator[Case]:
    rows = encodings.sinusoidal_table(_length(rng), _even(rng))
    yield Case("a sinusoidal table", lambda answer: answer(rows.clone()))


def _of_any(rng: Random) -> Iterator[Case]:
    draw = Generator().manual_seed(rng.randrange(2**31))
    rows = torch.randn(_length(rng), _even(rng), generator=draw, dtype=torch.float64) + 0.7
    rows[1::2] *= -1  # so that neighbours are unlike
    yield Case("a table of random numbers", lambda answer: answer(rows.clone()))
    uneven = torch.tensor([[3.0, 0], [rng.random() / 9, 0], [3, 0]], dtype=torch.float64)
    yield Case("a table whose rows 0 and 2 are long", lambda answer: answer(uneven.clone()))


similarity = Exercise(
    "similarity",
    encodings.offset_profile,
    (
        Part("a sinusoidal table", 1, _of_sinusoids),
        Part("any other table", 1, _of_any),
    ),
    mistakes.SIMILARITY,
)


def _input(rng: Random) -> Tensor:
    """(B, T, D) with B, T and D all different."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    return torch.randn(
        rng.randint(2, 5), rng.randint(6, 12), 2 * rng.randint(7, 10), generator=draw
    )


def _rows_added(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    yield Case(
        f"embed(x) with x of shape {tuple(x.shape)}",
        lambda answer: answer(d_model=x.shape[2], max_len=40).embed(x.clone()),
    )


def _rows_chosen(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    draw = Generator().manual_seed(rng.randrange(2**31))
    positions = torch.randint(40, x.shape[:2], generator=draw)

    def ask(answer: Answer, chosen: Tensor) -> Any:
        return answer(d_model=x.shape[2], max_len=40).embed(x.clone(), chosen)

    for label, chosen in (("of its own", positions), ("like the others", positions[0])):
        words = f"embed(x, positions), each sequence with positions {label}, {tuple(chosen.shape)}"
        yield Case(words, partial(ask, chosen=chosen))


def _cached(rng: Random) -> Iterator[Case]:
    x = _input(rng)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=x.shape[2], num_heads=2, max_len=40)
        given = x.clone()
        results = [module.embed(given), module.embed(given, torch.arange(x.shape[1]))]
        table = [t for t in vars(module).values() if isinstance(t, Tensor)]
        moving = [*module.buffers(), *module.parameters()]
        seen = {
            "it is an Encoding that knows its heads": isinstance(module, encodings.Encoding)
            and getattr(module, "num_heads", 0) == 2,
            "the precision stays that of x": all(y.dtype == x.dtype for y in results),
            "the input stays as it was": torch.equal(given, x),
            "there is nothing to train": not any(p.requires_grad for p in module.parameters()),
            "the table is kept": bool(table or moving),
            "the table is a buffer": bool(list(module.buffers())),
        }
        module.to(torch.float64)
        moved = [*module.buffers(), *module.parameters()]
        seen["the table moves with the module"] = any(t.dtype == torch.float64 for t in moved)
        before = module.embed(x.double()).clone()
        for buffer in module.buffers():
            buffer.zero_()
        seen["the rows come from the buffer"] = not torch.equal(module.embed(x.double()), before)
        return seen

    yield Case("the module", ask)


def _too_long(rng: Random) -> Iterator[Case]:
    x = _input(rng)
    length = x.shape[1]

    def ask(answer: Answer, max_len: int) -> str:
        module = answer(d_model=x.shape[2], max_len=max_len)
        try:
            module.embed(x.clone())
        except NotImplementedError:
            raise
        except ValueError:
            return "ValueError"
        except Exception as error:
            return type(error).__name__
        return "no error"

    for max_len in (length - rng.randint(1, 3), length):
        label = f"T={length} with max_len={max_len}"
        yield Case(label, partial(ask, max_len=max_len))


module = Exercise(
    "module",
    encodings.Sinusoidal,
    (
        Part("adds row p at position p", 0.5, _rows_added),
        Part("adds the rows it is told to", 0.5, _rows_chosen),
        Part("keeps the table as a buffer", 0.5, _cached),
        Part("says when a sequence is too long", 0.5, _too_long),
    ),
    mistakes.MODULE,
)
