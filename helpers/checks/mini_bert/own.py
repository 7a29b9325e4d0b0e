"""Unit 08, “An encoding of your own”: what it asks.

An encoding of one's own is asked for properties; any idea that has them is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part, refusal, unchanged
from helpers.checks.engine.faults import IN_PLACE, NO_GRADIENT
from helpers.checks.mini_bert import common
from helpers.encodings import Encoding, Positions, absolute
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert, Size

WORDS = 40  # V
DRAWINGS = 10  # in train mode something may be left out at random, but not each time
ORDER = "more changes than the order of the results"


class RowAndOffset(Encoding):
    """One example: a row per position at the input, and a number per offset in each layer."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(max_len, d_model))
        self.numbers = nn.Parameter(torch.zeros(num_heads, 2 * max_len - 1))

    def embed(self, x: Tensor, positions: Positions) -> Tensor:
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        return x + self.rows[: x.shape[1]]

    def bias(self, q: Tensor, k: Tensor, positions: Positions) -> Tensor:
        return self.numbers[:, positions.offsets + self.max_len - 1]


def _bert(answer: Answer, sizes: dict[str, int], seed: int = 0) -> Bert:
    """Return a BERT around a new encoding whose Parameters have moved from where they began."""
    torch.default_generator.manual_seed(seed)
    encoding = answer(**sizes)
    model = Bert(Size(WORDS, num_layers=2, std=0.3, **sizes), encoding)  # type: ignore[arg-type]
    for each in (each for each in model.modules() if isinstance(each, Encoding)):
        for weight in each.parameters():
            weight.data += 0.3 * torch.randn(weight.shape)
    return model.eval()


