"""What the class did in each exercise: how hard it was, and whether it tells learners apart."""

from __future__ import annotations

import numpy as np
import pandas as pd

FEWEST = 3  # learners of whom a correlation says anything


def exercises(
    grades: pd.DataFrame, hinted: pd.DataFrame, order: list[tuple[str, str]]
) -> pd.DataFrame:
    """A row per exercise, in the order of the sources; what waits for a person is left out.

    Args:
        grades: a row per learner and exercise: unit, name, title, student, score, most, waiting.
        hinted: the unit, exercise and student of each hint that was given.
    """
    done = grades[~grades.waiting].copy()
    done["rest"] = _rest(done)
    done["full"], done["none"] = done.score >= done.most, done.score <= 0
    given = set(hinted[["unit", "exercise", "student"]].itertuples(index=False, name=None))
    answered = zip(done.unit, done.name, done.student, strict=True)
    done["unaided"] = [each not in given for each in answered]
    rows = done.groupby(["unit", "name", "title"], as_index=False).agg(
        learners=("student", "nunique"),
        most=("most", "max"),
        mean=("score", "mean"),
        full=("full", "mean"),
        none=("none", "mean"),
        unaided=("unaided", "mean"),
    )
    rows["fraction"] = rows["mean"] / rows.most
    apart = {key: _correlation(each) for key, each in done.groupby(["unit", "name"])}
    keys = list(zip(rows.unit, rows.name, strict=True))
    rows["discrimination"] = [apart[key] for key in keys]
    place = {key: n for n, key in enumerate(order)}
    rows["place"] = [place.get(key, -1) for key in keys]
    return rows.sort_values(["unit", "place"])


def _rest(done: pd.DataFrame) -> pd.Series:
    """The fraction of the points that each learner has in the unit's other exercises."""
    of_learner = done.groupby(["unit", "student"])
    score = of_learner.score.transform("sum") - done.score
    most = of_learner.most.transform("sum") - done.most
    return score / most.where(most > 0)


def _correlation(answers: pd.DataFrame) -> float:
    """Item-rest: of an exercise's points with those in the rest of its unit, or nan."""
    known = answers.dropna(subset=["rest"])
    varied = known.score.nunique() > 1 and known.rest.nunique() > 1
    if len(known) < FEWEST or not varied:
        return float("nan")
    return float(np.corrcoef(known.score, known.rest)[0, 1])
