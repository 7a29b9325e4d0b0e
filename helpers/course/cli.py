"""The command `course`."""

from __future__ import annotations

import argparse
import errno
import importlib
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers.course import settings
from helpers.course.settings import WINDOWS, Course, CourseError, is_root, printable

PLATFORMS = ("moodle", "canvas", "brightspace")
POSIX = ("fcntl", "resource")  # modules that Windows has not, and grading needs
MISSING = """\
{name} is not installed. `make lab`, `make grade` and `make test` install what they need, and
docs/starting.md says how to do so without make."""
KEPT = "stopped; what has been graded is kept, and the same command goes on from there"
TRAINED = "stopped; runs that are done are kept, and the same command goes on from there"

# A function, or MODULE:FUNCTION, where the function is `main` if not named.
Run = Callable[[Course, argparse.Namespace], int | None] | str
Add = Callable[..., Any]  # an option to a command


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return 0 if all went well, else 1 after a line that says what to do.

    Args:
        arguments: those of the terminal where left out; only then root gives up its rights.

    Returns:
        130 after Ctrl-C.
    """
    options = _parser().parse_args(arguments)
    try:
        course = settings.find(options.course)
        if options.graded:
            warnings.simplefilter("ignore")  # Python's, about what learners wrote
        if options.graded and arguments is None and is_root():
            from helpers.course import privileges

            privileges.restart(course, options)
        run = options.run
        if isinstance(run, str):  # a module, which is imported only where it is run
            module, _, name = run.partition(":")
            run = getattr(importlib.import_module(f"helpers.course.{module}"), name or "main")
        return run(course, options) or 0
    except CourseError as error:
        _complain(error)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        _complain(f"{error}{'; free some space and try again' if full else ''}")
    except ModuleNotFoundError as error:
        if (name := str(error.name).partition(".")[0]) == "helpers":
            raise
        _complain(WINDOWS if name in POSIX else MISSING.format(name=name))
    except KeyboardInterrupt:
        print(options.stopped, file=sys.stderr)
        return 130
    return 1


def _complain(error: object) -> None:
    """Print what went wrong; a line may name a learner's file."""
    print("\n".join(map(printable, str(error).split("\n"))), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    """Return what reads the words of a command; `run` of its answer runs it."""
    parser = argparse.ArgumentParser(prog="course", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Run, text: str, **more: Any) -> Add:
        made = commands.add_parser(name, help=text)
        made.set_defaults(run=run, **{"graded": False, "stopped": "stopped"} | more)
        made.add_argument("--course", type=Path, help="checkout (default: the one around you)")
        return made.add_argument

    for add_all in (_for_learners, _for_instructors, _for_authors):
        add_all(command)
    return parser


def _for_learners(command: Callable[..., Add]) -> None:
    add = command("lab", "servers:lab", "open JupyterLab on your own copies of the units")
    add("--port", type=int, default=8888, help="port of the page")
    add("--no-browser", action="store_true", help="only print the address")

    add = command("work", "work", "bring a newer release into work/, keeping answers")
    add("units", nargs="*", help="units to renew; all if none is named")

    add = command("try", "practice", "grade your own notebook as practice; no mark is kept")
    add("notebook", type=Path, nargs="?", help="default: unit 00 in work/")

    add = command("race", _race, "test an encoding of your own", stopped=TRAINED)
    add("encoding", help="FILE.py:Class, or the name of a registered encoding")
    add("--full", action="store_true", help="six times the steps, five seeds, and English")
    add("--out", type=Path, default=Path("build/race"), help="where card and runs go")

    command("doctor", "doctor", "look at this machine and say what is missing")


def _for_instructors(command: Callable[..., Add]) -> None:
    text = "autograde a folder of submissions with nbgrader"
    add = command("grade", _grade, text, graded=True, stopped=KEPT)
    add("submissions", type=Path, help="folder or zip with the notebooks")
    add("--out", type=Path, default=Path("graded"), help="where results go")
    add("--workers", type=int, default=0, help="notebooks at a time (default: two more than cores)")
    add("--scheduler", default="", help="address of a Dask cluster that runs the notebooks")
    add("--platform", default="", choices=PLATFORMS, help="which learning platform gave the names")
    add("--late", type=Path, help="TOML file with due dates and a policy")
    add("--roster", type=Path, help="CSV file with the class: login, name, address, number, group")
    again = "leave all else as it is, and grade again only "
    add("--only", action="append", default=[], help=again + "this learner")
    add("--unit", default="", help=again + "this unit")
    add("--no-sandbox", action="store_true", help="run learners' code unprotected")

    graded = "folder that `course grade` has written"
    add = command("report", _report, "write OUT/report.html: how a graded class did", graded=True)
    add("out", type=Path, help=graded)

    text = "race the encodings of a graded class, by pseudonym"
    add = command("race-class", "race_class", text, graded=True, stopped=TRAINED)
    add("out", type=Path, help=graded)

    text = "give marks by hand in nbgrader's formgrader"
    add = command("formgrade", "servers:formgrade", text, graded=True)
    add("out", type=Path, help=graded)
    add("--port", type=int, default=8889, help="port of the page")
    add("--no-browser", action="store_true", help="only print the address")

    text = "write marks and feedback in a platform's format"
    add = command("export", _export, text, graded=True)
    add("out", type=Path, help=graded)
    add("--to", required=True, choices=PLATFORMS)
    add("--worksheet", type=Path, required=True, help="the platform's own table of marks")
    add("--unit", default="", help="unit to export, if there are several")
    add("--column", default="", help="column for the marks, if the worksheet has several")

    add = command("demo", "demo", "a tour: build, train, grade a synthetic class")
    add("--out", type=Path, default=Path("build/demo"), help="where results go")


def _for_authors(command: Callable[..., Add]) -> None:
    add = command("build", "authoring.build", "build notebooks/ and solutions/ from source/")
    add("units", nargs="*", help="units to build; all if none is named")
    add("--check", action="store_true", help="only name what has drifted; exit 1")
    add("--no-execute", action="store_true", help="leave solutions/ as they are")


def _grade(course: Course, options: argparse.Namespace) -> None:
    from helpers.course import report
    from helpers.course.grading import grade, journal

    before = journal.read(options.out)
    table = grade.grade(
        course,
        options.submissions,
        options.out,
        isolated=not options.no_sandbox,
        workers=options.workers,
        scheduler=options.scheduler,
        learners=options.only,
        unit=options.unit,
        late=options.late,
        people=options.roster,
        platform=options.platform,
    )
    print(journal.as_text(table))
    if changed := journal.changed(before, table):
        print("\nChanged", *changed, "", sep="\n")
    print(f"marks: {options.out / 'grades.csv'}\nfeedback: {options.out / 'feedback'}")
    print(f"report: {report.write(course, options.out, journal.read(options.out))}")


def _race(_course: Course, options: argparse.Namespace) -> None:
    from helpers.race import FULL, QUICK, EntrantError, race

    budget = FULL if options.full else QUICK
    try:
        card = race(options.encoding, budget, options.out)
    except EntrantError as error:
        raise CourseError(str(error)) from error
    print(*(f"card: {options.out / card.name}.{kind}" for kind in ("html", "md", "json")), sep="\n")


def _report(course: Course, options: argparse.Namespace) -> None:
    from helpers.course import report
    from helpers.course.grading.gradebook import refresh

    print(f"report: {report.write(course, options.out, refresh(options.out))}")


def _export(_course: Course, options: argparse.Namespace) -> None:
    from helpers.course import export

    said = export.export(options.out, options.to, options.worksheet, options.unit, options.column)
    print(*map(printable, said), sep="\n")
