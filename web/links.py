"""Where the files of the repository are on the site."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from helpers.course.settings import Course

# A page of docs/ → its page on the site. Pages that are written anew for the site come last.
DOCS = {
    "starting": "more/starting",
    "glossary": "glossary",
    "questions": "more/questions",
    "mini-bert": "more/mini-bert",
    "race": "more/race",
    "gpu": "more/gpu",
    "grading": "more/grading",
    "jupyterhub": "more/jupyterhub",
    "adapting": "more/adapting",
    "architecture": "more/architecture",
    "dependencies": "more/dependencies",
    "claims": "claims",
    "encodings": "encodings/index",
}


def pages(course: Course) -> dict[str, str]:
    """Path in the repository → name of the page."""
    found = {f"docs/{name}.md": page for name, page in DOCS.items()}
    found["CHANGELOG.md"] = "more/changes"
    for unit in course.units():
        for folder in ("notebooks", "solutions"):
            found[f"{folder}/{unit}/{unit}.ipynb"] = f"units/{unit}"
    return found


def leader(course: Course, page: str, path: str) -> Callable[[str], str]:
    """Where a link of the file `path` leads from `page`, which shows it; empty for nowhere.

    A link that begins with / names a file from the top of the repository.
    """
    known = pages(course)

    def lead(target: str) -> str:
        file, _, anchor = target.partition("#")
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)).lstrip("/")
        if to in known:
            way = posixpath.relpath(f"{known[to]}.md", posixpath.dirname(page) or ".")
            return f"{way}#{anchor}" if anchor else way
        if not course.published:
            return ""
        return f"https://github.com/{course.owner}/{course.repository}/blob/{course.release}/{to}"

    return lead
