"""What a checkpoint keeps of random numbers, where the number of GPUs is another."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from helpers.training import checkpoint
from helpers.training.checkpoint import Run


@pytest.mark.parametrize("here", [0, 1, 2, 3])
def test_a_run_goes_on_where_there_are_more_or_fewer_gpus(
    here: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states, found = [torch.tensor([0]), torch.tensor([1])], list[list[Tensor]]()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: states)
    monkeypatch.setattr(torch.cuda, "set_rng_state_all", found.append)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: here)
    run = Run([], {})
    checkpoint.save(tmp_path / "run.pt", run, [1.0])
    assert checkpoint.load(tmp_path / "run.pt", run) == [1.0]
    assert found == [states[:here]]
