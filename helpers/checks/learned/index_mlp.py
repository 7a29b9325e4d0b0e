"""Unit 03, “MLP of the index”: what it asks, and what people write instead.

Mistakes about the norm, and one about the index, are in index_norm.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, unchanged
from helpers.checks.engine.faults import IN_PLACE
from helpers.checks.learned import common
from helpers.checks.positions import at
from helpers.encodings.absolute import Additive

WIDTH = 24
TRAINED = (
    *("mlp.0.weight", "mlp.0.bias", "mlp.2.weight", "mlp.2.bias"),
    *("norm.weight", "norm.bias"),
)


def _mlp_with(answer: Answer, seed: int, *parts: str, max_len: int = 0) -> Any:
    module = common.made(answer, d_model=WIDTH, max_len=max_len or _max_len(seed))
    return common.with_fixed_weights(module, seed, *parts)


def _max_len(seed: int) -> int:
    return 40 + seed % 20


def _vectors(module: Any, positions: Tensor) -> Any:
    """What vectors returns, if it leaves its argument as it is."""
    given = positions.clone()
    result = module.vectors(given)
    unchanged((given,), (positions,))
    return result


def _but_for_size(found: Any) -> Any:
    """Normalised once more, which changes nothing where it has been done."""
    right = isinstance(found, Tensor) and found.shape[-1:] == (WIDTH,)
    return F.layer_norm(found.float(), (WIDTH,), eps=1e-12) if right else found


def _index_case(
    words: str, seed: int, first: Tensor, second: Tensor, max_len: int = 0, steep: float = 1
) -> Case:
    """The module is asked twice, since positions may differ where their shape does not.

    Args:
        steep: above 1, the first layer bends around the first of the positions: elsewhere the
            MLP grows in proportion to p, and the norm takes just that away.
    """
    rows = max_len or _max_len(seed)

    def ask(answer: Answer) -> dict[str, Any]:
        module = _mlp_with(answer, seed, "mlp", max_len=rows)
        if steep > 1:
            layer = module.mlp[0]
            layer.weight.data.mul_(steep)
            layer.bias.data.sub_(layer.weight.data[:, 0] * (first[0] / rows))
        return {
            "the vectors, apart from their size": _but_for_size(_vectors(module, first)),
            "those of other positions": _but_for_size(_vectors(module.eval(), second)),
        }

    return Case(f"vectors of {words}, max_len={rows}", ask)


def _of_the_index(rng: Random) -> Iterator[Case]:
    seed, length = rng.randrange(1000), rng.randint(10, 30)
    forwards = torch.arange(length)
    yield _index_case(f"the positions 0 … {length - 1}, then backwards", seed, forwards,
                      forwards.flip(0))  # fmt: skip
    mixed = 1 + common.random_positions(rng, _max_len(seed) - 1, length)
    beyond = common.random_positions(rng, 2000, length) + _max_len(seed)
    yield _index_case("positions in no order, then beyond max_len", seed, mixed, beyond)
    far = 32_768 + common.random_positions(rng, 30_000, rng.randint(65, 80))
    yield _index_case("positions beyond 32,767, then others", seed, far, far.flip(0))
    large = rng.randint(1_500, 2_500)
    words = "positions in no order, then beyond 70,000"  # where half precision ends
    yield _index_case(words, seed, mixed, 40_000 + far, large)
    odd = 2049 + 2 * common.random_positions(rng, 60, length)  # which half precision has not
    words = "odd positions beyond 2,048, of a steep MLP, then backwards"
    yield _index_case(words, seed, odd, odd.flip(0), 2_200, steep=30)
    yield _index_case("a single position, then another", seed, mixed[:1], beyond[:1])
    short = rng.randint(3, 20)
    words = "positions in order, then backwards, where max_len is small"
    yield _index_case(words, seed, torch.arange(short), torch.arange(short).flip(0), short)
    x = common.normal_numbers(rng, 3, length, WIDTH)
    yield Case("embed(x)", partial(_embedded, x=x, seed=seed))


def _embedded(answer: Answer, x: Tensor, seed: int) -> dict[str, Any]:
    """What embed adds beside the vectors, which is nothing."""
    module = _mlp_with(answer, seed, "mlp")
    added = {}
    for words, training in (("in training", True), ("after eval()", False)):
        x_and_vectors = x + module.train(training).vectors(torch.arange(x.shape[1]))
        found = module.embed(x.clone(), at(x)) - x_and_vectors
        added[f"embed(x) minus x and the vectors, {words}"] = found
    return added


def _of_any_shape(rng: Random) -> Iterator[Case]:
    seed, more, less = rng.randrange(1000), rng.randint(6, 9), rng.randint(2, 4)
    for shape in ((less, more), (more, less), (more, more), (1, more), (less, 1), (18, more)):
        positions = common.random_positions(rng, _max_len(seed), *shape)
        words = f"positions of shape {tuple(shape)}, then of some beyond max_len"
        beyond = common.random_positions(rng, 2000, *shape) + _max_len(seed)
        yield _index_case(words, seed, positions, beyond)


def _normed(rng: Random) -> Iterator[Case]:
    """What the norm does to a constant MLP, and each vector's size: so the index plays no part."""
    seed, length = rng.randrange(1000), rng.randint(10, 30)

    beyond = common.random_positions(rng, 2000, 18, 4) + _max_len(seed)
    for words, positions, training in (
        (f"0 … {length - 1}", torch.arange(length), True),
        ("of shape (3, 5)", common.random_positions(rng, 40, 3, 5), True),
        ("of shape (18, 4), beyond max_len and after eval()", beyond, False),
    ):
        label = f"vectors of a module with given weights, positions {words}"
        ask = partial(_of_a_constant, seed=seed, positions=positions, training=training)
        yield Case(label, ask)


