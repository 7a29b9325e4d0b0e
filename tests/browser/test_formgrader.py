"""An instructor's way through nbgrader's formgrader on a graded class."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page

from helpers.course import servers
from helpers.course.authoring import build
from helpers.course.grading import grade
from helpers.course.settings import Course, CourseError
from tests.browser.conftest import serving
from tests.common import ESSAY, ISOLATED, LESSON, needs_browser
from tests.course.judged import hand_in

UNIT = "01-tiny"


def test_a_folder_without_a_class_is_told(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="course grade SUBMISSIONS --out"):
        servers.formgrade_command(tmp_path, 8889)


@needs_browser
@pytest.mark.rotating
def test_an_essay_is_given_its_points(tiny: Course, tmp_path: Path, page: Page) -> None:
    tiny.text(UNIT).write_text(LESSON + ESSAY)
    answered = nbformat.from_dict(build.make(tiny, UNIT, tmp_path / "made").solution)
    answered.cells[-1].source = "It is so."
    hand_in(tmp_path / "in", UNIT, ada=answered)
    out = tmp_path / "out"
    grade.grade(tiny, tmp_path / "in", out, isolated=ISOLATED)

    with serving(lambda port: servers.formgrade_command(out, port, browser=False), out) as address:
        page.goto(f"{address}/formgrader/gradebook/{UNIT}/{UNIT}")
        page.get_by_role("link", name="Submission #1").click()
        page.get_by_text("It is so.").wait_for()
        # The page fills its fields, and listens to them, once it has been told all grades.
        page.locator("input.extra-credit[placeholder]").last.wait_for()
        score = page.locator("input.score").last
        with page.expect_response(lambda answer: "/formgrader/api/grade/" in answer.url):
            score.fill("3")
            score.blur()
        # Jupyter would show any notebook, a learner's own scripts and all.
        for place in ("submitted", "autograded"):
            shown = page.request.get(f"{address}/nbconvert/html/{place}/ada/{UNIT}/{UNIT}.ipynb")
            assert shown.status == 404
    row = grade.grade(tiny, tmp_path / "in", out, isolated=ISOLATED).iloc[0]
    assert (row.score, row.max_score, row.status) == (5, 6, "graded")
