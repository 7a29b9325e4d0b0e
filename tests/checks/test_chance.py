"""No bound of unit 07 is so narrow that a right answer is refused by chance."""

import torch
from torch import Generator

from helpers.checks.bert_inputs.common import evenly, independent

TRIES = 2000


def test_independent_marks_are_never_called_anything_else() -> None:
    draw = Generator().manual_seed(0)
    everywhere = torch.ones(16, 64, dtype=torch.bool)
    for _ in range(TRIES):
        marks = torch.rand(16, 64, generator=draw) < 0.15
        said = independent(marks, everywhere, 0.15)
        assert set(said.values()) == {"about 0.15", "as by chance"}


def test_even_counts_are_never_called_uneven() -> None:
    draw = Generator().manual_seed(0)
    for _ in range(TRIES):
        counts = torch.bincount(torch.randint(20, (2000,), generator=draw), minlength=20)
        assert evenly(counts, torch.full((20,), 100)) == "as often as others"


def test_what_is_not_by_chance_is_seen() -> None:
    everywhere = torch.ones(64, 256, dtype=torch.bool)
    marks = torch.rand(64, 256, generator=Generator().manual_seed(0)) < 0.25
    assert independent(marks, everywhere, 0.15)["fraction"] != "about 0.15"
    counts = torch.tensor([600, 1400])
    assert evenly(counts, torch.tensor([1000, 1000])) == "not as often as others"


def test_what_varies_too_little_is_named() -> None:
    everywhere = torch.ones(256, 256, dtype=torch.bool)
    alike = torch.rand(256, 256, generator=Generator().manual_seed(0)).argsort(-1) < 38
    said = "how much it varies from {0} to {0}".format
    for marks, few, many in ((alike, "row", "column"), (alike.T, "column", "row")):
        found = independent(marks, everywhere, 0.15)
        assert found[said(few)] == "too little" and found[said(many)] == "as by chance"
