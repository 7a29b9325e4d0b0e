"""Text on its way into BERT: a word in pieces, a row of two sentences, tokens that are hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from helpers.pictures.sketch import QUIET, Point, arrow, box, plane, write
from helpers.plots import COLOURS

FATES = {"kept": "none", "[MASK]": COLOURS[1], "random word": COLOURS[4], "stays": COLOURS[2]}
LEFT, GAP = 14.0, 0.8  # where rows begin, to the right of their names; between two boxes


def pieces(word: str, found: Sequence[str]) -> tuple[Figure, str]:
    """A word and, line by line, the pieces found so far; last in a line stands the rest of it."""
    figure, ax = plane(60, 5 * len(found) + 5)
    write(ax, (2, 5 * len(found) + 2.5), word, align="left")
    rest = word
    for line in range(1, len(found) + 1):
        y, x = 5 * (len(found) - line) + 2.5, 2.0
        for number, piece in enumerate(found[:line], 1):
            width = 2 + 0.95 * len(piece)
            box(ax, (x + width / 2, y), (width, 3.6), piece, lit=number == line)
            x += width + 1
        rest = rest[len(found[line - 1].removeprefix("##")) :]
        write(ax, (x, y), rest, align="left")
    told = "; then ".join(" ".join(found[:line]) for line in range(1, len(found) + 1))
    return figure, f"The word {word} is cut from the left, the longest known piece first: {told}."


def unknown(rows: Mapping[str, Sequence[str]]) -> tuple[Figure, str]:
    """Texts as rows of tokens, with [UNK] coloured."""
    lit = {
        name: [n for n, token in enumerate(words) if token == "[UNK]"]
        for name, words in rows.items()
    }
    return lines(rows, lit, "unknown")


def lines(
    rows: Mapping[str, Sequence[str]], lit: Mapping[str, Sequence[int]], what: str
) -> tuple[Figure, str]:
    """Texts as rows of tokens, one below the other; coloured are those that are `what`.

    Args:
        rows: the name of a row → its tokens; rows of the same length stand in columns.
        lit: the name of a row → which of its tokens are coloured.
    """
    alike = len(set(map(len, rows.values()))) == 1
    widths = {name: _widths(*(rows.values() if alike else [row])) for name, row in rows.items()}
    figure, ax = plane(
        LEFT + max(sum(each) + GAP * len(each) for each in widths.values()), 5 * len(rows)
    )
    told = []
    for number, (name, words) in enumerate(rows.items(), 1):
        y = 5 * (len(rows) - number) + 2.5
        write(ax, (LEFT - 2, y), name, align="right")
        colours = [COLOURS[1] if n in lit[name] else "none" for n in range(len(words))]
        _line(ax, y, words, widths[name], colours)
        told.append(f"{name}: {' '.join(words)} ({len(lit[name])} of {len(words)} {what})")
    return figure, f"Rows of tokens. {'; '.join(told)}."


def row(
    first: Sequence[str],
    second: Sequence[str],
    seen: Sequence[str] = (),
    chosen: Sequence[int] = (),
    label: str = "",
) -> tuple[Figure, str]:
    """Two sentences as one row of BERT's input, with the three vectors that are added up.

    Args:
        seen: what the model sees at each position, where some tokens are `chosen`.
        label: the answer to whether the second sentence follows; none is shown without `seen`.
    """
    words = ["[CLS]", *first, "[SEP]", *second, "[SEP]"]
    shown = seen or words
    segments = ["A"] * (len(first) + 2) + ["B"] * (len(second) + 1)
    widths = _widths(words, shown)
    width = sum(widths) + GAP * (len(widths) - 1)
    figure, ax = plane(LEFT + width + 4, 31)
    colours = [FATES[each] for each in _fates(words, shown, chosen)]
    for y, name, said in (
        (26, "token", shown),
        (20, "segment", segments),
        (14, "position", [str(number) for number in range(len(words))]),
    ):
        write(ax, (LEFT - 2, y), name, align="right")
        middles = _line(ax, y, said, widths, colours if name == "token" else ())
        if name != "token":
            for x, _ in middles:
                write(ax, (x, y + 3), "+")
    for x, _ in middles:
        arrow(ax, (x, 12), (x, 9))
    layers = "layers of attention, each with several heads"
    box(ax, (LEFT + width / 2, 6.5), (width, 4), layers, lit=True)
    gap = words.index("[MASK]") if "[MASK]" in words else 2
    answers = {n: words[n] for n in chosen} if seen else {gap: "hidden word?"}
    for number, said in {0: label if seen else "next sentence?", **answers}.items():
        x, _ = middles[number]
        arrow(ax, (x, 4.5), (x, 2.5), lit=bool(seen))
        write(ax, (x, 1), said)
    return figure, (
        f"One row of {len(words)} tokens: {' '.join(shown)}. Below each token stand its segment, A "
        "or B, and its position; the three vectors are added and go through the layers. From the "
        f"first token the model says whether the sentences follow each other{label and ': '}"
        f"{label}; from a hidden one which word it was"
        f"{''.join(f', {word} at {n}' for n, word in answers.items() if seen)}."
    )


def fates(words: Sequence[str], seen: Sequence[str], chosen: Sequence[int]) -> tuple[Figure, str]:
    """A text, and what the model sees of it; only the `chosen` tokens are to be named."""
    fate = _fates(words, seen, chosen)
    widths = _widths(words, seen, [each if n in chosen else "" for n, each in enumerate(fate)])
    figure, ax = plane(LEFT + sum(widths) + GAP * len(widths), 16)
    write(ax, (LEFT - 2, 13), "text", align="right")
    write(ax, (LEFT - 2, 7), "seen", align="right")
    _line(ax, 13, words, widths)
    middles = _line(ax, 7, seen, widths, [FATES[each] for each in fate])
    for number in chosen:
        x, _ = middles[number]
        arrow(ax, (x, 5), (x, 3.5), lit=True)
        write(ax, (x, 2), fate[number])
    told = "; ".join(f"{words[number]}: {fate[number]}" for number in chosen)
    alt = f"A text of {len(words)} tokens, of which {len(chosen)} are to be named. {told}."
    return figure, alt


def _fates(words: Sequence[str], seen: Sequence[str], chosen: Sequence[int]) -> list[str]:
    """What became of each token; `kept` is one that was not chosen."""
    return [
        "kept" if n not in chosen
        else "stays" if now == was
        else "[MASK]" if now == "[MASK]"
        else "random word"
        for n, (was, now) in enumerate(zip(words, seen, strict=True))
    ]  # fmt: skip


def _widths(*rows: Sequence[str]) -> list[float]:
    """How wide each column must be for its longest text."""
    return [1.7 + 0.8 * max(map(len, column)) for column in zip(*rows, strict=True)]


def _line(
    ax: Axes, y: float, words: Sequence[str], widths: Sequence[float], colours: Sequence[str] = ()
) -> list[Point]:
    """Boxes side by side, each as wide as its column; the middle of each."""
    x, middles = LEFT, []
    for number, (word, width) in enumerate(zip(words, widths, strict=True)):
        box(ax, (x + width / 2, y), (width, 3.6), word)
        if colours and colours[number] != "none":
            style = "round,pad=0,rounding_size=.8"
            patch = FancyBboxPatch(
                (x, y - 1.8), width, 3.6, style, fc=colours[number], ec=QUIET, alpha=0.3
            )
            ax.add_patch(patch)
        middles.append((x + width / 2, y))
        x += width + GAP
    return middles
