"""A race from the class to its card, in seconds: what is scored, what is kept, what is said."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from torch import Tensor

from helpers import results
from helpers.course import cli
from helpers.encodings import Encoding, Positions, Rotary
from helpers.race import Budget, Card, EntrantError, race, racing, runs
from helpers.race import distances as scoring
from helpers.race.entrant import Entrant, entrant
from helpers.race.rules import RATES, RIVALS, SCORED, SWEEP, TASKS
from helpers.race.runs import NO_NUMBER, REFUSED, Job, evaluation, run
from tests.race import bad

BAD = Path(__file__).parent / "bad.py"
TINY = Budget("tiny", steps=3, sweep_steps=2, seeds=2, tokens=400, tasks=("lag",))


@pytest.fixture(scope="module")
def card(tmp_path_factory: pytest.TempPathFactory) -> Card:
    return race(f"{BAD}:AllAtOnce", TINY, tmp_path_factory.mktemp("race"), workers=0)


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
    rows = scoring.table(card.found["distances"])
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
    assert sorted(scored["encoding"]) == sorted(names * TINY.seeds)
    assert set(scored["draw"]) == {SCORED} and not {*scored["seed"]} & {*swept["seed"]}
    assert "sweep, min" in card.markdown()


def test_a_race_that_was_stopped_goes_on(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = list[str]()

    def stops(job: Job) -> dict[str, Any]:
        trained.append(job.entrant.name)
        if len(trained) == 7:
            raise KeyboardInterrupt
        return run(job)

    monkeypatch.setattr(runs, "run", stops)
    monkeypatch.setattr(racing, "made", lambda *_: card)
    source = f"{BAD}:MarksTheFirst"
    with pytest.raises(KeyboardInterrupt):
        race(source, TINY, tmp_path, workers=0)
    race(source, TINY, tmp_path, workers=0)
    mine = len(RATES) + TINY.seeds
    assert len(trained) == (1 + len(RIVALS)) * mine + 1
    del trained[:]
    race(bad.MarksTheFirst, TINY, tmp_path, workers=0)
    assert trained == ["MarksTheFirst"] * mine  # it has no file, and no rival is trained again


@pytest.mark.slow
def test_processes_find_what_one_finds(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = list[list[dict[str, Any]]]()

    def made(*given: Any) -> Card:
        found.append(given[-1])
        return card

    monkeypatch.setattr(racing, "made", made)
    race(f"{BAD}:AllAtOnce", TINY, tmp_path, workers=1)
    race(bad.AllAtOnce, TINY, tmp_path / "other", workers=1)
    for scored in found:
        assert _losses(scored) == _losses(card.found["scored"])


def _losses(scored: list[dict[str, Any]]) -> dict[tuple[str, int], list[float]]:
    return {
        (each["encoding"], each["seed"]): [score["loss"] for score in each["scores"]]
        for each in scored
    }


def _run(kind: type[Encoding], task: str = "lag") -> dict[str, Any]:
    return run(Job(Entrant("mine", kind), task, SCORED, 0, 6e-3, 2, 400))


class _Short(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        if x.shape[1] > 50:
            raise ValueError("too long")
        return x


class _Broken(Encoding):
    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        return x * math.nan


def test_what_has_no_loss_says_why() -> None:
    assert [each["failed"] for each in _run(_Short)["scores"]] == ["", "", REFUSED, REFUSED]
    assert [each["failed"] for each in _run(_Broken)["scores"]] == [NO_NUMBER] * 4
    scored = [
        _run(_Short) | {"seed": seed, "encoding": name}
        for seed in (0, 1)
        for name in ("none", "mine")
    ]
    [_, row] = scoring.table(scoring.summary(scored, "none")).to_dict("records")
    assert [row["2×"], row["4×"]] == ["≈ 1.00 ± 0.00", REFUSED]


@pytest.mark.parametrize(
    ("name", "task", "refuses"),
    [
        ("rotary", "tree", "offsets must be None"),
        ("rotary", "patches", "2 axes"),
        ("shaw_keys", "tree", ""),
        ("rotary_2d", "patches", ""),
        ("tree_offsets", "lag", "offsets"),
    ],
)
def test_what_a_task_tells_may_be_refused(name: str, task: str, refuses: str) -> None:
    found = run(Job(Entrant(name, name), task, SCORED, 0, 6e-3, 2, 400))
    assert refuses in found["refusal"] and bool(refuses) == bool(found["refusal"])
    assert {each["failed"] for each in found["scores"]} == {REFUSED if task == "lag" else ""}


def test_an_own_class_that_breaks_on_bare_tokens_is_told_so() -> None:
    class Broken(Encoding):
        def embed(self, x: Tensor, positions: Positions) -> Tensor:
            return x @ x

    with pytest.raises(RuntimeError):
        _run(Broken)


@pytest.mark.parametrize("task", [name for name in TASKS if name != "reverse"])
def test_scored_is_a_draw_that_nothing_was_chosen_on(task: str) -> None:
    one, two = (vars(TASKS[task].drawn(draw)) for draw in (SWEEP, SCORED))
    own = "beat_places" if task == "grammar" else "rule"
    assert [*one[own]] != [*two[own]]
    assert one["vocab_size"] == two["vocab_size"]


def test_limits_by_kind_are_parts_of_the_whole() -> None:
    test = evaluation("grammar", SCORED, 24, 4000)
    every, limit = test.kinds["all"]
    assert every.sum() == test.batch.selected.sum()
    beats, of_beats = test.kinds["beat"]
    # A beat is right nine times in ten; what else stands there is any word.
    right = 0.9 + 0.1 / TASKS["grammar"].drawn(SCORED).vocab_size
    assert of_beats == pytest.approx(-math.log(right), abs=1.0) and limit > 0
    columns = test.batch.selected.nonzero()[:, 1]
    assert {*columns[beats].tolist()} <= {5, 12, 18}


def test_the_score_is_0_at_the_limit_and_1_without_positions() -> None:
    losses = {"none": [2.0, 2.2], "mine": [1.0, 1.0], "other": [0.9, 1.15], "far": [1.6, 1.7]}
    scored = [
        {
            "encoding": name,
            "seed": seed,
            "task": "lag",
            "scores": [
                {
                    "kind": "all",
                    "times": times,
                    "length": 24,
                    "loss": loss,
                    "limit": 1.0,
                    "failed": "",
                }
                for times in (1, 2, 4, 8)
            ],
        }
        for name, values in losses.items()
        for seed, loss in enumerate(values)
    ]
    rows = scoring.distances(scored).groupby("encoding")["distance"].apply(list)
    assert rows["none"][:1] == [1.0] and rows["mine"] == [0.0] * 8
    table = scoring.table(scoring.summary(scored, "mine")).set_index("encoding")["1×"]
    assert table["mine"] == "0.00 ± 0.00" and table["none"] == "1.00 ± 0.00"
    assert table["other"].startswith("≈ ") and not table["far"].startswith("≈ ")


def test_the_interval_is_students() -> None:
    mean, half = scoring.interval([1.0, 2.0, 3.0])
    assert mean == 2 and half == pytest.approx(2.484, abs=1e-3)  # 4.303/√3


def test_the_sweep_takes_the_lowest_loss() -> None:
    losses = {2e-3: 1.2, 6e-3: 1.1, 1.8e-2: None}
    swept = [
        {"encoding": "mine", "task": "lag", "lr": lr, "scores": [{"loss": loss}]}
        for lr, loss in losses.items()
    ]
    assert racing.best_rate(swept, "mine", "lag") == 6e-3


def test_the_best_so_far_is_the_best_of_the_records() -> None:
    """By the mean loss above the limit at all lengths, of what both studies have."""
    above = []
    for name, rows in (("lag3", "length > 0"), ("bert_grammar", "kind == 'all'")):
        table = results.load(name).table.query(rows)
        above.append((table["loss"] - table["limit"]).groupby(table["encoding"]).mean())
    assert sum(above).dropna().idxmin() == [*RIVALS][-1]


@pytest.mark.parametrize(
    ("written", "asked", "says"),
    [
        ("", "mine.py", "must be FILE.py:Class"),
        ("", "other.py:Mine", "other.py is no file"),
        ("", "mine.py:Mine", "mine.py has no class Mine"),
        ("Mine = 3", "mine.py:Mine", "Mine is no subclass of helpers.encodings.Encoding"),
        ("import nothing_of_that_name", "mine.py:Mine", "cannot be imported: ModuleNotFoundError"),
        ("def Mine(:", "mine.py:Mine", "cannot be imported: SyntaxError"),
        (
            "from helpers.encodings import Encoding\nclass Mine(Encoding):\n"
            " def __init__(self, d): super().__init__(d)",
            "mine.py:Mine",
            "Mine(d_model=48, num_heads=4, max_len=32) cannot be built: TypeError",
        ),
    ],
)
def test_a_class_that_cannot_take_part_is_told_why(
    written: str, asked: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(written)
    with pytest.raises(EntrantError):
        race(str(tmp_path / asked), TINY, tmp_path)
    assert cli.main(["race", str(tmp_path / asked), "--out", str(tmp_path)]) == 1
    assert says in capsys.readouterr().err


def test_a_registered_encoding_may_take_part() -> None:
    assert type(entrant("rotary").build(8)) is Rotary


def test_a_rivals_name_is_left_to_the_rival() -> None:
    assert entrant(type("RoPE", (Encoding,), {})).name == "RoPE, yours"
