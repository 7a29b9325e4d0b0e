"""What becomes of formulas, numbers and the repository's Markdown on the way to a page."""

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from helpers import checks
from helpers.claims import CLAIMS
from helpers.course.authoring import source
from helpers.course.settings import Course
from helpers.encodings import REGISTRY
from tests.common import ROOT, UNITS
from web import explore, findings, front, links, measured
from web.__main__ import build
from web.encodings import FAMILIES, equation
from web.finishing import used
from web.markdown import CITED, cited, papers, relinked, rows
from web.outputs import Outputs, small
from web.units import Unit


def test_a_folder_that_holds_something_else_than_the_site_is_not_emptied(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    for target in (tmp_path, path):
        with pytest.raises(SystemExit, match="holds something else than the site"):
            build(target)
    assert path.read_text() == "years of work"


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("ζ_n^((i − j)/512)", "ζ<sub>n</sub><sup>(i − j)/512</sup>"),
        ("base·s^(d/(d−2)) + 1", "base·s<sup>d/(d−2)</sup> + 1"),
        ("Σ_{m=j}^{i} f_h(x)", "Σ<sub>m=j</sub><sup>i</sup> f<sub>h</sub>(x)"),
        ("Skew(Q Eᵀ)_ij, depth_p", "Skew(Q Eᵀ)<sub>ij</sub>, depth<sub>p</sub>"),
        ("as shaw_keys, p / max_len", "as shaw_keys, p / max_len"),
        ("r1 log(1 + r2 |δ|)", "r<sub>1</sub> log(1 + r<sub>2</sub> |δ|)"),
        ("w_l w_lᵀ", "w<sub>l</sub> w<sub>l</sub>ᵀ"),
    ],
)
def test_a_formula_is_lowered_and_raised_where_it_should(formula: str, shown: str) -> None:
    assert re.sub("</?i>", "", equation(formula)) == shown


def test_variables_of_a_formula_are_slanted_and_words_are_not() -> None:
    shown = equation("as PE(p) by θ_ij < max_len ln s")
    assert re.findall("<i>(.*?)</i>", shown) == ["p", "ij", "s"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("took 90\n% of it", "took 90\n\\% of it"),  # no comment
        ("![stay above the\nlimit](a.png)", "![stay above the limit](a.png)"),
        ("`docs/claims.md`, `docs/none.md`", "[`docs/claims.md`](../claims.md), `docs/none.md`"),
        ("[`docs/claims.md`](/docs/claims.md)", "[`docs/claims.md`](../claims.md)"),
    ],
)
def test_markdown_of_the_repository_is_that_of_the_site(text: str, shown: str) -> None:
    pages = {"/docs/claims.md": "../claims.md"}
    assert relinked(text, lambda target: pages.get(target, "")) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("2310.04418)", "[2310.04418](https://arxiv.org/abs/2310.04418))"),
        ("3.14 (1234.5), (1999.12345)", "3.14 (1234.5), (1999.12345)"),
    ],
)
def test_a_number_of_arxiv_is_a_link_and_another_is_none(text: str, shown: str) -> None:
    assert papers(f"Li et al. ({text}") == f"Li et al. ({shown}"


def test_every_paper_of_an_encoding_or_a_claim_is_a_link() -> None:
    told = [kind.paper for kind in REGISTRY.values()]
    told += [claim.reference for claim in CLAIMS.values()]
    sources = {source for text in told for source in text.split("; ")} - {"the course's own"}
    assert [each for each in sources if "](https://" not in cited(each)] == []
    assert [each for each in CITED if not any(each in source for source in sources)] == []


def test_what_a_command_says_of_itself_comes_after_what_it_found() -> None:
    page = "# Runs\n\nWritten by `a`.\nRecorded.\n\n## Found\n\nAll.\n"
    told = "# Runs\n\n\n## Found\n\nAll.\n\n---\n\nWritten by `a`.\nRecorded.\n"
    assert measured.findings_first(page) == told


def test_every_encoding_is_in_one_family() -> None:
    members = [name for family in FAMILIES.values() for name in family]
    assert sorted(members) == sorted(REGISTRY)


def test_rules_on_classes_that_nothing_names_are_left_out() -> None:
    css = '@charset "UTF-8";.a,.b .c{d:.5em}@media print{.b{e:1}p:not(.b){f:2}}.b{g:3}'
    assert used(css, {"a", "c"}) == '@charset "UTF-8";.a{d:.5em}@media print{p:not(.b){f:2}}'


def test_a_picture_is_rounded_but_not_its_scale() -> None:
    drawn = '<g>\n <!-- a -->\n <path d="M 1.23456 2 \nL 3.000001 -4.5 \nz\n" x="0.015625"/>\n</g>'
    drawn += '<use transform="scale(0.015625)"/>'
    assert small(drawn) == (
        '<g><path d="M1.23 2L3 -4.5z" x="0.02"/></g><use transform="scale(0.015625)"/>'
    )


def test_every_figure_has_its_section(course: Course) -> None:
    for figure in explore.figures():
        for unit, words in figure.units.items():
            headings = re.findall(r"^# (##+ .+)$", course.text(unit).read_text("utf-8"), re.M)
            assert any(words in each.lower() for each in headings), (figure.title, unit)


