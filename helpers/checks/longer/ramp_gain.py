"""Unit 10, “YaRN's ramp”: wrong factors of queries and keys, unused arguments, and wrong forms."""

from __future__ import annotations

import math

import torch

from helpers.checks.engine import changed
from helpers.checks.longer.ramp import BOTH, DEFAULTS, GAIN, OTHERS, ramp


def ramp_again(d_head, trained, factor, low=1.0, high=32.0, base=10_000.0):
    """The right answer, of which the mistakes below change one thing."""
    theta = base ** (-torch.arange(0, d_head, 2, dtype=torch.float64) / d_head)
    turns = trained * theta / (2 * math.pi)
    kept = ((turns - low) / (high - low)).clamp(0, 1)
    slowed = (1 - kept) * theta / factor + kept * theta
    return slowed, 0.1 * math.log(factor) + 1


@ramp.mistake(
    "`base` changes nothing: a 10,000 is still hard-coded, or frequencies are kept from an earlier "
    "call. A base other than that of the training turns every pair but the first by other angles.",
    loses=OTHERS,
    breaks="any number above 1",
)
@changed(ramp_again, "theta = base **", "theta = 10_000.0 **")
def ramp_base_forgotten(): ...


@ramp.mistake(
    "`low` and `high` change nothing: 1 and 32 are still hard-coded.",
    loses=OTHERS,
    breaks="$\\alpha$ is `low`",
)
@changed(ramp_again, "kept = (", "low, high = 1.0, 32.0; kept = (")
def ramp_ends_forgotten(): ...


@ramp.mistake("Your function uses 32 instead of `high`. Some models have 4 there.", loses=OTHERS)
@changed(ramp_again, "kept = (", "high = 32.0; kept = (")
def ramp_upper_end_forgotten(): ...


@ramp.mistake("Your function uses 1 instead of `low`.", loses=OTHERS)
@changed(ramp_again, "kept = (", "low = 1.0; kept = (")
def ramp_lower_end_forgotten(): ...


@ramp.mistake(
    "You round the factor to a whole number. It may be 1.5, for texts 1.5 times as long as in "
    "training.",
    breaks="the factor $s$ any number of at least 1",
)
@changed(ramp_again, "theta = base", "factor = round(factor); theta = base")
def ramp_of_whole_factors(): ...


@ramp.mistake(
    "Your frequencies are in 16 bits, so that an angle far into the text is off by whole turns. "
    "Let them be float32 or float64.",
    loses=BOTH,
    breaks="in float32 or float64",
)
@changed(ramp_again, "return slowed,", "return slowed.bfloat16(),")
def ramp_in_16_bits(): ...


@ramp.mistake(
    "Your logarithm has the base 10. The paper's is the natural one.",
    loses=GAIN,
    breaks="$0.1 \\ln s + 1$",
)
@changed(ramp_again, "math.log(factor)", "math.log10(factor)")
def ramp_of_log10(): ...


@ramp.mistake("Your logarithm has the base 2. The paper's is the natural one.", loses=GAIN)
@changed(ramp_again, "math.log(factor)", "math.log2(factor)")
def ramp_of_log2(): ...


@ramp.mistake(
    "This is the square, by which scores are multiplied. Queries and keys are multiplied by its "
    "root.",
    loses=GAIN,
    breaks="queries are multiplied by it, and keys as well",
)
@changed(ramp_again, "0.1 * math.log(factor) + 1", "(0.1 * math.log(factor) + 1) ** 2")
def ramp_squared(): ...


@ramp.mistake(
    "This is the temperature t itself, or its root, by which scores are divided. Return what "
    "queries and keys are multiplied by.",
    loses=GAIN,
)
@changed(ramp_again, "0.1 * math.log(factor) + 1", "1 / (0.1 * math.log(factor) + 1)")
def ramp_divided(): ...


@ramp.mistake("Where s = 1 nothing may change, but you return 0 there: add 1.", loses=GAIN)
@changed(ramp_again, "0.1 * math.log(factor) + 1", "0.1 * math.log(factor)")
def ramp_without_one(): ...


@ramp.mistake("You take the logarithm of s + 1, or of 1 + something. It is ln s.", loses=GAIN)
@changed(ramp_again, "math.log(factor) + 1", "math.log1p(factor) + 1")
def ramp_of_one_more(): ...


@ramp.mistake(
    "Your second result is a tensor. It is one number: let it be a float.",
    loses=GAIN,
    breaks="as a float",
)
@changed(
    ramp_again,
    "return slowed, 0.1 * math.log(factor) + 1",
    "return slowed, torch.tensor(0.1 * math.log(factor) + 1)",
)
def ramp_with_a_tensor(): ...


@ramp.mistake(
    "You multiply the frequencies by the factor. It belongs to queries and keys: their "
    "length, not their angle.",
    loses=BOTH,
)
@changed(ramp_again, "return slowed,", "return slowed * (0.1 * math.log(factor) + 1),")
def ramp_of_warm_frequencies(): ...


@ramp.mistake(
    "You return only one of the two results, or both in one tensor. Return two results.",
    breaks="`ramp` returns two results",
)
@changed(ramp_again, "return slowed, 0.1 * math.log(factor) + 1", "return slowed")
def ramp_without_the_factor(): ...


@ramp.mistake(
    "Your frequencies come twice, as for the columns. Return one for each pair.",
    loses=(DEFAULTS, OTHERS),
    breaks="of shape $(d/2,)$",
)
@changed(ramp_again, "return slowed,", "return slowed.repeat_interleave(2),")
def ramp_for_columns(): ...
