"""Unit 07, “15 %, and 80/10/10”: whether what becomes of one position depends on another."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import chance
from helpers.checks.engine import Answer, ResultFormError
from helpers.corpora.wordpiece import MASK

MIRRORS = {"the row": (1,), "the column": (0,), "both": (0, 1)}
FEW = 50  # pairs that tell nothing
CALLS = 500


def two(found: Any, tokens: Tensor) -> tuple[Tensor, Tensor]:
    """What is seen and the targets, two tensors like `tokens`."""
    if found is None:
        raise ResultFormError("it returns nothing; is a return missing?")
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise ResultFormError(
            f"it returns one {type(found).__name__}, not two tensors: what is seen, and the targets"
        )
    seen, targets = (torch.as_tensor(each) for each in found)
    if seen.shape != tokens.shape or targets.shape != tokens.shape:
        shapes = f"{tuple(seen.shape)} and {tuple(targets.shape)}"
        raise ResultFormError(f"the results have the shapes {shapes}, tokens {tuple(tokens.shape)}")
    return seen, targets


def kinds(found: Any) -> list[str]:
    """What an answer gives: two tensors, or lists or arrays that look like them."""
    return ["Tensor" if isinstance(each, Tensor) else type(each).__name__ for each in found]


def calls(answer: Answer, tokens: Tensor, seed: int) -> tuple[dict[str, str], ...]:
    """Whether small batches differ as they should: in what is chosen, and in what becomes of it."""
    draw = Generator().manual_seed(seed)
    made = [two(answer(tokens.clone(), 5000, draw, 0.5), tokens) for _ in range(CALLS)]
    seen, targets = (torch.stack([each[n] for each in made]).flatten(1) for n in (0, 1))
    chosen = targets != -100
    masked = chosen & (seen == MASK)
    total = torch.full((CALLS,), tokens.numel())
    name = "how much this differs from call to call"
    return (
        {
            "fraction of the words chosen": chance.about(int(chosen.sum()), chosen.numel(), 0.5),
            name: chance.spread(chosen.sum(1), total),
            "choices of two calls in a row": chance.together(
                chosen[1:].flatten(), chosen[:-1].flatten()
            ),
        },
        {name: chance.spread(masked.sum(1), chosen.sum(1))},
    )


def one_word(answer: Answer, tokens: Tensor, seed: int) -> dict[str, str]:
    """How often the one word of a batch is chosen, if nothing else is."""
    draw = Generator().manual_seed(seed)
    made = [two(answer(tokens.clone(), 5000, draw, 0.5), tokens)[1] for _ in range(CALLS)]
    chosen = int((torch.stack(made)[..., 0] != -100).sum())
    return {"fraction of the calls in which the word is chosen": chance.about(chosen, CALLS, 0.5)}


def independent(
    marks: Tensor, among: Tensor, tokens: Tensor, wanted: float, what: str
) -> dict[str, str]:
    """Whether `marks` are independent draws among these places; all (B, T)."""
    rows, places = torch.meshgrid(*map(torch.arange, tokens.shape), indexing="ij")
    found = {f"fraction {what}": chance.about(int(marks[among].sum()), int(among.sum()), wanted)}
    groups = {"row to row": rows, "position to position": places, "word to word": tokens}
    for name, group in groups.items():
        counts = chance.grouped(marks[among], group[among])
        found[f"how much this differs from {name}"] = chance.spread(*counts)
    for name, down, right in (
        ("in a row", 0, 1),
        ("with one between", 0, 2),
        ("in a column", 1, 0),
    ):
        near = slice(None, -down or None), slice(None, -right or None)
        both = among[near] & among[down:, right:]
        pair = marks[near][both], marks[down:, right:][both]
        found[f"two neighbours {name}"] = chance.together(*pair)
    for name, axes in MIRRORS.items():
        first, second = mirrored(marks, among, axes)
        found[f"two positions mirrored in {name}"] = (
            chance.together(first, second) if len(first) > FEW else chance.AS_BY_CHANCE
        )
    return found


def mirrored(values: Tensor, among: Tensor, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The values at places whose mirror image is also `among` those asked, and there."""
    half = [slice(None), slice(None)]
    half[axes[0]] = slice(values.shape[axes[0]] // 2)
    at = tuple(half)
    both = (among & among.flip(axes))[at]
    return values[at][both], values.flip(axes)[at][both]
