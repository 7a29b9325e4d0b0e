"""Unit 01, “Attention with a mask”: what it asks; what people write instead is in masked.py."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, call, differentiated, without_gradients
from helpers.checks.order_blind import common


def _square(rng: Random) -> tuple[Tensor, Tensor, Tensor]:
    """q, k (B, H, T, d) and v (B, H, T, e), with B, H, T, d and e all different."""
    return _sized(rng, 2, 3, rng.randint(6, 8))


def _sized(rng: Random, batch: int, heads: int, length: int) -> tuple[Tensor, Tensor, Tensor]:
    shapes = [(batch, heads, length, width) for width in (4, 4, 5)]
    q, k, v = (common.normal_numbers(rng, *shape) for shape in shapes)
    return q, k, v


def with_causal(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    length = q.shape[2]
    mask = common.attention_mask(torch.tensor([length]), length, causal=True)[0, 0]
    yield common.finite_too(call(q, k, v, mask))
    yield common.finite_too(call(q.flip(2), k, v, mask))  # the same shapes once more
    yield common.finite_too(call(q[0, 0], k[0, 0], v[0, 0], mask))
    silent = q.clone()
    silent[..., rng.randrange(length), :] = 0
    case = call(silent, k, v, mask)
    yield common.finite_too(case.labelled(f"{case.label}, a query whose scores are all 0"))
    nearly = torch.ones(length, length).bool()
    nearly[rng.randrange(length), rng.randrange(length)] = False
    yield common.finite_too(call(q, k, v, nearly))
    for batch, heads, size in ((4, 4, 4), (5, 2, 5), (2, 5, 5), (2, 3, 1)):
        q, k, v = _sized(rng, batch, heads, size)
        yield common.finite_too(call(q, k, v, mask[:size, :size]))


def with_padding(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    length = q.shape[2]
    lengths = torch.tensor([rng.randint(2, length - 2), length - 1])
    yield common.finite_too(call(q, k, v, common.attention_mask(lengths, length)[:, :, :1]))
    for batch, heads, size in ((4, 4, 4), (5, 2, 5), (2, 5, 5), (1, 3, 4), (2, 3, 1), (18, 2, 3)):
        q, k, v = _sized(rng, batch, heads, size)
        lengths = torch.tensor([rng.randint(1, size) for _ in range(batch)])
        yield common.finite_too(call(q, k, v, common.attention_mask(lengths, size)[:, :, :1]))
    q, k, v = common.queries_keys_values(rng, 2, 3)
    lengths = torch.tensor([rng.randint(2, 4), rng.randint(2, 4)])
    mask = common.attention_mask(lengths, k.shape[-2])[:, :, :1]
    yield without_gradients(common.finite_too(call(q, k, v, mask)))
    q, k, v = common.many_keys(rng, 2)
    lengths = torch.tensor([rng.randint(130, 150), k.shape[-2]])[:, None]
    yield common.finite_too(call(q, k, v, (torch.arange(k.shape[-2]) < lengths)[:, None]))
    few = (torch.arange(3) < torch.tensor([[rng.randint(1, 2)], [3]]))[:, None]
    yield common.finite_too(call(k, q, v[:, :3], few))  # many queries


def with_others(rng: Random) -> Iterator[Case]:
    """Masks (B, 1, T, T), (T,), one for each head, and such for another number of keys."""
    q, k, v = _square(rng)
    length = q.shape[2]
    lengths = torch.tensor([rng.randint(2, length - 2), length - 1])
    mask = common.attention_mask(lengths, length, causal=True)
    yield common.finite_too(call(q, k, v, mask))
    yield common.finite_too(call(q, k, v, mask[0, 0, -1]))
    flipped = mask[1, 0].flip(0, 1)
    yield common.finite_too(call(q, k, v, torch.stack([mask[0, 0], mask[1, 0], flipped])))
    q, k, v = common.queries_keys_values(rng, 2, 3)
    for front in ((), (2, 3), (3,), (2, 1)):
        unlike = _any_mask(rng, *front, q.shape[-2], k.shape[-2])
        yield common.finite_too(call(q, k, v, unlike))
    yield common.finite_too(call(q[..., :1, :], k, v, unlike[..., :1, :]))
    yield common.finite_too(call(q[0, 0], k[0, 0], v[0, 0], unlike[0, 0]))


def _any_mask(rng: Random, *shape: int) -> Tensor:
    """Each query may look at about half of the keys, and at one at the least."""
    mask = common.normal_numbers(rng, *shape) > 0
    mask[..., rng.randrange(shape[-1])] = True
    return mask


def hidden_are_largest(rng: Random) -> Iterator[Case]:
    """The keys that are hidden have scores near 150, those that may be seen near −150.

    Then one query has scores near −150, and the others have scores near 150.
    """
    q, k, v = _square(rng)
    length = q.shape[2]
    lengths = torch.tensor([rng.randint(2, length - 2), length - 1])
    mask = common.attention_mask(lengths, length)[:, :, :1]
    q[..., 0] = 2.0  # the root of the width
    for large, label in ((150.0, "where it hides"), (-150.0, "where it does not")):
        k[..., 0] = torch.where(mask[:, :, 0], -large, large)
        case = call(q.clone(), k.clone(), v, mask)
        yield common.finite_too(case.labelled(f"{case.label}, scores near 150 {label}, else −150"))
    k[..., 0] = 150.0
    q[..., rng.randrange(length), 0] *= -1
    case = call(q, k, v, mask)
    label = f"{case.label}, scores near −150 for one query, near 150 for the others"
    yield common.finite_too(case.labelled(label))


def hidden_are_huge(rng: Random) -> Iterator[Case]:
    """What is hidden has scores of 999,999 and huge values; what is seen has −999,999."""
    # In float64, for float32 has but one decimal there.
    q, k, v = (torch.zeros_like(each).double() for each in _square(rng))
    length = q.shape[2]
    mask = torch.arange(length) < rng.randint(2, length - 2)
    q[..., 0] = 2.0
    v += common.normal_numbers(rng, *v.shape)
    v[..., ~mask, :] = 1e30  # however little weight it gets, it shows
    for score in (999_999.0, 900_000.0, 4.0):
        k[..., 0] = torch.where(mask, -score, score)
        case = call(q, k.clone(), v, mask)
        label = f"{case.label}, scores of {score:,.0f} and values of 1e30 where it hides"
        yield common.finite_too(case.labelled(label))
    k[..., 0] = torch.where(mask, -999_999.0, 999_999.0)
    case = call(q[0, 0], k[0, 0], v[0, 0], mask.expand(length, length))
    label = f"{case.label}, scores of 999,999 where it hides, no batch"
    yield common.finite_too(case.labelled(label))
    yield from _large_ones_differ(q, v, mask)


def _large_ones_differ(q: Tensor, v: Tensor, mask: Tensor) -> Iterator[Case]:
    """Scores near a million, of either sign, of which one is the largest all the same."""
    for sign, words in ((1, "999,999"), (-1, "−999,999")):
        k = torch.zeros_like(q)
        k[..., 0] = sign * 999_000.0
        k[..., 0, 0] = sign * 999_999.0
        case = call(q, k, v, mask)
        label = f"{case.label}, one score of {words} among others 999 nearer to 0"
        yield common.finite_too(case.labelled(label))


def backwards(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    lengths = torch.tensor([rng.randint(2, 5), 6])
    mask = common.attention_mask(lengths, q.shape[2])[:, :, :1]
    yield differentiated(q=q, k=k, v=v, mask=mask)
    yield differentiated(", without a mask", q=q, k=k, v=v)
    square = mask[0, 0].expand(q.shape[2], -1)
    yield differentiated(", a mask (T, T)", q=q, k=k, v=v, mask=square)
    large = k.clone()
    large[..., 0] = torch.where(mask[:, :, 0], 0.0, 1_000.0)
    ones = torch.cat([torch.full_like(q[..., :1], 2.0), q[..., 1:]], -1)  # 2 is the width's root
    words = ", scores near 1,000 where it hides"
    yield differentiated(words, q=ones, k=large, v=v, mask=mask)
    yield differentiated(", a mask (T, T), no batch", q=q[0, 0], k=k[0, 0], v=v[0, 0], mask=square)


def without(rng: Random) -> Iterator[Case]:
    q, k, v = _square(rng)
    yield common.finite_too(call(q, k, v))
    yield common.finite_too(call(*common.queries_keys_values(rng, 2), None))
    yield common.of_a_single_key(q, k, v)
    yield common.finite_too(call(q[..., :1], k[..., :1], v))
    k[..., rng.randrange(k.shape[2]), :] = 0  # whoever takes it for padding, hides it
    case = call(q, k, v)
    yield common.finite_too(case.labelled(f"{case.label}, a key that is all zeros"))
    for score, words in ((999_999.0, "999,999"), (-999_999.0, "−999,999")):
        q, k = (torch.zeros_like(each, dtype=torch.float64) for each in (q, k))
        q[..., 0] = 2.0  # the root of the width
        k[..., 0], k[..., 0, 0] = score * 0.999, score
        case = call(q, k, v.double())
        label = f"{case.label}, one score of {words}, the others 1,000 nearer to 0"
        yield common.finite_too(case.labelled(label))
