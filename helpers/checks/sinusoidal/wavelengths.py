"""Unit 02, “Wavelengths”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from helpers import encodings
from helpers.checks.engine import Case, Exercise, Part, call
from helpers.checks.sinusoidal import common
from helpers.encodings.sinusoidal import _frequencies


def _wavelengths(rng: Random) -> Iterator[Case]:
    first, second = common.even_widths(rng)
    yield call(first)
    yield call(second)
    yield call(first, base=common.large_base(rng))
    yield call(second + 12, base=common.small_base(rng))
    yield call(2, base=round(common.large_base(rng)))  # a whole number
    yield call(common.wide(rng), base=common.large_base(rng))
    yield call(common.wide(rng) + 600)
    yield call(common.uneven_steps(rng))
    yield call(first, base=common.base_near_one(rng))
    yield call(second, base=common.huge_base(rng))


wavelengths = Exercise(
    "wavelengths",
    encodings.wavelengths,
    (Part("the wavelength of each hand", 1, _wavelengths),),
    forbidden=(_frequencies, encodings.Rotary, encodings.Pope),
    tolerance=1e-5,  # relative, as each is above 1; what float32 rounds is a tenth of that
    explains=("`d_model` is even",),
    module=__name__,
)
