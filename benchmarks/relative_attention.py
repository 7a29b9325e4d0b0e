"""Time and peak memory of relative attention, ours and others', forward and backward.

T = 128 … 4,096, B = 2, H = 4, d = 64, float32. Two groups: the forms of one sum q_i·a_{j−i} inside
the same attention, and whole attention modules, ours beside those of other libraries. Of the forms,
Shaw's keys, which are clipped, have 33 vectors, all others one for each offset. Prints the targets
and whether they are met; writes relative_attention.json, .png and .txt.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import statistics
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from torch.profiler import ProfilerActivity, profile
from tqdm import tqdm

from benchmarks import relative_logits
from benchmarks.mini_bert import DRY
from benchmarks.relative_steps import CLIPPED_FLEX, DEVICE, B, H, Step, d, form_step, module_step
from helpers import plots, results

LENGTHS = (128, 256, 512, 1024, 2048, 4096)
TOO_LARGE = 2 * 2**30  # bytes of one tensor; a form that needs more is left out
# Spent at least on each form and length, seven runs at least; a GPU is less noisy.
SECONDS = 0.0 if DRY else 2.0 if DEVICE == "cpu" else 0.3

FORMS = ["plain", *relative_logits.FORMS, "ours: shaw_keys", "ours: huang"]
FORMS += ["flex", CLIPPED_FLEX] if DEVICE == "cuda" else []
# Timed in turn are only those that are compared: all at once would not fit into memory.
MODULES = [
    ["none", "rotary"],
    ["a ready mask, fixed", "alibi"],
    ["a ready mask, learned", "clipped_bias", "t5_bias"],
    ["shaw_keys", "Wav2Vec2Bert relative_key"],
    ["shaw", "VITS"],
    ["transformer_xl", "Wav2Vec2Bert relative", "huang"],
]


def _fits(name: str, length: int, width: int) -> bool:
    numbers = {"per_pair": B * H * length**2 * width}.get(name, length**2 * width)
    heavy = name in ("per_pair", "einsum", "batched") or name == "Wav2Vec2Bert relative_key"
    return not heavy or 4 * numbers <= TOO_LARGE


def peak_memory(step: Step) -> int:
    """Return the most bytes that one step holds beyond what it begins with."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        step()
        return torch.cuda.max_memory_allocated() - before
    for _ in range(5):  # now and then the profiler comes back with little or nothing
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            step()
        events = profiler.profiler.kineto_results.events()
        changes = sorted((e.start_ns(), e.nbytes()) for e in events if e.name() == "[memory]")
        if peak := int(np.cumsum([0, *(size for _, size in changes)]).max()):
            return peak
    raise RuntimeError("the profiler recorded no memory")


def timed(steps: dict[str, Step]) -> dict[str, float]:
    """Return median seconds of each step, all in turn, so that noise falls on each alike."""
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    begun = time.perf_counter()
    while len(next(iter(seconds.values()))) < 7 or (
        time.perf_counter() - begun < SECONDS * len(steps)
    ):
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def measure(names: list[str], lengths: Iterable[int] = LENGTHS) -> list[dict[str, Any]]:
    """Measure some forms or modules at every length; return a row for each."""
    group, make = ("form", _of_width) if names == FORMS else ("module", module_step)
    rows = []
    for length in lengths:
        torch.compiler.reset()  # it keeps eight programs of a function, and runs a ninth unfused
        rows += _rows(group, length, {n: make(n, length) for n in names if _fits(n, length, d)})
    return rows


def _of_width(name: str, length: int) -> Step:
    return form_step(name, length, d)


def measured(groups: list[list[str]], lengths: Iterable[int] = LENGTHS) -> pd.DataFrame:
    """Measure each group in a fresh process: what an allocator keeps would fill the memory."""
    rows = []
    fresh = multiprocessing.get_context("spawn")
    for names in tqdm(groups, desc="group"):
        with ProcessPoolExecutor(1, fresh) as pool:
            rows += pool.submit(measure, names, lengths).result()
    return pd.DataFrame(rows)


def show(table: pd.DataFrame) -> None:
    """Print memory in MiB and time in ms, a column for each length."""
    for column, unit in (("bytes", 2**20), ("seconds", 1e-3)):
        wide = table.pivot_table(index=["group", "name"], columns="T", values=column, sort=False)
        print(f"\n{column} / {unit:g}\n{(wide / unit).round(1).to_string()}")


def _rows(group: str, length: int, steps: dict[str, Step]) -> list[dict[str, Any]]:
    """Return a row for each step; one that fails has its error instead of memory and time."""
    memory, rows = dict[str, int](), list[dict[str, Any]]()
    for name, step in list(steps.items()):
        try:
            step()
            memory[name] = peak_memory(step)
        except Exception as error:  # a compiler's, or too little memory: any of dozens of kinds
            del steps[name]
            told = f"{type(error).__name__}: {error}".split("\n")[0]
            rows.append({"group": group, "name": name, "T": length, "error": told})
    rows += [
        {"group": group, "name": name, "T": length, "bytes": memory[name], "seconds": seconds}
        for name, seconds in (timed(steps) if steps else {}).items()
    ]
    steps.clear()
    if sys.platform == "linux":  # `make bench` has the allocator keep what is freed
        ctypes.CDLL(None).malloc_trim(0)
    return rows


