"""The table of probes counts what is tried, and names what came out otherwise."""

from dataclasses import replace

import pytest

from helpers.checks import start_here
from helpers.course.settings import Course
from tests.probes import table

UNIT = "00-start-here"


@pytest.mark.rotating
def test_every_kind_is_tried_and_a_lax_check_is_named(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list(table.tried(course, UNIT))
    assert all(each.number >= 3 for each in found)
    assert {each.kind for each in found} == {"mistakes", "right answers", "mutants", "saboteurs"}
    assert not [fault for each in found for fault in each.faults]
    real = start_here.positions
    lax = replace(real, parts=tuple(replace(e, cases=lambda _rng: []) for e in real.parts))
    monkeypatch.setattr(start_here, "positions", lax)
    found = list(table.tried(course, UNIT))
    faults = {each.kind: each.faults for each in found}
    assert len(faults["mistakes"]) == len(real.mistakes) and not faults["right answers"]
    assert faults["mutants"] and faults["saboteurs"]
    assert all(each in table.shown(found) for each in faults["mutants"])
