"""The decoder reads the same text in the same way: at once, step by step, padded, packed, moved."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
import torch
from torch import Generator, Tensor

from helpers.encodings import Encoding, Positions, available, create
from helpers.model.attention import KVCache, MultiHeadAttention
from helpers.model.decoder import Decoder, generate
from tests.encodings.test_properties import RELATIVE
from tests.tiers import sample_seed

D, H, T, V = 12, 2, 8, 11
close = torch.testing.assert_close
pytestmark = pytest.mark.usefixtures("double_precision")  # also what is made once and kept
CAUSAL = sorted(set(available()) - {"tree_depth", "tree_offsets"})
FORMS: dict[str, dict[str, Any]] = {
    "alibi": {"form": "causal"},
    "cope": {"causal": True},
    "huang": {"causal": True},
    "t5_bias": {"causal": True, "buckets": 4, "max_distance": 4},
    "tupe": {"relative": True, "cls": True},
    "fire": {"threshold": 3.0},
    "shaw": {"k": 2},
    "convolution": {"content": True},
    # As far as here, and not beyond, a token's logits do not depend on what comes after it.
    "dynamic_ntk": {"original_max_len": T},
    "longrope": {"original_max_len": T},
}


def _decoder(name: str) -> Decoder:
    sizes: dict[str, Any] = {"d_model": D, "num_heads": H, "max_len": 2 * T}
    return _random(create(name, **sizes, **FORMS.get(name, {})))


def _random(encoding: Encoding | Sequence[Encoding], num_layers: int = 2) -> Decoder:
    model = Decoder(encoding, V, num_layers)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def _tokens(batch: int = 2, length: int = T) -> Tensor:
    return torch.randint(V, (batch, length))


def _steps(model: Decoder, tokens: Tensor, sizes: Sequence[int], **given: Tensor) -> Tensor:
    """Logits of pieces of these lengths, read one after the other with a cache."""
    cache, found, begin = model.new_cache(), [], 0
    for size in sizes:
        part = slice(begin, begin + size)
        more = {name: each[..., part] for name, each in given.items()}
        found.append(model(tokens[:, part], cache=cache, **more))
        begin += size
    assert cache.length == tokens.shape[1]
    return torch.cat(found, 1)


@pytest.mark.parametrize("name", CAUSAL)
def test_step_by_step_with_a_cache_is_all_at_once(name: str) -> None:
    model, tokens = _decoder(name), _tokens()
    for sizes in ([1] * T, [3, 1, 4]):
        close(_steps(model, tokens, sizes), model(tokens), rtol=0, atol=1e-10)
        with torch.no_grad():  # where what is kept is written into
            close(_steps(model, tokens, sizes), model(tokens), rtol=0, atol=1e-10)


def _documents(draw: Random) -> list[int]:
    """Numbers of documents, some of them of one token, and padding before, between or behind."""
    numbers = draw.sample(range(9), T)
    found = [draw.choice([-1, numbers[0]])]
    for number in numbers[1:]:
        found.append(draw.choice([found[-1], found[-1], number, -1]))
    return found


@pytest.mark.parametrize("name", CAUSAL)
def test_however_a_text_is_read_each_document_is_read_as_if_alone(name: str) -> None:
    """Packed, padded, in pieces, some of them without gradients, the last without its documents."""
    model, tokens, draw = _decoder(name), _tokens(), Random(f"{name} {sample_seed()}")
    apart = [[0, 0, 0, 1, 1, 1, 1, 1], [5, 5, 5, 5, 5, 5, 2, -1]]
    padded = [[-1, -1, -1, 0, 0, 0, 0, 0], [0] * T]
    inside = [[0, 0, -1, -1, 0, 0, 0, 0], [0, -1, 0, -1, 1, 1, -1, 1]]
    for given in (apart, padded, inside, *([_documents(draw), _documents(draw)] for _ in range(4))):
        documents, ends = torch.tensor(given), sorted({*draw.choices(range(1, T), k=3), T})
        told = draw.choice(ends)
        for row in documents:  # the rest goes on with the last token's document
            row[told:] = next((int(n) for n in row[:told].flip(0) if n >= 0), 0)
        cache, found = model.new_cache(), []
        for begin, end in zip([0, *ends], ends, strict=False):
            with torch.set_grad_enabled(draw.random() < 0.5):
                more = documents[:, begin:end] if begin < told else None
                found.append(model(tokens[:, begin:end], more, cache=cache))
        with torch.no_grad():
            for read in (torch.cat(found, 1), model(tokens, documents)):
                for row, number in {(r, n) for r in range(2) for n in documents[r].tolist()}:
                    here = documents[row] == number
                    if number >= 0:
                        alone = model(tokens[row : row + 1, here])[0]
                        close(read[row, here], alone, rtol=0, atol=1e-10)


FAR = torch.tensor([0, 99])


@pytest.mark.parametrize(
    ("name", "wrong", "words"),
    [
        ("rotary", {"documents": FAR}, r"documents has shape \(2,\); it must be \(2, 2\)"),
        ("learned", {"positions": FAR}, "positions go from 0 to 99"),
        ("huang", {"positions": FAR}, "an offset of .* is beyond"),  # the first layer has cached it
        ("tupe", {"positions": FAR}, "positions go from 0 to 99"),
    ],
)
@pytest.mark.parametrize("read", [0, 3])
@pytest.mark.parametrize("gradients", [True, False])
def test_a_call_that_is_refused_leaves_a_cache_as_it_was(
    name: str, wrong: dict[str, Tensor], words: str, read: int, gradients: bool
) -> None:
    model, tokens = _decoder(name), _tokens()
    cache, begin = model.new_cache(), torch.arange(T)
    with torch.set_grad_enabled(gradients):
        expected = _steps(model, tokens, [read, T - read] if read else [T], positions=begin)
        if read:
            model(tokens[:, :read], positions=begin[:read], cache=cache)
        with pytest.raises(ValueError, match=words):
            model(tokens[:, :2], cache=cache, **{"positions": begin[:2], **wrong})
        rest = model(tokens[:, read:], positions=begin[read:], cache=cache)
    close(rest, expected[:, read:], rtol=0, atol=1e-10)
    assert cache.length == T


def test_so_does_a_text_beyond_max_len() -> None:
    model, tokens = _decoder("learned"), _tokens(2, 2 * T + 1)
    cache = model.new_cache()
    model(tokens[:, :T], cache=cache)
    with pytest.raises(ValueError, match="T=17 is beyond max_len=16"):
        model(tokens[:, T:], cache=cache)
    close(model(tokens[:, T:-1], cache=cache), model(tokens[:, :-1])[:, T:], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", sorted(set(CAUSAL) & set(RELATIVE)))
def test_moving_all_positions_changes_nothing_for_relative_ones(name: str) -> None:
    model, tokens, by = _decoder(name), _tokens(), torch.tensor([[0], [1_000]])
    moved = torch.arange(T) + by
    close(model(tokens, positions=moved), model(tokens), rtol=0, atol=1e-10)
    close(_steps(model, tokens, [5, 3], positions=moved), model(tokens), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["dynamic_ntk", "longrope"])
def test_beyond_the_trained_length_a_step_is_the_text_so_far_at_once(name: str) -> None:
    """A cache of turned keys would not do: each further token turns all of them otherwise.

    With a second layer it holds for no cache: that layer's keys come from what the first gave then.
    """
    model = _random(create(name, d_model=D, num_heads=H, original_max_len=3), num_layers=1)
    tokens = _tokens()
    steps = _steps(model, tokens, [1] * T)
    for length in range(1, T + 1):
        at_once = model(tokens[:, :length])[:, -1]
        close(steps[:, length - 1], at_once, rtol=0, atol=1e-10)
    assert (steps[:, 2] - model(tokens)[:, 2]).abs().max() > 1e-4
    documents = torch.zeros(2, T, dtype=torch.int64)
    documents[0, :5] = -1  # 3 tokens are left, and the other text is long
    close(model(tokens, documents)[0, 5:], model(tokens[:1, 5:])[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["dynamic_ntk", "longrope"])
@pytest.mark.parametrize("rerotate", [True, False])
def test_padding_makes_no_text_longer_wherever_it_is_said_to_stand(
    name: str, rerotate: bool
) -> None:
    sizes: dict[str, Any] = {"d_model": D, "num_heads": H, "original_max_len": 3}
    model, tokens = _random(create(name, rerotate=rerotate, **sizes)), _tokens(1)
    given = {
        "documents": torch.tensor([[-1, -1, -1, -1, -1, 0, 0, 0]]),
        "positions": torch.tensor([[99, 98, 97, 96, 95, 0, 1, 2]]),
    }
    alone = model(tokens[:, 5:])
    for sizes_read in ([T], [4, 4]):
        close(_steps(model, tokens, sizes_read, **given)[:, 5:], alone, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["dynamic_ntk", "longrope"])
def test_a_cache_keeps_turned_keys_if_it_is_told_to(name: str) -> None:
    """Each key then stays as it was turned when it was read, as in transformers."""
    sizes: dict[str, Any] = {"d_model": D, "num_heads": H, "layout": "halves"}
    sizes["original_max_len"] = 3
    encoding = create(name, rerotate=False, **sizes)
    attention, cache = MultiHeadAttention(encoding), KVCache()
    x = torch.randn(1, 6, D, generator=Generator().manual_seed(0))
    for part in x.split([2, 3, 1], 1):
        attention(part, None, None, cache)
    keys, _ = cache.update(*2 * [torch.empty(1, H, 0, D // H)])
    plain = attention.qkv(x).unflatten(-1, (3, H, -1)).permute(2, 0, 3, 1, 4)[1]
    for begin, end in ((0, 2), (2, 5), (5, 6)):  # as if the text ended there
        _, whole = create(name, **sizes).rotate(
            plain[:, :, :end], plain[:, :, :end], Positions.upto(end)
        )
        close(keys[:, :, begin:end], whole[:, :, begin:], rtol=0, atol=1e-10)
    assert (keys - encoding.rotate(plain, plain, Positions.upto(6))[1]).abs().max() > 1e-3


def test_layers_by_turns_read_step_by_step_too() -> None:
    sizes: dict[str, Any] = {"d_model": D, "num_heads": H}
    turns = [create("rotary", **sizes), create("none", **sizes), create("alibi", **sizes)]
    model, tokens = _random(turns), _tokens()
    close(_steps(model, tokens, [1] * T), model(tokens), rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["sinusoidal", "rotary", "shaw", "cope"])
def test_generated_text_is_the_same_with_and_without_a_cache(name: str) -> None:
    model, tokens = _decoder(name), _tokens(2, 4)
    written = generate(model, tokens, 6)
    assert written.shape == (2, 10) and torch.equal(written[:, :4], tokens)
    for place in range(4, 10):
        assert torch.equal(written[:, place], model(written[:, :place])[:, -1].argmax(-1))


def test_tokens_are_drawn_at_a_temperature() -> None:
    model, tokens = _decoder("rotary"), torch.zeros(2_000, 1, dtype=torch.int64)
    drawn = generate(model, tokens, 1, 0.7, draw=Generator().manual_seed(1))[:, 1]
    again = generate(model, tokens, 1, 0.7, draw=Generator().manual_seed(1))[:, 1]
    assert torch.equal(drawn, again)
    expected = (model(tokens[:1])[0, 0] / 0.7).softmax(-1)
    assert (drawn.bincount(minlength=V) / 2_000 - expected).abs().max() < 0.05


def test_what_a_decoder_refuses() -> None:
    model, tokens = _decoder("rotary"), _tokens()
    cache = model.new_cache()
    model(tokens, positions=torch.arange(T) + 3, cache=cache)
    with pytest.raises(ValueError, match="at each step, or at none"):
        model(tokens, cache=cache)
    with pytest.raises(ValueError, match="temperature=-1"):
        generate(model, tokens, 1, -1.0)
    with pytest.raises(ValueError, match="T must be at least 1"):
        generate(model, tokens[:, :0], 1)


@pytest.mark.parametrize(
    ("name", "turned"), [("rotary", [3, 2, 1]), ("pope", [3, 2, 1]), ("dynamic_ntk", [3, 5, 6])]
)
def test_only_keys_that_would_be_turned_otherwise_are_turned_again(
    name: str, turned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    encoding = create(name, d_model=D, num_heads=H)
    rotate = type(encoding).rotate

    def counting(self: Encoding, q: Tensor, k: Tensor, at: Positions) -> tuple[Tensor, Tensor]:
        counted.append(k.shape[2])
        return rotate(self, q, k, at)

    monkeypatch.setattr(type(encoding), "rotate", counting)
    attention, cache, x = MultiHeadAttention(encoding), KVCache(), torch.randn(1, 6, D)
    parts = [attention(part, None, None, cache) for part in x.split([3, 2, 1], 1)]
    assert counted == turned and cache.length == 6
    close(parts[-1], attention(x)[:, -1:], rtol=0, atol=1e-10)


def test_what_is_kept_has_room_and_is_seldom_copied() -> None:
    cache, places = KVCache(), set()
    with torch.no_grad():
        for _ in range(200):
            keys, _ = cache.update(torch.ones(1, H, 1, D), torch.ones(1, H, 1, D))
            places.add(keys.data_ptr())
    assert keys.shape[2] == cache.length == 200 and bool((keys == 1).all())
    assert len(places) < 12