def growth() -> pd.DataFrame:
    """Fit what the extra memory is made of: numbers per T·d, per B·H·T² and per T²·d.

    Over T and d, for our two defaults and for one form that does hold a vector per pair.
    """
    rows = []
    for name in ("ours: shaw_keys", "ours: huang", "einsum"):
        sizes = [(length, width) for length in (256, 512, 1024) for width in (16, 64, 128)]
        extra = []
        for length, width in sizes:
            steps = [form_step(each, length, width) for each in (name, "plain")]
            for step in steps:
                step()
            with_term, plain = (peak_memory(step) for step in steps)
            extra.append((with_term - plain) / 4)
        terms = np.array([[n * w, B * H * n**2, n**2 * w] for n, w in sizes], dtype=float)
        scale = np.array(extra)[:, None]  # relative errors, so that small sizes count as well
        fit = np.linalg.lstsq(terms / scale, np.ones(len(sizes)), rcond=None)[0]
        rows.append({"name": name, "T·d": fit[0], "B·H·T²": fit[1], "T²·d": fit[2]})
    return pd.DataFrame(rows).set_index("name")


def targets(table: pd.DataFrame, fitted: pd.DataFrame) -> list[str]:
    """Return a line for each target, which begins with "met" or "missed"."""
    memory = table.pivot_table(index=["group", "name"], columns="T", values="bytes")
    seconds = table.pivot_table(index=["group", "name"], columns="T", values="seconds")
    form, module = memory.loc["form"], seconds.loc["module"]
    lines = []

    def say(met: bool, text: str) -> None:
        lines.append(f"{'met   ' if met else 'missed'} {text}")

    for ours in ("ours: shaw_keys", "ours: huang"):
        ratio = float(form.loc[ours, 512] / form.loc["gather", 512])
        say(ratio <= 1.3, f"{ours}: {ratio:.2f} of the memory of gather at T = 512 (at most 1.3)")
        ratio = float(form.loc[ours, 512] / form.loc["per_pair", 512])
        say(ratio <= 0.1, f"{ours}: {ratio:.3f} of the memory of per_pair at T = 512 (at most 0.1)")
        share = float(fitted.loc[ours, "T²·d"])
        say(abs(share) < 0.05, f"{ours}: {share:.3f} numbers per T²·d (none)")
    peers = {
        "shaw_keys": "Wav2Vec2Bert relative_key",
        "shaw": "VITS",
        "transformer_xl": "Wav2Vec2Bert relative",
    }
    for ours, peer in peers.items():
        theirs = module.loc[peer].dropna()  # where theirs would need too much, none is compared
        ratios = module.loc[ours, theirs.index] / theirs
        text = ", ".join(f"{value:.2f} at {length}" for length, value in ratios.items())
        say(bool((ratios <= 1.05).all()), f"{ours}: time over {peer}: {text} (at most 1.05)")
    for ours in ("alibi", "clipped_bias", "t5_bias"):
        ready = f"a ready mask, {'fixed' if ours == 'alibi' else 'learned'}"
        ratios = module.loc[ours] / module.loc[ready]
        text = ", ".join(f"{value:.2f} at {length}" for length, value in ratios.items())
        say(bool((ratios <= 1.1).all()), f"{ours}: time over {ready}: {text} (at most 1.10)")
    return lines


def figure(table: pd.DataFrame) -> bytes:
    """Draw memory and time of the forms by T, both axes logarithmic."""
    drawn, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharex=True)
    rows = table[table.group == "form"]
    for ax, column, unit, label in zip(
        axes, ["bytes", "seconds"], [2**20, 1e-3], ["peak memory (MiB)", "time (ms)"], strict=True
    ):
        named = rows.groupby("name", sort=False)
        for marker, (name, each) in zip("osD^vPXdh", named, strict=False):
            ax.plot(each["T"], each[column] / unit, marker=marker, markersize=4, label=name)
        ax.set(xscale="log", yscale="log", xlabel="T (tokens)", ylabel=label)
        ax.set_xticks(LENGTHS, [str(n) for n in LENGTHS])
        ax.minorticks_off()
    axes[1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    drawn.suptitle(f"The same sum in different forms, B = {B}, H = {H}, d = {d}, on {DEVICE}")
    return plots.png(drawn)


def main() -> None:
    """Measure, print the table, the fit and the targets, and store them."""
    table = measured([FORMS, *MODULES])
    show(table)
    fitted = growth()
    print(f"\nextra memory in numbers, per\n{fitted.round(3)}\n")
    lines = targets(table, fitted)
    print("\n".join(lines))
    path = results.save("relative_attention", table, "make bench")
    path.with_suffix(".png").write_bytes(figure(table))
    path.with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
