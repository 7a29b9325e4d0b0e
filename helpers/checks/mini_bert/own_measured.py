"""Unit 08, “An encoding of your own”: how the properties of an encoding are measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers.checks.engine import Answer
from helpers.encodings import Encoding
from helpers.encodings.base import HOOKS
from helpers.model.bert import Bert, Size

WORDS = 40
LENGTH_FOR_ORDER = 8  # an idea may look some places away, and know no order in shorter texts
UNHEARD = "places where another word changes nothing"
ORDER_COUNTS = "another order of the words gives more than another order of the results"
WORKS = "it works, or raises a ValueError that says why"


def model_with(answer: Answer, sizes: dict[str, int], seed: int = 0, shaken: bool = True) -> Bert:
    """A BERT of two layers around a new encoding, which has been moved from where it began."""
    torch.default_generator.manual_seed(seed)
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


def close(one: Tensor, other: Tensor, most: float = 1e-3) -> bool:
    """Whether the difference is rounding only: a thousandth of the size, at most."""
    difference = torch.where(one == other, 0.0, one - other)  # both may be infinite
    return bool(difference.norm() <= most * other[other.isfinite()].norm())


@torch.no_grad()
def counted(model: Bert, tokens: Tensor) -> dict[str, Any]:
    """Whether words and their order count; without that an encoding has nothing to encode."""
    tokens = tokens[:1]
    length = tokens.shape[1]
    before = model(tokens)
    unheard = [t for t in sorted({0, length // 2, length - 1}) if not _heard(model, tokens, t)]
    found: dict[str, Any] = {UNHEARD: unheard}
    if length >= LENGTH_FOR_ORDER:
        at = torch.arange(length)
        order = torch.cat([at[::2], at[1::2]]).roll(1)
        found[ORDER_COUNTS] = not close(model(tokens[:, order]), before[:, order], 1e-4)
    return found


def _heard(model: Bert, tokens: Tensor, place: int) -> bool:
    """Whether another word at a place gives another result there."""
    changed = tokens.clone()
    changed[:, place] = (changed[:, place] + 1) % WORDS
    return not close(model(changed)[:, place], model(tokens)[:, place], 1e-5)


@torch.no_grad()
def fits(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """What Bert returns with the encoding in it."""
    model = model_with(answer, sizes)
    encoding = model.position
    hidden = model(tokens)
    alone = torch.cat([model(row[None]) for row in tokens])
    untrained = model_with(answer, sizes, shaken=False)(tokens)
    return {
        "it is an Encoding": isinstance(encoding, Encoding),
        "its d_model, num_heads and max_len": [getattr(encoding, name, None) for name in sizes],
        "the shape of what Bert returns": tuple(hidden.shape),
        "all numbers are finite": bool(hidden.isfinite().all()),
        "so they are before any training": bool(untrained.isfinite().all()),
        "a text gives the same alone as among others": close(alone, hidden),
        **counted(model, tokens),
    }


@torch.no_grad()
def in_float64(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> str:
    """The dtype of what Bert returns once all numbers in it are float64."""
    return str(model_with(answer, sizes).double()(tokens).dtype)


@torch.no_grad()
def leaves_alone(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Each hook is asked by itself; none may write into what it is given."""
    encoding = model_with(answer, sizes).position
    given = _given(sizes, tokens)
    before = {name: each.clone() for name, each in given.items()}
    among = _asked(encoding, given)
    unlike = [name for name in given if not torch.equal(given[name], before[name])]
    alone = _asked(encoding, {name: each[-1:] for name, each in before.items()})
    return {
        "what a hook has written into": unlike,
        "hooks whose answer depends on the other texts": [
            name for name in HOOKS if not close(among[name][-1:], alone[name])
        ],
    }