def test_the_pages_of_the_units_count_what_these_have(course: Course, tmp_path: Path) -> None:
    cells = [source.read(course.text(unit)) for unit in UNITS]
    asked = [[cell.keys for cell in each if cell.kind == "exercise"] for each in cells]
    said = [re.search(r"takes about (\d+) minutes", each[0].text) for each in cells]
    reads = [int(found[1]) if found else 5 for found in said]
    minutes = [sum(keys["minutes"] for keys in each) for each in asked]
    exercises = [each for unit in UNITS for each in checks.exercises(unit).values()]
    hints = sum(len({mistake.hint for mistake in each.mistakes}) for each in exercises)
    took = [(read + work) / 60 for read, work in zip(reads, minutes, strict=True)]
    outputs = Outputs(tmp_path, "")
    units = [Unit(course, unit, outputs) for unit in UNITS]
    points = f"{sum(map(source.points, cells)):g}"
    counts = [len(UNITS), sum(map(len, asked)), points, f"{hints:,}", len(REGISTRY), len(CLAIMS)]
    text = front.page(
        "$number $exercises $points $hints $encodings $claims", course, units, outputs
    )
    assert text.split() == [*map(str, counts)]
    told = f"{sum(took):.0f} {min(took[1:]):.1f} {max(took[1:]):.1f} {sum(reads) / 60:.1f}"
    assert front.index("$hours $least $most $reading", units) == told
    each_of = zip(reads, minutes, map(source.points, cells), strict=True)
    for card, each in zip(front.cards(units).split("<li>")[1:], each_of, strict=True):
        assert "{} minutes to read and run · {:g} of exercises · {:g} points<".format(*each) in card


def test_a_published_course_leads_to_colab_and_binder(course: Course, tmp_path: Path) -> None:
    published = dataclasses.replace(
        course, owner="someone", repository="order", release="v1", wheel="a-1-none.whl"
    )
    for each, ways in ((course, 0), (published, 2)):
        text = Unit(each, UNITS[2], Outputs(tmp_path, "..")).page()
        assert text.count('href="https://') == ways
    unit = Unit(published, UNITS[0], Outputs(tmp_path, ".."))
    shown = front.page("$ways", published, [unit], Outputs(tmp_path, ".."))
    assert "colab.research.google.com" in shown and ">The repository<" in shown
    lead = links.leader(published, "more/grading", "docs/grading.md")
    assert lead("../benchmarks/results/grading.txt").startswith("https://github.com/someone/order")
    assert links.leader(course, "more/grading", "docs/grading.md")("../Makefile") == ""


def test_claims_and_benchmarks_are_told_as_they_are_stored() -> None:
    page = (ROOT / "docs/claims.md").read_text(encoding="utf-8")
    head, *sections = measured.claims(page).split('<details class="claim" id="claim-')
    for cells, section in zip(rows(page), sections, strict=True):
        assert section.startswith(f'{cells[0]}" data-verdict="{cells[3].strip("*")}">')
        assert f"Said in {cells[2]}. " in section and cells[5] in section
        for part in re.findall(r"([^>]+?): ([^>:]+) \(([^()]+)\): \*([^*]+)\*", cells[4]):
            assert "- {3}: {0}. Measured: {1} (".format(*part[:3], part[3].capitalize()) in section
    for verdict, count in Counter(cells[3].strip("*") for cells in rows(page)).items():
        assert f'{count} <span class="verdict {verdict.replace(" ", "-")}">' in head
        assert sum(f'data-verdict="{verdict}"' in each for each in sections) == count
    page = measured.benchmarks()
    told = "".join(path.read_text("utf-8") for path in ROOT.glob("benchmarks/results/*.txt"))
    met, missed = (len(re.findall(rf"^{word}", told, re.M)) for word in ("met", "missed"))
    assert page.startswith(f"# Benchmarks\n\n**{met} of {met + missed} targets are met.**")
    for path in ROOT.glob("benchmarks/results/*.json"):
        count = len(json.loads(path.read_text(encoding="utf-8"))["rows"])
        assert re.search(rf"`{path.name}` .* {count:,} \|", page), path


def test_a_page_of_measurements_begins_with_what_was_found_and_its_picture(tmp_path: Path) -> None:
    outputs = Outputs(tmp_path, "pictures")
    for name in findings.FIRST:
        path = ROOT / "docs" / f"{name.removeprefix('more/')}.md"
        text = path.read_text(encoding="utf-8") if path.exists() else measured.benchmarks()
        title, found, picture, *rest = findings.begin(name, text, outputs).split("\n\n")
        assert title.startswith("# ") and found.startswith("**") and "<img" in picture and rest
        if name == "more/gpu":  # the same numbers as in the page's own text
            numbers = re.findall(r"\d+\.\d", found)
            assert len(numbers) == 3 and all(each in text for each in numbers)
    moved = findings.pictures_first("# A\n\n## B\n\nb\n\nc\n\n![d](e.png)\n\n## F\n\nf\n\ng")
    assert moved == "# A\n\n## B\n\nb\n\n![d](e.png)\n\nc\n\n## F\n\nf\n\ng"
