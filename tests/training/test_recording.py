"""A step that is replayed trains as one that is called, and what cannot be replayed is not.

On a CPU an `OperationLog` stands in for a CUDA graph.
"""

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.torch_version import TorchVersion

from helpers import runtime
from helpers.corpora import Grammar
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training import DivergedError, recording, train
from helpers.training.loop import PRECISIONS, READ_EVERY
from helpers.training.optimizer import OPTIMIZERS
from helpers.training.pretraining import grammar_batches
from tests.training.operation_log import REPLAYS, capture

CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU with CUDA")
DEVICES = ["cpu", pytest.param("cuda", marks=CUDA)]


def _warmed_up(step: recording.Step, batch: Any, strict: bool = False) -> Tensor:
    return step(batch)


Switch = Callable[[bool, str], None]


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> Switch:
    """Switch recording on, with a stand-in for CUDA's graphs on a CPU, or off."""

    def switch(on: bool, device: str) -> None:
        monkeypatch.setattr(recording, "available", lambda device: on)
        if device == "cpu":
            monkeypatch.setattr(recording, "capture", capture)
            monkeypatch.setattr(recording, "warmed_up", _warmed_up)
            monkeypatch.setitem(READ_EVERY, "cpu", 5)  # a replay must not write into a loss before

    REPLAYS.clear()
    return switch


def _losses(
    device: str, encoding: str = "learned", dropout: float = 0.0, **options: Any
) -> tuple[list[float], nn.Module]:
    """Train a small BERT for twelve steps; its losses, and the model."""
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
    optimizer: str, precision: str, device: str, graphs: Switch, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    options: dict[str, Any] = {"optimizer": optimizer, "precision": precision}
    if exact := precision == "float32":  # in which Muon iterates too, whatever is quick here
        monkeypatch.setattr(runtime, "fast_precision", lambda *_: "float32")
    graphs(False, device)
    called, one = _losses(device, **options)
    graphs(True, device)
    replayed, other = _losses(device, **options)
    assert replayed == pytest.approx(called, abs=1e-5 if exact else 0.05)
    for (name, mine), theirs in zip(one.named_parameters(), other.parameters(), strict=True):
        # The bias of the keys has no effect: rounding alone moves it.
        of = [x.unflatten(0, (3, -1))[::2] if "qkv.bias" in name else x for x in (mine, theirs)]
        assert (of[0] - of[1]).abs().max() <= (1e-5 if exact else 0.02)
    assert not caplog.records
    if device == "cpu":
        assert len(REPLAYS) == 12 - recording.WARM_UP and min(REPLAYS) > 100


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "encoding", ["rotary", "xpos", "sinusoidal", "alibi", "shaw_keys", "t5_bias"]
)
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
    call = recording.Recorded(model, [], list)
    drawn = {tuple(call(torch.ones(64, device=device)).tolist()) for _ in range(9)}
    assert len(drawn) == 9


