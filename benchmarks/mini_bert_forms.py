"""One training step of the mini BERT in the ways that PyTorch has to run it, beside two peers.

All compute the same at masked places only, in half precision, without dropout. Prints tokens per
second and the model FLOPs utilisation (Chowdhery et al. 2022, appendix B): the multiplications and
additions that the model asks for, over those that a large matrix product does on this device in
the same time; last, how much a step of `train` with Muon reads and writes. Writes
mini_bert_forms_DEVICE.json anew after each form, so that what was measured stays if a later form
ends the process; a form that raises an error has it in its row.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import mini_bert, timing
from benchmarks.mini_bert import COMMAND, DEVICE, DRY, FAST, ROWS, SIZE
from benchmarks.timing import Step
from helpers import results, runtime
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining
from helpers.training import optimizer, recording
from helpers.training.loop import PRECISIONS, training_step
from helpers.training.optimizer import Updates

PRODUCT = (
    256 if DRY else 8192 if DEVICE == "cuda" else 1024
)  # rows and columns of the large product
SECONDS = 0.0 if DRY else 15.0 if DEVICE == "cuda" else 60.0  # for all forms in turn
Form = Callable[[Any, Any], Any]  # of a model and a batch: what is asked instead of the model


def plain(model: nn.Module, _batch: Any) -> Any:
    """Launch every operation by itself."""
    return model


def graphed(model: nn.Module, batch: Any) -> Any:
    """Record forward and backward as one sequence of kernels, which only a GPU can have."""
    # What autocast has turned into half precision must not be kept from one replay to the next.
    with torch.autocast(DEVICE, PRECISIONS[FAST], cache_enabled=False):
        arguments = (batch.inputs, batch.places)
        return torch.cuda.make_graphed_callables(model, arguments, allow_unused_input=True)


def compiled(model: nn.Module, _batch: Any) -> Any:
    """Compile the whole model into one program."""
    return torch.compile(model, backend="eager" if DRY else "inductor")


def ours(form: Form, fused: bool = True) -> Step:
    """Make a step of our model in a form; `fused` updates all parameters in one kernel."""
    model = Pretraining(Bert(SIZE)).to(DEVICE)
    draw = mini_bert.draws()
    asked = form(model, draw())
    separate = None if fused else [torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False)]

    def loss() -> Tensor:
        return places_loss(asked, draw())

    return mini_bert.stepper(loss, separate or optimizer.build(model, "adamw", 1e-3), FAST)


def trained(kind: str) -> Step:
    """Make a step as `helpers.training.train` does it, on CUDA as one recorded graph."""
    model = Pretraining(Bert(SIZE)).to(DEVICE)
    updates = Updates(model, kind, 1e-3, steps=10**9, scaled=FAST == "float16")
    train_on, draw = training_step(model, places_loss, updates, FAST), mini_bert.draws()

    def step() -> None:
        train_on(draw())

    return step


def steps() -> dict[str, Callable[[], Step]]:
    """Return what makes a step in each way, as far as this device has it."""
    found: dict[str, Callable[[], Step]] = {
        "ours, as `train` runs it": lambda: trained("adamw"),
        "ours, as `train` runs it, with Muon": lambda: trained("muon"),
        "transformers": lambda: mini_bert.of_transformers(0.0, masked_only=True, precision=FAST),
        "d2l": lambda: mini_bert.of_the_book(as_shipped=False, precision=FAST),
        "ours, eager": lambda: ours(plain, fused=False),
        "ours, fused AdamW": lambda: ours(plain),
    }
    if DEVICE == "cuda":
        found["ours, fused AdamW, CUDA graphs"] = lambda: ours(graphed)
    return found | {"ours, fused AdamW, compiled": lambda: ours(compiled)}  # takes long to begin


def refuse(said: logging.LogRecord) -> bool:
    """Make it an error if a step that should be one graph is not."""
    raise RuntimeError(said.getMessage())


def product() -> Step:
    """Make a step of one large matrix product in half precision."""
    left, right = torch.randn(2, PRODUCT, PRODUCT, device=DEVICE, dtype=PRECISIONS[FAST])

    def step() -> None:
        left @ right

    return step


def flops(step: Step) -> int:
    """Count the multiplications and additions of all matrix products in a step."""
    with FlopCounterMode(display=False) as counter:
        step()
    return int(counter.get_total_flops())


class Traffic(TorchDispatchMode):
    """Counts operations, and the bytes that each by itself reads and writes; views are free."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = self.bytes = 0

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        used = [each for each in tree_leaves((args, kwargs, result)) if isinstance(each, Tensor)]
        if used and not function.is_view:
            self.operations += 1
            self.bytes += sum(each.nbytes for each in used)
        return result