def _of_a_constant(
    answer: Answer, seed: int, positions: Tensor, training: bool = True
) -> dict[str, Any]:
    module = _mlp_with(answer, seed, "mlp", "norm").train(training)
    module.mlp[0].weight.data.zero_()
    module.mlp[-1].bias.data.mul_(2)
    constant = _vectors(module, positions)
    for weight in module.mlp[-1].parameters():
        weight.data.mul_(0.003)  # so that the norm's own epsilon shows
    small = _vectors(module, positions)
    module = _mlp_with(answer, seed, "mlp").train(training)
    for weight in module.mlp[-1].parameters():
        weight.data.mul_(20)  # the norm's epsilon is nothing beside it
    found = _vectors(module, positions)
    return {
        "the vectors, where the MLP is constant and the norm has given weights": constant,
        "the vectors, where what the MLP returns is constant and small": small,
        "the mean square of each vector of a new norm": found.square().mean(-1),
    }


def _backwards(rng: Random) -> Iterator[Case]:
    positions = common.random_positions(rng, 40, 2, rng.randint(5, 9))
    seed = rng.randrange(1000)

    def ask(answer: Answer, training: bool, positions: Tensor = positions) -> dict[str, Any]:
        positions = positions.clone()  # an answer may write into them
        module = _mlp_with(answer, seed, "mlp", "norm").train(training)
        seen: dict[str, Any] = {
            "all that is trained": sorted(
                name for name, each in module.named_parameters() if each.requires_grad
            ),
            "the dtype of its vectors": str(module.vectors(positions).dtype),
        }
        module.double()
        there = dict(module.named_parameters())
        leaves = {name: there.get(name) for name in TRAINED}
        found = module.vectors(positions)
        seen["their dtype after module.double()"] = str(found.dtype)
        seen[common.DIGITS] = common.beyond_float32(found)
        return seen | common.gradients(lambda: module.vectors(positions), leaves)

    yield Case("the module", partial(ask, training=True))
    yield Case("the module after eval()", partial(ask, training=False))
    words = "the module, with positions of shape (T,)"
    yield Case(words, partial(ask, training=True, positions=positions[0]))


index_mlp = Exercise(
    "index_mlp",
    encodings.IndexMLP,
    (
        Part("the MLP of p / max_len", 0.5, _of_the_index),
        Part("the LayerNorm behind it", 0.5, _normed),
        Part("positions (B, T) as well", 0.5, _of_any_shape),
        Part("dtype and gradients", 0.5, _backwards),
    ),
    explains=("`Additive` is the part of your `embed`", "float32 is exact enough"),
    generic={
        "`positions` stays as it is": IN_PLACE,
    },
)


class RightMLP(Additive):
    """The right module, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)

    def index(self, positions):
        return positions[..., None] / self.max_len

    def computed(self, positions):
        return self.mlp(self.index(positions).to(self.norm.weight.dtype))

    def vectors(self, positions):
        return self.norm(self.computed(positions))


@index_mlp.mistake(
    "The MLP is given p itself, numbers up to max_len. Divide first, so that they lie between "
    "0 and 1.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
    breaks="x_p + LN(MLP(p / max_len))",
)
class index_raw(RightMLP):
    def index(self, positions):
        return positions[..., None]


@index_mlp.mistake(
    "You divide by T, the length of this text. Then position 5 has different vectors in texts "
    "of different lengths; divide by max_len.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_divided_by_this_text(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.shape[-1]


@index_mlp.mistake(
    "You divide by the largest position in this call, so the vector of a position depends on "
    "the others. Divide by max_len.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_divided_by_the_largest_here(RightMLP):
    def index(self, positions):
        return positions[..., None] / positions.max()


@index_mlp.mistake(
    "You divide by max_len − 1. That would work as well, but the formula here has max_len.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_divided_by_the_last(RightMLP):
    def index(self, positions):
        return positions[..., None] / (self.max_len - 1)


@index_mlp.mistake(
    "You divide by D. The width of a vector says nothing about how large a position can be.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_divided_by_the_width(RightMLP):
    def index(self, positions):
        return positions[..., None] / self.d_model


@index_mlp.mistake(
    "Your first position is 1. Positions are counted from 0.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_from_one(RightMLP):
    def index(self, positions):
        return (positions[..., None] + 1) / self.max_len


@index_mlp.mistake(
    "// divides integers and rounds down: nothing but 0 reaches the MLP.",
    loses=("the MLP of p / max_len", "positions (B, T) as well", "dtype and gradients"),
)
class index_rounded_away(RightMLP):
    def index(self, positions):
        return positions[..., None] // self.max_len


@index_mlp.mistake(
    "You count 0, 1, 2, … whatever positions holds. Use the positions that are given.",
    loses=("the MLP of p / max_len", "the LayerNorm behind it", "positions (B, T) as well"),
)
class index_counted_anew(RightMLP):
    def index(self, positions):
        return torch.arange(positions.shape[-1])[:, None] / self.max_len


@index_mlp.mistake(
    "The axis of length 1 that the MLP reads has to be the last. With [:, None] it is the "
    "second, which is the same for (T,) only.",
    loses=("the LayerNorm behind it", "positions (B, T) as well", "dtype and gradients"),
    breaks=("positions of shape $(T,)$ or $(B, T)$", "(T,) → (T, D), or (B, T) → (B, T, D)"),
)
class index_as_a_column_of_the_batch(RightMLP):
    def index(self, positions):
        return positions[:, None] / self.max_len
