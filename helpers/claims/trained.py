"""Claims about what an encoder learns: a few models for each seed, all trained within seconds.

Two tasks with symbols drawn at random, so that only positions lead to the answer: *shift*, say the
symbol three places back, and *reverse*, say the text backwards. Guessing is right once in 8.
"""

from __future__ import annotations

import math
import statistics
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Generator, Tensor
from torch.nn import Module

from helpers.claims.order import best_wave, longest_text
from helpers.claims.sizes import table_share
from helpers.claims.small import TASKS, accuracy, fit, form, fresh, hits, trained
from helpers.corpora import LagLanguage, MaskedBatch, Task, TreeLanguage
from helpers.encodings import (
    create,
    offset_profile,
    prepare_positions,
    sinusoidal_table,
    tree_offsets,
)
from helpers.model.encoder import Encoder
from helpers.training import evaluate, masked_loss

SMOOTH = 10  # steps over which a loss is averaged
LEVEL = 0.5  # nats: below it a task counts as learned; guessing is at ln 8


def steps_to(losses: list[float], level: float = LEVEL) -> int:
    """The first step after which the mean of the last 10 losses is below `level`, in nats."""
    for step in range(SMOOTH, len(losses) + 1):
        if statistics.fmean(losses[step - SMOOTH : step]) < level:
            return step
    return len(losses)


class _LearnedError(Exception):
    """The loss is below its level, which is what the run was for."""


def steps_to_learn(kind: str, seed: int, full: bool = False, norm: float | None = None) -> int:
    """`steps_to` of the losses of `trained` on *shift*, with a run that ends there."""
    size, task, text = form(full), TASKS["shift"], Generator().manual_seed(seed)
    model = fresh(kind, task, seed, size, 2 * size.length, norm)
    losses: list[float] = []

    def watched(model: Module, batch: MaskedBatch) -> Tensor:
        loss = masked_loss(model, batch)
        losses.append(loss.item())
        if len(losses) >= SMOOTH and statistics.fmean(losses[-SMOOTH:]) < LEVEL:
            raise _LearnedError
        return loss

    with suppress(_LearnedError):
        fit(model, lambda: task.batch(size.batch, size.length, text), size, watched)
    return len(losses)


def price_of_learning(seed: int, full: bool = False) -> dict[str, float]:
    """Share of the table in BERT base (%), and how many times the steps it takes to learn (×).

    Steps until the loss on *shift* falls below 0.5 nats: those of a learned table over those of
    sinusoids and over those of Shaw's vectors by offset, means of 12 runs (4 of sinusoids). How
    long the rows are beside the vectors of the words changes the steps of both tables, so both
    begin with the length of a word's: in BERT, words and positions begin alike (Devlin et al. 2018,
    section 3, and its code), and Vaswani et al. 2017, section 3.4, scale the words to the size of
    the sinusoids. *long rows*: the first ratio with both as long as unscaled sinusoids are, √(D/2).
    *short rows over Shaw*: the second with rows of 0.02·√D. Means of 4 runs each. Shaw et al. 2018,
    equation 4.
    """

    def steps(kind: str, runs: int, norm: float | None = None) -> float:
        seeds = (seed + 1000 * n for n in range(runs))
        return statistics.fmean(steps_to_learn(kind, each, full, norm) for each in seeds)

    table, shaw = steps("learned", 12, 1), steps("shaw_keys", 12)
    long = math.sqrt(form(full).width / 2)
    return {
        "share of the parameters": table_share(),
        "steps over sinusoids": table / steps("sinusoidal", 4, 1),
        "steps over Shaw": table / shaw,
        "long rows": steps("learned", 4, long) / steps("sinusoidal", 4, long),
        "short rows over Shaw": steps("learned", 4) / shaw,
    }


def inside_and_beyond(task: str, kind: str, seed: int, full: bool) -> tuple[float, float]:
    """Accuracy (%) at the positions trained on, and at as many more of a text twice as long."""
    model, _ = trained(task, kind, seed, full)
    size = form(full)
    inside = accuracy(hits(model, task, size.length))
    return 100 * inside, 100 * accuracy(hits(model, task, 2 * size.length), size.length)


