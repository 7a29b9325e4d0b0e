"""Unit 08, “Your own encoding”: what people keep where it is not saved, or cannot be loaded."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.mini_bert.own import RowAndOffset, own


@own.mistake(
    "Something is kept outside your object, such as in a dictionary of the cell, and is used again "
    "for another object, or for the same one when its Parameters have changed.",
    loses="it learns, and can be saved",
    breaks="saved and loaded",
)
class own_with_rows_kept_outside(RowAndOffset):
    def embed(self, x, positions, outside={}):  # noqa: B006
        self.check(x.shape[1])
        key = (*x.shape[1:], x.dtype)
        kept = outside.setdefault(key, self.rows[: x.shape[1]].detach().clone())
        return x + kept + 0.1 * self.rows[: x.shape[1]]


@own.mistake(
    "Your Parameters and buffers do not determine the result: what an earlier call left behind, or "
    "what is drawn in __init__ and not saved, still counts after they have changed, as in training "
    "and loading. Compute it from the Parameters and buffers at each call.",
    loses="it learns, and can be saved",
    breaks="saved and loaded",
)
class own_with_a_copy_for_each_length(RowAndOffset):
    def embed(self, x, positions):
        self.check(length := x.shape[1])
        copies = vars(self).setdefault("copies", {})
        copy = copies.setdefault(length, self.rows[:length].tolist())
        return x + self.rows[:length] + torch.tensor(copy, dtype=x.dtype)


@own.mistake(
    "A Parameter or buffer of yours is created only at the first call. An optimizer that was given "
    "the model before does not know it, and saved values cannot be loaded into a new object: make "
    "it in __init__, for max_len.",
    loses="it learns, and can be saved",
    breaks="saved and loaded",
)
class own_registered_at_the_first_call(RowAndOffset):
    def keep(self, rows):
        self.first = rows.tolist()

    def embed(self, x, positions):
        self.check(x.shape[1])
        if "rows" not in dict(self.named_parameters()):
            self.rows = nn.Parameter(torch.tensor(self.first).to(x))
        return x + self.rows[: x.shape[1]]


@own.mistake(
    "A buffer of yours takes on the length of the text that was read last, so what is saved does "
    "not fit into a new object. Make it in __init__, for max_len, or leave it out of what is saved "
    "(persistent=False).",
    loses="it learns, and can be saved",
    breaks="saved and loaded",
)
class own_with_a_buffer_that_grows(RowAndOffset):
    def keep(self, rows):
        super().keep(rows)
        self.register_buffer("waves", torch.zeros(1))

    def embed(self, x, positions):
        self.check(length := x.shape[1])
        if len(self.waves) < length:
            self.waves = torch.arange(length).sin().to(x)
        return super().embed(x, positions) + 0.1 * self.waves[:length, None]
