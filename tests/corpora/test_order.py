"""Which of the two stands first: every sequence has its twin, and no bag tells them apart."""

import pytest
import torch
from torch import Generator

from helpers.checks.order_blind.bag import best_without_order
from helpers.corpora.order import WhichFirst


@pytest.mark.parametrize("length", [3, 4, 12])
def test_the_answer_is_the_symbol_that_stands_first(length: int) -> None:
    task = WhichFirst()
    masked = task.batch(200, length, Generator().manual_seed(0))
    places = []
    for symbol in (task.FIRST, task.SECOND):
        rows, place = (masked.inputs == symbol).nonzero(as_tuple=True)
        assert torch.equal(rows, torch.arange(200))  # once in each
        assert len(place.unique()) == length - 1  # anywhere but behind the question
        places.append(place)
    expected = torch.where(places[0] < places[1], task.FIRST, task.SECOND)
    assert torch.equal(masked.targets[:, -1], expected)
    assert (masked.inputs[:, -1] == task.QUESTION).all()
    assert masked.selected.sum(1).eq(1).all()
    assert masked.selected[:, -1].all()
    assert masked.inputs.max() < task.vocab_size
    for batch, wrong in ((3, 6), (4, 2)):
        with pytest.raises(ValueError, match=f"batch={batch} must be even and length={wrong}"):
            task.batch(batch, wrong, Generator())


def test_twins_differ_in_two_places_only_and_share_their_bag() -> None:
    masked = WhichFirst().batch(100, 9, Generator().manual_seed(1))
    rows, twins = masked.inputs.chunk(2)
    assert (rows != twins).sum(1).eq(2).all()
    assert torch.equal(rows.sort(1).values, twins.sort(1).values)
    assert best_without_order(masked.inputs, masked.targets[:, -1]) == 0.5


def test_a_causal_task_tells_the_model_its_mask() -> None:
    assert not WhichFirst().batch(2, 4, Generator()).given
    mask = WhichFirst(causal=True).batch(2, 4, Generator()).given["mask"]
    assert mask.dtype == torch.bool
    assert torch.equal(mask, torch.ones(4, 4).tril().bool())
