"""What is read on the way: the plain forms of flash-linear-attention."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.encodings import hooks
from tests.encodings.oracles.comparison import B, H, Pair, T, build, oracle, qk

ROUNDED = "it computes in float32"


def _plain(name: str) -> ModuleType:
    """A file of theirs by itself: the package would ask for Triton, which has no CPU."""
    package = importlib.util.find_spec("fla")
    assert package and package.origin
    place = Path(package.origin).parent / "ops" / name / "naive.py"
    spec = importlib.util.spec_from_file_location(f"fla_{name}", place)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _theirs(*tensors: Tensor) -> list[Tensor]:
    """(B, H, T, …) → (B, T, H, …), and values whose output is the weights."""
    values = torch.eye(T).expand(B, H, T, T)
    return [each.transpose(1, 2) for each in (*tensors[:2], values, *tensors[2:])]


def _ours(encoding: Any, q: Tensor, k: Tensor) -> Tensor:
    """Weights with a causal mask."""
    scores = (q @ k.transpose(-2, -1) + hooks.scores(encoding, q, k)) * encoding.softmax_scale
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -torch.inf).softmax(-1)


@oracle("fox", "flash-linear-attention", 1e-6, ROUNDED)
def _fox() -> Pair:
    ours, (q, k) = build("fox"), qk()
    gates = F.logsigmoid(F.linear(torch.cat([*k.unbind(1)], -1), ours.gate.weight, ours.gate.bias))
    theirs = _plain("forgetting_attn").naive_forgetting_attn(*_theirs(q, k, gates.transpose(1, 2)))
    return _ours(ours, q, k), theirs.transpose(1, 2).double()


@oracle("path", "flash-linear-attention", 1e-6, ROUNDED)
def _path() -> Pair:
    ours, (q, k) = build("path"), qk()
    read = torch.cat([*k.unbind(1)], -1)
    w = F.normalize(F.linear(read, ours.direction.weight).view(B, T, H, -1), dim=-1)
    beta = 2 * F.linear(read, ours.strength.weight, ours.strength.bias).sigmoid()
    given = _theirs(q, k, w.transpose(1, 2), beta.transpose(1, 2))
    theirs = _plain("path_attn").naive_path_attn(
        *given, torch.zeros(B, T, H), scale=ours.softmax_scale, chunk_size=4
    )
    return _ours(ours, q, k), theirs.transpose(1, 2).double()
