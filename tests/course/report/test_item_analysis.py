"""What the report computes of a class in which exercises of several units share names."""

import numpy as np
import pandas as pd
import pytest

from helpers.course.report.answers import exercises

SCORES = {  # of learners a to d
    "u": {"two": [2, 1, 0, 1.0], "one": [2, 2, 0, 1.0], "three": [0, 2, 2, 1.0]},
    "v": {"one": [0, 1, 0, 2.0], "two": [1, 0, 2, 2.0]},
}


def _answers(unit: str) -> pd.DataFrame:
    answers = pd.DataFrame(
        {"unit": unit, "exercise": name, "title": name.title(), "student": who, "score": score}
        | {"max_score": 2.0, "waiting": False, "hints": []}
        for name, of_class in SCORES[unit].items()
        for who, score in zip("abcd", of_class, strict=True)
    )
    answers.loc[(answers.student == "d") & (answers.exercise == "one"), "waiting"] = True
    answers.at[2, "hints"] = ["a hint"]  # of c in the first
    answers.loc[answers.exercise == "three", "hints"] = None
    return answers


def test_what_waits_is_in_no_mean_and_a_hint_in_no_answer_of_its_own() -> None:
    found = exercises(_answers("u")).set_index("exercise")
    assert list(found.index) == ["two", "one", "three"]  # as in the sources
    assert found.learners.to_dict() == {"one": 3, "two": 4, "three": 4}
    assert found["mean"]["one"] == pytest.approx(4 / 3) and found.fraction["two"] == 0.5
    assert (found.full["two"], found.none["two"], found.unaided["two"]) == (0.25, 0.25, 0.75)
    assert found.unaided["one"] == 1 and np.isnan(found.unaided["three"])  # which has no check
    rests = [(2 + 0) / 4, (1 + 2) / 4, (0 + 2) / 4]
    assert found.discrimination["one"] == pytest.approx(np.corrcoef([2, 2, 0], rests)[0, 1])
    alone = exercises(_answers("u").query("student == 'a'"))
    assert alone.discrimination.isna().all()


def test_what_is_said_of_a_unit_is_the_same_whatever_other_units_there_are() -> None:
    units = [_answers("u"), _answers("v")]
    together = exercises(pd.concat(units, ignore_index=True))
    apart = pd.concat(map(exercises, units), ignore_index=True)
    assert not together.discrimination.isna().any()
    pd.testing.assert_frame_equal(together, apart)
