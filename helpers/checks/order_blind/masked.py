"""Unit 01, “Attention with a mask”: what people write instead of what masked_cases.py asks."""

from __future__ import annotations

from helpers.checks.engine import Exercise, Part
from helpers.checks.order_blind import common, masked_cases

masked = Exercise(
    "masked",
    common.attend,
    (
        Part("a causal mask (T, T)", 0.5, masked_cases.with_causal),
        Part("a padding mask (B, 1, 1, T)", 0.25, masked_cases.with_padding),
        Part("any other mask", 0.25, masked_cases.with_others),
        Part("no mask", 0.25, masked_cases.without),
        Part("large scores", 0.25, masked_cases.hidden_are_largest),
        Part("no weight at all", 0.25, masked_cases.hidden_are_huge),
        Part("dtype and gradients", 0.25, masked_cases.backwards),
    ),
    forbidden=common.ATTENTION,
    explains=("Every query has at least one key that it may look at.",),
    module=__name__,
)
MASKED = (
    "a causal mask (T, T)",
    "a padding mask (B, 1, 1, T)",
    "any other mask",
    "large scores",
    "no weight at all",
    "dtype and gradients",
)
