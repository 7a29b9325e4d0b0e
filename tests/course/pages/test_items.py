"""What the report computes of a class with several units, in which exercises share names."""

import numpy as np
import pandas as pd

from helpers.course.pages import items

RANDOM = np.random.default_rng(0)
ORDER = [("u", "two"), ("u", "one"), ("v", "one"), ("v", "two")]


def _grades(unit: str, most: float) -> pd.DataFrame:
    return pd.DataFrame(
        {"unit": unit, "name": name, "title": name, "student": student, "most": most}
        | {"score": RANDOM.uniform(0.1, most - 0.1), "waiting": False}
        for name in ("one", "two")
        for student in "abcdef"
    )


def test_what_is_said_of_a_unit_is_the_same_whatever_other_units_there_are() -> None:
    units = {unit: _grades(unit, most) for unit, most in (("u", 4.0), ("v", 9.0))}
    given = [("u", "one", "a"), ("v", "two", "b"), ("v", "two", "c")]
    hinted = pd.DataFrame(given, columns=["unit", "exercise", "student"])
    together = items.exercises(pd.concat(units.values()), hinted, ORDER).reset_index(drop=True)
    apart = [items.exercises(g, hinted[hinted.unit == u], ORDER) for u, g in units.items()]
    assert not together.discrimination.isna().any()
    pd.testing.assert_frame_equal(together, pd.concat(apart, ignore_index=True))
    assert list(zip(together.unit, together.name, strict=True)) == ORDER
