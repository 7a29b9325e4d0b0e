"""What only a GPU can show of recordings: one that fails spoils nothing behind it."""

import pytest
import torch
from torch import Tensor, nn

from helpers.training import train


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
def test_training_and_recording_go_on_after_a_recording_that_failed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def losses(graph: bool, waits: bool) -> list[float]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(2, 9), nn.Dropout(0.5), nn.Linear(9, 1)).cuda()
        x = torch.ones(4, 2, device="cuda")

        def loss(asked: nn.Module, x: Tensor) -> Tensor:
            if waits:
                torch.cuda.synchronize()  # no recording can hold it, and the debug mode misses it
            return (asked(x) - 1).square().mean()

        return train(model, lambda: x, 12, loss=loss, graph=graph, label="")

    called = losses(graph=False, waits=True)
    assert losses(graph=True, waits=True) == pytest.approx(called, abs=1e-6)
    assert len(caplog.records) == 1
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    caplog.clear()
    assert losses(graph=True, waits=False) == pytest.approx(called, abs=1e-6)
    assert not caplog.records
