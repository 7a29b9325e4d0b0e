"""What axe-core finds wrong with a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

COLOURS = ("color-contrast",)  # what another theme may change


def refused(page: Page, within: str = "html", rules: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """What is seriously wrong with a part of the page, by `rules` or by all that there are."""
    # It would fetch style sheets once more, from where they are not.
    options: dict[str, Any] = {"resultTypes": ["violations"], "preload": False}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    context = {"include": [[within]]}
    found = Axe().run(page, context=context, options=options).response["violations"]
    bad = [
        each
        for each in found
        if each["impact"] in ("serious", "critical") or each["id"] == "empty-table-header"
    ]
    return [(each["id"], node["html"]) for each in bad for node in each["nodes"]]
