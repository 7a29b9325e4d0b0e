"""What a check has found: what a learner sees of it, and what nbgrader reads.

It has the look of the feedback page. All style is inline, and no colour depends on the theme: they
stand out from a light and from a dark ground, and text has the colour of the page. So it is the
same in JupyterLab, in Colab and in a page made from the notebook. JupyterLab takes roles away from
a notebook that it does not trust: each symbol has its word beside it.
"""

from __future__ import annotations

import ast
import json
import math
import re
import sys
import warnings
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from html import escape
from importlib import resources
from typing import Any

FINDINGS = "application/vnd.order-matters.findings+json"
STUB = "Not written yet: put your code where it says raise NotImplementedError()."
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
NOTICE = (
    "The newest cell that defines {} has a syntax error, so Python did not run it. This report "
    "is on the version before it: correct that cell, run it, and check again."
)
GROUND = "background-color: rgba(127, 127, 127, 0.12); border-radius: 0.4em"
QUIET = "opacity: 0.8; font-size: 0.93em"
CODE = f"{GROUND}; margin: 0.3em 0; padding: 0.3em 0.6em; white-space: pre-wrap; font-size: 0.93em"
_best: dict[str, dict[str, float]] = {}  # points by unit and exercise, since the kernel began


@dataclass(frozen=True)
class Finding:
    """The outcome of one part.

    Args:
        message: what differs.
        hint: names the mistake.
        line: of the learner's code, where an exception arose.
    """

    part: str
    points: float
    earned: float
    message: str = ""
    hint: str = ""
    line: str = ""

    @property
    def right(self) -> bool:
        """True where the part has all its points."""
        return self.earned == self.points


@dataclass(frozen=True)
class Report:
    """The findings of an exercise, one per part.

    nbgrader takes the text of a test cell's last value as its points, so that text is the bare
    number; people see the HTML, and a report on a class reads `FINDINGS`.

    Args:
        title: of the exercise, for people.
        notice: what to know before reading it.
        so_far: what the unit's exercises have earned, in words.
    """

    exercise: str
    findings: list[Finding]
    title: str = ""
    notice: str = ""
    so_far: str = ""

    @property
    def points(self) -> float:
        """The most that can be earned."""
        return sum(finding.points for finding in self.findings)

    @property
    def earned(self) -> float:
        """Points earned; nbgrader gives full marks for nan, and fails above the maximum."""
        earned = sum(finding.earned for finding in self.findings)
        earned = earned if math.isfinite(earned) else 0
        return round(float(min(max(earned, 0), self.points)), 6)

    @property
    def complete(self) -> bool:
        """True where every part is right."""
        return all(finding.right for finding in self.findings)

    @property
    def written(self) -> bool:
        """False where every part is as it was handed out."""
        return any(finding.message != STUB for finding in self.findings)

    @property
    def hints(self) -> list[str]:
        """The hints given, each once, in the order of the parts."""
        return list(dict.fromkeys(f.hint for f in self.findings if f.hint))

    @property
    def praise(self) -> str:
        """A warm word where all is right: always the same for an exercise, not the same for all."""
        return PRAISE[zlib.crc32(self.exercise.encode()) % len(PRAISE)] if self.complete else ""

    def __repr__(self) -> str:
        return str(self.earned)

    def __str__(self) -> str:
        """Say it in a terminal: a line for each part, then the hints."""
        rows = [self.notice] if self.notice else []
        rows.append(f"{self.title or self.exercise}: {self.earned:g} of {points(self.points)}")
        if not self.written:
            return "\n".join([*rows, f"  {self.findings[0].message}"])
        for each in deduplicated(self.findings):
            mark = MARKS["right" if each.right else "wrong"]
            rows.append(f"  {mark} {each.part}: {each.earned:g} of {each.points:g}")
            rows += [f"    {text}" for text in (each.message, each.line) if text]
        rows += [f"  Hint: {hint}" for hint in self.hints]
        return "\n".join([*rows, f"  {self.praise}"] if self.praise else rows)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        data = {"exercise": self.exercise, "findings": [asdict(f) for f in self.findings]}
        return {"text/plain": repr(self), "text/html": as_html(self), FINDINGS: data}


def findings_in(outputs: Iterable[Any]) -> list[Finding]:
    """Return the findings in what a check has shown; none where that has another form."""
    for output in outputs:
        match output.get("data"):
            case {**data} if FINDINGS in data:
                match data[FINDINGS]:
                    case {"findings": [*found]} if all(map(_is_finding, found)):
                        return [Finding(**each) for each in found]
    return []


def _is_finding(data: Any) -> bool:
    match data:
        case {"part": str(), "points": int() | float(), "earned": int() | float(), **texts}:
            right = texts.keys() == {"message", "hint", "line"}
            return right and all(isinstance(each, str) for each in texts.values())
    return False


