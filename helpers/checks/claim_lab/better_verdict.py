"""Unit 09, “Better, seed by seed”: what people conclude from the differences."""

from __future__ import annotations

from helpers.checks.claim_lab.better import _ON, VERDICT, better, better_by_pivot
from helpers.checks.engine import changed
from helpers.claims import settle  # noqa: F401


@better.mistake(
    "The argument by has no effect on your verdict: you accept any gain.",
    loses=VERDICT,
    breaks='verdict": on "better by at least `by`"',
)
@changed(better_by_pivot, "low=by", "low=0")
def better_by_any_amount(): ...


@better.mistake(
    "The argument by has no effect on your verdict: you ask for 0.05, whatever by is.",
    loses=VERDICT,
    breaks='"ours is better by at least `by`"',
)
@changed(better_by_pivot, "low=by", "low=0.05")
def better_by_what_the_lesson_asks(): ...


@better.mistake(
    "Your interval has an upper end, but the claim names none. Mean + 2 standard deviations may "
    "well be above 1.",
    loses=VERDICT,
    breaks="A claim that says “at least” has no upper end",
)
@changed(better_by_pivot, "low=by", "low=by, high=1")
def better_with_an_upper_end(): ...


@better.mistake(
    "Your verdict goes by the mean difference alone. If ours is better with one seed and worse "
    "with the next, nothing is settled.",
    loses=VERDICT,
)
@changed(better_by_pivot, _ON, '"holds" if found.mean() >= by else "does not hold"')
def better_by_the_mean(): ...


@better.mistake(
    "One good seed is enough for your verdict. Whoever repeats the run will rarely be so lucky.",
    loses=VERDICT,
)
@changed(better_by_pivot, _ON, '"holds" if found.max() >= by else "does not hold"')
def better_with_the_best_seed(): ...


@better.mistake(
    "Your verdict judges the opposite claim. This one says that the gain is at least by.",
    loses=VERDICT,
)
@changed(better_by_pivot, "low=by", "high=by")
def better_or_worse(): ...


@better.mistake(
    "Your verdict rests on the spread of each encoding's own runs. Runs with the same seed belong "
    "together: the spread of the differences counts.",
    loses=VERDICT,
)
@changed(
    better_by_pivot,
    _ON,
    "settle([found.mean() + s * (wide[ours].var() + wide[other].var()) ** 0.5 * 0.5**0.5 "
    "for s in (-1, 1)], low=by)",
)
def better_without_pairs(): ...


@better.mistake(
    "Your verdict is the same whatever was measured. Let it follow from the differences.",
    loses=VERDICT,
)
@changed(better_by_pivot, _ON, '"not settled here"')
def better_by_heart(): ...


@better.mistake(
    "You change the table that you were given. Sort, drop rows or add columns in a copy of it.",
    breaks="`runs` stays as it is",
)
@changed(better_by_pivot, "    wide = ", "    runs.sort_values('seed', inplace=True)\n    wide = ")
def better_sorts_the_runs(): ...


@better.mistake(
    "You treat a by of 0 as if none were given. 0 counts as False: `by or …` and `if by` skip it.",
    loses=VERDICT,
)
@changed(better_by_pivot, "low=by", "low=by or 0.05")
def better_without_a_by_of_zero(): ...
