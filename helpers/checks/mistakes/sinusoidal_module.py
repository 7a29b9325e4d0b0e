"""Unit 02: what people write instead of the batch-first module with a buffer."""

from __future__ import annotations

import torch
from torch import nn

from helpers import encodings
from helpers.checks.exercise import Mistake
from helpers.encodings import Encoding


class RightModule(Encoding):
    """The right module, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.keep(encodings.sinusoidal_table(max_len, d_model, base).float())

    def keep(self, table):
        self.register_buffer("table", table)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def rows(self, x, positions):
        return self.table[: x.shape[1]] if positions is None else self.table[positions]

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows(x, positions)


class positions_along_the_batch(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


class one_row_for_every_position(RightModule):
    def rows(self, x, positions):
        return self.table[x.shape[1] - 1 if positions is None else positions]


class positions_given_are_ignored(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


class table_instead_of_the_sum(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows(x, positions).expand_as(x)


class input_scaled_as_well(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x * x.shape[2] ** 0.5 + self.rows(x, positions)


class table_as_a_plain_tensor(RightModule):
    def keep(self, table):
        self.table = table


class table_as_a_parameter(RightModule):
    def keep(self, table):
        self.table = nn.Parameter(table)


class rows_in_double_precision(RightModule):
    def keep(self, table):
        self.register_buffer("table", table.double())


class input_changed_in_place(RightModule):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows(x, positions)
        return x


class too_long_one_too_early(RightModule):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


class too_long_fails_by_accident(RightModule):
    def check(self, length):
        pass


class too_long_starts_again(RightModule):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


_ROWS, _CHOSEN = "adds row p at position p", "adds the rows it is told to"
_BUFFER, _LONG = "keeps the table as a buffer", "says when a sequence is too long"
MODULE = (
    Mistake(
        positions_along_the_batch,
        "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
        "positions are its second axis.",
        (_ROWS,),
    ),
    Mistake(
        one_row_for_every_position,
        "table[T − 1] is a single row, added to every token alike. Take the first T: table[:T].",
        (_ROWS,),
    ),
    Mistake(
        positions_given_are_ignored,
        "The argument positions changes nothing. Where it is given, token t gets the row "
        "positions[…, t].",
        (_CHOSEN,),
    ),
    Mistake(
        table_instead_of_the_sum,
        "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
        (_ROWS, _CHOSEN),
    ),
    Mistake(
        input_scaled_as_well,
        "You multiply x by √D. The paper does that in its embedding layer, before the encoding; "
        "this module only adds.",
        (_ROWS, _CHOSEN),
    ),
    Mistake(
        table_as_a_plain_tensor,
        "The table is an ordinary attribute, so model.to(device) leaves it behind. Use "
        "register_buffer.",
        (_BUFFER,),
    ),
    Mistake(
        table_as_a_parameter,
        "As a Parameter the table is trained and is sinusoidal no longer. A fixed table is a "
        "buffer.",
        (_BUFFER,),
    ),
    Mistake(
        rows_in_double_precision,
        "Your rows are float64, and so is x plus the rows: the next layer will not take it. Keep "
        "them as .float().",
        (_BUFFER,),
    ),
    Mistake(
        too_long_one_too_early,
        "max_len rows are enough for T = max_len; only a longer sequence is too long.",
        (_LONG,),
    ),
    Mistake(
        input_changed_in_place,
        "x += … changes the caller's tensor. Return a new one: x + …",
        (_BUFFER,),
    ),
    Mistake(
        too_long_fails_by_accident,
        "A sequence that is too long ends in an error of another kind. Compare T with max_len "
        "first, and raise a ValueError that names both.",
        (_LONG,),
    ),
    Mistake(
        too_long_starts_again,
        "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
        "ValueError instead.",
        (_LONG,),
    ),
)
