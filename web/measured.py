"""The pages of what was measured: claims with their verdicts, benchmarks, stored studies."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from helpers.results import RESULTS, load
from web.markdown import prose, raw, rows, table

PART = re.compile(r"(.+?): (.+) \(([^()]+)\): \*(.+)\*")  # as docs/claims.md has it
WRITTEN = re.compile(r"^Written by (?:.+\n)+", re.MULTILINE)
TITLES = {
    "relative_attention": "Relative attention: memory and time",
    "mini_bert": "Training a mini BERT: tokens per second",
    "generation": "Writing with a KV cache: seconds a token",
    "grading": "Grading: submissions per second",
    "sliders": "Sliders: from a key to a picture",
    "live_start": "Live BERT: seconds to the first answer",
}
OPEN = "Open a claim to see what was measured."
TARGETS = """\
`make bench` measures what the course promises of its own speed and memory, beside other libraries
in the same run, and writes whether each target was met. These are the stored results, with the day
and the machine of each.
"""
STORED = """\
`make study` repeats the sweeps, `make bench` the timings. Notebooks and pages draw what is stored
under `benchmarks/results/`.
"""


def claims(page: str) -> str:
    """docs/claims.md, with a fold for each claim in the place of its table, and a filter."""
    found = rows(page)
    title, head = page[: page.index("\n|")].split("\n", 1)
    told = Counter(each[3].strip("*") for each in found)
    choices = "".join(
        f'<label><input type="radio" name="verdict" value="{verdict}">{count} {_badge(verdict)}'
        f"</label><style>.filters:has([value='{verdict}']:checked) "
        f"~ .claim:not([data-verdict='{verdict}']) {{ display: none; }}</style>"
        for verdict, count in told.most_common()
    )
    filters = raw(
        '<fieldset class="filters"><legend>Verdict</legend>'
        f'<label><input type="radio" name="verdict" value="" checked>all {len(found)}</label>'
        f"{choices}</fieldset>"
    )
    return "\n\n".join([title, OPEN, filters, *map(_claim, found), "## What a verdict means", head])


def _claim(cells: list[str]) -> str:
    number, text, source, verdict, measured, why, reference, command = cells
    plain = verdict.strip("*")
    summary = f"<summary>{_badge(plain)} {number}. {prose(text)}</summary>"
    return "\n\n".join([
        raw(f'<details class="claim" id="claim-{number}" data-verdict="{plain}">{summary}'),
        why,
        "\n".join(f"- {_part(part)}" for part in measured.split("<br>")),
        f"Said in {source}. Primary reference: {reference}. To measure it again: {command}",
        raw("</details>"),
    ])  # fmt: skip


def _part(said: str) -> str:
    """A part of a claim as a sentence: its verdict, what it says, and the number that decides."""
    if found := PART.fullmatch(said):
        says, number, margin, verdict = found.groups()
        exact = "exact" if margin == "exact" else f"margin {margin}"
        return f"{verdict.capitalize()}: {says}. Measured: {number} ({exact})."
    return re.sub("^beside: (.*)", r"Measured besides, for no part of the claim: \1.", said)


def _badge(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def _met(told: Counter[str]) -> str:
    """How many targets were met, in a sentence."""
    return f"{told['met']} of {told['met'] + told['missed']} targets are met."


def findings_first(page: str) -> str:
    """A page of docs/ that a command writes, with what it says of itself at its end."""
    if found := WRITTEN.search(page):
        page = f"{page[: found.start()]}{page[found.end() :].rstrip()}\n\n---\n\n{found[0]}"
    return page


def benchmarks(folder: Path = RESULTS) -> str:
    """Targets that were met or missed, and a line for each stored result."""
    parts, all_told = [TARGETS], Counter[str]()
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        cells = [[line[:6].strip() or "beside", line[7:].strip()] for line in lines if line.strip()]
        told = Counter(each for each, _ in cells)
        all_told += told
        missed = [each for each in cells if each[0] == "missed"]
        parts += [
            f"## {TITLES.get(path.stem, path.stem)}",
            f"**{_met(told)}** {load(path.stem).note}",
            *([table(["target", "measured"], missed)] if missed else []),
            raw("<details><summary>All that was measured</summary>"),
            table(["target", "measured"], cells),
            raw("</details>"),
        ]
    parts = ["# Benchmarks", f"**{_met(all_told)}**", *parts]
    stored = []
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        machine = record["machine"]
        where = f"{machine['device']}, {machine['threads']} thread(s), PyTorch {machine['torch']}"
        size = f"{len(record['rows']):,}"
        stored.append([f"`{path.name}`", record["date"], where, f"`{record['command']}`", size])
    parts += ["## All stored results", STORED]
    parts.append(table(["file", "recorded", "machine", "command", "rows"], stored))
    return "\n\n".join(parts)
