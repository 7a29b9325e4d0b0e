"""Sinusoidal encoding against code that others wrote, against the formula, and by property."""

import copy

import pytest
import torch

from helpers.encodings import (
    Sinusoidal,
    shift_matrix,
    sinusoidal_table,
)
from tests.encodings import hooks


def test_a_checkpoint_has_the_table_and_nothing_is_trained() -> None:
    module = copy.deepcopy(Sinusoidal(8, max_len=4)).to(torch.float16)
    assert not list(module.parameters()) and list(module.state_dict()) == ["table"]
    x = torch.zeros(1, 4, 8, dtype=torch.float16)
    expected = sinusoidal_table(4, 8).half()
    torch.testing.assert_close(hooks.embed(module, x)[0], expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Sinusoidal(0), ["d_model=0"]),
        (lambda: shift_matrix(1, 7), ["d_model=7", "even"]),
        (lambda: sinusoidal_table(-1, 4), ["num_positions=-1"]),
        (lambda: sinusoidal_table(3, 4, base=0), ["base=0"]),
    ],
)
def test_wrong_arguments_are_named(build: object, words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        build()  # type: ignore[operator]
    assert all(word in str(error.value) for word in words)
