"""What figures look like on a phone: words that are read, parts that are held, none that jumps."""

import math

import pytest
from playwright.sync_api import Browser, Page

from tests.common import needs_browser
from tests.web import moving
from tests.web.figures import opened
from tests.web.test_figures import REST, SAYS, TRIED

pytestmark = needs_browser

# How large each word of a picture is, in pixels.
LETTERS = """() => [...document.querySelectorAll("figure svg text")].map((text) => {
    const {width} = text.ownerSVGElement.viewBox.baseVal;
    const scale = text.ownerSVGElement.getBoundingClientRect().width / width;
    return [text.textContent, scale * parseFloat(getComputedStyle(text).fontSize)];
})"""
# How far to the left and right, and up and down, of its middle one takes hold of a handle.
GRASP = """(handle) => {
    handle.scrollIntoView({block: "center"});
    const box = (handle.querySelector(".knob, .bar") ?? handle).getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const far = (dx, dy) => {
        let n = 0;
        while (n < 60 && handle.contains(document.elementFromPoint(x + dx * n, y + dy * n))) n++;
        return n;
    };
    return [far(-1, 0) + far(1, 0), far(0, -1) + far(0, 1)];
}"""


@pytest.mark.parametrize("name", TRIED)
def test_on_a_phone_words_are_read_and_parts_taken_hold_of(
    name: str, phone: Page, address: str
) -> None:
    opened(phone, f"{address}/{name}.html")
    assert [each for each in phone.evaluate(LETTERS) if each[1] < 9] == []
    phone.add_style_tag(content="body { padding-block: 600px; }")
    for part in phone.locator("figure :is(.handle, button, input[type=range], .choice span)").all():
        if part.is_visible():
            assert min(part.evaluate(GRASP)) >= 44, part.evaluate("each => each.outerHTML")


# Where arrows meet, words share a place, or what is looked for lies outside a picture.
CROWDED = ("turning:i=8,j=6", "turning:i=5,j=5", "patches:row=0,column=0,down=-3,right=-3")
# Words of a picture that lie on one another, or beyond the sides of the figure.
CROSSING = """() => {
    const {left, right, top, bottom} = document.querySelector("figure").getBoundingClientRect();
    const words = [...document.querySelectorAll("figure svg text:not(.on-knob)")]
        .filter(each => each.textContent
            && each.checkVisibility({visibilityProperty: true, opacityProperty: true}))
        .map(each => [each.textContent, each.getBoundingClientRect()]);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
    return words.filter(([, a], n) => a.left < left || a.right > right || a.top < top
        || a.bottom > bottom || words.slice(n + 1).some(([, b]) => meet(a, b)))
        .map(([word]) => word);
}"""


@pytest.mark.parametrize("name", TRIED)
def test_no_word_of_a_picture_crosses_another(name: str, phone: Page, address: str) -> None:
    opened(phone, f"{address}/{name}.html")
    assert phone.evaluate(CROSSING) == []
    for state in (each for each in (*CROWDED, *SAYS) if each.startswith(f"{name}:")):
        phone.evaluate("state => { location.hash = state; }", state)
        phone.clock.run_for(REST)
        assert phone.evaluate(CROSSING) == [], state


@pytest.mark.parametrize("name", TRIED)
def test_nothing_moves_below_a_picture_that_changes(name: str, phone: Page, address: str) -> None:
    opened(phone, f"{address}/{name}.html")
    for slider in phone.locator("figure input[type=range]").all():
        places = set()
        for key in ("Home", "End"):
            slider.press(key)
            phone.clock.run_for(REST)
            places.add(phone.locator(".controls").evaluate("each => each.offsetTop"))
        assert len(places) == 1, slider.get_attribute("aria-valuetext")


# How far the arcs of each clock go round, and by how much its hands have turned.
ARCS = """() => [...document.querySelectorAll("figure .face")].map((face) =>
    [...face.querySelectorAll(".trail")].map((arc, n) => {
        const turn = (line) => Math.atan2(line.x2.baseVal.value, -line.y2.baseVal.value);
        const [hand, ghost] = ["hand", "ghost"].map((kind) => face.querySelectorAll("." + kind)[n]);
        const radius = Math.hypot(ghost.x2.baseVal.value, ghost.y2.baseVal.value);
        return [arc.getTotalLength() / radius, turn(hand) - turn(ghost)];
    }))"""


@pytest.mark.parametrize("k", [0, 2, 4])  # positions; the fastest hand turns by as many radians
def test_the_arcs_of_a_clock_go_as_far_as_its_hands(k: int, phone: Page, address: str) -> None:
    opened(phone, f"{address}/clock.html#clock:k={k}")
    phone.clock.run_for(REST)
    for face in phone.evaluate(ARCS):
        for arc, turned in face:
            assert arc == pytest.approx(turned % math.tau, abs=0.01)


def test_the_moving_picture_of_readme_is_the_figure_of_the_front_page(browser: Browser) -> None:
    """Where that has changed, `python -m tests.web.moving` draws it anew."""
    assert moving.PATH.read_text(encoding="utf-8") == moving.svg(moving.read(browser))
