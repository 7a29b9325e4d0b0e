"""Encodings that turn queries and keys, from their formulas alone: one vector or pair at a time.

Nothing here is shared with helpers/encodings but the parameters.
"""

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

# θ of pair n, in radians per position, and of which axis; in a text of some length.


def _rope(e: Any, n: int) -> float:
    return e.base ** (-2 * n / e.rotary_dim)


def _ntk(e: Any, n: int, s: float) -> float:
    base = e.base * s ** (e.rotary_dim / (e.rotary_dim - 2)) if e.rotary_dim > 2 else e.base
    return base ** (-2 * n / e.rotary_dim)


def _dynamic(e: Any, n: int, length: int) -> float:
    return _ntk(e, n, max(1.0, e.factor * length / e.original_max_len - (e.factor - 1)))


def _mixed(e: Any, n: int, kept: float) -> float:
    kept = min(1.0, max(0.0, kept))
    return _rope(e, n) * (kept + (1 - kept) / e.factor)


def _yarn(e: Any, n: int, length: int) -> float:
    def pair_that_turns(times: float) -> float:  # L·base^(−2n/r) = 2π·times, solved for n
        return e.rotary_dim / 2 * math.log(e.original_max_len / (2 * math.pi * times), e.base)

    low = max(0, math.floor(pair_that_turns(e.fast)))
    high = min(e.rotary_dim - 1, math.ceil(pair_that_turns(e.slow)))
    if low == high:
        return _mixed(e, n, 1.0 if n <= low else 0.0)
    return _mixed(e, n, (high - n) / (high - low))


def _llama3(e: Any, n: int, length: int) -> float:
    wave = 2 * math.pi / _rope(e, n)
    if wave < e.original_max_len / e.high:
        return _rope(e, n)
    if wave > e.original_max_len / e.low:
        return _rope(e, n) / e.factor
    return _mixed(e, n, (e.original_max_len / wave - e.low) / (e.high - e.low))


def _along(e: Any, n: int) -> tuple[int, int]:
    """Which axis turns pair n, and the how manieth it is there."""
    axis = 0
    while n >= e.sections[axis]:
        n -= e.sections[axis]
        axis += 1
    return axis, n


def _longrope(e: Any, n: int, length: int) -> float:
    return _rope(e, n) / (e.long if length > e.original_max_len else e.short)[n]


THETA: dict[str, Callable[[Any, int, int], float]] = {
    "rotary": lambda e, n, length: _rope(e, n),
    "xpos": lambda e, n, length: _rope(e, n),
    "interpolated": lambda e, n, length: _rope(e, n) / e.factor,
    "ntk": lambda e, n, length: _ntk(e, n, e.factor),
    "dynamic_ntk": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "p_rope": lambda e, n, length: _rope(e, n) if n < math.floor(e.p * e.rotary_dim / 2) else 0.0,
    "rotary_2d": lambda e, n, length: e.base ** (-_along(e, n)[1] / e.sections[_along(e, n)[0]]),
    "rotary_3d": lambda e, n, length: _rope(e, n),
}
GAIN: dict[str, Callable[[Any], float]] = {
    "yarn": lambda e: 1 + math.log(e.factor) / 10 if e.temperature else 1.0,
    "longrope": lambda e: (1 + math.log(e.factor) / math.log(e.original_max_len)) ** 0.5,
}


def turned(
    name: str, e: Any, x: Tensor, at: int | tuple[int, ...], length: int, sign: int = 0
) -> Tensor:
    """One vector (d,) turned by its position, or by one for each axis, in a text of a length.

    Times ζ^(±p) for xPos, where `sign` is given.
    """
    made, r, factor = x.clone(), e.rotary_dim, GAIN.get(name, lambda e: 1.0)(e)
    for n in range(r // 2):
        a, b = (2 * n, 2 * n + 1) if e.layout == "interleaved" else (n, n + r // 2)
        p = at if isinstance(at, int) else at[_along(e, n)[0]]
        angle = p * THETA[name](e, n, length)
        if sign:
            zeta = (2 * n / r + e.gamma) / (1 + e.gamma)
            factor = zeta ** (sign * (p - length // 2) / e.scale_base)
        made[a] = (x[a] * math.cos(angle) - x[b] * math.sin(angle)) * factor
        made[b] = (x[a] * math.sin(angle) + x[b] * math.cos(angle)) * factor
    return made


def pope(e: Any, h: int, i: int, j: int, q: Tensor, k: Tensor) -> float:
    """The score of one pair of one head; q and k are (H, T, d) of one text."""

    def softplus(x: Tensor) -> float:
        return math.log(1 + math.exp(float(x)))

    total = 0.0
    for c in range(q.shape[-1]):
        shift = min(0.0, max(-2 * math.pi, e.phase[h, 0, c].item()))
        angle = (j - i) * e.base ** (-c / q.shape[-1]) + shift
        total += softplus(q[h, i, c]) * softplus(k[h, j, c]) * math.cos(angle)
    return total
