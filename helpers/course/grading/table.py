"""What a terminal shows of a run."""

from __future__ import annotations

import pandas as pd

from helpers.course.settings import printable


def as_text(table: pd.DataFrame) -> str:
    """Marks as a table, then the hints that each learner was given."""
    words = table[["student", "unit", "late", "status"]].map(printable)
    columns = ["student", "unit", "score", "pending", "max_score", "late", "penalty", "status"]
    marks = table[columns].assign(**words)
    if not table.late.any() and not table.penalty.any():
        marks = marks.drop(columns=["late", "penalty"])
    hints = [
        f"\n{printable(student)}, {unit}:\n" + "\n".join(f"  - {printable(hint)}" for hint in hints)
        for student, unit, hints in table[["student", "unit", "hints"]].itertuples(index=False)
        if hints
    ]
    return marks.to_string(index=False) + ("\n\nHints given\n" + "".join(hints) if hints else "")
