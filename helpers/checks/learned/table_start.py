"""Unit 03, “A table that learns”: how people keep the rows instead, and how these begin."""

from __future__ import annotations

import torch

from helpers.checks.learned.table import RightTable, table


@table.mistake(
    "The rows are an ordinary attribute. An optimiser is given module.parameters(), and your "
    "rows are not among them: they would stay random.",
    loses="the rows are trained",
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
    loses="the rows are trained",
)
class rows_as_a_buffer(RightTable):
    def keep(self, rows):
        self.register_buffer("table", rows)


@table.mistake(
    "The rows are a Parameter, but no gradient comes back to them: something on the way "
    "(detach, .data, no_grad) cuts it off.",
    loses="the rows are trained",
)
class rows_detached(RightTable):
    def rows(self, x, positions):
        return super().rows(x, positions).detach()


@table.mistake(
    "Your numbers begin with a standard deviation of 1, the argument std is not used. "
    "(nn.Embedding and torch.randn both begin so.)",
    loses="the rows start with the std asked for",
)
class rows_begin_with_std_one(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model)


@table.mistake(
    "0.02 is only the default. Another std has to change how your rows begin.",
    loses="the rows start with the std asked for",
)
class rows_always_begin_with_the_same_std(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * 0.02


@table.mistake(
    "Your rows begin with the variance std. std is the standard deviation: what a number of "
    "size 1 is multiplied by.",
    loses="the rows start with the std asked for",
)
class rows_begin_with_std_as_variance(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * std**0.5


@table.mistake(
    "All your rows begin equal, so at first no position differs from another. Draw them at random.",
    loses="the rows start with the std asked for",
)
class rows_begin_at_zero(RightTable):
    def first(self, max_len, d_model, std):
        return torch.zeros(max_len, d_model)


@table.mistake(
    "torch.rand is uniform between 0 and 1, so your rows share a mean above 0. Draw from a "
    "normal distribution around 0.",
    loses="the rows start with the std asked for",
)
class rows_begin_uniform(RightTable):
    def first(self, max_len, d_model, std):
        return torch.rand(max_len, d_model) * std
