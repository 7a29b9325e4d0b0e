"""A step that is replayed trains as one that is called, and what cannot be replayed is not.

On a CPU an `OperationLog` stands in for a CUDA graph: it keeps what a graph keeps, each operation
on its tensors and its plain numbers, and refuses what a graph cannot hold.
"""

import logging
from collections.abc import Callable, Iterable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from helpers.corpora import Grammar
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training import DivergedError, recording, train
from helpers.training.loop import PRECISIONS
from helpers.training.optimizer import OPTIMIZERS
from helpers.training.pretraining import grammar_batches

CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
DEVICES = ["cpu", pytest.param("cuda", marks=CUDA)]
UNRECORDABLE = {"_local_scalar_dense", "nonzero", "masked_select", "_unique2", "repeat_interleave"}


class OperationLog(TorchDispatchMode):
    """What is called inside the `with` block, to be called again on the same tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any, Any]] = []
        self.before: dict[int, tuple[Any, Any]] = {}  # memory that is written into, as it was

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = function.overloadpacket.__name__
        masked = any(getattr(each, "dtype", None) == torch.bool for each in tree_leaves(args))
        if name in UNRECORDABLE or (name.startswith("index") and masked):
            raise RuntimeError(f"operation not permitted when stream is capturing: {function}")
        for spec, given in zip(function._schema.arguments, args, strict=False):
            if spec.alias_info is not None and spec.alias_info.is_write:
                for each in tree_leaves(given):
                    memory = each.untyped_storage()
                    if memory.data_ptr() not in self.before:
                        self.before[memory.data_ptr()] = memory, memory.clone()
        result = function(*args, **kwargs)
        self.calls.append((function, args, kwargs, result))
        return result

    def undo(self) -> None:
        """A graph is recorded, but not run."""
        for memory, was in self.before.values():
            memory.copy_(was)

    @torch.no_grad()
    def replay(self) -> None:
        """Call everything again, with results where they were at first."""
        for function, args, kwargs, result in self.calls:
            again = function(*args, **kwargs)
            for place, new in zip(tree_leaves(result), tree_leaves(again), strict=True):
                if isinstance(place, Tensor) and place.data_ptr() != new.data_ptr():
                    place.copy_(new)


REPLAYS: list[int] = []  # one for each replay on a CPU


def _capture(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    with OperationLog() as log:
        value = function()
    log.undo()

    def replay() -> None:
        REPLAYS.append(len(log.calls))
        log.replay()

    return replay, value


def _warmed_up(function: recording.Function, batch: Any, strict: bool = False) -> Tensor:
    return function(batch)


Switch = Callable[[bool, str], None]


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Switch:
    """Switch recording on, with a stand-in for CUDA's graphs on a CPU, or off."""

    def switch(on: bool, device: str) -> None:
        monkeypatch.setattr(recording, "available", lambda device: on)
        if device == "cpu":
            monkeypatch.setattr(recording, "capture", _capture)
            monkeypatch.setattr(recording, "warmed_up", _warmed_up)

    REPLAYS.clear()
    return switch


