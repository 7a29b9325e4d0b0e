"""The command `course race-class`: the race among the encodings of a graded class, unit 08's."""

from __future__ import annotations

import argparse
import hashlib
import hmac
import time
from functools import partial
from pathlib import Path

import nbformat
import pandas as pd

from helpers.course import settings
from helpers.course.grading import journal
from helpers.course.grading.grade import secret
from helpers.course.intake.lesson import to_run
from helpers.course.pages.page import page
from helpers.course.sandbox import bubblewrap, pool
from helpers.course.sandbox.process import Limits, SandboxError, StartError
from helpers.course.sandbox.session import Session
from helpers.course.settings import Course, CourseError, printable, table_text
from helpers.race import QUICK, VERSION, Budget
from helpers.race.distances import board_table, distances, places
from helpers.race.entrant import Entrant
from helpers.race.racing import CODE, run_all
from helpers.race.records import RecordError, check_rows, check_tests
from helpers.race.rules import RIVALS, TIMES
from helpers.training.jobs import Job, code_digest, run_jobs

UNIT, EXERCISE, CLASS = "08-mini-bert", "own", "OwnEncoding"
SECONDS = 1800.0  # for the race of one learner, which takes three minutes as a rule
JSON = "application/json"
RACE = """\
import os
os.environ["ORDER_MATTERS_PROFILE"] = "quick"
from pathlib import Path
from IPython.display import display
from helpers.race import Budget
from helpers.race.entrant import entrant
from helpers.race.racing import run_all
from helpers.race.records import as_rows
runs = run_all([entrant({kind})], Budget(*{budget!r}), Path())
display({{{json!r}: as_rows({name!r}, *runs).to_dict("records")}}, raw=True)"""


def main(_course: Course, options: argparse.Namespace) -> None:
    """Run the race, and say where the board is and who could not take part."""
    print(*map(printable, board(options.out)), sep="\n")


def board(out: Path, budget: Budget = QUICK) -> list[str]:
    """Race the encodings of a graded class; return what to tell the instructor.

    OUT/race/board.html calls learners by pseudonyms, OUT/race/pseudonyms.csv says whose they are.
    Races that are done are kept, so that the same command goes on from there; it runs again those
    that failed, as a sandbox may have run out of time or memory.

    Raises:
        CourseError: nothing of the unit has been graded into OUT, or there is no sandbox.
    """
    if reason := bubblewrap.available():
        raise CourseError(reason)
    graded = journal.read(out)
    graded = graded[(graded["unit"] == UNIT) & graded["status"].str.startswith("graded")]
    if graded.empty:
        raise CourseError(f"{out} holds no graded notebook of {UNIT}, where encodings are written")
    folder = out / "race"
    rivals = [Entrant(name, source) for name, source in RIVALS.items()]
    _, scored = run_all(rivals, budget, folder)
    names = {_pseudonym(out, each): each for each in graded["student"]}
    jobs = [_job(out, student, name, budget) for name, student in names.items()]
    done = folder / "runs" / code_digest(*CODE)
    for path in done.glob("class-*.csv"):
        if "loss" not in pd.read_csv(path):  # it failed, and is run again
            path.unlink()
    raced = run_jobs(jobs, done, "class")
    problems = raced.dropna(subset="problem").set_index("encoding")["problem"].to_dict()
    tables = [scored]
    for name, rows in raced[~raced["encoding"].isin(problems)].groupby("encoding"):
        try:
            check_tests(rows, scored[scored["encoding"] == "none"])
            tables.append(rows)
        except RecordError as error:
            problems[name] = str(error)
    found = places(distances(pd.concat(tables)))
    measures = [(measure, board_table(found, measure)) for measure in found.index.unique("measure")]
    text = page(
        "race.html.j2",
        sortable=True,
        version=VERSION,
        budget=budget,
        times=TIMES,
        places=found["place"].fillna(len(names) + len(RIVALS) + 1),
        measures=measures,
        rivals=RIVALS,
        left_out=len(problems),
    )
    settings.write(folder / "board.html", text)
    whose = pd.DataFrame({"student": names.values(), "pseudonym": names.keys()})
    whose["problem"] = whose["pseudonym"].map(problems).fillna("")
    settings.write(folder / "pseudonyms.csv", whose.sort_values("student").to_csv(index=False))
    left_out = [f"left out, {names[name]}: {problem}" for name, problem in problems.items()]
    return [*left_out, f"board: {folder / 'board.html'}", f"whose: {folder / 'pseudonyms.csv'}"]


def _pseudonym(out: Path, student: str) -> str:
    """Return what the board calls a learner: the same in each run, and only OUT's secret tells.

    It begins with a letter, as pandas reads 12345678 and 375e3639 as numbers.
    """
    digest = hmac.new(secret(out), f"race {student}".encode(), hashlib.sha256).hexdigest()
    return f"r{digest[:8]}"


def _job(out: Path, student: str, name: str, budget: Budget) -> Job:
    content = (out / "submitted" / student / UNIT / f"{UNIT}.ipynb").read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:8]
    work = partial(_race, content.decode(), name, budget)
    return Job(f"class-{name}-{digest}-{budget.name}", work, [0])


def _race(content: str, name: str, budget: Budget, _seed: int) -> pd.DataFrame:
    """Return the rows of a learner's encoding, or one that says why there are none: `problem`.

    The notebook runs in a sandbox up to the class, as when it was graded, and then the race there.
    """
    try:
        try:
            with pool.taken(Limits(), isolated=True) as sandbox:
                session = Session(sandbox)
                try:
                    rows = _rows_in(session, content, name, budget)
                finally:
                    session.close()
        finally:
            pool.close()  # this process may do no other
        return rows.assign(problem=None)
    except StartError:  # no learner's doing: no race would be right
        raise
    except Exception as error:  # whatever is in one learner's notebook or rows
        known = isinstance(error, SandboxError | RecordError | CourseError)
        problem = table_text(str(error) if known else repr(error))
        return pd.DataFrame([{"encoding": name, "problem": problem}])


def _rows_in(session: Session, content: str, name: str, budget: Budget) -> pd.DataFrame:
    end = time.monotonic() + SECONDS
    for cell in nbformat.reads(content, as_version=4).cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and not (nbgrader.get("grade") and nbgrader.get("locked")):
            session.run(to_run(cell), max(1.0, end - time.monotonic()))
        if nbgrader.get("grade_id") == EXERCISE:
            break
    code = RACE.format(kind=CLASS, budget=tuple(budget), json=JSON, name=name)
    shown = session.run(code, max(1.0, end - time.monotonic()))
    for output in reversed(shown):
        if output.output_type == "display_data" and isinstance(output.data.get(JSON), list):
            return check_rows(output.data[JSON], name, budget)
    errors = [each for each in shown if each.output_type == "error"]
    raise RecordError(f"{errors[0].ename}: {errors[0].evalue}" if errors else "it shows no result")
