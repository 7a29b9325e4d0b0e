"""The page a learner gets: what it says, and that nothing in it can run."""

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat import NotebookNode, v4
from nbgrader.api import Gradebook
from playwright.sync_api import Browser, Page

from helpers.checks.engine.report import FINDINGS
from helpers.course.authoring.nbgrade import Grader, gradebook
from helpers.course.grading import marking
from helpers.course.intake import Submission
from helpers.course.pages import feedback, report
from helpers.course.sandbox.session import error
from helpers.course.settings import CourseError
from tests.common import needs_browser, tiny_course
from tests.course.pages.entered import HINT, RIGHT, UNIT, WRONG, Classroom, code, display
from tests.course.pages.payloads import PAYLOADS

PNG = (  # one dot
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
SCRIPT = "<script>window.ran = 1</script>"
HOSTILE = [
    v4.new_markdown_cell(
        f"# Mine {SCRIPT}\n\n[click](javascript:window.ran=1) ![p](https://x.example/p.png) "
        "<b onclick='window.ran=1'>b</b> <iframe src='https://x.example'></iframe>\n\n"
        "<style>body {display: none}</style>\n\n<details open ontoggle='window.ran=1'>\n\n"
        "<meta http-equiv='refresh' content='0;url=https://x.example'>\n\n"
        "$$\\text{<script>window.ran = 1</script>}$$ $\\href{javascript:window.ran=1}{x}$\n\n"
        "</section></main><div id='summary' style='position:fixed'>over all</div>"
    ),
    code(
        f"print('{SCRIPT}')",
        v4.new_output("stream", text=f"</pre>{SCRIPT}\x1b[31mred\x1b[0m\x00\ud800"),
        display(text_html=SCRIPT, text_plain="a table"),
        display(**{"application_javascript": "window.ran = 1"}),
        display(**{"image_svg+xml": f"<svg onload='window.ran=1'>{SCRIPT}</svg>"}),
        display(image_png=f'"><img src=x onerror="window.ran=1">{SCRIPT}', text_plain="no picture"),
        display(image_png=PNG, text_plain='a dot"><script>window.ran=1</script>'),
        error(f"E{SCRIPT}", SCRIPT),
    ),
    *map(v4.new_markdown_cell, PAYLOADS),
]


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    root = tmp_path_factory.mktemp("feedback")
    return Classroom(tiny_course(root), root / "out")


class _Elements(HTMLParser):
    """The elements of a page: name and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def all(self, *names: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.found if name in names]


def _text(page: str) -> str:
    """What a reader reads, on one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", page.split("</head>")[1]))


def test_the_summary_says_what_is_right_what_is_wrong_and_where(classroom: Classroom) -> None:
    classroom.enter("ada", WRONG)
    page = classroom.page("ada")
    text = _text(page)
    assert "1 of 6 points" in text
    assert "None of 2 exercises are right" in text
    assert "Exercise 1: Twice partly right · 1 of 2 points" in text
    assert "even numbers: right, 1 of 1" in text
    assert "odd numbers: not yet, 0 of 0.5 double(3): found 9, expected 6." in text
    assert page.count(HINT) == 2  # in the summary, and below the check
    elements = _Elements(page)
    ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for attributes in elements.all("a")]
    assert {"#answer-double", "#answer-why", "#summary"} == set(links) <= {f"#{i}" for i in ids}


def test_everything_right_is_said_in_a_line(classroom: Classroom) -> None:
    classroom.enter("perfect", RIGHT)
    text = _text(classroom.page("perfect"))
    assert "Exercise 1: Twice right · 2 of 2 points" in text
    assert "even numbers" not in text


def test_a_hidden_test_and_its_traceback_stay_hidden(classroom: Classroom) -> None:
    failed = error("AssertionError", "")
    failed.traceback = ["----> assert double(21) == 42"]
    classroom.enter("hidden", failed)
    page = classroom.page("hidden")
    assert "assert double(2) == 4" in re.sub(r"<[^>]+>", "", page)
    assert "A check failed." in page
    assert "21" not in _text(page) and "HIDDEN" not in page


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (error("NotRun", "not run: the kernel was killed"), "did not run to its end: the kernel"),
        (error("NoMarks", "the answers were made up"), "gave no points: the answers were made up."),
        (error("TimeLimit", "this took more than 120 s"), "stopped: this took more than 120 s."),
        (error("NameError", "name 'x' is not defined"), "stops with NameError: name 'x' is not"),
        (error("NotImplementedError", ""), "Not written yet."),
    ],
)
def test_what_went_wrong_is_said_in_words(
    classroom: Classroom, shown: NotebookNode, words: str
) -> None:
    classroom.enter("unlucky", shown)
    assert words in _text(classroom.page("unlucky")).replace("&#39;", "'")


def test_marks_and_comments_given_by_hand_are_shown_after_grading_again(
    classroom: Classroom,
) -> None:
    classroom.enter("bob", RIGHT, essay="So it *is*.")
    page = classroom.page("bob")
    assert "Why &lt;twice&gt;? waits to be read · 4 points, still to be given" in _text(page)
    assert "So it <em>is</em>." in page
    with Gradebook(gradebook(classroom.out), "order-matters") as book:
        grade = book.find_grade("why", UNIT, UNIT, "bob")
        grade.manual_score, grade.needs_manual_grade = 3, False
        book.find_comment("why", UNIT, UNIT, "bob").manual_comment = "Good, <i>but</i> why?"
        book.db.commit()
    row = marking.again(classroom.grader, classroom.out, Submission("bob", UNIT, Path()))
    text = _text(classroom.page("bob"))
    assert row["score"] == 5 and "5 of 6 points" in text
    assert "3 of 4 points, given by hand" in text
    assert "Comment: Good, &lt;i&gt;but&lt;/i&gt; why?" in text


