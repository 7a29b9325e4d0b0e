"""The live mini BERT as a reader meets it: by mouse, by keyboard, on a phone, in the dark."""

import re
from urllib.parse import quote_plus

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from benchmarks.live_study import ENCODINGS
from helpers.corpora.wordpiece import CLS, MASK, SEP
from tests.common import needs_browser
from tests.web.axe import COLOURS, refused
from tests.web.figures import complaints, opened
from tests.web.test_live import expected as _read
from tests.web.test_live import index, model

pytestmark = needs_browser
TEXT = "the number of [MASK] in the list."


def _asked(page: Page, address: str, encoding: str = "rotary", text: str = TEXT) -> None:
    """Open the page with a state in its address, and wait for the answer."""
    opened(page, f"{address}/live.html#live:e={encoding},s={quote_plus(text)}")
    page.locator(".live-guess").first.wait_for()


def _press(page: Page, *keys: str) -> None:
    """Press keys, each when what the one before has done is drawn."""
    for each in keys:
        page.keyboard.press(each)
        page.evaluate("new Promise(then => requestAnimationFrame(() => setTimeout(then)))")


def _choose(page: Page, encoding: str) -> None:
    """Choose an encoding, and wait for its answer."""
    page.locator(f"input[value={encoding}]").check(force=True)
    name = page.locator(f"label:has(input[value={encoding}])").inner_text()
    page.locator(".says").get_by_text(f"With {name}").wait_for()


def _guesses(page: Page) -> dict[str, str]:
    """The words for the first [MASK], with their probabilities as they are shown."""
    rows = page.locator(".live-guess").first.locator("tbody tr").all()
    return {row.locator("th").inner_text(): row.locator("td").first.inner_text() for row in rows}


@torch.no_grad()
def _expected(encoding: str, ids: list[int]) -> dict[str, str]:
    """The same by the course's own model; `ids` are those of the sentence."""
    row = [CLS, *ids, SEP]
    likely = model(encoding)(torch.tensor([row]))[0, row.index(MASK)].double().softmax(-1)
    words = index()["vocabulary"]
    return {words[n]: f"{100 * likely[n].item():.1f} %" for n in likely.topk(5).indices.tolist()}


def _ids(text: str) -> list[int]:
    """Ids of words that are in the vocabulary as they are."""
    return [index()["vocabulary"].index(each) for each in re.findall(r"\[MASK\]|\w+|\S", text)]


def _sentence(page: Page) -> str:
    return page.get_by_label("Your sentence").input_value()


def _word(page: Page, word: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{re.escape(word)}, word"))


def _says(page: Page) -> str:
    return page.locator(".says").inner_text()


def test_it_answers_as_the_course_s_model_does_and_loads_what_is_asked(
    page: Page, address: str
) -> None:
    loaded: list[str] = []
    page.on("request", lambda asked: loaded.append(asked.url))
    _asked(page, address, "none")
    assert [each for each in loaded if each.endswith(".bin")] == [loaded[-1]]
    assert loaded[-1].endswith("/none.bin")
    for encoding in ENCODINGS:
        _choose(page, encoding)
        assert _guesses(page) == _expected(encoding, _ids(TEXT))
    typed = "[MASK] the value of the [MASK]."
    page.get_by_label("Your sentence").fill(typed.replace("[MASK]", "[mask]"))
    page.wait_for_function("document.querySelectorAll('.live-words button').length === 7")
    assert _guesses(page) == _expected("shaw", _ids(typed))
    beside = page.locator(".live-guess").first.locator(".live-other").all_inner_texts()
    assert beside == [*_expected("none", _ids(typed))]


@pytest.mark.parametrize("encoding", ["none", "rotary"])
def test_a_word_moves_by_keyboard_and_only_positions_notice(
    encoding: str, page: Page, address: str
) -> None:
    _asked(page, address, encoding)
    before = _guesses(page)
    _word(page, "number").focus()
    _press(page, "ArrowRight", "ArrowRight")
    assert _sentence(page) == "the of [MASK] number in the list."
    _press(page, "End", "ArrowLeft")  # the full stop is a word of its own
    text = "the of [MASK] in the list number."
    assert _sentence(page) == text
    assert page.evaluate("document.activeElement.textContent") == "number"
    assert _guesses(page) == _expected(encoding, _ids(text))
    blind = encoding == "none"
    assert (_guesses(page) == before) == blind
    assert ("a sentence is a bag of words" in _says(page)) == blind
    assert ("Since a word was moved, a probability has changed" in _says(page)) != blind
    page.wait_for_function("location.hash.includes('list+number')")
    page.reload()
    page.locator(".live-guess").first.wait_for()
    assert _sentence(page) == text


def test_a_word_is_dragged_to_where_it_is_dropped(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 360, "height": 2400})  # the words take two lines
    _asked(page, address)
    held, target = (_word(page, each).bounding_box() for each in ("number", "list"))
    assert held and target and target["y"] > held["y"] + 20
    page.mouse.move(held["x"] + 5, held["y"] + 5)
    page.mouse.down()
    page.mouse.move(target["x"] + target["width"] - 3, target["y"] + 9, steps=4)
    page.mouse.up()
    sentence = page.get_by_label("Your sentence")
    expect(sentence).to_have_value("the of [MASK] in the list number.")
    assert "[MASK]" in page.locator(".live-words").inner_text()  # a drag is no click


