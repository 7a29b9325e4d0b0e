"""docs/claims.md: every claim, its verdict and the numbers it rests on.

Run `python -m helpers.claims.table`; a test compares the page with what this would write.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helpers import results
from helpers.claims import CLAIMS, Claim, study
from helpers.claims.study import short

PATH = Path(__file__).parent.parent.parent / "docs" / "claims.md"

HEAD = """\
# What is said about positions, and what was measured

Written by `python -m helpers.claims.table` from the recorded study of {seeds} seeds, fewer where a
claim says so. {note}

Each claim is said in the course's words, with the kind of text that makes it. It is split into
parts, and each part is an interval in which a number would have to lie. A part **holds** where mean
± 2 standard deviations lies inside, **does not hold** where all of that lies outside, and is **not
settled here** otherwise. A claim with some parts that hold and others that don't **holds in part**.
*Margin* is how far the nearest of the seeds is from the end of the interval that it would have to
cross. Wherever a part is settled, no seed crosses one, no three seeds give another verdict, and if
the seeds differ, the margin is at least {margin} standard deviations. *beside* stand numbers that
no part is about. The command measures again, on three seeds where chance plays a part. Claims
without a number were read, not measured: there the paper decides. Claims 1 to 24 and 33 are those
of unit 09; the others are of today, and some of them read the record of a longer study, or of
[the race](race.md), which has three seeds.

Losses and accuracies are those of encoders that train in a second, on tasks that are about
nothing but positions. They show what can happen and why. They do not show that it is so in a
large model.
"""
MARGIN = 2  # is tested
SEEDS = 20  # of most claims
COLUMNS = (
    *("#", "claim", "said in", "verdict", "number ± spread (margin)", "why"),
    *("primary reference", "command"),
)


def numbers(claim: Claim) -> str:
    """What each part says, its mean ± spread over the seeds, and its verdict."""
    if claim.measurement is None:
        return "read, not measured"
    table = study.rows(claim.number)
    lines = []
    for part in claim.parts:
        values = table[part.number].tolist()
        found = study.mean(claim.number, part.number)
        margin = "exact" if part.low == part.high else short(part.margin(values))
        lines.append(f"{part.says}: {found} {part.unit} ({margin}): *{part.verdict(values)}*")
    return "<br>".join([*lines, *_beside(claim, list(table)), *_seeds(claim, len(table))])


def _beside(claim: Claim, columns: list[str]) -> Iterator[str]:
    """One line with what was measured and is no part of the claim."""
    others = [name for name in columns if name not in ("seed", *(p.number for p in claim.parts))]
    if others:
        found = [f"{name} {study.mean(claim.number, name)}" for name in others]
        yield f"beside: {'; '.join(found)}"


def _seeds(claim: Claim, seeds: int) -> Iterator[str]:
    """One line where there are fewer of them, or where another study has the numbers."""
    if claim.record:
        yield f"read from the record `{claim.record}.json`, {seeds} seeds"
    elif seeds != SEEDS:
        yield f"{seeds} seeds"


def row(claim: Claim) -> list[str]:
    """The cells of one claim."""
    table = None if claim.measurement is None else study.rows(claim.number)
    command = f"`python -m helpers.claims {claim.number}`"
    cells = [str(claim.number), claim.text, claim.source, f"**{claim.verdict(table)}**"]
    return [*cells, numbers(claim), claim.why, claim.reference, command]


def page() -> str:
    """The whole page."""
    lines = [COLUMNS, ["---"] * len(COLUMNS), *map(row, CLAIMS.values())]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    head = HEAD.format(note=results.load("claims").note, margin=MARGIN, seeds=SEEDS)
    return f"{head}\n{table}\n"


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
    print(PATH)
