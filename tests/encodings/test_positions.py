"""A hook that is told where tokens stand says of them what it says of a whole text there."""

from typing import Any

import pytest
import torch
from torch import Tensor

from helpers.encodings import Encoding, Positions, available, create
from helpers.model.attention import KVCache, MultiHeadAttention
from helpers.model.encoder import Encoder
from tests.encodings import hooks

B, H, d, T = 2, 2, 6, 9
D = H * d
close = torch.testing.assert_close
TREES = {"tree_depth", "tree_offsets"}
# These read what comes between, so that of some keys they say another thing than of all.
PLACED = sorted(set(available()) - TREES - {"cope", "fox", "path"})


def _some(sizes: tuple[int, int] = (4, 6)) -> tuple[Tensor, Tensor]:
    """Places of some queries and of some keys in each of two texts, in any order."""
    return tuple(torch.stack([torch.randperm(T)[:n] for _ in range(B)]) for n in sizes)  # type: ignore[return-value]


def _at(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(2, places[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


@pytest.mark.parametrize("sizes", [(4, 6), (5, 5)])
@pytest.mark.parametrize("name", PLACED)
def test_what_layers_are_told_of_some_tokens_is_what_they_are_told_of_all(
    name: str, sizes: tuple[int, int]
) -> None:
    options = {"relative": True, "cls": True} if name == "tupe" else {}
    encoding = hooks.drawn(name, d_model=D, num_heads=H, max_len=T, **options)
    q, k = torch.randn(2, B, H, T, d)
    queries, keys = _some(sizes)
    at = Positions(queries, keys)
    some_q, some_k = encoding.rotate(_at(q, queries), _at(k, keys), at)
    some = some_q @ some_k.mT + hooks.scores(encoding, some_q, some_k, positions=at)
    q, k = hooks.rotate(encoding, q, k)
    scores = q @ k.mT + hooks.scores(encoding, q, k)
    rows = _at(scores, queries)
    close(some, _at(rows.transpose(-2, -1), keys).transpose(-2, -1), rtol=0, atol=1e-10)


def test_patches_of_an_image_may_come_in_any_order() -> None:
    options = {"columns": 3, "content": True}
    attention = MultiHeadAttention(create("convolution", d_model=16, num_heads=4, **options))
    x, order = torch.randn(1, 12, 16), torch.randperm(12)
    places = torch.cartesian_prod(torch.arange(4), torch.arange(3))
    whole = attention(x, None, hooks.told(x, places[None]))
    shuffled = attention(x[:, order], None, hooks.told(x, places[order][None]))
    close(shuffled, whole[:, order], rtol=0, atol=1e-10)
    assert (attention(x, None, hooks.told(x, places.flip(1)[None])) - whole).abs().max() > 1e-3
    close(attention(x), whole, rtol=0, atol=1e-10)  # row by row where nothing is said


TOKENS = torch.arange(6).view(2, 3)


def test_depths_and_a_tree_may_be_told_together() -> None:
    """Positions are those of the input, and offsets those of the layers."""
    turns = [create(name, d_model=8, num_heads=2) for name in ("tree_depth", "shaw_keys")]
    model, depths = Encoder(turns, 6), torch.tensor([0, 1, 2])
    tree = torch.tensor([[0, 1, -1], [-1, 0, 2], [1, -2, 0]])
    told = model(TOKENS, positions=depths, offsets=tree)
    assert (told - model(TOKENS, positions=depths)).abs().max() > 1e-4
    assert (told - model(TOKENS, positions=depths.flip(0), offsets=tree)).abs().max() > 1e-4


def test_offsets_of_a_tree_are_refused_beside_a_cache_too() -> None:
    attention = MultiHeadAttention(create("rotary", d_model=8, num_heads=2))
    at = Positions.upto(3)
    tree = Positions(at.queries, at.keys, torch.zeros(3, 3, dtype=torch.int64))
    with pytest.raises(ValueError, match="offsets must be None"):
        attention(torch.randn(1, 3, 8), positions=tree, cache=KVCache())


def test_layers_may_take_turns_and_each_has_an_encoding_of_its_own() -> None:
    names = ("shaw_keys", "rotary", "t5_bias", "learned")
    keys, rotary, bias, learned = (create(name, d_model=D, num_heads=H) for name in names)

    def asked(turns: list[Encoding], shared: bool = False) -> list[Any]:
        model = Encoder(turns, 9, 4, shared)
        model(torch.randint(9, (2, T))).sum().backward()
        assert all(parameter.grad is not None for parameter in model.parameters())
        found = [each.attention.encoding for each in model.layers]  # type: ignore[union-attr]
        assert model.position is found[0]
        return found

    first, second, third, fourth = asked([keys, rotary])
    assert [first, second, fourth] == [keys, rotary, rotary]  # RoPE has nothing to learn
    assert type(third) is type(keys) and third is not keys
    first, second, third, fourth = asked([keys, keys, bias])
    assert [first, second, third] == [keys, keys, bias]
    assert type(fourth) is type(keys) and fourth is not keys
    assert asked([keys, rotary], shared=True) == [keys, rotary, keys, rotary]
    assert len(set(asked([keys]))) == 4 and asked([keys], shared=True) == [keys] * 4
    assert asked([learned]) == [learned] * 4  # it is asked at the input only


def test_a_schedule_that_does_not_fit() -> None:
    rotary, learned = (create(name, d_model=D, num_heads=H) for name in ("rotary", "learned"))
    assert Encoder([learned, rotary], 9).position is learned
    with pytest.raises(ValueError, match="Learned acts at the input: it must come first"):
        Encoder([rotary, learned], 9)
    for wrong in ([], [rotary, create("rotary", d_model=2 * D, num_heads=H)]):
        with pytest.raises(ValueError, match="all of the same d_model and num_heads"):
            Encoder(wrong, 9)
