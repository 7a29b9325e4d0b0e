"""The card of an encoding: what a race has found, as JSON, Markdown and HTML."""

from __future__ import annotations

import datetime
import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from helpers import plots, runtime
from helpers.encodings import hooks_of
from helpers.race.costs import costs
from helpers.race.distances import distances, picture, summary, table
from helpers.race.entrant import Entrant
from helpers.race.likeness import nearest
from helpers.race.properties import properties
from helpers.race.rules import RATES, VERSION, Budget

Runs = list[dict[str, Any]]
STYLE = """\
:root { color-scheme: light dark }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
div { overflow-x: auto } table { border-collapse: collapse }
th, td { padding: .2rem .7rem; text-align: left; border-bottom: 1px solid #8888 }
img { max-width: 100%; height: auto }"""
DISTANCE = (
    "0 is the lowest loss that any model can have on this text, 1 the loss without positions; "
    "above 1 is worse than without. Mean over the seeds, ± half of its 95 % confidence interval, "
    "at 1, 2, 4 and 8 times the training length. ≈ marks a rival from which this encoding is not "
    "told apart: the interval of their difference, seed by seed, holds 0."
)


class Section(NamedTuple):
    """A part of the card."""

    title: str
    text: str
    table: pd.DataFrame | None = None


@dataclass(frozen=True)
class Card:
    """What was found of an encoding; `found` can be written as JSON."""

    found: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the class."""
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
        lines = [f"# {_cell(self.name)}", "", _cell(_about(self.found))]
        for title, text, rows in self._sections():
            lines += ["", f"## {title}", "", _cell(text)]
            if rows is not None:
                cells = [[*rows.columns], *rows.astype(object).to_numpy().tolist()]
                head, *body = (f"| {' | '.join(map(_cell, each))} |" for each in cells)
                lines += ["", head, "| --- " * len(rows.columns) + "|", *body]
        return "\n".join(lines) + "\n"

    _repr_markdown_ = markdown  # what a notebook shows

    def page(self) -> str:
        """Return the card as a page of HTML that needs no other file."""
        figure, alt = picture(distances(self.found["scored"]))
        shown = f'<img src="{plots.svg(figure)}" alt="{html.escape(alt)}">'
        parts = [
            f"<h1>{html.escape(self.name)}</h1><p>{html.escape(_about(self.found))}</p>",
            shown,
        ]
        with pd.option_context("display.max_colwidth", None):
            for title, text, rows in self._sections():
                parts.append(f"<h2>{title}</h2><p>{html.escape(text)}</p>")
                if rows is not None:
                    drawn = rows.to_html(index=False, border=0, justify="left")
                    group = f'<div role="group" aria-label="{title}" tabindex="0">'
                    parts.append(f"{group}{drawn}</div>")
        head = f"<title>{html.escape(self.name)}</title><style>{STYLE}</style>"
        meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        body = "\n".join(parts)
        whole = f'<html lang="en"><head>{meta}{head}</head>\n<body>{body}</body></html>'
        return f"<!DOCTYPE html>\n{whole}\n"

    def _sections(self) -> list[Section]:
        found = self.found
        rows = pd.DataFrame(found["properties"])
        rows["holds"] = rows["holds"].map({True: "yes", False: "no"})
        price = pd.DataFrame(found["costs"]["steps"]).round(2)
        near = ", ".join(f"{name} ({far:.3f})" for name, far in found["nearest"])
        sections = [
            Section("Distance to the limit", DISTANCE, table(found["distances"])),
            Section("Properties", "Found by test, on small models, not by claim.", rows),
            Section(
                "Costs",
                f"{found['costs']['parameters']:,} parameters. A training step beside one without "
                "positions (×):",
                price.rename(columns={"length": "tokens"}),
            ),
            Section("Most alike", f"By what attention does with it (0 is the same): {near}."),
            Section("Training", *_training(found)),
        ]
        refusals = _refusals(found["scored"], self.name)
        if refusals:
            sections.insert(1, Section("Not told", " ".join(refusals)))
        return sections


def made(mine: Entrant, budget: Budget, swept: Runs, scored: Runs) -> Card:
    """Return the card of an encoding from the runs of the race, after the tests beside them."""
    kind = mine.kind()
    about = {
        "name": mine.name,
        "says": " ".join((kind.__doc__ or "").split("\n\n")[0].split()),
        "hooks": [*hooks_of(kind)],
        "code": mine.digest(),
    }
    found = {
        "version": VERSION,
        "date": datetime.date.today().isoformat(),
        "machine": runtime.machine(),
        "budget": budget._asdict(),
        "encoding": about,
        "distances": summary(scored, mine.name),
        "properties": [each._asdict() for each in properties(mine.build)],
        "costs": costs(mine.build),
        "nearest": nearest(mine.build),
        "swept": swept,
        "scored": scored,
    }
    return Card(json.loads(json.dumps(found, allow_nan=False)))  # as it will be read


def _about(found: dict[str, Any]) -> str:
    encoding, budget, machine = found["encoding"], found["budget"], found["machine"]
    hooks = ", ".join(encoding["hooks"]) or "none"
    return (
        f"{encoding['says']} Hooks: {hooks}. {found['version']}, {budget['name']}: "
        f"{budget['steps']} steps, {budget['seeds']} seeds. {found['date']}, {machine['device']}, "
        f"PyTorch {machine['torch']}."
    ).strip()


def _training(found: dict[str, Any]) -> tuple[str, pd.DataFrame]:
    """The rates that the sweep chose, and the minutes of the processor that it all took."""
    scored, swept = pd.DataFrame(found["scored"]), pd.DataFrame(found["swept"])
    rates = scored.drop_duplicates(["encoding", "task"]).pivot(
        index="encoding", columns="task", values="lr"
    )
    rows = rates.map("{:g}".format)[[*found["budget"]["tasks"]]]
    for name, runs in (("sweep, min", swept), ("scored, min", scored)):
        rows[name] = (runs.groupby("encoding")["seconds"].sum() / 60).round(2)
    rates_tried = ", ".join(f"{rate:g}" for rate in RATES)
    text = (
        f"Learning rates by the same sweep for all, of {rates_tried}, on another draw of each "
        "language; and minutes of the processor, all tasks and seeds together."
    )
    return text, rows.rename_axis(columns=None).reset_index()


def _refusals(scored: Runs, name: str) -> list[str]:
    """What tasks tell beside the tokens and the encoding refuses."""
    told = {run["task"]: run["refusal"] for run in scored if run["encoding"] == name}
    return [
        f"{task}: it refuses what the task tells beside the tokens ({why}), and reads only these."
        for task, why in told.items()
        if why
    ]


def _cell(value: object) -> str:
    """Return a text that Markdown takes as it is."""
    text = " ".join(str(value).split())
    for sign in "\\|*_`<[":
        text = text.replace(sign, f"\\{sign}")
    return text
