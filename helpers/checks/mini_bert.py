"""Unit 08, mini BERT: what its exercises ask and look at."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers import bert, inputs
from helpers.checks import compare
from helpers.checks.exercise import Answer, Case, Exercise, Part, call
from helpers.checks.mini_bert_own import own
from helpers.checks.mistakes import mini_bert as mistakes
from helpers.text import Text
from helpers.training import masked_loss

__all__ = ["above", "loss", "own", "parameters", "unigram"]


def _generator(rng: Random) -> Generator:
    return Generator().manual_seed(rng.randrange(2**31))


def counted(V: int, D: int, L: int, T: int) -> dict[str, int]:  # noqa: N803
    """Numbers in a BERT of L layers: below the layers, in one of them, in the pooler, in all."""
    norm = 2 * D
    embeddings = (V + 2 + T) * D + norm
    attention = 4 * (D * D + D)
    mlp = D * 4 * D + 4 * D + 4 * D * D + D
    layer = attention + mlp + 2 * norm
    pooler = D * D + D
    every = embeddings + L * layer + pooler
    return {"embeddings": embeddings, "layer": layer, "pooler": pooler, "all": every}


def _count(rng: Random, key: str) -> Iterator[Case]:
    for _ in range(2):
        sizes = tuple(rng.randint(*ends) for ends in ((90, 900), (12, 80), (3, 9), (20, 70)))

        def ask(answer: Answer, sizes: tuple[int, ...] = sizes) -> Any:
            found = answer(*sizes)
            return _whole(found.get(key, f"no entry {key!r}")) if type(found) is dict else found

        yield Case(f"{sizes}[{key!r}]", ask)


def _whole(value: Any) -> Any:
    """A whole number as an int, whatever it was counted in."""
    tensor = compare.as_tensor(value)
    if tensor is not None and tensor.numel() == 1:
        value = tensor.item()
    return int(value) if isinstance(value, float | np.number) and value == int(value) else value


parameters = Exercise(
    "parameters",
    counted,
    tuple(
        Part(words, 0.5, partial(_count, key=key))
        for words, key in (
            ("below the layers", "embeddings"),
            ("a layer", "layer"),
            ("the pooler", "pooler"),
            ("all of it", "all"),
        )
    ),
    mistakes.PARAMETERS,
    forbidden=(bert.parameter_count, bert.Bert),
)


def scored(logits: Tensor, targets: Tensor) -> Tensor:
    """Mean surprise in nats over the places whose target is not −100."""
    chosen = targets != -100
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    return (surprise * chosen).sum() / chosen.sum()


def _targets(rng: Random, batch: int, length: int, vocab_size: int) -> Tensor:
    """−100 but for some places, more in some rows than in others; word 0 is among the targets."""
    draw = _generator(rng)
    words = torch.randint(1, vocab_size, (batch, length), generator=draw)
    order = torch.rand(batch, length, generator=draw).argsort(1)
    chosen = order < torch.arange(1, batch + 1)[:, None]
    words[0][chosen[0]] = 0
    return torch.where(chosen, words, -100)


def _logits(rng: Random, *shape: int) -> Tensor:
    return 2 * torch.randn(shape, generator=_generator(rng))


def _batch(rng: Random) -> tuple[Tensor, Tensor]:
    sizes = rng.randint(3, 5), rng.randint(7, 10), rng.randint(11, 16)
    return _logits(rng, *sizes), _targets(rng, *sizes)


def _chosen_places(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield call(*_batch(rng))


def _large_logits(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)
    logits = 200 * logits + 1000

    def ask(answer: Answer) -> Any:
        found = answer(logits.clone(), targets.clone())
        if isinstance(found, Tensor) and not found.isfinite().all():
            return {"the loss is a finite number": False}
        return {"the loss is a finite number": True, "the loss": found}

    yield Case("logits in the hundreds", ask)


_TRAINABLE = {"it returns a": "Tensor", "numbers in it": 1, "it can send a gradient back": True}


def _gradient(rng: Random) -> Iterator[Case]:
    logits, targets = _batch(rng)

    def ask(answer: Answer) -> dict[str, Any]:
        given = logits.clone().requires_grad_()
        found = answer(given, targets.clone())
        seen: dict[str, Any] = {"it returns a": type(found).__name__}
        if isinstance(found, Tensor):
            seen["numbers in it"] = found.numel()
            seen["it can send a gradient back"] = found.requires_grad
        if seen != _TRAINABLE:
            return seen
        found.backward()
        return {**seen, "the gradient of the logits": given.grad}

    yield Case("loss.backward()", ask)


loss = Exercise(
    "loss",
    scored,
    (
        Part("the mean over the chosen places", 1, _chosen_places),
        Part("logits of any size", 0.5, _large_logits),
        Part("a model can be trained with it", 0.5, _gradient),
    ),
    mistakes.LOSS,
    forbidden=(F.cross_entropy, F.nll_loss, inputs.places_loss, masked_loss),
)


def level(training: Tensor, testing: Tensor, vocab_size: int) -> float:
    """Mean surprise of a model that counts words, each once more than seen."""
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    return float(-(counts / counts.sum()).log()[testing].mean())


def _level(rng: Random, unseen: bool, number: int) -> Case:
    """Words with unequal shares; `unseen` words are in the test only."""
    size, draw = rng.randint(20, 40), _generator(rng)
    shares = 1 / torch.arange(1, size + 1).float()
    words = torch.cat([torch.randperm(size - 1, generator=draw), torch.tensor([size - 1])])
    seen = size - 5 if unseen else size
    training = words[torch.multinomial(shares[:seen], number or 1, True, generator=draw)]
    training = training[: number or 0]
    if number and not unseen:
        training = torch.cat([training, torch.arange(size)])
    testing = words[torch.multinomial(shares.flip(0), rng.randint(90, 120), True, generator=draw)]

    def ask(answer: Answer) -> Any:
        found = answer(training.clone(), testing.clone(), size)
        one = isinstance(found, float | int) or (isinstance(found, Tensor) and found.numel() == 1)
        return torch.tensor(float(found)) if one else found

    return Case(f"({len(training)} words, {len(testing)} words, {size})", ask)


def _all_seen(rng: Random) -> Iterator[Case]:
    yield _level(rng, False, rng.randint(150, 250))


def _some_unseen(rng: Random) -> Iterator[Case]:
    yield _level(rng, True, rng.randint(150, 250))
    yield _level(rng, True, rng.randint(15, 25))


def _nothing_seen(rng: Random) -> Iterator[Case]:
    yield _level(rng, True, 0)


unigram = Exercise(
    "unigram",
    level,
    (
        Part("counted on one text, taken on another", 0.5, _all_seen),
        Part("words that training never showed", 0.5, _some_unseen),
        Part("no training at all", 0.5, _nothing_seen),
    ),
    mistakes.UNIGRAM,
    forbidden=(Text,),
)


def distance(logits: Tensor, targets: Tensor, kinds: Tensor, posterior: Tensor) -> Tensor:
    """Mean of surprise − exact surprise over the chosen places of each kind, (K,)."""
    words = targets.clamp(min=0)[..., None]
    surprise = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    exact = -posterior.gather(-1, words)[..., 0].log()
    chosen = targets != -100
    extra = (surprise - exact)[chosen]
    kind = kinds[chosen]
    return torch.stack([extra[kind == k].mean() for k in range(int(kinds.max()) + 1)])


def _scored_text(rng: Random, sure: bool) -> Case:
    """A batch in which each kind is chosen somewhere; `sure`: the exact answer knows the word."""
    shape = rng.randint(4, 6), rng.randint(16, 20)
    size, number = rng.randint(9, 13), rng.randint(3, 5)
    draw = _generator(rng)
    words = torch.randint(size, shape, generator=draw)
    kinds = (torch.rand(shape, generator=draw).square() * number).long()
    chosen = torch.rand(shape, generator=draw) < 0.4
    for k in range(number):  # at least two places of each kind, one chosen and one not
        kinds[k % len(words), 2 * k : 2 * k + 2] = k
        chosen[k % len(words), 2 * k], chosen[k % len(words), 2 * k + 1] = True, False
    sharp = (3 + 3 * kinds)[..., None] * torch.rand(*shape, size, generator=draw)
    posterior = sharp.double().softmax(-1)
    if sure:
        right = F.one_hot(words, size).double()
        posterior = 1e-7 / size + (1 - 1e-7) * right
    logits = 2 * torch.randn(*shape, size + 1, generator=draw)  # [MASK] has a logit too
    targets = torch.where(chosen, words, -100)
    given = (logits, targets, kinds, posterior)
    asked = call(*given)
    words_ = "the exact answer is sure of every word" if sure else "the exact answer is unsure too"
    return Case(f"{number} kinds; {words_}", asked.ask)


def _each_kind(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _scored_text(rng, sure=True)


def _from_the_limit(rng: Random) -> Iterator[Case]:
    for _ in range(2):
        yield _scored_text(rng, sure=False)


above = Exercise(
    "above",
    distance,
    (
        Part("the mean of each kind", 1, _each_kind),
        Part("measured from the limit of that kind", 0.5, _from_the_limit),
    ),
    mistakes.ABOVE,
)
