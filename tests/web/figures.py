"""The figures' folder served on this machine, and a browser that looks at them."""

import functools
import html
import shutil
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.common import CHROMIUM, ROOT
from web import explore

FIGURES = ROOT / "web" / "figures"
CONTENTS: dict[str, dict[str, Any]] = tomllib.loads((FIGURES / "contents.toml").read_text("utf-8"))
# Who draws here; the live model has tests of its own.
NAMES = [name for name in CONTENTS if (FIGURES / f"{name}.js").exists()]
PHONE: ViewportSize = {"width": 360, "height": 740}


class Silent(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a page for each figure, and of the modules under `modules/`."""
    for each in explore.FOLDERS:
        shutil.copytree(each, folder / "modules", dirs_exist_ok=True)
    explore.write(folder / "figures")
    for name in CONTENTS:
        (folder / f"{name}.html").write_text(_page(name), encoding="utf-8")
    with hosting(folder) as address:
        yield address


@contextmanager
def hosting(folder: Path, handler: type[Silent] = Silent) -> Iterator[str]:
    """The address of a folder."""
    serve = functools.partial(handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _page(name: str) -> str:
    told = {key: html.escape(str(text)) for key, text in CONTENTS[name].items()}
    return f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>{told["title"]}</title></head><body>
<main><h1>{told["title"]}</h1><figure class="explorable" data-module="{name}">
<figcaption>{told["sentence"]}</figcaption>
<p class="fallback">{told["fallback"]}</p></figure></main>
{explore.load(name, "")}</body></html>"""


@contextmanager
def browsing() -> Iterator[Browser]:
    """Chromium, without a window."""
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


def complaints(page: Page) -> list[str]:
    """What will go wrong in a page: errors that it logs or does not catch."""
    found: list[str] = []
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def opened(page: Page, address: str) -> Page:
    """Go to `address`, and wait until its figure is drawn."""
    page.goto("about:blank")  # else another hash would be no other page
    page.goto(address)
    page.locator("figure.ready").wait_for(timeout=30_000)
    return page
