"""The ways to compute the same sum give the same sum."""

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks import relative_logits
from helpers.encodings import Positions, ShawKeys
from helpers.encodings.offsets import offset_matrix, toeplitz
from tests.devices import DEVICES

close = torch.testing.assert_close
few = settings(max_examples=20)


@pytest.mark.parametrize("name", relative_logits.FORMS)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 9), st.integers(1, 5))
@few
def test_every_form_is_the_formula(name: str, batch: int, heads: int, length: int, d: int) -> None:
    q = torch.randn(batch, heads, length, d, requires_grad=True)
    table = torch.randn(2 * length - 1, d, requires_grad=True)
    slow = torch.zeros(batch, heads, length, length)
    for i in range(length):
        for j in range(length):
            slow[:, :, i, j] = q[:, :, i] @ table[j - i + length - 1]
    made = relative_logits.FORMS[name](q, table)
    close(made, slow, rtol=0, atol=1e-12)
    back = torch.randn_like(slow)
    grads = [torch.autograd.grad(each, (q, table), back) for each in (made, slow)]
    close(grads[0], grads[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("clip", [8, 127])
def test_flex_attention_is_shaws_and_on_a_gpu_so_is_its_gradient(clip: int, device: str) -> None:
    torch.set_default_dtype(torch.float32)
    length, on_gpu = 128, device == "cuda"
    q, k, v = torch.randn(3, 2, 2, length, 16, device=device)
    shaw = ShawKeys(32, num_heads=2, k=clip).to(device)
    for each in (q, k, v):
        each.requires_grad_(on_gpu)
    flex = torch.compile(relative_logits.flex) if on_gpu else relative_logits.flex
    at = Positions.upto(length, device=torch.device(device))
    scaled = q * 16**-0.5
    slow = (scaled @ k.mT + shaw.bias(scaled, k, at)).softmax(-1) @ v
    with torch.set_grad_enabled(on_gpu):
        fused = flex(q, k, v, shaw.keys)
    close(fused, slow, rtol=0, atol=1e-2 if on_gpu else 1e-5)
    if on_gpu:
        back = torch.randn_like(slow)
        grads = [torch.autograd.grad(each, (q, k, v, shaw.keys), back) for each in (fused, slow)]
        close(grads[0], grads[1], rtol=0.02, atol=0.05)


@given(st.integers(1, 40))
@example(600)
@few
def test_a_toeplitz_bias_is_the_gather_and_so_is_its_gradient(length: int) -> None:
    bias = torch.randn(3, 2 * length - 1, requires_grad=True)
    made, back = toeplitz(bias, length), torch.randn(3, length, length)
    gathered = bias[:, offset_matrix(length) + length - 1]
    close(made, gathered, rtol=0, atol=0)
    grads = [torch.autograd.grad(each, bias, back)[0] for each in (made, gathered)]
    close(grads[0], grads[1], rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", relative_logits.FORMS)
def test_a_table_that_does_not_fit(form: str) -> None:
    words = "2T−1" if form == "skew" else r"table has shape \(6, 3\); for T=4 it must be \(7, 3\)"
    with pytest.raises(ValueError, match=words):
        relative_logits.FORMS[form](torch.randn(1, 1, 4, 3), torch.randn(6, 3))


def test_a_bias_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match="must have 2T−1"):
        toeplitz(torch.randn(6), 4)
