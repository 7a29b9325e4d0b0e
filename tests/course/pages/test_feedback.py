"""The page a learner gets: what it says, and how it looks in a browser."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4
from playwright.sync_api import Browser, Page

from helpers.checks.engine.report import FINDINGS, Report
from helpers.course.pages.feedback import Grade, Mark, render
from helpers.course.pages.sanitize import sanitize
from helpers.course.sandbox.session import error
from tests.common import needs_browser
from tests.course.pages.entered import HINT, RIGHT, UNIT, WRONG, code, display
from tests.course.pages.payloads import PNG

GRADES = {"double-test": Grade(1, 2), "why": Grade(0, 4, needs_manual=True)}
EVERYTHING = {"double-test": Grade(2, 2), "why": Grade(4, 4)}


def _cell(source: str, name: str, *, solution: bool, grade: bool) -> NotebookNode:
    make = v4.new_markdown_cell if name == "why" else v4.new_code_cell
    roles = {"grade_id": name, "solution": solution, "grade": grade, "schema_version": 3}
    return make(source, id=name, metadata={"nbgrader": roles})


def _page(
    checked: Report | NotebookNode = WRONG, *cells: NotebookNode, essay: str = "", **mark: object
) -> str:
    """The page of a notebook whose check showed `checked`, with `cells` before its exercises."""
    if isinstance(checked, Report):
        data = checked._repr_mimebundle_()
        checked = v4.new_output("execute_result", data=data, execution_count=1)
    check = _cell("assert double(2) == 4", "double-test", solution=False, grade=True)
    check.outputs = [checked]
    exercises = [
        v4.new_markdown_cell("### Exercise 1: Twice\n\nWrite it."),
        _cell("def double(x): return x * x", "double", solution=True, grade=False),
        check,
        v4.new_markdown_cell("### Exercise 2: Why `<twice>`?"),
        _cell(essay, "why", solution=True, grade=True),
    ]
    notebook = v4.new_notebook(cells=[*cells, *exercises])
    known = {"unit": UNIT, "student": "ada", "grades": GRADES} | mark
    return render(sanitize(notebook, {})[0], Mark(**known))  # type: ignore[arg-type]


def _text(page: str) -> str:
    """What a reader reads, on one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.split("</head>")[1]))


def test_the_summary_says_what_is_right_what_is_wrong_and_where() -> None:
    page = _page()
    text = _text(page)
    assert "1 of 6 points 4 of them wait to be given by a person." in text
    assert "None of 2 exercises are right" in text
    assert "Exercise 1: Twice partly right · 1 of 2 points" in text
    assert "even numbers: right, 1 of 1" in text
    assert "odd numbers: not yet, 0 of 0.5 double(3): found 9, expected 6." in text
    assert "Exercise 2: Why &lt;twice&gt;? waits to be read · 4 points, still to be given" in text
    assert page.count(HINT) == 2  # in the summary, and below the check
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'href="([^"]+)"', page))
    assert {"#answer-double", "#answer-why", "#summary"} == links <= {f"#{i}" for i in ids}


def test_everything_right_is_said_in_a_line() -> None:
    text = _text(_page(RIGHT, grades=EVERYTHING))
    assert "Everything is right." in text and "Exercise 1: Twice right · 2 of 2 points" in text
    assert "even numbers" not in text


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (error("NotRun", "not run: the kernel was killed"), "not be run: the kernel was killed. W"),
        (error("NoMarks", "the answers were made up"), "No points: the answers were made up."),
        (error("TimeLimit", "this took more than 120 s"), "Stopped: this took more than 120 s."),
        (error("NameError", "name 'x' is not"), "stops with NameError: name 'x' is not"),
        (error("NotImplementedError", ""), "Not written yet."),
        (error("AssertionError", ""), "A check failed."),
    ],
)
def test_what_went_wrong_is_said_in_words(shown: NotebookNode, words: str) -> None:
    shown.traceback = ["----> assert double(21) == 42"]  # of a hidden test
    text = _text(_page(shown)).replace("&#39;", "'")
    assert words in text and "21" not in text


def test_comments_points_by_hand_and_what_lateness_cost_are_shown() -> None:
    essay = Grade(3, 4, by_hand=True, comment="Good, <i>but</i> why?")
    grades = {"double-test": Grade(2, 2), "double": Grade(comment="Short!"), "why": essay}
    page = _page(RIGHT, essay="So it *is*.", grades=grades, penalty=0.5, seconds_late=3601)
    assert "So it <em>is</em>." in page
    text = _text(page)
    assert "4.5 of 6 points" in text and "5 for the answers, less 0.5" in text
    assert "Handed in 1 h 1 min after the due date." in text
    assert "3 of 4 points, given by hand" in text and "Comment: Short!" in text
    assert text.count("Comment: Good, &lt;i&gt;but&lt;/i&gt; why?") == 2


@pytest.mark.parametrize(
    "data", [1, {"findings": [1]}, {"findings": [{"part": "x", "points": "y"}]}]
)
def test_an_output_of_a_strange_form_costs_no_page(data: object) -> None:
    picture = display(image_png=PNG)
    picture.metadata = {"image/png": 1}
    checked = v4.new_output("execute_result", data={FINDINGS: data, "text/plain": "2.0"})
    page = _page(checked, code("draw()", picture), grades=EVERYTHING)
    assert "2 of 2 points" in page and "A figure of this notebook, without" in page


@needs_browser
def test_on_a_phone_the_page_is_readable(browser: Browser, tmp_path: Path) -> None:
    long = "long " * 200
    odd = v4.new_markdown_cell(f"###### Deep\n\n# Mine\n\n#### Less\n\n$${long}$$ {'x' * 300}")
    (tmp_path / "page.html").write_text(_page(WRONG, code(f"x = '{long}'"), odd))
    page: Page = browser.new_page(viewport={"width": 360, "height": 800})
    page.goto(f"file://{tmp_path}/page.html")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    levels = page.eval_on_selector_all(
        "h1,h2,h3,h4,h5,h6", "all => all.map(each => Number(each.tagName[1]))"
    )
    assert levels[:2] == [1, 2] and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    page.close()
