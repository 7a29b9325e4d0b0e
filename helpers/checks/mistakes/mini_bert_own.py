"""Unit 08: what goes wrong in an encoding of one's own."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.encodings import Encoding


class RightPair(Encoding):
    """A row per position and a number per offset; each mistake below has one piece wrong."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.numbers = nn.Parameter(torch.zeros(num_heads, 2 * max_len - 1))
        self.keep(torch.randn(max_len, d_model))

    def keep(self, rows):
        self.rows = nn.Parameter(rows)

    def check(self, length):
        if length > self.max_len:
            raise ValueError(f"T={length} is beyond max_len={self.max_len}")

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows[: x.shape[1]]

    def offsets(self, length):
        p = torch.arange(length)
        return p[None, :] - p[:, None]

    def scores(self, q, k, offsets=None):
        self.check(q.shape[2])
        return self.numbers[:, self.offsets(q.shape[2]) + self.max_len - 1]


class own_one_vector_for_all(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.vector = nn.Parameter(torch.randn(d_model))

    def embed(self, x, positions=None):
        return x + self.vector


class own_distance(RightPair):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows[0]

    def offsets(self, length):
        return super().offsets(length).abs()


class own_that_writes_into_x(RightPair):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x += self.rows[: x.shape[1]]
        return x


class own_that_returns_its_rows_only(RightPair):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return self.rows[: x.shape[1]]


class own_that_returns_nothing(RightPair):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        x + self.rows[: x.shape[1]]


class own_with_64_rows(RightPair):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(64, d_model))


class own_without_a_last_row(RightPair):
    def check(self, length):
        pass


class own_without_an_axis_for_heads(RightPair):
    def scores(self, q, k, offsets=None):
        self.check(q.shape[2])
        numbers = self.numbers.mean(0)[self.offsets(q.shape[2]) + self.max_len - 1]
        return numbers * q.mean((1, 3))[:, :, None]


class own_for_max_len_always(RightPair):
    def scores(self, q, k, offsets=None):
        return self.numbers[:, self.offsets(self.max_len) + self.max_len - 1]


class own_as_a_plain_tensor(RightPair):
    def keep(self, rows):
        self.rows = rows


class own_in_a_list(RightPair):
    def keep(self, rows):
        self.kept = [nn.Parameter(rows)]

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.kept[0][: x.shape[1]]


class own_detached(RightPair):
    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + self.rows[: x.shape[1]].detach()


class own_drawn_anew(RightPair):
    def keep(self, rows):
        pass

    def embed(self, x, positions=None):
        self.check(x.shape[1])
        return x + torch.randn(x.shape[1], x.shape[2])


class own_along_the_batch(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(max_len, d_model))

    def embed(self, x, positions=None):
        return x + self.rows[: x.shape[0], None]


class own_without_telling_its_length(RightPair):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.size = max_len
        self.max_len = 512

    def check(self, length):
        if length > self.size:
            raise ValueError(f"T={length} is beyond {self.size}")

    def scores(self, q, k, offsets=None):
        self.check(q.shape[2])
        return self.numbers[:, self.offsets(q.shape[2]) + self.size - 1]


_FITS, _LENGTH, _ORDER, _SIDES, _LEARNS = (
    "it drops into Bert",
    "any length up to max_len",
    "it is not blind to order",
    "it tells left from right",
    "it learns, and can be saved",
)
OWN = (
    Mistake(
        own_one_vector_for_all,
        "To Bert with your class a shuffled text is the same text. Either no hook does anything, "
        "or what it does is the same at every place, or it adds one number to all D entries, which "
        "the LayerNorm behind the sum takes out again.",
        (_ORDER, _SIDES),
    ),
    Mistake(
        own_distance,
        "Your encoding knows how far apart two tokens are, and not which of them comes first. Let "
        "j − i and i − j make a difference.",
        (_SIDES,),
    ),
    Mistake(
        own_that_writes_into_x,
        "A hook writes into the tensor that it is given (x += …). Return a new one.",
        (_FITS,),
    ),
    Mistake(
        own_that_returns_its_rows_only,
        "embed returns the vectors of the positions and loses the tokens. It should return x with "
        "something added.",
        (_FITS, _LENGTH, _ORDER, _SIDES, _LEARNS),
    ),
    Mistake(
        own_that_returns_nothing,
        "embed returns nothing, so nothing goes on to the layers. Is a return missing?",
        (_FITS, _LENGTH, _ORDER, _SIDES, _LEARNS),
    ),
    Mistake(
        own_with_64_rows,
        "A length is written into your class. How long a text can be is the argument max_len.",
        (_LENGTH,),
    ),
    Mistake(
        own_without_a_last_row,
        "Beyond max_len your class stops with an error that does not say why. Let it work there, "
        "or raise a ValueError, as unit 03's table did.",
        (_LENGTH,),
    ),
    Mistake(
        own_without_an_axis_for_heads,
        "Your scores are (B, T, T). With four axes around them, B is taken for H: put an axis of "
        "length 1 where the heads are, or return (H, T, T).",
        (_FITS,),
    ),
    Mistake(
        own_for_max_len_always,
        "Your scores always have max_len rows and columns. A text has as many as q does: "
        "q.shape[2].",
        (_FITS, _LENGTH, _ORDER, _SIDES, _LEARNS),
    ),
    Mistake(
        own_as_a_plain_tensor,
        "You keep a tensor as a plain attribute: it is neither trained nor saved, and does not "
        "move to a GPU. Make it an nn.Parameter, or register_buffer it if it is fixed.",
        (_LEARNS,),
    ),
    Mistake(
        own_in_a_list,
        "A Parameter in a plain list is not seen by the module. nn.ParameterList is a list that "
        "registers what is in it.",
        (_LEARNS,),
    ),
    Mistake(
        own_detached,
        "A Parameter of yours gets no gradient: it is never used, or between it and the result "
        "there is a detach, .data or no_grad.",
        (_LEARNS,),
    ),
    Mistake(
        own_drawn_anew,
        "You draw random numbers at each call. A place that has another vector each time cannot "
        "be recognised: draw them once, in __init__.",
        (_FITS, _LEARNS),
    ),
    Mistake(
        own_along_the_batch,
        "Your rows go along the first axis, which is the batch: all tokens of a text get the same "
        "row, and each text another. Time is the second axis.",
        (_FITS, _ORDER, _SIDES),
    ),
    Mistake(
        own_without_telling_its_length,
        "Your class changes d_model, num_heads or max_len. super().__init__(d_model, num_heads, "
        "max_len) keeps them as they are given.",
        (_FITS,),
    ),
)
