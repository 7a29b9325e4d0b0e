"""Claims about time and memory: ratios of steps that take turns, so that noise falls on all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from helpers.encodings import Encoding, Positions, create, sinusoidal_table
from helpers.model.attention import EncoderLayer, MultiHeadAttention
from helpers.runtime import seed_everything

Step = Callable[[], object]


def seconds(steps: Mapping[str, Step], rounds: int) -> dict[str, float]:
    """Measure the median time of each step on one thread, after a round that is not counted.

    Processor time, since what else runs on the machine is not the step's; all steps in turn.
    """
    found: dict[str, list[float]] = {name: [] for name in steps}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for _ in range(rounds + 1):
        for name, step in steps.items():
            start = time.process_time()
            step()
            found[name].append(time.process_time() - start)
    torch.set_num_threads(threads)
    return {name: statistics.median(each[1:]) for name, each in found.items()}


@torch.no_grad()
def price_of_sinusoids(seed: int, full: bool = False) -> dict[str, float]:
    """Measure what sinusoids cost more than a learned table, in % of a BERT base layer's time.

    *cached*: the table is computed once, as everybody has it; *computed anew*: at every step.
    Adding either to x, forward only; B = 2 (8 in the full form), T = 128, D = 768. BERT has 12 such
    layers. Vaswani et al. 2017, section 3.5.
    """
    seed_everything(seed)
    batch, length, width = 8 if full else 2, 128, 768
    x, at = torch.randn(batch, length, width), Positions.upto(length)
    layer = EncoderLayer(Encoding(width, 12)).eval()
    fixed, learned = (create(kind, d_model=width) for kind in ("sinusoidal", "learned"))
    adds = {
        "learned": lambda: learned.embed(x, at),
        "cached": lambda: fixed.embed(x, at),
        "computed anew": lambda: x + sinusoidal_table(length, width).to(x),
    }
    took = seconds(adds, 200 if full else 50)
    whole = seconds({"layer": lambda: layer(x)}, 15 if full else 5)["layer"]
    return {
        name: 100 * (took[name] - took["learned"]) / whole for name in ("cached", "computed anew")
    }


class _Attention(nn.Module):
    """Attention and what its encoding does at the input."""

    def __init__(self, kind: str, width: int, heads: int, length: int) -> None:
        super().__init__()
        self.encoding = create(kind, d_model=width, num_heads=heads, max_len=length)
        self.attention = MultiHeadAttention(self.encoding)

    def forward(self, x: Tensor) -> Tensor:
        at = Positions.upto(x.shape[1])
        return self.attention(self.encoding.embed(x, at), None, at)


def price_of_offsets(seed: int, full: bool = False) -> dict[str, float]:
    """Compare Shaw's attention with the same behind a learned table, forward and backward.

    Ratios, all (×). *table*: trained numbers of the encoding. *operations*: those in products of
    matrices. *memory*: bytes kept for the way back, but for parameters. *time*: of the processor.
    B = 1 (2 in the full form), H = 4, d = 64, T = 512, clipped at 8. Shaw et al. 2018, section 3.3.
    """
    seed_everything(seed)
    heads, width, length = 4, 256, 512
    x = torch.randn(2 if full else 1, length, width, requires_grad=True)  # as in a model
    kinds = {"table": "learned", "Shaw": "shaw_keys"}
    modules = {name: _Attention(kind, width, heads, length) for name, kind in kinds.items()}
    took = seconds(
        {name: partial(forward_and_back, each, x) for name, each in modules.items()},
        40 if full else 8,
    )
    kept = {name: bytes_kept(each, x) for name, each in modules.items()}
    work = {name: operations(each, x) for name, each in modules.items()}
    table = {
        name: sum(each.numel() for each in module.encoding.parameters())
        for name, module in modules.items()
    }
    found: dict[str, Mapping[str, float]] = {"time": took, "memory": kept}
    found |= {"operations": work, "table": table}
    return {name: each["Shaw"] / each["table"] for name, each in found.items()}


def forward_and_back(module: nn.Module, x: Tensor) -> None:
    """Do a step without an optimiser."""
    module.zero_grad()
    module(x).sum().backward()


def operations(module: nn.Module, x: Tensor) -> float:
    """Count the operations of all matrix products in a step, in the plain form."""
    with FlopCounterMode(display=False) as counter, sdpa_kernel(SDPBackend.MATH):
        forward_and_back(module, x)
    return float(counter.get_total_flops())


def bytes_kept(module: nn.Module, x: Tensor) -> float:
    """Count the bytes that a forward pass keeps for the way back, without parameters."""
    own = {each.untyped_storage().data_ptr() for each in module.parameters()}
    kept: dict[int, int] = {}

    def pack(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        module(x).sum()
    return float(sum(kept.values()))