def test_a_page_that_cannot_be_written_costs_no_marks(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(grader: Grader, unit: str, student: str) -> None:
        raise CourseError("it broke")

    with monkeypatch.context() as patched:
        patched.setattr(Grader, "feedback", failing)
        row = classroom.enter("kim", RIGHT)
    assert (row["score"], row["status"]) == (2, "graded, without a feedback page: it broke")
    assert report._link(SimpleNamespace(**{"student": "kim", "unit": UNIT} | row)) == ""
    marking.again(classroom.grader, classroom.out, Submission("kim", UNIT, Path()))
    assert "2 of 6 points" in _text(classroom.page("kim"))


def test_a_late_notebook_says_what_that_cost(classroom: Classroom) -> None:
    classroom.enter("late", RIGHT)
    with Gradebook(gradebook(classroom.out), "order-matters") as book:
        book.find_submission_notebook(UNIT, UNIT, "late").late_submission_penalty = 0.5
        book.db.commit()
    classroom.grader.feedback(UNIT, "late")
    text = _text(classroom.page("late"))
    assert "1.5 of 6 points" in text and "2 for the answers, less 0.5" in text


def test_nothing_that_a_learner_wrote_is_markup(classroom: Classroom) -> None:
    classroom.enter("eve", WRONG, HOSTILE)
    page = classroom.page("eve")
    elements = _Elements(page)
    assert not elements.all("script", "iframe", "object", "embed", "svg", "form", "base", "link")
    assert len(elements.all("style")) == 1 and len(elements.all("meta")) == 5
    for _, attributes in elements.found:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert re.match(r"#|data:image/png;base64,|$", attributes.get("src", ""))
        assert re.match(r"#|https://|$", attributes.get("href", ""))
    assert [each["alt"] for each in elements.all("img")] == ['a dot"><script>window.ran=1</script>']
    assert "a table" in page and "no picture" in page and "red" in page and "\x1b" not in page


@pytest.mark.parametrize(
    "data", [1, {"findings": 1}, {"findings": [1]}, {"findings": [{"part": "x", "points": "y"}]}]
)
def test_an_output_of_a_strange_form_costs_no_page(classroom: Classroom, data: object) -> None:
    picture = display(image_png=PNG)
    picture.metadata = {"image/png": 1}
    checked = v4.new_output("execute_result", data={FINDINGS: data, "text/plain": "2.0"})
    classroom.enter("odd", checked, [code("draw()", picture)])
    page = classroom.page("odd")
    assert "2 of 2 points" in page and "without a description" in page


def test_a_notebook_that_takes_too_long_is_shown_as_it_was_written(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feedback, "PATIENCE", -1.0)
    classroom.enter("slow", WRONG, [v4.new_markdown_cell("*a* <b>"), code("x < 1")])
    page = classroom.page("slow")
    assert "<pre>*a* &lt;b&gt;</pre>" in page and "<code>x &lt; 1</code>" in page


def test_the_page_allows_itself_no_script_and_nothing_from_elsewhere(classroom: Classroom) -> None:
    classroom.enter("ada", WRONG)
    policy = _Elements(classroom.page("ada")).all("meta")[1]
    assert policy["http-equiv"] == "Content-Security-Policy"
    assert policy["content"].startswith("default-src 'none'; img-src data:; style-src 'sha256-")


@pytest.fixture(scope="module")
def browser_page(browser: Browser) -> Page:
    return browser.new_page(viewport={"width": 390, "height": 800})


@needs_browser
@pytest.mark.parametrize("policy", [True, False], ids=["as it is", "without its policy"])
def test_in_a_browser_nothing_runs_and_nothing_is_fetched(
    classroom: Classroom, browser_page: Page, tmp_path: Path, policy: bool
) -> None:
    classroom.enter("eve", WRONG, HOSTILE)
    text = classroom.page("eve")
    if not policy:
        text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    (tmp_path / "page.html").write_text(text)
    asked: list[str] = []
    browser_page.on("request", lambda request: asked.append(request.url))
    browser_page.goto(f"file://{tmp_path}/page.html")
    assert browser_page.evaluate("window.ran") is None
    assert [url for url in asked if not url.startswith("data:")] == [browser_page.url]
    assert browser_page.locator("#summary").count() == 1


@needs_browser
def test_on_a_phone_the_page_is_readable(classroom: Classroom, browser_page: Page) -> None:
    classroom.enter("ada", WRONG, [code("x = '" + 200 * "long " + "'"), *HOSTILE])
    page = classroom.out / "feedback" / "ada" / UNIT / f"{UNIT}.html"
    browser_page.goto(f"file://{page}")
    assert browser_page.evaluate("document.documentElement.scrollWidth") == 390
    assert browser_page.locator("html").get_attribute("lang") == "en"
    assert browser_page.locator("main").count() == browser_page.locator("h1").count() == 1
    ground = "getComputedStyle(document.body).backgroundColor"
    browser_page.emulate_media(color_scheme="light")
    light = browser_page.evaluate(ground)
    browser_page.emulate_media(color_scheme="dark")
    assert light == "rgb(255, 255, 255)" != browser_page.evaluate(ground)
    browser_page.emulate_media(color_scheme=None)
    levels = browser_page.eval_on_selector_all(
        "h1,h2,h3,h4,h5,h6", "all => all.map(each => Number(each.tagName[1]))"
    )
    assert all(after <= before + 1 for before, after in pairwise(levels))
