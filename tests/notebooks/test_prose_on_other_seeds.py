"""What units 02 and 04 say of a model that they train holds with other seeds."""

import math
from typing import Any

import pytest
import torch
from torch import Generator

from helpers.corpora import LagLanguage
from helpers.encodings import Shaw, Sinusoidal
from helpers.model.encoder import Encoder
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
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
