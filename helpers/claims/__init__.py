"""The claim lab: what is said about positions, measured, with a verdict that follows from it.

`CLAIMS[7].measure()` gives a row for each seed, `CLAIMS[7].verdict(rows)` what follows. The same
from a shell: `python -m helpers.claims 7`.
"""

from helpers.claims import answers, forum, longer, ranking, slides, today
from helpers.claims.claim import FAILS, HOLDS, OPEN, PARTLY, VERDICTS, Claim, Part, overall, settle

_ALL = (
    *(*forum.CLAIMS, *slides.CLAIMS, *answers.CLAIMS),
    *(*today.CLAIMS, *longer.CLAIMS, *ranking.CLAIMS),
)
CLAIMS = {each.number: each for each in sorted(_ALL, key=lambda claim: claim.number)}

__all__ = [
    "CLAIMS",
    "FAILS",
    "HOLDS",
    "OPEN",
    "PARTLY",
    "VERDICTS",
    "Claim",
    "Part",
    "overall",
    "settle",
]
