"""One training under several encodings, with and without more training."""

from functools import partial

import pytest
import torch

from benchmarks.longer_study import FACTOR, MADE, TRAINED, slowed
from helpers.corpora import LagLanguage
from helpers.encodings import create
from helpers.training.context_extension import extend
from helpers.training.experiments import fit, run

TASK = LagLanguage()
SIZES = {"d_model": 48, "num_heads": 4}
ROPE = partial(create, "rotary", **SIZES)
WAYS = {
    "RoPE": ROPE,
    "again": ROPE,
    "dynamic": partial(create, "dynamic_ntk", **SIZES, original_max_len=9, factor=1),
}


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")


def test_all_ways_have_the_weights_of_one_training_and_the_text_of_one_fine_tuning() -> None:
    model = fit(TASK, ROPE, seed=0, steps=2, length=9)
    before = {name: each.clone() for name, each in model.state_dict().items()}
    found = extend(model, TASK, WAYS, 0, tuning=iter((0, 1, 2)), lengths=(9, 20), longer=20)
    loss = found.set_index(["tuned", "length", "encoding"])["loss"]
    for tuned in (0, 2):
        for length in (9, 20):
            assert loss[tuned, length, "again"] == loss[tuned, length, "RoPE"]
    # What is as RoPE up to the trained length is, until it was fine-tuned on longer texts.
    assert loss[0, 9, "dynamic"] == pytest.approx(loss[0, 9, "RoPE"], abs=1e-6)
    assert abs(loss[0, 20, "dynamic"] - loss[0, 20, "RoPE"]) > 1e-6
    assert loss[2, 9, "RoPE"] != loss[0, 9, "RoPE"]
    # Two steps are two, though one was tried before.
    alone = extend(model, TASK, {"RoPE": ROPE}, 0, tuning=(2,), lengths=(9, 20), longer=20)
    assert alone.loss.tolist() == [loss[2, 9, "RoPE"], loss[2, 20, "RoPE"]]
    after = model.state_dict()
    assert all(torch.equal(each, after[name]) for name, each in before.items())


def test_a_training_may_draw_its_lengths_and_a_fine_tuning_has_longer_texts_only() -> None:
    lengths, seeds = list[int](), set[int]()

    class Watched(LagLanguage):
        def sample(self, batch: int, length: int, generator: torch.Generator) -> torch.Tensor:
            lengths.append(length)
            seeds.add(generator.initial_seed())
            return super().sample(batch, length, generator)

    model = fit(Watched(), ROPE, seed=0, steps=20, length=9, shortest=7)
    assert len(lengths) == 20 and set(lengths) == {7, 8, 9} and seeds == {0}
    lengths.clear()
    seeds.clear()
    extend(model, Watched(), {"RoPE": ROPE}, 0, tuning=(3,), lengths=(9,), longer=20)
    assert lengths == [9, 20, 20, 20] and 0 not in seeds  # it is not the text of the training


@pytest.mark.parametrize("label", MADE)
def test_what_the_study_tries_is_made_for_its_factor(label: str) -> None:
    encoding = slowed(MADE[label])()
    assert (encoding.factor, encoding.original_max_len) == (FACTOR, TRAINED)  # type: ignore[union-attr]


def test_a_run_tries_its_weights_with_others_on_text_that_is_the_same_for_all_seeds() -> None:
    other = {"none": partial(create, "none", **SIZES)}
    first, second = (run(TASK, ROPE, seed, 1, (9,), also=other) for seed in (0, 1))
    assert first.loss[0] != first.loss[1] and (first.limit == second.limit).all()
