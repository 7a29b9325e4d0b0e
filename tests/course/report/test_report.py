"""The page about a class: its numbers, what it says of whom, and its two smallest classes."""

import base64
import hashlib
import html
import platform
import re
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser

from helpers.course import report
from helpers.course.cli import main
from helpers.course.grading import journal
from helpers.course.grading.gradebook import refresh
from helpers.course.report import exercises
from helpers.course.settings import Course
from tests.common import needs_browser, tiny_course
from tests.course.judged import give
from tests.course.pages.entered import HINT, RIGHT, UNIT, WRONG, Classroom, code


def row(student: str, **said: object) -> dict[str, object]:
    nothing = {"unit": UNIT, "status": "graded", "seconds": 1.0}
    return nothing | {"student": student} | said


def written(course: Course, out: Path, rows: list[dict[str, object]]) -> str:
    return report.write(course, out, journal.table(rows)).read_text("utf-8")


def section(page: str, name: str) -> str:
    """What a reader reads in one section, on one line."""
    part = page.split(f'<section aria-labelledby="{name}">')[1].split("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", part)).strip()


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    root = tmp_path_factory.mktemp("report")
    made = Classroom(tiny_course(root), root / "out")
    for student in ("007", "NA", "zoe"):
        made.enter(student, WRONG)
    made.enter("ada", RIGHT)
    give(made.out, "ada", "why", manual_score=3)
    refresh(made.out)
    return made


@pytest.fixture(scope="module")
def page(classroom: Classroom) -> str:
    killed = "the kernel was killed; no sign of life; no sign of life"
    rows = [
        row("007", flags=killed),
        row("NA", repairs="double: put back; why: put back; handed in as x.ipynb"),
        row("zoe", late="2 h", penalty=0.25),
        row("ada", status="graded, without a feedback page: it broke"),
        row("<script>", status="not graded: the file is <b>empty</b>", unit=""),
    ]
    return written(classroom.course, classroom.out, rows)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        # 1 of 2, three times, with an essay of 4 points that waits, and by hand 2 + 3 of 6
        ("marks", f"{UNIT} 4 4 6 12 58 % 50 % 50 % 83 %"),
        ("marks", "40 to 50 0 50 to 60 3 60 to 70 0 70 to 80 0 80 to 90 1"),
        ("learners", f"learner {UNIT} sum pending"),
        (
            "learners",
            "007 1 1 4 &lt;script&gt; – 0 0 NA 1 1 4 ada 5 5 0 zoe 0.75 0.75 4",
        ),  # who was late
        ("exercises", f"{UNIT} Twice 2 4 1.25 62 % 25 % 0 % – 25 %"),
        ("exercises", "Why &lt;twice&gt;? 4 1 3 75 % 0 % 0 % – –"),  # of what has been read
        ("misconceptions", f"3 of 4 · {UNIT} · Twice {HINT} 3 learners 007, NA, zoe"),
        ("waiting", f"{UNIT} · Why &lt;twice&gt;? 3 learners 007, NA, zoe"),
        ("flagged", f"007 , {UNIT}: the kernel was killed; no sign of life (2 times)"),
        ("repaired", f"NA , {UNIT}: put back (2 times); handed in as x.ipynb"),
        ("left-out", "&lt;script&gt;, no unit: the file is &lt;b&gt;empty&lt;/b&gt;"),
        ("late", f"zoe {UNIT} 2 h 0.25"),
    ],
)
def test_each_section_says(page: str, name: str, told: str) -> None:
    assert told in section(page, name)


def test_misconceptions_come_first_and_a_grid_says_who_has_solved_what(page: str) -> None:
    sections = re.findall(r'<section aria-labelledby="([\w-]+)">', page)
    assert sections[:3] == ["misconceptions", "answers", "exercises"]
    contents = re.findall('href="#([a-z]+)"', page.split("<nav")[1].split("</nav>")[0])
    assert contents == [each for each in sections if each in contents] and "learners" in contents
    solved = section(page, "answers").split("learner Twice Why &lt;twice&gt;? ")[1]
    assert solved == "007 ◐ … NA ◐ … ada ✓ ◐ zoe ◐ …"


def test_the_head_sums_up_what_the_page_is_about(page: str) -> None:
    assert f"course {version('order-matters')}, Python {platform.python_version()}, torch" in page
    told = " ".join(re.sub(r"<[^>]+>", "", page.split("<main>")[0]).split())
    assert "5 notebooks of 5 learners" in told
    assert "4 graded 1 not graded 1 flagged 3 answers to read 1 repaired" in told


