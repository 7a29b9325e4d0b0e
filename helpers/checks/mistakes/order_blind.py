"""Unit 01: what people write when they measure what a function knows about order."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.order_blind_bag import BAG

__all__ = ["BAG", "GAP", "PREFIX"]


def gap_output_not_shuffled(f, x, order):
    return (f(x[:, order]) - f(x)).abs().max()


def gap_output_shuffled_back(f, x, order):
    return (f(x[:, order]) - f(x)[:, order.argsort()]).abs().max()


def gap_shuffles_the_batch(f, x, order):
    return (f(x[order]) - f(x)[order]).abs().max()


def gap_shuffles_the_features(f, x, order):
    return (f(x[:, :, order]) - f(x)[:, :, order]).abs().max()


def gap_signed(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).max()


def gap_mean(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).abs().mean()


def gap_length_of_the_difference(f, x, order):
    return (f(x[:, order]) - f(x)[:, order]).norm()


def gap_order_read_backwards(f, x, order):
    back = order.argsort()
    return (f(x[:, back]) - f(x)[:, back]).abs().max()


def gap_order_ignored(f, x, order):
    return (f(x.flip(1)) - f(x).flip(1)).abs().max()


def gap_of_the_input(f, x, order):
    return (f(x[:, order]) - f(x[:, order])).abs().max()


_FOLLOW, _NOT = "functions that follow the shuffle", "functions that do not"
GAP = (
    Mistake(
        gap_output_not_shuffled,
        "You compare f(P·x) with f(x) itself. A function that follows the shuffle has its outputs "
        "in the new order, so f(x) must be shuffled too.",
        (_FOLLOW, _NOT),
    ),
    Mistake(
        gap_output_shuffled_back,
        "One side is shuffled by order, the other by its inverse. To shuffle twice by order does "
        "not bring the tokens back either. Shuffle the output just as you shuffle the input.",
        (_FOLLOW, _NOT),
    ),
    Mistake(
        gap_shuffles_the_batch,
        "x[order] takes sequences. The tokens of a sequence lie along the second axis of "
        "(B, T, D).",
        (_FOLLOW, _NOT),
    ),
    Mistake(
        gap_shuffles_the_features,
        "The last axis holds the features of a token. Tokens lie along the second axis of "
        "(B, T, D).",
        (_FOLLOW, _NOT),
    ),
    Mistake(
        gap_signed,
        "The largest difference may be one below 0. Drop the sign before you look for it.",
        (_NOT,),
    ),
    Mistake(
        gap_mean,
        "This is the mean difference. Asked is the largest, so that one wrong number cannot hide "
        "among many right ones.",
        (_NOT,),
    ),
    Mistake(
        gap_length_of_the_difference,
        "A norm adds up all differences, so it grows with B and T. Asked is the largest single "
        "one.",
        (_NOT,),
    ),
    Mistake(
        gap_order_read_backwards,
        "You send token t to place order[t]. Asked is the other way: place t receives token "
        "order[t].",
        (_NOT,),
    ),
    Mistake(
        gap_order_ignored,
        "The argument order changes nothing: you measure with a shuffle of your own.",
        (_NOT,),
    ),
    Mistake(
        gap_of_the_input,
        "Your measure is 0 for every function: both sides are f of the shuffled input. One of "
        "them should apply f first and shuffle afterwards.",
        (_NOT,),
    ),
)


def prefix_without_the_last(f, x, order):
    return (f(x[:, order])[:, -1] - f(x)[:, -1]).abs().max()


def prefix_every_place(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x)).abs().max()


def prefix_first_place(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, 0].abs().max()


def prefix_last_feature(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[..., -1].abs().max()


def prefix_last_sequence_only(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[-1, -1].abs().max()


def prefix_mean(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().mean()


def prefix_length_of_the_change(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].norm()


def prefix_signed(f, x, order):
    moved = torch.cat([x[:, order], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].max()


def prefix_order_read_backwards(f, x, order):
    moved = torch.cat([x[:, order.argsort()], x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().max()


def prefix_own_order(f, x, order):
    moved = torch.cat([x[:, :-1].flip(1), x[:, -1:]], 1)
    return (f(moved) - f(x))[:, -1].abs().max()


def prefix_in_place(f, x, order):
    before = f(x)
    x[:, :-1] = x[:, order]
    return (f(x) - before)[:, -1].abs().max()


_BLIND, _SEES = "functions blind to the prefix's order", "functions that see it"
PREFIX = (
    Mistake(
        prefix_without_the_last,
        "order moves the T − 1 tokens of the prefix, so x[:, order] has lost the last token: put "
        "it back behind them.",
        (_BLIND, _SEES),
    ),
    Mistake(
        prefix_every_place,
        "You look at all outputs. Those of the prefix change anyway, because their tokens have "
        "moved; only the last output is asked.",
        (_BLIND, _SEES),
    ),
    Mistake(
        prefix_first_place,
        "You look at the first output, where another token stands now. The last one is asked.",
        (_BLIND, _SEES),
    ),
    Mistake(
        prefix_last_feature,
        "[..., -1] is the last feature of every token. The last token lies along the second axis.",
        (_BLIND, _SEES),
    ),
    Mistake(
        prefix_last_sequence_only,
        "You measure only the last sequence of the batch. All of them count.",
        (_SEES,),
    ),
    Mistake(
        prefix_mean,
        "This is the mean change. Asked is the largest, so that one number that moves cannot hide "
        "among many that do not.",
        (_SEES,),
    ),
    Mistake(
        prefix_length_of_the_change,
        "A norm adds up all changes, so it grows with B and D. Asked is the largest single one.",
        (_SEES,),
    ),
    Mistake(
        prefix_signed,
        "The largest change may be one below 0. Drop the sign before you look for it.",
        (_SEES,),
    ),
    Mistake(
        prefix_order_read_backwards,
        "You send token t to place order[t]. Asked is the other way: place t receives token "
        "order[t].",
        (_SEES,),
    ),
    Mistake(
        prefix_own_order,
        "The argument order changes nothing: you reorder the prefix in a way of your own.",
        (_SEES,),
    ),
    Mistake(
        prefix_in_place,
        "You write into x, which belongs to the caller. Build a new tensor, for example with "
        "torch.cat.",
        (_BLIND, _SEES),
    ),
)
