"""Claims 25 to 34: their tasks are what they say, and a measurement can come out otherwise."""

import math
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
import torch
from torch import Generator

from benchmarks.race_study import recorded
from helpers import results
from helpers.claims import CLAIMS, OPEN, PARTLY, Claim, decoders, longer, ranking, study, today
from helpers.claims.small import QUICK
from helpers.corpora import Shift
from helpers.encodings import create
from helpers.model.decoder import Decoder
from helpers.race.distances import distances, interval
from tests.tiers import sample

READ = [claim for claim in (*today.CLAIMS, *longer.CLAIMS, *ranking.CLAIMS) if claim.record]


def test_a_value_is_asked_for_only_where_it_was_shown() -> None:
    task = decoders.Recall(names=3, values=4)
    batch = task.batch(50, 20, Generator().manual_seed(0))
    scored = 0
    for text, answers, selected in zip(batch.inputs, batch.targets, batch.selected, strict=True):
        shown: dict[int, int] = {}
        for token, answer, chosen in zip(text.tolist(), answers, selected, strict=True):
            name, value = divmod(token, 5)
            assert bool(chosen) == (value == 4 and name in shown)
            if chosen:
                assert answer == shown[name]
                scored += 1
            if value < 4:
                assert shown.setdefault(name, value) == value  # one value in a text
    assert scored > 200 and batch.inputs.max() < task.vocab_size


def test_what_asks_is_answered_from_three_places_back() -> None:
    task = decoders.Asked(num_symbols=5, lag=3, asks=0.3)
    batch = task.batch(200, 12, Generator().manual_seed(0))
    assert (batch.inputs[:, 0] == 6).all() and (batch.inputs[:, 1:] < 6).all()
    assert not batch.selected[:, :3].any() and batch.selected[:, 3:].all()
    for place in range(3, 12):
        shown, answer = batch.inputs[:, place], batch.targets[:, place]
        expected = torch.where(shown == 5, batch.inputs[:, place - 3], (shown + 1) % 5)
        assert torch.equal(answer, expected)
    assert (batch.inputs[:, 1:] == 5).double().mean().item() == pytest.approx(0.3, abs=0.03)


def test_far_scores_are_those_that_a_loop_turns() -> None:
    q, k = torch.randn(2, 7, 8, generator=Generator().manual_seed(0))
    near, far = decoders.scores_far_away(q, k)
    assert torch.allclose(near, (q * k).sum(1), atol=1e-5)
    assert far.shape == (7, 9)
    for offset in (64, 128):
        angles = offset * 10_000 ** -(torch.arange(4) / 4)
        a, b = k[:, 0::2], k[:, 1::2]
        a, b = a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()
        expected = (q[:, 0::2] * a + q[:, 1::2] * b).sum(1)
        assert torch.allclose(far[:, (offset - 64) // 8], expected, atol=1e-4)


@pytest.mark.rotating
def test_without_positions_what_stands_far_back_is_not_found() -> None:
    """The measurement of claim 25 can come out otherwise."""
    task, size = Shift(lag=24), replace(QUICK, length=32)
    model, _ = decoders.decoder("none", task, 0, size)
    assert decoders.right(model, task, 32) < 50


def test_attention_that_is_even_doubles_nothing() -> None:
    """The measurement of claim 28 can come out otherwise: without a preference there is no sink."""
    task = decoders.Asked()
    model = Decoder(create("none", d_model=16, max_len=32), task.vocab_size, 1)
    with torch.no_grad():
        layer: Any = model.layers[0]
        attention = layer.attention
        attention.qkv.weight[:32] = 0  # of queries and keys
        attention.qkv.bias[:32] = 0
    assert decoders.over_uniform(model, task, 32) == pytest.approx(0, abs=1e-5)


def test_what_longer_texts_lose_is_counted_from_the_limit() -> None:
    table = results.load("longer").table.query("seed == 0")
    runs = table.set_index(["encoding", "factor", "tuned", "length"])
    above = runs["loss"] - runs["limit"]
    base = longer.larger_base(0)
    assert base["lost"] == pytest.approx(above["NTK", 4, 0, 96] - above["RoPE", 0, 0, 24])
    assert base["over RoPE"] == pytest.approx(above["RoPE", 0, 0, 96] - above["NTK", 4, 0, 96])
    with pytest.raises(ValueError, match="0 runs of longer"):
        longer.excess("longer", 0, encoding="no such encoding")


def board() -> pd.DataFrame:
    """Distances of all encodings of the board: a row a seed, a column an encoding."""
    rows = [row for each in recorded().values() for row in each["rows"]]
    scored = distances(pd.DataFrame(rows)).query("measure == 'grammar' or measure == 'lag'")
    return scored.pivot(index=["measure", "times", "seed"], columns="encoding", values="distance")


def test_a_ranking_is_counted_in_the_distances_of_the_board() -> None:
    both = board()
    grammar, lag = (both.xs((task, 1), level=("measure", "seed")) for task in ("grammar", "lag"))
    found = ranking.alibi_first(1) | ranking.rope_over_sinusoids(1)
    far, near, start = grammar.loc[8], grammar.loc[2], grammar.loc[1]
    assert found["over T5's bias"] == pytest.approx(far["t5_bias"] - far["alibi"])
    assert found["over RoPE"] == pytest.approx(far["rotary"] - far["alibi"])
    assert found["over sinusoids"] == pytest.approx(far["sinusoidal"] - far["alibi"])
    assert found["lost"] == pytest.approx(start["alibi"] - start["rotary"])
    assert found["2×"] == pytest.approx(near["sinusoidal"] - near["rotary"])
    assert found["8×"] == pytest.approx(far["sinusoidal"] - far["rotary"])
    assert found["lag, over RoPE"] == pytest.approx(lag.loc[8, "rotary"] - lag.loc[8, "alibi"])


def test_where_claims_of_a_ranking_are_settled_the_race_calls_it_no_tie() -> None:
    """The race takes another interval; a part that it calls a tie may not be settled here."""
    for claim in ranking.CLAIMS:
        rows = study.rows(claim.number)
        for part in claim.parts:
            found = interval(rows[[part.number]]).loc[part.number]
            [end] = {part.low, part.high} - {-math.inf, math.inf}
            tie = abs(found["mean"] - end) <= found["half"]
            assert tie == (part.verdict(rows[part.number].tolist()) == OPEN), part


def test_what_is_said_of_the_ranking_is_so_on_each_seed() -> None:
    far = board().xs(("grammar", 8), level=("measure", "times"))
    worse = far[["t5_bias", "rotary", "sinusoidal"]]
    assert (worse > far[["none"]].to_numpy()).all(axis=None) and (far["alibi"] < far["none"]).all()
    assert CLAIMS[33].verdict(study.rows(33)) == PARTLY and study.rows(33)["lost"].min() > 0.25
    assert study.rows(34)["2×"].min() > 0


@pytest.mark.parametrize("claim", sample(READ, len(READ)), ids=lambda claim: str(claim.number))
def test_the_study_has_what_the_other_record_has(claim: Claim) -> None:
    """A record that is made again must be read again: `python -m benchmarks.claims_study 29`."""
    rows = study.rows(claim.number)
    assert rows["seed"].tolist() == list(claim.seeds)
    pd.testing.assert_frame_equal(claim.measure()[list(rows.columns)], rows, check_names=False)
