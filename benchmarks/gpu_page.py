"""docs/gpu.md: what `make gpu` has recorded, beside the same on a CPU.

Run `python -m benchmarks.gpu_page`; a test compares the page with what this would write.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.mini_bert_page import filled, markdown
from helpers.results import load

PATH = Path(__file__).parent.parent / "docs" / "gpu.md"
LONG = 2.0  # seconds; shorter cells are left out
TRAINED = "ours, as `train` runs it"
GRAMMAR = ("learned, learned_curve =", 'size = preset("mini"')  # cells of unit 08 that train
# In the full profile of the record, when the first of these cells had 750 without positions, too.
GRAMMAR_STEPS, READING_STEPS = 3000 + 750 + 3000, 2000
DEVICES = {"cuda": "GPU", "cpu": "CPU"}
# Timed once by hand on one core of an AMD EPYC, in seconds: unit 08 draws a batch of English; what
# its cells on the grammar do beside training, and the pictures that it draws while it reads.
DRAWING, BESIDE, PICTURES = 0.0003, 5.0, 1.0
T4_BANDWIDTH, T4_LAUNCH = 240e9, 5e-6  # bytes a second, of the 320e9 that it has; seconds
ON_T4 = """\
- On a T4, a replayed step waits for its memory. One of `train` with Muon moves {:.0f} MB if each of
  its {:.0f} operations reads and writes by itself (counted on a CPU, where attention is not fused).
  At 240 of the T4's 320 GB/s and with 5 µs more for each operation, which is assumed, it takes
  {:.1f} ms. Then all {:,d} steps take {:.0f} s, and the unit with what two CPU cores need for the
  rest {:.0f} s."""
UNKNOWN = "- How much a step moves, from which the time on a T4 follows, has not been recorded yet."
NEWER = """\
**All of this is newer than the record, and has not run on a GPU yet**: it is tested on a CPU, with
a stand-in for the graph. The times on this page are those of the old step. They also count what was
left of the step before: what is launched at once may be up to twice as quick as they say. So may
the large product, and then the GPU's utilisation is down to half of what the table says."""
OLDER = """\
The record does not say in which versions other packages were there. Steps recorded as graphs, seeds
trained at once, and BERT base and large are newer: of these nothing has run on a GPU, nor a test.

"""


def parts() -> dict[str, Any]:
    """Each part of the command, and how it ended."""
    record = load("gpu")
    table = record.table.set_index("part")
    versions = OLDER
    if "versions" in table.index:
        others = table.loc["versions", "last line"] or "none"
        versions = f"Packages in another version than requirements.lock has: {others}.\n\n"
        table = table.drop("versions")
    shown = markdown(table[["outcome", "seconds"]], 0)
    return {"note": record.note, "table": shown, "versions": versions}


def forms() -> dict[str, Any]:
    """Tokens per second and utilisation of each form of a step."""
    records = {name: load(f"mini_bert_forms_{device}") for device, name in DEVICES.items()}
    columns = []
    for name, record in records.items():
        rows = record.table.set_index("name")
        columns.append(rows["tokens_per_second"].round(-3).rename(f"tokens/s, {name}"))
        columns.append((100 * rows["utilisation"]).rename(f"utilisation (%), {name}"))
    table = pd.concat(columns, axis=1)
    gpu, cpu = (record.table.set_index("name")["tokens_per_second"] for record in records.values())
    shown = table.map(lambda v: "–" if pd.isna(v) else f"{v:,.0f}" if v > 100 else f"{v:.1f}")
    return {
        "table": markdown(shown),
        "faster": gpu["ours, eager"] / cpu["ours, eager"],
        "fused": gpu["ours, fused AdamW"] / gpu["ours, eager"],
        "graphed": gpu["ours, fused AdamW, CUDA graphs"] / gpu["ours, eager"],
        "graphed_used": table.loc["ours, fused AdamW, CUDA graphs", "utilisation (%), GPU"],
        "eager": table.loc["ours, eager", "utilisation (%), GPU"],
        "products": table.loc["ours, eager", "utilisation (%), CPU"],
        "cpu_note": records["CPU"].note,
        "as_trained": _as_trained(gpu),
    }


def _as_trained(speed: pd.Series) -> str:
    """What `train` does, and how fast; or that a record from before it did so does not say."""
    does = (
        "`helpers.training.train` records forward, backward, clipping and Muon's update as one\n"
        "CUDA graph and replays it; AdamW's kernel follows. The first replay is compared with the\n"
        "same step from Python. Where it differs, or a step cannot be recorded, a line of the log\n"
        "says why, and training goes on as `ours, fused AdamW`. A loss or a model that depends on\n"
        "a number of Python's which changes later in training needs `train(..., graph=False)`."
    )
    if TRAINED not in speed.index:
        return f"{does}\n\n{NEWER}"
    ratio = speed[TRAINED] / speed["transformers"]
    return f"{does} That is {ratio:.1f} times as fast as transformers."


