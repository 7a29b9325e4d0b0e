"""The ways to run a step of the mini BERT do the same work, and what a step asks for is counted."""

import pickle
from functools import partial

import pandas as pd
import pytest
import torch

from benchmarks import mini_bert, mini_bert_forms
from benchmarks.mini_bert import ROWS, SIZE
from helpers.model.bert import Size


def test_what_a_step_asks_for_is_what_the_formula_says() -> None:
    """Forward, and twice as much backward; a multiplication and an addition for each weight."""
    width, words = SIZE.d_model, ROWS * SIZE.max_len
    masked = mini_bert.draws()().places.numel()
    layer = words * 12 * width**2 + 2 * words * SIZE.max_len * width  # weights; scores and sums
    head = masked * (width**2 + width * SIZE.vocab_size)
    formula = 3 * 2 * (SIZE.num_layers * layer + head)
    assert mini_bert_forms.flops(mini_bert_forms.ours(mini_bert_forms.plain)) == pytest.approx(
        formula, rel=0.02
    )


@pytest.mark.rotating
def test_every_way_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a model so small that compiling takes longer than measuring; it is not compiled."""
    small = Size(vocab_size=64, d_model=16, num_heads=2, num_layers=1, max_len=16)
    for module in (mini_bert, mini_bert_forms):
        monkeypatch.setattr(module, "SIZE", small)
        monkeypatch.setattr(module, "ROWS", 4)
    monkeypatch.setattr(mini_bert, "WORDS", torch.randint(5, 64, (50, 16)))
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    monkeypatch.setattr(mini_bert, "SECONDS", 0.0)
    monkeypatch.setattr(mini_bert_forms, "PRODUCT", 256)
    table = mini_bert_forms.measured().set_index("name")
    assert set(table.index) == set(mini_bert_forms.steps())
    assert (table > 0).all(axis=None)
    assert ("ours, fused AdamW, CUDA graphs" in table.index) == torch.cuda.is_available()


def test_each_step_can_be_made_in_another_process() -> None:
    for makers in mini_bert.GROUPS.values():
        for make in makers.values():
            assert pickle.loads(pickle.dumps(make)) is not None


def _targets(**faster: float) -> list[str]:
    """Whether each target is met where all are equally fast but those named."""
    rows = [
        {"group": group, "name": name, "tokens_per_second": faster.get(name.split(",")[0], 1.0)}
        for group, makers in mini_bert.GROUPS.items()
        for name in makers
    ]
    lines = mini_bert.targets(pd.DataFrame(rows))
    return [line[:6] for line in lines if not line.startswith(" ")]


def test_targets_can_be_met_and_missed() -> None:
    assert _targets() == ["missed", "missed", "met   ", "missed", "missed", "missed"]
    assert _targets(ours=5.0, everywhere=0.4, feeding=60.0) == ["met   "] * 6
    assert _targets(ours=5.0, d2l=6.0)[:3] == ["met   ", "missed", "missed"]
