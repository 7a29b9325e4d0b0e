"""One training step of the mini BERT in the ways that PyTorch has to run it, beside two peers.

All compute the same at masked places only, in half precision, without dropout. Prints tokens per
second and the model FLOPs utilisation (Chowdhery et al. 2022, appendix B): the multiplications and
additions that the model asks for, over those that a large matrix product does on this device in
the same time. Writes mini_bert_forms_DEVICE.json.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import mini_bert, timing
from benchmarks.mini_bert import COMMAND, DEVICE, DRY, FAST, ROWS, SIZE
from benchmarks.timing import Step
from helpers import results, runtime
from helpers.corpora.inputs import places_loss
from helpers.model.bert import Bert, Pretraining
from helpers.training import optimizer
from helpers.training.loop import PRECISIONS

PRODUCT = (
    256 if DRY else 8192 if DEVICE == "cuda" else 1024
)  # rows and columns of the large product
Form = Callable[[Any, Any], Any]  # of a model and a batch: what is asked instead of the model


def plain(model: nn.Module, _batch: Any) -> Any:
    """Every operation by itself."""
    return model


def graphed(model: nn.Module, batch: Any) -> Any:
    """Forward and backward as one recorded sequence of kernels, which only a GPU can have."""
    # What autocast has turned into half precision must not be kept from one replay to the next.
    with torch.autocast(DEVICE, PRECISIONS[FAST], cache_enabled=False):
        arguments = (batch.inputs, batch.places)
        return torch.cuda.make_graphed_callables(model, arguments, allow_unused_input=True)


def compiled(model: nn.Module, _batch: Any) -> Any:
    """One program of the whole model."""
    return torch.compile(model, backend="eager" if DRY else "inductor")


def ours(form: Form, fused: bool = True) -> Step:
    """Our model in one of the forms; `fused` updates all parameters in one kernel."""
    model = Pretraining(Bert(SIZE)).to(DEVICE)
    draw = mini_bert.draws()
    asked = form(model, draw())
    separate = None if fused else [torch.optim.AdamW(model.parameters(), lr=1e-3, fused=False)]

    def loss() -> Tensor:
        return places_loss(asked, draw())

    return mini_bert.stepper(loss, separate or optimizer.build(model, "adamw", 1e-3), FAST)


def steps() -> dict[str, Callable[[], Step]]:
    """Each way to run a step, as far as this device has it."""
    found: dict[str, Callable[[], Step]] = {
        "ours, eager": lambda: ours(plain, fused=False),
        "ours, fused AdamW": lambda: ours(plain),
        "ours, fused AdamW, compiled": lambda: ours(compiled),
        "transformers": lambda: mini_bert.of_transformers(0.0, masked_only=True, precision=FAST),
        "d2l": lambda: mini_bert.of_the_book(as_shipped=False, precision=FAST),
    }
    if DEVICE == "cuda":
        found["ours, fused AdamW, CUDA graphs"] = lambda: ours(graphed)
    return found


def product() -> Step:
    """A large matrix product in half precision."""
    left, right = torch.randn(2, PRODUCT, PRODUCT, device=DEVICE, dtype=PRECISIONS[FAST])

    def step() -> None:
        left @ right

    return step


def flops(step: Step) -> int:
    """Multiplications and additions of all matrix products in a step."""
    with FlopCounterMode(display=False) as counter:
        step()
    return int(counter.get_total_flops())


def measured() -> pd.DataFrame:
    """A row for each way: tokens per second, and the share of a large product's speed."""
    made = {name: make() for name, make in steps().items()}
    asked = flops(ours(plain))  # of the same model in all its forms
    counts = {name: asked if name.startswith("ours") else flops(made[name]) for name in made}
    made["product"] = product()
    runtime.keep_freed_memory()
    timers = {name: partial(timing.seconds, step) for name, step in made.items()}
    seconds = timing.in_turn(timers, mini_bert.SECONDS)
    peak = 2 * PRODUCT**3 / seconds.pop("product")
    rows = [
        {
            "name": name,
            "tokens_per_second": ROWS * SIZE.max_len / each,
            "utilisation": counts[name] / each / peak,
            "product_flops_per_second": peak,
        }
        for name, each in seconds.items()
    ]
    return pd.DataFrame(rows)


def main() -> None:
    """Measure, print and store."""
    table = measured()
    print(table.round(3).to_string(index=False))
    results.save(f"mini_bert_forms_{DEVICE}", table, COMMAND, mini_bert.out())


if __name__ == "__main__":
    main()