def test_a_number_and_a_name_with_marks_in_them_move_whole(page: Page, address: str) -> None:
    text = "returns 3.14, if e.g. a[0] is [MASK]."
    _asked(page, address, text=text)
    _word(page, "3.14").focus()
    _press(page, "ArrowLeft", "ArrowRight")
    assert _sentence(page) == text


def test_enter_hides_a_word_and_fills_a_gap(page: Page, address: str) -> None:
    _asked(page, address)
    [likeliest, *_] = _guesses(page)
    _word(page, "[MASK]").focus()
    _press(page, "Enter")
    assert _sentence(page) == TEXT.replace("[MASK]", likeliest.removeprefix("##"))
    assert page.locator(".live-guess").count() == 0
    assert "Press a word to hide it" in _says(page)
    for word in ("number", "list"):
        _word(page, word).focus()
        _press(page, "Enter")
    assert page.locator(".live-guess").count() == 2


def test_what_is_said_of_heads_and_models_is_so(page: Page, address: str) -> None:
    encoding, name, text = "rotary", "RoPE", "the number of [MASK] in the [MASK]."
    known = index()["encodings"][encoding]
    _asked(page, address, encoding, text)
    likely = ", ".join(f"{word} ({part})" for word, part in _expected(encoding, _ids(text)).items())
    assert f"With {name}, [MASK] is most likely {likely}." in _says(page)
    assert f"fills {100 * known['right']:.1f} % of the hidden pieces right" in _says(page)
    ids = [CLS, *_ids(text), SEP]
    labels = [each.get_attribute("aria-label") for each in page.locator(".live-head").all()]
    heads = _read(model(encoding), ids)[1].flatten(0, 1)
    for label, looks in zip(labels, heads, strict=True):
        before, after, itself = looks.diagonal(-1), looks.diagonal(1), looks.diagonal()
        weights = {"the token before": before, "itself": itself, "the token after": after,
                   "[CLS]": looks[:, 0], "[SEP]": looks[:, -1]}  # fmt: skip
        part, most = max((float(each.sum()) / len(ids), name) for name, each in weights.items())
        habit = f"on the whole it looks at {most} ({part:.2f} of its weight)."
        words = [(index()["vocabulary"][n], x) for n, x in zip(ids, looks[4], strict=True)]
        best = sorted(words, key=lambda each: -each[1])[:2]
        told = "from [MASK] it looks at " + ", ".join(f"“{a}” {x:.2f}" for a, x in best) + "; "
        assert str(label).endswith(told + (habit if part > 0.4 else "its weight is spread."))
    page.get_by_text("The chosen head as a table").click()
    page.locator(".live-head").nth(6).focus()
    _press(page, "Space")
    rows = page.locator(".as-table").first.locator("tbody tr").all()
    shown = [[float(cell) for cell in row.locator("td").all_inner_texts()] for row in rows]
    assert torch.allclose(torch.tensor(shown), heads[6], atol=0.0051)


def test_everyone_can_use_it(page: Page, address: str) -> None:
    wrong = complaints(page)
    page.on("console", lambda said: wrong.append(said.text))  # of warnings, too
    _asked(page, address, text=" ".join(["the [MASK] of a string"] * 6))  # as long as one can be
    for summary in page.locator(".as-table summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1366
    page.get_by_label("Your sentence").fill("the [MASK] of a [MASK].")
    page.wait_for_timeout(300)  # until words are told
    for width in (360, 1366):
        page.set_viewport_size({"width": width, "height": 2400})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert refused(page, "figure") == []
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_timeout(100)
    assert refused(page, "figure", COLOURS) == []
    assert wrong == []


def test_a_sentence_that_is_too_long_and_weights_that_are_missing_are_said(
    page: Page, address: str
) -> None:
    _asked(page, address, text="[MASK]" + " string" * 40 + " [MASK]")
    assert "its end is left out, with 1 [MASK]." in _says(page)
    read = _ids("[MASK]" + " string" * (index()["longest"] - 3))  # beside CLS and SEP
    for encoding in ("rotary", "learned"):  # the table has no row for one more
        _choose(page, encoding)
        assert _guesses(page) == _expected(encoding, read)
    page.route("**/alibi.bin", lambda route: route.fulfill(status=404))
    page.locator("input[value=alibi]").check(force=True)
    page.get_by_text("could not be loaded").first.wait_for()
    page.route("**/weights.json", lambda route: route.fulfill(status=404))
    page.reload()
    page.get_by_role("alert").get_by_text("could not be loaded").wait_for()
