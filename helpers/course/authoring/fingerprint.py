"""What a released notebook knows of itself: a digest of each cell, to tell what was written."""

from __future__ import annotations

import hashlib

from nbformat import NotebookNode

KEY = "order-matters-digest"  # of the notebook's metadata, which editors keep


def digest(source: str) -> str:
    """Return a short digest of a cell's text."""
    return hashlib.sha1(source.encode()).hexdigest()[:8]


def digests(notebook: NotebookNode) -> dict[str, str]:
    """Return the digest of each cell, by its id."""
    return {cell.id: digest(cell.source) for cell in notebook.cells}


def untouched(notebook: NotebookNode) -> bool:
    """Return whether it is as it was released: nothing written, nothing run."""
    ran = any(cell.get("execution_count") or cell.get("outputs") for cell in notebook.cells)
    return not ran and notebook.metadata.get(KEY) == digests(notebook)