def deduplicated(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, each message and each line of code only where it is given first."""
    found: list[Finding] = []
    told: set[str] = set()
    for each in findings:
        message, line = ("" if text in told else text for text in (each.message, each.line))
        found.append(replace(each, message=message, line=line))
        told |= {message, line}
    return found


def points(number: float) -> str:
    """ "1 point", "2 points"."""
    return f"{number:g} point{'s' * (number != 1)}"


def as_html(report: Report) -> str:
    """For a notebook; nothing that a learner wrote becomes markup."""
    state = "right" if report.complete else "partly" if report.earned > 0 else "wrong"
    state = state if report.written else "unwritten"
    score = f"{report.earned:g} of {points(report.points)}"
    inner = [_box(COLOURS["wrong"], "Note:", report.notice)] if report.notice else []
    inner += [
        f"<div><b>{_mark(state)} {escape(report.title or report.exercise)}</b></div>",
        _div(QUIET, escape(" · ".join(filter(None, [STATES[state], score])))),
    ]
    if report.written:
        rows = "".join(map(_row, deduplicated(report.findings)))
        style = "list-style-type: none; padding: 0; margin: 0.4em 0"
        inner.append(f'<ul style="{style}">{rows}</ul>')
        inner += [_box(COLOURS["partly"], "Hint:", hint) for hint in report.hints]
        inner += [f"<div>{report.praise}</div>"] if report.praise else []
    else:
        inner.append(f"<div>{escape(report.findings[0].message)}</div>")
    if report.so_far:
        inner.append(_div(QUIET, escape(report.so_far)))
    return (
        f'<div role="status" style="border-left: 5px solid {COLOURS[state]}; max-width: 56em; '
        'padding: 0.1em 0 0.1em 0.9em; line-height: 1.5; overflow-wrap: break-word">'
        f"{''.join(inner)}</div>"
    )


def _div(style: str, inner: str) -> str:
    return f'<div style="{style}">{inner}</div>'


def _mark(state: str) -> str:
    """The symbol; the word that says the same stands beside it."""
    return f'<span aria-hidden="true" style="color: {COLOURS[state]}">{MARKS[state]}</span>'


def _box(colour: str, name: str, words: str) -> str:
    style = f"{GROUND}; border: 1px solid {colour}; padding: 0.5em 0.8em; margin: 0.5em 0"
    return _div(style, f"<b>{name}</b> {escape(words)}")


def _row(finding: Finding) -> str:
    state = "right" if finding.right else "wrong"
    told = f"{STATES[state]}, {finding.earned:g} of {finding.points:g}"
    row = f"<b>{_mark(state)} {escape(finding.part)}</b>: {told}"
    if finding.message:
        row += _div("font-size: 0.93em", escape(finding.message))
    if finding.line:
        row += f'<pre style="{CODE}">{escape(finding.line)}</pre>'
    return f'<li style="margin: 0.3em 0">{row}</li>'


def for_learner(report: Report, module: str, answer: Any) -> Report:
    """The report with its title, the points of the unit so far, and whether the newest cell ran.

    Only a learner's kernel knows these. Grading judges in another process, and does without.

    Args:
        module: the one that defines the exercise.
    """
    notice = NOTICE.format(name) if (name := _older(answer)) else ""
    # `course build` has written this of each unit.
    contents = json.loads(resources.files(__package__).joinpath("contents.json").read_bytes())
    folder = module.rpartition(".")[0].rpartition(".")[2]
    unit = next((each for each in contents if each[3:].replace("-", "_") == folder), "")
    if not unit:
        return replace(report, notice=notice)
    best = _best.setdefault(unit, {})
    best[report.exercise] = max(report.earned, best.get(report.exercise, 0))
    so_far = f"This unit so far: {sum(best.values()):g} of {points(contents[unit]['points'])}"
    if by_hand := contents[unit]["by_hand"]:
        so_far += f"; {by_hand:g} of them are given by a person"
    title = contents[unit]["titles"].get(report.exercise, "")
    return replace(report, title=title, notice=notice, so_far=so_far)


def _older(answer: Any) -> str:
    """The name of the answer, where the newest cell that defines it is no Python; else nothing."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    if find is None or (shell := find()) is None:
        return ""
    cells = [str(each) for each in reversed(shell.user_ns.get("In", []))]
    for name in (n for n, v in shell.user_ns.items() if v is answer and not n.startswith("_")):
        word = re.escape(name)
        defined = rf"(?:def|class) +{word}\b"
        # A cell with a magic command holds its lines in a string, so they are looked for anywhere.
        may = rf"{defined}|\b{word}\s*[:=]|import .*(?:\b{word}\b|\*)|magic\('run'"
        does = rf"^(?:async )?{defined}|^{word} *=[^=]"
        newest = next((cell for cell in cells if re.search(may, cell)), "")
        if re.search(does, newest, re.MULTILINE) and not _is_python(newest):
            return name
    return ""


def _is_python(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
