"""What the report computes of a class in which some answers wait for a person."""

import numpy as np
import pandas as pd
import pytest

from helpers.course.report import exercises

SCORES = {  # of learners a to d
    "two": [2, 1, 0, 1.0],
    "one": [2, 2, 0, 1.0],
    "three": [0, 2, 2, 1.0],
}


def test_what_waits_is_in_no_mean_and_a_hint_in_no_answer_of_its_own() -> None:
    answers = pd.DataFrame(
        {"unit": "u", "exercise": name, "title": name.title(), "student": who, "score": score}
        | {"max_score": 2.0, "waiting": (who, name) == ("d", "one"), "hints": []}
        for name, of_class in SCORES.items()
        for who, score in zip("abcd", of_class, strict=True)
    )
    answers.at[2, "hints"] = ["a hint"]  # of c in the first
    answers.loc[answers.exercise == "three", "hints"] = None
    found = exercises(answers).set_index("exercise")
    assert list(found.index) == ["two", "one", "three"]  # as in the sources
    assert found.learners.to_dict() == {"one": 3, "two": 4, "three": 4}
    assert found["mean"]["one"] == pytest.approx(4 / 3) and found.fraction["two"] == 0.5
    assert (found.full["two"], found.none["two"], found.unaided["two"]) == (0.25, 0.25, 0.75)
    assert found.unaided["one"] == 1 and np.isnan(found.unaided["three"])  # which has no check
    rests = [(2 + 0) / 4, (1 + 2) / 4, (0 + 2) / 4]
    assert found.discrimination["one"] == pytest.approx(np.corrcoef([2, 2, 0], rests)[0, 1])
    other = answers.assign(unit="v", score=answers.score.sort_values().to_numpy())
    both = exercises(pd.concat([answers, other], ignore_index=True)).query("unit == 'u'")
    assert both.set_index("exercise").discrimination.equals(found.discrimination)
    assert exercises(answers.query("student == 'a'")).discrimination.isna().all()