def traffic(step: Step) -> Traffic:
    """Count what a step does that Python launches; not its first, in which optimisers begin."""
    step()
    with Traffic() as counter:
        step()
    return counter


def measured(
    ways: Mapping[str, Callable[[], Step]],
    asked: int,
    tokens: int,
    keep: Callable[[pd.DataFrame], object],
    alike: bool = False,
    least: float = 0.0,
) -> pd.DataFrame:
    """Return a row for each way: tokens per second, share of a large product's speed, error.

    Args:
        ways: what makes a step in each; "ours" begins the name of one of our model.
        asked: multiplications and additions of a step of our model in all its forms.
        tokens: read in a step.
        keep: is given all rows there are, after each way by itself and when all have run in turn.
        alike: all ways ask for as much; what is compiled cannot be counted.
        least: seconds for all in turn; there are five turns at least.
    """
    runtime.keep_freed_memory()
    recording.LOG.addFilter(refuse)
    large = {"": partial(timing.seconds, product())}
    peak = 2 * PRODUCT**3 / timing.in_turn(large, 0)[""]
    rows: dict[str, dict[str, Any]] = {}
    timers: dict[str, Callable[[], float]] = {}

    def add(name: str, count: int, seconds: float, error: str = "") -> None:
        rows[name] = {
            "name": name,
            "tokens_per_second": tokens / seconds,
            "utilisation": count / seconds / peak,
            "product_flops_per_second": peak,
            "error": error,
        }

    counts: dict[str, int] = {}
    for name, make in ways.items():
        try:
            step = make()
            for _ in range(recording.WARM_UP + 2):
                step()
            counts[name] = asked if alike or name.startswith("ours") else flops(step)
            timers[name] = partial(timing.seconds, step)
            add(name, counts[name], timing.in_turn({name: timers[name]}, 0)[name])
        except Exception as error:  # a compiler's, a driver's: any of dozens of kinds
            timers.pop(name, None)
            add(name, 0, math.nan, f"{type(error).__name__}: {error}".split("\n")[0])
        keep(pd.DataFrame([*rows.values()]))
    took = timing.in_turn(large | timers, least)
    peak = 2 * PRODUCT**3 / took.pop("")  # of the same minutes as the forms
    for name, seconds in took.items():
        add(name, counts[name], seconds)
    keep(pd.DataFrame([*rows.values()]))
    return pd.DataFrame([*rows.values()])


def main() -> None:
    """Measure, print and store."""
    folder = mini_bert.out()
    keep = partial(results.save, f"mini_bert_forms_{DEVICE}", command=COMMAND, folder=folder)
    asked = flops(ours(plain))
    table = measured(steps(), asked, ROWS * SIZE.max_len, keep, least=SECONDS)
    muon = traffic(trained("muon"))
    table = table.assign(operations=muon.operations, bytes=muon.bytes)
    keep(table)
    print(table.round(3).to_string(index=False))
    print(f"{(table['error'] == '').sum()} of {len(table)} forms ran")


if __name__ == "__main__":
    main()
