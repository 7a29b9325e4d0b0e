"""The page of the race's board: a table for each task, from the records of all encodings."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.race_study import FOLDER, recorded
from helpers.encodings import HOOKS, REGISTRY, available, hooks_of
from helpers.race.distances import board_table, distances, picture, places
from helpers.race.rules import TIMES
from web.encodings import FAMILIES, told
from web.markdown import prose, raw
from web.outputs import Outputs

SORT = Path(__file__).parent.parent / "helpers" / "course" / "pages" / "templates" / "sort.js"
LAST = 99  # sorts what has no loss
# As the other pictures of the course name and colour them.
DRAWN = {
    "none": "none",
    "sinusoidal": "sinusoidal",
    "shaw_keys": "Shaw keys",
    "alibi": "ALiBi",
    "rotary": "RoPE",
    "window": "window",
}
HEAD = """\
# The board of the race
{found}
*Distance* is how far a loss is from the exact limit, by [the rules of the race](race.md), on texts
of 1, 2, 4 and 8 times the training length: 0 is the lowest loss that any model can have, 1 the loss
without positions.
"""
CELLS = """\
## Every encoding

A cell such as “0.03 ± 0.01 (=2)” has the mean over the seeds, its 95 % interval and, in brackets,
the place. Here one encoding is better by more than chance, seed by seed, so the place is 2, and the
= says that others have the same place. Among so many pairs, one in forty is called better by chance
alone. The columns are lengths of the texts; a click on one sorts by the places.
"""
RECORDED = """\
## What is recorded

**{here} of {all} encodings are recorded.** {missing}`python -m benchmarks.race_study NAME` records
one, and [the rules](race.md) say how to add one of your own. {more}
"""


def page(outputs: Outputs, folder: Path = FOLDER) -> str:
    """Return the page as Markdown."""
    records = recorded(folder)
    names = [*records]
    contributed = [name for name in names if name not in REGISTRY]
    missing = ", ".join(name for name in available() if name not in names)
    more = f"Contributed, with code in their records: {', '.join(contributed)}."
    facts = {
        "here": len(names) - len(contributed),
        "all": len(available()),
        "missing": missing and f"Missing: {missing}. ",
        "more": more * bool(contributed),
    }
    if "none" not in names:  # beside which all others are measured
        return f"{HEAD.format(found='')}\n{RECORDED.format(**facts)}"
    rows = distances(pd.DataFrame([row for each in records.values() for row in each["rows"]]))
    found = places(rows)
    tables = "".join(_table(measure, found) for measure in rows["measure"].unique())
    families = {family: [n for n in names if n in all_] for family, all_ in FAMILIES.items()}
    families["contributed"] = contributed
    own = {n: hooks_of(REGISTRY[n].kind) if n in REGISTRY else records[n]["hooks"] for n in names}
    hooks = {hook: [n for n in names if hook in own[n]] for hook in HOOKS}
    sort = SORT.read_text(encoding="utf-8")
    drawn = rows.assign(encoding=rows["encoding"].map(DRAWN)).dropna(subset="encoding")
    first = f"\n{_first(found['place'])}\n\n{raw(outputs.picture(*picture(drawn)))}\n"
    return "\n\n".join([
        HEAD.format(found=first),
        CELLS,
        raw(_filters({**hooks, **families}) + tables + f"<script>{sort}</script>"),
        RECORDED.format(**facts),
    ])  # fmt: skip


def _title(name: str) -> str:
    """Return what people call an encoding; one that was contributed has its name alone."""
    return told(name)["title"] if name in REGISTRY else name


def _first(place: pd.Series) -> str:
    """Return a sentence: who is first on most measures, at the shortest length and the longest."""
    count, parts = place.index.get_level_values("measure").nunique(), []
    for times in (TIMES[0], TIMES[-1]):
        often = (place.xs(times, level="times") == 1).groupby(level="encoding").sum()
        best = [*map(_title, often.index[often == often.max()])]
        several = len(best) > 1
        who = f"{', '.join(best[:-1])}{' and ' * several}{best[-1]} {'are' if several else 'is'}"
        parts.append((who, f"{often.max()} of {count} measures{' each' * several}"))
    (short, at_once), (long, later) = parts
    return (
        f"**At the training length, {short} first on {at_once}; at {TIMES[-1]} times that length, "
        f"{long}, on {later}.** An encoding is first where none beats it by more than chance, so "
        "several can be."
    )


def _filters(groups: dict[str, list[str]]) -> str:
    """Return a choice between groups of encodings; the others' rows are then hidden."""
    choices = []
    for title, members in groups.items():
        if members:
            shown = ",".join(f"[data-name='{name}']" for name in members)
            choices.append(
                f'<label><input type="radio" name="group" value="{title}">{title}</label>'
                f'<style>.filters:has([value="{title}"]:checked) ~ details '
                f"tbody tr:not({shown}) {{ display: none; }}</style>"
            )
    return (
        '<fieldset class="filters"><legend>Hook or family</legend>'
        f'<label><input type="radio" name="group" value="" checked>all</label>{"".join(choices)}'
        "</fieldset>"
    )


def _table(measure: str, found: pd.DataFrame) -> str:
    """Return a fold with the table of one measure; a click on a length sorts by the places."""
    heads = "".join(f'<th class="n">{times}×</th>' for times in TIMES)
    body = []
    for name, cells in board_table(found, measure).iterrows():
        link = prose(_title(str(name)))
        if name in REGISTRY:
            link = f'<a href="../encodings/{name}.html">{link}</a>'
        place = found["place"].fillna(LAST)
        columns = "".join(
            f'<td data-key="{place[name, measure, times]:.0f}">{cells[times]}</td>'
            for times in TIMES
        )
        body.append(f'<tr data-name="{name}"><td>{link}</td>{columns}</tr>')
    return (
        f"<details{' open' if measure == 'lag' else ''}><summary>{measure}</summary>"
        f'<div class="pst-scrollable-table-container"><table class="table sortable"><thead><tr>'
        f"<th>encoding</th>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div></details>"
    )
