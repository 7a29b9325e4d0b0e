"""Training asks of a device nothing that Apple's GPUs lack; tried on a CPU that lacks it too."""

from typing import Any

import pytest
import torch
from torch import Generator

from helpers import runtime
from helpers.corpora import Grammar
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training import evaluate, train
from helpers.training.finetuning import Labelled, accuracy, tune
from helpers.training.optimizer import OPTIMIZERS
from helpers.training.pretraining import grammar_batches, text_score
from tests.devices import AsOnOtherDevices

GRAMMAR = Grammar()
SIZE = preset(vocab_size=GRAMMAR.vocab_size, d_model=16, num_layers=1)


@pytest.fixture(autouse=True)
def _without_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "fast_precision", lambda *_: "float32")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_pretraining_and_its_scores(optimizer: str, precision: str) -> None:
    model = Pretraining(Bert(SIZE))
    next_batch = grammar_batches(GRAMMAR, 4, seed=0, pool=20)
    rows, test = GRAMMAR.sample(8, Generator()), GRAMMAR.batch(4, 64, Generator())
    options: dict[str, Any] = {"optimizer": optimizer, "precision": precision, "label": ""}
    with AsOnOtherDevices(anywhere=True):
        losses = train(model, next_batch, 3, loss=places_loss, **options)
        evaluate(model, test)
        text_score(model, rows)
    assert len(losses) == 3


def test_fine_tuning() -> None:
    tokens = GRAMMAR.sample(8, Generator())
    data = Labelled(tokens, (tokens[:, 0] > 5).long())
    with AsOnOtherDevices(anywhere=True):
        accuracy(tune(Bert(SIZE), 16, data, seed=0, steps=3), data)


@pytest.mark.parametrize("refused", ["double", "missing"])
def test_what_apple_lacks_is_refused(refused: str) -> None:
    with AsOnOtherDevices(anywhere=True), pytest.raises(TypeError, match=r"float64|MPS has no"):
        if refused == "double":
            torch.ones(3).double()
        else:
            torch.linalg.eigh(torch.eye(3))
