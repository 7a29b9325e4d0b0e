"""The ways to run a step of the mini BERT do the same work, and what a step asks for is counted."""

import pytest
import torch

from benchmarks import mini_bert, mini_bert_forms
from benchmarks.mini_bert import ROWS, SIZE


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


def test_every_way_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mini_bert, "SECONDS", 0.0)
    monkeypatch.setattr(mini_bert_forms, "PRODUCT", 256)
    table = mini_bert_forms.measured().set_index("name")
    assert set(table.index) == set(mini_bert_forms.steps())
    assert (table > 0).all(axis=None)
    assert ("ours, fused AdamW, CUDA graphs" in table.index) == torch.cuda.is_available()
