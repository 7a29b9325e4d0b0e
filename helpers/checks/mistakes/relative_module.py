"""Unit 04: what people write instead of the whole of Shaw's encoding."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.encodings import Encoding


class RightShaw(Encoding):
    """The right class, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, k=8):
        super().__init__(d_model, num_heads, max_len)
        self.k = k
        self.fill()

    def fill(self):
        self.keys, self.values = self.table(), self.table()

    def table(self):
        return nn.Parameter(torch.randn(2 * self.k + 1, self.head_width) / self.head_width**0.5)

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


class values_forgotten(RightShaw):
    def context(self, weights, offsets=None):
        return None


class one_table_for_both(RightShaw):
    def fill(self):
        self.keys = self.values = self.table()


class vectors_as_wide_as_the_model(RightShaw):
    def table(self):
        return nn.Parameter(torch.randn(2 * self.k + 1, self.d_model))


class a_table_for_each_head(RightShaw):
    def table(self):
        return nn.Parameter(torch.randn(self.num_heads, 2 * self.k + 1, self.head_width))


class tables_as_plain_tensors(RightShaw):
    def table(self):
        return torch.randn(2 * self.k + 1, self.head_width)


class tables_as_buffers(RightShaw):
    def fill(self):
        self.register_buffer("keys", torch.randn(2 * self.k + 1, self.head_width))
        self.register_buffer("values", torch.randn(2 * self.k + 1, self.head_width))


class tables_as_embedding_layers(RightShaw):
    def table(self):
        return nn.Embedding(2 * self.k + 1, self.head_width)


class scaled_in_the_hook(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(q, k, offsets) * self.scale


class scaled_in_context(RightShaw):
    def context(self, weights, offsets=None):
        return super().context(weights, offsets) * self.scale


class clipped_at_the_keys(RightShaw):
    def scores(self, q, k, offsets=None):
        offsets = self.offsets(q.shape[2]) if offsets is None else offsets
        rows = offsets.clamp(-k, k) + k
        return (q @ self.keys.T).gather(-1, rows)


class content_added_again(RightShaw):
    def scores(self, q, k, offsets=None):
        return q @ k.transpose(-2, -1) + super().scores(q, k, offsets)


class asked_by_the_key(RightShaw):
    def scores(self, q, k, offsets=None):
        return super().scores(k, q, offsets)


class sign_of_i_minus_j(RightShaw):
    def offsets(self, length):
        places = torch.arange(length)
        return places[:, None] - places[None, :]


class given_offsets_ignored(RightShaw):
    def rows(self, x, offsets):
        return super().rows(x, None)


class given_offsets_not_clipped(RightShaw):
    def rows(self, x, offsets):
        if offsets is None:
            return super().rows(x, None)
        return offsets + self.k if offsets.dim() == 2 else offsets[:, None] + self.k


class one_tree_for_all_sentences(RightShaw):
    def rows(self, x, offsets):
        if offsets is not None and offsets.dim() == 3:
            offsets = offsets[0]
        return super().rows(x, offsets)


class heads_of_a_batch_of_trees_forgotten(RightShaw):
    def rows(self, x, offsets):
        found = self.offsets(x.shape[2]) if offsets is None else offsets
        return found.clamp(-self.k, self.k) + self.k


class length_bound_to_max_len(RightShaw):
    def offsets(self, length):
        return super().offsets(self.max_len)[:length, :length]


_SCORES, _CONTEXT = "scores: q_i · w^K by offset", "context: Σ α_ij w^V by offset"
_GIVEN, _TABLES = "offsets that are given", "two tables to be trained"
MODULE = (
    Mistake(
        values_forgotten,
        "context adds nothing, so no value knows its offset: Shaw's equation 3 is missing.",
        (_CONTEXT, _GIVEN),
    ),
    Mistake(
        one_table_for_both,
        "keys and values are one table under two names. The first is there to be compared with, "
        "the second to be passed on: each needs its own vectors.",
        (_TABLES,),
    ),
    Mistake(
        vectors_as_wide_as_the_model,
        "Your vectors are D wide. They are added to the keys and values of a head, which are "
        "d = D/H wide: self.head_width.",
        (_SCORES, _CONTEXT, _GIVEN, _TABLES),
    ),
    Mistake(
        a_table_for_each_head,
        "You have a table for each head. Shaw shares one among all heads; T5's numbers are "
        "separate for each head.",
        (_TABLES,),
    ),
    Mistake(
        tables_as_plain_tensors,
        "Plain tensors are not found by the optimizer: your vectors would stay as they were "
        "drawn. Make them Parameters.",
        (_TABLES,),
    ),
    Mistake(
        tables_as_buffers,
        "A buffer moves with the model but is not trained. These vectors are learned: Parameters.",
        (_TABLES,),
    ),
    Mistake(
        tables_as_embedding_layers,
        "keys and values are layers here. nn.Embedding keeps its table one step further in, as "
        "its weight; asked are the tables themselves, as Parameters.",
        (_SCORES, _CONTEXT, _GIVEN, _TABLES),
    ),
    Mistake(
        scaled_in_the_hook,
        "You scale the term by 1/√d. The attention does that to the sum of both terms, so yours "
        "would be scaled twice.",
        (_SCORES, _GIVEN),
    ),
    Mistake(
        scaled_in_context,
        "You scale in context. 1/√d belongs to the scores, before the softmax; the weights need "
        "none.",
        (_CONTEXT, _GIVEN),
    ),
    Mistake(
        clipped_at_the_keys,
        "In scores, k is the keys, a tensor. The clip is self.k.",
        (_SCORES, _GIVEN),
    ),
    Mistake(
        content_added_again,
        "Your scores contain q·k as well. The attention has that already; the hook gives only "
        "what is added.",
        (_SCORES, _GIVEN),
    ),
    Mistake(
        asked_by_the_key,
        "You multiply the keys with the vectors. In equation 4 the vector stands on the key's "
        "side, so it meets the query.",
        (_SCORES, _GIVEN),
    ),
    Mistake(
        sign_of_i_minus_j,
        "Without given offsets you use i − j. Shaw's sign is j − i, key minus query.",
        (_SCORES, _CONTEXT),
    ),
    Mistake(
        given_offsets_ignored,
        "The argument offsets changes nothing. Where it is given it replaces j − i.",
        (_GIVEN,),
    ),
    Mistake(
        given_offsets_not_clipped,
        "Given offsets may lie beyond k too. Clip them like your own before they become rows.",
        (_GIVEN,),
    ),
    Mistake(
        one_tree_for_all_sentences,
        "All sentences use the offsets of the first. Where offsets is (B, T, T), each has its own.",
        (_GIVEN,),
    ),
    Mistake(
        heads_of_a_batch_of_trees_forgotten,
        "Offsets of shape (B, T, T) have no axis for the heads, and from the right B would meet "
        "H. Put one in: offsets[:, None].",
        (_GIVEN,),
    ),
    Mistake(
        length_bound_to_max_len,
        "Your rows end at max_len, so a longer text fails. With a clip, 2k + 1 vectors serve any "
        "length: make the offsets for the T at hand.",
        (_SCORES, _CONTEXT),
    ),
)
