"""The pages of what was measured: claims with their verdicts, benchmarks, stored studies."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from helpers.results import RESULTS, load
from web.markdown import raw, rows, table

PART = re.compile(r"(.+?): (.+) \(([^()]+)\): \*(.+)\*")  # as docs/claims.md has it
TITLES = {
    "relative_attention": "Relative attention: memory and time",
    "mini_bert": "Training a mini BERT: tokens per second",
    "generation": "Writing with a KV cache: seconds a token",
    "grading": "Grading: submissions per second",
}
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
    """docs/claims.md, with a section for each claim in the place of its table."""
    found = rows(page)
    title, head = page[: page.index("\n|")].split("\n", 1)
    told = Counter(_plain(each[3]) for each in found)
    counts = ", ".join(f"{count} {_badge(verdict)}" for verdict, count in told.most_common())
    summary = "".join(
        f'<li><a href="#claim-{number}">{number}. {text}</a> {_badge(_plain(verdict))}</li>'
        for number, text, _, verdict, *_ in found
    )
    listed = raw(f'<p>Of {len(found)} claims: {counts}.</p><ul class="plain">{summary}</ul>')
    parts = [title, listed, "## What a verdict means", head, "## One by one"]
    return "\n\n".join([*parts, *map(_claim, found)])


def _claim(cells: list[str]) -> str:
    number, text, source, verdict, measured, why, reference, command = cells
    return "\n\n".join([
        f"(claim-{number})=\n### {number}. {text}",
        raw(f'<p class="quiet">Said in {source}. Verdict: {_badge(_plain(verdict))}</p>'),
        why,
        "\n".join(f"- {_part(part)}" for part in measured.split("<br>")),
        f"Primary reference: {reference}. To measure it again: {command}",
    ])  # fmt: skip


def _part(said: str) -> str:
    """A part of a claim as a sentence: its verdict, what it says, and the number that decides."""
    if found := PART.fullmatch(said):
        says, number, margin, verdict = found.groups()
        exact = "exact" if margin == "exact" else f"margin {margin}"
        return f"{verdict.capitalize()}: {says}. Measured: {number} ({exact})."
    return re.sub("^beside: (.*)", r"Measured besides, for no part of the claim: \1.", said)


def _plain(verdict: str) -> str:
    return verdict.strip("*")


def _badge(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def benchmarks(folder: Path = RESULTS) -> str:
    """Targets that were met or missed, and a line for each stored result."""
    parts = ["# Benchmarks", TARGETS]
    for path in sorted(folder.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        cells = [[line[:6].strip() or "beside", line[7:].strip()] for line in lines if line.strip()]
        title = TITLES.get(path.stem, path.stem)
        parts += [f"## {title}", load(path.stem).note, table(["target", "measured"], cells)]
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