def offsets_from_a_table(seed: int, full: bool = False) -> dict[str, float]:
    """Accuracy (%) of a learned table on *shift*: *inside*, at the positions trained on; *beyond*.

    *neighbours*: mean dot product of two neighbouring rows, relative to that of a row with itself.
    *weight three back*: the attention weight of what stands three positions back, mean over heads.
    Wang and Chen 2020 (2010.04903), figure 1, show such tables of trained language models; here the
    task needs nothing but the offset.
    """
    inside, beyond = inside_and_beyond("shift", "learned", seed, full)
    model, _ = trained("shift", "learned", seed, full)
    return {
        "inside": inside,
        "beyond": beyond,
        "neighbours": likeness(seed, full)[1].item(),
        "weight three back": who_looks_where(model, form(full).length).diagonal(-3).mean().item(),
    }


@torch.no_grad()
def who_looks_where(model: Encoder, length: int) -> Tensor:
    """Attention weight of query i on key j in the first layer, mean of heads and texts, (T, T)."""
    layer: Any = model.layers[0]
    text = TASKS["shift"].batch(500, length, Generator().manual_seed(20_000)).inputs
    at = prepare_positions(text)
    x: Tensor = layer.norms[0](model.position.embed(model.tokens(text), at))
    weights: Tensor = layer.attention.weights(x)
    return weights.mean((0, 1))


@torch.no_grad()
def between_positions(model: Encoder) -> Tensor:
    """W of each head, (H, D, D), float64: P·W·Pᵀ is what two positions add to the first scores.

    W_Q·W_Kᵀ, with the LayerNorm before it: it takes each row's mean away and weighs the columns. It
    also divides by the size of word and position together, which no W can do.
    """
    layer: Any = model.layers[0]
    heads, width = model.position.num_heads, model.position.d_model
    centred = (torch.eye(width) - 1 / width) * layer.norms[0].weight
    q, k, _ = (centred @ layer.attention.qkv.weight.T).unflatten(-1, (3, heads, -1)).unbind(1)
    return torch.einsum("chd,ehd->hce", q, k).double()


def fourier_terms(seed: int, full: bool = False) -> dict[str, float]:
    """Whether a learned table learns offsets, and whether its columns become sums of sine waves.

    *inside*: accuracy (%) on *shift*. *waves*: `best_wave` of its rows, 0 to 1. Two controls:
    *mixed sinusoids*, the same of sinusoids behind a random matrix, whose products of two rows no
    longer depend on the offset alone; *as drawn*, the same of the table before training. Wang and
    Chen 2020 (2010.04903), figure 1.
    """
    size = form(full)
    models = {
        "waves": trained("shift", "learned", seed, full)[0],
        "as drawn": fresh("learned", TASKS["shift"], seed, size, 2 * size.length),
    }
    found = {"inside": inside_and_beyond("shift", "learned", seed, full)[0]}
    for name, model in models.items():
        rows = model.position.get_parameter("table")[: size.length].detach().double()
        found[name] = best_wave(rows)
    draw = Generator().manual_seed(seed)
    mixing = torch.randn(size.width, size.width, generator=draw, dtype=torch.float64)
    found["mixed sinusoids"] = best_wave(sinusoidal_table(size.length, size.width) @ mixing)
    return found


def learned_against_others(seed: int, full: bool = False) -> dict[str, float]:
    """Accuracy (points of %) of a learned table, less that of another encoding.

    Against sinusoids on *shift* as trained, against Shaw's vectors on *shift* at the places beyond,
    and against the same on *reverse* as trained. Compare Vaswani et al. 2017, table 3, row (E).
    """
    table, far = inside_and_beyond("shift", "learned", seed, full)
    sinusoids, _ = inside_and_beyond("shift", "sinusoidal", seed, full)
    _, shaw_far = inside_and_beyond("shift", "shaw_keys", seed, full)
    back, _ = inside_and_beyond("reverse", "learned", seed, full)
    shaw_back, _ = inside_and_beyond("reverse", "shaw_keys", seed, full)
    return {
        "over sinusoids": table - sinusoids,
        "over Shaw, longer text": far - shaw_far,
        "over Shaw, backwards": back - shaw_back,
    }


def rows_beyond(seed: int, full: bool = False) -> dict[str, float]:
    """What a learned table of 2T rows does with texts longer than the T tokens of its training.

    *answered*: the longest text of up to 2T tokens whose last token is mostly answered right on
    *shift*, as are those of all shorter texts, over T. *let through*: the longest that raises no
    error, over T. *beyond*: accuracy (%) at positions whose rows exist but were never trained.
    Devlin et al. 2018, section 3.
    """
    trained_at = form(full).length
    model, _ = trained("shift", "learned", seed, full)
    return {
        "answered": longest_answered(model, trained_at) / trained_at,
        "let through": longest_text(model.position, 2 * trained_at + 1) / trained_at,
        "beyond": inside_and_beyond("shift", "learned", seed, full)[1],
    }


