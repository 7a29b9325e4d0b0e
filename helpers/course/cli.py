"""The command `course`."""

from __future__ import annotations

import argparse
import errno
import importlib.util
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from helpers.course import foreground, install, settings
from helpers.course.settings import WINDOWS, CourseError, printable

POSIX = ("fcntl", "resource")  # modules that Windows has not, and grading needs


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all went well, else a line says what to do: 1, or 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        course = settings.find()
        if options.graded and foreground.is_root() and arguments in (None, sys.argv[1:]):
            _leave_root(course, options)
        return int(options.run(course, options))
    except CourseError as error:
        _complain(error)
    except OSError as error:
        full = error.errno == errno.ENOSPC
        _complain(f"{error}{'; free some space and try again' if full else ''}")
    except ModuleNotFoundError as error:
        if str(error.name).startswith("helpers"):
            raise
        _complain(WINDOWS if error.name in POSIX else install.MISSING.format(name=error.name))
    except KeyboardInterrupt:
        print(options.stopped, file=sys.stderr)
        return 130
    return 1


def _leave_root(course: settings.Course, options: argparse.Namespace) -> None:
    """Go on as nobody with what learners have handed in."""
    from helpers.course import unprivileged

    if options.run is _grade:
        course.refuse_places(options.submissions, options.out)
        options.out.mkdir(parents=True, exist_ok=True)
    if options.out.is_dir():
        seen = [each for each in vars(options).values() if isinstance(each, Path)]
        reads = options.run is not _formgrade  # a server reads what the class has, and no more
        # The course's own folder may be one that nobody else may enter; what is in it is shown.
        unprivileged.restart(options.out, [*course.root.iterdir(), *seen], reads)