def _given(sizes: dict[str, int], tokens: Tensor) -> dict[str, Tensor]:
    (batch, length), heads = tokens.shape, sizes["num_heads"]
    q, k = torch.randn(2, batch, heads, length, sizes["d_model"] // heads)
    weights = torch.randn(batch, heads, length, length).softmax(-1)
    return {"x": torch.randn(batch, length, sizes["d_model"]), "q": q, "k": k, "weights": weights}


def _asked(encoding: Encoding, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """What each hook answers, 0 for one that adds nothing."""
    x, q, k, weights = given.values()
    scores, context = encoding.scores(q, k, None), encoding.context(weights, None)
    none = torch.zeros(())
    return {
        "embed": encoding.embed(x, None),
        "rotate": torch.stack(encoding.rotate(q, k), 1),
        "scores": torch.broadcast_to(none if scores is None else scores, weights.shape),
        "context": torch.broadcast_to(none if context is None else context, q.shape),
    }


@torch.no_grad()
def at_length(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """What a text of this length gives."""
    model = model_with(answer, sizes)
    finite = bool(model(tokens).isfinite().all())
    return {"all numbers are finite": finite, **counted(model, tokens)}


@torch.no_grad()
def at_every_length(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """One model is asked about texts of all lengths, up to that of `tokens`."""
    model = model_with(answer, sizes)
    lengths = range(1, tokens.shape[1] + 1)
    strange = [length for length in lengths if not model(tokens[:, :length]).isfinite().all()]
    return {"lengths that give numbers that are not finite": strange, **counted(model, tokens)}


@torch.no_grad()
def beyond(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """What becomes of a text that is longer than max_len; a shorter one works."""
    model = model_with(answer, sizes)
    found = counted(model, tokens[:, : sizes["max_len"]])
    return {**found, "what happens": _outcome(model, tokens)}


def _outcome(model: Bert, tokens: Tensor) -> str:
    try:
        hidden = model(tokens)
        if hidden.shape[:2] != tokens.shape:
            return f"a result of shape {tuple(hidden.shape)}"
        return WORKS if hidden.isfinite().all() else "numbers that are not finite"
    except NotImplementedError:
        raise
    except ValueError as error:
        return WORKS if str(error).strip() else "a ValueError without a text"
    except Exception as error:
        return type(error).__name__


@torch.no_grad()
def told_apart(answer: Answer, sizes: dict[str, int], tokens: Tensor, order: Tensor) -> Any:
    """Whether another order of the words does more than the same order of the results."""
    model = model_with(answer, sizes)
    more = not close(model(tokens[:, order]), model(tokens)[:, order], 1e-4)
    return {**counted(model, tokens), "it does": more}


def learns(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Whether the encoding can be trained, saved and asked again; T is max_len."""
    torch.default_generator.manual_seed(0)
    fresh = answer(**sizes)
    found = _kept(fresh)
    model = model_with(answer, sizes)
    hidden = model(tokens)
    (hidden * torch.randn(hidden.shape, generator=Generator().manual_seed(3))).sum().backward()
    gradients = [weight.grad for weight in model.position.parameters()]
    reached = all(grad is not None and bool(grad.any()) for grad in gradients)
    used = _kept(model.position)
    other = model_with(answer, sizes, seed=7)
    with torch.no_grad():
        model(tokens[:, 2:])  # another length in between
        again = model(tokens)
        hooks = _changing(model.position, _given(sizes, tokens))
        other.load_state_dict(model.state_dict())
        other(tokens[:, :5])  # what was asked first must not count
        return {
            **{name: found[name] and used[name] for name in found},
            "the loss reaches every Parameter": reached,
            "asked twice, it gives the same": close(again, hidden) and not hooks,
            "saved and loaded into a new one, it gives the same": close(other(tokens), hidden),
            **counted(model, tokens),
        }


def _changing(encoding: Encoding, given: dict[str, Tensor]) -> list[str]:
    """The hooks that do not give the same answer once more."""
    first, second = _asked(encoding, given), _asked(encoding, given)
    return [name for name in HOOKS if not close(first[name], second[name], 1e-5)]


def _kept(encoding: nn.Module) -> dict[str, bool]:
    """Whether all tensors that it keeps are registered."""
    known = {id(each) for each in (*encoding.parameters(), *encoding.buffers())}
    known |= {id(each) for each in encoding.modules()}
    owners = [dict(vars(module)) for module in encoding.modules()]
    above = type(encoding).__mro__
    owners += [dict(vars(each)) for each in above[: above.index(Encoding)] if Encoding in above]
    values = [value for owner in owners for value in owner.values()]
    inside = [each for value in values for each in _within(value)]
    return {
        "every tensor it keeps is a Parameter or a buffer": not any(
            _unknown(value, known) for value in values
        ),
        "there is no tensor in a plain list or dictionary": not any(
            _unknown(value, known) for value in inside
        ),
    }


def _unknown(value: Any, known: set[int]) -> bool:
    if isinstance(value, nn.Module):
        return id(value) not in known and any(True for _ in (*value.parameters(), *value.buffers()))
    return isinstance(value, Tensor) and id(value) not in known


def _within(value: Any, depth: int = 0) -> Iterator[Any]:
    """What is in a list, tuple, set or dictionary, and in those that are in it."""
    if depth > 4 or not isinstance(value, list | tuple | set | dict):
        return
    for each in value.values() if isinstance(value, dict) else value:
        yield each
        yield from _within(each, depth + 1)
