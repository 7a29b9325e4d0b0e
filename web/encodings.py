"""A page for each encoding: what it does, formula, pictures, what was measured, code."""

from __future__ import annotations

import html
import inspect
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import torch

from benchmarks.lag_study import ENCODINGS
from helpers import plots, results
from helpers.encodings import (
    REGISTRY,
    create,
    hooks_of,
    prepare_positions,
    tree_depths,
    tree_offsets,
)
from helpers.model.attention import MultiHeadAttention
from helpers.pictures import hooks
from web.explore import Figure
from web.markdown import cited, folded, prose, raw, rows, table
from web.outputs import Outputs

SAYS = tomllib.loads((Path(__file__).parent / "encodings.toml").read_text(encoding="utf-8"))
FAMILIES: dict[str, list[str]] = SAYS.pop("families")
SIZES = {"d_model": 64, "num_heads": 4, "max_len": 32}
LENGTH = 16
PARENTS = (torch.arange(LENGTH) - 1).div(2, rounding_mode="floor")  # a binary tree, root first
TREE = " The tokens are the nodes of a binary tree, level by level."
ALIKE = """\
Sixteen **identical** tokens go through one layer of attention whose weights are drawn at random,
as before any training: what the four heads look at then comes from the encoding alone. Without
positions, every weight is 1/16.{tree}
"""
MEASURED = """\
Trained on texts of 24 tokens and tested on 24, 48 and 96, in a language whose best possible loss,
the *limit*, can be computed ([unit 02](../units/02-sinusoidal.md) shows it). Loss in nats per
hidden token, mean ± standard deviation of {seeds} seeds, all of `lag3.json`. {note}
"""
UNMEASURED = "No sweep of this course tests it on texts longer than those of the training."


@cache
def told(name: str) -> dict[str, str]:
    """Title, sentences and unit of an encoding."""
    docstring = " ".join(inspect.getdoc(REGISTRY[name].kind).split("\n\n")[0].split())  # type: ignore[union-attr]
    return {"title": name, "says": docstring, "unit": ""} | SAYS.get(name, {})


POWER = re.compile(r"\^\(((?:[^()]|\([^()]*\))*)\)|\^\{([^}]*)\}|\^(\w+)")
# Variables, which are slanted: a letter or two, but for functions and words.
VARIABLE = re.compile(
    r"(?<![A-Za-z&#])(?!(?:LN|PE|as|at|by|if|ln|of|or|to)\b)([A-Za-z]{1,2})(?![A-Za-z])"
)
# Below one letter or a bracket; in a word such as max_len only a single letter is an index.
INDEX = re.compile(r"(?:(?<=\b\w)|(?<=\)))_(?:\{([^}]*)\}|([^\Wᵀ]+))|_(\w)\b|(?<=\b[a-z])(\d)\b")


def equation(formula: str) -> str:
    """A formula of `helpers.encodings`: indices lowered, exponents raised, variables slanted."""

    def put(tag: str) -> Callable[[re.Match[str]], str]:
        return lambda found: f"<{tag}>{next(filter(None, found.groups()))}</{tag}>"

    shown = INDEX.sub(put("sub"), POWER.sub(put("sup"), html.escape(formula)))
    return VARIABLE.sub(r"<i>\1</i>", shown)


def page(name: str, outputs: Outputs, figures: Iterable[Figure], compared: str) -> str:
    """The page of one encoding as Markdown.

    Args:
        compared: its rows of docs/encodings.md.
    """
    (kind, paper, formula), said = REGISTRY[name], told(name)
    unit = f", [unit {said['unit'][:2]}](../units/{said['unit']}.md)" if said["unit"] else ""
    # First the figure that is about this encoding above all.
    moving = sorted(
        (each for each in figures if name in each.encodings), key=lambda f: f.encodings.index(name)
    )
    parts = [
        f"# {said['title']}",
        said["says"],
        f'Paper: {cited(paper)}. In the course: `create("{name}", d_model=…)`{unit}.',
        raw(f'<p class="equation">{equation(formula)}</p>'),
        "## What it does to attention",
        raw(outputs.picture(*alike(name))),
        ALIKE.format(tree=TREE if name.startswith("tree") else ""),
        *(raw(each.markup("../")) for each in moving[:1]),
        *(f"Also to move: [{each.title}](../explore/{each.name}.md)." for each in moving[1:]),
        "## Where it enters",
        entry(name),
        raw(outputs.picture(*hooks.hooks(*hooks_of(kind)))),
        "## On longer texts",
        *measured(name, outputs),
        "## Beside other implementations",
        compared,
        "## Code",
        "The library's version, `" + kind.__module__.replace(".", "/") + ".py`.",
        folded(
            OPEN.format(**said) if said["unit"] else "Show it", inspect.getsource(kind).rstrip()
        ),
    ]
    return "\n\n".join(parts)


