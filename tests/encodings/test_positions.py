"""A hook that is told where tokens stand says of them what it says of a whole text there."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from helpers.encodings import Encoding, Positions, ask, available, create, embed
from helpers.encodings.additive import Additive
from helpers.model.attention import Kept, MultiHeadAttention
from helpers.model.encoder import Encoder

B, H, d, T = 2, 2, 6, 9
D = H * d
close = torch.testing.assert_close
TREES = {"tree_depth", "tree_offsets"}
# These read what comes between, so that of some keys they say another thing than of all.
PLACED = sorted(set(available()) - TREES - {"cope", "fox", "path"})

FEWER = ["rotary", "xpos", "fire", "tupe", "convolution", "cope", "pope", "fox", "path"]


def _random(name: str, **options: Any) -> Encoding:
    encoding = create(name, d_model=D, num_heads=H, max_len=T, **options)
    with torch.no_grad():
        for parameter in encoding.parameters():
            parameter.normal_()
    return encoding


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
    encoding = _random(name, **({"relative": True, "cls": True} if name == "tupe" else {}))
    q, k = torch.randn(2, B, H, T, d)
    queries, keys = _some(sizes)
    at = Positions(queries, keys)
    some_q, some_k = ask(encoding, "rotate", _at(q, queries), _at(k, keys), offsets=at)
    extra = ask(encoding, "scores", some_q, some_k, offsets=at)
    some = some_q @ some_k.transpose(-2, -1) + (0 if extra is None else extra)
    q, k = encoding.rotate(q, k)
    extra = encoding.scores(q, k)
    scores = q @ k.transpose(-2, -1) + (0 if extra is None else extra)
    rows = _at(scores, queries)
    close(some, _at(rows.transpose(-2, -1), keys).transpose(-2, -1), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", FEWER)
def test_fewer_queries_than_keys_are_the_last_ones(name: str) -> None:
    encoding = _random(name, **({"content": True} if name == "convolution" else {}))
    q, k = torch.randn(2, B, H, T, d)
    found = []
    for asked in (q, q[:, :, -3:]):
        turned_q, turned_k = encoding.rotate(asked, k)
        extra = encoding.scores(turned_q, turned_k)
        scores = turned_q @ turned_k.transpose(-2, -1) + (0 if extra is None else extra)
        found.append(scores[:, :, -3:])
    close(found[1], found[0], rtol=0, atol=1e-10)


def test_the_value_term_is_told_too() -> None:
    shaw = _random("shaw", k=3)
    queries, keys = _some()
    spread, weights = torch.zeros(B, H, T, T), torch.rand(B, H, 4, 6)
    for b in range(B):
        spread[b, :, queries[b, :, None], keys[b]] = weights[b]
    some = ask(shaw, "context", weights, offsets=Positions(queries, keys))
    whole = shaw.context(spread)
    assert whole is not None
    close(some, _at(whole, queries), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", sorted(set(available()) - TREES))
def test_told_what_it_would_take_for_granted_it_says_the_same(name: str) -> None:
    attention, x = MultiHeadAttention(_random(name)), torch.randn(B, T, D)
    mask = torch.ones(T, T, dtype=torch.bool).tril()
    plain = attention(embed(attention.encoding, x), mask)
    for places in (torch.arange(T), torch.arange(T).expand(B, -1)):
        told = attention(embed(attention.encoding, x, places), mask, Positions(places))
        close(told, plain, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["convolution", "rotary_2d"])
def test_patches_of_an_image_may_come_in_any_order(name: str) -> None:
    options = {"columns": 3, "content": True} if name == "convolution" else {}
    attention = MultiHeadAttention(create(name, d_model=16, num_heads=4, **options))
    x, order = torch.randn(1, 12, 16), torch.randperm(12)
    places = torch.cartesian_prod(torch.arange(4), torch.arange(3))
    whole = attention(x, None, Positions(places[None]))
    shuffled = attention(x[:, order], None, Positions(places[order][None]))
    close(shuffled, whole[:, order], rtol=0, atol=1e-10)
    assert (attention(x, None, Positions(places.flip(1)[None])) - whole).abs().max() > 1e-3
    if name == "convolution":  # it reads a picture row by row where nothing is said
        close(attention(x), whole, rtol=0, atol=1e-10)


class _AtTheInput(Encoding):
    """As simple as in unit 02."""

    def embed(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return x + torch.arange(x.shape[1])[:, None]


class _InTheLayers(Encoding):
    def rotate(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        return q * torch.arange(q.shape[2])[:, None], k


class _OfPairs(Encoding):
    def scores(self, q: Tensor, k: Tensor) -> Tensor:  # type: ignore[override]
        return q @ k.transpose(-2, -1)


class _Table(Additive):
    """As in unit 03: it is told positions."""

    def __init__(self, d_model: int, num_heads: int = 1) -> None:
        super().__init__(d_model, num_heads)
        self.table = nn.Parameter(torch.randn(20, d_model))

    def vectors(self, positions: Tensor) -> Tensor:
        return self.table[positions]


class _OfOffsets(Encoding):
    """As in unit 04: it is told offsets, under whatever name."""

    def scores(self, q: Tensor, k: Tensor, far: Any = None) -> Tensor:
        far = torch.arange(q.shape[2]) - torch.arange(q.shape[2])[:, None] if far is None else far
        return -far.abs()[:, None] if far.dim() == 3 else -far.abs()


TOKENS = torch.arange(6).view(2, 3)


@pytest.mark.parametrize("kind", [_AtTheInput, _InTheLayers, _Table, _OfOffsets])
def test_hooks_of_a_learner_work_as_they_are(kind: type[Encoding]) -> None:
    model = Encoder(kind(8, 2), 6)
    assert model(TOKENS).shape == (2, 3, 6)


@pytest.mark.parametrize("kind", [_Table, _OfOffsets])
def test_a_learners_hook_is_told_as_much_as_it_has_arguments_for(kind: type[Encoding]) -> None:
    model = Encoder(kind(8, 2), 6)
    close(model(TOKENS, positions=torch.arange(3)), model(TOKENS), rtol=0, atol=1e-12)
    order = torch.tensor([2, 0, 1])
    shuffled = model(TOKENS[:, order], positions=order.expand(2, -1))
    close(shuffled, model(TOKENS)[:, order], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (_AtTheInput, r"_AtTheInput.embed is not told .*embed\(self, x, positions=None\)"),
        (_InTheLayers, r"_InTheLayers.rotate is not told .*rotate\(self, q, k, at=None\)"),
        (_OfPairs, r"_OfPairs.scores is not told .*scores\(self, q, k, offsets=None\)"),
    ],
)
def test_a_hook_that_cannot_be_told_is_refused_and_not_asked(
    kind: type[Encoding], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        Encoder(kind(8, 2), 6)(TOKENS, positions=torch.arange(3) + 1)


def test_keys_that_are_kept_come_before() -> None:
    kept = Kept()
    one, two = torch.randn(2, 1, 2, 3, 4)
    assert torch.equal(kept.with_more(one, two)[0], one)
    keys, values = kept.with_more(two, one)
    assert torch.equal(keys, torch.cat([one, two], 2))
    assert torch.equal(values, torch.cat([two, one], 2))


def test_layers_may_take_turns() -> None:
    rotary, none, bias = (
        create(name, d_model=D, num_heads=H) for name in ("rotary", "none", "alibi")
    )
    for turns, expected in (
        ([rotary, none], [rotary, none, type(rotary), type(none)]),
        ([rotary, rotary, bias], [rotary, rotary, bias, type(rotary)]),
    ):
        asked = [each.attention.encoding for each in Encoder(turns, 9, 4).layers]  # type: ignore[union-attr]
        assert [
            own is want if isinstance(want, Encoding) else type(own) is want
            for own, want in zip(asked, expected, strict=True)
        ] == [True] * 4
        assert len({id(each) for each in asked}) == 3  # one copy; "none" has nothing to copy
    shared = [each.attention.encoding for each in Encoder([rotary, none], 9, 4, shared=True).layers]  # type: ignore[union-attr]
    assert shared == [rotary, none, rotary, none]


def test_a_schedule_that_does_not_fit() -> None:
    rotary, learned = (create(name, d_model=D, num_heads=H) for name in ("rotary", "learned"))
    assert Encoder([learned, rotary], 9).position is learned
    with pytest.raises(ValueError, match="Learned acts at the input: it must come first"):
        Encoder([rotary, learned], 9)
    for wrong in ([], [rotary, create("rotary", d_model=2 * D, num_heads=H)]):
        with pytest.raises(ValueError, match="all of the same d_model and num_heads"):
            Encoder(wrong, 9)


def test_a_model_that_is_told_is_one_graph_for_the_compiler() -> None:
    torch.set_default_dtype(torch.float32)
    torch.compiler.reset()
    turns = [create(name, d_model=D, num_heads=H) for name in ("rotary", "fire", "shaw_keys")]
    model, places = Encoder(turns, 9, 3), torch.tensor([4, 2, 0])
    compiled = torch.compile(model, backend="eager", fullgraph=True)
    close(compiled(TOKENS, positions=places), model(TOKENS, positions=places), rtol=0, atol=1e-5)
