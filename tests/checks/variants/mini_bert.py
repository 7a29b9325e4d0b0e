"""Unit 08, right answers written differently: each is named after its exercise."""

import math
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from helpers import encodings
from helpers.encodings import Additive, Encoding


def parameters_in_another_order(V, D, L, T):  # noqa: N803
    shapes = [(D, 3 * D), (3 * D,), (D, D), (D,), (D, 4 * D), (4 * D,), (4 * D, D), (D,)]
    shapes += [(D,)] * 4
    layer = sum(math.prod(shape) for shape in shapes)
    pooler = math.prod((D, D)) + D
    below = sum(rows * D for rows in (V, 2, T)) + 2 * D
    total = layer * L + pooler + below
    return {"all": total, "pooler": pooler, "layer": layer, "embeddings": below}


def parameters_with_modules(V, D, L, T):  # noqa: N803
    def size(module):
        return sum(p.numel() for p in module.parameters())

    nn = torch.nn
    with torch.device("meta"):  # a module of the large BERT takes seconds to fill
        tables = nn.ModuleList([nn.Embedding(n, D) for n in (V, 2, T)] + [nn.LayerNorm(D)])
        layer = size(nn.TransformerEncoderLayer(D, 1, 4 * D))
        below, pooler = size(tables), size(nn.Linear(D, D))
    every = below + L * layer + pooler
    return {"embeddings": below, "layer": layer, "pooler": pooler, "all": every}


def loss_by_logsumexp(logits, targets):
    chosen = targets >= 0
    right = logits.gather(2, targets.clamp(min=0).unsqueeze(2)).squeeze(2)
    surprise = torch.logsumexp(logits, 2) - right
    return surprise[chosen].mean()


def loss_in_double(logits, targets):
    chosen = targets != -100
    logs = logits.double().log_softmax(-1)
    picked = torch.where(chosen, logs.gather(-1, targets.clamp(min=0)[..., None])[..., 0], 0)
    return (-picked.sum() / chosen.sum()).to(logits.dtype)


def unigram_in_numpys_float32(training, testing, vocab_size):
    counts = np.bincount(training.numpy(), minlength=vocab_size) + 1
    return np.float32(-np.log(counts[testing.numpy()] / counts.sum()).mean())


def unigram_as_a_tensor(training, testing, vocab_size):
    counts = torch.ones(vocab_size)
    counts.scatter_add_(0, training, torch.ones(len(training)))
    return F.cross_entropy(counts.log().expand(len(testing), -1), testing)


def above_by_cross_entropy(logits, targets, kinds, posterior):
    means = []
    for k in range(int(kinds.max()) + 1):
        wanted = torch.where(kinds == k, targets, -100).flatten()
        model = F.cross_entropy(logits.flatten(0, 1), wanted)
        exact = F.nll_loss(posterior.log().flatten(0, 1), wanted)
        means.append(model.item() - exact.item())
    return torch.tensor(means)


def above_in_numpy(logits, targets, kinds, posterior):
    chosen = (targets != -100).numpy()
    words = targets.numpy()[chosen][:, None]
    model = -np.take_along_axis(logits.log_softmax(-1).numpy()[chosen], words, 1)[:, 0]
    exact = -np.log(np.take_along_axis(posterior.numpy()[chosen], words, 1)[:, 0])
    kind = kinds.numpy()[chosen]
    difference = [(model - exact)[kind == k].mean() for k in range(kinds.max() + 1)]
    return np.array(difference)


class own_scores_in_whole_numbers(Encoding):
    """Offsets as they are, int64."""

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        offset = p[None, :] - p[:, None]
        return torch.where(offset < 0, offset, -3 * offset)


class own_scores_that_are_true_to_the_left(Encoding):
    """Booleans, which count as 1 and 0."""

    def bias(self, q, k, positions):
        square = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device)
        return square.tril(-1)


