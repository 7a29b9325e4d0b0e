"""Unit 03, “MLP of the index”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers import encodings
from helpers.checks import draws
from helpers.checks.engine import DTYPE, IN_PLACE, NO_GRADIENT, Answer, Case, Exercise, Part, call
from helpers.checks.learned import common

WIDTH = 24


def _with_weights(answer: Answer, seed: int, *parts: str, max_len: int = 0) -> Any:
    module = common.made(answer, d_model=WIDTH, max_len=max_len or _max_len(seed))
    return draws.with_fixed_weights(module, *parts, seed=seed)


def _max_len(seed: int) -> int:
    return 40 + seed % 20


def _but_for_size(found: Any) -> Any:
    """Return it normalised once more, which changes nothing where it has been done."""
    right = isinstance(found, Tensor) and found.shape[-1:] == (WIDTH,)
    return F.layer_norm(found.float(), (WIDTH,), eps=1e-12) if right else found


def _index_case(words: str, seed: int, first: Tensor, second: Tensor, max_len: int = 0) -> Case:
    """The module is asked twice, since positions may differ where their shape does not."""

    def ask(answer: Answer) -> dict[str, Any]:
        module = _with_weights(answer, seed, "mlp", max_len=max_len)
        found = call(first).ask(module.vectors)
        others = call(second).ask(module.eval().vectors)  # may not change what was found
        return {
            "the vectors, apart from their size": _but_for_size(found),
            "those of other positions": _but_for_size(others),
        }

    return Case(f"vectors of {words}, max_len={max_len or _max_len(seed)}", ask)


def _of_the_index(rng: Random) -> Iterator[Case]:
    seed, length = rng.randrange(1000), rng.randint(10, 30)
    forwards = torch.arange(length)
    words = f"the positions 0 … {length - 1}, then backwards"
    yield _index_case(words, seed, forwards, forwards.flip(0))
    mixed = 1 + draws.integers(rng, _max_len(seed) - 1, length)
    beyond = draws.integers(rng, 2000, length) + _max_len(seed)
    yield _index_case("positions in no order, then beyond max_len", seed, mixed, beyond)
    far = 32_768 + draws.integers(rng, 30_000, rng.randint(65, 80))
    yield _index_case("positions beyond 32,767, then others", seed, far, far.flip(0))
    yield _index_case("a single position, then another", seed, mixed[:1], beyond[:1])
    short = rng.randint(3, 20)
    words = "positions in order, then backwards, where max_len is small"
    yield _index_case(words, seed, torch.arange(short), torch.arange(short).flip(0), short)


def _of_any_shape(rng: Random) -> Iterator[Case]:
    seed, more, less = rng.randrange(1000), rng.randint(6, 9), rng.randint(2, 4)
    for shape in ((less, more), (more, less), (more, more), (1, more), (less, 1)):
        positions = draws.integers(rng, _max_len(seed), *shape)
        beyond = draws.integers(rng, 2000, *shape) + _max_len(seed)
        words = f"positions of shape {shape}, then of some beyond max_len"
        yield _index_case(words, seed, positions, beyond)


def _normed(rng: Random) -> Iterator[Case]:
    """What the norm does to a constant MLP, and each vector's size: so the index plays no part."""
    seed, length = rng.randrange(1000), rng.randint(10, 30)

    def ask(answer: Answer, positions: Tensor) -> dict[str, Any]:
        module = _with_weights(answer, seed, "mlp", "norm")
        module.mlp[0].weight.data.zero_()
        new = _with_weights(answer, seed, "mlp").eval()
        for weight in new.mlp[-1].parameters():
            weight.data.mul_(20)  # the norm's epsilon is nothing beside it
        return {
            "the vectors, where the MLP is constant": call(positions).ask(module.vectors),
            "the mean square of each vector of a new norm": (
                call(positions).ask(new.vectors).square().mean(-1)
            ),
        }

    for positions in (torch.arange(length), draws.integers(rng, 2000, 3, 5)):
        words = f"vectors for given weights and positions of shape {tuple(positions.shape)}"
        yield Case(words, partial(ask, positions=positions))


def _backwards(rng: Random) -> Iterator[Case]:
    positions, seed = draws.integers(rng, 40, 2, rng.randint(5, 9)), rng.randrange(1000)

    def ask(answer: Answer, positions: Tensor, training: bool) -> dict[str, Any]:
        module = _with_weights(answer, seed, "mlp", "norm").train(training)
        return common.differentiated(module, "vectors", positions)

    yield Case("vectors(positions)", partial(ask, positions=positions, training=True))
    words = "vectors(positions) of shape (T,), after eval()"
    yield Case(words, partial(ask, positions=positions[0], training=False))


index_mlp = Exercise(
    "index_mlp",
    encodings.IndexMLP,
    (
        Part("the MLP of p / max_len", 0.5, _of_the_index),
        Part("the LayerNorm behind it", 0.5, _normed),
        Part("positions (B, T) as well", 0.5, _of_any_shape),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    explains=("The class `Additive`", "float32 is exact enough"),
    generic={
        "gradients reach each of them": NO_GRADIENT,
        "have the dtype and the precision of the parameters": DTYPE,
        "`positions` stays as it is": IN_PLACE,
    },
    module=__name__,
)
