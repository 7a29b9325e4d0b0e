"""Unit 02, “The module”: which rows people add instead, and to what."""

from __future__ import annotations

import torch

from helpers.checks.positions import given
from helpers.checks.sinusoidal.common import RightModule
from helpers.checks.sinusoidal.module import module

ADDS, TOLD, KEPT, LONG, DTYPE = (part.name for part in module.parts)


@module.mistake(
    "The rows run along the batch: all tokens of a sequence get the same row. x is (B, T, D); "
    "positions are its second axis.",
    loses=(ADDS, DTYPE),
    breaks=("adds row $p$ to the token at position $p$", "x + PE, batch first"),
)
class positions_along_the_batch(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[0], None] if positions is None else self.table[positions]


@module.mistake(
    "table[T − 1] is a single row, added to every token alike. Take the first T rows.",
    loses=(ADDS, DTYPE),
    breaks="get the rows $0, \\dots, T-1$",
)
class one_row_for_every_position(RightModule):
    def rows(self, x, positions):
        return self.table[x.shape[1] - 1 if positions is None else positions]


@module.mistake(
    "The argument positions changes nothing. Token t gets the row positions.queries[…, t].",
    loses=(TOLD, DTYPE),
    breaks="rows `positions.queries` of the buffer",
)
class positions_given_are_ignored(RightModule):
    def rows(self, x, positions):
        return self.table[: x.shape[1]]


@module.mistake(
    "For positions of shape (B, T), you use those of the first sequence for all. Each sequence "
    "has its own: table[positions.queries] then has the shape (B, T, D).",
    loses=TOLD,
    breaks="of shape $(T,)$ or $(B, T)$",
)
class positions_of_the_first_sequence_for_all(RightModule):
    def rows(self, x, positions):
        if positions is None:
            return self.table[: x.shape[1]]
        return self.table[positions if positions.dim() == 1 else positions[0]]


@module.mistake(
    "You take T consecutive rows, beginning at the first position. Positions may come in any "
    "order, with gaps and repeats: table[positions.queries] looks them up.",
    loses=(TOLD, DTYPE),
)
class positions_are_only_a_start(RightModule):
    def rows(self, x, positions):
        if positions is None:
            return self.table[: x.shape[1]]
        first = positions[..., :1].clamp(max=self.max_len - x.shape[1])
        return self.table[first + torch.arange(x.shape[1])]


@module.mistake(
    "You return the rows alone: the tokens themselves are gone. Return x plus the rows.",
    loses=(ADDS, TOLD, KEPT, DTYPE),
    breaks="returns $x$ plus the rows",
)
class table_instead_of_the_sum(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return self.rows(x, given(positions)).expand_as(x).to(x.dtype)


@module.mistake(
    "You multiply x by √D. The paper does that in its embedding layer, before the encoding; "
    "this module only adds.",
    loses=(ADDS, TOLD, KEPT, DTYPE),
)
class input_scaled_as_well(RightModule):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x * x.shape[2] ** 0.5 + self.rows(x, given(positions)).to(x.dtype)
