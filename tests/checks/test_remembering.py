"""Answers that remember what they were asked before are refused.

They are no mistakes of an exercise: what they answer depends on who asked them last, a hint too.
"""

from typing import Any

import torch

from helpers.checks import claim_lab, relative
from helpers.claims import settle


def test_offsets_that_are_clipped_where_they_are_kept() -> None:
    kept: dict[int, torch.Tensor] = {}

    def offset_rows(length: int, k: int) -> torch.Tensor:
        p = torch.arange(length)
        return kept.setdefault(length, p[None, :] - p[:, None]).clamp_(-k, k) + k

    report = relative.rows(offset_rows)
    assert "after (" in report.findings[0].message


def test_what_was_measured_of_another_claim_with_the_same_number() -> None:
    kept: dict[Any, Any] = {}

    def verdict_on(claim: Any, seeds: Any) -> dict[str, Any]:
        if claim.measurement is None:
            return {"numbers": {}, "verdict": claim.read}
        rows = kept.setdefault((claim.number, tuple(seeds)), claim.measure(seeds))
        numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
        found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
        if "not settled here" in found:
            return {"numbers": numbers, "verdict": "not settled here"}
        return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else "holds in part"}

    report = claim_lab.verdict(verdict_on)
    assert report.earned < report.points
