"""Unit 08, “An encoding of your own”: the properties that are looked at, on a BERT around it.

Each is asked with the class, the sizes that it is made with, and tokens (B, T).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.dropout import _DropoutNd

from helpers.checks.engine import Answer, refusal, unchanged
from helpers.encodings import Encoding, Positions
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert, Size

WORDS = 40  # V
DRAWINGS = 10  # in train mode something may be left out at random, but not each time
ORDER = "more changes than the order of the results"


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
def basics(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
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
def fits(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Return what becomes of a batch of texts, in eval mode and in train mode."""
    model = _bert(answer, sizes)
    hidden, _, again = model(tokens), model(tokens[:, 1:]), model(tokens)
    alone = torch.cat([model(row[None]) for row in tokens])
    return {
        "the shape of what Bert returns": tuple(hidden.shape),
        "in float64, the dtype": str(_bert(answer, sizes).double()(tokens).dtype),
        "called twice in eval mode, it gives the same result": _close(again, hidden),
        "so does each hook": _hooks_repeat(model.position, *tokens.shape),
        "a text gives the same result alone as in a batch": _close(alone, hidden),
        "so it does in train mode": _alone_in_training(model, tokens),
        **basics(answer, sizes, tokens),
    }


def _hooks_repeat(encoding: Encoding, batch: int, length: int) -> bool:
    """Return whether each hook says the same twice.

    Raises:
        CheckError: a hook writes into what it is given.
    """
    heads, positions = (batch, encoding.num_heads, length), Positions.upto(length)
    q, k = torch.randn(2, *heads, encoding.head_dim)
    given = torch.randn(batch, length, encoding.d_model), q, k, torch.rand(*heads, length)
    found = []
    for _ in range(2):
        x, q, k, weights = now = tuple(each.clone() for each in given)
        added = encoding.bias(q, k, positions), encoding.context(weights, positions)
        results = encoding.embed(x, positions), *encoding.rotate(q, k, positions), *added
        found.append([each.clone() for each in results if each is not None])
        unchanged(now, given)
    return all(torch.equal(*pair) for pair in zip(*found, strict=True))


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
def beyond(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, bool]:
    """Return what becomes of a text that is longer than max_len."""
    found = refusal(lambda: _bert(answer, sizes)(tokens))
    says_why = found == {"the error": "ValueError", "the error has a message": True}
    works = found["the error"] == "no error"
    return {"it works, or raises a ValueError that says why": works or says_why}


def told_apart(
    answer: Answer, sizes: dict[str, int], tokens: Tensor, order: Tensor
) -> dict[str, Any]:
    """Return whether order counts, and in train mode at least now and then."""
    found, model = basics(answer, sizes, tokens), _precise(answer, sizes, tokens)
    with torch.no_grad():
        found[ORDER] = _order_counts(model, tokens, order)
    drawings = (_order_counts(model.train(), tokens, order) for _ in range(DRAWINGS))
    return {**found, f"in train mode, {ORDER}": any(drawings)}


def learns(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """Return whether the encoding can be trained, saved and asked again; T is max_len."""
    found, model = basics(answer, sizes, tokens), _bert(answer, sizes)
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
