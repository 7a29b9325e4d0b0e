"""A report as people see it: in a notebook, and as text.

It has the look of the feedback page. All style is inline, and no colour depends on the theme: they
stand out from a light and from a dark ground, and text has the colour of the page. So it is the
same in JupyterLab, in Colab and in a page made from the notebook. JupyterLab takes roles away from
a notebook that it does not trust: each symbol has its word beside it.
"""

from __future__ import annotations

import html
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from helpers.checks.engine.report import Finding, Report

COLOURS = {"right": "#1a946d", "partly": "#a97a16", "wrong": "#d0611f", "unwritten": "#7d858e"}
MARKS = {"right": "✓", "partly": "◐", "wrong": "✗", "unwritten": "○"}
STATES = {"right": "right", "partly": "partly right", "wrong": "not yet", "unwritten": ""}
PRAISE = (
    "Well done.",
    "That is it.",
    "Good work: nothing is missing.",
    "Just as it should be.",
    "Nicely solved.",
    "It is right in every case that was tried.",
)
GROUND = "background-color: rgba(127, 127, 127, 0.12); border-radius: 0.4em"
CODE = f"{GROUND}; margin: 0.3em 0; padding: 0.3em 0.6em; white-space: pre-wrap; font-size: 0.93em"


def deduplicated(findings: list[Finding]) -> list[Finding]:
    """The findings, each message and each line of code only where it is given first."""
    messages = {f.message: f for f in reversed(findings)}
    lines = {f.line: f for f in reversed(findings)}
    return [
        replace(
            f,
            message=f.message if messages[f.message] is f else "",
            line=f.line if lines[f.line] is f else "",
        )
        for f in findings
    ]


def points(number: float) -> str:
    """ "1 point", "2 points"."""
    return f"{number:g} point{'s' * (number != 1)}"


def as_text(report: Report) -> str:
    """For a terminal: a line for each part, then the hints."""
    rows = [report.notice] if report.notice else []
    rows.append(f"{_title(report)}: {report.earned:g} of {points(report.points)}")
    if not report.written:
        return "\n".join([*rows, f"  {report.findings[0].message}"])
    for each in deduplicated(report.findings):
        state = "right" if each.right else "wrong"
        rows.append(f"  {MARKS[state]} {each.part}: {each.earned:g} of {each.points:g}")
        rows += [f"    {text}" for text in (each.message, each.line) if text]
    rows += [f"  Hint: {hint}" for hint in report.hints]
    return "\n".join([*rows, f"  {_praise(report)}"] if report.complete else rows)


def as_html(report: Report) -> str:
    """For a notebook; nothing that a learner wrote becomes markup."""
    state = _state(report)
    score = f"{report.earned:g} of {points(report.points)}"
    inner = [
        f"<div><b>{_mark(state)} {_text(_title(report))}</b></div>",
        _quiet(" · ".join(filter(None, [STATES[state], score]))),
    ]
    if report.notice:
        inner.insert(0, _box(COLOURS["wrong"], "Note:", report.notice))
    if report.written:
        inner.append(_parts(deduplicated(report.findings)))
        inner += [_box(COLOURS["partly"], "Hint:", hint) for hint in report.hints]
        inner += [f"<div>{_praise(report)}</div>"] if report.complete else []
    else:
        inner.append(f"<div>{_text(report.findings[0].message)}</div>")
    if report.so_far:
        inner.append(_quiet(report.so_far))
    return (
        f'<div role="status" style="border-left: 5px solid {COLOURS[state]}; max-width: 56em; '
        'padding: 0.1em 0 0.1em 0.9em; line-height: 1.5; overflow-wrap: break-word">'
        f"{''.join(inner)}</div>"
    )


def _state(report: Report) -> str:
    if not report.written:
        return "unwritten"
    if report.complete:
        return "right"
    return "partly" if report.earned > 0 else "wrong"


def _title(report: Report) -> str:
    return report.title or report.exercise


def _praise(report: Report) -> str:
    """Always the same for an exercise, and not the same for all."""
    return PRAISE[zlib.crc32(report.exercise.encode()) % len(PRAISE)]


def _text(words: str) -> str:
    return html.escape(words)


def _mark(state: str) -> str:
    """The symbol; the word that says the same stands beside it."""
    return f'<span aria-hidden="true" style="color: {COLOURS[state]}">{MARKS[state]}</span>'


def _quiet(words: str) -> str:
    return f'<div style="opacity: 0.8; font-size: 0.93em">{_text(words)}</div>'


def _box(colour: str, name: str, words: str) -> str:
    style = f"{GROUND}; border: 1px solid {colour}; padding: 0.5em 0.8em; margin: 0.5em 0"
    return f'<div style="{style}"><b>{name}</b> {_text(words)}</div>'


def _parts(findings: list[Finding]) -> str:
    rows = "".join(_part(each) for each in findings)
    return f'<ul style="list-style-type: none; padding: 0; margin: 0.4em 0">{rows}</ul>'


def _part(finding: Finding) -> str:
    state = "right" if finding.right else "wrong"
    told = f"{STATES[state]}, {finding.earned:g} of {finding.points:g}"
    row = f"<b>{_mark(state)} {_text(finding.part)}</b>: {told}"
    if finding.message:
        row += f'<div style="font-size: 0.93em">{_text(finding.message)}</div>'
    if finding.line:
        row += f'<pre style="{CODE}">{_text(finding.line)}</pre>'
    return f'<li style="margin: 0.3em 0">{row}</li>'
