"""What units 02, 04, 06 and 07 say of their experiments holds with other seeds than theirs."""

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs.pairs import sentence_pairs
from helpers.corpora import LagLanguage
from helpers.course.authoring import source
from helpers.encodings import Encoding, Shaw, Sinusoidal
from helpers.model import superposition
from helpers.model.attention import EncoderLayer
from helpers.model.encoder import Encoder
from helpers.model.probes import rank_residual
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
from tests.common import ROOT
from tests.tiers import NIGHTLY

SEEDS = range(3, 5)  # the lessons have 0 to 2
TRAINED = SEEDS if NIGHTLY else SEEDS[:1]
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
    models = [_trained(Sinusoidal, seed, 300) for seed in TRAINED]
    losses = [evaluate(model, moved).loss for model in models]
    assert sum(losses) / len(losses) > math.log(8)  # that of guessing
    assert all(evaluate(model, TEST).loss < 1 for model in models)


@pytest.mark.rotating
def test_most_heads_of_unit_04_look_three_tokens_away() -> None:
    reach, most = range(-8, 9), []
    for seed in TRAINED:
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


@torch.no_grad()
def _states(step: Callable[[Any, Tensor], Tensor], seed: int, depth: int) -> list[Tensor]:
    """Those of a stack with fresh weights."""
    torch.manual_seed(seed)
    states = [torch.randn(4, 32, 64, dtype=torch.float64)]
    for _ in range(depth):
        layer = EncoderLayer(Encoding(64, num_heads=4)).double()
        states.append(step(layer, states[-1]))
    return states


@pytest.mark.parametrize("seed", SEEDS)
def test_in_unit_06_a_skip_prevents_the_collapse_and_an_mlp_does_not(seed: int) -> None:
    alone = _states(lambda layer, x: layer.attention(x), seed, 3)
    mlp = _states(lambda layer, x: layer.mlp(layer.attention(x)), seed, 3)
    skip = _states(lambda layer, x: x + layer.attention(x), seed, 48)
    left, with_mlp, kept = ([rank_residual(x).mean() for x in each] for each in (alone, mlp, skip))
    assert left[3] < 1e-12 and with_mlp[3] < 1e-12
    assert with_mlp[1] < left[1] and with_mlp[2] < left[2]
    assert kept[6] > 0.9 and 0.1 < kept[48] < 0.4
    # The differences stay, and what is shared grows.
    shared = [x.mean(1, keepdim=True).expand_as(x) for x in skip]
    rest = [(x - y).norm() for x, y in zip(skip, shared, strict=True)]
    assert 0.95 < rest[-1] / rest[0] < 1.05
    assert shared[-1].norm() > 10 * shared[0].norm()


@pytest.fixture(scope="module")
def pairs() -> dict[str, Any]:
    """The names that some cells of unit 07 make."""
    names: dict[str, Any] = {}
    needed = ("PAIR =", "english = docstrings", 'predict("leak"', "def careless", "beginnings =")
    for cell in source.read(ROOT / "source/07-bert-inputs/07-bert-inputs.py"):
        if (cell.type, cell.kind) == ("code", "") and any(each in cell.text for each in needed):
            exec(cell.text, names)
    return names


@pytest.mark.parametrize("seed", SEEDS)
def test_a_judge_of_unit_07_who_sees_one_word(pairs: dict[str, Any], seed: int) -> None:
    documents, careless, judged = (pairs[each] for each in ("english", "careless", "judged"))
    documents, first_word, draw = documents.documents, pairs["first_word"], random.Random
    beginnings = careless(documents, draw(seed), lambda d, draw: d[0])
    anywhere = careless(documents, draw(seed), lambda d, draw: draw.choice(d))
    assert judged(beginnings, first_word) > 0.7
    assert judged(anywhere, first_word) > 0.52
    assert judged(sentence_pairs(documents, draw(seed)), first_word) < 0.53


@pytest.mark.parametrize("seed", SEEDS)
def test_thirds_side_by_side_of_unit_07_are_read_back_less_often_than_a_sum(seed: int) -> None:
    by_sum = superposition.summed(64, seed)
    assert superposition.beside((22, 21, 21), seed) < by_sum - 0.03
    assert superposition.summed(8, seed) < 0.05 and superposition.summed(128, seed) > 0.95
