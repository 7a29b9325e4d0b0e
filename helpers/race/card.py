"""The card of an encoding: what a race has found, as JSON, Markdown and HTML."""

from __future__ import annotations

import datetime
import html
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from helpers import plots, runtime
from helpers.encodings import hooks_of
from helpers.race.costs import costs
from helpers.race.distances import distances, picture, summary, table
from helpers.race.entrant import Entrant
from helpers.race.likeness import nearest
from helpers.race.properties import properties
from helpers.race.rules import RATES, VERSION, Budget
from helpers.race.runs import NOTHING

PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title><style>
:root {{ color-scheme: light dark }}
body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui }}
div {{ overflow-x: auto }}
table {{ border-collapse: collapse }}
th, td {{ padding: .2rem .7rem .2rem 0; text-align: left; vertical-align: top }}
td {{ white-space: nowrap }}
td:first-child, td:last-child {{ white-space: normal }}
td:last-child {{ min-width: 12rem }}
tr {{ border-bottom: 1px solid #8888 }}
</style></head><body>
<h1>{name}</h1>
<p>{about}</p>
{body}
</body></html>
"""
SCROLLS = '<div role="group" aria-label="{title}" tabindex="0">{inside}</div>'
DISTANCE = (
    "0 is the lowest loss that any model can have on this text, 1 the loss without positions; "
    "above 1 is worse than without. Mean over the seeds, ± half of its 95 % confidence interval, "
    "at 1, 2, 4 and 8 times the training length. ≈ marks a rival from which this encoding is not "
    "told apart: the interval of their difference, seed by seed, holds 0."
)
OF_ENGLISH = " Of English no limit is known: there 0 would be a loss of 0."
REFUSALS = (
    "Where an encoding refuses what a task tells beside the tokens, it reads the tokens alone; "
    "where it refuses these too, it reads nothing, and has no distance."
)
TRAINING = (
    "Learning rates by the same sweep for all, of {rates}, on another draw of each language; and "
    "minutes of the processor, all tasks and seeds together."
)
Section = tuple[str, str, pd.DataFrame | None]  # title, text, table


@dataclass(frozen=True)
class Card:
    """What was found of an encoding; `found` can be written as JSON."""

    found: dict[str, Any]

    @property
    def name(self) -> str:
        """Return the name of the class."""
        return str(self.found["encoding"]["name"])

    def save(self, folder: Path) -> list[Path]:
        """Write NAME.html, NAME.md and NAME.json into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        whole = json.dumps(self.found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        texts = {"html": self.page(), "md": self.markdown(), "json": whole}
        paths = [folder / f"{self.name}.{kind}" for kind in texts]
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8")
        return paths

    def markdown(self) -> str:
        """Return the card as Markdown."""
        lines = [f"# {_cell(self.name)}", "", _cell(self._about())]
        for title, text, rows in self._sections():
            lines += ["", f"## {title}", "", _cell(text)]
            if rows is not None:
                cells = [[*rows.columns], *rows.to_numpy().tolist()]
                head, *body = (f"| {' | '.join(map(_cell, each))} |" for each in cells)
                lines += ["", head, "| --- " * len(rows.columns) + "|", *body]
        return "\n".join(lines) + "\n"

    _repr_markdown_ = markdown  # what a notebook shows

    def page(self) -> str:
        """Return the card as a page of HTML that needs no other file."""
        figure, alt = picture(distances(pd.DataFrame(self.found["scored"])))
        image = f'<img src="{plots.svg(figure)}" alt="{html.escape(alt)}">'
        parts = [SCROLLS.format(title="Distance by length", inside=image)]
        with pd.option_context("display.max_colwidth", None):
            for title, text, rows in self._sections():
                parts.append(f"<h2>{title}</h2>\n<p>{html.escape(text)}</p>")
                if rows is not None:
                    inside = rows.to_html(index=False, border=0, justify="left")
                    parts.append(SCROLLS.format(title=title, inside=inside))
        name, about = html.escape(self.name), html.escape(self._about())
        return PAGE.format(name=name, about=about, body="\n".join(parts))

    def _about(self) -> str:
        encoding, budget, machine = (self.found[key] for key in ("encoding", "budget", "machine"))
        hooks = ", ".join(encoding["hooks"]) or "none"
        return (
            f"{encoding['says']} Hooks: {hooks}. {self.found['version']}, {budget['name']}: "
            f"{budget['steps']} steps, {budget['seeds']} seeds. {self.found['date']}, "
            f"{machine['device']}, PyTorch {machine['torch']}."
        ).strip()

    def _sections(self) -> Iterator[Section]:
        found = self.found
        text = DISTANCE + OF_ENGLISH * ("english" in found["budget"]["tasks"])
        yield "Distance to the limit", text, table(pd.DataFrame(found["distances"]))
        scored = pd.DataFrame(found["scored"])
        own = scored[(scored["encoding"] == self.name) & (scored["refused"] != NOTHING)]
        if len(own):
            refused = own.drop_duplicates("task")[["task", "refused"]]
            yield "Refused", REFUSALS, refused
        rows = pd.DataFrame(found["properties"])
        rows["holds"] = rows["holds"].map({True: "yes", False: "no"})
        yield "Properties", "Found by test, on small models, not by claim.", rows
        text = f"{found['costs']['parameters']:,} parameters. A step beside one without positions:"
        steps = pd.DataFrame(found["costs"]["steps"], columns=["length", "time", "memory"])
        cells = steps[["time", "memory"]].map("{:.2f}×".format)
        yield "Costs", text, cells.assign(tokens=steps["length"])[["tokens", "time", "memory"]]
        near = ", ".join(f"{name} ({far:.3f})" for name, far in found["nearest"]) or "not known"
        yield "Most alike", f"By what attention does with it (0 is the same): {near}.", None
        text = TRAINING.format(rates=", ".join(f"{rate:g}" for rate in RATES))
        yield "Training", text, _training(scored, pd.DataFrame(found["swept"]))


def make_card(mine: Entrant, budget: Budget, swept: pd.DataFrame, scored: pd.DataFrame) -> Card:
    """Return the card of an encoding from the runs of the race, after the tests beside them."""
    kind = mine.kind()
    about = {
        "name": mine.name,
        "says": " ".join((kind.__doc__ or "").split("\n\n")[0].split()),
        "hooks": [*hooks_of(kind)],
        "code": mine.code,
    }
    found = {
        "version": VERSION,
        "date": datetime.date.today().isoformat(),
        "machine": runtime.machine(),
        "budget": budget._asdict(),
        "encoding": about,
        "distances": _records(summary(scored, mine.name)),
        "properties": [each._asdict() for each in properties(mine.build)],
        "costs": costs(mine.build),
        "nearest": nearest(mine.build),
        "swept": _records(swept),
        "scored": _records(scored),
    }
    return Card(json.loads(json.dumps(found, allow_nan=False)))  # as it will be read


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows as JSON has them: null where there is no number."""
    return list(json.loads(rows.to_json(orient="records", double_precision=15)))


def _training(scored: pd.DataFrame, swept: pd.DataFrame) -> pd.DataFrame:
    """Return the rates that the sweep chose, and the minutes of the processor that it all took."""
    rates = scored.pivot_table("lr", "encoding", "task", aggfunc="first", sort=False)
    rows = rates.map("{:g}".format)
    for name, runs in (("sweep, min", swept), ("scored, min", scored)):
        each = runs.drop_duplicates(["encoding", "task", "seed", "lr"])
        minutes = each.groupby("encoding")["seconds"].sum() / 60
        rows[name] = minutes.map("{:.2f}".format)
    return rows.rename_axis(columns=None).reset_index()


def _cell(value: object) -> str:
    """Return a text that Markdown takes as it is."""
    text = " ".join(str(value).split())
    for sign in "\\|*_`<[":
        text = text.replace(sign, f"\\{sign}")
    return text
