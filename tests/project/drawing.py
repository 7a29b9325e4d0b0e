"""Boxes on floors and arrows between them, as SVG: no arrow runs through a box."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from itertools import accumulate, combinations, pairwise, permutations
from statistics import fmean
from typing import NamedTuple

WIDTH, HEIGHT, ROW = 172, 46, 96  # of a box; from floor to floor
GAP, LANE, MARGIN, TOP = 26, 14, 24, 64
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe and Ito's
STYLE = """\
text { font: 13px system-ui, sans-serif; fill: #1a1a1a; }
.small { font-size: 11.5px; fill: #4a4a4a; }
.name { font-weight: 600; }
.paper { fill: #ffffff; }
.box { fill: #f6f6f6; stroke: #767676; }
.arrow { fill: none; stroke: #5f5f5f; stroke-width: 1.4; }
.head { fill: #5f5f5f; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f0f0; }
  .small { fill: #c8c8c8; }
  .paper { fill: #0d1117; }
  .box { fill: #1c2128; stroke: #8b949e; }
  .arrow { stroke: #a8b0b8; }
  .head { fill: #a8b0b8; }
}"""


class Box(NamedTuple):
    """A room to draw: its floor from the ground, the number of its wing, and two texts."""

    name: str
    floor: int
    wing: int
    words: str
    title: str


class Node(NamedTuple):
    """A box, or where arrows to the box `name` pass another floor."""

    name: str
    floor: int
    passing: bool = False

    @property
    def half(self) -> float:
        """Half of the room that it needs in its row."""
        return LANE / 2 if self.passing else WIDTH / 2


Route = list[Node]
Rows = list[list[Node]]
Places = dict[Node, float]


def routes(boxes: list[Box], arrows: Iterable[tuple[str, str]]) -> list[Route]:
    """The way of each arrow, floor by floor; those to one box share their way."""
    floor = {box.name: box.floor for box in boxes}
    found = []
    for start, end in arrows:
        between = range(floor[start] - 1, floor[end], -1)
        way = [Node(end, each, True) for each in between]
        found.append([Node(start, floor[start]), *way, Node(end, floor[end])])
    return found


def _neighbours(ways: list[Route]) -> tuple[dict[Node, set[Node]], dict[Node, set[Node]]]:
    """For each node those above it and those below it."""
    above: dict[Node, set[Node]] = {}
    below: dict[Node, set[Node]] = {}
    for way in ways:
        for upper, lower in pairwise(way):
            below.setdefault(upper, set()).add(lower)
            above.setdefault(lower, set()).add(upper)
    return above, below


def _crossings(rows: Rows, below: Mapping[Node, set[Node]]) -> int:
    """How often arrows cross between neighbouring floors."""
    count = 0
    for lower, upper in pairwise(rows):
        place = {node: n for n, node in enumerate(lower)}
        ends = [sorted(place[to] for to in below.get(node, ())) for node in upper]
        count += sum(a > b for one, two in combinations(ends, 2) for a in one for b in two)
    return count


def ordered(boxes: list[Box], ways: list[Route]) -> Rows:
    """The nodes of each floor from left to right, with few crossings."""
    wing = {box.name: box.wing for box in boxes}
    nodes = {Node(box.name, box.floor) for box in boxes}.union(*ways)
    rows: Rows = [[] for _ in range(1 + max(box.floor for box in boxes))]
    for node in sorted(nodes, key=lambda node: (wing[node.name], node.name)):
        rows[node.floor].append(node)
    _, below = _neighbours(ways)
    best = _crossings(rows, below)
    better = True
    while better:
        better = False
        for row in rows:
            for i, j in permutations(range(len(row)), 2):
                moved = row.pop(j)
                row.insert(i, moved)
                now = _crossings(rows, below)
                if now < best:
                    best, better = now, True
                else:
                    row.insert(j, row.pop(i))
    return rows


def placed(rows: Rows, ways: list[Route]) -> Places:
    """The middle of each node: near its neighbours, in order, and apart from the next."""
    near: dict[Node, set[Node]] = {}
    for upper, lower in (pair for way in ways for pair in pairwise(way)):
        near.setdefault(upper, set()).add(lower)
        near.setdefault(lower, set()).add(upper)
    for row in rows:  # who has no arrow stays with the next in its row
        for node, beside in zip(row, row[1:] + row[-2:-1], strict=False):
            near.setdefault(node, {beside})
    found: Places = {}
    for row in rows:
        found |= _apart(row, [0.0] * len(row))
    for turn in range(100):
        for row in rows if turn % 2 else reversed(rows):
            found |= _apart(row, [_mean(found, near.get(node, {node})) for node in row])
    left = min(x - node.half for node, x in found.items())
    return {node: round(x - left + MARGIN) for node, x in found.items()}


def _mean(places: Places, nodes: set[Node]) -> float:
    return sum(sorted(places[each] for each in nodes)) / len(nodes)


def _apart(row: list[Node], wanted: list[float]) -> Places:
    """The places closest to those wanted at which no two of a row touch (least squares).

    Neighbours that would touch are moved together, as one block, to the mean of what they want.
    """
    offsets = list(accumulate((a.half + GAP + b.half for a, b in pairwise(row)), initial=0.0))
    blocks: list[list[float]] = []
    for place, offset in zip(wanted, offsets, strict=False):
        blocks.append([place - offset])
        while len(blocks) > 1 and fmean(blocks[-2]) >= fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    starts = [fmean(block) for block in blocks for _ in block]
    return {node: a + b for node, a, b in zip(row, starts, offsets, strict=False)}


def svg(
    boxes: list[Box], arrows: Iterable[tuple[str, str]], wings: tuple[str, ...], told: str
) -> str:
    """The picture: boxes on their floors, the ground at the bottom, and what the colours mean."""
    ways = routes(boxes, arrows)
    rows = ordered(boxes, ways)
    places = placed(rows, ways)
    width = max(round(x + node.half) for node, x in places.items()) + MARGIN
    height = TOP + ROW * len(rows)
    drawn = [
        *_head(width, height, told),
        *_legend(wings),
        *(_arrow(points) for points in _points(ways, places, len(rows))),
        *(_box(box, places[Node(box.name, box.floor)], len(rows)) for box in boxes),
    ]
    return "\n".join([*drawn, "</svg>", ""])


def _head(width: int, height: int, told: str) -> list[str]:
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-labelledby="title told">',
        '<title id="title">The rooms of helpers/ and what they import</title>',
        f'<desc id="told">{escape(told)}</desc>',
        f"<style>\n{STYLE}\n</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path class="head" d="M0,0 L8,4 L0,8 z"/></marker>',
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]


def _legend(wings: tuple[str, ...]) -> list[str]:
    found, x = [], MARGIN
    for colour, wing in zip(COLOURS, wings, strict=True):
        found.append(f'<rect x="{x}" y="20" width="14" height="14" fill="{colour}"/>')
        found.append(f'<text x="{x + 20}" y="32">{escape(wing)}</text>')
        x += 52 + 8 * len(wing)
    return found


def _top(floor: int, rows: int) -> int:
    return TOP + ROW * (rows - 1 - floor)


def _points(ways: list[Route], places: Places, rows: int) -> list[list[tuple[float, float]]]:
    """Each way as points, from the lower edge of its first box to the upper edge of its last."""
    above, below = _neighbours(ways)
    found = []
    for way in ways:
        x = _port(way[0], way[1], below, places)
        points = [(x, float(_top(way[0].floor, rows) + HEIGHT))]
        for node in way[1:-1]:
            points += [(places[node], float(_top(node.floor, rows) + y)) for y in (0, HEIGHT)]
        x = _port(way[-1], way[-2], above, places)
        found.append([*points, (x, float(_top(way[-1].floor, rows)))])
    return found


def _port(node: Node, other: Node, side: Mapping[Node, set[Node]], places: Places) -> float:
    """Where on its edge a box is met: those who come from the left on the left."""
    there = sorted(side[node], key=places.__getitem__)
    step = min(24.0, (WIDTH - 30) / len(there))
    return places[node] + step * (there.index(other) - (len(there) - 1) / 2)


def _arrow(points: list[tuple[float, float]]) -> str:
    """Curves from floor to floor, straight lines past a floor."""
    (x, y), path = points[0], f"M{points[0][0]:g},{points[0][1]:g}"
    for n, (to_x, to_y) in enumerate(points[1:]):
        middle = (y + to_y) / 2
        path += f" L{to_x:g},{to_y:g}" if n % 2 else f" C{x:g},{middle:g} {to_x:g},{middle:g} "
        path += "" if n % 2 else f"{to_x:g},{to_y:g}"
        x, y = to_x, to_y
    return f'<path class="arrow" d="{path}" marker-end="url(#head)"/>'


def _box(box: Box, x: float, rows: int) -> str:
    left, top = round(x - WIDTH / 2), _top(box.floor, rows)
    return "\n".join(
        [
            f"<g><title>{escape(box.title)}</title>",
            f'<rect class="box" x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>',
            f'<rect x="{left}" y="{top}" width="7" height="{HEIGHT}" fill="{COLOURS[box.wing]}"/>',
            f'<text class="name" x="{left + 15}" y="{top + 19}">{escape(box.name)}</text>',
            f'<text class="small" x="{left + 15}" y="{top + 36}">{escape(box.words)}</text></g>',
        ]
    )
