"""Unit 06, “A fair probe”: wrong errors from a right fit, and fits that are nearly right."""

from __future__ import annotations

from helpers.checks.engine import changed
from helpers.checks.stacking.probe import HARD, LENGTH, RIDGE, probe, probe_of_states


@probe.mistake(
    "This is the mean squared error. Return the mean absolute error, which is in positions.",
    breaks="returns the mean absolute error on `test`",
)
@changed(probe_of_states, "errors.abs().mean()", "errors.square().mean()")
def probe_with_squared_errors(): ...


@probe.mistake("This is the root mean square error. Return the mean of the absolute values.")
@changed(probe_of_states, "errors.abs().mean()", "errors.square().mean().sqrt()")
def probe_with_the_root_of_squared_errors(): ...


@probe.mistake("Positive and negative errors cancel in your mean. Take absolute values first.")
@changed(probe_of_states, "errors.abs().mean()", "errors.mean()")
def probe_with_signed_errors(): ...


@probe.mistake("Positive and negative errors cancel in your sum. Take absolute values first.")
@changed(probe_of_states, "errors.abs().mean()", "errors.mean().abs()")
def probe_with_the_size_of_the_mean_error(): ...


@probe.mistake(
    "You round the predictions of the probe. Leave them as they are: 3.4 misses 3 by 0.4.",
    breaks="Do not round or clip the probe's answers",
)
@changed(probe_of_states, "z @ w - q", "(z @ w).round() - q")
def probe_with_rounded_answers(): ...


@probe.mistake(
    "You clip the predictions of the probe to the positions of the text. Leave them as they are: "
    "−1 misses 0 by 1.",
    breaks="Do not round or clip the probe's answers",
)
@changed(probe_of_states, "z @ w - q", "(z @ w).clamp(0, test.shape[1] - 1) - q")
def probe_with_clipped_answers(): ...


@probe.mistake("This is the median error. Return the mean.")
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().median()")
def probe_with_the_median_error(): ...


@probe.mistake("You divide by T. The error is counted in positions, so leave it as it is.")
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().mean() / test.shape[1]")
def probe_with_errors_in_lengths(): ...


@probe.mistake(
    "You return an error for each position. Return one number, the mean over all rows.",
    breaks="a single number",
)
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().view(len(test), -1).mean(0)")
def probe_with_an_error_for_each_position(): ...


@probe.mistake(
    "You fit the probe on train and test together, so it has already seen what it is judged on. "
    "Fit it on train alone.",
    breaks="It fits $w$ on `train` by the formula above",
)
@changed(
    probe_of_states,
    "    w = torch",
    "    pair = [torch.cat([s, torch.ones_like(s[..., :1])], -1) for s in (train, test)]"
    "; z = torch.cat([s.flatten(0, 1) for s in pair])"
    "; p = torch.cat([torch.arange(s.shape[1]).repeat(len(s)) for s in (train, test)]).to(z)"
    "\n    w = torch",
)
def probe_fitted_on_both(): ...


@probe.mistake(
    "Your ridge grows with the number of rows, as if the squares were averaged. The formula adds "
    "λI as it is."
)
@changed(probe_of_states, "+ ridge *", "+ ridge * len(z) *")
def probe_with_a_ridge_for_each_row(): ...


@probe.mistake(
    "You cut longer test sequences down to the training length. All their positions count.",
    loses=(LENGTH, RIDGE, HARD),
)
@changed(
    probe_of_states,
    "    z = torch.cat([train",
    "    test = test[:, : train.shape[1]]; z = torch.cat([train",
)
def probe_of_shortened_tests(): ...


@probe.mistake(
    "You do not let the ridge fall below some value. It may be any positive number, such as 1e-9.",
    loses=HARD,
    breaks="any positive number",
)
@changed(probe_of_states, "+ ridge *", "+ max(ridge, 1e-6) *")
def probe_with_a_smallest_ridge(): ...


@probe.mistake(
    "You do not let the ridge rise above some value. It may be any positive number, such as 500.",
    loses=RIDGE,
    breaks="any positive number",
)
@changed(probe_of_states, "+ ridge *", "+ min(ridge, 100.0) *")
def probe_with_a_largest_ridge(): ...


@probe.mistake(
    "Your weights have passed through float32. Where the states are nearly alike, the weights are "
    "large and their seventh digit counts. Keep the precision of the states.",
    loses=HARD,
)
@changed(probe_of_states, "errors = z @ w - q", "errors = z @ w.float().to(z) - q")
def probe_with_weights_in_single_precision(): ...


@probe.mistake(
    "You return a tensor of shape (1,). Return a single number: a float, or a tensor without an "
    "axis.",
)
@changed(probe_of_states, "errors.abs().mean()", "errors.abs().mean()[None]")
def probe_in_a_tensor_with_an_axis(): ...
