"""Unit 08, “An encoding of your own”: what goes wrong with order, lengths, and training."""

from __future__ import annotations

import torch
from torch import nn

from helpers.checks.mini_bert.own import RowAndOffset, own
from helpers.encodings import Encoding

NO_GRADIENT = (
    "A Parameter of yours gets no gradient. It may be unused, or have requires_grad=False; between "
    "it and the result there may be a detach, .data, no_grad, .round(), .sign() or a factor 0; or "
    "it adds one number to all scores of a query, which the softmax removes again."
)


@own.mistake(
    "With your class, Bert gives a shuffled text the same results, only in another order. Perhaps "
    "no hook does anything, or all positions are treated alike, or words are only reordered. Or "
    "one number is added to all D entries, or multiplies them, which the LayerNorm after the sum "
    "removes; or one number is added to all scores of a query, which the softmax removes.",
    breaks=("it is not blind to order", "A class that ignores the words"),
)
class own_one_vector_for_all(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.vector = nn.Parameter(torch.randn(d_model))

    def embed(self, x, positions):
        return x + self.vector


@own.mistake(
    "In train mode, Bert with your class ignores the order of the words, and no gradient reaches "
    "a Parameter: the positions are there in eval mode only, so nothing learns to use them.",
    loses=("it is not blind to order", "it tells left from right", "it learns, and can be saved"),
    breaks="The order tests are run in train mode too",
)
class own_in_eval_mode_only(RowAndOffset):
    def embed(self, x, positions):
        return x if self.training else super().embed(x, positions)

    def bias(self, q, k, positions):
        return None if self.training else super().bias(q, k, positions)


@own.mistake(
    "With your class, Bert cannot tell a text from its mirror image. Perhaps it knows how far "
    "apart two tokens are, but not which comes first, or it counts from both ends. Make j − i and "
    "i − j give different results.",
    loses="it tells left from right",
    breaks="it tells left from right",
)
class own_distance(RowAndOffset):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows[0]

    def offsets(self, length):
        return super().offsets(length).abs()


@own.mistake(
    "Your rows run along the first axis, which is the batch: all tokens of a text get the same "
    "row, and each text gets another one. The tokens run along the second axis.",
)
class own_along_the_batch(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(max_len, d_model))

    def embed(self, x, positions):
        return x + self.rows[: x.shape[0], None]


@own.mistake(
    "A fixed length is written into your class. How long a text can be is given by the argument "
    "max_len.",
    loses="any length up to max_len",
    breaks="from 1 to `max_len`",
)
class own_with_64_rows(RowAndOffset):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.rows = nn.Parameter(torch.randn(64, d_model))


@own.mistake(
    "A fixed number of heads is written into your class. How many there are is given by the "
    "argument num_heads, and BERT has 12.",
    loses="it drops into Bert",
    breaks="right shapes",
)
class own_with_eight_slopes(RowAndOffset):
    def bias(self, q, k, positions):
        return (
            super().bias(q, k, positions) * 2.0 ** -torch.arange(1, 9)[: self.num_heads, None, None]
        )


@own.mistake(
    "For a text longer than max_len your class stops with an error that does not say why. Let it "
    "work there, or raise a ValueError, as unit 03's table did.",
    loses="any length up to max_len",
    breaks="Beyond `max_len` it works too",
)
class own_without_a_last_row(RowAndOffset):
    def check(self, length):
        pass


@own.mistake(
    "Your scores always have max_len rows and columns. A text has as many as q does: q.shape[2]."
)
class own_for_max_len_always(RowAndOffset):
    def bias(self, q, k, positions):
        return self.numbers[:, self.offsets(self.max_len) + self.max_len - 1]


@own.mistake(
    "You keep a tensor as a plain attribute: it is neither trained nor saved, and does not "
    "move to a GPU. Make it an nn.Parameter, or register_buffer it if it is fixed.",
    loses="it learns, and can be saved",
    breaks=("Every tensor or array that the object keeps", "saved and loaded"),
)
class own_as_a_plain_tensor(RowAndOffset):
    def keep(self, rows):
        self.rows = rows


@own.mistake(
    "A tensor or a module in a plain list, a dictionary, a lambda or a variable of the notebook is "
    "not seen by the module around it, so it is neither saved nor moved. Give each an attribute of "
    "its own; nn.ParameterList, nn.ModuleList and their like register what is in them.",
    loses="it learns, and can be saved",
)
class own_in_a_list(RowAndOffset):
    def keep(self, rows):
        self.kept = [nn.Parameter(rows)]

    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.kept[0][: x.shape[1]]


@own.mistake(
    NO_GRADIENT,
    loses="it learns, and can be saved",
    breaks="some entry of every Parameter",
)
class own_detached(RowAndOffset):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + self.rows[: x.shape[1]].detach()


@own.mistake(
    "In train mode no gradient reaches a Parameter of yours, though in eval mode one does. What "
    "you leave out or detach where self.training is true is never learned.",
    loses="it learns, and can be saved",
    breaks="gradients must reach every Parameter there",
)
class own_detached_in_train_mode(RowAndOffset):
    def embed(self, x, positions):
        self.check(x.shape[1])
        rows = self.rows[: x.shape[1]]
        return x + (rows.detach() if self.training else rows)


@own.mistake(
    "No gradient reaches the x of `embed`, or not all of it: there is a detach, or a no_grad, on "
    "the way. The word vectors below could not learn.",
    loses="it learns, and can be saved",
    breaks="gradients reach the $x$",
)
class own_that_detaches_the_words(RowAndOffset):
    def embed(self, x, positions):
        self.check(x.shape[1])
        return x.detach() + self.rows[: x.shape[1]]


@own.mistake(
    "Called twice, your class gives two different results: it draws random numbers at each call, "
    "or keeps something from one call to the next. A position that has another vector each time "
    "cannot be recognised: draw in __init__.",
    loses=("it drops into Bert", "it learns, and can be saved"),
    breaks="so does a second call",
)
class own_drawn_anew(RowAndOffset):
    def keep(self, rows):
        pass

    def embed(self, x, positions):
        self.check(x.shape[1])
        return x + torch.randn(x.shape[1], x.shape[2])


@own.mistake(
    "Your class remembers how long the longest text was, and from then on gives different results "
    "for shorter ones. Let the result depend on the text's own length and on max_len, not on "
    "earlier texts.",
    loses="it drops into Bert",
    breaks="so does a second call",
)
class own_that_remembers_the_longest_text(RowAndOffset):
    longest = 1

    def embed(self, x, positions):
        self.check(x.shape[1])
        self.longest = max(self.longest, x.shape[1])
        return x + self.rows[: x.shape[1]] * x.shape[1] / self.longest


@own.mistake(
    "Your class changes d_model, num_heads or max_len. super().__init__(d_model, num_heads, "
    "max_len) keeps them as they are given.",
    loses="it drops into Bert",
)
class own_without_telling_its_length(RowAndOffset):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.size = max_len
        self.max_len = 512

    def check(self, length):
        if length > self.size:
            raise ValueError(f"T={length} is beyond {self.size}")

    def bias(self, q, k, positions):
        self.check(q.shape[2])
        return self.numbers[:, self.offsets(q.shape[2]) + self.size - 1]


@own.mistake(
    "Your error has no message. Say in it how long the text is, and what the limit is.",
    loses="any length up to max_len",
    breaks="a `ValueError` that says why",
)
class own_with_a_silent_error(RowAndOffset):
    def check(self, length):
        if length > self.max_len:
            raise ValueError


@own.mistake(
    "A text of one word gives numbers that are not finite: dividing positions by T − 1 is a "
    "division by 0 there.",
    loses="any length up to max_len",
    breaks="it works for any $T$ from 1",
)
class own_divided_by_the_last_place(RowAndOffset):
    def embed(self, x, positions):
        self.check(x.shape[1])
        place = torch.arange(x.shape[1]) / torch.tensor(x.shape[1] - 1)
        return x + self.rows[0] + place[:, None] * self.rows[1]


@own.mistake(
    "One of your gradients is not a number, and after one step no Parameter is. The root of 0, 0 / "
    "0 or e to a large power causes this, even where torch.where discards the result.",
    loses=("any length up to max_len", "it learns, and can be saved"),
    breaks="gradients reach the $x$",
)
class own_with_a_root_of_zero(RowAndOffset):
    def bias(self, q, k, positions):
        self.check(q.shape[2])
        offsets = self.offsets(q.shape[2])
        return offsets.sign() * (self.numbers[:, :1, None] * offsets).abs().sqrt()


@own.mistake(
    "In a long text your class gives numbers, or gradients, that are not finite. e to the power of "
    "89 is too large for a float32, and a distance may be 511.",
    loses="any length up to max_len",
    breaks="finite numbers",
)
class own_with_powers_of_the_distance(RowAndOffset):
    def bias(self, q, k, positions):
        self.check(q.shape[2])
        offsets = self.offsets(q.shape[2])
        return -torch.exp((0.5 + 0.1 * self.numbers[:, :1, None]) * offsets) * offsets.sign()