def _precise(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> Bert:
    """Return the same in float64; in float32 where it does not work in float64."""
    model = _bert(answer, sizes).double()
    try:
        model(tokens)
    except RuntimeError:
        return _bert(answer, sizes)
    return model


def _close(one: Tensor, other: Tensor, most: float = 1e-3) -> bool:
    return bool((one - other).norm() <= most * other.norm())


@torch.no_grad()
def _basics(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Return whether words and their order count; else there is nothing to encode.

    The first positions are not shuffled, so that to mark these alone is not enough.
    """
    model, tokens = _precise(answer, sizes, tokens[:1]), tokens[:1]
    length, hidden = tokens.shape[1], model(tokens)
    ignored = []
    for place in sorted({0, length // 2, length - 1}):
        other = tokens.clone()
        other[:, place] = (other[:, place] + 1) % WORDS
        if _close(model(other)[:, place], hidden[:, place], 1e-5):
            ignored.append(place)
    found = {
        "all numbers are finite": bool(hidden.isfinite().all()),
        "positions whose word does not count": ignored,
    }
    if length >= 8:  # an idea may look some places away, and know no order in shorter texts
        first, last = torch.arange(length).tensor_split([min(length // 2, 8)])
        order = torch.cat([first, last[1::2], last[::2]])
        found[f"with all but the first words shuffled, {ORDER}"] = _order_counts(
            model, tokens, order
        )
    return found


def _order_counts(model: Bert, tokens: Tensor, order: Tensor) -> bool:
    """Return whether the results of words in another order are not those results reordered.

    What is blind to order leaves up to 1.4·10⁻⁷ of the size if it rounds to float32 itself.
    """
    before, after = model(tokens)[0], model(tokens[:, order])[0]
    exact = "donot_use_mm_for_euclid_dist"
    nearest = torch.cdist(after, before, compute_mode=exact).amin(1)
    most = 4e-7 if before.dtype == torch.float64 else 1e-5
    return bool(nearest.norm() > most * before.norm())


@torch.no_grad()
def _fits(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Return what becomes of a batch of texts, in eval mode and in train mode."""
    model = _bert(answer, sizes)
    hidden, _, again = model(tokens), model(tokens[:, 1:]), model(tokens)
    alone = torch.cat([model(row[None]) for row in tokens])
    return {
        "the shape of what Bert returns": tuple(hidden.shape),
        "in float64, the dtype": str(_bert(answer, sizes).double()(tokens).dtype),
        "called twice in eval mode, it gives the same result": _close(again, hidden),
        "a text gives the same result alone as in a batch": _close(alone, hidden),
        "so it does in train mode": _alone_in_training(model, tokens),
        **_basics(answer, sizes, tokens),
    }


def _alone_in_training(model: Bert, tokens: Tensor) -> bool:
    """Return whether the last text gives the same alone, where nothing is drawn, as by dropout."""
    for module in model.train().modules():
        if isinstance(module, _DropoutNd):
            module.eval()
    found = []
    for seed, texts in ((1, tokens), (1, tokens[-1:]), (2, tokens[-1:])):
        torch.default_generator.manual_seed(seed)
        found.append(model(texts)[-1])
    return _close(found[0], found[1]) or not _close(found[2], found[1])


@torch.no_grad()
def _hooks(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, bool]:
    """Ask each hook by itself, twice.

    Raises:
        CheckError: a hook writes into what it is given.
    """
    encoding, shape = _bert(answer, sizes).position, (*tokens.shape,)
    heads, positions = (shape[0], sizes["num_heads"], shape[1]), Positions.upto(shape[1])
    q, k = torch.randn(2, *heads, encoding.head_dim)
    given = torch.randn(*shape, encoding.d_model), q, k, torch.rand(*heads, shape[1])
    found = []
    for _ in range(2):
        x, q, k, weights = now = tuple(each.clone() for each in given)
        added = encoding.bias(q, k, positions), encoding.context(weights, positions)
        results = encoding.embed(x, positions), *encoding.rotate(q, k, positions), *added
        found.append([each.clone() for each in results if each is not None])
        unchanged(now, given)
    same = all(torch.equal(one, other) for one, other in zip(*found, strict=True))
    return {"called twice in eval mode, each gives the same result": same}


@torch.no_grad()
def _beyond(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, bool]:
    """Return what becomes of a text that is longer than max_len."""
    found = refusal(lambda: _bert(answer, sizes)(tokens))
    says_why = found == {"the error": "ValueError", "the error has a message": True}
    works = found["the error"] == "no error"
    return {"it works, or raises a ValueError that says why": works or says_why}


def _told_apart(
    answer: Answer, sizes: dict[str, int], tokens: Tensor, order: Tensor
) -> dict[str, Any]:
    """Return whether order counts, and in train mode at least now and then."""
    found, model = _basics(answer, sizes, tokens), _precise(answer, sizes, tokens)
    with torch.no_grad():
        found[ORDER] = _order_counts(model, tokens, order)
    drawings = (_order_counts(model.train(), tokens, order) for _ in range(DRAWINGS))
    return {**found, f"in train mode, {ORDER}": any(drawings)}


def _learns(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Return whether the encoding can be trained, saved and asked again; T is max_len."""
    found, model = _basics(answer, sizes, tokens), _bert(answer, sizes)
    hidden = model(tokens).detach()
    found["every tensor or array that it keeps is a Parameter or a buffer"] = _registered(model)
    new, used = _bert(answer, sizes, seed=7), _bert(answer, sizes, seed=8)
    used(tokens)  # what it was asked before its numbers changed must not count
    for name, other in (("a new object", new), ("one that was used", used)):
        other.load_state_dict(model.state_dict())
        found[f"loaded into {name}, it gives the same result"] = _close(other(tokens), hidden)
    model = _precise(answer, sizes, tokens)
    in_training = {f"in train mode, {k}": v for k, v in _reached(model.train(), tokens).items()}
    return {**found, **_reached(model.eval(), tokens), **in_training}


def _registered(model: Bert) -> bool:
    """Return whether no tensor, array or module is kept in a plain attribute or container."""
    known = {id(each) for each in (*model.parameters(), *model.buffers(), *model.modules())}
    kept = [value for each in model.position.modules() for value in vars(each).values()]
    for value in kept:  # and those inside, which are appended
        inside = value.values() if isinstance(value, dict) else value
        kept += inside if isinstance(value, dict | list | tuple | set) else ()
    tensors = (each for each in kept if isinstance(each, Tensor | np.ndarray | nn.Module))
    return all(id(each) in known for each in tensors)


def _reached(model: Bert, tokens: Tensor) -> dict[str, bool]:
    """Return whether finite gradients arrive, now and then where something is left out at random.

    Of one that they remove, softmax and LayerNorm leave the rounding.
    """
    model.zero_grad()
    for _ in range(DRAWINGS if model.training else 1):
        hidden = model(tokens)
        (hidden * torch.randn_like(hidden)).sum().backward()
    attentions = (each for each in model.modules() if isinstance(each, MultiHeadAttention))
    maps = (each.qkv.weight.grad for each in attentions)
    turned = [each for grad in maps if grad is not None for each in grad.chunk(3)[:2]]
    words, *own = (each.grad for each in (model.words.weight, *model.position.parameters()))
    largest = [0.0 if each is None else float(each.abs().max()) for each in (words, *own)]
    least = (1e-10 if hidden.dtype == torch.float64 else 1e-6) * largest[0]
    return {
        "gradients reach the x of `embed`": largest[0] > 0,
        "gradients reach the q and k of `rotate`": all(bool(each.any()) for each in turned),
        "gradients reach every Parameter": all(least < each < torch.inf for each in largest),
    }


def _question(ask: Any, rng: Random, sizes: dict[str, int], length: int, **more: Any) -> Case:
    """Ask about rows of words, none twice in a row where there are enough of them."""
    batch, draw = more.pop("batch", 1), common.generator(rng)
    rows = [torch.randperm(max(WORDS, length), generator=draw)[:length] for _ in range(batch)]
    label = ", ".join(f"{name}={value}" for name, value in sizes.items())
    tokens = torch.stack(rows) % WORDS
    return Case(f"{label}, B={batch}, T={length}", partial(ask, sizes=sizes, tokens=tokens, **more))


def _sizes(rng: Random, heads: int = 0, width: int = 0, max_len: int = 0) -> dict[str, int]:
    """Draw d_model, num_heads and max_len; `width` is that of a head, and even."""
    heads, width = heads or rng.randint(2, 4), width or rng.choice((4, 6, 8))
    max_len = max_len or rng.randint(17, 24)
    return {"d_model": heads * width, "num_heads": heads, "max_len": max_len}


def _drops_in(rng: Random) -> Iterator[Case]:
    """D above and below T, and beyond 128; B as many as H and not; as many heads as BERT has."""
    for heads, width, batch in ((2, 4, 3), (5, 30, 5), (1, 6, rng.randint(2, 4)), (12, 2, 2)):
        sizes = _sizes(rng, heads, width)
        length = sizes["max_len"] - rng.randint(1, 4)
        yield _question(_fits, rng, sizes, length, batch=batch)
        yield _question(_hooks, rng, sizes, length, batch=batch)


def _lengths(rng: Random) -> Iterator[Case]:
    sizes = _sizes(rng)
    end = sizes["max_len"]
    for length in (1, 2, rng.randint(8, 10), end - 1, end):
        yield _question(_basics, rng, sizes, length)
    yield _question(_basics, rng, _sizes(rng, 1, 4, 130), 130)
    for length in (end + 1, 3 * end):
        yield _question(_beyond, rng, sizes, length)


def _order(rng: Random, reverse: bool) -> Iterator[Case]:
    for cut in (0, 1, rng.randint(5, 8)):
        sizes = _sizes(rng)
        places = list(range(sizes["max_len"] - cut))
        order = torch.tensor(places[::-1] if reverse else rng.sample(places, len(places)))
        yield _question(_told_apart, rng, sizes, len(places), order=order)


def _trained(rng: Random) -> Iterator[Case]:
    for sizes in (_sizes(rng), _sizes(rng)):
        yield _question(_learns, rng, sizes, sizes["max_len"])


own = Exercise(
    "own",
    RowAndOffset,
    (
        Part("it drops into Bert", 1, _drops_in),
        Part("any length up to max_len", 0.5, _lengths),
        Part("it is not blind to order", 0.5, partial(_order, reverse=False)),
        Part("it tells left from right", 0.5, partial(_order, reverse=True)),
        Part("it learns, and can be saved", 0.5, _trained),
    ),
    forbidden=(
        absolute.Table,
        *(each.kind for each in encodings.REGISTRY.values() if each.kind is not Encoding),
    ),
    explains=(
        "Write `OwnEncoding`.",
        "Any idea will do",
        "Two hooks stand there",
        "These properties are checked",
        "(The two order tests",
        "Dropout may leave something out",
        "is even.",
        "The tokens stand at",
        "`bias` may also return what",
        "(`Bert` re-initialises each",
        "Say here what your idea is.",
    ),
    generic={
        "A hook does not modify what it is given": IN_PLACE,
        "gradients reach the $x$": NO_GRADIENT,
    },
    module=__name__,
)
