"""Unit 09, “Offsets, and nothing else?”: what people return besides the ratios."""

from __future__ import annotations

from helpers.checks.claim_lab.offsets import RATIO, VERDICT, offsets, offsets_by_diagonals
from helpers.checks.engine import changed
from helpers.claims import settle  # noqa: F401

_ON = "settle(ratio, high=0.01)"


@offsets.mistake(
    "One number for all matrices cannot show how far apart they are. Return r for each of them.",
    breaks='`"ratio"`, a list',
    loses=RATIO,
)
@changed(
    offsets_by_diagonals, '{"ratio": torch.tensor(ratio)', '{"ratio": torch.tensor(ratio).mean()'
)
def offsets_in_one_number(): ...


@offsets.mistake(
    "Your ratios are sorted. The first one belongs to the first matrix.",
    loses=RATIO,
    breaks='{"ratio": r for each matrix',
)
@changed(
    offsets_by_diagonals, '{"ratio": torch.tensor(ratio)', '{"ratio": torch.tensor(sorted(ratio))'
)
def offsets_in_another_order(): ...


@offsets.mistake(
    "Your verdict judges the opposite claim. This one says that the spread is at most 0.01.",
    loses=VERDICT,
    breaks='`"verdict"`, on the claim',
)
@changed(offsets_by_diagonals, _ON, "settle(ratio, low=0.01)")
def offsets_upside_down(): ...


@offsets.mistake(
    "Your interval has a lower end, 0, but the claim names none. Mean − 2 standard deviations may "
    "well be below 0.",
    loses=VERDICT,
    breaks="A claim that says “at most” has no lower end",
)
@changed(offsets_by_diagonals, _ON, "settle(ratio, 0, 0.01)")
def offsets_with_a_lower_end(): ...


@offsets.mistake(
    "Your verdict goes by the mean ratio alone. Matrices that disagree settle nothing.",
    loses=VERDICT,
    breaks="each matrix's $r$ in the place of one seed's value",
)
@changed(
    offsets_by_diagonals, _ON, '"holds" if sum(ratio) / len(ratio) <= 0.01 else "does not hold"'
)
def offsets_by_the_mean(): ...


@offsets.mistake(
    "Your verdict asks whether every ratio is small enough. It should go by mean ± 2 standard "
    "deviations, as decide does.",
    loses=VERDICT,
)
@changed(
    offsets_by_diagonals,
    _ON,
    '"holds" if max(ratio) <= 0.01 else "does not hold" if min(ratio) > 0.01 '
    'else "not settled here"',
)
def offsets_by_every_matrix(): ...


@offsets.mistake(
    "Your verdict rests on the first matrix alone. Another may say something else.",
    loses=VERDICT,
)
@changed(offsets_by_diagonals, _ON, "settle(ratio[:1], high=0.01)")
def offsets_settled_by_one_matrix(): ...


@offsets.mistake(
    "Your verdict is the same whatever was measured. Some matrices keep offsets: let it "
    "follow from the ratios.",
    loses=VERDICT,
)
@changed(offsets_by_diagonals, _ON, '"does not hold"')
def offsets_by_heart(): ...
