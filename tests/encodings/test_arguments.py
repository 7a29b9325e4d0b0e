"""Wrong arguments are named, with their value and what is allowed."""

import inspect
from typing import Any

import pytest
import torch

from helpers.encodings import Encoding, available, create, tree_depths
from helpers.model.attention import MultiHeadAttention
from helpers.model.encoder import Encoder
from tests.encodings import hooks

D, H, T = 12, 3, 5
close = torch.testing.assert_close


def _tree(attention: MultiHeadAttention, x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
    return attention(x, None, hooks.told(x, offsets=offsets))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("none", {"d_model": 0, "num_heads": 1}, ["d_model=0", "at least 1"]),
        ("none", {"max_len": 0}, ["max_len=0", "at least 1"]),
        ("sinusoidal", {"base": -1.0}, ["base=-1", "positive"]),
        ("fourier", {"gamma": 0}, ["gamma=0", "positive"]),
        ("fourier", {"features": 3}, ["features=3", "even"]),
        ("fourier_2d", {"gamma": 0}, ["gamma=0", "positive"]),
        ("shaw", {"num_heads": 5}, ["num_heads=5", "d_model=12"]),
        ("shaw_keys", {"k": -1}, ["k=-1"]),
        ("clipped_bias", {"k": -2}, ["k=-2"]),
        ("window", {"k": -2}, ["k=-2"]),
        ("t5_bias", {"buckets": 2}, ["buckets=2"]),
        ("t5_bias", {"max_distance": 8}, ["max_distance=8", "8"]),
        ("alibi", {"form": "sideways"}, ["'sideways'", "causal"]),
        ("kerple", {"form": "sideways"}, ["'sideways'", "power"]),
        ("rotary", {"layout": "thirds"}, ["'thirds'", "halves"]),
        ("rotary", {"partial_rotary_factor": 0.3}, ["partial_rotary_factor=0.3", "even"]),
        ("rotary", {"num_heads": 4}, ["width 3", "even"]),
        ("rotary", {"base": 0}, ["base=0", "positive"]),
        ("xpos", {"gamma": 0}, ["gamma=0", "positive"]),
        ("interpolated", {"factor": 0.5}, ["factor=0.5", "at least 1"]),
        ("ntk", {"original_max_len": 0}, ["original_max_len=0", "at least 1"]),
        ("yarn", {"fast": 1.0}, ["slow=1", "fast=1", "above"]),
        ("llama3", {"low": 0}, ["low=0", "positive"]),
        ("yarn", {"base": 1.0}, ["base=1", "above 1"]),
        ("longrope", {"long": [1.0]}, ["long=[1.0]", "2 numbers"]),
        ("longrope", {"short": [1.0]}, ["short=[1.0]", "2 numbers"]),
        ("longrope", {"long": [1.0, 0.0]}, ["long=[1.0, 0.0]", "positive"]),
        ("p_rope", {"p": 1.5}, ["p=1.5", "from 0 to 1"]),
        ("rotary", {"partial_rotary_factor": 2.0}, ["partial_rotary_factor=2"]),
        ("rotary_2d", {"sections": [-1, 3]}, ["sections"]),
        ("rotary_2d", {"sections": [1, 2]}, ["[1, 2]", "2 numbers with the sum 2"]),
        ("rotary_3d", {"sections": [1, 1]}, ["[1, 1]", "3 numbers with the sum 2"]),
        (
            "rotary_3d",
            {"sections": [0, 2, 0], "interleaved": True},
            ["[0, 2, 0]", "at most [1, 0]"],
        ),
        ("deberta", {"k": 0}, ["k=0", "at least 1"]),
        ("deberta", {"index": "mine"}, ["'mine'", "code"]),
        ("cope", {"num_positions": 0}, ["num_positions=0", "at least 1"]),
        ("convolution", {"columns": 0}, ["columns=0", "at least 1"]),
        ("convolution", {"columns": 4}, ["num_heads=3", "square"]),
    ],
)
def test_wrong_options(name: str, options: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueError) as error:
        create(name, **{"d_model": D, "num_heads": H, **options})
    assert all(word in str(error.value) for word in words), error.value


def test_an_unknown_name_and_an_unknown_option() -> None:
    with pytest.raises(ValueError, match=r"'rope'.*choose from"):
        create("rope", d_model=D)
    with pytest.raises(TypeError, match=r"shaw.*wide"):
        create("shaw", d_model=D, wide=3)


