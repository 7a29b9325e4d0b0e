"""Unit 04, “Learned vectors by offset”: what several objects share by mistake."""

from __future__ import annotations

from helpers.checks.positions import given_offsets
from helpers.checks.relative.module import module
from helpers.checks.relative.module_hooks import RightShaw

HOOKS = (
    "bias: q_i · w^K by offset",
    "context: Σ α_ij w^V by offset",
)


@module.mistake(
    "All your objects share the clip of the one that was created last. It belongs to the "
    "object, self.k, not to the class.",
    loses=HOOKS,
    breaks="Several objects, each with a clip of its own",
)
class a_clip_kept_by_the_class(RightShaw):
    clip = 8

    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len, k)
        type(self).clip = k

    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        rows = found.clamp(-self.clip, self.clip) + self.clip
        return rows if rows.dim() == 2 else rows[:, None]


@module.mistake(
    "A copy of your object reads the tables of the first one. Each layer gets a copy: what you "
    "keep in __init__, such as a lambda with self in it, still refers to the object that was "
    "copied.",
    loses=HOOKS,
    breaks="a `copy.deepcopy` of one",
)
class tables_of_the_object_that_was_copied(RightShaw):
    def fill(self):
        super().fill()
        self.tables = lambda: (self.keys, self.values)

    def bias(self, q, k, positions):
        products = q @ self.tables()[0].transpose(-2, -1)
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.tables()[1]


@module.mistake(
    "Your object keeps what it was last given, such as q or the weights. In training those "
    "belong to a computation graph, and PyTorch refuses to copy the object. Keep nothing from "
    "one call to the next.",
    loses=HOOKS,
    breaks="a `copy.deepcopy` of one",
)
class an_object_that_keeps_what_it_was_given(RightShaw):
    def bias(self, q, k, positions):
        self.last = q
        return super().bias(q, k, positions)

    def context(self, weights, positions):
        self.last = weights
        return super().context(weights, positions)
