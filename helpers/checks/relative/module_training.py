"""Unit 04, “Learned vectors by offset”: hooks that give the right numbers and do not train."""

from __future__ import annotations

import torch

from helpers.checks.positions import given_offsets
from helpers.checks.relative.module import module
from helpers.checks.relative.module_hooks import RightShaw


@module.mistake(
    "The hooks read a copy of the tables that was made when the object was created. Training "
    "changes self.keys and self.values; use those.",
    loses=(
        "bias: q_i · w^K by offset",
        "context: Σ α_ij w^V by offset",
        "offsets that are given",
        "dtype and gradients",
    ),
    breaks="Training must work",
)
class tables_copied_at_the_start(RightShaw):
    def fill(self):
        super().fill()
        self.copies = self.keys.detach().clone(), self.values.detach().clone()

    def bias(self, q, k, positions):
        products = q @ self.copies[0].T
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.copies[1]


@module.mistake(
    "No gradient reaches the tables: .data and detach cut them off, so the optimiser has them and "
    "never changes them. Use the parameters themselves.",
    loses="dtype and gradients",
    breaks="gradients must reach `q`, `weights` and both tables",
)
class tables_read_through_data(RightShaw):
    def bias(self, q, k, positions):
        products = q @ self.keys.data.T
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.values.data


@module.mistake(
    "scores cuts off the gradient, so neither self.keys nor the layer that computes q ever "
    "learns. What cuts it off: no_grad or detach?",
    loses="dtype and gradients",
    breaks="gradients must reach `q`, `weights` and both tables",
)
class scores_under_no_grad(RightShaw):
    def bias(self, q, k, positions):
        with torch.no_grad():
            return super().bias(q, k, positions)


@module.mistake(
    "Your hooks always return float32. Let the operations keep the dtype of their inputs, and "
    "make new tensors in that of q or of the weights.",
    loses="dtype and gradients",
    breaks="after `.double()` all is float64",
)
class hooks_in_float32(RightShaw):
    def bias(self, q, k, positions):
        products = q.float() @ self.keys.float().T
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = torch.zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights.float()) @ self.values.float()


@module.mistake(
    "You write into the offsets, and the next layer is given the same ones. Operations that end in "
    "_ change the tensor itself.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="no argument is modified in place",
)
class offsets_clipped_in_place(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None:
            offsets.clamp_(-self.k, self.k)
        return super().rows(x, offsets)


@module.mistake(
    "view needs rows that follow one another in memory, and after attention's transpose they "
    "do not. reshape copies where necessary.",
    loses=("bias: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="the numbers of `q` may lie in memory in any order",
)
class queries_seen_by_view(RightShaw):
    def bias(self, q, k, positions):
        return super().bias(q.view(-1, q.shape[-1]).view(q.shape), k, positions)


@module.mistake(
    "After eval() your hooks add nothing. What was learned is needed after training too: "
    "eval() only switches off dropout, which belongs to the attention.",
    loses=(
        "bias: q_i · w^K by offset",
        "context: Σ α_ij w^V by offset",
        "offsets that are given",
        "dtype and gradients",
    ),
    breaks="`bias(q, k, positions)` returns",
)
class hooks_in_training_only(RightShaw):
    def bias(self, q, k, positions):
        return super().bias(q, k, positions) * self.training

    def context(self, weights, positions):
        return super().context(weights, positions) * self.training


@module.mistake(
    "After eval() your tables no longer require gradients. eval() switches off dropout and "
    "freezes nothing; no_grad is there to switch gradients off.",
    loses="dtype and gradients",
    breaks="Training must work",
)
class tables_frozen_by_eval(RightShaw):
    def rows(self, x, offsets):
        self.keys.requires_grad_(self.training)
        self.values.requires_grad_(self.training)
        return super().rows(x, offsets)


@module.mistake(
    "After eval() you keep a copy of the tables for all later calls. Their numbers may change once "
    "more, by a step of training or by load_state_dict: use the parameters themselves.",
    loses=(
        "bias: q_i · w^K by offset",
        "context: Σ α_ij w^V by offset",
        "dtype and gradients",
    ),
    breaks="the next call uses the changed tables",
)
class tables_copied_after_eval(RightShaw):
    def kept(self, name):
        table = getattr(self, name)
        return table if self.training else self.__dict__.setdefault(f"of {name}", table.clone())

    def bias(self, q, k, positions):
        products = q @ self.kept("keys").T
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.kept("values")


@module.mistake(
    "You make the offsets in the dtype of q. bfloat16 cannot represent every integer beyond "
    "256, so in a long text neighbouring offsets share a row. torch.arange of an integer gives "
    "int64.",
    loses="dtype and gradients",
    breaks="after `.bfloat16()` all is bfloat16",
)
class offsets_in_the_dtype_of_q(RightShaw):
    def rows(self, x, offsets):
        if offsets is None:
            places = torch.arange(x.shape[2]).to(x.dtype)
            offsets = (places[None, :] - places[:, None]).long()
        return super().rows(x, offsets)
