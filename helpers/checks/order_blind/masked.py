"""Unit 01, “Attention with a mask”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import Case, Exercise, Part, call, differentiated
from helpers.checks.order_blind import common

ROOT = 2.0  # of the width that `_square` gives queries and keys


def _square(rng: Random, batch: int = 2, heads: int = 3, length: int = 7) -> list[Tensor]:
    """q, k (B, H, T, d) and v (B, H, T, e); where not said, B, H, T, d and e are all different."""
    return [draws.normal(rng, batch, heads, length, width) for width in (4, 4, 5)]


def _padding(rng: Random, batch: int, length: int) -> Tensor:
    """Which keys are real, some but not all of them in each sequence where T > 1; (B, 1, 1, T)."""
    lengths = torch.tensor([rng.randint(1, max(1, length - 1)) for _ in range(batch)])
    return common.attention_mask(lengths, length)[:, :, :1]


def _causal(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    mask = torch.ones(7, 7).tril().bool()
    yield call(q, k, v, mask)
    yield call(q[0, 0], k[0, 0], v[0, 0], mask)


def _padded(rng: Random) -> Iterator[Case]:
    for batch, heads, length in ((2, 3, 7), (4, 4, 4), (1, 3, 4), (2, 3, 1)):
        yield call(*_square(rng, batch, heads, length), _padding(rng, batch, length))
    q, k, v = common.queries_keys_values(rng, 2, 3)
    yield call(q, k, v, _padding(rng, 2, k.shape[-2]))


def _others(rng: Random) -> Iterator[Case]:
    """Masks (B, 1, T, T), (T,), one for each head, and such for another number of keys."""
    q, k, v = _square(rng)
    mask = common.attention_mask(torch.tensor([rng.randint(2, 5), 6]), 7, causal=True)
    yield call(q, k, v, mask)
    yield call(q, k, v, mask[0, 0, -1])
    yield call(q, k, v, torch.stack([mask[0, 0], mask[1, 0], mask[1, 0].flip(0, 1)]))
    q, k, v = common.queries_keys_values(rng, 2, 3)
    for front in ((), (2, 3), (2, 1)):
        unlike = draws.normal(rng, *front, q.shape[-2], k.shape[-2]) > 0
        unlike[..., rng.randrange(k.shape[-2])] = True
        yield call(q, k, v, unlike)


def _none(rng: Random) -> Iterator[Case]:
    yield call(*_square(rng))
    yield call(*common.queries_keys_values(rng, 2), None)


def _large(rng: Random) -> Iterator[Case]:
    """The largest scores are those that the mask hides, and they are far from the others."""
    q, k, v = _square(rng)
    mask = _padding(rng, 2, 7)
    q[..., 0] = ROOT
    k[..., 0] = torch.where(mask[:, :, 0], -150.0, 150.0)
    yield call(q, k, v, mask).with_words(", scores near 150 where it hides, else −150")
    k = torch.where(torch.arange(4) == 0, 150.0, k)
    q = q * torch.where(torch.arange(7) == rng.randrange(7), -1.0, 1.0)[:, None]
    words = ", scores near −150 for one query, near 150 for the others"
    yield call(q, k, v, mask).with_words(words)


def _huge(rng: Random) -> Iterator[Case]:
    """What is hidden has scores of 999,999 and huge values; what is seen has −999,999."""
    # In float64, for float32 has but one decimal there.
    q, k, v = (torch.zeros_like(each).double() for each in _square(rng))
    mask = torch.arange(7) < rng.randint(2, 5)
    q[..., 0] = ROOT
    k[..., 0] = torch.where(mask, -999_999.0, 999_999.0)
    v += draws.normal(rng, *v.shape)
    v[..., ~mask, :] = 1e30  # however little weight it gets, it shows
    words = ", scores of 999,999 and values of 1e30 where it hides"
    yield call(q, k, v, mask).with_words(words)


def _backwards(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    mask = _padding(rng, 2, 7)
    yield differentiated(q=q, k=k, v=v, mask=mask)
    yield differentiated(", without a mask", q=q, k=k, v=v)
    ones, large = q.clone(), k.clone()
    ones[..., 0], large[..., 0] = ROOT, torch.where(mask[:, :, 0], 0.0, 1_000.0)
    yield differentiated(", scores near 1,000 where it hides", q=ones, k=large, v=v, mask=mask)


masked = Exercise(
    "masked",
    common.attend,
    (
        Part("a causal mask (T, T)", 0.5, _causal),
        Part("a padding mask (B, 1, 1, T)", 0.25, _padded),
        Part("any other mask", 0.25, _others),
        Part("no mask", 0.25, _none),
        Part("large scores", 0.25, _large),
        Part("no weight at all", 0.25, _huge),
        Part("dtype and gradients", 0.25, _backwards),
    ),
    forbidden=common.ATTENTION,
    explains=("Every query has at least one key that it may look at.",),
    module=__name__,
)
