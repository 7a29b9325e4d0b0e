"""Unit 07, “15 %, and 80/10/10”: what it asks, and what people write instead.

Proportions are judged on so many tokens that a right answer is at least five standard deviations
inside. Mistakes about what is drawn, and about the targets, are in mask_targets.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import common
from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part, changed
from helpers.corpora import inputs
from helpers.corpora.masking import corrupt
from helpers.corpora.wordpiece import CLS, MASK, SEP, SPECIAL


class NotTwoTensorsError(Exception):
    """An answer gives something else than what the model sees and the targets."""


def mask_some(
    tokens: Tensor, vocab_size: int, generator: Generator, probability: float = 0.15
) -> tuple[Tensor, Tensor]:
    """BERT's masking: what the model sees, and the tokens to predict, −100 elsewhere; (B, T)."""
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


def _masked(answer: Answer, tokens: Tensor, vocab_size: int, seed: int, *probability: float) -> Any:
    found = answer(tokens.clone(), vocab_size, Generator().manual_seed(seed), *probability)
    if found is None:
        raise NotTwoTensorsError("it returns nothing; is a return missing?")
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise NotTwoTensorsError(
            f"it returns one {type(found).__name__}, not what is seen and targets"
        )
    seen, targets = (torch.as_tensor(each) for each in found)
    if seen.shape != tokens.shape or targets.shape != tokens.shape:
        shapes = f"{tuple(seen.shape)} and {tuple(targets.shape)}"
        raise ValueError(f"the results have the shapes {shapes}, tokens {tuple(tokens.shape)}")
    return seen, targets


def _exact(rng: Random) -> Iterator[Case]:
    vocab_size, seed = rng.randint(50, 90), rng.randrange(1000)
    tokens = common.random_ids(rng, rng.randint(30, 40), 40, vocab_size)

    def ask(answer: Answer) -> Any:
        given, draw = tokens.clone(), Generator().manual_seed(seed)
        if answer(given, vocab_size, draw) is None:
            return None
        if not torch.equal(given, tokens):
            raise ArgumentChangedError
        seen, targets = _masked(answer, tokens, vocab_size, seed)
        again, _ = _masked(answer, tokens, vocab_size, seed)
        later, _ = (torch.as_tensor(each) for each in answer(tokens.clone(), vocab_size, draw))
        rest = targets == -100
        return {
            "both are whole numbers": not (seen.is_floating_point() or targets.is_floating_point()),
            "most targets are -100": bool(rest.double().mean() > 0.7),
            "every other target is the token that stood there": bool(
                (rest | (targets == tokens)).all()
            ),
            "where the target is -100, the token stays": bool((~rest | (seen == tokens)).all()),
            "some tokens are replaced": not torch.equal(seen, tokens),
            "the same generator gives the same masks": torch.equal(seen, again),
            "the next call gives others": not torch.equal(seen, later),
        }

    yield Case(f"({common.shape_in_words(tokens)}, {vocab_size}, generator)", ask)


def _about(fraction: Tensor, wanted: float, margin: float) -> str:
    value = float(fraction)
    return f"about {wanted:g}" if abs(value - wanted) < margin else f"{value:.2f}"


def _rate(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 3000, 64, 500), rng.randrange(1000)
    words = tokens >= common.FIRST_WORD

    def ask(answer: Answer, probability: float) -> Any:
        given = () if probability == 0.15 else (probability,)
        _, targets = _masked(answer, tokens, 500, seed, *given)
        chosen = (targets != -100) & words
        inside = torch.arange(64).ne(0) & torch.arange(64).ne(16) & torch.arange(64).lt(32)
        by_place = chosen[:, inside].sum(0) / words[:, inside].sum(0)
        by_row = chosen.sum(1) / words.sum(1)
        every, uneven = chosen.sum() / words.sum(), (by_place - probability).abs().max()
        ends = (common.FIRST_WORD, 499)
        return {
            "the first and the last word are chosen too": all(
                bool(chosen[tokens == word].any()) for word in ends
            ),
            "fraction of the words that are chosen": _about(every, probability, 0.008),
            "every place is chosen about as often": bool(uneven < 0.07),
            "rows differ in what is chosen": len(chosen.unique(dim=0)) > 2000,
            "every row is given some": bool((by_row > 0).double().mean() > 0.8),
        }

    shape, other = common.shape_in_words(tokens), rng.choice((0.3, 0.4, 0.5))
    yield Case(f"({shape}, …)", partial(ask, probability=0.15))
    yield Case(f"({shape}, …, probability={other:g})", partial(ask, probability=other))


def _never(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 300, 40, 90), rng.randrange(1000)

    def ask(answer: Answer) -> Any:
        seen, targets = _masked(answer, tokens, 90, seed, 0.5)
        touched = (targets != -100) | (seen != tokens)
        names = zip(SPECIAL, range(len(SPECIAL)), strict=True)
        return {
            f"chosen or changed {name}": "some" if touched[tokens == number].any() else "none"
            for name, number in names
            if number != MASK
        }

    yield Case(f"({common.shape_in_words(tokens)}, …, probability=0.5)", ask)


