"""Unit 03, “A table that learns”: how people keep the rows instead, and how these begin."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.learned.table import RightTable, table


@table.mistake(
    "The rows are an ordinary attribute. An optimiser is given module.parameters(), and your "
    "rows are not among them: they would stay random.",
    loses=("the rows are trained", "dtype and gradients"),
)
class rows_as_a_plain_tensor(RightTable):
    def keep(self, rows):
        self.table = rows


@table.mistake(
    "requires_grad gives the rows a gradient, but only an nn.Parameter is found by "
    "module.parameters(), moved by .to(device) and saved.",
    loses="the rows are trained",
)
class rows_as_a_tensor_with_gradient(RightTable):
    def keep(self, rows):
        self.table = rows.requires_grad_()


@table.mistake(
    "A buffer moves with the module and is not trained. That was right for sinusoids; these "
    "rows have to be learned.",
    loses=("the rows are trained", "dtype and gradients"),
    breaks="x + row p of a trained table",
)
class rows_as_a_buffer(RightTable):
    def keep(self, rows):
        self.register_buffer("table", rows)


@table.mistake(
    "The rows are a Parameter, but no gradient comes back to them: something on the way "
    "(detach, .data, no_grad) cuts it off.",
    loses=("the rows are trained", "dtype and gradients"),
)
class rows_detached(RightTable):
    def rows(self, x, positions):
        return super().rows(x, positions).detach()


@table.mistake(
    "Your rows begin with a standard deviation of 1: the argument std is not used. (nn.Embedding "
    "and torch.randn draw with 1.)",
    loses="the rows start with the std asked for",
)
class rows_begin_with_std_one(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model)


@table.mistake(
    "0.02 is only the default. Another std must change the initial values of your rows.",
    loses="the rows start with the std asked for",
)
class rows_always_begin_with_the_same_std(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * 0.02


@table.mistake(
    "You use std as the variance. It is the standard deviation: multiply standard normal "
    "numbers by it.",
    loses="the rows start with the std asked for",
)
class rows_begin_with_std_as_variance(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * std**0.5


@table.mistake(
    "All your rows are equal at the start, so no position differs from another. Draw them at "
    "random.",
    loses="the rows start with the std asked for",
)
class rows_begin_at_zero(RightTable):
    def first(self, max_len, d_model, std):
        return torch.zeros(max_len, d_model)


@table.mistake(
    "torch.rand is uniform between 0 and 1, so the mean of your rows is above 0. Draw from a "
    "normal distribution around 0.",
    loses="the rows start with the std asked for",
)
class rows_begin_uniform(RightTable):
    def first(self, max_len, d_model, std):
        return torch.rand(max_len, d_model) * std


@table.mistake(
    "A Parameter times a number is no longer a Parameter: the rows that you keep are the result "
    "of a computation, and the Parameter itself is lost. Multiply inside nn.Parameter(…).",
    loses=("the rows are trained", "dtype and gradients"),
    breaks="one `nn.Parameter`",
)
class rows_as_a_multiple_of_a_parameter(RightTable):
    def first(self, max_len, d_model, std):
        return nn.Parameter(torch.randn(max_len, d_model)) * std

    def keep(self, rows):
        self.table = rows


@table.mistake(
    "There is a Parameter, but the rows that you add were computed from it once, in __init__. "
    "When training changes the Parameter, they stay as they were.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "the rows start with the std asked for",
        "dtype and gradients",
    ),
)
class rows_computed_once(RightTable):
    def keep(self, rows):
        self.weight = nn.Parameter(rows / rows.std())
        self.table = self.weight * rows.std().item()


@table.mistake(
    "The tails of your distribution are cut off, as in BERT's code, which does so at two "
    "standard deviations. The exercise asks for a normal distribution that is not truncated.",
    loses="the rows start with the std asked for",
    breaks="not truncated",
)
class rows_begin_without_tails(RightTable):
    def first(self, max_len, d_model, std):
        return nn.init.trunc_normal_(torch.empty(max_len, d_model), 0, std, -2 * std, 2 * std)


@table.mistake(
    "The standard deviation is right, the distribution is not: yours is uniform, so no number "
    "is far from 0. Draw from a normal distribution.",
    loses="the rows start with the std asked for",
    breaks="from a normal distribution",
)
class rows_begin_uniform_with_the_right_std(RightTable):
    def first(self, max_len, d_model, std):
        return (torch.rand(max_len, d_model) * 2 - 1) * std * 3**0.5


@table.mistake(
    "Each new module begins with the same numbers: nothing is drawn, or a generator is set to "
    "the same seed. Draw new ones each time.",
    loses="the rows start with the std asked for",
    breaks="every new module draws independently",
)
class rows_begin_from_one_seed(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model, generator=torch.Generator().manual_seed(0)) * std


@table.mistake(
    "All your rows are equal at the start, so no position differs from another. Draw each "
    "number of the table on its own.",
    loses="the rows start with the std asked for",
)
class rows_begin_as_one_row(RightTable):
    def first(self, max_len, d_model, std):
        return (torch.randn(d_model) * std).repeat(max_len, 1)


@table.mistake(
    "All numbers of a row, or of a column, are equal at the start: only one number is drawn "
    "for it. Draw each number of the table on its own.",
    loses="the rows start with the std asked for",
)
class rows_begin_as_one_number_each(RightTable):
    def first(self, max_len, d_model, std):
        return (torch.randn(max_len, 1) * std).repeat(1, d_model)


@table.mistake(
    "Your rows are as wide as a head, with one for each head. They are added before anything "
    "is split into heads: a row has d_model numbers.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "the rows start with the std asked for",
        "dtype and gradients",
    ),
    breaks="with `max_len` rows of `d_model` entries",
)
class rows_as_wide_as_a_head(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, self.head_dim) * std

    def rows(self, x, positions):
        return torch.cat([super().rows(x, positions)] * self.num_heads, -1)


@table.mistake(
    "Your Parameter does not require gradients, so no optimiser will change it.",
    loses=("the rows are trained", "dtype and gradients"),
)
class rows_as_a_frozen_parameter(RightTable):
    def keep(self, rows):
        self.table = nn.Parameter(rows, requires_grad=False)


@table.mistake(
    "You convert the Parameter itself. After one text in bfloat16 the module keeps its rows in "
    "bfloat16, for all texts to come: convert only the rows that you add.",
    loses="dtype and gradients",
    breaks="The sum is computed in the dtype of $x$",
)
class rows_converted_for_good(RightTable):
    def rows(self, x, positions):
        self.table.data = self.table.data.to(x.dtype)
        return super().rows(x, positions)


@table.mistake(
    "You have one Parameter too many: something besides the table is trained. Only the rows "
    "should be.",
    loses="the rows are trained",
    breaks="Nothing else is trained",
)
class rows_with_a_trained_scale(RightTable):
    def keep(self, rows):
        self.table = nn.Parameter(rows)
        self.gain = nn.Parameter(torch.ones(1))

    def rows(self, x, positions):
        return super().rows(x, positions) * self.gain


@table.mistake(
    "Your class is a plain nn.Module. A class that inherits from Encoding has the attributes "
    "and methods that the course's model uses.",
    loses="the rows are trained",
    breaks="as an `Encoding`",
)
class rows_of_no_encoding(nn.Module):
    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__()
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)

    def embed(self, x, positions):
        length, max_len = x.shape[1], len(self.table)
        if length > max_len:
            raise ValueError(f"T={length} is beyond max_len={max_len}")
        return x + self.table[positions.queries].to(x.dtype)
