"""Which registered encodings another one is most like, by what attention does with it.

In a text of one repeated token, attention can go by positions alone. From the weights α of one
layer follow the scores s_ij − s_ii = ln α_ij/α_ii, and from these a few numbers from −1 to 1, means
over random tokens and weights. What is asked is an encoding at its beginning, its parameters moved
a little; what it becomes in training is another question.
"""

from __future__ import annotations

from functools import cache, partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.encodings import available, create, prepare_positions
from helpers.encodings.offsets import offset_matrix, toeplitz
from helpers.model.attention import MultiHeadAttention
from helpers.race.properties import Build, moved

LENGTH, TEXTS, DRAWS = 24, 16, 12
FAR = LENGTH // 2  # tokens


def nearest(build: Build, most: int = 3) -> list[tuple[str, float]]:
    """Return the registered encodings that are most alike, the nearest first, and their distances.

    The distance is the root mean square of the differences of `behaviour`. Left out are encodings
    that read no plain text, as they need a tree or rows and columns.
    """
    mine, like = behaviour(build), build(1)
    others = _registered(like.d_model, like.num_heads)
    found = [(name, (mine - each).square().mean().sqrt().item()) for name, each in others.items()]
    return sorted(found, key=lambda each: each[1])[:most]


@cache
def _registered(d_model: int, num_heads: int) -> dict[str, Tensor]:
    """Return the `behaviour` of each registered encoding that reads plain text."""
    found = {}
    for name in available():
        make = partial(create, name, d_model=d_model, num_heads=num_heads)
        try:
            found[name] = behaviour(lambda longest, make=make: make(max_len=longest))  # type: ignore[misc]
        except ValueError:
            continue
    return found


@torch.no_grad()
def behaviour(build: Build) -> Tensor:
    """Return the numbers of an encoding, as `_numbers` gives them, mean over some draws."""
    return torch.stack([_drawn(build, seed) for seed in range(DRAWS)]).mean(0)


def _drawn(build: Build, seed: int) -> Tensor:
    """One draw of parameters, weights and tokens; all but the parameters is the same for all."""
    torch.manual_seed(seed)
    encoding = build(2 * LENGTH)
    torch.manual_seed(seed)
    moved(nn.ModuleList([encoding]))
    torch.manual_seed(seed)
    attention = MultiHeadAttention(encoding).eval()
    token = torch.randn(TEXTS, 1, encoding.d_model)
    scores, out = _read(attention, token.expand(-1, LENGTH, -1))
    longer, _ = _read(attention, token.expand(-1, 2 * LENGTH, -1))
    text, other = torch.randn(2, TEXTS, LENGTH, encoding.d_model)
    between = text.clone()
    between[:, LENGTH // 4 + 1 : FAR] = other[:, LENGTH // 4 + 1 : FAR]
    one, two = (_read(attention, each)[0][..., FAR, LENGTH // 4] for each in (text, between))
    size = scores.square().mean().sqrt().clamp_min(1e-6)
    by_length = (longer[..., :LENGTH, :LENGTH] - scores).square().mean().sqrt() / size
    by_reading = (two - one).square().mean().sqrt() / size
    by_value = (out - out.mean(1, keepdim=True)).norm() / out.norm()
    others = torch.stack([by_length, by_reading, by_value.double()])
    return torch.cat([_numbers(scores), others.clamp(max=1)])


def _read(attention: MultiHeadAttention, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return s_ij − s_ii, (N, H, T, T), and the output, (N, T, D)."""
    at = prepare_positions(x)
    x = attention.encoding.embed(x, at)
    logs = attention.weights(x, None, at).double().clamp_min(1e-9).log()
    return logs - logs.diagonal(dim1=-2, dim2=-1)[..., None], attention(x, None, at)


def _numbers(scores: Tensor) -> Tensor:
    """Return what kind of scores these are, (N, H, T, T) → (7,); zeros if there are none.

    Their size; what part of their square is explained by offsets, is common to all tokens, and
    comes from offsets beyond `FAR`; whether the mean by offset is symmetric, decays with the
    distance, and is smooth.
    """
    square = scores.square().mean()
    if square < 1e-12:
        return torch.zeros(7, dtype=torch.float64)
    offsets = range(1 - LENGTH, LENGTH)
    profile = torch.stack([scores.diagonal(d, -2, -1).mean(-1) for d in offsets], -1)
    explained = 1 - (scores - toeplitz(profile, LENGTH)).square().mean() / square
    common = scores.mean(0).square().mean() / square
    distance = offset_matrix(LENGTH).abs()
    far = (scores * (distance > FAR)).square().mean() / square
    symmetric = F.cosine_similarity(profile, profile.flip(-1), dim=-1).mean()
    centred = profile - profile.mean(-1, keepdim=True)
    nearness = -torch.tensor(offsets, dtype=torch.float64).abs()
    decays = F.cosine_similarity(centred, nearness - nearness.mean(), dim=-1).mean()
    smooth = F.cosine_similarity(centred[..., 1:], centred[..., :-1], dim=-1).mean()
    size = square.sqrt() / (1 + square.sqrt())
    return torch.stack([size, explained, common, far, symmetric, decays, smooth])
