"""Unit 06, “A fair probe”: other errors than the one asked, which people take from a right fit."""

from __future__ import annotations

from helpers.checks.engine import changed
from helpers.checks.stacking.probe import probe, probe_of_states


@probe.mistake(
    "This is the mean squared error. Wanted is the mean absolute one, which is in positions.",
    breaks="and returns the mean absolute error on the second",
)
@changed(probe_of_states, "errors.abs().mean()", "errors.square().mean()")
def probe_with_squared_errors(): ...


@probe.mistake("This is the root of the mean square. Wanted is the mean of the absolute values.")
@changed(probe_of_states, "errors.abs().mean()", "errors.square().mean().sqrt()")
def probe_with_the_root_of_squared_errors(): ...


@probe.mistake("Errors to the left and to the right cancel in your mean. Take their size first.")
@changed(probe_of_states, "errors.abs().mean()", "errors.mean()")
def probe_with_signed_errors(): ...


@probe.mistake("Errors to the left and to the right cancel in your sum. Take their size first.")
@changed(probe_of_states, "errors.abs().mean()", "errors.mean().abs()")
def probe_with_the_size_of_the_mean_error(): ...


@probe.mistake(
    "You round what the probe says. Leave its numbers as they are: 3.4 misses 3 by 0.4.",
    breaks="neither rounded nor clipped",
)
@changed(probe_of_states, "z @ w - q", "(z @ w).round() - q")
def probe_with_rounded_answers(): ...


@probe.mistake(
    "You clip what the probe says to the positions of the text. It counts as it is: −1 misses 0 "
    "by 1.",
    breaks="neither rounded nor clipped",
)
@changed(probe_of_states, "z @ w - q", "(z @ w).clamp(0, test.shape[1] - 1) - q")
def probe_with_clipped_answers(): ...


@probe.mistake("This is the median error. Wanted is the mean.")
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().median()")
def probe_with_the_median_error(): ...


@probe.mistake("You divide by T. Wanted is an error in positions.")
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().mean() / test.shape[1]")
def probe_with_errors_in_lengths(): ...


@probe.mistake(
    "You return an error for each position. Asked is one number, the mean over all rows.",
    breaks="a single number",
)
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().view(len(test), -1).mean(0)")
def probe_with_an_error_for_each_position(): ...
