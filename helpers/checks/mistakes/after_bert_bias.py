"""Unit 05: what people write instead of the bias of ALiBi."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake


def bias_positive(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_symmetric_for_directional(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    bias = -slopes[:, None, None] * offsets.abs()
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_sides_swapped(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[:, None] - p[None, :]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_left_falls_twice(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets < 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_right_falls_half(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, fall / 2, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_without_absolute_value(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = -offsets.float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_zero_for_hidden_keys(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.tril() if form == "causal" else bias


def bias_nothing_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    return -slopes[:, None, None] * fall


def bias_left_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets < 0, float("-inf")) if form == "causal" else bias


def bias_own_token_hidden(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets >= 0, float("-inf")) if form == "causal" else bias


def bias_distance_from_one(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs() + 1.0
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, float("-inf")) if form == "causal" else bias


def bias_heads_last(slopes, length, form="causal"):
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]
    fall = offsets.abs().float()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    elif form == "causal":
        fall = fall.masked_fill(offsets > 0, float("inf"))
    return -fall[..., None] * slopes


_CAUSAL, _SYMMETRIC, _DIRECTIONAL = _ALL_BIAS = ("causal", "symmetric", "directional")
ALIBI_BIAS = (
    Mistake(
        bias_positive,
        "Your bias grows with the distance, so that far keys get more weight. It is a penalty: "
        "−m·distance.",
        _ALL_BIAS,
    ),
    Mistake(
        bias_symmetric_for_directional,
        "For form='directional' the two sides must differ; yours is the symmetric form again.",
        (_DIRECTIONAL,),
    ),
    Mistake(
        bias_sides_swapped,
        "Left and right have changed places: your matrix has the key in the row. Rows are queries "
        "i, columns are keys j; a key with j > i stands to the right.",
        (_CAUSAL, _DIRECTIONAL),
    ),
    Mistake(
        bias_left_falls_twice,
        "For form='directional' it is the keys to the left that fall twice as fast in yours. A key "
        "stands to the right where j > i.",
        (_DIRECTIONAL,),
    ),
    Mistake(
        bias_right_falls_half,
        "For form='directional', keys to the right fall half as fast in yours; they should fall "
        "twice as fast.",
        (_DIRECTIONAL,),
    ),
    Mistake(
        bias_without_absolute_value,
        "Keys to the right are rewarded: your distance is negative there. A distance is an "
        "absolute value.",
        (_SYMMETRIC, _DIRECTIONAL),
    ),
    Mistake(
        bias_zero_for_hidden_keys,
        "For form='causal' you put 0 where a key must not be seen. Before a softmax, 0 is a score "
        "like any other, here even the highest. −∞ takes the key out.",
        (_CAUSAL,),
    ),
    Mistake(
        bias_nothing_hidden,
        "For form='causal', keys to the right can still be seen: they need −∞.",
        (_CAUSAL,),
    ),
    Mistake(
        bias_left_hidden,
        "For form='causal' you hide the keys to the left. Hidden are those that come later, j > i.",
        (_CAUSAL,),
    ),
    Mistake(
        bias_own_token_hidden,
        "For form='causal' the query's own token is hidden too, and the first query sees nothing "
        "at all. Hide j > i, not j = i.",
        (_CAUSAL,),
    ),
    Mistake(
        bias_distance_from_one,
        "Your own token is one step away from itself. |j − i| is 0 there.",
        _ALL_BIAS,
    ),
    Mistake(
        bias_heads_last,
        "The heads are your last axis. The scores are (B, H, T, T), so a bias that is to be added "
        "to them is (H, T, T).",
        _ALL_BIAS,
    ),
)