OPEN = "Show it (solve unit {unit} first: it may answer an exercise)"


def entry(name: str) -> str:
    """The hooks that it uses, in words."""
    used = hooks_of(REGISTRY[name].kind)
    return "\n".join(f"- `{each}`: {hooks.SAYS[each]}" for each in used) or "It uses no hook."


@torch.no_grad()
def alike(name: str) -> tuple[Any, str]:
    """What each head looks at where all tokens are alike, and that in words."""
    torch.manual_seed(0)
    attention = MultiHeadAttention(create(name, **SIZES))
    x = torch.randn(1, 1, 64).expand(1, LENGTH, 64)
    positions = tree_depths(PARENTS) if name == "tree_depth" else None
    offsets = tree_offsets(PARENTS) if name == "tree_offsets" else None
    at = prepare_positions(x, positions, offsets)
    weights = attention.weights(attention.encoding.embed(x, at), None, at)[0]
    figure, axes = plt.subplots(1, len(weights), figsize=(8.4, 2.5), sharey=True)
    low, high = float(weights.min()), float(weights.max())
    even = high - low < 1e-5
    for head, (ax, each) in enumerate(zip(axes, weights, strict=True)):
        ax.imshow(each, cmap=plots.SEQUENTIAL, vmin=0, vmax=high, aspect="equal")
        ax.set(title=f"head {head}", xlabel="key", xticks=[0, 8, 15], yticks=[0, 8, 15])
    axes[0].set(ylabel="query")
    alt = f"Attention weights of four heads among {LENGTH} identical tokens, as heatmaps: "
    alt += "all the same." if even else f"they range from {low:.3f} to {high:.3f}."
    return figure, alt


def measured(name: str, outputs: Outputs) -> Iterator[str]:
    """Loss by length from the stored sweep, as a picture and in numbers."""
    study = results.load("lag3")
    runs = study.table
    labels = [each for each, (of, _) in ENCODINGS.items() if of == name]
    found = runs[runs["encoding"].isin(labels)]
    if found.empty:
        yield UNMEASURED
        return
    yield MEASURED.format(seeds=found["seed"].nunique(), note=study.note)
    figure, ax = plt.subplots()
    shown = runs[runs["encoding"].isin([*labels, "none"])]
    plots.race(ax, shown, "loss by length, beside no positions")
    losses = found.groupby(["encoding", "length"], sort=False)["loss"].agg(["mean", "std"])
    cells = losses.apply(lambda each: f"{each['mean']:.2f} ± {each['std']:.2f}", axis=1).unstack()
    limit = found.groupby("length")["limit"].mean()
    lines = [[label, *row] for label, row in zip(cells.index, cells.to_numpy(), strict=True)]
    lines.append(["limit", *(f"{each:.2f}" for each in limit)])
    alt = f"Loss by length of {', '.join(labels)}, beside no positions; the table has the numbers."
    yield raw(outputs.picture(figure, alt))
    yield table(["form", *(f"T = {length}" for length in cells.columns)], lines)


def index(compared: str) -> str:
    """The page of all encodings by families, and from docs/encodings.md what they agree with."""
    told_of = {first.strip("`"): cells for first, *cells in rows(compared) if first}
    _, _, counted, said, _ = compared.split("\n\n", 4)
    parts = ["# Encodings", counted]
    for family, members in FAMILIES.items():
        cards = "".join(_card(name, *told_of[name][1:5]) for name in members)
        parts += [f"## {family}", raw(f'<ul class="cards">{cards}</ul>')]
    names = "\n".join(f"{prose(told(name)['title'])} <{name}>" for name in REGISTRY)
    agree: list[list[str]] = []
    for first, paper, *_, other, off in rows(compared):
        cell = f'{other} <span class="whole">({html.escape(off)})</span>'
        if first:
            agree.append([f"[{first}]({first.strip('`')}.md)", paper, cell])
        else:
            agree[-1][-1] += f"<br>{cell}"
    head = ["name", "paper", "compared with (off by)"]
    parts += ["## What each was compared with", said, table(head, agree)]
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{names}\n```"])


def _card(name: str, formula: str, hooks_used: str, parameters: str, longer: str) -> str:
    """A card; what docs/encodings.md says of an encoding goes below its first sentence."""
    says = prose(told(name)["says"].split(". ")[0].rstrip("."))
    formula = equation(formula.replace(r"\|", "|"))
    return (
        f'<li><a href="{name}.html">{prose(told(name)["title"])}</a><p>{says}.</p>'
        f'<p class="formula-text">{formula}</p><p class="quiet">hook: {hooks_used} · '
        f"{parameters} parameters · longer texts: {longer}</p></li>"
    )
