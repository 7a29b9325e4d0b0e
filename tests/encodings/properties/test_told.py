"""What a model is told of its tokens is used or refused; padding and caches change nothing."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.encodings import Positions, available, create
from helpers.model.attention import KVCache, MultiHeadAttention
from helpers.model.decoder import generate
from helpers.model.encoder import Encoder
from tests.encodings import hooks
from tests.encodings.properties.subjects import (
    BY_READING,
    EVERY,
    NAMES,
    SEVERAL_AXES,
    TREES,
    D,
    H,
    T,
    V,
    bert,
    decoder,
    encoding,
    needed,
    outcome,
    run,
    step_by_step,
    tokens,
)

close = torch.testing.assert_close
# A short text, so that padding is what would make it longer than the trained length.
BY_LENGTH: dict[str, Any] = {"factor": 4.0, "original_max_len": T}


@EVERY
def test_padding_changes_nothing_for_the_others(name: str) -> None:
    model = bert(name, 2, **(BY_LENGTH if name in ("dynamic_ntk", "longrope") else {}))
    ids, real = tokens(), torch.ones(2, T + 3, dtype=torch.bool)
    real[:, T:] = False
    given = {key: _padded(each) for key, each in needed(name).items()}
    padded = run(model, F.pad(ids, (0, 3)), real, **given)[:, :T]
    close(padded, run(model, ids, **needed(name)), rtol=0, atol=1e-10)


def _padded(given: Tensor) -> Tensor:
    """(T,) → (T + 3,) and (T, T) → (T + 3, T + 3)."""
    return F.pad(given, (0, 3) * given.dim())


@EVERY
def test_nor_does_padding_between_words(name: str) -> None:
    """It keeps its position; who reads what lies between two words does not read it."""
    model, ids, real = bert(name, 2), tokens(), torch.rand(2, T) < 0.6
    real[:, 3:6] = torch.tensor([True, False, True])
    others = ids.where(real, (ids + 1) % V)
    found = run(model, ids, real, **needed(name))
    close(run(model, others, real, **needed(name))[real], found[real], rtol=0, atol=1e-10)
    if name in BY_READING:
        for row, own in enumerate(real):
            alone = run(model, ids[row : row + 1, own])[0]
            close(found[row, own], alone, rtol=0, atol=1e-10)


@EVERY
def test_beyond_max_len_a_cache_changes_nothing_nor_what_is_refused(name: str) -> None:
    model, ids = decoder(name, max_len=8), tokens(2, 11)
    whole = outcome(lambda: model(ids))
    stepwise = outcome(lambda: step_by_step(model, ids))
    if isinstance(whole, str):
        assert isinstance(stepwise, str)
        assert "T=11 is beyond max_len=8" in whole or name in TREES
        if name not in TREES:
            assert generate(model, ids[:, :2], 7).shape == (2, 9)  # the last one is not read
        assert outcome(lambda: generate(model, ids[:, :2], 8)) == stepwise
    else:
        assert isinstance(stepwise, Tensor)
        # Of the last token: dynamic NTK reads those before it as parts of a shorter text.
        close(stepwise[:, -1], whole[:, -1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in BY_READING])
def test_positions_change_something_or_are_refused(name: str) -> None:
    model, ids = bert(name), tokens()
    with torch.no_grad():  # louder, so that FIRE's and a MLP's small share is seen
        for each in model.position.parameters():
            each.mul_(3)
    given = {"offsets": needed(name)["offsets"]} if name == "tree_offsets" else {}
    one, two = (
        outcome(lambda places=places: run(model, ids, None, places, **given))  # type: ignore[misc]
        for places in (torch.arange(T), 5 * torch.arange(T))
    )
    assert isinstance(two, str) or (not isinstance(one, str) and (two - one).abs().max() > 1e-6)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("none", "mine", "tree_depth")])
def test_offsets_change_something_or_are_refused(name: str) -> None:
    model, ids = bert(name), tokens()
    given = {"positions": needed(name)["positions"]} if name == "tree_depth" else {}
    one, two = (
        outcome(lambda o=offsets: run(model, ids, None, offsets=o, **given))  # type: ignore[misc]
        for offsets in (needed("tree_offsets")["offsets"], torch.zeros(T, T, dtype=torch.int64))
    )
    assert isinstance(two, str) or (not isinstance(one, str) and (two - one).abs().max() > 1e-6)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in TREES])
def test_each_text_of_a_batch_stands_where_it_stands(name: str) -> None:
    model, ids = bert(name), tokens()
    places = torch.stack([torch.arange(T), torch.randperm(2 * T)[:T].sort().values])
    both = run(model, ids, None, places)
    for b in range(2):
        close(both[b : b + 1], run(model, ids[b : b + 1], None, places[b]), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in BY_READING])
def test_several_axes_are_read_or_refused(name: str) -> None:
    model, ids = bert(name), tokens()
    axes = SEVERAL_AXES.get(name, 2)
    places = torch.randint(6, (2, T, axes))
    given = {"offsets": needed(name)["offsets"]} if name == "tree_offsets" else {}
    both = outcome(lambda: run(model, ids, None, places, **given))
    if name not in SEVERAL_AXES:
        one = outcome(lambda: run(model, ids, None, places[..., :1], **given))
        told = "one axis only" if name == "mine" else "this encoding knows one, so (T,) or (B, T)"
        assert told in both and told in one
        return
    assert isinstance(both, Tensor)
    close(both[:1], run(model, ids[:1], None, places[:1]), rtol=0, atol=1e-10)
    assert (run(model, ids, None, places.flip(2)) - both).abs().max() > 1e-6
    for other in (places[..., :1], torch.zeros(1, T, axes + 1)):
        told = f"positions with {other.shape[2]} axes: this encoding knows {axes}"
        assert told in outcome(lambda other=other: run(model, ids, None, other))  # type: ignore[misc]


TWO_AT_ONCE: list[tuple[str, dict[str, Any]]] = [
    ("p_rope", {"p": 0.25}),
    *((name, {"base": 50.0}) for name in ("rotary", "xpos", "rotary_2d", "rotary_3d")),
    *((name, {"factor": 16.0}) for name in ("interpolated", "ntk", "yarn", "llama3")),
    *((name, BY_LENGTH | {"original_max_len": T - 2}) for name in ("dynamic_ntk", "longrope")),
]


@pytest.mark.parametrize(("name", "options"), TWO_AT_ONCE)
def test_what_one_layer_leaves_for_the_next_is_not_taken_by_another_encoding(
    name: str, options: dict[str, Any]
) -> None:
    one, other = encoding(name, 8), encoding(name, 8, **options)
    q, k = torch.randn(2, 1, 2, T, one.head_dim)
    places = torch.randint(99, (1, T, SEVERAL_AXES.get(name, 1))).squeeze(-1)
    together = Positions(places, places)
    first, second = (each.rotate(q, k, together)[0] for each in (one, other))
    assert (first - second).abs().max() > 1e-3
    close(second, other.rotate(q, k, Positions(places, places))[0])
    rounded = other.rotate(q.float(), k.float(), together)[0]  # nor by another precision
    close(rounded, second.float(), rtol=0, atol=1e-5)


def _some(sizes: tuple[int, int] = (4, 6)) -> tuple[Tensor, Tensor]:
    """Places of some queries and of some keys in each of two texts, in any order."""
    return tuple(torch.stack([torch.randperm(T)[:n] for _ in range(2)]) for n in sizes)  # type: ignore[return-value]


def _at(x: Tensor, places: Tensor) -> Tensor:
    return x.gather(2, places[:, None, :, None].expand(-1, x.shape[1], -1, x.shape[3]))


@pytest.mark.parametrize("sizes", [(4, 6), (5, 5)])
@pytest.mark.parametrize("name", sorted({*available()} - {*TREES, "cope", "fox", "path"}))
def test_what_layers_are_told_of_some_tokens_is_what_they_are_told_of_all(
    name: str, sizes: tuple[int, int]
) -> None:
    """Some encodings read what comes between, so that of some keys they say another thing."""
    options = {"relative": True, "cls": True} if name == "tupe" else {}
    placed = hooks.drawn(name, d_model=D, num_heads=H, max_len=T, **options)
    q, k = torch.randn(2, 2, H, T, placed.head_dim)
    queries, keys = _some(sizes)
    at = Positions(queries, keys)
    some_q, some_k = placed.rotate(_at(q, queries), _at(k, keys), at)
    some = some_q @ some_k.mT + hooks.scores(placed, some_q, some_k, positions=at)
    q, k = hooks.rotate(placed, q, k)
    scores = q @ k.mT + hooks.scores(placed, q, k)
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
