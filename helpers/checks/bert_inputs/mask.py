"""Unit 07, “15 %, and 80/10/10”: what it asks.

Of chance it asks for fractions, and for how much these vary; so many tokens are masked that a right
answer is hardly ever refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, Case, CheckError, Exercise, Part, unchanged
from helpers.checks.engine.hints import DTYPE, IN_PLACE
from helpers.corpora import inputs
from helpers.corpora.masking import corrupt
from helpers.corpora.wordpiece import MASK, SPECIAL

CALLS = 400


def mask_some(
    tokens: Tensor, vocab_size: int, generator: Generator, probability: float = 0.15
) -> tuple[Tensor, Tensor]:
    """Mask as BERT: what the model sees, and the tokens to predict, −100 elsewhere; (B, T)."""
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def _masked(
    answer: Answer, tokens: Tensor, vocab_size: int, draw: Generator, *probability: float
) -> tuple[Tensor, Tensor]:
    """Return what is seen and the targets, both like `tokens`."""
    given = tokens.clone()
    found = answer(given, vocab_size, draw, *probability)
    unchanged((given,), (tokens,))
    if not isinstance(found, tuple | list) or len(found) != 2:
        kind = type(found).__name__
        raise CheckError(f"expected what is seen and the targets, two tensors; found {kind}")
    for each in found:
        if type(each) is not Tensor or each.shape != tokens.shape:
            shape = tuple(each.shape) if isinstance(each, Tensor) else type(each).__name__
            raise CheckError(f"expected two {common.shape_in_words(tokens)}, found {shape}")
    return found[0], found[1]


def _seeded(seed: int) -> Generator:
    return Generator().manual_seed(seed)


def _some(marks: Tensor) -> str:
    return "none" if not marks.any() else "all" if marks.all() else "some"


def _exact(rng: Random) -> Iterator[Case]:
    seed, rows, length = rng.randrange(1000), rng.randint(30, 40), rng.randint(41, 45)
    anywhere = torch.randint(9, (rows, length), generator=_seeded(seed))  # special ones, too
    batches = [common.random_ids(rng, rows, length, 50), anywhere, torch.tensor([[7]])]
    for tokens in (*batches, torch.arange(5).repeat(3, 1)):
        for probability in (0.6, 1.0, 0.0):
            label = f"({common.shape_in_words(tokens)}, 50, …, probability={probability:g})"
            yield Case(label, partial(_kept, tokens, seed, probability))
    yield Case("several calls with the same batch", partial(_again, batches[0], seed))


def _kept(tokens: Tensor, seed: int, probability: float, answer: Answer) -> Any:
    """Tell of the targets, and of the tokens that nothing was done to."""
    seen, targets = _masked(answer, tokens, 50, _seeded(seed), probability)
    rest, words = targets == -100, tokens >= common.FIRST_WORD
    return {
        "dtype of what is seen": str(seen.dtype),
        "dtype of the targets": str(targets.dtype),
        "targets that are neither -100 nor the token": _some(~rest & (targets != tokens)),
        "tokens that changed where the target is -100": _some(rest & (seen != tokens)),
        "chosen words": _some(~rest[words]) if probability in (0, 1) else "",
    }


def _again(tokens: Tensor, seed: int, answer: Answer) -> Any:
    def masked(draw: Generator, *probability: float) -> Tensor:
        return torch.cat(_masked(answer, tokens, 50, draw, *probability))

    draw = _seeded(seed)
    once, following = masked(draw, 0.15), masked(draw, 0.15)
    return {
        "two generators with the same seed give the same result": torch.equal(
            once, masked(_seeded(seed), 0.15)
        ),
        "the default of probability is 0.15": torch.equal(once, masked(_seeded(seed))),
        "the next call gives another result": not torch.equal(once, following),
        "another seed gives another result": not torch.equal(once, masked(_seeded(seed + 1), 0.15)),
    }


def _rate(rng: Random) -> Iterator[Case]:
    tokens, other = common.random_ids(rng, 600, rng.randint(190, 200), 200), rng.uniform(0.3, 0.5)
    seed, few = rng.randrange(1000), torch.full((rng.randint(2, 4), 3), 7)

    def ask(answer: Answer, *probability: float) -> Any:
        _, targets = _masked(answer, tokens, 200, _seeded(seed), *probability)
        words = tokens >= common.FIRST_WORD
        return common.independent(targets != -100, words, (probability or (0.15,))[0])

    yield Case(f"({common.shape_in_words(tokens)}, …), words chosen", ask)
    label = f"({common.shape_in_words(tokens)}, …, probability={other:g}), words chosen"
    yield Case(label, lambda answer: ask(answer, other))

    def ask_often(answer: Answer) -> Any:
        _, targets = _often(answer, few, seed)
        return common.independent(targets != -100, targets > -101, 0.5)

    yield Case(f"{CALLS} calls, each a row, with {common.shape_in_words(few)}", ask_often)


def _often(answer: Answer, tokens: Tensor, seed: int) -> tuple[Tensor, Tensor]:
    """Return what is seen and the targets of many calls with one generator; (calls, B·T)."""
    draw = _seeded(seed)
    made = [_masked(answer, tokens, 5000, draw, 0.5) for _ in range(CALLS)]
    seen, targets = (torch.stack(each).flatten(1) for each in zip(*made, strict=True))
    return seen, targets


def _never(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 300, 40, 90), rng.randrange(1000)

    def ask(probability: float, answer: Answer) -> Any:
        seen, targets = _masked(answer, tokens, 90, _seeded(seed), probability)
        found = {}
        for number, name in enumerate(SPECIAL):
            at = tokens == number
            found[f"chosen {name}"] = _some((targets != -100)[at])
            found[f"changed {name}"] = _some((seen != tokens)[at])
        return found

    for probability in (0.5, 1.0):
        label = f"({common.shape_in_words(tokens)}, …, probability={probability:g})"
        yield Case(label, partial(ask, probability))


def _actions(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 600, rng.randint(190, 200), 200), rng.randrange(1000)

    def ask(answer: Answer, *probability: float) -> Any:
        return _became(*_masked(answer, tokens, 30_000, _seeded(seed), *probability), tokens)

    def ask_often(answer: Answer) -> Any:
        few = torch.full((2, 3), 7)
        return _became(*_often(answer, few, seed), few.flatten())

    yield Case("of the tokens chosen", ask)
    yield Case("of the tokens chosen with probability=0.9", lambda answer: ask(answer, 0.9))
    yield Case(f"of the tokens that {CALLS} calls choose, each a row", ask_often)


def _became(seen: Tensor, targets: Tensor, tokens: Tensor) -> Any:
    chosen = (targets != -100) & (tokens >= common.FIRST_WORD)
    masked = seen == MASK
    return {
        "that becomes [MASK]": common.independent(masked, chosen, 0.8),
        "of the others, that stays": common.independent(seen == tokens, chosen & ~masked, 0.5),
    }


def _random_words(rng: Random) -> Iterator[Case]:
    # The larger one has more than BERT's own 30,522 words, and than 16 bits hold.
    for eighth in (rng.randint(1, 3), rng.randint(15_000, 30_000)):
        vocab_size = common.FIRST_WORD + 8 * eighth
        ask = partial(_words, vocab_size, rng.randrange(1000))
        yield Case(f"random words with vocab_size={vocab_size:,}", ask)
    seed = rng.randrange(1000)
    yield Case("random words of two, against those of thousands", partial(_of_two, seed))


def _of_two(seed: int, answer: Answer) -> Any:
    """A random word may be the one that stood there, as half of two are, and never [MASK]."""
    kinds = []
    for vocab_size in (common.FIRST_WORD + 2, 30_000):
        draw = _seeded(seed)
        tokens = torch.randint(common.FIRST_WORD, vocab_size, (600, 128), generator=draw)
        seen, _ = _masked(answer, tokens, vocab_size, draw, 0.9)
        masked = seen == MASK
        kinds.append([float(kind.double().mean()) for kind in (masked, ~masked & (seen != tokens))])
    (as_mask, as_other), (usual, others) = kinds
    return {
        "as many become [MASK]": abs(as_mask - usual) < 0.01,
        "half as many become another word": abs(as_other - others / 2) < 0.01,
    }


def _words(vocab_size: int, seed: int, answer: Answer) -> Any:
    first, draw = common.FIRST_WORD, _seeded(seed)
    tokens = torch.randint(first, vocab_size, (600, 128), generator=draw)
    seen, targets = _masked(answer, tokens, vocab_size, draw, 0.9)
    drawn = seen[(targets != -100) & (seen != tokens) & (seen != MASK)].long()
    inside = (drawn >= first) & (drawn < vocab_size)
    eighths = torch.bincount((drawn[inside] - first) * 8 // (vocab_size - first), minlength=8)
    return {
        "there are random words": bool(len(drawn)),
        "special tokens among them": _some(drawn < first),
        "ids of the vocabulary's size or above": _some(drawn >= vocab_size),
        "each eighth of the vocabulary": common.evenly(eighths, eighths.double().mean()),
        "nearly all of them are different": len(drawn.unique()) > 0.9 * len(drawn),
    }


mask = Exercise(
    "mask",
    mask_some,
    (
        Part("targets, and what stays", 0.5, _exact),
        Part("the fraction that is chosen", 0.5, _rate),
        Part("no special token, no padding", 0.5, _never),
        Part("80 % [MASK], 10 % random, 10 % kept", 0.5, _actions),
        Part("random words are words", 0.5, _random_words),
    ),
    forbidden=(corrupt, inputs.mask_words),
    explains=("The rules", "No loop over tokens is needed"),
    generic={
        "of its dtype, `torch.long`": DTYPE,
        "`tokens` stays as it is": IN_PLACE,
    },
    module=__name__,
)