def test_the_page_runs_nothing_and_every_link_leads_somewhere(
    page: str, classroom: Classroom
) -> None:
    script, policy = re.findall("<script>(.*?)</script>", page, re.DOTALL), html.unescape(page)
    assert len(script) == 1 == page.count("<script>")  # ours, which the policy names
    digest = base64.b64encode(hashlib.sha256(script[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy and "default-src 'none'" in policy
    links = re.findall(r'href="([^"]+)"', page)
    assert f"feedback/zoe/{UNIT}/{UNIT}.html" in links
    assert f"feedback/ada/{UNIT}/{UNIT}.html" not in links  # who has no page
    for link in links:
        place = f'id="{link[1:]}"' in page if link[0] == "#" else (classroom.out / link).exists()
        assert place, link


def test_a_class_of_which_nobody_is_graded(tmp_path: Path) -> None:
    (out := tmp_path / "out").mkdir()
    page = written(tiny_course(tmp_path), out, [row("ada", status="not graded: empty")])
    assert "Nobody has been graded." in section(page, "marks")
    assert "ada, 01-tiny: empty" in section(page, "left-out")
    assert 'id="exercises"' not in page and not (out / "gradebook.db").exists()
    assert "0 notebooks of 0 learners" in written(tiny_course(tmp_path / "b"), out, [])


def test_each_unit_has_its_own_numbers_and_a_learner_the_sum(tiny: Course, tmp_path: Path) -> None:
    for unit, handed_in in ((UNIT, {"ada": WRONG}), ("02-later", {"ada": RIGHT, "bob": WRONG})):
        made = Classroom(tiny, tmp_path / "out", unit)
        for student, checked in handed_in.items():
            made.enter(student, checked)
    twice = row("ada", status="not graded: another one of the same unit counts")
    rows = [row("ada"), twice, *(row(who, unit="02-later") for who in ("ada", "bob"))]
    page = written(tiny, made.out, rows)
    assert "ada 1 2 3 8 bob – 1 1 4" in section(page, "learners")
    given = re.findall(r"1 of (\d) · (\S+) ·", section(page, "misconceptions"))
    assert given == [("1", UNIT), ("2", "02-later")]


def test_the_command(
    classroom: Classroom, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(classroom.course.root)
    (classroom.out / "report.html").unlink(missing_ok=True)
    assert main(["report", str(classroom.out)]) == 0
    assert (classroom.out / "report.html").exists()
    assert "report.html" in capsys.readouterr().out
    assert main(["report", "elsewhere"]) == 1
    assert "elsewhere holds no gradebook.db" in capsys.readouterr().err


@needs_browser
def test_in_a_browser_tables_are_sorted_and_fit(
    browser: Browser, page: str, tmp_path: Path
) -> None:
    (tmp_path / "report.html").write_text(page)
    shown = browser.new_page(viewport={"width": 360, "height": 800})
    shown.goto(f"file://{tmp_path}/report.html")
    table = shown.locator("section[aria-labelledby=learners] table")
    names = table.locator("tbody th")
    assert names.all_inner_texts() == ["007", "<script>", "NA", "ada", "zoe"]
    table.get_by_role("button", name="sum").dblclick()
    assert names.all_inner_texts()[0] == "ada"
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("sum")
    assert shown.evaluate("document.documentElement.scrollWidth") == 360
    shown.close()


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


ASKED = """
# %%
from helpers.predict import predict

predict("far", "At 96 tokens <the> loss is", a="low", b="high", answer="")

# %%
predict("loss", "The loss will be", answer="")
"""
CALL = 'predict("far", "Another question", a="lower", c="mine", answer={})'
NUMBER = 'predict("loss", "The loss will be", answer={})'
WRITTEN = {
    "ada": ('"b"', "-0.5"),
    "bob": ('" B)"', "0.25"),
    "cem": ('"c"', "1e999"),  # neither is an answer to what the source asks
    "dua": ("open('/etc/passwd').read()", "True"),
    "eva": ("", "[1]"),  # no Python
    "gus": ('"none"', "9" * 400),  # a whole number beyond every float
}


def test_answers_are_counted_by_what_the_source_of_each_unit_asks(
    tiny: Course, tmp_path: Path
) -> None:
    for unit, learners in ((UNIT, [*WRITTEN, "fay"]), ("02-later", ["bob"])):
        made = Classroom(tiny, tmp_path / "out", unit)
        for student in learners:
            letter, number = WRITTEN.get(student, ("", ""))
            cells = [code(CALL.format(letter)), code(NUMBER.format(number))]
            made.enter(student, RIGHT, cells if student in WRITTEN else [])  # fay deleted both
        rows = [row(student, unit=unit) for student in learners]
        assert "predictions" not in written(tiny, made.out, rows)
        with tiny.text(unit).open("a") as file:
            file.write(ASKED)
    rows = [row(student) for student in [*WRITTEN, "fay"]]
    told = section(written(tiny, made.out, [*rows, row("bob", unit="02-later")]), "predictions")
    assert f"{UNIT} · At 96 tokens &lt;the&gt; loss is" in told
    assert "a) low 0 b) high 2 no prediction 5" in told
    assert "median -0.12, middle half -0.31 to 0.06 2 no prediction 5" in told
    assert "lower" not in told and "mine" not in told
    assert "a) low 0 b) high 1 no prediction 0" in told.split("02-later", 1)[1]


def test_questions_that_nobody_answered_are_folded(tiny: Course, tmp_path: Path) -> None:
    made = Classroom(tiny, tmp_path / "out", UNIT)
    made.enter("ada", RIGHT)
    with tiny.text(UNIT).open("a") as file:
        file.write(ASKED)
    page = written(tiny, made.out, [row("ada")])
    part = page.split('<section aria-labelledby="predictions">')[1].split("</section>")[0]
    assert "<table" not in part and "<details><summary>2 questions that nobody answered" in part