@pytest.mark.parametrize("name", available())
def test_an_option_given_by_its_place_is_not_taken_for_a_parents(name: str) -> None:
    kind: Any = type(create(name, d_model=D, num_heads=H))
    # Where a class forwards its sizes, an option given by its place would be its parent's.
    if "sizes" in inspect.signature(kind).parameters:
        with pytest.raises(TypeError, match="positional"):
            kind(D, H, 512, 8.0)


def test_the_first_pair_of_xpos_fades_as_gamma_and_scale_base_say() -> None:
    ones = torch.ones(1, 1, 9, 2)
    q, k = hooks.rotate(create("xpos", d_model=2, gamma=0.6, scale_base=5.0), ones, ones)
    faded = q[0, 0, 7].norm() * k[0, 0, 4].norm() / 2
    assert faded.item() == pytest.approx((0.6 / 1.6) ** (3 / 5), rel=1e-5)


@pytest.mark.parametrize(
    "mask",
    [
        torch.ones(T, T),  # no booleans
        torch.ones(T, T + 1, dtype=torch.bool),
        torch.ones(H, T, T, dtype=torch.bool),  # one per head, or per text?
        torch.ones(T, dtype=torch.bool),
        torch.ones(3, 1, T, T, dtype=torch.bool),
    ],
)
def test_a_mask_that_does_not_fit(mask: torch.Tensor) -> None:
    attention = MultiHeadAttention(Encoding(D, H))
    with pytest.raises(ValueError, match=r"mask is torch\.\w+ of shape .*; it must be torch.bool"):
        attention(torch.randn(2, T, D), mask)


@pytest.mark.parametrize("name", ["shaw", "shaw_keys", "alibi", "deberta", "fire"])
def test_offsets_that_do_not_fit(name: str) -> None:
    attention = MultiHeadAttention(create(name, d_model=D, num_heads=H))
    with pytest.raises(ValueError, match=r"offsets has shape \(4, 4\); it must be \(5, 5\) or"):
        _tree(attention, torch.randn(2, T, D), torch.zeros(4, 4, dtype=torch.int64))


def test_positions_that_do_not_fit() -> None:
    with pytest.raises(
        ValueError, match=r"positions has shape \(4,\); it must be \(5,\), \(2, 5\), or"
    ):
        hooks.embed(create("sinusoidal", d_model=D), torch.randn(2, T, D), torch.arange(4))
    with pytest.raises(ValueError, match="tree_depths"):
        hooks.embed(create("tree_depth", d_model=D), torch.randn(2, T, D))
    with pytest.raises(ValueError, match="tree_offsets"):
        MultiHeadAttention(create("tree_offsets", d_model=D))(torch.randn(2, T, D))


@pytest.mark.parametrize("name", ["learned", "sinusoidal", "learned_2d", "tupe"])
@pytest.mark.parametrize("outside", [-1, T])
def test_a_position_without_a_row(name: str, outside: int) -> None:
    model = Encoder(create(name, d_model=D, num_heads=H, max_len=T), vocab_size=3)
    positions = torch.tensor([0, 1, outside, 2, 3])
    with pytest.raises(ValueError, match=r"positions go from .* must be from 0 to max_len − 1 = 4"):
        model(torch.zeros(1, T, dtype=torch.int64), positions=positions)


def test_an_offset_beyond_the_table() -> None:
    attention = MultiHeadAttention(create("huang", d_model=D, num_heads=H, max_len=T))
    with pytest.raises(ValueError, match="an offset of 5 is beyond max_len=5"):
        _tree(attention, torch.randn(1, T, D), torch.full((T, T), -5))


@pytest.mark.parametrize(
    ("parents", "words"),
    [
        ([-1, 0, 7], "from −1 to T − 1 = 2"),
        ([-1, -1, 0], "one root"),
        ([1, 0, 0], "one root"),
        ([-1, 2, 1], "circle"),
    ],
)
def test_what_is_no_tree(parents: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tree_depths(torch.tensor(parents))


@pytest.mark.parametrize("name", ["fourier", "fourier_2d"])
def test_the_frequencies_of_fourier_features_begin_with_a_spread_of_1_over_gamma(name: str) -> None:
    torch.manual_seed(0)
    frequencies = dict(create(name, d_model=1024, gamma=10.0).named_parameters())["frequencies"]
    assert frequencies.std().item() == pytest.approx(0.1, rel=0.15)
