"""Unit 05, encodings after BERT: what its seven exercises ask and look at."""

# Files of further mistakes, which add themselves to their exercises.
from helpers.checks.after_bert import (  # noqa: F401
    alibi_bias_gradients,
    buckets_borders,
    counted_large,
    hooks_mixed,
    rope_large,
    turn_angles,
)
from helpers.checks.after_bert.alibi_bias import alibi_bias
from helpers.checks.after_bert.buckets import buckets
from helpers.checks.after_bert.counted import counted
from helpers.checks.after_bert.hooks import hooks
from helpers.checks.after_bert.rope_attention import rope_attention
from helpers.checks.after_bert.slopes import slopes
from helpers.checks.after_bert.turn import turn

__all__ = ["alibi_bias", "buckets", "counted", "hooks", "rope_attention", "slopes", "turn"]