def _complain(error: object) -> None:
    """Say what went wrong; a line may name a learner's file."""
    print("\n".join(map(printable, str(error).split("\n"))), file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="course", description=__doc__)
    parser.set_defaults(stopped="stopped", graded=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    setup = commands.add_parser("setup", help="create .venv, or bring it up to date")
    setup.add_argument(
        "level", nargs="?", default="lab", choices=install.LEVELS, help="what for; lab by default"
    )
    setup.add_argument("--here", action="store_true", help="install into this Python instead")
    setup.set_defaults(run=_setup)

    lab = commands.add_parser("lab", help="open JupyterLab on your own copies of the units")
    lab.add_argument("--port", type=int, default=8888, help="port of the page")
    lab.add_argument("--no-browser", action="store_true", help="only print the address")
    lab.set_defaults(run=_lab)

    work = commands.add_parser("work", help="bring a newer release into work/, keeping answers")
    work.add_argument("units", nargs="*", help="units to renew; all if none is named")
    work.set_defaults(run=_work)

    build = commands.add_parser("build", help="build notebooks/ and solutions/ from source/")
    build.add_argument("units", nargs="*", help="units to build; all if none is named")
    build.add_argument("--check", action="store_true", help="only name what has drifted; exit 1")
    build.add_argument("--no-execute", action="store_true", help="leave solutions/ as they are")
    build.add_argument(
        "--outputs", action="store_true", help="with --check: compare what solutions show as well"
    )
    build.set_defaults(run=_build)

    grade = commands.add_parser("grade", help="autograde a folder of submissions with nbgrader")
    grade.add_argument("submissions", type=Path, help="folder or zip with the notebooks")
    grade.add_argument("--out", type=Path, default=Path("graded"), help="where results go")
    grade.add_argument(
        "--workers", type=int, default=0, help="notebooks at a time (default: two more than cores)"
    )
    grade.add_argument(
        "--scheduler", default="", help="address of a Dask cluster that runs the notebooks"
    )
    grade.add_argument("--late", type=Path, help="TOML file with due dates and a policy")
    grade.add_argument("--groups", type=Path, help="CSV file of group,student: who worked together")
    again = "leave all else as it is, and grade again only "
    grade.add_argument("--only", action="append", default=[], help=again + "this learner")
    grade.add_argument("--unit", default="", help=again + "this unit")
    grade.add_argument("--exercise", default="", help=again + "this exercise of the unit")
    grade.add_argument("--no-sandbox", action="store_true", help="run learners' code unprotected")
    kept = "stopped; what has been graded is kept, and the same command goes on from there"
    grade.set_defaults(run=_grade, stopped=kept, graded=True)

    report = commands.add_parser("report", help="write OUT/report.html: how a graded class did")
    report.add_argument("out", type=Path, help="folder that `course grade` has written")
    report.set_defaults(run=_report, graded=True)

    formgrade = commands.add_parser("formgrade", help="give marks by hand in nbgrader's formgrader")
    formgrade.add_argument("out", type=Path, help="folder that `course grade` has written")
    formgrade.add_argument("--port", type=int, default=8889, help="port of the page")
    formgrade.add_argument("--no-browser", action="store_true", help="only print the address")
    formgrade.set_defaults(run=_formgrade, graded=True)

    export = commands.add_parser("export", help="write marks and feedback in a platform's format")
    export.add_argument("out", type=Path, help="folder that `course grade` has written")
    export.add_argument("--to", required=True, choices=("moodle", "canvas", "brightspace"))
    export.add_argument("--worksheet", type=Path, help="the platform's own table of marks")
    export.add_argument("--unit", default="", help="unit to export, if there are several")
    export.add_argument(
        "--column", default="", help="column for the marks, if the worksheet has several"
    )
    export.set_defaults(run=_export, graded=True)

    demo = commands.add_parser("demo", help="a tour: build, train, grade a synthetic class")
    demo.add_argument("--out", type=Path, default=Path("build/demo"), help="where results go")
    demo.set_defaults(run=_demo)

    test = commands.add_parser(
        "test", help="check style, types, tests, notebooks, grading, as make test"
    )
    test.add_argument("--quick", action="store_true", help="only what a change can break")
    test.set_defaults(run=_test)

    doctor = commands.add_parser("doctor", help="look at this machine and say what is missing")
    doctor.set_defaults(run=_doctor)

    release = commands.add_parser("release", help="write a zip per unit, for learners without git")
    release.add_argument("units", nargs="*", help="units to pack; all if none is named")
    release.add_argument("--out", type=Path, default=Path("build/release"), help="where zips go")
    release.set_defaults(run=_release)

    collect = commands.add_parser(
        "collect", help="turn a platform's zip into nbgrader's submitted/"
    )
    collect.add_argument("archive", type=Path, help="zip or folder with the notebooks")
    collect.add_argument("--out", type=Path, default=Path("submitted"), help="where they go")
    collect.set_defaults(run=_collect)

    units = commands.add_parser(
        "units", help="print the table of units for README.md, and its badges"
    )
    units.set_defaults(run=_units)
    return parser


def _chosen(course: settings.Course, names: list[str]) -> list[str]:
    known = course.units()
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise CourseError(f"no unit {', '.join(unknown)}; there are {', '.join(known)}")
    return [unit for unit in known if not names or unit in names]


def _setup(course: settings.Course, options: argparse.Namespace) -> int:
    install.install(course.root, options.level, options.here)
    return 0


def _lab(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course import lab

    return lab.lab(course, options.port, not options.no_browser)


def _work(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course import work

    for unit in work.begin(course):
        print(f"{unit}: copied to {course.work / unit}")
    units = [unit for unit in work.outdated(course) if unit in _chosen(course, options.units)]
    for unit in units:
        print("\n  ".join([f"{unit}: renewed", *work.renew(course, unit)]))
    print("Reload what is open in JupyterLab." if units else "All copies are of this release.")
    return 0


def _build(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course.authoring import build

    units = _chosen(course, options.units)
    if not options.check:
        build.build(course, units, execute=not options.no_execute)
        return 0
    drifted = build.drift(course, units, execute=options.outputs)
    print("\n".join(drifted) or "no drift")
    if drifted:
        print("Run `make build` and commit what it changes.")
    return int(bool(drifted))


def _grade(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course.sandbox import bubblewrap, pool
    from helpers.course.sandbox.process import Limits

    isolated = not options.no_sandbox
    if not options.scheduler and not (isolated and bubblewrap.available()):
        cores = os.cpu_count() or 1
        pool.begin(min(options.workers or cores, cores), Limits(), isolated)
    from helpers.course.grading import grade, regrade  # its imports take as long as a sandbox
    from helpers.course.grading import table as marks
    from helpers.course.pages import report

    begun = datetime.now(UTC)
    try:
        table = grade.grade(
            course,
            options.submissions,
            options.out,
            isolated=isolated,
            workers=options.workers,
            scheduler=options.scheduler,
            choice=regrade.Choice(tuple(options.only), options.unit, options.exercise),
            late=options.late,
            groups=options.groups,
        )
    finally:
        pool.close()
    print(marks.as_text(table))
    if changes := list(regrade.since(options.out, begun)):
        print("\nChanged (changes.csv lists everything)", *changes, "", sep="\n")
    print(f"marks: {options.out / 'grades.csv'}\nfeedback: {options.out / 'feedback'}")
    print(f"report: {report.write(course, options.out)}")
    return 0


def _report(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course.pages import report

    print(f"report: {report.write(course, options.out)}")
    return 0


def _formgrade(_course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course import formgrade

    return formgrade.formgrade(options.out, options.port, not options.no_browser)


def _export(_course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course import export

    made = export.export(options.out, options.to, options.worksheet, options.unit, options.column)
    print(*map(printable, made.said), sep="\n")
    print(f"marks: {made.grades}\nfeedback: {made.feedback}")
    return 0


def _demo(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course import demo

    return demo.demo(course, options.out)


def _test(course: settings.Course, options: argparse.Namespace) -> int:
    if importlib.util.find_spec("pytest") is None:
        raise CourseError("the tests' packages come with: python3 -m helpers.course setup test")
    tier = "quick" if options.quick else "test"
    return foreground.run([sys.executable, "-m", "tests.everything", tier], course.root)


def _doctor(course: settings.Course, _options: argparse.Namespace) -> int:
    from helpers.course import doctor

    return int(doctor.report(course) > 0)


def _release(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course.authoring import release

    written = release.release(course, _chosen(course, options.units), options.out)
    print(*written, sep="\n")
    if (wheel := release.named(written[-1])) != course.wheel:
        print(f'For Colab, write under [tool.course] in pyproject.toml: wheel = "{wheel}"')
    return 0


def _collect(course: settings.Course, options: argparse.Namespace) -> int:
    from helpers.course.intake import collect

    table = collect.collect(course, options.archive, options.out)
    print(table.map(printable).to_string(index=False))
    print(f"{len(table)} found; grade them with: course grade {options.out}")
    return 0


def _units(course: settings.Course, _options: argparse.Namespace) -> int:
    from helpers.course.authoring import overview

    if badges := overview.badges(course, install.TRIED):
        print(badges, end="\n\n")
    print(overview.as_markdown(course))
    return 0
