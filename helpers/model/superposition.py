"""Whether token, segment and position can be recovered from one noisy vector."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

ROWS = 1000, 2, 64  # tokens, segments, positions


def _noisy(x: Tensor, draw: Generator, loudness: float = 1.0) -> Tensor:
    """Add noise of `loudness` times the standard deviation of x."""
    return x + loudness * x.std() * torch.randn(x.shape, generator=draw)


def _look_up(tables: Sequence[Tensor], ids: Tensor) -> list[Tensor]:
    """Return the rows of ids (3, N) in three tables, (N, D) each."""
    return [table[each] for table, each in zip(tables, ids, strict=True)]


def _read_sum(noisy: Tensor, tables: Sequence[Tensor]) -> Tensor:
    """Return the ids, (3, N), of the rows whose sum is nearest to each noisy vector, (N, D)."""
    tokens, segments, positions = tables
    others = (segments[:, None] + positions).flatten(0, 1)  # (2T, D): row s·T + p
    distance = torch.cdist((noisy[:, None] - others).flatten(0, 1), tokens)
    best = distance.view(len(noisy), -1).argmin(1)
    rest = best // len(tokens)
    return torch.stack([best % len(tokens), rest // len(positions), rest % len(positions)])


def read_again(asked: Tensor, sizes: Sequence[int], width: int, loudness: float) -> Tensor:
    """Return the ids, (3, T), recovered from noisy sums of three random vectors, those of `asked`.

    Args:
        asked: ids of tokens, segments and positions, (3, T).
        sizes: number of tokens, segments and positions.
    """
    draw = Generator().manual_seed(1)
    tables = [torch.randn(rows, width, generator=draw) for rows in sizes]
    return _read_sum(_noisy(torch.stack(_look_up(tables, asked)).sum(0), draw, loudness), tables)


def summed(width: int, seed: int, tries: int = 200) -> float:
    """Return the fraction of noisy sums, (D,), from which all three ids are recovered."""
    tables, asked, draw = _random((width, width, width), tries, seed)
    found = _read_sum(_noisy(torch.stack(_look_up(tables, asked)).sum(0), draw), tables)
    return (found == asked).all(0).double().mean().item()


def beside(widths: Sequence[int], seed: int, tries: int = 1000) -> float:
    """Return the same fraction where the three vectors are concatenated, in these widths."""
    tables, asked, draw = _random(widths, tries, seed)
    parts = _noisy(torch.cat(_look_up(tables, asked), 1), draw).split(list(widths), 1)
    found = [torch.cdist(p, t).argmin(1) for p, t in zip(parts, tables, strict=True)]
    return (torch.stack(found) == asked).all(0).double().mean().item()


def _random(widths: Sequence[int], tries: int, seed: int) -> tuple[list[Tensor], Tensor, Generator]:
    """Return three random tables, ids to look up in them, (3, tries), and their generator."""
    draw = Generator().manual_seed(seed)
    tables = [torch.randn(n, width, generator=draw) for n, width in zip(ROWS, widths, strict=True)]
    return tables, torch.stack([torch.randint(n, (tries,), generator=draw) for n in ROWS]), draw