def sizes() -> dict[str, Any]:
    """Return tokens per second and utilisation at the paper's sizes; or that none is recorded."""
    try:
        rows = load("bert_sizes_cuda").table.set_index("name")
    except FileNotFoundError:
        return {"table": "**Not measured yet**: it is newer than the record of `make gpu`."}
    shown = pd.DataFrame({"tokens/s": rows["tokens_per_second"].round(-2)})
    shown["utilisation (%)"] = 100 * rows["utilisation"]
    return {"table": markdown(shown, 1).replace("nan", "–")}


def sums() -> dict[str, Any]:
    """Peak memory and time of each form of the key term, by length."""
    rows = load("relative_forms_cuda").table
    memory, time = (
        rows.pivot_table(index="name", columns="T", values=column, sort=False).sort_index(axis=1)
        / unit
        for column, unit in (("bytes", 2**20), ("seconds", 1e-3))
    )
    return {
        "memory": markdown(memory, 1).replace("nan", "–"),
        "time": markdown(time, 1).replace("nan", "–"),
        "einsum": time.loc["einsum", 2048] / time.loc["gather", 2048],
        "flex": time.loc["flex", 4096] / time.loc["gather", 4096],
    }


def profile() -> dict[str, Any]:
    """The cells that take long, and where the losses end, on both devices."""
    cells = {
        name: load(f"full_profile_{device}").table.groupby("cell")["seconds"].sum()
        for device, name in DEVICES.items()
    }
    table = pd.DataFrame(cells)
    table = table[table["GPU"] > LONG].sort_values("GPU", ascending=False)
    table.index = [f"`{line[:60]}`" for line in table.index]
    table.index.name = "first line of the cell"
    ends = {}
    for device, name in DEVICES.items():
        curves = load(f"full_curves_{device}").table.groupby("run")
        ends[name] = curves.apply(lambda run: run.nlargest(10, "step")["loss"].mean())
    return {
        **_calculated(cells["GPU"], cells["CPU"]),
        "total": cells["GPU"].sum(),
        "cpu_total": cells["CPU"].sum(),
        "table": markdown(table, 1).replace("nan", "–"),
        "ends": markdown(pd.DataFrame(ends), 3),
    }


def _calculated(seconds: pd.Series, cpu: pd.Series) -> dict[str, Any]:
    """What the record would be if its steps had been replayed as CUDA graphs; and on a T4."""
    speed = load("mini_bert_forms_cuda").table.set_index("name")["tokens_per_second"]
    replay = 64 * 64 / speed["ours, fused AdamW, CUDA graphs"]

    def trained(cells: pd.Series) -> tuple[float, float, float]:
        firsts = (GRAMMAR, "words_only =", "english =")
        grammar, reading, english = (cells[cells.index.str.startswith(e)].sum() for e in firsts)
        return grammar, reading, english

    grammar, reading, english = trained(seconds)
    rest = seconds.sum() - grammar - reading - english + 1 + GRAMMAR_STEPS * replay + BESIDE
    read = READING_STEPS * (replay + DRAWING) + PICTURES
    on_two_cores = cpu.sum() - sum(trained(cpu)) + 0.45 * english / 2  # the docstrings, parsed
    on_two_cores += BESIDE + READING_STEPS * DRAWING + PICTURES
    return {
        "replay": 1000 * replay,
        "steps": GRAMMAR_STEPS,
        "grammar": grammar,
        "replayed": GRAMMAR_STEPS * replay,
        "beside": BESIDE,
        "english": english,
        "reading_steps": READING_STEPS,
        "reading": reading,
        "drawing": 1000 * DRAWING,
        "read": read,
        "expected": rest + read,
        "waiting": rest + reading,
        "t4": _on_t4(on_two_cores),
    }


def _on_t4(rest: float) -> str:
    """What unit 08 would take on a T4 with `rest` seconds of its CPU, if that can be calculated."""
    asked = load("mini_bert_forms_cpu").table.iloc[0]
    if "bytes" not in asked:
        return UNKNOWN
    steps = GRAMMAR_STEPS + READING_STEPS
    step = asked["bytes"] / T4_BANDWIDTH + asked["operations"] * T4_LAUNCH
    moved, times = asked["bytes"] / 1e6, (1000 * step, steps, steps * step, steps * step + rest)
    return ON_T4.format(moved, asked["operations"], *times)


def page() -> str:
    """The whole page."""
    return filled(__file__, (parts, forms, sizes, sums, profile))


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
    print(PATH)
