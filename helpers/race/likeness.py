"""Which registered encodings another one is most like, by what attention does with it.

In a text of one repeated token, attention can go by positions alone. From the weights α of one
layer follow the scores s_ij − s_ii = ln α_ij/α_ii. By offset, over random tokens, weights and
places, their mean and two spreads are compared. What is asked is an encoding at its beginning, its
parameters moved a little; what it becomes in training is another question.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import torch
from torch import Tensor, nn

from helpers.encodings import available, prepare_positions
from helpers.model.attention import MultiHeadAttention
from helpers.race.entrant import Build, Entrant
from helpers.race.properties import perturb

LENGTH, TEXTS, DRAWS = 24, 16, 12
KEY, QUERY = 6, 12  # between them, other words are read
OFFSETS = range(1 - LENGTH, LENGTH)


def nearest(build: Build, most: int = 3) -> list[tuple[str, float]]:
    """Return the registered encodings that are most alike, the nearest first, and their distances.

    The distance is the root mean square of the differences of `behaviour`. Left out are encodings
    that read no plain text, as they need a tree or rows and columns; they are like no other.
    """
    try:
        mine = behaviour(build)
    except Exception:  # an own class may break in any way
        return []
    if mine.isnan().any():
        return []
    found = []
    for name in available():
        with suppress(ValueError):
            far = (mine - _registered(name)).square().mean().sqrt().item()
            found.append((name, far))
    return sorted(found, key=lambda each: each[1])[:most]


@cache
def _registered(name: str) -> Tensor:
    return behaviour(Entrant(name, name).build)


@torch.no_grad()
def behaviour(build: Build) -> Tensor:
    """Return the numbers of an encoding, each from −1 to 1, mean over some draws."""
    return torch.stack([_draw_behaviour(build, seed) for seed in range(DRAWS)]).mean(0)


def _draw_behaviour(build: Build, seed: int) -> Tensor:
    """Return the numbers of one draw: three curves by offset, and two that weigh as much each."""
    torch.manual_seed(seed)
    encoding = build(LENGTH)
    torch.manual_seed(seed)
    perturb(nn.ModuleList([encoding]))
    torch.manual_seed(seed)  # the same weights and tokens for all
    attention = MultiHeadAttention(encoding).eval()
    token = torch.randn(TEXTS, 1, encoding.d_model)
    scores, out = _scores_and_output(attention, token.expand(-1, LENGTH, -1))
    along = [scores.diagonal(offset, -2, -1) for offset in OFFSETS]
    spreads = [each.var(-1, correction=0).mean().sqrt() for each in along]  # over places alone
    curves = [[*map(torch.mean, along)], [each.std(correction=0) for each in along], spreads]
    text = torch.randn(TEXTS, LENGTH, encoding.d_model)
    other = text.clone()
    other[:, KEY + 1 : QUERY] = torch.randn(TEXTS, QUERY - KEY - 1, encoding.d_model)
    one, two = (_scores_and_output(attention, each)[0][..., QUERY, KEY] for each in (text, other))
    by_reading = (two - one).square().mean().sqrt()
    by_value = (out - out.mean(1, keepdim=True)).norm() / out.norm()
    numbers = torch.cat([torch.tensor(curves).flatten(), torch.stack([by_reading, by_value])])
    weights = torch.ones(len(numbers))
    weights[-2:] = len(OFFSETS) ** 0.5
    return weights * numbers / (1 + numbers.abs())


def _scores_and_output(attention: MultiHeadAttention, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return s_ij − s_ii, (N, H, T, T), and the output, (N, T, D)."""
    at = prepare_positions(x)
    x = attention.encoding.embed(x, at)
    logs = attention.weights(x, None, at).clamp_min(1e-9).log()
    return logs - logs.diagonal(dim1=-2, dim2=-1)[..., None], attention(x, None, at)
