"""Unit 05: what people write instead of T5's buckets."""

from __future__ import annotations

import math

import torch

from helpers.checks.exercise import Mistake


def buckets_sides_swapped(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets < 0) + torch.where(a < exact, a, far)


def buckets_zero_counts_as_right(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets >= 0) + torch.where(a < exact, a, far)


def buckets_of_the_distance_only(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return torch.where(a < exact, a, far)


def buckets_all_on_one_side(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets, num_buckets // 2
    a = (-offsets).clamp(min=0)
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return torch.where(a < exact, a, far)


def buckets_clipped(offsets, num_buckets=32, max_distance=128):
    side = num_buckets // 2
    return side * (offsets > 0) + offsets.abs().clamp(max=side - 1)


def buckets_in_equal_steps(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a - exact).clamp(min=0) / (max_distance - exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_logarithm_not_divided(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = a.clamp(min=1).log() / math.log(max_distance)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_without_an_end(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long()
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_rounded(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).round().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_rounded_up(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).ceil().long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_as_many_on_each_side(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets, num_buckets // 2
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_far_ones_begin_one_later(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + 1 + share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_far_ones_begin_at_zero(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    share = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (share * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


def buckets_sizes_ignored(offsets, num_buckets=32, max_distance=128):
    a = offsets.abs()
    far = (8 + (a.clamp(min=1) / 8).log() / math.log(16) * 8).long().clamp(max=15)
    return 16 * (offsets > 0) + torch.where(a < 8, a, far)


_NEAR = "near: a bucket for each offset"
_FAR = "far: buckets that widen"
_OTHER = "other numbers of buckets"
BUCKETS = (
    Mistake(
        buckets_sides_swapped,
        "Left and right have changed places. The offset is j − i: it is positive for a key to the "
        "right, and those keys have the upper half of the buckets.",
        (_NEAR, _FAR, _OTHER),
    ),
    Mistake(
        buckets_zero_counts_as_right,
        "Offset 0 is put on the right. Only offsets above 0 have the upper half; 0 has bucket 0.",
        (_NEAR,),
    ),
    Mistake(
        buckets_of_the_distance_only,
        "You look at the distance only, so left and right share their buckets. The right side has "
        "the upper half for itself.",
        (_NEAR, _FAR, _OTHER),
    ),
    Mistake(
        buckets_all_on_one_side,
        "All your buckets go to the left and every key to the right is in bucket 0. That is T5's "
        "decoder; the encoder asked for here has half of them on each side.",
        (_NEAR, _FAR, _OTHER),
    ),
    Mistake(
        buckets_clipped,
        "Each offset has a bucket of its own until they run out. From the eighth on (with 32) a "
        "bucket holds several offsets, and more the further away it is.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_in_equal_steps,
        "Your far buckets are all equally wide. They should widen with the distance: the bucket is "
        "linear in the logarithm of the distance.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_logarithm_not_divided,
        "Your logarithm counts from distance 1. The far buckets begin at e, so both logarithms are "
        "of a distance divided by e.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_without_an_end,
        "Beyond max_distance your buckets go on and leave the side they belong to. All of those "
        "offsets share the last bucket of their side.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_rounded,
        "You round to the nearest bucket. The formula rounds down.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_rounded_up,
        "You round up to the next bucket. The formula rounds down.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_as_many_on_each_side,
        "You have num_buckets on each side. They are shared: a side has half of them.",
        (_NEAR, _FAR, _OTHER),
    ),
    Mistake(
        buckets_far_ones_begin_one_later,
        "Your far buckets are one too high: distance e, the first of them, has bucket e.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_far_ones_begin_at_zero,
        "Your far buckets begin again at 0, where the near ones are. They follow on from them, at "
        "e.",
        (_FAR, _OTHER),
    ),
    Mistake(
        buckets_sizes_ignored,
        "num_buckets and max_distance change nothing: numbers like 16, 8 or 128 are still written "
        "out.",
        (_OTHER,),
    ),
)
