"""A batch in parts: what is split, what is shared, and what is refused."""

import pytest
from torch import Generator

from helpers.corpora import LagLanguage, MaskedBatch, Patches, Task
from helpers.encodings import create
from helpers.model.encoder import Encoder
from helpers.training import masked_loss, train


def _model_and_batch(task: Task) -> tuple[Encoder, MaskedBatch]:
    batch = task.batch(8, 16, Generator().manual_seed(0))  # given of patches: places (1, T, 2)
    encoding = "rotary_2d" if batch.given else "rotary"
    return Encoder(create(encoding, d_model=16, num_heads=2), task.vocab_size, 1), batch


@pytest.mark.parametrize("task", [LagLanguage(), Patches()])
def test_parts_share_what_has_no_rows_of_the_batch(task: Task) -> None:
    model, batch = _model_and_batch(task)
    halves = [
        batch._replace(
            inputs=batch.inputs[rows], targets=batch.targets[rows], selected=batch.selected[rows]
        )
        for rows in (slice(4), slice(4, 8))
    ]
    expected = sum(masked_loss(model, half).item() for half in halves) / 2
    assert train(model, lambda: batch, 1, accumulate=2, label="") == pytest.approx([expected])


@pytest.mark.parametrize("accumulate", [0, 3, 16])
def test_parts_that_are_not_alike_are_refused(accumulate: int) -> None:
    model, batch = _model_and_batch(LagLanguage())
    with pytest.raises(ValueError, match=f"accumulate={accumulate} must divide the 8 rows"):
        train(model, lambda: batch, 2, accumulate=accumulate, label="")
