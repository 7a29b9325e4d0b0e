"""Unit 04, “Learned vectors by offset”: how people keep and begin the tables instead."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.relative.module import module
from helpers.checks.relative.module_hooks import RightShaw


@module.mistake(
    "keys and values are one table under two names. The first is compared with the queries, "
    "the second is passed on with the values: each needs its own vectors.",
    loses=("two tables to be trained", "how the tables begin"),
    breaks="makes two `torch.nn.Parameter`s",
)
class one_table_for_both(RightShaw):
    def fill(self):
        self.keys = self.values = self.table()


@module.mistake(
    "Your vectors are D wide. They are added to the keys and values of a head, which are "
    "d = D/H wide: self.head_dim.",
    breaks="$d$ is the width of a head",
)
class vectors_as_wide_as_the_model(RightShaw):
    def table(self):
        return nn.Parameter(torch.randn(2 * self.k + 1, self.d_model))


@module.mistake(
    "You have a table for each head. Shaw shares one among all heads; T5's numbers are "
    "separate for each head.",
    loses=("two tables to be trained", "dtype and gradients"),
    breaks="the heads share both tables",
)
class a_table_for_each_head(RightShaw):
    def table(self):
        return nn.Parameter(torch.stack([self.numbers() for _ in range(self.num_heads)]))


@module.mistake(
    "Plain tensors are not found by the optimiser: your vectors would stay as they were drawn. "
    "Make them Parameters.",
    loses=("two tables to be trained", "dtype and gradients"),
    breaks="makes two `torch.nn.Parameter`s",
)
class tables_as_plain_tensors(RightShaw):
    def table(self):
        return self.numbers()


@module.mistake(
    "A buffer moves with the model but is not trained. These vectors are learned: Parameters.",
    loses=("two tables to be trained", "dtype and gradients"),
    breaks="makes two `torch.nn.Parameter`s",
)
class tables_as_buffers(RightShaw):
    def fill(self):
        self.register_buffer("keys", self.numbers())
        self.register_buffer("values", self.numbers())


@module.mistake(
    "keys and values are layers here: nn.Embedding has its table inside, as its weight. They "
    "should be the tables themselves, as Parameters."
)
class tables_as_embedding_layers(RightShaw):
    def table(self):
        return nn.Embedding(2 * self.k + 1, self.head_dim)


@module.mistake(
    "Your tables have 2k rows: offset 0 is missing between the k to the left and the k to the "
    "right.",
    breaks="of shape $(2k+1, d)$",
)
class tables_without_offset_zero(RightShaw):
    def numbers(self):
        return super().numbers()[1:]


@module.mistake(
    "You treat a clip of 0 as if none were given, as “k or 8” and “if k” do. 0 is a clip like "
    "any other: one row, for all offsets.",
    loses=(
        "bias: q_i · w^K by offset",
        "context: Σ α_ij w^V by offset",
        "two tables to be trained",
    ),
    breaks="where $k$ may be 0",
)
class a_clip_of_zero_taken_for_none(RightShaw):
    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len, k or 8)


@module.mistake(
    "You have trained parameters besides the two tables. Shaw has no others.",
    loses="two tables to be trained",
    breaks="and no others",
)
class a_weight_for_each_head_as_well(RightShaw):
    def fill(self):
        super().fill()
        self.strengths = nn.Parameter(torch.ones(self.num_heads))


@module.mistake(
    "Your tables are Parameters that do not require gradients, so no step of training changes "
    "them.",
    loses=("two tables to be trained", "dtype and gradients"),
    breaks="gradients must reach `q`, `weights` and both tables",
)
class tables_that_are_frozen(RightShaw):
    def table(self):
        return nn.Parameter(self.numbers(), requires_grad=False)


@module.mistake(
    "Your numbers are not normally distributed, though their standard deviation is right. "
    "Uniform numbers are not, nor are truncated ones or vectors scaled to one length; "
    "torch.randn and nn.init.normal_ draw normal numbers.",
    loses="how the tables begin",
    breaks="normal numbers of mean 0 and standard deviation",
)
class tables_that_begin_uniform(RightShaw):
    def numbers(self):
        return (2 * torch.rand(2 * self.k + 1, self.head_dim) - 1) * (3 / self.head_dim) ** 0.5


@module.mistake(
    "Your numbers have a standard deviation of 1. A vector of d such numbers is √d long; divide by "
    "that.",
    loses="how the tables begin",
    breaks="normal numbers of mean 0 and standard deviation",
)
class tables_that_begin_with_a_deviation_of_1(RightShaw):
    def numbers(self):
        return torch.randn(2 * self.k + 1, self.head_dim)


@module.mistake(
    "Your standard deviation is 1/d. It should be 1/√d; 1/d is the variance.",
    loses="how the tables begin",
    breaks="normal numbers of mean 0 and standard deviation",
)
class tables_that_begin_with_a_deviation_of_1_over_d(RightShaw):
    def numbers(self):
        return torch.randn(2 * self.k + 1, self.head_dim) / self.head_dim


@module.mistake(
    "Your standard deviation is 1/√D. These vectors are as wide as a head, d = D/H.",
    loses="how the tables begin",
    breaks="normal numbers of mean 0 and standard deviation",
)
class tables_scaled_by_the_width_of_the_model(RightShaw):
    def numbers(self):
        return torch.randn(2 * self.k + 1, self.head_dim) / self.d_model**0.5


@module.mistake(
    "Your tables are initialised with zeros, so at first no offset differs from another. They "
    "should be normal numbers.",
    loses="how the tables begin",
    breaks="normal numbers of mean 0 and standard deviation",
)
class tables_that_begin_at_zero(RightShaw):
    def numbers(self):
        return torch.zeros(2 * self.k + 1, self.head_dim)


@module.mistake(
    "The same numbers occur several times within a table, as if one were drawn for a whole "
    "vector, or one half mirrored the other. Each number should be drawn independently.",
    loses="how the tables begin",
    breaks="independent normal numbers",
)
class one_number_for_a_vector(RightShaw):
    def numbers(self):
        numbers = torch.randn(2 * self.k + 1, 1) / self.head_dim**0.5
        return numbers.repeat(1, self.head_dim)


@module.mistake(
    "Each number has the right distribution, but neighbours depend on each other, as after "
    "smoothing. Each number should be drawn independently.",
    loses="how the tables begin",
    breaks="independent normal numbers",
)
class tables_that_begin_smooth(RightShaw):
    def numbers(self):
        drawn = torch.randn(2 * self.k + 2, self.head_dim + 1) / self.head_dim**0.5
        along = (drawn[1:] + drawn[:-1]) / 2**0.5
        return (along[:, 1:] + along[:, :-1]) / 2**0.5


@module.mistake(
    "Your numbers have exactly the mean, or exactly the length, that normal numbers have only on "
    "average: you standardise them, or make their vectors orthogonal. Take them as they are drawn.",
    loses="how the tables begin",
    breaks="independent normal numbers",
)
class tables_that_begin_standardised(RightShaw):
    def numbers(self):
        drawn = torch.randn(2 * self.k + 1, self.head_dim)
        alone = drawn.numel() == 1  # which has no deviation
        return drawn if alone else (drawn - drawn.mean()) / drawn.std() / self.head_dim**0.5


@module.mistake(
    "keys and values begin with the same numbers, or the numbers of one depend on those of the "
    "other: in another order, with another sign, or with something added. Draw each table "
    "separately.",
    loses="how the tables begin",
    breaks="drawn afresh for each table",
)
class tables_that_begin_alike(RightShaw):
    def fill(self):
        super().fill()
        self.values = nn.Parameter(self.keys.detach().clone())


@module.mistake(
    "Every new object begins with the same numbers, as if there were a seed in __init__. A "
    "seed belongs outside, where a training run begins.",
    loses="how the tables begin",
    breaks="drawn afresh for each table",
)
class tables_of_one_seed(RightShaw):
    def fill(self):
        torch.manual_seed(0)
        super().fill()
