"""A race from the class to its card, in seconds: what is scored, what is kept, what is said."""

import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from torch import Tensor

from helpers import results
from helpers.encodings import Encoding, Positions
from helpers.race import Budget, Card, race, racing, runs
from helpers.race import distances as scoring
from helpers.race.entrant import Entrant
from helpers.race.rules import RATES, RIVALS, SCORED, SWEEP, SYNTHETIC, draw_task
from helpers.race.runs import MEASURED, NO_NUMBER, NOTHING, REFUSED, run
from helpers.training import jobs
from helpers.training.jobs import Job, run_jobs
from tests.race import bad

BAD = Path(__file__).parent / "bad.py"
TINY = Budget("tiny", steps=3, sweep_steps=2, seeds=2, tests=1, tasks=("lag",))
KEY = ["encoding", "draw", "seed", "lr", "times"]


def _here(jobs: Sequence[Job], _folder: Path, _desc: str) -> pd.DataFrame:
    """As `run_jobs`, in this process, where no other needs to begin."""
    return pd.concat([job.work(seed) for job in jobs for seed in job.seeds], ignore_index=True)


def run_jobs_in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `run_jobs` keep its runs as ever, but begin no process."""
    monkeypatch.setattr(jobs, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(racing, "run_jobs", _here)
        return race(f"{BAD}:AllAtOnce", TINY, tmp_path_factory.mktemp("race"))


def test_the_card_of_a_bad_encoding_says_each_fault(card: Card) -> None:
    text = card.markdown()
    for fault in (
        "| tells neighbours apart | no | 1 of 11 pairs",
        "| causal without a look at the future | no | it reads the future",
        "| half precision | no |",
        "| cached = uncached | no |",
    ):
        assert fault in text, text
    assert "| compiles as one graph | yes |" in text and "\n| 512 | " in text


def test_it_is_the_same_in_three_formats_and_spelt_out(card: Card, tmp_path: Path) -> None:
    page, notes, data = (path.read_text() for path in card.save(tmp_path))
    assert Card(json.loads(data)) == card
    assert "&lt;others&gt;" in page and "<others>" not in page and "\\<others>" in notes
    rows = scoring.table(pd.DataFrame(card.found["distances"]))
    assert [*rows] == ["task", "encoding", "1×", "2×", "4×", "8×"]
    assert len(rows) == 1 + len(RIVALS) and rows["encoding"][0] == card.name
    for cells in rows.to_numpy().tolist():
        assert f"| {' | '.join(cells)} |" in notes
        assert all(f"<td>{cell}</td>" in page for cell in cells)
    assert 'alt="Distance to the limit by length' in page and "http" not in page.split("<svg")[0]


def test_all_have_the_same_sweep_and_its_cost_is_told(card: Card) -> None:
    names = [card.name, *RIVALS]
    swept = pd.DataFrame(card.found["swept"])
    assert sorted(swept["encoding"]) == sorted(names * len(RATES))
    assert all(sorted(rates) == [*RATES] for _, rates in swept.groupby("encoding")["lr"])
    assert set(swept["draw"]) == {SWEEP} and (swept["seconds"] > 0).all()
    scored = pd.DataFrame(card.found["scored"])
    assert (scored.groupby("encoding")["seed"].nunique() == TINY.seeds).all()
    assert {*scored["encoding"]} == {*names}
    assert set(scored["draw"]) == {SCORED} and not {*scored["seed"]} & {*swept["seed"]}
    assert "sweep, min" in card.markdown()


@pytest.mark.slow
def test_a_race_goes_on_where_it_stopped_and_processes_find_what_one_finds(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[pd.DataFrame]()

    def make_card(*given: Any) -> Card:
        found.append(pd.concat(given[2:]))
        return card

    def kept() -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.csv")}

    monkeypatch.setattr(racing, "make_card", make_card)
    race(f"{BAD}:AllAtOnce", TINY, tmp_path)
    before = kept()
    assert len(before) == (1 + len(RIVALS)) * (len(RATES) + TINY.seeds)
    (lost := next(path for path in before if "AllAtOnce" in path.name)).unlink()
    race(f"{BAD}:AllAtOnce", TINY, tmp_path)
    assert {path for path, time in kept().items() if time != before[path]} == {lost}
    race(bad.AllAtOnce, TINY, tmp_path)  # it has no file, and no rival is trained again
    assert len(kept()) == len(before)
    alone = pd.DataFrame([*card.found["swept"], *card.found["scored"]])
    for rows in found:
        both = rows.merge(alone, on=KEY)
        assert len(both) == len(alone) and both["loss_x"].tolist() == pytest.approx(both["loss_y"])


@pytest.mark.parametrize("name", ["NA", "nan", "null", "inf"])
def test_a_class_keeps_its_name_where_its_runs_are_read_again(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_jobs_in_threads(monkeypatch)

    def work(seed: int) -> pd.DataFrame:
        return pd.DataFrame({"encoding": [name], "seed": seed, "loss": math.nan})

    rows = run_jobs([Job("mine", work, [0, 1])], tmp_path, "")
    assert [*rows["encoding"]] == [name, name] and [*rows["seed"]] == [0, 1]
    assert rows["loss"].dtype == float and rows["loss"].isna().all()


def _run(source: str | type[Encoding], task: str = "lag", seed: int = 0) -> pd.DataFrame:
    budget = TINY._replace(steps=2)
    return run(Entrant("mine", source), task, SCORED, 6e-3, budget, seed)


class _Short(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        if x.shape[1] > 50:
            raise ValueError("too long")
        return x


class _SomeBroken(Encoding):
    """Breaks the second half of the texts that are tested."""

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        factor = torch.ones(len(x), 1, 1)
        factor[len(x) // 2 :] = 1 if self.training else math.nan
        return x * factor


def test_what_has_no_loss_says_why() -> None:
    assert _run(_Short)["outcome"].tolist() == [MEASURED, MEASURED, REFUSED, REFUSED]
    for kind in (bad.NoNumbers, _SomeBroken):
        found = _run(kind)
        assert found["outcome"].tolist() == [NO_NUMBER] * 4 and found["loss"].isna().all()
    scored = pd.concat(
        [
            _run(_Short, seed=seed).assign(encoding=name)
            for seed in (0, 1)
            for name in ("none", "mine")
        ]
    )
    [_, row] = scoring.table(scoring.summary(scored, "none")).to_dict("records")
    assert [row["2×"], row["4×"]] == ["≈ 1.00 ± 0.00", REFUSED]


@pytest.mark.parametrize(
    ("name", "task", "refuses"),
    [
        ("rotary", "tree", "offsets must be None"),
        ("rotary", "patches", "2 axes"),
        ("shaw_keys", "tree", NOTHING),
        ("rotary_2d", "patches", NOTHING),
        ("tree_offsets", "lag", "offsets"),
    ],
)
def test_what_a_task_tells_may_be_refused(name: str, task: str, refuses: str) -> None:
    found = _run(name, task)
    assert refuses in found["refused"][0] and found["refused"].nunique() == 1
    assert {*found["outcome"]} == {REFUSED if task == "lag" else MEASURED}


@pytest.mark.parametrize("task", [name for name in SYNTHETIC if name != "reverse"])
def test_scored_is_a_draw_that_nothing_was_chosen_on(task: str) -> None:
    one, two = (vars(draw_task(task, draw)) for draw in (SWEEP, SCORED))
    own = "beat_places" if task == "grammar" else "rule"
    assert [*one[own]] != [*two[own]]
    assert one["vocab_size"] == two["vocab_size"]


def test_a_test_is_the_same_for_all_encodings_and_another_for_each_seed() -> None:
    (told,), (alone,), (other,) = (
        runs._test("tree", SCORED, told, seed, 16, 1)[0]
        for told, seed in ((True, 0), (False, 0), (True, 1))
    )
    assert torch.equal(told.inputs, alone.inputs) and torch.equal(told.selected, alone.selected)
    assert told.given and not alone.given
    assert not torch.equal(told.inputs, other.inputs)


def test_limits_by_kind_are_parts_of_the_whole() -> None:
    batches, places = runs._test("grammar", SCORED, True, 0, 24, 2)
    grammar = draw_task("grammar", SCORED)
    whole = [grammar.bayes_loss(each) for each in batches]
    sizes = [int(each.selected.sum()) for each in batches]
    assert len(places) == sum(sizes)
    mean = sum(a * b for a, b in zip(whole, sizes, strict=True)) / sum(sizes)
    assert places["limit"].mean() == pytest.approx(mean)
    columns = torch.cat([each.selected.nonzero()[:, 1] for each in batches])
    assert {*columns[(places["kind"] == "beat").tolist()].tolist()} == {5, 12, 18}


def _scored(losses: dict[str, list[float]]) -> pd.DataFrame:
    about = {"task": "lag", "kind": "all", "times": 1, "limit": 1.0}
    rows = [
        about | {"encoding": name, "seed": seed, "loss": loss}
        for name, values in losses.items()
        for seed, loss in enumerate(values)
    ]
    found = pd.DataFrame(rows)
    return found.assign(outcome=found["loss"].notna().map({True: MEASURED, False: NO_NUMBER}))


def test_the_score_is_0_at_the_limit_and_1_without_positions() -> None:
    losses = {"none": [2.0, 2.2], "mine": [1.0, 1.0], "other": [0.9, 1.15], "far": [1.6, 1.7]}
    scored = _scored(losses)
    rows = scoring.distances(scored).groupby("encoding")["distance"].apply(list)
    assert rows["none"] == [1.0, 1.0] and rows["mine"] == [0.0, 0.0]
    table = scoring.table(scoring.summary(scored, "mine")).set_index("encoding")["1×"]
    assert table["mine"] == "0.00 ± 0.00" and table["none"] == "1.00 ± 0.00"
    assert table["other"].startswith("≈ ") and not table["far"].startswith("≈ ")


def test_a_tie_is_told_by_differences_seed_by_seed() -> None:
    """Each interval holds the other's mean; one is lower on each seed by the same, so no tie."""
    losses = {"none": [3.0, 3.0, 3.0], "mine": [1.2, 1.5, 1.8], "better": [1.1, 1.4, 1.7]}
    losses |= {"broken": [1.2, 1.5, math.nan]}
    found = scoring.summary(_scored(losses), "mine").set_index("encoding")
    assert found["tie"].to_dict() == dict.fromkeys(["mine", "better", "broken", "none"], False)
    assert found.loc["mine", "mean"] - found.loc["mine", "half"] < found.loc["better", "mean"]
    assert math.isnan(found.loc["broken", "mean"]) and math.isnan(found.loc["broken", "half"])
    assert scoring.summary(_scored(losses), "better").set_index("encoding")["tie"].sum() == 0


def test_the_interval_is_students() -> None:
    found = scoring.interval(pd.DataFrame({"mine": [1.0, 2.0, 3.0]})).loc["mine"]
    assert found["mean"] == 2 and found["half"] == pytest.approx(2.484, abs=1e-3)  # 4.303/√3


def test_the_sweep_takes_the_lowest_loss() -> None:
    about = {"encoding": "mine", "task": "lag", "kind": "all"}
    losses = {2e-3: 1.2, 6e-3: 1.1, 1.8e-2: math.nan}
    swept = pd.DataFrame([about | {"lr": lr, "loss": loss} for lr, loss in losses.items()])
    assert racing.best_rate(swept, "mine", "lag") == 6e-3


def test_the_best_so_far_is_the_best_of_the_records() -> None:
    """By the mean loss above the limit at all lengths, of what both studies have."""
    above = []
    for name, rows in (("lag3", "length > 0"), ("bert_grammar", "kind == 'all'")):
        table = results.load(name).table.query(rows)
        above.append((table["loss"] - table["limit"]).groupby(table["encoding"]).mean())
    assert sum(above).dropna().idxmin() == [*RIVALS][-1]
