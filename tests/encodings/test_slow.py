"""Every encoding against its formula, one position or one pair at a time."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from helpers.encodings import available, create
from tests.encodings import slow

close = torch.testing.assert_close
few = settings(deadline=None, max_examples=12)
SIZES = {
    "batch": st.integers(1, 2),
    "heads": st.sampled_from([1, 2, 3]),
    "width": st.integers(1, 4),
    "length": st.integers(1, 7),
    "k": st.integers(0, 9),
    "seed": st.integers(0, 999),
}
# Options beyond the default; `k` stands for the number that hypothesis draws.
FORMS: list[tuple[str, dict[str, Any]]] = [
    ("shaw_keys", {"k": "k"}),
    ("shaw", {"k": "k"}),
    ("huang", {}),
    ("huang", {"causal": True}),
    ("transformer_xl", {}),
    ("clipped_bias", {"k": "k"}),
    ("t5_bias", {"buckets": 8, "max_distance": 5}),
    ("t5_bias", {"buckets": 4, "max_distance": 5, "causal": True}),
    ("alibi", {}),
    ("alibi", {"form": "directional"}),
    ("alibi", {"form": "causal"}),
    ("kerple", {}),
    ("kerple", {"form": "power"}),
    ("fire", {"threshold": 3.0}),
    ("deberta", {"k": 3}),
    ("deberta", {"k": 3, "index": "code"}),
    ("cope", {"positions": 3}),
    ("cope", {"positions": 3, "causal": True}),
    ("tupe", {}),
    ("tupe", {"relative": True}),
    ("tupe", {"relative": True, "cls": True}),
    ("tree_offsets", {"k": "k"}),
    ("window", {"k": "k"}),
    ("convolution", {}),
]


def _random(name: str, seed: int, **options: Any) -> Any:
    torch.manual_seed(seed)
    encoding = create(name, **options)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.normal_()
    return encoding


@pytest.mark.parametrize(("name", "options"), FORMS, ids=str)
@given(**SIZES)
@few
def test_scores_are_the_formula_pair_by_pair(
    name: str,
    options: dict[str, Any],
    batch: int,
    heads: int,
    width: int,
    length: int,
    k: int,
    seed: int,
) -> None:
    options = {key: k if value == "k" else value for key, value in options.items()}
    encoding = _random(
        name, seed, d_model=heads * width, num_heads=heads, max_len=length + 2, **options
    )
    q, keys = torch.randn(2, batch, heads, length, width)
    places = torch.arange(length)
    tree = 2 * (places[:, None] - places) if name == "tree_offsets" else None
    ours = encoding.scores(q, keys, tree).expand(batch, heads, length, length)
    with torch.no_grad():
        close(ours, slow.scores(name, encoding, q, keys), rtol=1e-10, atol=1e-10)


@given(**SIZES)
@few
def test_the_value_term_is_the_formula_pair_by_pair(
    batch: int, heads: int, width: int, length: int, k: int, seed: int
) -> None:
    shaw = _random("shaw", seed, d_model=heads * width, num_heads=heads, k=k)
    weights = torch.rand(batch, heads, length, length)
    expected = torch.zeros(batch, heads, length, width)
    for i in range(length):
        for j in range(length):
            row = max(-k, min(k, j - i)) + k
            expected[:, :, i] += weights[:, :, i, j, None] * shaw.values[row].detach()
    close(shaw.context(weights), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", slow.VECTORS)
@given(**{key: SIZES[key] for key in ("batch", "width", "length", "seed")})
@few
def test_vectors_are_the_formula_position_by_position(
    name: str, batch: int, width: int, length: int, seed: int
) -> None:
    encoding = _random(name, seed, d_model=width, max_len=length + 2)
    x = torch.randn(batch, length, width)
    depths = torch.arange(length) if name == "tree_depth" else None
    added = encoding.embed(x, depths) - x
    with torch.no_grad():
        expected = torch.stack([slow.VECTORS[name](encoding, p) for p in range(length)])
    close(added, expected.expand(batch, -1, -1), rtol=0, atol=1e-10)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("name", ["rotary", "xpos"])
@given(**{key: SIZES[key] for key in ("batch", "heads", "length", "seed")}, half=st.integers(1, 3))
@few
def test_rotations_are_the_formula_vector_by_vector(
    name: str, layout: str, batch: int, heads: int, length: int, seed: int, half: int
) -> None:
    width = 2 * half
    encoding = _random(name, seed, d_model=heads * width, num_heads=heads, layout=layout)
    q, k = torch.randn(2, batch, heads, length, width)
    signs = (1, -1) if name == "xpos" else (0, 0)
    for ours, x, sign in zip(encoding.rotate(q, k), (q, k), signs, strict=True):
        close(ours, _turned(encoding, x, sign), rtol=0, atol=1e-10)


def _turned(encoding: Any, x: Tensor, sign: int) -> Tensor:
    rows = x.flatten(0, 1).unbind(0)
    length = x.shape[2]
    made = [
        torch.stack([slow.turned(encoding, row[p], p, sign, length) for p in range(length)])
        for row in rows
    ]
    return torch.stack(made).view(x.shape)


def test_no_encoding_is_left_out() -> None:
    assert {*slow.TERMS, *slow.VECTORS, "rotary", "xpos", "none"} == set(available())
