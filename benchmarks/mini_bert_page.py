"""docs/mini-bert.md: every recorded run behind unit 08, with what it shows.

Run `python -m benchmarks.mini_bert_page`; a test compares the page with what this would write.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from helpers.corpora.grammar import KINDS
from helpers.model.bert import Bert, preset
from helpers.results import load

PATH = Path(__file__).parent.parent / "docs" / "mini-bert.md"
SIZE = ["layers", "width", "heads"]
PAPER = pd.DataFrame(  # Devlin et al. 2018, table 6
    [
        (3, 768, 12, 5.84, 77.9),
        (6, 768, 3, 5.24, 80.6),
        (6, 768, 12, 4.68, 81.9),
        (12, 768, 12, 3.99, 84.4),
        (12, 1024, 16, 3.54, 85.7),
        (24, 1024, 16, 3.23, 86.6),
    ],
    columns=[*SIZE, "perplexity", "MNLI accuracy (%)"],
)
CONTROLS = ["learned, shuffled order", "learned, shuffled over all rows"]


def markdown(table: pd.DataFrame, digits: int = 3) -> str:
    """A table with its index as the first columns, numbers rounded."""
    whole = table.reset_index()
    rows = [[str(name) for name in whole.columns], ["---"] * whole.shape[1]]
    for row in whole.itertuples(index=False):
        rows.append([f"{v:.{digits}f}" if isinstance(v, float) else str(v) for v in row])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def grammar() -> dict[str, Any]:
    """All encodings by kind of word, and by length."""
    race = load("bert_grammar")
    runs = race.table.assign(far=race.table["loss"] - race.table["limit"])
    at_64 = runs[runs["length"] == 64]
    means = at_64.pivot_table(index="encoding", columns="kind", values="far")[["all", *KINDS]]
    means["std"] = at_64[at_64["kind"] == "all"].groupby("encoding")["far"].std()
    by_length = {
        kind: runs[runs["kind"] == kind].pivot_table(
            index="encoding", columns="length", values="far"
        )
        for kind in ("other", "beat")
    }
    return {
        "note": race.note,
        "steps": race.table["steps"].max(),
        "at_64": markdown(means.sort_values("all")),
        "others": markdown(by_length["other"].sort_values(256), 2),
        "beats": markdown(by_length["beat"].sort_values(256), 2),
        "lost": by_length["other"][256] - by_length["other"][64],
        "fire": means.loc["FIRE", "all"],
    }


def english() -> dict[str, Any]:
    """All encodings and the controls by length, and what the levels say."""
    race, minutes = load("bert_english"), load("english_minutes")
    means = race.table.pivot_table(index="encoding", columns="length", values="loss")
    at_64 = race.table[race.table["length"] == 64].groupby("encoding")
    table = means.assign(std=at_64["loss"].std(), accuracy=at_64["accuracy"].mean())
    in_row, over_all = (means.loc[name, 64] for name in CONTROLS)
    unigram, shown = race.table["unigram"].mean(), at_64["shown"].mean()["none"]
    return {
        "note": race.note,
        "steps": race.table["steps"].max(),
        "table": markdown(table.sort_values(64)),
        "unigram": unigram,
        "shown": shown,
        "look": unigram - shown,
        "topic": over_all - in_row,
        "order": in_row - means[64].min(),
        "t5": means.loc["T5 bias", 64],
        "lost": means[256] - means[64],
        "minutes_note": minutes.note,
        "minutes": markdown(minutes.table.set_index("minutes"), 2),
    }


def rope() -> dict[str, Any]:
    """RoPE with and without rules about positions, its offsets clipped or not."""
    study = load("bert_rope")
    runs = study.table[study.table["kind"] == "other"]
    runs = runs.assign(far=runs["loss"] - runs["limit"])
    means = runs.pivot_table(index=["rules", "offsets"], columns="length", values="far")
    spread = runs[runs["length"] == 256].groupby(["rules", "offsets"])["far"].std()
    return {
        "note": study.note,
        "steps": study.table["steps"].max(),
        "table": markdown(means.assign(std=spread), 2),
        "lost": {", ".join(row): lost for row, lost in (means[256] - means[64]).items()},
    }


def choices() -> dict[str, Any]:
    """Each change as a multiple of the limit, and both optimisers by learning rate."""
    study, adamw = load("bert_choices"), load("bert_adamw")
    return {
        "note": study.note,
        "table": markdown(times(study.table, ["changed"])),
        "adamw_note": adamw.note,
        "adamw": markdown(times(adamw.table, ["optimizer", "lr"])),
    }


def times(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Loss as a multiple of the limit, mean and std over the seeds, one row for each of `by`."""
    runs = table.assign(times=table["loss"] / table["limit"]).groupby(by, sort=False)["times"]
    return runs.agg(["mean", "std"])


def starts() -> dict[str, Any]:
    """The size of the first scores, measured on new layers, beside std²·D."""
    rows = [
        {
            "D": width,
            "std": f"{std:g}",
            "scores": score_size(width, std),
            "std² · D": std**2 * width,
            "length of a token": std * math.sqrt(width),
            "length of a sinusoid": math.sqrt(width / 2),
        }
        for width, std in ((768, 0.02), (128, 0.02), (128, 0.05), (128, 0.2))
    ]
    return {"table": markdown(pd.DataFrame(rows).set_index("D"), 2)}


def score_size(width: int, std: float) -> float:
    """Standard deviation of q·k/√d in a new layer whose input has size 1."""
    torch.manual_seed(0)
    heads = width // 64
    size = preset("mini", d_model=width, num_heads=heads, num_layers=1, std=std)
    attention: Any = Bert(size).layers[0].attention
    q, k, _ = attention.qkv(torch.randn(4, 64, width)).unflatten(-1, (3, heads, 64)).unbind(2)
    return (torch.einsum("bihd,bjhd->bhij", q, k) * attention.encoding.softmax_scale).std().item()


def sizes() -> dict[str, Any]:
    """Perplexity and accuracy by size, here and in the paper."""
    study = load("bert_ablation")
    columns = ["perplexity", "accuracy"]
    by_size = study.table.groupby([*SIZE, "lr"], sort=False)[columns].agg(["mean", "std"])
    by_size.columns = [" ".join(each) for each in by_size.columns]
    return {
        "note": study.note,
        "least": math.exp(study.table["limit"].mean()),
        "ours": markdown(by_size),
        "paper": markdown(PAPER.set_index(SIZE), 2),
    }


def tuning() -> dict[str, Any]:
    """Accuracy from each start, on both questions."""
    study = load("bert_tuning")
    runs = study.table.groupby(["task", "start"])["accuracy"]
    return {"note": study.note, "table": markdown(runs.agg(["mean", "std", "min", "max"]))}


def longer() -> dict[str, Any]:
    """The recorded curves at some steps."""
    study = load("full_curves_cpu")
    at = study.table[study.table["step"].isin([50, 110, 210, 390, 730, 1490, 2990])]
    table = at.pivot_table(index="step", columns="run", values="loss")
    return {"note": study.note, "table": markdown(table).replace("nan", "–")}


def filled(module: str, parts: Iterable[Callable[[], dict[str, Any]]]) -> str:
    """The text beside a module, with what each part measured under the part's name."""
    text = Path(module).with_suffix(".md").read_text(encoding="utf-8")
    return text.format(**{part.__name__: part() for part in parts})


def page() -> str:
    """The whole page."""
    return filled(__file__, (grammar, english, rope, choices, starts, sizes, tuning, longer))


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
    print(PATH)
