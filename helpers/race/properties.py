"""Properties of an encoding, found by asking small models that have it; nothing is believed.

All differences are relative: ‖found − expected‖/‖expected‖, with parameters that have moved from
where they began, since a bias may begin at 0. Float32 rounds to about 10⁻⁶ of that.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import Encoding
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert, preset
from helpers.model.decoder import Decoder
from helpers.model.encoder import Encoder
from helpers.race.entrant import MOST, Build
from helpers.runtime import seed_everything

Model = TypeVar("Model", bound=nn.Module)
WORDS, TOKENS, LAYERS = 40, 12, 2
TOLERANCE = 1e-4  # largest difference that counts as rounding
ROUNDING_FACTOR = 3.0  # times the rounding error of attention without positions
SCORE_SCALE = 3.0  # times W_Q and W_K: attention then depends on small differences, as once trained


class Finding(NamedTuple):
    """A property, whether the encoding has it, and what was measured or raised."""

    name: str
    holds: bool
    found: str


def properties(build: Build) -> list[Finding]:
    """Return what was found of each property; an encoding that breaks in a test lacks it."""
    found = []
    for name, examine in PROPERTIES.items():
        seed_everything(0)
        try:
            with torch.no_grad():
                holds, told = examine(build)
        except Exception as error:  # an own class may break in any way
            lines = str(error).strip().splitlines() or [""]
            holds, told = False, f"breaks: {type(error).__name__}: {lines[0]}"
        found.append(Finding(name, holds, told))
    return found


def relative_error(found: Tensor, expected: Tensor) -> float:
    """Return ‖found − expected‖/‖expected‖; NaN where either is no number."""
    expected = expected.double()
    return ((found.double() - expected).norm() / expected.norm()).item()


def perturb(model: Model) -> Model:
    """Move the parameters of its encodings a little, and return the model in eval mode."""
    for encoding in (each for each in model.modules() if isinstance(each, Encoding)):
        for parameter in encoding.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model.eval()


def _model(kind: type[Model], build: Build, max_len: int = 2 * TOKENS) -> Model:
    """Return a small `Encoder` or `Decoder`."""
    return perturb(kind(build(max_len), WORDS, LAYERS))


def _tokens(batch: int = 4, length: int = TOKENS) -> Tensor:
    """Return random ids, (B, T); no two in a row are the same, where there are enough."""
    most = max(WORDS, length)
    return torch.stack([torch.randperm(most)[:length] for _ in range(batch)]) % WORDS


def _judge(error: float, otherwise: str) -> tuple[bool, str]:
    """Return whether an error is no more than rounding, and the text that says so."""
    same = error <= TOLERANCE
    return same, f"off by {error:.0e}" if same else f"{otherwise} {error:.1%}"


def tells_neighbours_apart(build: Build) -> tuple[bool, str]:
    """Test whether two neighbours that change places change more than the order of the results."""
    model, ids = _model(Encoder, build), _tokens()
    blind = []
    for place in range(TOKENS - 1):
        order = [*range(place), place + 1, place, *range(place + 2, TOKENS)]
        if not relative_error(model(ids[:, order]), model(ids)[:, order]) > TOLERANCE:  # or NaN
            blind.append(f"{place}–{place + 1}")
    told = f"{TOKENS - 1 - len(blind)} of {TOKENS - 1} pairs"
    return not blind, told + (f"; not positions {', '.join(blind)}" if blind else "")


def shift_invariant(build: Build) -> tuple[bool, str]:
    """Test whether a text says the same behind another one that it may not look at."""
    model, ids, before = _model(Encoder, build), _tokens(), _tokens(length=5)
    seen = torch.block_diag(torch.ones(5, 5), torch.ones(TOKENS, TOKENS)).bool()
    later = model(torch.cat([before, ids], 1), seen)[:, 5:]
    error = relative_error(later, model(ids))
    return _judge(error, "five positions further on, results differ by")


def causal(build: Build) -> tuple[bool, str]:
    """Test whether, behind a causal mask, later tokens change nothing: others, or none."""
    model, ids, half = _model(Decoder, build), _tokens(), TOKENS // 2
    other = torch.cat([ids[:, :half], _tokens(length=TOKENS - half)], 1)
    expected = model(ids)[:, :half]
    errors = [relative_error(model(each)[:, :half], expected) for each in (other, ids[:, :half])]
    error = torch.tensor(errors).max().item()  # NaN where one is, unlike that of max()
    return _judge(error, "it reads the future: without it, earlier results differ by")


def cached(build: Build) -> tuple[bool, str]:
    """Test whether a text is the same with a cache, read first in part and then token by token."""
    model, ids, first = _model(Decoder, build), _tokens(), 5
    cache = model.new_cache()
    parts = [ids[:, :first], *ids[:, first:].split(1, 1)]
    stepwise = torch.cat([model(part, cache=cache) for part in parts], 1)
    return _judge(relative_error(stepwise, model(ids)), "results differ by")


def padded(build: Build) -> tuple[bool, str]:
    """Test whether padding on the right, with its mask, changes nothing for the others."""
    encoding, most = build(2 * TOKENS), 2 * TOKENS
    width, heads = encoding.d_model, encoding.num_heads
    size = preset(d_model=width, num_heads=heads, vocab_size=WORDS, max_len=most)
    model, ids = perturb(Bert(size, encoding)), _tokens()
    real = F.pad(torch.ones_like(ids, dtype=torch.bool), (0, 3))
    found = model(F.pad(ids, (0, 3)), attention_mask=real)[:, :TOKENS]
    return _judge(relative_error(found, model(ids)), "results differ by")


def half_precision(build: Build) -> tuple[bool, str]:
    """Test whether bfloat16 and float16 cost no more than they cost attention without positions."""
    plain = build(MOST)
    none = _rounding_errors(Encoding(plain.d_model, plain.num_heads))
    found = {name: error / none[name] for name, error in _rounding_errors(plain).items()}
    told = ", ".join(f"{name} {times:.1f}" for name, times in found.items())
    told += f" times the rounding error without positions, {MOST} tokens"
    return all(times <= ROUNDING_FACTOR for times in found.values()), told


def _rounding_errors(encoding: Encoding) -> dict[str, float]:
    """Return the relative error of a layer by precision; its weights are rounded in both."""
    torch.manual_seed(0)
    model = perturb(Encoder(encoding, WORDS, 1))
    for each in model.modules():
        if isinstance(each, MultiHeadAttention):
            each.qkv.weight.mul_(SCORE_SCALE)
    ids, found = _tokens(1, MOST), {}
    for dtype in (torch.bfloat16, torch.float16):
        small = copy.deepcopy(model).to(dtype)
        exact = copy.deepcopy(small).float()
        found[str(dtype).removeprefix("torch.")] = relative_error(small(ids), exact(ids))
    return found


def one_graph(build: Build) -> tuple[bool, str]:
    """Test whether torch.compile makes one graph of a model; no kernel is needed to know."""
    torch.compiler.reset()
    model, ids = _model(Encoder, build), _tokens()
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    return _judge(relative_error(compiled(ids), model(ids)), "compiled, results differ by")


def beyond_max_len(build: Build) -> tuple[bool, str]:
    """Test whether a text of 2 × `max_len` is read, or refused with a ValueError that says why."""
    model, ids = _model(Encoder, build, max_len=TOKENS), _tokens(length=2 * TOKENS)
    try:
        finite = bool(model(ids).isfinite().all())
    except ValueError as error:
        return bool(str(error)), f"refuses: {error}"
    return finite, "reads on" if finite else "results are no numbers"


PROPERTIES: dict[str, Callable[[Build], tuple[bool, str]]] = {
    "tells neighbours apart": tells_neighbours_apart,
    "shift-invariant": shift_invariant,
    "causal without a look at the future": causal,
    "cached = uncached": cached,
    "padded = unpadded": padded,
    "half precision": half_precision,
    "compiles as one graph": one_graph,
    "beyond max_len": beyond_max_len,
}
