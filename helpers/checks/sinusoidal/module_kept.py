"""Unit 02, “The module”: how people keep the rows instead, their dtypes, errors and gradients."""

from __future__ import annotations

import torch
from torch import nn

from helpers import encodings
from helpers.checks.positions import given
from helpers.checks.sinusoidal.common import RightModule
from helpers.checks.sinusoidal.module import module

ADDS, TOLD, KEPT, LONG, DTYPE = (part.name for part in module.parts)


@module.mistake(
    "No buffer holds the rows: they are an ordinary attribute, which model.to(device) leaves "
    "behind, or computed at each call. Compute them once and keep them with register_buffer.",
    loses=KEPT,
    breaks="moves with the model to another device or precision",
)
class table_as_a_plain_tensor(RightModule):
    def keep(self, table):
        self.table = table


@module.mistake(
    "As a Parameter the table is trained and does not stay sinusoidal. A fixed table is a buffer.",
    loses=KEPT,
    breaks="is not trained",
)
class table_as_a_parameter(RightModule):
    def keep(self, table):
        self.table = nn.Parameter(table)


@module.mistake(
    "A Parameter without requires_grad is not trained, but model.parameters() still lists it. "
    "What moves with the model without being a parameter is a buffer.",
    loses=KEPT,
    breaks="keeps them as a **buffer**",
)
class table_as_a_frozen_parameter(RightModule):
    def keep(self, table):
        self.table = nn.Parameter(table, requires_grad=False)


@module.mistake(
    "There is a buffer, but embed takes its rows from elsewhere: are they computed anew at each "
    "call? Compute them once, in __init__, and take them from the buffer.",
    loses=KEPT,
    breaks="computes `max_len` rows **once**",
)
class table_computed_at_each_call(RightModule):
    def rows(self, x, positions):
        table = encodings.sinusoidal_table(self.max_len, self.d_model)
        return table[: x.shape[1]] if positions is None else table[positions]


@module.mistake(
    "The number of rows in your buffer is not max_len.",
    loses=KEPT,
    breaks="the table is a buffer of `max_len` rows",
)
class table_of_5000_rows(RightModule):
    def keep(self, table):
        rows = encodings.sinusoidal_table(5000, self.d_model).float()
        self.register_buffer("table", rows)


@module.mistake(
    "Your class is a plain nn.Module. The models of the course call more than embed; inherit "
    "the rest from Encoding.",
    loses=KEPT,
    breaks="keeps the course's interface, `Encoding`",
)
class module_that_is_no_encoding(nn.Module):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__()
        self.d_model, self.num_heads, self.max_len = d_model, num_heads, max_len
        self.register_buffer("table", encodings.sinusoidal_table(max_len, d_model).float())

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        return x + self.table[positions.queries].to(x.dtype)


@module.mistake(
    "Your rows are float64, and so is x plus the rows: the next layer will not accept it. "
    "Convert the rows to the dtype of x.",
    loses=DTYPE,
    breaks="never rounded to the dtype of the rows",
)
class rows_in_double_precision(RightModule):
    def keep(self, table):
        self.register_buffer("table", table.double())

    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows(x, given(positions))


@module.mistake(
    "Your rows are float32, which does not fit a narrower x: bfloat16 plus float32 is float32. "
    "Convert the rows to the dtype of x.",
    loses=DTYPE,
    breaks="be that float64 or bfloat16",
)
class rows_in_single_precision(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows(x, given(positions))


@module.mistake(
    "Your result has the dtype of the table. It should have that of x: convert the rows, not x.",
    loses=DTYPE,
)
class x_in_the_dtype_of_the_table(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x.to(self.table.dtype) + self.rows(x, given(positions))


@module.mistake(
    "You round x to the precision of the rows before you add, and converting back does not "
    "restore the lost digits. Convert the rows to the dtype of x instead.",
    loses=DTYPE,
    breaks="never rounded to the dtype of the rows",
)
class x_rounded_like_the_rows(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return (x.to(self.table.dtype) + self.rows(x, given(positions))).to(x.dtype)


@module.mistake(
    "No gradient comes back to x, so a token embedding before your module would never be trained. "
    "The table needs none, but x does: what cuts it off?",
    loses=DTYPE,
    breaks="gradients must reach it",
)
class module_without_gradients(RightModule):
    @torch.no_grad()
    def embed(self, x, positions):
        return super().embed(x, positions)


@module.mistake(
    "x += … changes the caller's tensor. Return a new one: x + …",
    loses=(ADDS, TOLD, KEPT, DTYPE),
    breaks="$x$ itself stays as it is",
)
class input_changed_in_place(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        x += self.rows(x, given(positions))
        return x


@module.mistake(
    "Your embed changes the caller's x: it calls requires_grad_() on it, or writes into it where "
    "no gradient is asked for. x + rows is a new tensor, and a gradient reaches x by itself.",
    loses=(ADDS, TOLD, KEPT),
)
class input_made_to_ask_for_gradients(RightModule):
    def embed(self, x, positions):
        if x.is_leaf:
            x.requires_grad_()
        return super().embed(x, positions)


@module.mistake(
    "Something is moved to the CPU, by .cpu() or .to(…). The model may be on another device, and "
    "its buffer, x and positions with it. Leave all of them where they are.",
    loses=KEPT,
    breaks="moves with the model to another device or precision",
)
class rows_taken_to_the_cpu(RightModule):
    def rows(self, x, positions):
        table = self.table.cpu()
        return table[: x.shape[1]] if positions is None else table[positions]


@module.mistake(
    "max_len rows are enough for T = max_len; only a longer sequence is too long.",
    loses=(ADDS, TOLD, LONG),
)
class too_long_one_too_early(RightModule):
    def check(self, length):
        if length >= self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")


@module.mistake(
    "A sequence that is too long ends in some other error. Compare T with max_len first, and "
    "raise a ValueError that names both.",
    loses=LONG,
    breaks="raises ValueError where T is beyond `max_len`",
)
class too_long_fails_by_accident(RightModule):
    def check(self, length):
        pass


@module.mistake(
    "Your ValueError does not say both how long the sequence is and how long it may be. Put "
    "both numbers into its message.",
    loses=LONG,
    breaks="whose message names both numbers",
)
class too_long_without_numbers(RightModule):
    def check(self, length):
        if length > self.max_len:
            raise ValueError("the sequence is longer than max_len")


@module.mistake(
    "You check the length only in training mode, or only after eval(). The table has max_len "
    "rows in both.",
    loses=LONG,
)
class too_long_in_training_only(RightModule):
    def check(self, length):
        if self.training:
            super().check(length)

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


@module.mistake(
    "Beyond max_len there is no error: rows are repeated, left out or made up. Raise a "
    "ValueError instead.",
    loses=LONG,
    breaks="raises ValueError where T is beyond `max_len`",
)
class too_long_starts_again(RightModule):
    def check(self, length):
        pass

    def rows(self, x, positions):
        wanted = torch.arange(x.shape[1]) if positions is None else positions
        return self.table[wanted % self.max_len]


@module.mistake(
    "Your buffer is filled only when embed is called. Until then it holds no rows to save or to "
    "move: compute them in __init__.",
    loses=KEPT,
)
class table_filled_by_embed(RightModule):
    def keep(self, table):
        self.register_buffer("table", torch.zeros_like(table))
        self.filled = False

    def embed(self, x, positions):
        if not self.filled:
            self.table.copy_(encodings.sinusoidal_table(self.max_len, self.d_model))
            self.filled = True
        return super().embed(x, positions)
