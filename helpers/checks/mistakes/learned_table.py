"""Unit 03: what people write instead of the module with a trained table."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.encodings import Encoding


class RightTable(Encoding):
    """The right module, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, std=0.02):
        super().__init__(d_model, num_heads, max_len)
        self.keep(self.first(max_len, d_model, std))

    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * std

    def keep(self, rows):
        self.table = nn.Parameter(rows)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def rows(self, x, positions):
        return self.table[: x.shape[1]] if positions is None else self.table[positions]

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows(x, positions)


class rows_as_a_plain_tensor(RightTable):
    def keep(self, rows):
        self.table = rows


class rows_as_a_tensor_with_gradient(RightTable):
    def keep(self, rows):
        self.table = rows.requires_grad_()


class rows_as_a_buffer(RightTable):
    def keep(self, rows):
        self.register_buffer("table", rows)


class rows_detached(RightTable):
    def rows(self, x, positions):
        return super().rows(x, positions).detach()


class rows_begin_with_std_one(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model)


class rows_always_begin_with_the_same_std(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * 0.02


class rows_begin_with_std_as_variance(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(max_len, d_model) * std**0.5


class rows_begin_at_zero(RightTable):
    def first(self, max_len, d_model, std):
        return torch.zeros(max_len, d_model)


class rows_begin_uniform(RightTable):
    def first(self, max_len, d_model, std):
        return torch.rand(max_len, d_model) * std


class rows_counted_from_one(RightTable):
    def rows(self, x, positions):
        wanted = torch.arange(1, x.shape[1] + 1) if positions is None else positions
        return self.table[wanted]


class rows_along_the_batch(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


class rows_all_added_at_once(RightTable):
    def rows(self, x, positions):
        return self.table if positions is None else self.table[positions]


class rows_counted_by_the_width(RightTable):
    def embed(self, x, positions=None):
        length = x.shape[-1]
        self.check(length)
        return x + (self.table[:length] if positions is None else self.table[positions])


class rows_and_columns_swapped(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model, max_len) * std


class rows_are_one_row(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model) * std

    def rows(self, x, positions):
        return self.table


class rows_told_are_ignored(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


class rows_without_the_tokens(RightTable):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows(x, positions).expand_as(x)


class rows_added_in_place(RightTable):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows(x, positions)
        return x


class rows_missing_one_too_early(RightTable):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


class rows_missing_fail_by_accident(RightTable):
    def check(self, length):
        pass


class rows_missing_begin_again(RightTable):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


_ROWS, _CHOSEN, _TRAINED = (
    "adds row p at position p",
    "adds the rows it is told to",
    "the rows are trained",
)
_START, _LONG = "the rows start with the std asked for", "says when there is no row"
TABLE = (
    Mistake(
        rows_as_a_plain_tensor,
        "The rows are an ordinary attribute. An optimiser is given module.parameters(), and your "
        "rows are not among them: they would stay random.",
        (_TRAINED,),
    ),
    Mistake(
        rows_as_a_tensor_with_gradient,
        "requires_grad gives the rows a gradient, but only an nn.Parameter is found by "
        "module.parameters(), moved by .to(device) and saved.",
        (_TRAINED,),
    ),
    Mistake(
        rows_as_a_buffer,
        "A buffer moves with the module and is not trained. That was right for sinusoids; these "
        "rows have to be learned.",
        (_TRAINED,),
    ),
    Mistake(
        rows_detached,
        "The rows are a Parameter, but no gradient comes back to them: something on the way "
        "(detach, .data, no_grad) cuts it off.",
        (_TRAINED,),
    ),
    Mistake(
        rows_begin_with_std_one,
        "Your numbers begin with a standard deviation of 1, the argument std is not used. "
        "(nn.Embedding and torch.randn both begin so.)",
        (_START,),
    ),
    Mistake(
        rows_always_begin_with_the_same_std,
        "0.02 is only the default. Another std has to change how your rows begin.",
        (_START,),
    ),
    Mistake(
        rows_begin_with_std_as_variance,
        "Your rows begin with the variance std. std is the standard deviation: what a number of "
        "size 1 is multiplied by.",
        (_START,),
    ),
    Mistake(
        rows_begin_at_zero,
        "All your rows begin equal, so at first no position differs from another. Draw them at "
        "random.",
        (_START,),
    ),
    Mistake(
        rows_begin_uniform,
        "torch.rand is uniform between 0 and 1, so your rows share a mean above 0. Draw from a "
        "normal distribution around 0.",
        (_START,),
    ),
    Mistake(
        rows_counted_from_one,
        "Your first token gets row 1, and row 0 is never used. Positions count from 0.",
        (_ROWS, _LONG),
    ),
    Mistake(
        rows_along_the_batch,
        "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
        "positions are its second axis.",
        (_ROWS,),
    ),
    Mistake(
        rows_all_added_at_once,
        "You add the whole table, which has max_len rows; a shorter text needs only as many as it "
        "has tokens.",
        (_ROWS, _TRAINED),
    ),
    Mistake(
        rows_counted_by_the_width,
        "You take the last axis of x for its length. x is (B, T, D): the last axis is the width.",
        (_ROWS, _TRAINED, _LONG),
    ),
    Mistake(
        rows_and_columns_swapped,
        "Your table is (D, max_len). Indexing takes from the first axis, and there the positions "
        "should be.",
        (_ROWS, _CHOSEN, _TRAINED, _LONG),
    ),
    Mistake(
        rows_are_one_row,
        "Your Parameter is one vector, added at every position alike. Each position has a row of "
        "its own.",
        (_ROWS, _CHOSEN, _TRAINED, _START),
    ),
    Mistake(
        rows_told_are_ignored,
        "The argument positions changes nothing. Where it is given, token t gets the row "
        "positions[…, t].",
        (_CHOSEN,),
    ),
    Mistake(
        rows_without_the_tokens,
        "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
        (_ROWS, _CHOSEN),
    ),
    Mistake(
        rows_added_in_place,
        "x += … changes the caller's tensor. Return a new one: x + …",
        (_TRAINED,),
    ),
    Mistake(
        rows_missing_one_too_early,
        "max_len rows are enough for T = max_len; only a longer text has no row for its end.",
        (_LONG,),
    ),
    Mistake(
        rows_missing_fail_by_accident,
        "A text that is too long ends in an error of another kind. Compare T with max_len first, "
        "and raise a ValueError that names both.",
        (_LONG,),
    ),
    Mistake(
        rows_missing_begin_again,
        "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
        "ValueError instead.",
        (_LONG,),
    ),
)
