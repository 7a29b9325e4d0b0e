"""Unit 07: what people write instead of the sum of three vectors, and of the mask for padding."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.wordpiece import PAD, SEP


class RightSum(nn.Module):
    """The right module, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, vocab_size, d_model, max_len=512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def places(self, tokens):
        return self.positions(torch.arange(tokens.shape[1]))

    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.segments(segments) + self.places(tokens))


class sum_without_positions(RightSum):
    def places(self, tokens):
        return 0


class sum_without_segments(RightSum):
    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.places(tokens))


class sum_with_positions_along_the_batch(RightSum):
    def places(self, tokens):
        return self.positions(torch.arange(tokens.shape[0]))[:, None]


class sum_with_positions_from_one(RightSum):
    def places(self, tokens):
        return self.positions(torch.arange(1, tokens.shape[1] + 1))


class sum_with_all_positions(RightSum):
    def places(self, tokens):
        return self.positions.weight


class sum_with_segments_swapped(RightSum):
    def forward(self, tokens, segments):
        return super().forward(tokens, 1 - segments)


class sum_with_scaled_words(RightSum):
    def forward(self, tokens, segments):
        words = self.words(tokens) * self.words.embedding_dim**0.5
        return self.norm(words + self.segments(segments) + self.places(tokens))


class sum_of_three_norms(RightSum):
    def forward(self, tokens, segments):
        parts = (self.words(tokens), self.segments(segments), self.places(tokens))
        return sum(self.norm(part) for part in parts)


class sum_with_positions_after_the_norm(RightSum):
    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.segments(segments)) + self.places(tokens)


class sum_without_norm(RightSum):
    def forward(self, tokens, segments):
        return self.words(tokens) + self.segments(segments) + self.places(tokens)


class sum_normed_without_its_weights(RightSum):
    def forward(self, tokens, segments):
        x = self.words(tokens) + self.segments(segments) + self.places(tokens)
        x = x - x.mean(-1, keepdim=True)
        return x / x.var(-1, keepdim=True, correction=0).sqrt()


_SUM, _NORM = "token + segment + position", "a LayerNorm of the sum"
VECTORS = (
    Mistake(
        sum_without_positions,
        "The positions are missing: every order of the words would look the same.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_without_segments,
        "The segments are missing: the second sentence looks like the first.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_positions_along_the_batch,
        "Your positions run along the batch. tokens is (B, T): a place is along its second axis.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_positions_from_one,
        "Your first token gets row 1 of the positions. They count from 0.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_all_positions,
        "You add all max_len rows of positions; a shorter text needs only its first T.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_segments_swapped,
        "The two segments have changed places. Segment s is row s of its table.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_scaled_words,
        "You multiply the words by √D, as the Transformer of 2017 does. BERT does not.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_of_three_norms,
        "You normalise each of the three vectors before you add. Add first, then one LayerNorm.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_with_positions_after_the_norm,
        "The positions are added behind the LayerNorm. All three are added first.",
        (_SUM, _NORM),
    ),
    Mistake(
        sum_without_norm,
        "The sum is right and the LayerNorm is missing.",
        (_NORM,),
    ),
    Mistake(
        sum_normed_without_its_weights,
        "You normalise by hand and leave out the norm's own weights. self.norm has a factor and a "
        "shift for each of the D numbers, which are trained.",
        (_NORM,),
    ),
)


def padding_marked_true(tokens):
    return (tokens == PAD)[:, None, None, :]


def padding_and_special_tokens_left_out(tokens):
    return (tokens > SEP)[:, None, None, :]


def padding_of_unknown_words(tokens):
    return (tokens > 1)[:, None, None, :]


def padding_without_axes(tokens):
    return tokens != PAD


def padding_of_queries(tokens):
    return (tokens != PAD)[:, None, :, None]


def padding_along_the_heads(tokens):
    return (tokens != PAD)[:, :, None, None]


def padding_of_keys_and_queries(tokens):
    real = tokens != PAD
    return real[:, None, :, None] & real[:, None, None, :]


def padding_as_numbers(tokens):
    return (tokens != PAD)[:, None, None, :].long()


def padding_as_something_to_add(tokens):
    added = torch.zeros(tokens.shape).masked_fill(tokens == PAD, float("-inf"))
    return added[:, None, None, :]


_REAL, _FORM = "True where a token is real", "as attention wants it"
PADDING = (
    Mistake(
        padding_marked_true,
        "Yours is True at the padding. In this course True means: may be looked at. (PyTorch's "
        "key_padding_mask is the other way round.)",
        (_REAL, _FORM),
    ),
    Mistake(
        padding_and_special_tokens_left_out,
        "You leave out [CLS] and [SEP] as well. They are no words, but they are read; only [PAD] "
        "is not.",
        (_REAL, _FORM),
    ),
    Mistake(
        padding_of_unknown_words,
        "You leave out [UNK] as well. An unknown word is a word all the same; only [PAD] is not "
        "looked at.",
        (_REAL, _FORM),
    ),
    Mistake(
        padding_without_axes,
        "The numbers are right, the axes are not: attention's scores are (B, H, T, T).",
        (_FORM,),
    ),
    Mistake(
        padding_of_queries,
        "Your mask runs along the queries. The softmax is over the keys, the last axis, and it is "
        "keys that nobody should look at.",
        (_FORM,),
    ),
    Mistake(
        padding_along_the_heads,
        "Your places stand on the axis of the heads. (B, 1, 1, T): they belong last.",
        (_FORM,),
    ),
    Mistake(
        padding_of_keys_and_queries,
        "You also blind the queries that are padding, with T² numbers for each row. Nobody reads "
        "what those see; one row of keys, (B, 1, 1, T), is enough.",
        (_REAL, _FORM),
    ),
    Mistake(
        padding_as_numbers,
        "Your mask holds 0 and 1 as numbers. Attention would add them to the scores; it asks for "
        "True and False.",
        (_FORM,),
    ),
    Mistake(
        padding_as_something_to_add,
        "Yours holds 0 and −∞, to be added to scores. Attention here makes that itself, from True "
        "and False.",
        (_REAL, _FORM),
    ),
)
