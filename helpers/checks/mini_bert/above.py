"""Unit 08, “Rule by rule”: what it asks."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.checks import draws
from helpers.checks.engine import Case, Exercise, Part, call

Scored = tuple[Tensor, Tensor, Tensor, Tensor]  # logits, targets, kinds, posterior


def distance(logits: Tensor, targets: Tensor, kinds: Tensor, posterior: Tensor) -> Tensor:
    """Mean of surprise − exact surprise over the chosen positions of each kind, (K,)."""
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    exact = -posterior.gather(-1, words)[..., 0].log()
    chosen = targets != -100
    extra = (surprise - exact)[chosen]
    kind = kinds[chosen]
    return torch.stack([extra[kind == k].mean() for k in range(int(kinds.max()) + 1)])


def _text(rng: Random, sizes: tuple[int, int, int], number: int, once: bool = False) -> Scored:
    """A batch in which each kind is chosen somewhere, and stands somewhere it is not.

    The highest kind stands in one row only, not the first. A word of kind 0 is a great surprise.

    Args:
        sizes: B, T and V. number: K.
        once: some kinds are chosen once, so that a mean over all chosen places is another.
    """
    shape, size = sizes[:2], sizes[2]
    draw = draws.generator(rng)
    words = torch.randint(size, shape, generator=draw)
    kinds = (torch.rand(shape, generator=draw).square() * number).long()
    chosen = torch.rand(shape, generator=draw) < 0.4
    if once:
        chosen &= kinds == 0
    places = rng.sample(range(words.numel()), 2 * number)
    if number > 1:
        row = rng.randrange(1, shape[0])
        kinds[torch.arange(shape[0]) != row] %= number - 1
        in_row = range(row * shape[1], (row + 1) * shape[1])
        places = rng.sample([p for p in range(words.numel()) if p not in in_row], 2 * number - 2)
        places += rng.sample(in_row, 2)
    for k in range(number):
        kinds.view(-1)[places[2 * k : 2 * k + 2]] = k
        chosen.view(-1)[places[2 * k]], chosen.view(-1)[places[2 * k + 1]] = True, False
    sharp = (2 + 2 * kinds)[..., None] * torch.rand(*shape, size, generator=draw)
    logits = 2 * torch.randn(*shape, size + 1, generator=draw)  # [MASK] has a logit too
    sharp.view(-1, size)[places[0], words.view(-1)[places[0]]] -= rng.uniform(14, 20)
    return logits, torch.where(chosen, words, -100), kinds, sharp.double().softmax(-1)


def _case(given: Scored, words: str) -> Case:
    batch, length, size = given[3].shape
    label = f"{int(given[2].max()) + 1} kinds, B={batch}, T={length}, V={size}{words}"
    return call(*given).labelled(label)


def _sizes(rng: Random) -> tuple[int, int, int]:
    return rng.randint(4, 6), rng.randint(16, 20), rng.randint(9, 13)


def _each_kind(rng: Random) -> Iterator[Case]:
    for number in (5, 3, rng.randint(9, 16)):
        yield _case(_text(rng, _sizes(rng), number), "")
    yield _case(_text(rng, _sizes(rng), 4, once=True), ", most kinds chosen once")
    logits, targets, kinds, posterior = _text(rng, (1, rng.randint(5, 8), rng.randint(105, 110)), 1)
    targets = torch.where(targets == targets.max(), 100, targets)  # a word, unlike −100
    yield _case((logits, targets, kinds, posterior), "")


def _large(rng: Random) -> Iterator[Case]:
    """Logits around a level of each position, in the hundreds."""
    for spread, level in ((100, 300), (1, 900)):
        logits, targets, kinds, posterior = _text(rng, _sizes(rng), rng.randint(2, 3))
        levels = level * torch.randn(*logits.shape[:2], 1, generator=draws.generator(rng)).sign()
        logits = spread * logits + levels
        at = tuple(each[0] for each in torch.where(targets != -100))
        logits[at][targets[at]], logits[at][targets[at] - 1] = -450, 450  # too far for a float64
        yield _case((logits, targets, kinds, posterior), ", logits in the hundreds")


def _impossible(rng: Random) -> Iterator[Case]:
    """Words that cannot stand at a place; at one that was not chosen word 0 may be among them."""
    logits, targets, kinds, posterior = _text(rng, _sizes(rng), rng.randint(3, 5))
    right = F.one_hot(targets.clamp(min=0), posterior.shape[-1]).bool()
    out = torch.rand(posterior.shape, generator=draws.generator(rng)) < 0.3
    out[..., 0] |= targets == -100
    posterior = posterior.masked_fill(out & ~(right & (targets != -100)[..., None]), 0)
    posterior = posterior / posterior.sum(-1, keepdim=True)
    at = tuple((targets != -100).nonzero()[0].tolist())
    word = int(targets[at])  # the only one that can stand there, and the model is sure of it
    posterior[at], logits[at][word] = torch.arange(posterior.shape[-1]) == word, 300
    yield _case((logits, targets, kinds, posterior), ", some words impossible")


above = Exercise(
    "above",
    distance,
    (
        Part("the mean of each kind, from its limit", 1, _each_kind),
        Part("logits in the hundreds", 0.25, _large),
        Part("words that cannot stand there", 0.25, _impossible),
    ),
    module=__name__,
)
