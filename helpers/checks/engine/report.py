"""What a check has found: what a learner sees of it, and what nbgrader reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from helpers.checks.engine import render
from helpers.checks.engine.compare import guarded

FINDINGS = "application/vnd.order-matters.findings+json"
STUB = "Not written yet: put your code where it says raise NotImplementedError()."


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
        """Points earned, through the score guard."""
        return guarded(sum(finding.earned for finding in self.findings), self.points)

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

    def __repr__(self) -> str:
        return str(self.earned)

    def __str__(self) -> str:
        return render.as_text(self)

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": render.as_html(self), FINDINGS: self._data()}

    def _data(self) -> dict[str, Any]:
        return {"exercise": self.exercise, "findings": [asdict(f) for f in self.findings]}


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
        case {
            "part": str(),
            "points": int() | float(),
            "earned": int() | float(),
            "message": str(),
            "hint": str(),
            **more,
        }:
            return not more.keys() - {"line"} and isinstance(more.get("line", ""), str)
    return False
