"""Unit 04, “Learned vectors by offset”: what people write in the hooks instead."""

from __future__ import annotations

import torch
from torch import nn

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

    def scores(self, q, k, offsets=None):
        products = q @ self.keys.transpose(-2, -1)
        return products.gather(-1, self.rows(q, offsets).expand(*q.shape[:3], -1))

    def context(self, weights, offsets=None):
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        rows = self.rows(weights, offsets).expand_as(weights)
        return by_row.scatter_add(-1, rows, weights) @ self.values


@module.mistake(
    "context adds nothing, so no value knows its offset: Shaw's equation 3 is missing.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given", "dtype and gradients"),
    breaks=("beside the keys and beside the values", "`context(weights, offsets)` returns"),
)
class values_forgotten(RightShaw):
    def context(self, weights, offsets=None):
        return None


@module.mistake(
    "You scale the term by 1/√d. The attention does that to the sum of both terms, so yours "
    "would be scaled twice.",
    loses=("scores: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks=("`scores(q, k, offsets)` returns", "attention adds q·k and scales"),
)
class scaled_in_the_hook(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(q, k, offsets) * self.scale


@module.mistake(
    "You scale in context. 1/√d belongs to the scores, before the softmax; the weights need none.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given", "dtype and gradients"),
    breaks="The value term, (B, H, T, d)",
)
class scaled_in_context(RightShaw):
    def context(self, weights, offsets=None):
        return super().context(weights, offsets) * self.scale


@module.mistake(
    "In scores, k is the keys, a tensor. The clip is self.k.",
    loses=("scores: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="The clip is `self.k`",
)
class clipped_at_the_keys(RightShaw):
    def scores(self, q, k, offsets=None):
        offsets = self.offsets(q.shape[2]) if offsets is None else offsets
        rows = offsets.clamp(-k, k) + k
        return (q @ self.keys.T).gather(-1, rows)


@module.mistake(
    "Your scores contain q·k as well. The attention has that already; the hook returns only "
    "what is added.",
    loses=("scores: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="attention adds q·k and scales",
)
class content_added_again(RightShaw):
    def scores(self, q, k, offsets=None):
        return q @ k.transpose(-2, -1) + super().scores(q, k, offsets)


@module.mistake(
    "You multiply the keys by the vectors. In equation 4 the vector is on the key's side, so "
    "it is multiplied by the query.",
    loses=("scores: q_i · w^K by offset", "offsets that are given", "dtype and gradients"),
    breaks="`scores(q, k, offsets)` returns",
)
class asked_by_the_key(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(k, q, offsets)


@module.mistake(
    "Where no offsets are given, you use i − j. Shaw's offset is j − i, key minus query.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset", "dtype and gradients"),
    breaks="A learned vector for each offset",
)
class sign_of_i_minus_j(RightShaw):
    def offsets(self, length):
        places = torch.arange(length)
        return places[:, None] - places[None, :]


@module.mistake(
    "The argument offsets changes nothing. Where it is given it replaces j − i.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="where `offsets` is given",
)
class given_offsets_ignored(RightShaw):
    def rows(self, x, offsets):
        return super().rows(x, None)


@module.mistake(
    "Offsets that are given may lie beyond k too. Clip them like your own before they become rows.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="is clipped too",
)
class given_offsets_not_clipped(RightShaw):
    def rows(self, x, offsets):
        if offsets is None:
            return super().rows(x, None)
        return offsets + self.k if offsets.dim() == 2 else offsets[:, None] + self.k


@module.mistake(
    "All sentences use the offsets of the first. Where offsets is (B, T, T), each has its own.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="with offsets for each",
)
class one_tree_for_all_sentences(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 3:
            offsets = offsets[0]
        return super().rows(x, offsets)


@module.mistake(
    "Offsets of shape (B, T, T) have no axis for the heads, so broadcasting would line up B "
    "with H. Insert an axis for the heads.",
    loses=("offsets that are given", "dtype and gradients"),
)
class heads_of_a_batch_of_trees_forgotten(RightShaw):
    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        return found.clamp(-self.k, self.k) + self.k


@module.mistake(
    "Your rows end at max_len, so a longer text fails. With a clip, 2k + 1 vectors are enough "
    "for any length: compute the offsets for the current T.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks=("Any length works", "`max_len` limits nothing here"),
)
class length_bound_to_max_len(RightShaw):
    def offsets(self, length):
        return super().offsets(self.max_len)[:length, :length]


@module.mistake(
    "You insert an axis for the heads into any offsets. With those of shape (T, T), the "
    "queries would then line up with the heads.",
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
    def context(self, weights, offsets=None):
        return super().context(weights / weights.sum(-1, keepdim=True), offsets)


@module.mistake(
    "You keep the offsets of the first text for all later ones. A longer text needs more: "
    "compute them for the current T.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks="may meet any $B$ and $T$",
)
class offsets_of_the_first_text(RightShaw):
    def offsets(self, length):
        self.kept = self.__dict__.get("kept", super().offsets(length))
        return self.kept[:length, :length]


@module.mistake(
    "You keep the rows of the given offsets for the next call with the same shape, but the "
    "next text has another tree. Compute the rows of given offsets anew in each call.",
    loses=("offsets that are given", "dtype and gradients"),
    breaks="where `offsets` is given, it stands for $j - i$",
)
class given_offsets_kept_by_their_shape(RightShaw):
    def rows(self, x, offsets):
        kept = self.__dict__.setdefault("kept", {})
        key = x.shape[2] if offsets is None else offsets.shape
        return kept.setdefault(key, super().rows(x, offsets))


@module.mistake(
    "context uses the rows that scores has computed. Each of the two is given its own offsets: "
    "another text may have come in between, or context may be called alone.",
    loses=("context: Σ α_ij w^V by offset", "offsets that are given"),
    breaks="where `offsets` is given, it stands for $j - i$",
)
class context_by_the_rows_of_scores(RightShaw):
    def scores(self, q, k, offsets=None):
        self.kept = self.rows(q, offsets).expand(*q.shape[:3], -1)
        return super().scores(q, k, offsets)

    def context(self, weights, offsets=None):
        kept = self.__dict__.get("kept")
        if kept is not None and kept.shape == weights.shape:
            offsets = kept[:, 0] - self.k
        return super().context(weights, offsets)


@module.mistake(
    "You keep rows for each T, expanded to the size of the first batch. The next batch may be "
    "smaller or larger: expand them at each call.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
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
    "Where no offsets are given, you use those that the other hook was given last. Each call "
    "is independent: without given offsets, use j − i.",
    loses=("scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"),
    breaks="with `offsets` in one call and without in the next",
)
class offsets_of_the_call_before(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 2:
            self.kept = offsets.clone()
        kept = self.__dict__.get("kept")
        usable = offsets is None and kept is not None and kept.shape[-1] == x.shape[2]
        return super().rows(x, kept if usable else offsets)
