"""What a lesson tests its models on is not what it has trained them on."""

import ast
from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import pytest
import torch
from torch import Generator, Tensor

from helpers import corpora, training
from helpers.corpora import MaskedBatch
from helpers.corpora.order import WhichFirst
from helpers.course.authoring import source
from helpers.training import context_extension, experiments
from tests.common import ROOT
from tests.probes import trial

TRAINING = {"train", "evaluate", "run", "fit"}
BATCHES, SEQUENCES = 6, 200  # of each training; of each batch, at most
# Two short texts may be alike by chance, most of all where both follow the rule throughout.
BY_CHANCE = 0.1
TASKS = (WhichFirst, corpora.LagLanguage, corpora.Patches, corpora.Reverse, corpora.Shift)


def _about_training(unit: str) -> str:
    """The statements of a lesson that train or test a model, and what these need."""
    cells = source.read(ROOT / "source" / unit / f"{unit}.py")
    codes = [cell.text for cell in cells if cell.type == "code" and cell.kind in ("", "solution")]
    statements = ast.parse("\n".join(codes)).body
    asked, wanted = {*TRAINING}, set[str]()
    for each in statements:
        if isinstance(each, ast.FunctionDef) and trial.used(ast.unparse(each)) & asked:
            asked.add(each.name)
    kept = []
    for each in reversed(statements):
        text, made = ast.unparse(each), trial.made(each)
        own, used = (made if isinstance(each, ast.For) else set[str]()), trial.used(text)
        if (made - own) & wanted or used & asked:
            kept.append(text)
            wanted = wanted - made | used - own
    return "\n".join(reversed(kept))


class Spy:
    """Trains and tests nothing, but notes the batches of both, and what they were drawn with."""

    def __init__(self) -> None:
        self.trained: list[MaskedBatch] = []
        self.tested: list[MaskedBatch] = []
        self.drawn: list[tuple[MaskedBatch, int]] = []

    def train(
        self, _model: Any, next_batch: Callable[[], Any], steps: int, *_: Any, **_options: Any
    ) -> list[float]:
        self.trained += [next_batch() for _ in range(min(steps, BATCHES))]
        return [1.0] * steps

    def evaluate(self, _model: Any, batch: MaskedBatch) -> training.Score:
        self.tested.append(batch)
        return training.Score(1.0, 0.5)

    def noting(self, draw: Callable[..., MaskedBatch]) -> Callable[..., MaskedBatch]:
        def noted(task: Any, batch: int, length: int, generator: Generator) -> MaskedBatch:
            found = draw(task, min(batch, SEQUENCES), length, generator)
            self.drawn.append((found, generator.initial_seed()))
            return found

        return noted

    def seeds(self, batches: list[MaskedBatch]) -> set[int]:
        return {seed for found, seed in self.drawn if any(found is each for each in batches)}


def _rows(batch: MaskedBatch | Tensor) -> set[bytes]:
    """The texts, without the places where they are masked."""
    if isinstance(batch, MaskedBatch):
        batch = torch.where(batch.selected, batch.targets, batch.inputs)
    return {row.numpy().tobytes() for row in batch}


@pytest.mark.parametrize("unit", ["01-order-blind", "02-sinusoidal", "03-learned", "04-relative",
                                  "05-after-bert", "06-stacking"])  # fmt: skip
def test_no_model_is_tested_on_what_it_was_trained_on(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy()
    for module in (training, experiments, context_extension):
        monkeypatch.setattr(module, "train", spy.train)
        monkeypatch.setattr(module, "evaluate", spy.evaluate)
    for task in TASKS:
        monkeypatch.setattr(task, "batch", spy.noting(task.batch))
    monkeypatch.setenv("ORDER_MATTERS_PROFILE", "quick")
    exec(compile(_about_training(unit), unit, "exec"), {"__name__": "__main__"})
    plt.close("all")
    seen = set[bytes]().union(*map(_rows, spy.trained))
    assert seen and spy.tested
    for batch in spy.tested:
        assert len(_rows(batch) & seen) < BY_CHANCE * len(_rows(batch))
    assert not spy.seeds(spy.trained) & spy.seeds(spy.tested)
