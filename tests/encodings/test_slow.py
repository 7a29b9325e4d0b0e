"""Every encoding against its formula, one position or one pair at a time."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from helpers.encodings import Positions, available
from tests.encodings import hooks, slow, slow_turned

close = torch.testing.assert_close
few = settings(max_examples=12)
Drawn = tuple[int, ...]
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
    ("cope", {"num_positions": 3}),
    ("cope", {"num_positions": 3, "causal": True}),
    ("tupe", {}),
    ("tupe", {"relative": True}),
    ("tupe", {"relative": True, "cls": True}),
    ("tree_offsets", {"k": "k"}),
    ("window", {"k": "k"}),
    ("convolution", {}),
    ("fox", {}),
    ("path", {}),
]


def _random(name: str, seed: int, **options: Any) -> Any:
    torch.manual_seed(seed)
    return hooks.drawn(name, **options)


@pytest.mark.parametrize(("name", "options"), FORMS, ids=str)
@given(st.tuples(*SIZES.values()))
@few
def test_scores_are_the_formula_pair_by_pair(
    name: str, options: dict[str, Any], drawn: Drawn
) -> None:
    batch, heads, width, length, k, seed = drawn
    options = {key: k if value == "k" else value for key, value in options.items()}
    encoding = _random(
        name, seed, d_model=heads * width, num_heads=heads, max_len=length + 2, **options
    )
    q, keys = torch.randn(2, batch, heads, length, width)
    places = torch.arange(length)
    tree = 2 * (places[:, None] - places) if name == "tree_offsets" else None
    ours = hooks.scores(encoding, q, keys, tree).expand(batch, heads, length, length)
    with torch.no_grad():
        close(ours, slow.scores(name, encoding, q, keys), rtol=1e-10, atol=1e-10)


@given(st.tuples(*SIZES.values()))
@few
def test_the_value_term_is_the_formula_pair_by_pair(drawn: Drawn) -> None:
    batch, heads, width, length, k, seed = drawn
    shaw = _random("shaw", seed, d_model=heads * width, num_heads=heads, k=k)
    weights = torch.rand(batch, heads, length, length)
    expected = torch.zeros(batch, heads, length, width)
    for i in range(length):
        for j in range(length):
            row = max(-k, min(k, j - i)) + k
            expected[:, :, i] += weights[:, :, i, j, None] * shaw.values[row].detach()
    close(hooks.context(shaw, weights), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", slow.VECTORS)
@given(**{key: SIZES[key] for key in ("batch", "width", "length", "seed")})
@few
def test_vectors_are_the_formula_position_by_position(
    name: str, batch: int, width: int, length: int, seed: int
) -> None:
    encoding = _random(name, seed, d_model=width, max_len=length + 2)
    x = torch.randn(batch, length, width)
    depths = torch.arange(length) if name == "tree_depth" else None
    added = hooks.embed(encoding, x, depths) - x
    with torch.no_grad():
        expected = torch.stack([slow.VECTORS[name](encoding, p) for p in range(length)])
    close(added, expected.expand(batch, -1, -1), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", slow.PLACED)
@given(**{key: SIZES[key] for key in ("batch", "width", "length", "seed")}, whole=st.booleans())
@few
def test_vectors_are_the_formula_patch_by_patch(
    name: str, batch: int, width: int, length: int, seed: int, whole: bool
) -> None:
    encoding = _random(name, seed, d_model=width, max_len=9)
    x = torch.randn(batch, length, width)
    places = torch.randint(9, (batch if whole else 1, length, 2))
    added = hooks.embed(encoding, x, places) - x
    with torch.no_grad():
        rows = [[slow.PLACED[name](encoding, *each) for each in row] for row in places.tolist()]
        expected = torch.stack([torch.stack(row) for row in rows])
    close(added, expected.expand(batch, -1, -1), rtol=0, atol=1e-10)


# Options beyond the default, so that what is drawn is on both sides of what they say.
TURNED: list[tuple[str, dict[str, Any]]] = [
    ("rotary", {"base": 100.0}),
    ("xpos", {"base": 100.0, "gamma": 0.7, "scale_base": 9.0}),
    ("interpolated", {"factor": 3.0, "base": 100.0}),
    ("ntk", {"factor": 3.0, "base": 100.0}),
    ("dynamic_ntk", {"factor": 3.0, "original_max_len": 4, "base": 100.0}),
    ("yarn", {"factor": 3.0, "original_max_len": 60, "fast": 8.0, "slow": 2.0, "base": 100.0}),
    ("yarn", {"factor": 3.0, "original_max_len": 4_000}),
    ("yarn", {"temperature": False}),
    ("longrope", {"factor": 3.0, "original_max_len": 4, "base": 100.0}),
    ("llama3", {"original_max_len": 40, "base": 100.0, "factor": 3.0, "high": 3.0, "low": 0.5}),
    ("p_rope", {"p": 0.5, "base": 100.0}),
    ("rotary_2d", {"base": 100.0}),
    ("rotary_3d", {"base": 100.0}),
]
TURNS = {key: SIZES[key] for key in ("batch", "heads", "length", "seed")}


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize(("name", "options"), TURNED, ids=str)
@given(st.tuples(*TURNS.values()), st.integers(1, 4))
@few
def test_rotations_are_the_formula_vector_by_vector(
    name: str, options: dict[str, Any], layout: str, drawn: Drawn, half: int
) -> None:
    (batch, heads, length, seed), width = drawn, 2 * half
    sizes = {"d_model": heads * width, "num_heads": heads}
    encoding = _random(name, seed, **sizes, layout=layout, **options)
    assert {key: vars(encoding)[key] for key in options} == options
    if name == "longrope":
        encoding.long, encoding.short = torch.rand(2, half).add(0.5).tolist()
    q, k = torch.randn(2, batch, heads, length, width)
    signs = (1, -1) if name == "xpos" else (0, 0)
    for ours, x, sign in zip(hooks.rotate(encoding, q, k), (q, k), signs, strict=True):
        close(ours, _turned(name, encoding, x, range(length), sign), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["rotary_2d", "rotary_3d"])
@given(**TURNS, half=st.integers(1, 5))
@few
def test_each_axis_turns_its_pairs(
    name: str, batch: int, heads: int, length: int, seed: int, half: int
) -> None:
    encoding = _random(name, seed, d_model=2 * heads * half, num_heads=heads)
    q, k = torch.randn(2, batch, heads, length, 2 * half)
    places = torch.randint(-9, 30, (length, encoding.axes))
    ours = hooks.rotate(encoding, q, k, Positions(places[None], places[None]))
    at = [tuple(each.tolist()) for each in places]
    for found, x in zip(ours, (q, k), strict=True):
        close(found, _turned(name, encoding, x, at, 0), rtol=0, atol=1e-10)


def _turned(name: str, encoding: Any, x: Tensor, at: Any, sign: int) -> Tensor:
    length = x.shape[2]
    made = [
        torch.stack(
            [slow_turned.turned(name, encoding, row[n], at[n], length, sign) for n in range(length)]
        )
        for row in x.flatten(0, 1).unbind(0)
    ]
    return torch.stack(made).view(x.shape)


@given(**TURNS, width=st.integers(1, 4))
@few
def test_polar_scores_are_the_formula_pair_by_pair(
    batch: int, heads: int, length: int, seed: int, width: int
) -> None:
    encoding = _random("pope", seed, d_model=heads * width, num_heads=heads)
    q, k = torch.randn(2, batch, heads, length, width)
    expected = torch.zeros(batch, heads, length, length)
    for b in range(batch):
        for h, i, j in torch.cartesian_prod(*(torch.arange(n) for n in (heads, length, length))):
            expected[b, h, i, j] = slow_turned.pope(encoding, int(h), int(i), int(j), q[b], k[b])
    turned_q, turned_k = hooks.rotate(encoding, q, k)
    close(turned_q @ turned_k.transpose(-2, -1), expected, rtol=0, atol=1e-10)


def test_no_encoding_is_left_out() -> None:
    assert {*slow.TERMS, *slow.VECTORS, *slow_turned.THETA, "pope", "none"} == set(available())
    assert {name for name, _ in FORMS} == set(slow.TERMS), "add a row to FORMS"
    assert {name for name, _ in TURNED} == set(slow_turned.THETA), "add a row to TURNED"