def _actions(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 2600, 128, 30_000), rng.randrange(1000)

    def ask(answer: Answer, probability: float, margin: float) -> Any:
        seen, targets = _masked(answer, tokens, 30_000, seed, probability)
        scored = (targets != -100) & (tokens >= common.FIRST_WORD)
        seen, there = seen[scored], tokens[scored]
        masked, kept = (seen == MASK).double().mean(), (seen == there).double().mean()
        return {
            "fraction that becomes [MASK]": _about(masked, 0.8, margin),
            "fraction that stays": _about(kept, 0.1, 0.8 * margin),
            "fraction that becomes another token": _about(1 - masked - kept, 0.1, 0.8 * margin),
        }

    for probability, margin in ((0.15, 0.015), (0.95, 0.005)):  # the second tells 81 % from 80 %
        words = f"of the tokens chosen with probability={probability:g}"
        yield Case(words, partial(ask, probability=probability, margin=margin))


def _random_words(rng: Random) -> Iterator[Case]:
    vocab_size, seed = rng.randint(25, 30), rng.randrange(1000)
    tokens = torch.full((2000, 64), vocab_size - 2)

    def ask(answer: Answer) -> Any:
        seen, targets = _masked(answer, tokens, vocab_size, seed, 0.5)
        drawn = seen[(targets != -100) & (seen != tokens) & (seen != MASK)]
        counts = torch.bincount(drawn.long().clamp(0, vocab_size), minlength=vocab_size + 1)
        words = counts[common.FIRST_WORD : vocab_size].double()
        others = words[:-2]  # behind them are the token that stood there, and the last one
        even = bool((others > 0.5 * others.mean()).all() and (others < 1.6 * others.mean()).all())
        return {
            "there are random words": len(drawn) > 1000,
            "special tokens among them": "some" if counts[: common.FIRST_WORD].sum() else "none",
            "ids of the vocabulary's size or above": "some" if counts[vocab_size] else "none",
            "the last word of the vocabulary is among them": bool(words[-1]),
            "each other word about as often": even,
        }

    yield Case(f"random words with vocab_size={vocab_size}", ask)


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
)


@mask.mistake(
    "One random number decides both whether a token is chosen and what becomes of it. Chosen "
    "are the small numbers, so few or none beyond 0.8 are left. Draw a second time.",
    loses=("80 % [MASK], 10 % random, 10 % kept", "random words are words"),
)
def mask_with_one_number_for_all(tokens, vocab_size, generator, probability=0.15):
    number = torch.rand(tokens.shape, generator=generator)
    chosen = (number < probability) & (tokens >= 5)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (number < 0.8), MASK, tokens)
    seen = torch.where(chosen & (number >= 0.8) & (number < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Every chosen token becomes [MASK]. In two of ten cases something else should stand there.",
    loses=("80 % [MASK], 10 % random, 10 % kept", "random words are words"),
)
def mask_always(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    return torch.where(chosen, MASK, tokens), torch.where(chosen, tokens, -100)


@mask.mistake(
    "What is not masked is always random: no chosen token stays. It is 80, 10 and 10.",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
@changed(mask_some, " & (action < 0.9)", "")
def mask_without_keeping(): ...


@mask.mistake(
    "Your proportions are 81, 10 and 9 %: you mask nine tenths of what is left after the random "
    "ones. Let one number between 0 and 1 decide among all three.",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
def mask_81_10_9(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    masked = torch.rand(tokens.shape, generator=generator) < 0.9
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & random, words, tokens)
    seen = torch.where(chosen & ~random & masked, MASK, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Your proportions are 80, 2 and 18 %: a tenth of what is not masked is only 2 % of the chosen. "
    "Which fraction of the rest is it, if 10 % of all are to be random?",
    loses="80 % [MASK], 10 % random, 10 % kept",
)
def mask_80_2_18(tokens, vocab_size, generator, probability=0.15):
    chosen = (torch.rand(tokens.shape, generator=generator) < probability) & (tokens >= 5)
    masked = torch.rand(tokens.shape, generator=generator) < 0.8
    random = torch.rand(tokens.shape, generator=generator) < 0.1
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & masked, MASK, tokens)
    seen = torch.where(chosen & ~masked & random, words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "Special tokens and padding are chosen like words. The ids below 5 are no words.",
    loses="no special token, no padding",
)
@changed(mask_some, " & (tokens >= 5)", "")
def mask_special_tokens_too(): ...


@mask.mistake(
    "[CLS] and [SEP] are left alone, but [PAD] or [UNK] is not. All ids below 5 are special.",
    loses="no special token, no padding",
)
def mask_padding_too(tokens, vocab_size, generator, probability=0.15):
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    chosen &= (tokens != CLS) & (tokens != SEP)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "All rows are masked at the same places. Draw a number for each token, (B, T), not for "
    "each place.",
    loses="the fraction that is chosen",
)
@changed(
    mask_some,
    "tokens.shape, generator=generator) < probability",
    "tokens.shape[1], generator=generator) < probability",
)
def mask_the_same_places_in_each_row(): ...


@mask.mistake(
    "You choose a fraction of all T places, padding counted, so short texts are masked more than "
    "long ones. Each word is chosen by itself, with the probability given.",
    loses="the fraction that is chosen",
)
def mask_a_fraction_of_all_places(tokens, vocab_size, generator, probability=0.15):
    number = round(probability * tokens.shape[1])
    drawn = torch.rand(tokens.shape, generator=generator) + (tokens >= 5)
    top = drawn.topk(number, dim=1)
    chosen = torch.zeros(tokens.shape, dtype=torch.bool)
    chosen = chosen.scatter(1, top.indices, top.values >= 1)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(5, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)


@mask.mistake(
    "The argument probability changes nothing: 0.15 is still written out somewhere.",
    loses="the fraction that is chosen",
)
@changed(mask_some, "< probability", "< 0.15")
def mask_always_15_percent(): ...
