"""What must hold for every encoding, whatever its formula."""

import copy
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call

from helpers.encodings import (
    REGISTRY,
    Encoding,
    available,
    create,
    hooks_of,
    tree_offsets,
)
from helpers.model.attention import MultiHeadAttention
from tests.devices import DEVICES
from tests.encodings import hooks
from tests.tiers import sample

H, d, T = 2, 6, 9
D = H * d
close = torch.testing.assert_close

# They see j − i only. FIRE divides by the place, TUPE and vectors at the input are absolute;
# dynamic NTK and LongRoPE ask how far the text goes.
RELATIVE = [
    *("none", "shaw_keys", "shaw", "huang", "transformer_xl", "clipped_bias", "t5_bias"),
    *("alibi", "kerple", "rotary", "xpos", "deberta", "cope", "window", "convolution"),
    *("interpolated", "ntk", "yarn", "llama3", "p_rope", "rotary_2d", "rotary_3d", "pope"),
    *("fox", "path"),
]


def build(name: str, **options: Any) -> MultiHeadAttention:
    """Attention with this encoding, its parameters random; T5's and ALiBi's biases too."""
    encoding = create(name, **{"d_model": D, "num_heads": H, "max_len": 16, **options})
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.add_(torch.randn_like(parameter))
    return MultiHeadAttention(encoding)


def run(attention: MultiHeadAttention, x: Tensor, mask: Tensor | None = None) -> Tensor:
    """The vectors at the input, then attention; a tree for those that need one."""
    name = type(attention.encoding).__name__
    length = x.shape[1]
    chain = torch.arange(-1, length - 1, device=x.device)  # each word hangs on the one before
    positions = torch.arange(length, device=x.device) if name == "TreeDepth" else None
    at = hooks.told(x, positions, tree_offsets(chain) if name == "TreeOffsets" else None)
    return attention(attention.encoding.embed(x, at), mask, at)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", available())
def test_it_trains_and_takes_a_single_token(name: str, device: str) -> None:
    options = {"relative": True, "cls": True} if name == "tupe" else {}
    options |= {"content": True} if name == "convolution" else {}
    attention = build(name, **options).to(device)
    x = torch.randn(2, T, D, device=device)
    run(attention, x).sum().backward()
    for key, parameter in attention.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.isfinite().all(), key
        assert parameter.grad.abs().sum() > 0, key
    assert run(attention, x[:1, :1]).shape == (1, 1, D)


@pytest.mark.parametrize("name", sample(available(), 3))
def test_its_gradient_is_right(name: str) -> None:
    whole = _Whole(build(name, d_model=4, num_heads=2, max_len=4))
    names = [key for key, _ in whole.named_parameters()]

    def output(x: Tensor, *parameters: Tensor) -> Tensor:
        return functional_call(whole, dict(zip(names, parameters, strict=True)), (x,))

    x = torch.randn(1, 3, 4, requires_grad=True)
    parameters = [each.detach().requires_grad_() for each in whole.parameters()]
    assert torch.autograd.gradcheck(output, (x, *parameters))


class _Whole(nn.Module):
    def __init__(self, attention: MultiHeadAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, x: Tensor) -> Tensor:
        return run(self.attention, x)


@pytest.mark.parametrize("name", available())
def test_behind_a_causal_mask_nothing_looks_right(name: str) -> None:
    attention = build(name)
    x, seen = torch.randn(2, T, D), torch.ones(T, T, dtype=torch.bool).tril()
    later = torch.cat([x[:, :5], torch.randn(2, T - 5, D)], 1)
    close(run(attention, later, seen)[:, :5], run(attention, x, seen)[:, :5], rtol=0, atol=1e-10)


def _moved(attention: MultiHeadAttention) -> Tensor:
    """How far the outputs of a text's tokens move with where it begins, in a longer text."""
    x, before = torch.randn(1, T, D), torch.randn(1, 4, D)
    seen = torch.zeros(T + 4, T + 4, dtype=torch.bool)
    seen[:4, :4], seen[4:, 4:] = True, True
    return (run(attention, torch.cat([before, x], 1), seen)[:, 4:] - run(attention, x)).abs().max()


@pytest.mark.parametrize("name", RELATIVE)
def test_relative_encodings_do_not_see_where_a_text_begins(name: str) -> None:
    assert _moved(build(name)) < 1e-10


@pytest.mark.parametrize("name", sorted(set(available()) - set(RELATIVE) - {"tree_offsets"}))
def test_absolute_encodings_do(name: str) -> None:
    options: dict[str, dict[str, Any]] = {
        "fire": {"threshold": 4.0},
        "dynamic_ntk": {"original_max_len": T},
        "longrope": {"original_max_len": T},
    }
    moved = _moved(build(name, **options.get(name, {})))
    assert moved > 1e-3, f"{name} sees offsets only: add it to RELATIVE"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", available())
def test_with_fewer_bits_and_on_another_device_it_says_the_same(name: str, device: str) -> None:
    attention, x = build(name), torch.randn(2, T, D)
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    exact = run(attention, x, mask)
    for dtype, tolerance in ((torch.float64, 1e-10), (torch.float16, 0.05), (torch.bfloat16, 0.3)):
        there = copy.deepcopy(attention).to(device, dtype)
        found = run(there, x.to(device, dtype), mask.to(device))
        assert found.dtype == dtype
        close(found.cpu().double(), exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("name", sorted(set(available()) - {"shaw"}))
def test_the_fused_path_is_the_one_with_weights(name: str) -> None:
    attention = build(name)
    x = torch.randn(2, T, D)
    mask = torch.rand(2, 1, T, T) < 0.7
    mask[0, 0, 3] = False  # this query may look at no key
    positions = torch.arange(T) if name == "tree_depth" else None
    offsets = torch.randint(-4, 5, (2, T, T)) if name == "tree_offsets" else None
    at = hooks.told(x, positions, offsets)
    x = attention.encoding.embed(x, at)
    v = attention.qkv(x)[..., 2 * D :].unflatten(-1, (H, d)).transpose(1, 2)
    weights = attention.weights(x, mask, at)
    assert (weights[0, :, 3] == 0).all()
    expected = attention.out((weights @ v).transpose(1, 2).flatten(2))
    found = attention(x, mask, at)
    close(found, expected, rtol=0, atol=1e-10)
    ways = [
        torch.autograd.grad(each.square().sum(), attention.qkv.weight, retain_graph=True)[0]
        for each in (found, expected)
    ]
    close(*ways, rtol=0, atol=1e-8)


def test_offsets_of_a_tree_may_replace_those_of_the_text() -> None:
    offsets = torch.randint(-5, 6, (2, T, T))
    q = torch.randn(2, H, T, d)
    unskewed = ("huang", "transformer_xl")
    biases = ("clipped_bias", "t5_bias", "alibi", "kerple", "fire")
    for name in ("shaw_keys", "deberta", *biases, *unskewed):
        encoding = build(name).encoding
        both = hooks.scores(encoding, q, q, offsets)
        for b in range(2):
            alone = hooks.scores(encoding, q[b : b + 1], q[b : b + 1], offsets[b])
            assert both is not None and alone is not None
            close(both[b], alone[0] if alone.dim() == 4 else alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", available())
def test_each_says_where_it_is_from_and_which_hooks_it_uses(name: str) -> None:
    entry = REGISTRY[name]
    assert entry.kind is type(build(name).encoding) and entry.paper and entry.formula
    assert bool(hooks_of(entry.kind)) == (entry.kind is not Encoding)
