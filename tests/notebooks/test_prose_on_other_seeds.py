"""What units 02, 04 and 05 say of a model that they train holds with other seeds."""

import math
from typing import Any

import nbformat
import pandas as pd
import pytest
import torch
from torch import Generator

from helpers.corpora import LagLanguage
from helpers.encodings import Shaw, Sinusoidal
from helpers.model.encoder import Encoder
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
from helpers.training.experiments import run
from tests.common import ROOT
from tests.tiers import NIGHTLY

SEEDS = range(3, 6)  # the lessons have 0 to 2
ASKED = SEEDS if NIGHTLY else SEEDS[:1]
TASK = LagLanguage()
TEST = TASK.batch(1000, 24, Generator().manual_seed(24))


def _trained(encoding: type, seed: int, steps: int) -> Encoder:
    seed_everything(seed)
    text = Generator().manual_seed(seed)
    model = Encoder(encoding(48, num_heads=4), TASK.vocab_size)
    train(model, lambda: TASK.batch(64, 24, text), steps)
    return model


@pytest.mark.rotating
def test_sinusoids_of_unit_02_at_positions_that_were_not_trained() -> None:
    moved = TEST._replace(given={"positions": torch.arange(24, 48)})
    models = [_trained(Sinusoidal, seed, 300) for seed in ASKED]
    losses = [evaluate(model, moved).loss for model in models]
    assert sum(losses) / len(losses) > math.log(8)  # that of guessing
    assert all(evaluate(model, TEST).loss < 1 for model in models)


@pytest.mark.rotating
def test_most_heads_of_unit_04_look_three_tokens_away() -> None:
    reach, most = range(-8, 9), []
    for seed in ASKED:
        model = _trained(Shaw, seed, 250)
        first: Any = model.layers[0]
        with torch.no_grad():
            alpha = first.attention.weights(first.norms[0](model.tokens(TEST.inputs)))
        seen = [alpha.diagonal(n, dim1=-2, dim2=-1).mean((0, 2)) for n in reach]
        heads = torch.stack(seen, 1)
        assert (heads.max(1).values > 2.5 / 24).all()  # without a preference, 1 / 24
        most += [reach[int(each.argmax())] for each in heads]
    assert set(most) <= {-6, -3, 3, 6}  # at 6, the token between is asked for
    assert most.count(-3) + most.count(3) >= 2 / 3 * len(most)


# Cells of unit 05 by a text that only they have; each is run as far as its second text.
CELLS = {
    "from helpers.plots import losses as loss_plots": "",
    "def turn(": "",
    "right_turn = check": "",
    "class Mine(": "",
    "class MyRope(Encoding)": "rivals =",
    "class ClippedRope(Encoding)": "",
    "column = torch.arange(12)": "tried =",
}


@pytest.mark.rotating
@pytest.mark.parametrize("seed", ASKED)
def test_the_clip_of_unit_05_and_the_encoding_that_it_hands_out(seed: int) -> None:
    said: dict[str, Any] = {}
    for cell in nbformat.read(ROOT / "solutions/05-after-bert/05-after-bert.ipynb", 4).cells:
        for text, end in CELLS.items():
            if cell.cell_type == "code" and text in cell.source:
                exec(cell.source.split(end)[0] if end else cell.source, said)

    def trained(encoding: type, **options: Any) -> pd.DataFrame:
        return run(TASK, lambda: encoding(48, 4), seed, 300, (24, 48, 96), **options)

    rope = trained(said["MyRope"], label="as trained", also=said["clips"])
    runs = pd.concat([rope, trained(said["Mine"], label="yours")])
    runs["far"] = runs["loss"] - runs["limit"]
    far = runs.pivot(index="encoding", columns="length", values="far")
    lost = far.loc["as trained", 96]
    assert lost > 0.5
    assert far.loc["all pairs clipped", 96] < 0.15 * lost  # near the limit
    assert far.loc["the two fast pairs", 96] < 0.15 * lost  # nearly all of the gap
    assert far.loc["the four slow pairs", 96] > 0.6 * lost  # a small part of it
    assert (far.loc["yours"] < 0.15).all()  # about 0.1
