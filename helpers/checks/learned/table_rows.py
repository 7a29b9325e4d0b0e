"""Unit 03, “A table that learns”: what people add to the tokens instead."""

from __future__ import annotations

import torch

from helpers.checks.learned.table import RightTable, table
from helpers.checks.positions import given


@table.mistake(
    "Your first token gets row 1, and row 0 is never used. Positions are counted from 0.",
    loses=("adds row p at position p", "says when there is no row"),
)
class rows_counted_from_one(RightTable):
    def rows(self, x, positions):
        wanted = torch.arange(1, x.shape[1] + 1) if positions is None else positions
        return self.table[wanted]


@table.mistake(
    "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
    "positions are its second axis.",
    loses=("adds row p at position p", "says when there is no row"),
)
class rows_along_the_batch(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


@table.mistake(
    "You add the whole table, which has max_len rows; a shorter text needs only as many as it "
    "has tokens.",
    loses=(
        "adds row p at position p",
        "the rows are trained",
        "dtype and gradients",
        "says when there is no row",
    ),
)
class rows_all_added_at_once(RightTable):
    def rows(self, x, positions):
        return self.table if positions is None else self.table[positions]


@table.mistake(
    "You use the last axis of x as the length. x is (B, T, D): the last axis is the width.",
    loses=(
        "adds row p at position p",
        "the rows are trained",
        "dtype and gradients",
        "says when there is no row",
    ),
)
class rows_counted_by_the_width(RightTable):
    def embed(self, x, positions):
        length = x.shape[-1]
        self.check(length)
        chosen = self.table[:length] if positions.ordered else self.table[positions.queries]
        return x + chosen.to(x.dtype)


@table.mistake(
    "Your table is (D, max_len). Indexing selects along the first axis, so the positions "
    "should be there.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "dtype and gradients",
        "says when there is no row",
    ),
)
class rows_and_columns_swapped(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model, max_len) * std


@table.mistake(
    "Your Parameter is one vector, added at every position alike. Each position has a row of "
    "its own.",
    loses=(
        "adds row p at position p",
        "adds the rows it is told to",
        "the rows are trained",
        "the rows start with the std asked for",
        "dtype and gradients",
    ),
)
class rows_are_one_row(RightTable):
    def first(self, max_len, d_model, std):
        return torch.randn(d_model) * std

    def rows(self, x, positions):
        return self.table


@table.mistake(
    "The argument positions changes nothing. Token t gets the row positions.queries[…, t].",
    loses="adds the rows it is told to",
    breaks="plus the rows `positions.queries`",
)
class rows_told_are_ignored(RightTable):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


@table.mistake(
    "Where there are as many positions as sequences, you give each sequence one of them. "
    "Positions of shape (T,) are the same for all sequences, also where T = B: look at how "
    "many axes they have.",
    loses="adds the rows it is told to",
    breaks="of shape $(T,)$ or $(B, T)$",
)
class rows_told_are_taken_for_one_per_sequence(RightTable):
    def rows(self, x, positions):
        rows = super().rows(x, positions)
        if positions is not None and positions.dim() == 1 and len(positions) == len(x):
            return rows[:, None]
        return rows


