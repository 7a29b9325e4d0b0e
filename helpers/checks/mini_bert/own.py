"""Unit 08, “An encoding of your own”: what it asks, and what people write instead.

An encoding of one's own is asked for properties; any idea that has them is right. Mistakes about
order, lengths, and what is kept and trained are in own_properties.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.encodings import Encoding, additive
from helpers.model.bert import Bert, Size

WORDS = 40
OF_THE_LIBRARY = tuple(each for each in encodings.BY_NAME.values() if each is not Encoding)


class RowAndOffset(Encoding):
    """One example: a row per position at the input, and a number per offset in each layer.

    It is cut into pieces so that a mistake shows its one wrong piece.
    """

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.numbers = nn.Parameter(torch.zeros(num_heads, 2 * max_len - 1))
        self.keep(torch.randn(max_len, d_model))

    def keep(self, rows: Tensor) -> None:
        self.rows = nn.Parameter(rows)

    def check(self, length: int) -> None:
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def embed(self, x: Tensor, positions: Tensor | None = None) -> Tensor:
        self.check(x.shape[1])
        return x + self.rows[: x.shape[1]]

    def offsets(self, length: int) -> Tensor:
        p = torch.arange(length)
        return p[None, :] - p[:, None]

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None = None) -> Tensor:
        self.check(q.shape[2])
        return self.numbers[:, self.offsets(q.shape[2]) + self.max_len - 1]


def _sizes(rng: Random, heads: int | None = None) -> dict[str, int]:
    """d_model, num_heads and max_len; the width of a head is even."""
    heads = heads or rng.randint(2, 4)
    width = heads * rng.choice((4, 6, 8))
    return {"d_model": width, "num_heads": heads, "max_len": rng.randint(17, 24)}


def _model(answer: Answer, sizes: dict[str, int], seed: int = 0, shaken: bool = True) -> Bert:
    """A BERT of two layers around a new encoding, which has been moved from where it began."""
    torch.manual_seed(seed)
    encoding = answer(**sizes)
    size = Size(WORDS, num_layers=2, std=0.3, **sizes)  # type: ignore[arg-type]
    model = Bert(size, encoding)
    draw = Generator().manual_seed(seed + 1)
    if shaken:
        for module in model.modules():
            if isinstance(module, Encoding):
                for weight in module.parameters():
                    weight.data += 0.3 * torch.randn(weight.shape, generator=draw)
    return model.eval()


def _tokens(rng: Random, batch: int, length: int) -> Tensor:
    """Rows of words, none twice in a row where there are enough of them."""
    draw = Generator().manual_seed(rng.randrange(2**31))
    rows = [torch.randperm(max(WORDS, length), generator=draw) for _ in range(batch)]
    return torch.stack(rows)[:, :length] % WORDS


def _close(one: Tensor, other: Tensor) -> bool:
    """Whether the difference is rounding only: a thousandth of the size, at most."""
    return bool((one - other).norm() <= 1e-3 * other.norm())


@torch.no_grad()
def _fits(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    model = _model(answer, sizes)
    encoding = model.position
    kept = {name: getattr(encoding, name, None) for name in sizes}
    hidden = model(tokens)
    alone = torch.cat([model(row[None]) for row in tokens])
    return {
        "it is an Encoding": isinstance(encoding, Encoding),
        "it keeps d_model, num_heads and max_len": kept == sizes,
        "the shape of what Bert returns": tuple(hidden.shape),
        "all numbers are finite": bool(hidden.isfinite().all()),
        "so they are before any training": bool(
            _model(answer, sizes, shaken=False)(tokens).isfinite().all()
        ),
        "a text gives the same alone as among others": _close(alone, hidden),
    }


@torch.no_grad()
def _leaves_alone(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, bool]:
    """Each hook is asked; none may write into what it is given."""
    encoding = _model(answer, sizes).position
    batch, length = tokens.shape
    heads = sizes["num_heads"]
    x = torch.randn(batch, length, sizes["d_model"])
    q, k = torch.randn(2, batch, heads, length, sizes["d_model"] // heads)
    weights = torch.randn(batch, heads, length, length).softmax(-1)
    given = {"x": x, "q": q, "k": k, "the weights": weights}
    before = {name: each.clone() for name, each in given.items()}
    encoding.embed(x, None)
    encoding.rotate(q, k)
    encoding.scores(q, k, None)
    encoding.context(weights, None)
    return {f"{name} stays as it was": torch.equal(given[name], before[name]) for name in given}


def _drops_in(rng: Random) -> Iterator[Case]:
    for batch_is_heads in (False, True):
        sizes = _sizes(rng)
        heads = sizes["num_heads"]
        tokens = _tokens(rng, heads if batch_is_heads else heads + 1, sizes["max_len"] - 3)
        words = ", ".join(f"{name}={value}" for name, value in sizes.items())
        shape = tuple(tokens.shape)
        label = f"in a Bert with {words}, tokens of shape {shape}"
        yield Case(label, partial(_fits, sizes=sizes, tokens=tokens))
        label = f"its hooks, {words}, {shape}"
        yield Case(label, partial(_leaves_alone, sizes=sizes, tokens=tokens))


@torch.no_grad()
def _works(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> bool:
    return bool(_model(answer, sizes)(tokens).isfinite().all())


def _works_or_says_so(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> bool:
    model = _model(answer, sizes)
    try:
        with torch.no_grad():
            return bool(model(tokens).isfinite().all())
    except ValueError:
        return True
    except NotImplementedError:
        raise
    except Exception:
        return False


def _lengths(rng: Random) -> Iterator[Case]:
    sizes = _sizes(rng, heads=2)
    for length in (1, sizes["max_len"]):
        tokens = _tokens(rng, 1, length)
        label = f"T={length} with max_len={sizes['max_len']}"
        yield Case(label, partial(_works, sizes=sizes, tokens=tokens))
    long = {"d_model": 4, "num_heads": 1, "max_len": rng.randint(130, 150)}
    label = f"T={long['max_len']} with max_len={long['max_len']}"
    yield Case(label, partial(_works, sizes=long, tokens=_tokens(rng, 1, long["max_len"])))
    tokens = _tokens(rng, 1, sizes["max_len"] + rng.randint(1, 4))
    label = f"T={tokens.shape[1]} with max_len={sizes['max_len']}: it works, or raises a ValueError"
    yield Case(label, partial(_works_or_says_so, sizes=sizes, tokens=tokens))


@torch.no_grad()
def _told_apart(answer: Answer, sizes: dict[str, int], tokens: Tensor, order: Tensor) -> bool:
    """Whether another order of the words does more than the same order of the results."""
    model = _model(answer, sizes)
    return not _close(model(tokens[:, order]), model(tokens)[:, order])


def _order(rng: Random, reverse: bool) -> Iterator[Case]:
    for _ in range(2):
        sizes = _sizes(rng)
        tokens = _tokens(rng, 1, sizes["max_len"] - 2)
        places = list(range(tokens.shape[1]))
        if reverse:
            places.reverse()
        else:
            rng.shuffle(places)
        words = "reversing" if reverse else "shuffling"
        yield Case(
            f"{words} {len(places)} words does more than {words} what comes out",
            partial(_told_apart, sizes=sizes, tokens=tokens, order=torch.tensor(places)),
        )


def _plain(encoding: nn.Module, within: tuple[type[list] | type[tuple], ...] = ()) -> bool:
    """Whether a tensor is an attribute, or in one of `within`, and not registered."""
    known = {id(each) for each in (*encoding.parameters(), *encoding.buffers())}
    kept: list[Any] = [v for module in encoding.modules() for v in vars(module).values()]
    if within:
        inside = [list(value) for value in kept if isinstance(value, within)]
        kept = [each for values in inside for each in values]
    return any(isinstance(value, Tensor) and id(value) not in known for value in kept)


def _learns(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, bool]:
    torch.manual_seed(0)
    fresh = answer(**sizes)
    plain, listed = _plain(fresh), _plain(fresh, (list, tuple))
    model, other = _model(answer, sizes), _model(answer, sizes, seed=7)
    hidden = model(tokens)
    (hidden * torch.randn(hidden.shape, generator=Generator().manual_seed(3))).sum().backward()
    reached = [weight.grad is not None for weight in model.position.parameters()]
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        return {
            "every tensor it keeps is a Parameter or a buffer": not plain,
            "there is no tensor in a plain list": not listed,
            "the loss reaches every Parameter": all(reached),
            "asked twice, it gives the same": _close(model(tokens), hidden),
            "saved and loaded into a new one, it gives the same": _close(other(tokens), hidden),
        }


def _trained(rng: Random) -> Iterator[Case]:
    sizes = _sizes(rng)
    tokens = _tokens(rng, 1, sizes["max_len"] - 2)
    yield Case("a model with it", partial(_learns, sizes=sizes, tokens=tokens))


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
    forbidden=(additive.Table, *OF_THE_LIBRARY),
)


@own.mistake(
    "A hook writes into the tensor that it is given (x += …). Return a new one.",
    loses="it drops into Bert",
)
class own_that_writes_into_x(RowAndOffset):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows[: x.shape[1]]
        return x


@own.mistake(
    "embed returns the vectors of the positions and loses the tokens. It should return x with "
    "something added."
)
class own_that_returns_its_rows_only(RowAndOffset):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows[: x.shape[1]]


@own.mistake("embed returns nothing, so nothing goes on to the layers. Is a return missing?")
class own_that_returns_nothing(RowAndOffset):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x + self.rows[: x.shape[1]]


@own.mistake(
    "Your scores are (B, T, T). With four axes around them, B is taken for H: put an axis of "
    "length 1 where the heads are, or return (H, T, T).",
    loses="it drops into Bert",
)
class own_without_an_axis_for_heads(RowAndOffset):
    def scores(self, q, k, offsets=None):
        self.check(q.shape[2])
        numbers = self.numbers.mean(0)[self.offsets(q.shape[2]) + self.max_len - 1]
        return numbers * q.mean((1, 3))[:, :, None]