def _losses(
    device: str, encoding: str = "learned", dropout: float = 0.0, **options: Any
) -> tuple[list[float], nn.Module]:
    torch.manual_seed(0)
    grammar = Grammar()
    size = preset(vocab_size=grammar.vocab_size, d_model=32, dropout=dropout)
    model = Pretraining(Bert(size, encoding)).to(device)
    next_batch = grammar_batches(grammar, 8, seed=0, pool=100, device=device)
    defaults: dict[str, Any] = {"steps": 12, "lr": 3e-3, "loss": places_loss, "label": ""}
    return train(model, next_batch, **defaults | options), model


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("optimizer", "precision"), [*product(OPTIMIZERS, PRECISIONS)])
def test_replayed_steps_are_those_of_python(
    optimizer: str, precision: str, device: str, graphs: Switch
) -> None:
    found = []
    for on in (False, True):
        graphs(on, device)
        found.append(_losses(device, optimizer=optimizer, precision=precision))
    (called, one), (replayed, other) = found
    assert replayed == pytest.approx(called, abs=1e-5 if precision == "float32" else 0.05)
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        difference = (mine - theirs).abs().max()
        assert difference <= (1e-5 if precision == "float32" else 0.02)
    if device == "cpu":
        assert len(REPLAYS) == 12 - recording.WARM_UP and min(REPLAYS) > 100


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("encoding", ["rotary", "sinusoidal", "shaw_keys", "t5_bias"])
def test_other_encodings_are_replayed_too(
    encoding: str, device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    graphs(False, device)
    called, _ = _losses(device, encoding)
    graphs(True, device)
    assert _losses(device, encoding)[0] == pytest.approx(called, abs=1e-5)
    assert not caplog.records


@pytest.mark.parametrize("device", DEVICES)
def test_dropout_is_drawn_anew_in_each_replay(device: str, graphs: Switch) -> None:
    graphs(True, device)
    model = nn.Dropout().to(device)
    call = recording.Recorded(lambda x: model(x))
    drawn = {tuple(call(torch.ones(64, device=device)).tolist()) for _ in range(9)}
    assert len(drawn) == 9


def test_a_step_that_overflows_in_float16_leaves_no_trace(graphs: Switch) -> None:
    for on in (False, True):
        graphs(on, "cpu")
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))  # Muon's matrices, AdamW's biases
        weights: list[list[Tensor]] = []

        def look(step: int, model: nn.Module = model, weights: Any = weights) -> None:
            weights.append([each.detach().clone() for each in model.parameters()])

        # Infinity minus infinity is no number, and that is what a mean of it leaves.
        broken = iter([False] * 5 + [True] + [False] * 4)
        last: Any = model[1]
        flag = torch.zeros(())

        def next_batch(flag: Tensor = flag, broken: Any = broken) -> Tensor:
            flag.fill_(torch.nan if next(broken) else 1.0)
            return torch.ones(1, 3)

        last.bias.register_hook(lambda grad, flag=flag: grad * flag)
        train(
            model, next_batch, 10, loss=lambda asked, x: 1e-3 * asked(x).square().mean(),
            optimizer="muon", precision="float16", label="", on_step_end=look,
        )  # fmt: skip
        moved = [
            all((a != b).any() for a, b in zip(one, other, strict=True))
            for one, other in pairwise(weights)
        ]
        assert moved[:-1] == [True] * 4 + [False] + [True] * 3  # the last step is tiny
        assert all(each.isfinite().all() for each in weights[-1])


@pytest.mark.parametrize("device", DEVICES)
def test_a_stopped_run_goes_on_with_replays(device: str, tmp_path: Path, graphs: Switch) -> None:
    graphs(True, device)
    options: dict[str, Any] = {"optimizer": "muon", "precision": "float16", "every": 5}
    whole, _ = _losses(device, **options)

    def stop(step: int) -> None:
        if step == 7:
            raise KeyboardInterrupt

    path = tmp_path / "run.pt"
    with pytest.raises(KeyboardInterrupt):
        _losses(device, checkpoint=path, on_step_end=stop, **options)
    found, _ = _losses(device, checkpoint=path, **options)
    assert found == pytest.approx(whole, abs=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_what_cannot_be_replayed_is_said_in_one_line(
    device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    def by_index(model: nn.Module, batch: Any) -> Tensor:
        chosen = batch.targets >= 0  # how many these are the CPU has to know
        logits = model(batch.inputs, batch.places)[chosen].float()
        return nn.functional.cross_entropy(logits, batch.targets[chosen])

    graphs(False, device)
    called, _ = _losses(device)
    graphs(True, device)
    assert _losses(device, loss=by_index)[0] == pytest.approx(called, abs=1e-4)
    (line,) = caplog.messages
    assert line.startswith("Each step is launched from Python, not as one CUDA graph: ")
    assert caplog.records[0].levelno == logging.WARNING


def test_a_compiled_model_is_not_recorded_and_that_is_said(
    graphs: Switch, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs(True, "cpu")
    monkeypatch.setattr(torch, "compile", lambda model: model)
    losses, _ = _losses("cpu", compile=True, steps=5)
    assert len(losses) == 5 and not REPLAYS
    assert caplog.messages == [
        "Each step is launched from Python, not as one CUDA graph: the model is compiled"
    ]


@pytest.mark.parametrize("device", DEVICES)
def test_a_batch_of_another_shape_is_trained_on_as_well(
    device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    graphs(True, device)
    call = recording.Recorded(lambda batch: batch["x"].sum())
    sizes = [5] * 6 + [3, 5]
    found = [float(call({"x": torch.full((n,), float(n), device=device)})) for n in sizes]
    assert found == [float(n * n) for n in sizes]
    assert "another shape" in " ".join(caplog.messages) and len(caplog.messages) == 1


def test_a_loss_that_is_no_number_ends_a_run_that_reads_it_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on a GPU: what a step behind it has done is not kept."""
    from helpers.training import loop

    monkeypatch.setattr(loop, "reads_each_step", lambda device: False)
    numbers = iter([1.0, 1.0, torch.nan, 1.0, 1.0, 1.0])
    path = tmp_path / "run.pt"
    with pytest.raises(DivergedError, match="step 2; try an lr below"):
        train(
            nn.Linear(1, 1), lambda: torch.full((1, 1), next(numbers)), 6, label="",
            loss=lambda model, x: model(x).square().sum(), checkpoint=path,
        )  # fmt: skip
    assert not path.exists()
