"""Unit 04, “Learned vectors by offset”: what it asks, and what people write instead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import torch
from torch import Generator, Tensor, nn

from helpers import encodings
from helpers.checks.engine import Answer, Case, Exercise, Part
from helpers.checks.relative import common
from helpers.encodings import Encoding


def _built(answer: Answer, numbers: dict[str, Tensor]) -> Any:
    """The module for D = 20 and k = 3, with known vectors in its tables."""
    heads = 20 // next(iter(numbers.values())).shape[1]
    module = answer(d_model=20, num_heads=heads, max_len=12, k=3)
    for name, table in numbers.items():
        getattr(module, name).data.copy_(table)
    return module


def _hook_case(rng: Random, name: str, length: int, words: str, offsets: Tensor | None) -> Case:
    """`scores` or `context` of the module, its table filled with the numbers drawn here."""
    heads = rng.choice((2, 4))
    width = 20 // heads
    q, k = (common.normal_numbers(rng, 3, heads, length, width) for _ in range(2))
    weights = common.normal_numbers(rng, 3, heads, length, length).softmax(-1)
    table = common.normal_numbers(rng, 7, width)

    def ask(answer: Answer) -> Any:
        if name == "scores":
            return _built(answer, {"keys": table}).scores(q.clone(), k.clone(), offsets)
        return _built(answer, {"values": table}).context(weights.clone(), offsets)

    return Case(f"{name} with k=3, B=3, H={heads}, T={length}{words}", ask)


def _hook(rng: Random, name: str) -> Iterator[Case]:
    yield _hook_case(rng, name, rng.randint(7, 9), "", None)
    yield _hook_case(rng, name, rng.randint(14, 16), ", which is beyond max_len=12", None)


def _given(rng: Random) -> Iterator[Case]:
    length = rng.randint(6, 8)
    draw = Generator().manual_seed(rng.randrange(2**31))
    trees = torch.randint(-6, 7, (3, length, length), generator=draw)
    for name in ("scores", "context"):
        yield _hook_case(rng, name, length, ", offsets of shape (T, T)", trees[0])
        yield _hook_case(rng, name, length, ", offsets of shape (B, T, T)", trees)


def _tables(rng: Random) -> Iterator[Case]:
    heads, k = rng.choice((2, 4)), rng.randint(3, 6)

    def ask(answer: Answer) -> dict[str, bool]:
        module = answer(d_model=20, num_heads=heads, max_len=12, k=k)
        seen = {
            "it is an Encoding that knows its heads": isinstance(module, encodings.Encoding)
            and getattr(module, "num_heads", 0) == heads
        }
        parameters = dict(module.named_parameters(remove_duplicate=False))
        wanted = (2 * k + 1, 20 // heads)
        for name in ("keys", "values"):
            seen[f"{name} moves with the module"] = name in module.state_dict()
            seen[f"{name} is a Parameter"] = name in parameters
            seen[f"{name} has the shape {wanted}"] = getattr(module, name).shape == wanted
        seen["keys and values are two tables"] = module.keys is not module.values
        wide = answer(d_model=256, num_heads=4, max_len=12, k=32)  # numbers enough to measure
        for name in ("keys", "values"):
            size = getattr(wide, name).std().item() * 64**0.5
            seen[f"{name} begins with a standard deviation of 1/√d"] = 0.8 < size < 1.25
        return seen

    yield Case(f"the tables with k={k}, D=20, H={heads}", ask)


module = Exercise(
    "module",
    encodings.Shaw,
    (
        Part("scores: q_i · w^K by offset", 1, partial(_hook, name="scores")),
        Part("context: Σ α_ij w^V by offset", 1, partial(_hook, name="context")),
        Part("offsets that are given", 0.5, _given),
        Part("two tables to be trained", 0.5, _tables),
    ),
    forbidden=(*common.MODULES, *common.TERMS),
)


class RightShaw(Encoding):
    """The right class, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        self.fill()

    def fill(self):
        self.keys, self.values = self.table(), self.table()

    def table(self):
        return nn.Parameter(torch.randn(2 * self.k + 1, self.head_width) / self.head_width**0.5)

    def offsets(self, length):
        places = torch.arange(length)
        return places[None, :] - places[:, None]

    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        rows = found.clamp(-self.k, self.k) + self.k
        return rows if rows.dim() == 2 else rows[:, None]

    def scores(self, q, k, offsets=None):
        products = q @ self.keys.transpose(-2, -1)
        return products.gather(-1, self.rows(q, offsets).expand(*q.shape[:3], -1))

    def context(self, weights, offsets=None):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, offsets).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.values


@module.mistake(
    "context adds nothing, so no value knows its offset: Shaw's equation 3 is missing.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given"),
)
class values_forgotten(RightShaw):
    def context(self, weights, offsets=None):
        return None


@module.mistake(
    "keys and values are one table under two names. The first is there to be compared with, "
    "the second to be passed on: each needs its own vectors.",
    loses="two tables to be trained",
)
class one_table_for_both(RightShaw):
    def fill(self):
        self.keys = self.values = self.table()


