"""A tree in random word order: only who is told the tree can come near the limit."""

from __future__ import annotations

from benchmarks.sweep import small, sweep
from helpers.corpora import TreeLanguage

# label: what the model is told, name and options for `create`
ENCODINGS: dict[str, tuple[str, str]] = {
    "none": ("nothing", "none"),
    "learned": ("nothing", "learned"),
    "Shaw on words": ("nothing", "shaw_keys"),
    "tree depth": ("depths", "tree_depth"),
    "tree offsets": ("offsets", "tree_offsets"),
    "Shaw on the tree": ("offsets", "shaw_keys"),
}


def main() -> None:
    """Run the sweep."""
    options = {"steps": 1000, "lengths": (16,)}
    jobs = [
        small(label, TreeLanguage(told=told), (name, {}), options)
        for label, (told, name) in ENCODINGS.items()
    ]
    sweep("tree", jobs)


if __name__ == "__main__":
    main()
