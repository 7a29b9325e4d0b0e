"""The page of the race's board: a table for each task, from the records of all encodings."""

from __future__ import annotations

import html
from pathlib import Path

import pandas as pd

from benchmarks.race_study import FOLDER, board
from helpers.encodings import HOOKS, REGISTRY, available, hooks_of
from helpers.race.distances import distances, interval, picture
from helpers.race.rules import TIMES
from web.encodings import FAMILIES, told
from web.markdown import raw
from web.outputs import Outputs

SORT = Path(__file__).parent.parent / "helpers" / "course" / "pages" / "templates" / "sort.js"
DRAWN = ("none", "sinusoidal", "shaw_keys", "alibi", "rotary", "window")
HEAD = """\
# The board of the race

How far each encoding is from the exact limit, by [the rules of the race](race.md): 0 is the lowest
loss that any model can have, 1 the loss without positions, on texts of 1, 2, 4 and 8 times the
training length; mean and 95 % interval over the seeds. In brackets stands the place: one more
than the number of encodings that are better by more than chance, seed by seed. An = marks those
that share one. Among so many pairs, one in forty is called better by chance alone.

**{here} of {all} encodings are recorded.** {missing}`python -m benchmarks.race_study NAME` records
one.
"""


def places(rows: pd.DataFrame) -> pd.DataFrame:
    """Return mean, half of the interval and place, by measure, length and encoding.

    They are NaN where a seed has no loss.

    Args:
        rows: of `distances`.
    """
    tables = []
    for (measure, times), found in rows.groupby(["measure", "times"], sort=False):
        by_seed = found.pivot(index="seed", columns="encoding", values="distance")
        table = interval(by_seed)
        for name in by_seed:
            apart = interval(by_seed.sub(by_seed[name], axis=0))
            table.loc[name, "place"] = 1 + (apart["mean"] + apart["half"] < 0).sum()
        table["place"] = table["place"].where(table["mean"].notna())
        tables.append(table.assign(measure=measure, times=times))
    return pd.concat(tables).rename_axis("encoding").set_index(["measure", "times"], append=True)


def page(outputs: Outputs, folder: Path = FOLDER) -> str:
    """Return the page as Markdown."""
    rows = board(folder)
    names = rows["encoding"].unique().tolist() if len(rows) else []
    missing = ", ".join(name for name in available() if name not in names)
    head = HEAD.format(
        here=len(names),
        all=len(available()),
        missing=missing and f"Missing: {missing}. ",
    )
    if "none" not in names:  # beside which all others are measured
        return head
    rows = distances(rows)
    found = places(rows)
    tables = "".join(_table(measure, names, found) for measure in rows["measure"].unique())
    families = {family: [n for n in names if n in all_] for family, all_ in FAMILIES.items()}
    hooks = {hook: [n for n in names if hook in hooks_of(REGISTRY[n].kind)] for hook in HOOKS}
    sort = SORT.read_text(encoding="utf-8")
    drawn = rows[rows["encoding"].isin(DRAWN)]
    return "\n\n".join([
        head,
        raw(outputs.picture(*picture(drawn))),
        raw(_filters({**hooks, **families}) + tables + f"<script>{sort}</script>"),
    ])  # fmt: skip


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
        '<fieldset class="filters"><legend>Show, by hook or family</legend>'
        f'<label><input type="radio" name="group" value="" checked>all</label>{"".join(choices)}'
        "</fieldset>"
    )


def _table(measure: str, names: list[str], found: pd.DataFrame) -> str:
    """Return a fold with the table of one measure; a click on a length sorts by the places."""
    heads = "".join(f'<th class="n">{times}×</th>' for times in TIMES)
    body = []
    by_place = found.xs((measure, 1), level=("measure", "times"))["place"].reindex(names)
    for name in by_place.sort_values(kind="stable").index:  # those without a loss come last
        link = f'<a href="../encodings/{name}.html">{html.escape(told(name)["title"])}</a>'
        cells = "".join(_cell(found.loc[(name, measure, n)], found, measure, n) for n in TIMES)
        body.append(f'<tr data-name="{name}"><td>{link}</td>{cells}</tr>')
    return (
        f"<details{' open' if measure == 'lag' else ''}><summary>{measure}</summary>"
        f'<div class="pst-scrollable-table-container"><table class="table sortable"><thead><tr>'
        f"<th>encoding</th>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table></div></details>"
    )


def _cell(row: pd.Series, found: pd.DataFrame, measure: str, times: int) -> str:
    if pd.isna(row["mean"]):
        return '<td data-key="99">no loss</td>'
    shared = (found.xs((measure, times), level=("measure", "times"))["place"] == row["place"]).sum()
    place = f"{'=' if shared > 1 else ''}{row['place']:.0f}"
    said = f"{row['mean']:.2f}&nbsp;±&nbsp;{row['half']:.2f} ({place})".replace("-", "−")
    return f'<td data-key="{row["place"]:.0f}">{said}</td>'
