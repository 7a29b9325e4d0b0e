"""What a learner sees of a check, and what nbgrader reads of it."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, replace
from typing import Any

from helpers.checks.engine.compare import guarded

FINDINGS = "application/vnd.order-matters.findings+json"


@dataclass(frozen=True)
class Finding:
    """The outcome of one part: `message` says what differs, `hint` names the mistake."""

    part: str
    points: float
    earned: float
    message: str = ""
    hint: str = ""

    @property
    def right(self) -> bool:
        """True where the part has all its points."""
        return self.earned == self.points


@dataclass(frozen=True)
class Report:
    """The findings of an exercise, one per part.

    nbgrader takes the text of a test cell's last value as its points, so that text is the bare
    number; people see the HTML, and a report on a class reads `FINDINGS`.
    """

    exercise: str
    findings: list[Finding]

    @property
    def points(self) -> float:
        """The most that can be earned."""
        return sum(finding.points for finding in self.findings)

    @property
    def earned(self) -> float:
        """Points earned, through the score guard."""
        return guarded(sum(finding.earned for finding in self.findings), self.points)

    @property
    def complete(self) -> bool:
        """True where every part is right."""
        return all(finding.right for finding in self.findings)

    @property
    def hints(self) -> list[str]:
        """The hints given, each once, in the order of the parts."""
        return list(dict.fromkeys(f.hint for f in self.findings if f.hint))

    def _told_once(self) -> list[Finding]:
        """The findings, each hint and each message only where it is given first."""
        hints = {f.hint: f for f in reversed(self.findings)}
        messages = {f.message: f for f in reversed(self.findings)}
        return [
            replace(
                f,
                hint=f.hint if hints[f.hint] is f else "",
                message=f.message if messages[f.message] is f else "",
            )
            for f in self.findings
        ]

    def __repr__(self) -> str:
        return str(self.earned)

    def __str__(self) -> str:
        rows = [f"{self.exercise}: {self.earned:g} of {self.points:g} points"]
        for f in self._told_once():
            rows.append(f"  {'✓' if f.right else '✗'} {f.part}: {f.earned:g} of {f.points:g}")
            rows += [f"    {text}" for text in (f.message, f.hint and f"Hint: {f.hint}") if text]
        return "\n".join(rows)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": self._html(), FINDINGS: self._data()}

    def _data(self) -> dict[str, Any]:
        return {"exercise": self.exercise, "findings": [asdict(f) for f in self.findings]}

    def _html(self) -> str:
        rows = "".join(_row(finding) for finding in self._told_once())
        return (
            '<div role="status" style="border-left: 4px solid currentColor; padding-left: 1em">'
            f"<b>{html.escape(self.exercise)}: {self.earned:g} of {self.points:g} points</b>"
            f'<ul style="list-style: none; padding: 0; margin: .3em 0">{rows}</ul></div>'
        )


def _row(finding: Finding) -> str:
    mark, word = ("✓", "right") if finding.right else ("✗", "not yet")
    text = (
        f'<span aria-label="{word}">{mark}</span> {html.escape(finding.part)} '
        f"({finding.earned:g} of {finding.points:g})"
    )
    if finding.message:
        text += f"<br>{html.escape(finding.message)}"
    if finding.hint:
        text += f"<br><b>Hint:</b> {html.escape(finding.hint)}"
    return f'<li style="margin-bottom: .3em">{text}</li>'
