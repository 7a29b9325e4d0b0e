"""Unit 04, “Learned vectors by offset”: what people write in the hooks instead."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.positions import by, given_offsets
from helpers.checks.relative.module import module
from helpers.encodings import Encoding


class RightShaw(Encoding):
    """The right class, cut into pieces so that each mistake shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        self.fill()

    def fill(self):
        self.keys, self.values = self.table(), self.table()

    def table(self):
        return nn.Parameter(self.numbers())

    def numbers(self):
        return torch.randn(2 * self.k + 1, self.head_dim) / self.head_dim**0.5

    def offsets(self, length):
        places = torch.arange(length)
        return places[None, :] - places[:, None]

    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        rows = found.clamp(-self.k, self.k) + self.k
        return rows if rows.dim() == 2 else rows[:, None]

    def bias(self, q, k, positions):
        products = q @ self.keys.transpose(-2, -1)
        return products.gather(-1, self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1))

    def context(self, weights, positions):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, given_offsets(positions)).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.values


@module.mistake(
    "context adds nothing, so no value knows its offset: Shaw's equation 3 is missing.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given", "dtype and gradients"),
    breaks=("beside the keys and beside the values", "`context(weights, positions)` returns"),
)
class values_forgotten(RightShaw):
    def context(self, weights, positions):
        return None


@module.mistake(
    "You scale the term by 1/√d. The queries that your hook is given are scaled already, so yours "
    "would be scaled twice.",
    loses=("bias: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks=("`bias(q, k, positions)` returns", "attention adds it to q·k"),
)
class scaled_in_the_hook(RightShaw):
    def bias(self, q, k, positions):
        return super().bias(q, k, positions) * self.softmax_scale


@module.mistake(
    "You scale in context. 1/√d belongs to the scores, before the softmax; the weights need none.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given", "dtype and gradients"),
    breaks="The value term, (B, H, T, d)",
)
class scaled_in_context(RightShaw):
    def context(self, weights, positions):
        return super().context(weights, positions) * self.softmax_scale


