"""Unit 02, “Wavelengths”: what it asks."""

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
    yield call(second, base=common.large_base(rng))
    yield call(2, base=common.small_base(rng))
    yield call(768)


wavelengths = Exercise(
    "wavelengths",
    encodings.wavelengths,
    (Part("the wavelength of each hand", 1, _wavelengths),),
    forbidden=(_frequencies, encodings.Rotary, encodings.Pope),
    tolerance=1e-5,  # relative, as each is above 1; what float32 rounds is a tenth of that
    explains=("`d_model` is even",),
    module=__name__,
)
