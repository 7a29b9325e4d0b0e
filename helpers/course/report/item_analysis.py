"""What the class did in each exercise: how hard it was, and whether it tells learners apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

FEWEST = 3  # learners of whom a correlation says anything
KEY = ["unit", "exercise", "title"]


def exercises(answers: pd.DataFrame) -> pd.DataFrame:
    """Return a row per exercise, in the order of `answers`; what waits for a person is left out.

    `unaided` is the fraction of answers without a hint, nan where the exercise has no check;
    `discrimination` the item-rest correlation, nan of fewer than three learners.
    """
    done = answers[~answers.waiting].copy()
    of_learner = done.groupby(["unit", "student"])
    score = of_learner.score.transform("sum") - done.score
    most = of_learner.max_score.transform("sum") - done.max_score
    done["rest"] = score / most.where(most > 0)  # of the points of the unit's other exercises
    done["full"], done["none"] = done.score >= done.max_score, done.score <= 0
    done["unaided"] = (done.hints.str.len() == 0).astype(float).where(done.hints.notna())
    groups = done.groupby(KEY, sort=False)
    rows = groups.agg(
        points=("max_score", "max"),
        learners=("student", "nunique"),
        mean=("score", "mean"),
        full=("full", "mean"),
        none=("none", "mean"),
        unaided=("unaided", "mean"),
    )
    rows["fraction"] = rows["mean"] / rows.points
    rows["discrimination"] = [_correlation(each) for _, each in groups]
    return rows.reset_index()


def _correlation(answers: pd.DataFrame) -> float:
    """Return the correlation of an exercise's points with those in the rest of its unit, or nan."""
    known = answers.dropna(subset="rest")
    varied = known.score.nunique() > 1 and known.rest.nunique() > 1
    if len(known) < FEWEST or not varied:
        return float("nan")
    return float(np.corrcoef(known.score, known.rest)[0, 1])
