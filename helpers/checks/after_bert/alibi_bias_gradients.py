"""Unit 05, “The bias in three forms”: wrong gradients and dtypes, and what is nan."""

from __future__ import annotations

import torch

from helpers.checks.after_bert import common
from helpers.checks.after_bert.alibi_bias import BACKWARDS, CAUSAL, alibi_bias, bias_right
from helpers.checks.engine import changed


@alibi_bias.mistake(common.NO_GRADIENT, loses=BACKWARDS, breaks="gradients must reach them")
@changed(bias_right, "-slopes[", "-slopes.detach()[")
def bias_without_gradients(): ...


@alibi_bias.mistake(
    "Your result is always float32. It should have the dtype of the slopes: float64 in, "
    "float64 out.",
    loses=BACKWARDS,
    breaks="The result has the dtype of the slopes",
)
@changed(bias_right, "p = torch.arange(length)", "p, slopes = torch.arange(length), slopes.float()")
def bias_always_in_float32(): ...


@alibi_bias.mistake(
    "The result is right, but a slope of 0 gets no gradient, so it could never be learned. abs has "
    "none at 0, and torch.where(slopes > 0, …) cuts it off. Multiply each slope, whatever it is, "
    "by a distance that is positive already.",
    loses=BACKWARDS,
)
@changed(bias_right, "-slopes[:, None, None] * fall", "-(slopes[:, None, None] * fall).abs()")
def bias_without_a_gradient_at_zero(): ...


@alibi_bias.mistake(
    "For form='symmetric' the result is right, but a slope of 0 gets no gradient, so it could "
    "never be learned: abs has none at 0. Take abs of the offset alone, then multiply by the "
    "slope.",
    loses=BACKWARDS,
    breaks="also a slope of 0",
)
@changed(
    bias_right,
    "bias = -slopes[:, None, None] * fall",
    "bias = -slopes[:, None, None] * fall\n    bias = -bias.abs() if form == 'symmetric' else bias",
)
def bias_symmetric_by_abs_of_the_product(): ...


@alibi_bias.mistake(
    "For form='directional' the result is right, but the gradient of a slope of 0 is not: there "
    "the two numbers whose minimum or maximum you take are equal, and the gradient is split "
    "between them.",
    loses=BACKWARDS,
)
def bias_by_the_smaller_of_two(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = (p[None, :] - p[:, None]).to(slopes.dtype)
    rise = slopes[:, None, None] * offsets
    if form == "directional":
        return torch.minimum(rise, -2 * rise)
    bias = -slopes[:, None, None] * offsets.abs()
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


@alibi_bias.mistake(
    "For form='causal' the result is right, but gradients are nan: you multiply a slope by ∞ "
    "and then hide the product, by torch.where or nan_to_num. In the backward pass its 0 · ∞ "
    "appears again. Multiply finite numbers only, then put in −∞.",
    loses=BACKWARDS,
    breaks="No gradient may be nan when a softmax follows",
)
def bias_infinity_hidden_by_where(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().to(slopes.dtype)
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    if form != "causal":
        return -slopes[:, None, None] * fall
    bias = -slopes[:, None, None] * fall.masked_fill(offsets > 0, float("inf"))
    return torch.where(offsets > 0, float("-inf"), bias)


@alibi_bias.mistake(
    "For form='causal' you multiply a mask by −∞. Where the mask is 0 that is 0 · ∞, nan, and "
    "the keys that may be seen are lost. Choose with torch.where or masked_fill instead.",
    loses=(CAUSAL, BACKWARDS),
)
@changed(
    bias_right,
    'bias.masked_fill(offsets > 0, float("-inf"))',
    'bias + (offsets > 0) * -float("inf")',
)
def bias_mask_times_infinity(): ...


@alibi_bias.mistake(
    "The result is right, but the gradient of a slope of 0 is nan: a root or a logarithm is "
    "infinitely steep there. Multiply the slope itself by the distance.",
    loses=BACKWARDS,
)
@changed(bias_right, "-slopes[:, None, None] * fall", "-(slopes.sqrt() ** 2)[:, None, None] * fall")
def bias_by_way_of_a_root(): ...


@alibi_bias.mistake(
    "Where a slope is 0, or in the gradients when a softmax follows, you get nan: you multiply "
    "a slope by −∞, which gives 0 · ∞, or divide it by a mask, which gives 0/0. Multiply by "
    "the distance first, then put in −∞.",
    loses=(CAUSAL, BACKWARDS),
    breaks="even where a slope is 0",
)
def bias_infinity_times_the_slope(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().to(slopes.dtype)
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    elif form == "causal":
        fall = fall.masked_fill(offsets > 0, float("inf"))
    return -slopes[:, None, None] * fall
