"""The rooms of helpers/ and which of them import which: docs/architecture.svg.

Run `python -m tests.project.architecture`; a test compares the picture with what this would draw.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.common import ROOT
from tests.project import drawing

PATH = ROOT / "docs" / "architecture.svg"
PACKAGE = ROOT / "helpers"

# The declared order, from the ground up: a room imports only from rooms that stand before it.
WINGS: Mapping[str, Mapping[str, str]] = {
    "what all share": {
        "runtime": "device, versions, seeds",
        "plots": "one style, texts for figures",
        "book": "the book's own library",
        "recorded": "results of long runs",
        "predict": "predictions",
        "widgets": "sliders",
    },
    "the subject": {
        "encodings": "one interface, four hooks",
        "pictures": "ideas, drawn by code",
        "corpora": "languages with a limit",
        "model": "attention, encoder, BERT",
        "training": "one loop, pretraining",
        "explorable": "the site's figures",
        "claims": "what is said, measured",
    },
    "the checks": {
        "checks/engine": "exercise, compare, report",
        "checks": "a folder a unit",
    },
    "the command course": {
        "course/settings": "where the folders are",
        "course/drop": "never root",
        "course/authoring": "source → notebooks",
        "course/intake": "finds, repairs submissions",
        "course/sandbox": "where learners' code runs",
        "course/grading": "executes, judges, enters",
        "course/pages": "feedback and report",
        "course": "the command line",
    },
}
ORDER = tuple(room for wing in WINGS.values() for room in wing)

Graph = Mapping[str, frozenset[str]]


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module below `package` by its dotted name, a package by that of its folder."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def room(module: str) -> str:
    """The room of a module: the longest name in `ORDER` that it begins with, or its own name.

    The package itself, `helpers`, holds its version and is in no room.
    """
    parts = module.split(".")[1:]
    names = ["/".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((name for name in names if name in ORDER), names[-1] if names else "")


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules among `known` that a file imports, at its top or inside a function.

    Raises:
        ValueError: an import is relative.
    """
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [each.name for each in node.names]
            case ast.ImportFrom(level=level) if level:
                raise ValueError(f"{path}:{node.lineno}: write the whole name of what is imported")
            case ast.ImportFrom(module=str(module)):
                inner = [f"{module}.{each.name}" for each in node.names]
                names = [name if name in known else module for name in inner]
        yield from (name for name in names if name in known)


def graph(package: Path = PACKAGE) -> Graph:
    """For each room, the rooms that its modules import."""
    known = modules(package)
    found: dict[str, set[str]] = {room(name): set() for name in known}
    for name, path in known.items():
        found[room(name)] |= {room(each) for each in imported(path, known)}
    return {name: frozenset(to - {name, ""}) for name, to in found.items() if name}


def circle(rooms: Graph) -> list[str]:
    """Rooms that import one another in a circle, the first of them again at the end; [] if none."""
    done: set[str] = set()

    def visit(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        found = next(filter(None, (visit(to, [*way, name]) for to in sorted(rooms[name]))), [])
        done.add(name)
        return found

    return next(filter(None, (visit(name, []) for name in sorted(rooms))), [])


def upward(rooms: Graph, order: tuple[str, ...] = ORDER) -> list[str]:
    """Imports against the declared order, and rooms that it does not hold, a line each."""
    place = {name: number for number, name in enumerate(order)}
    odd = [f"{name} is not in the order" for name in sorted(set(rooms) - set(place))]
    odd += [f"{name} is in the order, but not in helpers/" for name in order if name not in rooms]
    pairs = [(a, b) for a in sorted(rooms) for b in sorted(rooms[a]) if {a, b} <= set(place)]
    return odd + [
        f"{a} imports {b}, which stands above it" for a, b in pairs if place[a] < place[b]
    ]


def floors(rooms: Graph) -> dict[str, int]:
    """The floor of each room: 0 where it imports none, else one above the highest that it imports.

    Raises:
        ValueError: rooms import one another in a circle, so that there is no ground.
    """
    if way := circle(rooms):
        raise ValueError(f"a circle: {' → '.join(way)}")
    found: dict[str, int] = {}

    def floor(name: str) -> int:
        if name not in found:
            found[name] = 1 + max(map(floor, rooms[name]), default=-1)
        return found[name]

    return {name: floor(name) for name in sorted(rooms)}


def needed(rooms: Graph) -> list[tuple[str, str]]:
    """The arrows that do not follow from others: no third room leads from the one to the other."""
    below: dict[str, frozenset[str]] = {}
    for name in sorted(rooms, key=floors(rooms).__getitem__):
        below[name] = rooms[name].union(*(below[to] for to in rooms[name]))
    return [
        (name, to)
        for name in sorted(rooms)
        for to in sorted(rooms[name])
        if not any(to in below[other] for other in rooms[name])
    ]


def picture(rooms: Graph) -> str:
    """The picture as SVG."""
    of_room = {name: (n, w) for n, wing in enumerate(WINGS.values()) for name, w in wing.items()}
    boxes = [
        drawing.Box(name, floor, *of_room.get(name, (0, "")), _imports(name, rooms[name]))
        for name, floor in floors(rooms).items()
    ]
    return drawing.svg(boxes, needed(rooms), tuple(WINGS), _told(rooms))


def _told(rooms: Graph) -> str:
    total = sum(map(len, rooms.values()))
    return (
        f"{len(rooms)} rooms of helpers/ on {max(floors(rooms).values()) + 1} floors. An arrow "
        f"leads to a room that is imported. {len(needed(rooms))} of {total} are drawn; the others "
        "follow from these, by way of a third room."
    )


def _imports(name: str, to: frozenset[str]) -> str:
    return f"{name} imports {', '.join(sorted(to)) or 'no other room'}"


def main() -> None:
    """Write the picture, and print what is in it."""
    rooms = graph()
    PATH.write_text(picture(rooms), encoding="utf-8")
    print(f"{PATH}: {_told(rooms)}")
    for name, floor in sorted(floors(rooms).items(), key=lambda each: (each[1], each[0])):
        print(f"  floor {floor}: {_imports(name, rooms[name])}")


if __name__ == "__main__":
    main()
