"""Unit 07, “15 %, and 80/10/10”: what it asks.

Proportions are judged on so many tokens that near misses are seen, see chance.py and
mask_counted.py. Mistakes are in mask_proportions.py and, about what is drawn and about the
targets, in mask_targets.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor

from helpers.checks.bert_inputs import chance, common, mask_calls, mask_counted
from helpers.checks.engine import Answer, ArgumentChangedError, Case, Exercise, Part
from helpers.corpora import inputs
from helpers.corpora.masking import corrupt
from helpers.corpora.wordpiece import MASK, SPECIAL


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


def _small(rng: Random) -> list[Tensor]:
    """Batches of any shape: one row, one place, neither."""
    rows, length = rng.randint(30, 40), rng.randint(41, 45)
    words = torch.randint(5, 50, (rows, 6), generator=Generator().manual_seed(rng.randrange(99)))
    batches = [common.random_ids(rng, rows, length, 50), words, words.T.contiguous(), words[:, :1]]
    batches.append(words[:2].repeat(1, rng.randint(90, 95)))  # rows longer than BERT's own
    draw = Generator().manual_seed(rng.randrange(99))
    batches.append(torch.randint(9, (rows, length), generator=draw))  # special ones anywhere
    return [*batches, words[:1], words[:1, :1], torch.arange(5).repeat(3, 4)]


def _exact(rng: Random) -> Iterator[Case]:
    seed = rng.randrange(1000)
    for tokens in _small(rng):
        for probability in (0.6, 1.0, 0.0):
            label = f"({common.shape_in_words(tokens)}, 50, …, probability={probability:g})"
            # Often where there are few, as chance may hide what is wrong in one.
            seeds = range(seed, seed + (1 if tokens.numel() > 100 else 40))
            yield Case(label, partial(_kept, tokens, seeds, probability))
    yield Case("several calls with the same batch", partial(mask_calls.again, _small(rng)[0], seed))


def _kept(tokens: Tensor, seeds: range, probability: float, answer: Answer) -> Any:
    """What is told of the targets and of the tokens that nothing was done to."""
    made = []
    for seed in seeds:
        given = tokens.clone()
        made.append(answer(given, 50, Generator().manual_seed(seed), probability))
        if made[-1] is None:
            return None
        if not torch.equal(given, tokens):
            raise ArgumentChangedError
    pairs = [mask_counted.two(each, tokens) for each in made]
    seen, targets = map(torch.cat, zip(*pairs, strict=True))
    tokens = tokens.repeat(len(seeds), 1)
    rest, words = targets == -100, tokens >= common.FIRST_WORD
    return {
        "types of what is seen and of the targets": mask_counted.kinds(made[0]),
        "dtype of what is seen": str(seen.dtype),
        "dtype of the targets": str(targets.dtype),
        "targets that are neither -100 nor the token": _some(~rest & (targets != tokens)),
        "targets that are 0": _some((targets == 0) & words),
        "targets that are [MASK]": _some((targets == MASK) & (tokens != MASK)),
        "tokens that changed where the target is -100": _some(rest & (seen != tokens)),
        "chosen words": _some(~rest & words) if probability in (0, 1) else "",
        "words that are not chosen": _some(rest & words) if probability in (0, 1) else "",
    }


def _some(marks: Tensor) -> str:
    return "none" if not marks.any() else "all" if marks.all() else "some"


def _batch(rng: Random, vocab_size: int = 200) -> tuple[Tensor, int]:
    return common.random_ids(rng, 1200, rng.randint(190, 200), vocab_size), rng.randrange(1000)


def _few(rng: Random) -> tuple[Tensor, int]:
    draw = Generator().manual_seed(rng.randrange(99))
    # Rows so short that often none of a row's words is chosen.
    return torch.randint(5, 200, (rng.randint(12, 15), 3), generator=draw), rng.randrange(1000)


def _rate(rng: Random) -> Iterator[Case]:
    tokens, seed = _batch(rng)
    words = tokens >= common.FIRST_WORD

    def ask(answer: Answer, *probability: float) -> Any:
        _, targets = mask_calls.masked_with(answer, tokens, 200, seed, *probability)
        chosen = (targets != -100) & words
        found = mask_counted.independent(
            chosen, words, tokens, (probability or (0.15,))[0], "of the words chosen"
        )
        ends = {"first": common.FIRST_WORD, "last": 199}
        return found | {
            f"the {name} word of the vocabulary is ever chosen": _some(chosen[tokens == word])
            != "none"
            for name, word in ends.items()
        }

    shape, other = common.shape_in_words(tokens), rng.choice((0.3, 0.4, 0.5))
    yield Case(f"({shape}, …)", ask)
    yield Case(f"({shape}, …, probability={other:g})", lambda answer: ask(answer, other))
    few, start = _few(rng)
    label = f"{mask_counted.CALLS} times ({common.shape_in_words(few)}, …, probability=0.5)"
    yield Case(label, lambda answer: mask_counted.calls(answer, few, start)[0])
    one = torch.tensor([[common.FIRST_WORD + 2, 3, 0]])  # of which often no word is chosen
    label = f"{mask_counted.CALLS} times ({one.tolist()}, …, probability=0.5)"
    yield Case(label, lambda answer: mask_counted.one_word(answer, one, start))
    large = torch.randint(100_000, 250_000, (300_000,), generator=Generator().manual_seed(seed))
    for some, probability in ((large[:19_200], 0.15), (large, 0.0006)):
        label = f"words with ids of 100,000 and more, probability={probability:g}"
        ask_large = partial(_fraction, some.view(600, -1), 250_000, seed, probability)
        yield Case(label, ask_large)


def _fraction(
    tokens: Tensor, vocab_size: int, seed: int, probability: float, answer: Answer
) -> Any:
    _, targets = mask_calls.masked_with(answer, tokens, vocab_size, seed, probability)
    chosen = (targets != -100)[tokens >= common.FIRST_WORD]
    found = chance.about(int(chosen.sum()), len(chosen), probability)
    return {"fraction of the words chosen": found}


def _never(rng: Random) -> Iterator[Case]:
    tokens, seed = common.random_ids(rng, 300, 40, 90), rng.randrange(1000)

    def ask(probability: float, answer: Answer) -> Any:
        seen, targets = mask_calls.masked_with(answer, tokens, 90, seed, probability)
        names = {name: tokens == number for number, name in enumerate(SPECIAL)}
        return {
            **{f"chosen {name}": _some((targets != -100)[at]) for name, at in names.items()},
            **{f"changed {name}": _some((seen != tokens)[at]) for name, at in names.items()},
        }

    for probability in (0.5, 1.0):
        label = f"({common.shape_in_words(tokens)}, …, probability={probability:g})"
        yield Case(label, partial(ask, probability))


def _actions(rng: Random) -> Iterator[Case]:
    tokens, seed = _batch(rng)

    def ask(answer: Answer, *probability: float) -> Any:
        seen, targets = mask_calls.masked_with(answer, tokens, 30_000, seed, *probability)
        scored = (targets != -100) & (tokens >= common.FIRST_WORD)
        masked, kept = seen == MASK, seen == tokens
        return {
            **mask_counted.independent(masked, scored, tokens, 0.8, "that becomes [MASK]"),
            **{
                f"of the others, {name}": each
                for name, each in mask_counted.independent(
                    kept, scored & ~masked, tokens, 0.5, "that stays"
                ).items()
            },
        }

    yield Case("of the tokens chosen", ask)
    yield Case("of the tokens chosen with probability=0.9", lambda answer: ask(answer, 0.9))
    words = torch.randint(5, 200, (1000, 1000), generator=Generator().manual_seed(seed))
    yield Case("of a million tokens, all chosen", partial(_of_all, words, seed))
    number = rng.randint(7, 9)
    yield Case(f"of the tokens chosen, with {number} words in all", partial(_stay, tokens, number))
    few, start = _few(rng)
    label = f"of the tokens that {mask_counted.CALLS} calls choose, {common.shape_in_words(few)}"
    yield Case(f"{label}, masked ones", lambda answer: mask_counted.calls(answer, few, start)[1])


def _of_all(words: Tensor, seed: int, answer: Answer) -> Any:
    seen, targets = mask_calls.masked_with(answer, words, 1_000_000, seed, 1.0)
    chosen = targets != -100
    masked, kept = (int((seen == each)[chosen].sum()) for each in (MASK, words))
    return {
        "fraction that becomes [MASK]": chance.about(masked, int(chosen.sum()), 0.8),
        "of the others, fraction that stays": chance.about(kept, int(chosen.sum()) - masked, 0.5),
    }


def _stay(tokens: Tensor, number: int, answer: Answer) -> Any:
    """A random word may be the one that stood there."""
    words = torch.where(tokens < common.FIRST_WORD, tokens, common.FIRST_WORD + tokens % number)
    seen, targets = mask_calls.masked_with(answer, words, common.FIRST_WORD + number, 0, 0.9)
    others = (targets != -100) & (seen != MASK) & (words >= common.FIRST_WORD)
    kept, wanted = int((seen == words)[others].sum()), 0.5 + 0.5 / number
    name = "of those that are not [MASK], the fraction that looks as before"
    return {name: chance.about(kept, int(others.sum()), wanted)}


def _random_words(rng: Random) -> Iterator[Case]:
    for vocab_size in (rng.randint(11, 13), rng.randint(25, 30)):
        there = rng.randrange(5, vocab_size)
        ask = partial(_words, vocab_size, there, rng.randrange(1000))
        yield Case(f"random words with vocab_size={vocab_size} for the word {there}", ask)
    # More than BERT's own 30,522, and than 16 bits hold; and more than a float32 tells apart.
    for vocab_size in (rng.randint(120_000, 250_000), rng.randint(34_000_000, 36_000_000)):
        ask = partial(_large, vocab_size, rng.randrange(1000))
        yield Case(f"random words with vocab_size={vocab_size:,}", ask)
    tokens, seed = common.random_ids(rng, 120, 45, 50), rng.randrange(1000)
    yield Case("random words of several calls", partial(mask_calls.other_words, tokens, seed))


def _large(vocab_size: int, seed: int, answer: Answer) -> Any:
    words = Generator().manual_seed(seed)
    tokens = torch.randint(common.FIRST_WORD, vocab_size, (600, 128), generator=words)
    seen, targets = mask_calls.masked_with(answer, tokens, vocab_size, seed + 1, 0.9)
    drawn = seen[(targets != -100) & (seen != tokens) & (seen != MASK)].long()
    eighths = (drawn - common.FIRST_WORD) * 8 // (vocab_size - common.FIRST_WORD)
    return {
        "ids of the vocabulary's size or above": _some(drawn >= vocab_size),
        "nearly all of them are different": len(drawn.unique()) > 0.9 * len(drawn),
        "each eighth of the vocabulary": chance.even(
            torch.bincount(eighths.clamp(0, 7), minlength=8)
        ),
        # Where they are floats, which is asked elsewhere, this would be asked of their rounding.
        "fraction of odd ids": "about 0.5"
        if seen.is_floating_point()
        else chance.about(int((drawn % 2).sum()), len(drawn), 0.5),
    }


def _words(vocab_size: int, there: int, seed: int, answer: Answer) -> Any:
    tokens = torch.full((2000, 64), there)
    seen, targets = mask_calls.masked_with(answer, tokens, vocab_size, seed, 0.9)
    chosen = targets != -100
    drawn = chosen & (seen != tokens) & (seen != MASK)
    counts = torch.bincount(seen[drawn].long().clamp(0, vocab_size), minlength=vocab_size + 1)
    words = counts[common.FIRST_WORD : vocab_size]
    others = torch.cat([words[: there - 5], words[there - 4 :]])
    last = -2 if there == vocab_size - 1 else -1
    orders = {"in a row": seen[drawn], "in a column": seen.T[drawn.T]}
    return {
        "there are random words": bool(drawn.any()),
        "special tokens among them": _some(counts[: common.FIRST_WORD] > 0),
        "ids of the vocabulary's size or above": "some" if counts[vocab_size] else "none",
        "the first word of the vocabulary is among them": bool(words[int(there == 5)]),
        "the last word of the vocabulary is among them": bool(words[last]),
        "each of the other words": chance.even(others),
        **{
            f"two of them {name} that are the same": chance.about(
                int((each[1:] == each[:-1]).sum()), max(len(each) - 1, 0), 1 / len(others)
            )
            for name, each in orders.items()
        },
        **{
            f"two of them mirrored in {name} are often the same": bool(
                2 * (one == two).sum() > len(one)
            )
            for name, axes in mask_counted.MIRRORS.items()
            for one, two in [mask_counted.mirrored(seen, drawn, axes)]
        },
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
    module=__name__,
)
