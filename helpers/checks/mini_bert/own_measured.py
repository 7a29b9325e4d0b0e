"""Unit 08, “An encoding of your own”: how the properties of an encoding are measured."""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.engine import Answer
from helpers.checks.mini_bert import own_hooks
from helpers.checks.mini_bert.own_hooks import close
from helpers.encodings import Encoding
from helpers.encodings.base import HOOKS
from helpers.model.bert import Bert, Size

WORDS = 40
LENGTH_FOR_ORDER = 8  # an idea may look some places away, and know no order in shorter texts
UNHEARD = "positions where another word changes nothing"
DRAWINGS = 10  # in train mode something may be left out at random, but not each time
MORE = "more changes than the order of the results"
ORDER_COUNTS = f"where the words are shuffled, {MORE}"
FINITE = "all numbers are finite"
TWICE = "called twice in eval mode, with longer texts in between, it gives the same result"
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


@torch.no_grad()
def counted(model: Bert, tokens: Tensor) -> dict[str, Any]:
    """Whether words and their order count; without that an encoding has nothing to encode."""
    tokens = tokens[:1]
    length = tokens.shape[1]
    before = model(tokens)
    finite = bool(before.isfinite().all())
    unheard = [t for t in sorted({0, length // 2, length - 1}) if not _heard(model, tokens, t)]
    found: dict[str, Any] = {FINITE: finite, UNHEARD: unheard}
    if length >= LENGTH_FOR_ORDER:
        at = torch.arange(length)
        order = torch.cat([at[::2], at[1::2]]).roll(1)
        found[ORDER_COUNTS] = _order_counts(model, tokens, order)
    return found


def _heard(model: Bert, tokens: Tensor, place: int) -> bool:
    """Whether another word at a place gives another result there."""
    changed = tokens.clone()
    changed[:, place] = (changed[:, place] + 1) % WORDS
    return not close(model(changed)[:, place], model(tokens)[:, place], 1e-5)


def _silent(model: Bert, tokens: Tensor) -> list[int]:
    """All places of a text where another word changes nothing, in train mode time and again."""
    places = list(range(tokens.shape[1]))
    same = tokens[:1].expand(len(places), -1)
    other = (same + torch.eye(len(places), dtype=tokens.dtype)) % WORDS
    for seed in range(DRAWINGS if model.training else 1):
        torch.default_generator.manual_seed(seed)
        before = model(same)
        torch.default_generator.manual_seed(seed)
        after = model(other)
        places = [t for t in places if close(before[t, t], after[t, t], 1e-5)]
        if not places:
            break
    return places


@torch.no_grad()
def fits(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """What Bert returns with the encoding in it."""
    model = model_with(answer, sizes)
    encoding = model.position
    long = tokens.repeat(1, 2)[:, : sizes["max_len"]]
    hidden, _, again = model(tokens), model(long), model(tokens)
    alone = torch.cat([model(row[None]) for row in tokens])
    untrained = model_with(answer, sizes, shaken=False)(tokens)
    return {
        "it is an Encoding": isinstance(encoding, Encoding),
        "its d_model, num_heads and max_len": [getattr(encoding, name, None) for name in sizes],
        "the shape of what Bert returns": tuple(hidden.shape),
        FINITE: bool(hidden.isfinite().all()),
        "all numbers are finite before any training": bool(untrained.isfinite().all()),
        TWICE: close(again, hidden),
        "a text gives the same result alone as in a batch": close(alone, hidden),
        f"of a text of max_len words, {UNHEARD}": _silent(model, long),
        f"{UNHEARD} in train mode": _silent(model_with(answer, sizes).train(), long),
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
    given = own_hooks.given(sizes, tokens)
    before = own_hooks.copied(given)
    shapes = own_hooks.shapes(encoding, own_hooks.copied(given))
    if shapes == own_hooks.right_shapes(given):
        among = own_hooks.asked(encoding, given)
        unlike = [name for name in given if not torch.equal(given[name], before[name])]
        nan = [name for name in HOOKS if among[name].isnan().any()]
        changing = own_hooks.changing(encoding, before)
        overwritten = own_hooks.overwritten(encoding, before)
        dependent, _ = own_hooks.dependent(encoding, before)
        training, kept = own_hooks.dependent(encoding.train(), before)
    else:  # the rest cannot be asked
        unlike, nan, changing, overwritten, dependent, training, kept = ([] for _ in range(7))
    return {
        **shapes,
        "what a hook has written into": unlike,
        "hooks whose answer is not a number": nan,
        "hooks that give another answer when called again": changing,
        "hooks whose answer a later call changes": overwritten,
        "hooks whose answer depends on the other texts": dependent,
        "hooks whose answer depends on the other texts in train mode": training,
        "hooks that in train mode give another answer when called again": kept,
    }


@torch.no_grad()
def at_length(answer: Answer, sizes: dict[str, int], tokens: Tensor) -> dict[str, Any]:
    """What a text of this length gives, and the shape of what as many texts as heads give."""
    model = model_with(answer, sizes)
    several = model(tokens.expand(sizes["num_heads"], -1))
    return {**counted(model, tokens), "the shape for several texts": tuple(several.shape)}


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
        if not hidden.isfinite().all():
            return "numbers that are not finite"
        found = counted(model, tokens)
        if found[UNHEARD]:
            return f"a result that ignores the words at the positions {found[UNHEARD]}"
        return WORKS if found[ORDER_COUNTS] else "a result that ignores the order of the words"
    except NotImplementedError:
        raise
    except ValueError as error:
        return WORKS if str(error).strip() else "a ValueError without a message"
    except Exception as error:
        return type(error).__name__


@torch.no_grad()
def told_apart(answer: Answer, sizes: dict[str, int], tokens: Tensor, order: Tensor) -> Any:
    """Whether another order of the words does more than another order of the results."""
    model = model_with(answer, sizes)
    return {
        **counted(model, tokens),
        MORE: _order_counts(model, tokens, order),
        f"{MORE}, in train mode": _counts_in_training(model.train(), tokens, order),
    }


@torch.enable_grad()
def _counts_in_training(model: Bert, tokens: Tensor, order: Tensor) -> bool:
    """Whether order counts in train mode, at least now and then."""
    for seed in range(DRAWINGS):
        torch.default_generator.manual_seed(seed)
        if _order_counts(model, tokens, order):
            return True
    return False


def _order_counts(model: Bert, tokens: Tensor, order: Tensor) -> bool:
    """Whether the results of words in another order are more than those results in another order.

    A weak idea about neighbours changes about a millionth in a long text. So it is asked in
    float64, where what is blind to order leaves 10⁻¹² of the size, and up to 1.4·10⁻⁷ if it rounds
    to float32 itself; an encoding that cannot be copied or asked there is asked in float32.
    """
    try:
        precise = copy.deepcopy(model).double()
        return not _same_rows(precise(tokens[:, order]), precise(tokens), 4e-7)
    except Exception:  # that it does not fit is asked elsewhere
        return not _same_rows(model(tokens[:, order]), model(tokens), 1e-5)


def _same_rows(one: Tensor, other: Tensor, most: float) -> bool:
    """Whether the rows (1, T, D) of `one` are rows of the other, in whatever order."""
    exact = "donot_use_mm_for_euclid_dist"
    nearest = torch.cdist(one[0].double(), other[0].double(), compute_mode=exact).amin(1)
    return bool(nearest.norm() <= most * other.norm())