class own_gated_waves(Additive):
    """Sinusoids, each with a loudness that is learned."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.loudness = nn.Parameter(torch.full((d_model,), 0.1))

    def vectors(self, positions):
        return self.loudness * encodings.sinusoids(positions, self.d_model)


class own_turn_of_the_first_pair(Encoding):
    """The first two numbers of each query and key are turned by a learned angle per position."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("p", torch.arange(max_len).float())
        self.speed = nn.Parameter(torch.tensor(0.5))

    def rotate(self, q, k, positions):
        if q.shape[2] > self.max_len:
            raise ValueError("too long")
        angle = self.p[: q.shape[2]] * self.speed
        cos, sin = angle.cos(), angle.sin()

        def turned(x):
            a, b, rest = x[..., 0], x[..., 1], x[..., 2:]
            first = torch.stack([a * cos - b * sin, a * sin + b * cos], -1)
            return torch.cat([first, rest], -1)

        return turned(q), turned(k)


class own_values_by_side(Encoding):
    """A vector that is added to what comes from the left, in each layer."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.left = nn.Parameter(torch.randn(num_heads, 1, d_model // num_heads))

    def context(self, weights, positions):
        share = weights.tril(-1).sum(-1, keepdim=True)
        return share * self.left


class own_with_dropout(Encoding):
    """The left neighbour, with dropout in train mode, and a mask spread over texts and heads."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.map = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(0.2)

    def embed(self, x, positions):
        left = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
        return nn.functional.dropout(self.drop(x + self.map(left)), 0.1, self.training)

    def bias(self, q, k, positions):
        return torch.ones(1, 1, q.shape[2], q.shape[2]).to(q).triu(3)


class own_left_out_now_and_then(Encoding):
    """In train mode half of the texts are read without it."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.frequencies = nn.Parameter(torch.rand(d_model))

    def embed(self, x, positions):
        if self.training and torch.rand(()) < 0.5:
            return x
        return x + (positions.queries[..., None] * self.frequencies).sin()


class own_bias_for_all_heads(Encoding):
    """Two axes, float32 whatever the model is: torch.where makes it of two Python numbers."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gain = nn.Parameter(torch.tensor(0.5))

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device)
        offset = p[None, :] - p[:, None]
        return self.gain * torch.where(offset > 0, 1.0, -0.3) * offset.abs()


class own_with_helpers_of_its_own(Encoding):
    """Functions and plain numbers in attributes, lists and the class; tensors are registered."""

    sides = (-1.0, 1.0)
    bent = {"more": 0.1}  # noqa: RUF012

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        slopes = [nn.Parameter(torch.full((num_heads, 1, 1), side)) for side in self.sides]
        self.slopes = nn.ParameterList(slopes)
        self.bend = lambda offset: torch.tanh(offset * self.slopes[1]) + self.bent["more"] * offset
        self.of = SimpleNamespace(divided_by=[2.0, 3.0])

    @staticmethod
    def offsets(length, dtype):
        p = torch.arange(length, dtype=dtype)
        return p[None, :] - p[:, None]

    def bias(self, q, k, positions):
        offset = self.offsets(q.shape[2], q.dtype)
        return self.slopes[0] * offset / self.of.divided_by[0] + self.bend(offset)


class own_very_faint_neighbours(Encoding):
    """A learned number for each of five offsets, of which a hundredth counts."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.near = nn.Embedding(5, num_heads)

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2])
        near = (p[None, :] - p[:, None]).clamp(-2, 2) + 2
        return 0.01 * self.near(near).permute(2, 0, 1)


class own_with_names_that_others_have(Encoding):
    """Attributes that are called as much else in this course is."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.scale = nn.Parameter(torch.randn(d_model) * 0.1)
        self.scores = nn.Embedding(max_len, d_model)
        self.hooks = 2

    def embed(self, x, positions):
        self._check_length(x.shape[1])
        before = nn.functional.pad(x, (0, 0, self.hooks, 0))[:, : x.shape[1]]
        return x + self.scale * before + self.scores.weight[: x.shape[1]]


class own_gated_decay(Encoding):
    """Each key says how much its side counts, which decays with the distance."""

    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gate = nn.Parameter(torch.randn(num_heads, self.head_dim) / 4)

    def bias(self, q, k, positions):
        p = torch.arange(q.shape[2], device=q.device, dtype=q.dtype)
        offset = p - p[:, None]
        gate = torch.einsum("bhtd,hd->bht", q, self.gate).sigmoid()[..., None]
        return gate * (-offset.abs()).exp() * offset.sign()
