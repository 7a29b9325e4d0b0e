"""Unit 05, “T5's buckets”: where people let a bucket begin and end, and in which dtype."""

from __future__ import annotations

import math

import torch

from helpers.checks.after_bert.buckets import FAR, NEAR, SIZES, buckets
from helpers.checks.engine import changed


def buckets_right(offsets, num_buckets=32, max_distance=128):
    """The right answer, of which the mistakes below change one thing."""
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + fraction * (side - exact)).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a < exact, a, far)


@buckets.mistake(
    "max_distance changes nothing: a 128 is still written out.",
    loses=SIZES,
    breaks="`max_distance` is the max of the formula",
)
@changed(buckets_right, "math.log(max_distance / exact)", "math.log(128 / exact)")
def buckets_maximum_ignored(): ...


@buckets.mistake(
    "Where a bucket begins exactly at a distance, at 16, 32 and 64 with the default sizes, you "
    "put this distance into the bucket before. The formula rounds down, and a whole number "
    "stays as it is.",
    loses=(FAR, SIZES),
)
def buckets_begin_one_late(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    a = offsets.abs()
    fraction = (a.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact - 1 + (fraction * (side - exact)).ceil()).long().clamp(max=side - 1)
    return side * (offsets > 0) + torch.where(a <= exact, a, far)


@buckets.mistake(
    "A distance of 64 is one bucket too early: the exact value is 6 there, but yours comes out "
    "as 5.999…, because you multiply and divide in another order. Divide one logarithm by the "
    "other first, then multiply by n − e.",
    loses=(FAR, SIZES),
    breaks=("offset 64 in bucket 30", "Take care with offset 64", "other orders make it"),
)
def buckets_rounded_below(offsets, num_buckets=32, max_distance=128):
    side, exact = num_buckets // 2, num_buckets // 4
    steps = (side - exact) / math.log(max_distance / exact)
    a = offsets.abs()
    far = exact + ((a.clamp(min=1).double() / exact).log() * steps).long()
    return side * (offsets > 0) + torch.where(a < exact, a, far.clamp(max=side - 1))


@buckets.mistake(
    "All offsets beyond max_distance land in your first far bucket. They should share the last "
    "one of their side.",
    loses=(FAR, SIZES),
)
@changed(
    buckets_right,
    "a < exact, a, far)",
    "(a < exact), a, torch.where(a < max_distance, far, exact))",
)
def buckets_that_wrap_around(): ...


@buckets.mistake(
    "Your last bucket of a side has only distances from max_distance on. The formula's floor "
    "reaches n − 1 before that.",
    loses=(FAR, SIZES),
)
@changed(buckets_right, "(side - exact)).long()", "(side - 1 - exact)).long()")
def buckets_last_one_for_the_maximum(): ...


@buckets.mistake(
    "You take the logarithm of a/e, but divide it by the logarithm of the maximum itself. "
    "Divide by ln(max/e).",
    loses=(FAR, SIZES),
)
@changed(buckets_right, "math.log(max_distance / exact)", "math.log(max_distance)")
def buckets_divided_by_the_whole_logarithm(): ...


@buckets.mistake(
    "Your buckets are floating-point numbers. The bucket is an index, and only whole numbers index "
    "a table.",
    breaks="as an int64 tensor of the same shape",
)
@changed(buckets_right, "torch.where(a < exact, a, far)", "torch.where(a < exact, a, far).float()")
def buckets_as_floats(): ...


@buckets.mistake(
    "You flatten the offsets and leave the buckets flat. They have the shape of the offsets.",
    loses=(NEAR, FAR),
    breaks="the same shape",
)
@changed(
    buckets_right, "a = offsets.abs()", "a, offsets = offsets.abs().flatten(), offsets.flatten()"
)
def buckets_flattened(): ...


@buckets.mistake(
    "You add something small before you round down, so that a distance just below a border is "
    "already in the next bucket.",
    loses=SIZES,
)
@changed(buckets_right, "(side - exact)).long()", "(side - exact) + 1e-3).long()")
def buckets_begin_too_early(): ...


@buckets.mistake(
    "An empty tensor has no largest offset. Elementwise operations need none.",
    loses=NEAR,
    breaks="also an empty one",
)
@changed(buckets_right, "a = offsets.abs()", "a = offsets.abs().clamp(max=offsets.abs().max())")
def buckets_by_the_largest_offset(): ...


@buckets.mistake(
    "Your offsets become 16-bit integers, which end at 32,767 and wrap around beyond that.",
    loses=FAR,
)
@changed(buckets_right, "a = offsets.abs()", "offsets = offsets.short().long(); a = offsets.abs()")
def buckets_of_16_bits(): ...


@buckets.mistake(
    "Your offsets become 32-bit integers, which end at 2,147,483,647 and wrap around beyond "
    "that. Leave them in int64.",
    loses=FAR,
)
@changed(buckets_right, "a = offsets.abs()", "offsets = offsets.int().long(); a = offsets.abs()")
def buckets_of_32_bits(): ...