@module.mistake(
    "In bias, k is the keys, a tensor. The clip is self.k.",
    loses=("bias: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="The clip is `self.k`",
)
class clipped_at_the_keys(RightShaw):
    def bias(self, q, k, positions):
        rows = positions.offsets.clamp(-k, k) + k
        return (q @ self.keys.T).gather(-1, rows)


@module.mistake(
    "Your bias contains q·k as well. The attention has that already; the hook returns only "
    "what is added.",
    loses=("bias: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="attention adds it to q·k",
)
class content_added_again(RightShaw):
    def bias(self, q, k, positions):
        return q @ k.transpose(-2, -1) + super().bias(q, k, positions)


@module.mistake(
    "You multiply the keys by the vectors. In equation 4 the vector is on the key's side, so "
    "it is multiplied by the query.",
    loses=("bias: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="`bias(q, k, positions)` returns",
)
class asked_by_the_key(RightShaw):
    def bias(self, q, k, positions):
        return super().bias(k, q, positions)


@module.mistake(
    "Where the words stand in order, you use i − j. Shaw's offset is j − i, key minus query.",
    loses=("bias: q_i · w^K by offset", "context: Σ α_ij w^V by offset", "dtype and gradients"),
    breaks="A learned vector for each offset",
)
class sign_of_i_minus_j(RightShaw):
    def offsets(self, length):
        places = torch.arange(length)
        return places[:, None] - places[None, :]


@module.mistake(
    "What positions.offsets says changes nothing. It need not be j − i of the words in order.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="offset need not be",
)
class given_offsets_ignored(RightShaw):
    def rows(self, x, offsets):
        return super().rows(x, None)


@module.mistake(
    "Offsets of a tree may lie beyond k too. Clip all offsets before they become rows.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="which is clipped",
)
class given_offsets_not_clipped(RightShaw):
    def rows(self, x, offsets):
        if offsets is None:
            return super().rows(x, None)
        return offsets + self.k if offsets.dim() == 2 else offsets[:, None] + self.k


@module.mistake(
    "All sentences use the offsets of the first. Where there is an axis for the batch, each has "
    "its own.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="with offsets for each",
)
class one_tree_for_all_sentences(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 3:
            offsets = offsets[0]
        return super().rows(x, offsets)


@module.mistake(
    "Without their axis of length 1 for the heads, offsets of each sentence would line up B with "
    "H. Leave that axis where it is.",
    loses=("offsets that are given", "dtype and gradients"),
)
class heads_of_a_batch_of_trees_forgotten(RightShaw):
    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        return found.clamp(-self.k, self.k) + self.k


@module.mistake(
    "Your rows end at max_len, so a longer text fails. With a clip, 2k + 1 vectors are enough "
    "for any length: compute the offsets for the current T.",
    loses=("bias: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks=("Any length works", "`max_len` limits nothing here"),
)
class length_bound_to_max_len(RightShaw):
    def offsets(self, length):
        return super().offsets(self.max_len)[:length, :length]


@module.mistake(
    "You insert an axis into offsets that need none: those of shape (T, T) broadcast as they are. "
    "With another axis the queries line up with the heads.",
    loses="offsets that are given",
    breaks="$(T, T)$ for all sentences",
)
class an_axis_for_heads_in_any_offsets(RightShaw):
    def rows(self, x, offsets):
        rows = super().rows(x, offsets)
        return rows if offsets is None or offsets.dim() == 3 else rows[:, None]


@module.mistake(
    "You divide by the sum of a query's weights, which restores what dropout has removed. Use "
    "the weights as they are.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given", "dtype and gradients"),
    breaks="takes the weights as they are",
)
class weights_that_add_up_to_1(RightShaw):
    def context(self, weights, positions):
        return super().context(weights / weights.sum(-1, keepdim=True), positions)


@module.mistake(
    "You keep the offsets of the first text for all later ones. A longer text needs more: "
    "compute them for the current T.",
    loses=("bias: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks="may meet any $B$ and $T$",
)
class offsets_of_the_first_text(RightShaw):
    def offsets(self, length):
        self.kept = self.__dict__.get("kept", super().offsets(length))
        return self.kept[:length, :length]


@module.mistake(
    "You keep the rows of the given offsets for the next call with the same shape, but the "
    "next text has another tree. Compute the rows anew in each call.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="offset need not be $j - i$",
)
class given_offsets_kept_by_their_shape(RightShaw):
    def rows(self, x, offsets):
        kept = self.__dict__.setdefault("kept", {})
        key = x.shape[2] if offsets is None else offsets.shape
        return kept.setdefault(key, super().rows(x, offsets))


@module.mistake(
    "context uses the rows that bias has computed. Each of the two is told its own positions: "
    "another text may have come in between, or context may be called alone.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given"),
    breaks="offset need not be $j - i$",
)
class context_by_the_rows_of_scores(RightShaw):
    def bias(self, q, k, positions):
        self.kept = self.rows(q, given_offsets(positions)).expand(*q.shape[:3], -1)
        return super().bias(q, k, positions)

    def context(self, weights, positions):
        kept = self.__dict__.get("kept")
        if kept is not None and kept.shape == weights.shape:
            positions = by(weights, kept[:, 0] - self.k)
        return super().context(weights, positions)


@module.mistake(
    "You keep rows for each T, expanded to the size of the first batch. The next batch may be "
    "smaller or larger: expand them at each call.",
    loses=("bias: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks="may meet any $B$ and $T$",
)
class rows_of_the_first_batch(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None:
            return super().rows(x, offsets)
        kept = self.__dict__.setdefault("kept", {})
        length = x.shape[2]
        if length not in kept:
            kept[length] = super().rows(x, None).expand(*x.shape[:3], -1)
        return kept[length]


@module.mistake(
    "Where the words stand in order, you use the offsets of an earlier call. Each call is "
    "independent: use its own positions.offsets.",
    loses=("bias: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks="with offsets of a tree in one call and not in the next",
)
class offsets_of_the_call_before(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 2:
            self.kept = offsets.clone()
        kept = self.__dict__.get("kept")
        usable = offsets is None and kept is not None and kept.shape[-1] == x.shape[2]
        return super().rows(x, kept if usable else offsets)