@table.mistake(
    "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
    loses=("adds row p at position p", "adds the rows it is told to", "dtype and gradients"),
)
class rows_without_the_tokens(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return self.rows(x, given(positions)).expand_as(x).to(x.dtype)


@table.mistake(
    "x += … changes the caller's tensor. Return a new one: x + …",
    loses=("adds row p at position p", "adds the rows it is told to", "dtype and gradients"),
)
class rows_added_in_place(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        x += self.rows(x, given(positions)).to(x.dtype)
        return x


@table.mistake(
    "Your embed changes the caller's x: it calls requires_grad_() on it, or writes into it where "
    "no gradient is asked for. x + rows is a new tensor, and a gradient reaches x by itself.",
    loses=("adds row p at position p", "adds the rows it is told to"),
    breaks="neither $x$ nor `positions` is changed",
)
class rows_ask_for_gradients_of_x(RightTable):
    def embed(self, x, positions):
        if x.is_leaf:
            x.requires_grad_()
        return super().embed(x, positions)


@table.mistake(
    "max_len rows are enough for T = max_len; only a longer text has no row for its end.",
    loses=("adds row p at position p", "adds the rows it is told to", "says when there is no row"),
)
class rows_missing_one_too_early(RightTable):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


@table.mistake(
    "A text that is too long ends in some other error. Compare T with max_len first, and raise "
    "a ValueError that names both.",
    loses="says when there is no row",
    breaks="raises ValueError where T is beyond `max_len`",
)
class rows_missing_fail_by_accident(RightTable):
    def check(self, length):
        pass


@table.mistake(
    "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
    "ValueError instead.",
    loses="says when there is no row",
)
class rows_missing_begin_again(RightTable):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


@table.mistake(
    "You check the length only in training mode, or only after eval(). The table has max_len "
    "rows in both.",
    loses="says when there is no row",
)
class rows_missing_told_in_training_only(RightTable):
    def check(self, length):
        if self.training:
            super().check(length)

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


@table.mistake(
    "Your error has no message, so its reader has to guess what is too long. Name T and "
    "max_len in it.",
    loses="says when there is no row",
)
class rows_missing_without_a_word(RightTable):
    def check(self, length):
        if length > self.max_len:
            raise ValueError


@table.mistake(
    "The message of your error does not have both numbers, T and max_len. With both, its "
    "reader knows what to change.",
    loses="says when there is no row",
    breaks="that names both numbers",
)
class rows_missing_without_numbers(RightTable):
    def check(self, length):
        if length > self.max_len:
            raise ValueError("the text is longer than the table")


@table.mistake(
    "A text longer than max_len must raise the error wherever its tokens stand: what "
    "counts is T, the number of tokens in x, not the largest position.",
    loses="says when there is no row",
    breaks="whatever the positions are",
)
class rows_missing_unnoticed_with_positions(RightTable):
    def embed(self, x, positions):
        if positions.ordered:
            self.check(x.shape[1])
        return x + self.rows(x, given(positions)).to(x.dtype)


@table.mistake(
    "Your result takes the wider dtype of the two: bfloat16 plus float32 is float32, which the "
    "next layer may not accept. Convert the rows to the dtype of x before you add.",
    loses="dtype and gradients",
    breaks="The sum is computed in the dtype of $x$",
)
class rows_change_the_dtype(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows(x, given(positions))


@table.mistake(
    "Your result has the dtype of the rows. It should have that of x.",
    loses="dtype and gradients",
)
class rows_impose_their_dtype(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        rows = self.rows(x, given(positions))
        return x.to(rows.dtype) + rows


@table.mistake(
    "You convert x to the dtype of the rows, add, and convert back: where the rows are in half "
    "precision, x loses digits on the way. Convert the rows to the dtype of x.",
    loses="dtype and gradients",
    breaks="The sum is computed in the dtype of $x$",
)
class rows_cost_the_precision_of_x(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        rows = self.rows(x, given(positions))
        return (x.to(rows.dtype) + rows).to(x.dtype)


@table.mistake(
    "No gradient comes back to x, so nothing before it could be trained, not even the token "
    "vectors. What cuts it off: detach, .data or no_grad?",
    loses="dtype and gradients",
    breaks="gradient reaches both $x$ and the rows",
)
class rows_added_to_a_detached_input(RightTable):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x.detach() + self.rows(x, given(positions)).to(x.dtype)


@table.mistake(
    "You write into the caller's positions. Leave them as they are.",
    loses="adds the rows it is told to",
    breaks="neither $x$ nor `positions` is changed",
)
class rows_told_are_clamped_in_place(RightTable):
    def rows(self, x, positions):
        if positions is None:
            return self.table[: x.shape[1]]
        return self.table[positions.clamp_(max=x.shape[1] - 1)]
