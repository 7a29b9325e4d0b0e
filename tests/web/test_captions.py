"""What a figure says of stored or computed numbers, and lists in its table, is so."""

from statistics import fmean
from typing import Any
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser

from helpers.explorable import data
from tests.common import needs_browser
from tests.web.figures import opened
from tests.web.test_figures_formulas import by_pytorch

ROWS = """async () => {
    for (const each of document.querySelectorAll("details")) each.open = true;
    await new Promise((then) => setTimeout(then, 20));
    const rows = [...document.querySelectorAll("figure tbody tr")];
    return rows.map((row) => [...row.children].map((cell) => cell.textContent));
}"""


def loss_by_length(says: str, rows: list[list[str]], task: str, show: str) -> None:
    found = data.losses()[task]
    last = {name: fmean(found["runs"][name][-1]) for name in show.split("~")}
    ranked = ", ".join(f"{name} {last[name]:.2f}" for name in sorted(last, key=lambda n: last[n]))
    told = f"{found['asks']} Trained on texts of {found['lengths'][0]} tokens, read at "
    told += f"{found['lengths'][-1]}, best first: {ranked}; {found['limit'][-1]:.2f} is the best"
    assert says.startswith(told)
    by = [[[x] for x in found["limit"]], *found["runs"].values()]
    listed = [[", ".join(f"{loss:.2f}" for loss in seeds) for seeds in each] for each in by]
    assert [row[1:] for row in rows] == listed


def move_a_word(says: str, rows: list[list[str]], order: str, start: int) -> None:
    stored, places = data.attention(), [int(n) for n in order.split("~")]
    for name, *cells, verdict in rows:
        before = by_pytorch(stored, name, [*range(5)], 0)[places]
        moved = (by_pytorch(stored, name, places, start) - before).norm(dim=1) / before.norm(dim=1)
        assert cells == ["0" if x < 1e-9 else "< 0.01" if x < 0.005 else f"{x:.2f}" for x in moved]
        assert verdict == ("yes" if moved.max() > 1e-9 else "no")
    blind = "; ".join(name for name, *_, verdict in rows if verdict == "no")
    assert f"Not noticed by: {blind}." in says


@needs_browser
@pytest.mark.parametrize("asked, state", [
    (loss_by_length, {"task": "lag3", "show": "none~RoPE~Shaw keys, k = 2"}),
    (loss_by_length, {"task": "shift3", "show": "none~RoPE"}),
    (move_a_word, {"order": "3~0~4~2~1", "start": 7}),
])  # fmt: skip
def test_a_figure_says_and_lists_what_is_so(
    asked: Any, state: dict[str, Any], browser: Browser, address: str
) -> None:
    page, name = browser.new_page(), asked.__name__.replace("_", "-")
    told = ",".join(f"{key}={quote_plus(str(value))}" for key, value in state.items())
    opened(page, f"{address}/{name}.html#{name}:{told}")
    asked(page.locator(".says").inner_text(), page.evaluate(ROWS), **state)
    page.close()
