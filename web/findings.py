"""What a page of measurements begins with: what was found, in a sentence, and its picture."""

from __future__ import annotations

from collections.abc import Callable

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from helpers import plots
from helpers.plots import losses
from helpers.results import load
from web.markdown import raw
from web.outputs import Outputs

Finding = tuple[str, Figure, str]  # a sentence, a figure, and the text of the figure
# Groups of mini_bert.json, and names in the first.
USED, ALIKE = "as each is used", "masked places only, no dropout, same precision"
TRANSFORMERS, D2L = "transformers, its defaults", "d2l, as its book trains it"
STEP, GRAPHED = "ours, eager", "ours, fused AdamW, CUDA graphs"
LONGEST = 256  # words in a text of the race on the grammar


def training() -> Finding:
    """How fast a mini BERT is trained, beside other libraries."""
    groups = {
        group: rows.set_index("name")["tokens_per_second"]
        for group, rows in load("mini_bert").table.groupby("group")
    }
    used = groups[USED].drop("ours, giving freed memory back").sort_values()
    faster = used["ours"] / used
    alike = groups[ALIKE]["ours"] / groups[ALIKE]
    figure, ax = plt.subplots(figsize=(7, 1.9))
    _bars(ax, {"": used})
    return (
        f"A mini BERT is trained at {used['ours']:,.0f} tokens a second on two CPU cores: "
        f"{faster[TRANSFORMERS]:.1f} times as fast as by transformers and {faster[D2L]:.1f} times "
        f"as by d2l, each as it comes; with the same settings it is {alike['transformers']:.1f} "
        f"times and {alike['d2l']:.2f} times.",
        figure,
        f"Tokens a second in training: {_listed(used)}.",
    )


def forms() -> Finding:
    """How fast each form of a training step is on a GPU and on a CPU."""
    speed = {
        name: load(f"mini_bert_forms_{device}").table.set_index("name")
        for name, device in (("GPU", "cuda"), ("two CPU cores", "cpu"))
    }
    gpu, cpu = (each["tokens_per_second"] for each in speed.values())
    used = 100 * speed["GPU"].loc[STEP, "utilisation"]
    figure, ax = plt.subplots(figsize=(7.4, 3.2))
    _bars(ax, {name: each["tokens_per_second"].sort_values() for name, each in speed.items()})
    return (
        f"A GPU takes unit 08’s training step {gpu[STEP] / cpu[STEP]:.1f} times as fast as two CPU "
        f"cores, and uses at most {used:.1f} % of what it can do, as it waits for Python; replayed "
        f"as one recorded sequence, it is {gpu[GRAPHED] / gpu[STEP]:.1f} times as fast again.",
        figure,
        f"Tokens a second by form of the step. GPU: {_listed(gpu)}. CPU: {_listed(cpu)}.",
    )


def grammar() -> Finding:
    """How near each encoding comes to the limit on the grammar."""
    runs = load("bert_grammar").table.query("kind == 'all'")
    runs = runs.assign(above=runs["loss"] - runs["limit"])
    means = runs.pivot_table(index="encoding", columns="length", values="above")
    trained = means.columns.min()
    first, last = means[trained].idxmin(), means[trained].idxmax()
    far = means[LONGEST].idxmin()
    return (
        f"On texts as long as those of the training, “{first}” comes nearest to the exact limit "
        f"({means.loc[first, trained]:.2f} nats above it), and “{last}” stays furthest away "
        f"({means.loc[last, trained]:.2f}). On texts of {LONGEST} words it is “{far}” that "
        f"comes nearest ({means.loc[far, LONGEST]:.2f}).",
        losses.above_limit(runs),
        f"Loss above the limit at three lengths. At {LONGEST}, best first: "
        f"{'; '.join(means[LONGEST].sort_values().index)}.",
    )


FIRST: dict[str, Callable[[], Finding]] = {
    "more/benchmarks": training,
    "more/gpu": forms,
    "more/mini-bert": grammar,
}


def begin(name: str, text: str, outputs: Outputs) -> str:
    """The page with its finding and the picture of that below its title, where it has one."""
    if name not in FIRST:
        return pictures_first(text)
    sentence, figure, alt = FIRST[name]()
    title, rest = text.split("\n", 1)
    return f"{title}\n\n**{sentence}**\n\n{raw(outputs.picture(figure, alt))}\n{rest}"


def pictures_first(text: str) -> str:
    """The page with the picture of each section behind its first paragraph."""
    sections = text.split("\n\n## ")
    for n, section in enumerate(sections):
        parts = section.rstrip("\n").split("\n\n")
        parts[2:] = sorted(parts[2:], key=lambda part: not part.startswith("!["))
        sections[n] = "\n\n".join(parts)
    return "\n\n## ".join(sections)


def _bars(ax: Axes, series: dict[str, pd.Series]) -> None:
    """A bar for each name, and for each series one of its own colour, with its number behind it."""
    names = list(next(iter(series.values())).index)
    high = 0.8 / len(series)
    for n, (label, values) in enumerate(series.items()):
        values = values.reindex(names)
        places = [place + 0.4 - high * (n + 0.5) for place in range(len(names))]
        bars = ax.barh(places, values, high, color=plots.COLOURS[n], label=label)
        shown = ["" if pd.isna(each) else f"{each:,.0f}" for each in values]
        ax.bar_label(bars, shown, padding=3, size=9)
    ax.set_yticks(range(len(names)), names)
    ax.set(xlabel="tokens a second", xlim=(0, 1.18 * max(each.max() for each in series.values())))
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.xaxis.set_major_formatter("{x:,.0f}")
    if len(series) > 1:
        ax.legend(loc="lower right")


def _listed(values: pd.Series) -> str:
    return "; ".join(f"{name} {value:,.0f}" for name, value in values.items())
