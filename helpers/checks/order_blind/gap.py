"""Unit 01, “Does it follow the shuffle?”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import torch
from torch import Tensor

from helpers.checks.engine import Case, Exercise, Part
from helpers.checks.order_blind import common


def permutation_gap(f: common.Function, x: Tensor, order: Tensor) -> Tensor:
    """max |f(P·x) − P·f(x)|, where P moves token order[t] to position t; x (B, T, D)."""
    return (f(x[:, order]) - f(x)[:, order]).abs().max()


def _mixed(x: Tensor) -> Tensor:
    return common.mixing_sequences(x.cumsum(1))


def _simple(rng: Random) -> Iterator[Case]:
    """One follows the shuffle, two do not: nobody is right with a constant."""
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1])
    yield common.order_case("the square of each number", torch.square, x, order)
    yield common.order_case("x itself", lambda x: x, x, order)
    # With a sum and its negative, the largest difference is once above 0 and once below.
    last = torch.ones(x.shape[1], 1)
    last[-1] = 9.0  # so that the largest difference is due to the last token
    for scaled in common.largest_in_each(last * x):
        yield common.order_case("running sum", lambda x: x.cumsum(1), scaled, order)
    yield common.order_case("running sum from the end", common.from_behind, x, order)
    yield common.order_case("running sum, tiny", lambda x: 1e-4 * x.cumsum(1), x, order)
    yield common.order_case("sum over all sequences", _mixed, x, order)
    yield common.order_case("running sum, negative", lambda x: -x.cumsum(1), 2 * x, order)
    for x in common.batches_of_like_sizes(rng):
        order = common.random_order(rng, x.shape[1])
        yield common.order_case("running sum", lambda x: x.cumsum(1), x, order)
        if len(x) in (1, len(order)):  # it shows that somebody shuffles or repeats the sequences
            yield common.order_case("sum over all sequences", _mixed, x, order)
    yield common.exact_case("running sum", x, order)
    yield common.magnified(
        common.order_case("running sum, times 1e-6", lambda x: 1e-6 * x.cumsum(1), x, order)
    )
    x, order = common.large_batch(rng)
    yield common.order_case("a sum at the last position", common.summed_at_the_last, x, order)
    x = common.random_batch(rng)  # here the only difference is at a token that stays in place
    end = x.shape[1] - 1
    order = torch.cat([common.random_order(rng, end), torch.tensor([end])])
    yield common.order_case("a sum at the last position", common.summed_at_the_last, x, order)


def _layers(rng: Random) -> Iterator[Case]:
    x = common.random_batch(rng)
    order = common.random_order(rng, x.shape[1])
    yield common.order_case("attention", common.attention_layers(rng, 1, causal=False), x, order)
    yield common.order_case(
        "two layers of attention", common.attention_layers(rng, 2, causal=False), x, order
    )
    causal = common.attention_layers(rng, 1, causal=True)
    for scaled in common.largest_in_each(x):
        yield common.order_case("causal attention", causal, scaled, order)
    yield common.order_case("causal attention", causal, x.flip(1), order)
    yield common.order_case("causal attention, negative", lambda x: -causal(x), x, order)
    for x in common.batches_of_like_sizes(rng):
        yield common.order_case("causal attention", causal, x, common.random_order(rng, x.shape[1]))


gap = Exercise(
    "gap",
    permutation_gap,
    (
        Part("simple functions", 0.5, _simple),
        Part("layers of attention", 0.5, _layers),
    ),
    explains=("A proof is about formulas; a measurement also finds bugs.",),
)


@gap.mistake(
    "You compare f(P·x) with f(x) itself. A function that follows the shuffle returns its "
    "outputs in the new order, so f(x) must be shuffled too.",
    breaks="how far is $f(Px)$ from",
)
def gap_output_not_shuffled(f, x, order):
    return (f(x[:, order]) - f(x)).abs().max()


@gap.mistake(
    "One side is shuffled by order, the other by its inverse. Shuffling twice by order does not "
    "restore the tokens either. Shuffle the output just as you shuffle the input."
)
def gap_output_shuffled_back(f, x, order):
    return (f(x[:, order]) - f(x)[:, order.argsort()]).abs().max()


@gap.mistake(
    "x[order] shuffles the sequences of the batch. The tokens of a sequence lie along the second "
    "axis of (B, T, D).",
    breaks="`f` is a function from $(B, T, D)$ to $(B, T, D)$",
)
def gap_shuffles_the_batch(f, x, order):
    return (f(x[order]) - f(x)[order]).abs().max()


@gap.mistake(
    "The last axis holds the features of a token. Tokens lie along the second axis of (B, T, D)."
)
def gap_shuffles_the_features(f, x, order):
    return (f(x[:, :, order]) - f(x)[:, :, order]).abs().max()


@gap.mistake(
    "The largest difference may be a negative one. Take absolute values before the maximum.",
)
def gap_signed(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).max()


@gap.mistake(
    "This is the mean difference. Return the largest, so that one wrong number cannot hide among "
    "many right ones.",
    breaks=("the result is the largest absolute difference", "max |f(P·x) − P·f(x)|"),
)
def gap_mean(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).abs().mean()


@gap.mistake(
    "A norm adds up all differences, so it grows with B and T. Return the largest single "
    "difference.",
)
def gap_length_of_the_difference(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).norm()


@gap.mistake(
    "You move token t to position order[t]. It is the other way round: position t receives token "
    "order[t].",
    breaks="$P$ moves token `order[t]` to position $t$",
)
def gap_order_read_backwards(f, x, order):
    back = order.argsort()
    return (f(x[:, back]) - f(x)[:, back]).abs().max()


@gap.mistake(
    "The argument order changes nothing: you measure with a shuffle of your own.",
    breaks="`order` is $(T,)$",
)
def gap_order_ignored(f, x, order):
    return (f(x.roll(1, 1)) - f(x).roll(1, 1)).abs().max()


@gap.mistake(
    "Your result is 0 whatever f does. Compare f of the shuffled tokens with f(x), whose tokens "
    "are shuffled afterwards.",
)
def gap_of_the_input(f, x, order):
    return (f(x[:, order]) - f(x[:, order])).abs().max()


@gap.mistake(
    "You shuffle f(x) in place. f may return x itself, and then x is shuffled with it. "
    "Indexing with order makes a new tensor.",
    loses="simple functions",
)
def gap_shuffles_in_place(f, x, order):
    y = f(x)
    y[:] = y[:, order]
    return (f(x[:, order]) - y).abs().max()


@gap.mistake("You look at the first sequence of the batch alone; another may differ more.")
def gap_of_the_first_sequence(f, x, order):
    return (f(x[:, order]) - f(x)[:, order])[0].abs().max()