@module.mistake(
    "Your vectors are D wide. They are added to the keys and values of a head, which are "
    "d = D/H wide: self.head_width."
)
class vectors_as_wide_as_the_model(RightShaw):
    def table(self):
        return nn.Parameter(torch.randn(2 * self.k + 1, self.d_model))


@module.mistake(
    "You have a table for each head. Shaw shares one among all heads; T5's numbers are "
    "separate for each head.",
    loses="two tables to be trained",
)
class a_table_for_each_head(RightShaw):
    def table(self):
        return nn.Parameter(torch.randn(self.num_heads, 2 * self.k + 1, self.head_width))


@module.mistake(
    "Plain tensors are not found by the optimizer: your vectors would stay as they were "
    "drawn. Make them Parameters.",
    loses="two tables to be trained",
)
class tables_as_plain_tensors(RightShaw):
    def table(self):
        return torch.randn(2 * self.k + 1, self.head_width)


@module.mistake(
    "A buffer moves with the model but is not trained. These vectors are learned: Parameters.",
    loses="two tables to be trained",
)
class tables_as_buffers(RightShaw):
    def fill(self):
        self.register_buffer("keys", torch.randn(2 * self.k + 1, self.head_width))
        self.register_buffer("values", torch.randn(2 * self.k + 1, self.head_width))


@module.mistake(
    "keys and values are layers here. nn.Embedding keeps its table one step further in, as "
    "its weight; asked are the tables themselves, as Parameters."
)
class tables_as_embedding_layers(RightShaw):
    def table(self):
        return nn.Embedding(2 * self.k + 1, self.head_width)


@module.mistake(
    "You scale the term by 1/√d. The attention does that to the sum of both terms, so yours "
    "would be scaled twice.",
    loses=("scores: q_i · w^K by offset", "offsets that are given"),
)
class scaled_in_the_hook(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(q, k, offsets) * self.scale


@module.mistake(
    "You scale in context. 1/√d belongs to the scores, before the softmax; the weights need none.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given"),
)
class scaled_in_context(RightShaw):
    def context(self, weights, offsets=None):
        return super().context(weights, offsets) * self.scale


@module.mistake(
    "In scores, k is the keys, a tensor. The clip is self.k.",
    loses=("scores: q_i · w^K by offset", "offsets that are given"),
)
class clipped_at_the_keys(RightShaw):
    def scores(self, q, k, offsets=None):
        offsets = self.offsets(q.shape[2]) if offsets is None else offsets
        rows = offsets.clamp(-k, k) + k
        return (q @ self.keys.T).gather(-1, rows)


@module.mistake(
    "Your scores contain q·k as well. The attention has that already; the hook gives only "
    "what is added.",
    loses=("scores: q_i · w^K by offset", "offsets that are given"),
)
class content_added_again(RightShaw):
    def scores(self, q, k, offsets=None):
        return q @ k.transpose(-2, -1) + super().scores(q, k, offsets)


@module.mistake(
    "You multiply the keys with the vectors. In equation 4 the vector stands on the key's "
    "side, so it meets the query.",
    loses=("scores: q_i · w^K by offset", "offsets that are given"),
)
class asked_by_the_key(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(k, q, offsets)


@module.mistake(
    "Without given offsets you use i − j. Shaw's sign is j − i, key minus query.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
)
class sign_of_i_minus_j(RightShaw):
    def offsets(self, length):
        places = torch.arange(length)
        return places[:, None] - places[None, :]


@module.mistake(
    "The argument offsets changes nothing. Where it is given it replaces j − i.",
    loses="offsets that are given",
)
class given_offsets_ignored(RightShaw):
    def rows(self, x, offsets):
        return super().rows(x, None)


@module.mistake(
    "Given offsets may lie beyond k too. Clip them like your own before they become rows.",
    loses="offsets that are given",
)
class given_offsets_not_clipped(RightShaw):
    def rows(self, x, offsets):
        if offsets is None:
            return super().rows(x, None)
        return offsets + self.k if offsets.dim() == 2 else offsets[:, None] + self.k


@module.mistake(
    "All sentences use the offsets of the first. Where offsets is (B, T, T), each has its own.",
    loses="offsets that are given",
)
class one_tree_for_all_sentences(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 3:
            offsets = offsets[0]
        return super().rows(x, offsets)


@module.mistake(
    "Offsets of shape (B, T, T) have no axis for the heads, and from the right B would meet "
    "H. Put one in: offsets[:, None].",
    loses="offsets that are given",
)
class heads_of_a_batch_of_trees_forgotten(RightShaw):
    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        return found.clamp(-self.k, self.k) + self.k


@module.mistake(
    "Your rows end at max_len, so a longer text fails. With a clip, 2k + 1 vectors serve any "
    "length: make the offsets for the T at hand.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
)
class length_bound_to_max_len(RightShaw):
    def offsets(self, length):
        return super().offsets(self.max_len)[:length, :length]