def _tiny(device: str, on_step_end: Any = None, **options: Any) -> list[float]:
    """Train a model with dropout; `on_step_end` is given the step, the model and the weight."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 9), nn.Dropout(0.5), nn.Linear(9, 1)).to(device)
    x, weight = torch.ones(4, 2, device=device), [1.0]

    def loss(asked: nn.Module, x: Tensor) -> Tensor:
        return weight[0] * (asked(x) - 1).square().mean()

    def end(step: int) -> None:
        if on_step_end:
            on_step_end(step, model, weight)

    return train(model, lambda: x, 12, loss=loss, label="", on_step_end=end, **options)


@pytest.mark.parametrize("device", DEVICES)
def test_evaluation_between_steps_and_forgotten_gradients_change_nothing(
    device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    seen: dict[int, float] = {}

    def look(step: int, model: nn.Module, _weight: Any) -> None:
        seen[step] = model.eval()(torch.ones(1, 2, device=device)).item()
        model.zero_grad()

    graphs(True, device)
    called = _tiny(device, graph=False)
    assert not REPLAYS  # whoever does not want it has none, and is told nothing
    replayed = _tiny(device)
    assert replayed == pytest.approx(called, abs=1e-6) and not caplog.records
    for graph, losses in ((False, called), (True, replayed)):
        seen.clear()
        assert _tiny(device, look, graph=graph) == losses
        assert [*seen] == [*range(1, 13)] and len({*seen.values()}) > 9  # each of its step


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


def _fails(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    """What a recording may leave behind: some of its work done, random numbers drawn."""
    function()
    torch.rand(3)
    raise RuntimeError("operation not permitted when stream is capturing\nand more")


def _goes_wrong(function: Callable[[], Tensor]) -> tuple[Callable[[], object], Tensor]:
    replay, value = capture(function)

    def wrong() -> None:
        replay()
        value.mul_(1.1)

    return wrong, value


@pytest.mark.parametrize(
    ("faulty", "why"),
    [(_fails, "operation not permitted when"), (_goes_wrong, "its replay differs by more than")],
)
def test_after_a_failure_training_goes_on_as_if_nothing_had_been_tried(
    faulty: Any, why: str, graphs: Switch, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    options: dict[str, Any] = {"optimizer": "muon", "precision": "float16", "dropout": 0.1}
    graphs(True, "cpu")
    called, one = _losses("cpu", graph=False, **options)
    monkeypatch.setattr(recording, "capture", faulty)
    found, other = _losses("cpu", **options)
    assert found == called
    for mine, theirs in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, theirs)
    assert "one CUDA graph: " + why in caplog.text and len(caplog.records) == 1


def _decay(_step: int, _model: nn.Module, weight: list[float]) -> None:
    weight[0] *= 0.9


def _move(step: int, model: nn.Module, _weight: Any) -> None:
    if step == 7:  # as `model.cpu()` and back does
        for each in model.parameters():
            each.data = each.data.clone()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("change", "why"), [(_decay, "its replay differs"), (_move, "the memory of a parameter")]
)
def test_what_a_replay_would_not_know_of_is_found_out(
    change: Any, why: str, device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    graphs(True, device)
    called = _tiny(device, change, graph=False)
    assert _tiny(device, change) == pytest.approx(called, abs=1e-6)
    assert why in caplog.text and len(caplog.records) == 1


@pytest.mark.parametrize("why", ["the model is compiled", "older versions than PyTorch 2.11"])
def test_what_is_never_recorded_is_said_too(
    why: str, graphs: Switch, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs(True, "cpu")
    monkeypatch.setattr(torch, "compile", lambda model: model)
    if "older" in why:
        monkeypatch.setattr(torch, "__version__", TorchVersion("2.9.0+cu128"))
    losses, _ = _losses("cpu", compile="compiled" in why, steps=5)
    assert len(losses) == 5 and not REPLAYS
    assert why in caplog.text and len(caplog.records) == 1


@pytest.mark.parametrize("device", DEVICES)
def test_a_batch_of_another_shape_is_trained_on_as_well(
    device: str, graphs: Switch, caplog: pytest.LogCaptureFixture
) -> None:
    graphs(True, device)
    call = recording.Recorded(lambda batch: batch["x"].sum(), [], list)
    sizes = [5] * 6 + [3, 5]
    found = [float(call({"x": torch.full((n,), float(n), device=device)})) for n in sizes]
    assert found == [float(n * n) for n in sizes]
    assert "another shape" in " ".join(caplog.messages) and len(caplog.messages) == 1


def test_a_loss_that_is_no_number_ends_a_run_that_reads_it_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on a GPU: what a step behind it has done is not kept."""
    monkeypatch.setitem(READ_EVERY, "cpu", 20)
    numbers = iter([1.0, 1.0, torch.nan, 1.0, 1.0, 1.0])
    path = tmp_path / "run.pt"
    with pytest.raises(DivergedError, match="step 2; try an lr below"):
        train(
            nn.Linear(1, 1), lambda: torch.full((1, 1), next(numbers)), 6, label="",
            loss=lambda model, x: model(x).square().sum(), checkpoint=path,
        )  # fmt: skip
    assert not path.exists()