def longest_answered(model: Encoder, trained_at: int) -> int:
    """The longest text of T/2 to 2T tokens up to which the last one is mostly answered right."""
    for length in range(trained_at // 2, 2 * trained_at + 1):
        if accuracy(hits(model, "shift", length), length - 1) <= 0.5:
            return length - 1
    return 2 * trained_at


def offsets_beyond(seed: int, full: bool = False) -> dict[str, float]:
    """What vectors by offset do with a text twice as long as those trained on.

    *clipped*: accuracy (%) on *shift* at the places beyond, offsets clipped at ±8 (Shaw et al.
    2018, section 3.2). *unclipped*: the longest text (tokens) that a vector for each offset lets
    through, over the length it was built for (Huang et al. 2018, section 3.4).
    """
    rows = form(full).length
    _, beyond = inside_and_beyond("shift", "shaw_keys", seed, full)
    huang = create("huang", d_model=8, max_len=rows)
    return {"clipped": beyond, "unclipped": longest_text(huang, 2 * rows) / rows}


def accuracy_by_row(lengths: tuple[int, ...], seed: int, full: bool = False) -> Tensor:
    """Accuracy on *shift* at each position of the longest text, (T,).

    Args:
        lengths: of the batches, over and over; BERT's mix is nine short ones, then a long one.
        seed: of the weights and of the texts.
        full: the longer form.
    """
    size = replace(form(full), length=max(lengths))
    language, text = TASKS["shift"], Generator().manual_seed(seed)
    model = fresh("learned", language, seed, size, size.length)
    turns = iter(lengths * (size.steps // len(lengths) + 1))
    fit(model, lambda: language.batch(size.batch, next(turns), text), size)
    return hits(model.eval(), "shift", size.length).nanmean(0)


def quality_by_row(seed: int, full: bool = False) -> dict[str, float]:
    """Accuracy (points of %) in the first quarter of the positions less that in the last.

    *one length*: all texts have 32 tokens. *mixed*: nine batches of ten have 8, as BERT took 90 %
    of its steps at 128 tokens and the rest at 512 (Devlin et al. 2018, appendix A.2).
    """
    found = {}
    for name, lengths in {"one length": (32,), "mixed lengths": (8,) * 9 + (32,)}.items():
        rows = accuracy_by_row(lengths, seed, full)
        found[name] = 100 * (rows[:8].nanmean() - rows[24:].mean()).item()
    return found


class LagWithTrees(LagLanguage):
    """The lag language, with the offsets of a tree that has nothing to do with it."""

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """As of the lag language; `given` holds the offsets, (batch, length, length)."""
        _, parents = TreeLanguage().sample(batch, length, generator)
        masked = super().batch(batch, length, generator)
        return masked._replace(given={"offsets": tree_offsets(parents)})


def tree_against_line(seed: int, full: bool = False) -> dict[str, float]:
    """Loss (nats) of Shaw's vectors by offset in the line, less that by offset in a tree.

    *tree text*: each word follows from the one it hangs on, in random order. *line text*: it
    follows from the one three places back, and the tree is random. Wang et al. 2019 (1909.00383),
    section 3.
    """

    def loss(task: Task) -> float:
        size = replace(form(full), length=12)
        text = Generator().manual_seed(seed)
        model = fresh("shaw_keys", task, seed, size, size.length)
        fit(model, lambda: task.batch(size.batch, size.length, text), size)
        return evaluate(model, task.batch(500, size.length, Generator().manual_seed(10_000))).loss

    return {
        "tree text": loss(TreeLanguage(told="nothing")) - loss(TreeLanguage()),
        "line text": loss(LagLanguage()) - loss(LagWithTrees()),
    }


def likeness(seed: int, full: bool = False) -> Tensor:
    """Mean dot product of two rows of a table that has learned *shift*, by offset; (T,).

    Relative to offset 0; of the rows that were trained.
    """
    model, _ = trained("shift", "learned", seed, full)
    rows = model.position.get_parameter("table")[: form(full).length]
    return offset_profile(rows.detach().double())
