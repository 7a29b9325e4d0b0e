"""Seeds trained as one batch of models end as they do one by one."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from torch import Generator, Tensor, nn
from torch.utils._pytree import tree_map_only

from benchmarks import sweep
from benchmarks.bert_race_study import HIDDEN, TRAINING, encoding
from helpers import runtime
from helpers.corpora import Grammar, LagLanguage, MaskedBatch, Task, TreeLanguage
from helpers.encodings import create
from helpers.model.bert import preset
from helpers.model.encoder import Encoder
from helpers.training import DivergedError, train
from helpers.training.experiments import run, run_together
from helpers.training.jobs import run_jobs
from helpers.training.pretraining import grammar_batches, text_batches
from helpers.training.together import train_together
from tests.devices import DEVICES

SEEDS = (0, 1, 5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("encoding", "task"),
    [
        ("none", LagLanguage()), ("learned", LagLanguage()), ("rotary", LagLanguage()),
        ("shaw_keys", LagLanguage()), ("t5_bias", LagLanguage()),
        ("tree_offsets", TreeLanguage(told="offsets")),
    ],
)  # fmt: skip
def test_each_model_ends_as_it_does_alone(encoding: str, task: Task, device: str) -> None:
    def models() -> list[nn.Module]:
        found: list[nn.Module] = []
        for seed in SEEDS:
            torch.manual_seed(seed)
            encodings = create(encoding, d_model=16, num_heads=2, max_len=9)
            found.append(Encoder(encodings, task.vocab_size, 2).to(device))
        return found

    def batches() -> list[Callable]:
        return [partial(task.batch, 8, 9, Generator().manual_seed(seed)) for seed in SEEDS]

    def there(next_batch: Callable) -> MaskedBatch:
        return tree_map_only(Tensor, lambda each: each.to(device), next_batch())

    alone, together = models(), models()
    for model, next_batch in zip(alone, batches(), strict=True):
        train(model, partial(there, next_batch), 20, graph=False, label="")
    train_together(together, batches(), 20, label="")
    test = task.batch(50, 9, Generator().manual_seed(9))
    for one, other, start in zip(alone, together, models(), strict=True):
        # Not the weights: AdamW moves the bias of the keys, which has no effect, by mere rounding.
        before, mine, theirs = (
            each.cpu()(test.inputs, **test.given) for each in (start, one, other)
        )
        assert (theirs - before).abs().max() > 0.1
        assert (mine - theirs).abs().max() < 2e-3


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("label", "text", "precision", "near"),
    [
        ("learned", "grammar", "float32", 1e-3),
        ("DeBERTa", "grammar", "float32", 1e-3),  # draws vectors of its own
        ("RoPE", "English", "float32", 1e-3),
        ("RoPE", "English", "bfloat16", 3e-2),
    ],
)
def test_each_mini_bert_of_a_study_ends_as_it_does_alone(
    label: str, text: str, precision: str, near: float, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "DEVICE", device)
    monkeypatch.setattr(runtime, "fast_precision", lambda *_: precision)  # Muon's
    grammar = Grammar()
    size = preset(vocab_size=grammar.vocab_size, d_model=32, max_len=grammar.length)
    rows = grammar.sample(100, Generator().manual_seed(0))  # taken for WordPieces
    texts = partial(text_batches, rows, size.vocab_size, 8)
    if text == "grammar":
        texts = partial(grammar_batches, grammar, 8, fraction=HIDDEN, pool=100)

    def trained(seeds: Sequence[int], steps: int) -> Tensor:
        training = TRAINING | {"precision": precision, "label": ""}
        found = sweep.pretrained(
            partial(encoding, label, size), texts, seeds, size, steps, **training
        )
        return torch.stack([model(rows.to(device)).detach() for model in found])

    together = trained(SEEDS, 20)
    alone = torch.cat([trained([seed], 20) for seed in SEEDS])
    assert (together - alone).abs().max() < near
    assert (together - trained(SEEDS, 1)).abs().max() > 1
    assert (together[0] - together[1]).abs().max() > 1


def test_a_race_has_the_same_table_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "dry")
    options: dict[str, Any] = {"steps": 5, "lengths": (9, 12), "label": "learned"}
    together = run_together(LagLanguage(), "learned", SEEDS, device="cpu", **options)
    alone = [run(LagLanguage(), "learned", seed, **options) for seed in SEEDS]
    pd.testing.assert_frame_equal(together, pd.concat(alone, ignore_index=True), atol=1e-4)


def test_a_model_that_diverges_ends_the_run_of_all() -> None:
    models = [nn.Embedding(9, 9), nn.Embedding(9, 9)]
    models[1].weight.data.fill_(torch.nan)
    batch = LagLanguage().batch(4, 9, Generator().manual_seed(0))
    with pytest.raises(DivergedError, match="step 0; try an lr below"):
        train_together(models, [lambda: batch, lambda: batch], 3)


def test_seeds_that_are_done_are_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    (tmp_path / "none-1.csv").write_text("seed,loss\n1,0.5\n")

    def together(seeds: Sequence[int]) -> pd.DataFrame:
        return pd.DataFrame({"seed": seeds, "loss": 2.0})

    job = sweep.at_once("none", together)
    found = run_jobs([job], tmp_path, "seeds")
    assert found["loss"].tolist() == [2.0, 0.5, 2.0]
    assert job.work(1)["loss"].tolist() == [2.0]  # what a process does on a CPU
