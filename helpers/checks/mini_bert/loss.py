"""Unit 08, “Scored where chosen”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import NO_GRADIENT, Case, Exercise, Part, call, differentiated
from helpers.corpora import inputs
from helpers.training import masked_loss


def scored(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean surprise in nats over the positions whose target is not −100."""
    chosen = targets != -100
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    return (surprise * chosen).sum() / chosen.sum()


def _targets(rng: Random, sizes: tuple[int, ...], row: int | None = None) -> Tensor:
    """−100 but for some positions, more in some rows than in others, and none in `row`.

    The first and the last word are among the targets.
    """
    batch, length, vocab_size = sizes
    draw = draws.generator(rng)
    words = torch.randint(1, vocab_size - 1, (batch, length), generator=draw)
    order = torch.rand(batch, length, generator=draw).argsort(1)
    chosen = order < torch.arange(2, batch + 2)[:, None]
    words[order == 0], words[order == 1] = 0, vocab_size - 1
    if row is not None:
        chosen[row] = False
    return torch.where(chosen, words, -100)


def _logits(rng: Random, *shape: int) -> Tensor:
    return 2 * torch.randn(shape, generator=draws.generator(rng))


def _batch(rng: Random) -> tuple[Tensor, Tensor]:
    sizes = rng.randint(3, 5), rng.randint(7, 10), rng.randint(11, 16)
    return _logits(rng, *sizes), _targets(rng, sizes)


def _chosen_places(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)
    yield call(logits, targets)
    yield call(logits, _targets(rng, tuple(logits.shape), row=rng.randrange(3)))
    # With so many words −100 could be an index, counted from the end, and there is a word 100.
    many = 2, rng.randint(80, 90), rng.randint(105, 120)
    targets = torch.randint(many[2], many[:2], generator=draws.generator(rng))
    targets[:, :: rng.randint(5, 7)], targets[0, 1] = -100, 100
    yield call(_logits(rng, *many), targets)
    wide = 2, 3, rng.randint(2200, 2600)  # more words than a byte counts
    yield call(_logits(rng, *wide), _targets(rng, wide))
    few = 1, rng.randint(4, 6), rng.randint(7, 9)
    every = torch.randint(few[2], few[:2], generator=draws.generator(rng))
    yield call(_logits(rng, *few), every)
    yield call(_logits(rng, 1, 1, 3), torch.tensor([[rng.randrange(3)]]))


def _large_logits(rng: Random) -> Iterator[Case]:
    """In the hundreds, those of a position around a level of its own."""
    logits, targets = _batch(rng)
    levels = 400 * torch.randn(*targets.shape, 1, generator=draws.generator(rng))
    yield call(100 * logits + levels, targets)
    for level in (900, -900):
        yield call(logits + level, targets)
    b, t = (targets != -100).nonzero()[0].tolist()
    logits[b, t, targets[b, t]] = 300  # a word that is sure costs 0, and counts
    yield call(logits, targets)


def _differentiated(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)
    yield differentiated(logits=logits, targets=targets)


# Behind `F.cross_entropy` and `F.nll_loss`.
KERNELS = ("cross_entropy_loss", "nll_loss", "nll_loss_nd", "nll_loss2d")
OPERATORS = [getattr(torch.ops.aten, name) for name in (*KERNELS, "nll_loss_forward")]
loss = Exercise(
    "loss",
    scored,
    (
        Part("the mean over the chosen positions", 1, _chosen_places),
        Part("logits of any size", 0.5, _large_logits),
        Part("dtype and gradients", 0.5, _differentiated),
    ),
    forbidden=(
        *(F.cross_entropy, F.nll_loss, inputs.places_loss, masked_loss),
        *(getattr(torch._C._nn, name) for name in KERNELS),
        *(op for each in OPERATORS for op in (each._op, each.default._op)),
    ),
    explains=("`logits` is $(B, T, V)$", "`log_softmax` is allowed"),
    generic={"Gradients must reach `logits`": NO_GRADIENT},
    module=__name__,
)
