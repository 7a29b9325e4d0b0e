"""Training: stopped and gone on with, in several processes, in other precisions, and diverging."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers import plots, runtime
from helpers.corpora import Grammar
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining, preset
from helpers.training import DivergedError, loop, train
from helpers.training import __main__ as command
from helpers.training.loop import DRY, PRECISIONS
from helpers.training.optimizer import OPTIMIZERS, build, schedule
from helpers.training.pretraining import grammar_batches
from tests.common import ROOT
from tests.devices import DEVICES
from tests.tiers import sample

TOGETHER = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2")
LOCAL = {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
Alone = Callable[..., list[float]]


def _start(out: Path, *options: str, how: Sequence[str] = ()) -> "subprocess.Popen[bytes]":
    """Start the command; in several processes where it is said how."""
    words = [sys.executable, *how, "-m", "helpers.training", "--out", str(out), "--batch", "8"]
    with out.with_suffix(".log").open("ab") as log:
        return subprocess.Popen(
            [*words, *options], cwd=ROOT, env=os.environ | LOCAL, stdout=log, stderr=log
        )


def _losses(out: Path) -> list[float]:
    return json.loads((out / "losses.json").read_text())["losses"]


def _by_two(out: Path, *options: str) -> list[float]:
    """Losses of the command in two processes."""
    status = _start(out, *options, how=TOGETHER).wait(300)
    assert status == 0, out.with_suffix(".log").read_text()[-5000:]
    return _losses(out)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Alone:
    """Run the command here, where nothing needs to be imported again; return its losses."""

    def run(out: Path, *options: str) -> list[float]:
        monkeypatch.setattr(sys, "argv", ["training", "--out", str(out), "--batch", "8", *options])
        command.main()
        return _losses(out)

    return run


@pytest.mark.rotating
def test_a_killed_run_goes_on_to_the_same_last_digit(alone: Alone, tmp_path: Path) -> None:
    options = ("--steps", "30", "--every", "5")
    whole = alone(tmp_path / "whole", *options)
    killed = _start(tmp_path / "killed", *options)
    while not (tmp_path / "killed" / "model.pt").exists():
        assert killed.poll() is None
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert not (tmp_path / "killed" / "losses.json").exists()
    assert alone(tmp_path / "killed", *options) == whole
    assert len(whole) == 30


def _line(loss: Callable[[nn.Module, Tensor], Tensor], steps: int, **options: Any) -> list[float]:
    """Train a line of two inputs."""
    options = {"model": nn.Linear(2, 1).eval(), "label": "", **options}
    return train(next_batch=partial(torch.ones, 1, 2), steps=steps, loss=loss, **options)


def _square(model: nn.Module, x: Tensor) -> Tensor:
    return torch.as_tensor(model(x)).square().sum()


@pytest.mark.parametrize("steps", [1, 9, 10, DRY + 5])
def test_a_dry_run_ends_after_a_few_steps(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for profile, most in (("dry", DRY), ("quick", steps)):
        monkeypatch.setenv("ORDER_MATTERS_PROFILE", profile)
        assert len(_line(_square, steps)) == min(steps, most)


def test_what_cannot_be_trained_is_said() -> None:
    with pytest.raises(DivergedError, match="step 0; try an lr below"):
        _line(lambda model, x: _square(model, x) * torch.nan, 3)
    for option, other in (("precision", "int8"), ("optimizer", "sgd")):
        with pytest.raises(ValueError, match=f"{option}='{other}' must be one of"):
            _line(_square, 3, **{option: other})


def test_the_learning_rate_rises_for_a_tenth_of_the_steps_and_ends_near_0() -> None:
    chosen = torch.optim.AdamW([nn.Parameter(torch.ones(1))])
    plan, rates = schedule(chosen, 0.5, steps=100), list[float]()
    for _ in range(100):
        rates.append(float(plan.get_last_lr()[0]))
        chosen.step()
        plan.step()
    assert rates.index(max(rates)) == 9 and max(rates) == pytest.approx(0.5)
    assert rates[-1] < 1e-4


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_a_steep_gradient_is_cut_to_length_1(precision: str) -> None:
    model = nn.Linear(2, 1).eval()
    # In float16 a training begins too loud.
    _line(lambda asked, x: 9 * asked(x).sum(), 9, model=model, precision=precision)
    length = nn.utils.clip_grad_norm_(model.parameters(), 1e9)
    assert float(length) == pytest.approx(1, abs=1e-3)
    assert model.training  # whatever it was before


@pytest.mark.rotating
def test_two_processes_have_the_curve_of_one(alone: Alone, tmp_path: Path) -> None:
    one = alone(tmp_path / "one", "--steps", "12")
    two = _by_two(tmp_path / "two", "--steps", "12")
    assert two == pytest.approx(one, abs=2e-4)
    assert one[0] != one[-1]


@pytest.mark.rotating
def test_a_folder_of_texts_is_trained_on_in_parts_and_by_two(alone: Alone, tmp_path: Path) -> None:
    """A text of which each word is known from its neighbours, so that there is much to learn."""
    (tmp_path / "texts").mkdir()
    words = [f"word{n}" for n in range(6)]
    lines = [" ".join(words[(n + k) % 6] for k in range(9)) + "." for n in range(240)]
    (tmp_path / "texts" / "all.txt").write_text("\n\n".join(lines))
    options = ("--text", str(tmp_path / "texts"), "--steps", "12", "--accumulate", "2")
    one = alone(tmp_path / "one", *options)
    (tmp_path / "two").mkdir()  # the same pieces: to train WordPiece again numbers some otherwise
    shutil.copy(tmp_path / "one" / "tokenizer.json", tmp_path / "two")
    two = _by_two(tmp_path / "two", *options)
    assert two == pytest.approx(one, abs=2e-3) and sum(one[-3:]) / 3 < one[0] - 0.3
    found = json.loads((tmp_path / "one" / "losses.json").read_text())
    assert found["unigram"] > 1 and set(found) == {"losses", "loss", "accuracy", "unigram"}


def test_processes_draw_dropout_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for rank in (0, 1, 2):
        torch.manual_seed(0)
        monkeypatch.setattr(loop, "is_main_process", lambda rank=rank: rank == 0)
        monkeypatch.setattr(torch.distributed, "get_rank", lambda rank=rank: rank)
        model = nn.Sequential(nn.Linear(2, 9), nn.Dropout(), nn.Linear(9, 1))
        losses = train(model, partial(torch.ones, 4, 2), 3, loss=_square, label="")
        drawn.append(tuple(losses))
    assert len({*drawn}) == 3


def test_a_batch_that_cannot_be_shared_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(sys, "argv", ["training", "--out", "nowhere", "--batch", "7"])
    with pytest.raises(SystemExit, match="--batch 7 must be a multiple of the 2 processes"):
        command.main()


def _small(
    device: str = "cpu", encoding: str = "rotary", seed: int = 0, data: int = 0, **options: Any
) -> list[float]:
    torch.manual_seed(seed)
    grammar = Grammar()
    size = preset(vocab_size=grammar.vocab_size, d_model=32)
    model = Pretraining(Bert(size, encoding)).to(device)
    next_batch = grammar_batches(grammar, 16, seed=data, pool=200, device=device)
    return train(model, next_batch, loss=places_loss, **{"steps": 30, "lr": 3e-3, **options})


FORMS = list(product(OPTIMIZERS, PRECISIONS))
ON_CPU = [("cpu", *form) for form in sample(FORMS, 3)]
ON_GPU = [("cuda", *form) for form in FORMS if torch.cuda.is_available()]


@pytest.mark.parametrize(("device", "optimizer", "precision"), ON_CPU + ON_GPU)
def test_both_optimisers_learn_in_all_precisions(
    device: str, optimizer: str, precision: str
) -> None:
    losses = _small(device, optimizer=optimizer, precision=precision)
    assert sum(losses[-5:]) / 5 < losses[0] - 0.3


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_on_a_cpu_the_losses_are_those_of_a_plain_loop_to_the_last_digit(optimizer: str) -> None:
    """Recorded results rest on it."""
    torch.manual_seed(0)
    grammar = Grammar()
    model = Pretraining(Bert(preset(vocab_size=grammar.vocab_size, d_model=32), "rotary"))
    next_batch = grammar_batches(grammar, 16, seed=0, pool=200)
    both = build(model, optimizer, 3e-3)
    plans = [schedule(each, 3e-3, 12) for each in both]
    losses = []
    for _ in range(12):
        with torch.autocast("cpu", torch.bfloat16):
            loss = places_loss(model, next_batch())
        for each in both:
            each.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for each, plan in zip(both, plans, strict=True):
            each.step()
            plan.step()
        losses.append(loss.item())
    assert _small(steps=12, optimizer=optimizer, precision="bfloat16") == losses


def test_a_batch_in_parts_has_the_gradients_of_the_whole() -> None:
    whole, parts = (_small(steps=12, accumulate=n) for n in (1, 4))
    assert parts == pytest.approx(whole, abs=1e-4) and parts != whole


@pytest.mark.parametrize("device", DEVICES)
def test_a_compiled_model_learns_the_same(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    plain = _small(device, steps=4)
    # The graph is what can go wrong; to make machine code of it takes a C++ compiler and a minute.
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="aot_eager"))
    assert _small(device, steps=4, compile=True) == pytest.approx(plain, abs=1e-3)


@pytest.mark.parametrize("label", ["race", ""])
def test_a_training_without_a_label_shows_no_bar(
    label: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    _small(steps=2, label=label, bayes_loss=1.25, baselines={"bag": 4.5})
    shown = capsys.readouterr().err
    assert ("2/2" in shown) == ("limit=1.25, bag=4.50" in shown) == bool(label)


def test_a_live_curve_grows_in_one_place(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    class Handle:
        update = staticmethod(lambda data, **_: shown.append(data["text/plain"]))

    def display(data: dict[str, str], **_: object) -> Handle:
        shown.append(f"new: {data['text/plain']}")
        return Handle()

    monkeypatch.setattr(plots, "display", display)
    options: dict[str, Any] = {"steps": 3, "label": "race", "live": True}
    options["baselines"] = {"unigram": 4.2}
    _small(**options)
    assert not shown  # this is no notebook
    monkeypatch.setattr(runtime, "in_notebook", lambda: True)
    losses = _small(**options)
    says = "race: the loss after {} of 3 steps is {:.2f} nats"
    assert shown[0] == f"new: {says.format(1, losses[0])}"
    assert shown[-1] == says.format(3, sum(losses) / 3)


def test_a_checkpoint_of_another_run_is_refused_and_a_broken_one_named(tmp_path: Path) -> None:
    path = tmp_path / "run.pt"
    done = _small(checkpoint=path, steps=4)
    assert _small(checkpoint=path, steps=4) == done  # nothing left to do
    others: list[tuple[dict[str, Any], str]] = [
        ({"steps": 9}, r"steps=9 \(there 4\)"),
        ({"lr": 0.5}, r"lr=0.5 \(there 0.003\)"),
        ({"encoding": "none"}, ".*model="),
        ({"seed": 1}, ".*first weights="),
        ({"data": 1}, ".*first batch="),
    ]
    for other, differs in others:
        with pytest.raises(ValueError, match=f"of another run: {differs}"):
            _small(checkpoint=path, **{"steps": 4, **other})
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ValueError, match="cannot be read"):
        _small(checkpoint=path, steps=4)


def test_a_stopped_run_goes_on_with_the_dropout_that_it_would_have_had(tmp_path: Path) -> None:
    def losses(path: Path | None, stop: int = 8) -> list[float]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(9, 9), nn.Dropout())
        batches = iter([torch.ones(1, 9)] * stop)
        options: dict[str, Any] = {"loss": _square, "label": "", "every": 3}
        return train(model, lambda: next(batches), 8, checkpoint=path, **options)

    with pytest.raises(StopIteration):
        losses(tmp_path / "run.pt", stop=5)
    assert losses(tmp_path / "run.pt") == losses(None)
