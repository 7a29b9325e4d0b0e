"""Unit 05-after-bert: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.after_bert.alibi_bias import alibi_bias
from helpers.checks.after_bert.buckets import buckets
from helpers.checks.after_bert.counted import counted
from helpers.checks.after_bert.hooks import hooks
from helpers.checks.after_bert.rope_attention import rope_attention
from helpers.checks.after_bert.slopes import slopes
from helpers.checks.after_bert.turn import turn

__all__ = [
    "alibi_bias",
    "buckets",
    "counted",
    "hooks",
    "rope_attention",
    "slopes",
    "turn",
]
