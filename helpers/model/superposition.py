"""Whether token, segment and position can be read back from one noisy vector."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

ROWS = 1000, 2, 64  # tokens, segments, positions


def noisy(x: Tensor, draw: Generator, loudness: float = 1.0) -> Tensor:
    """Noise of `loudness` times the standard deviation of x, added to x."""
    return x + loudness * x.std() * torch.randn(x.shape, generator=draw)


def read_sum(heard: Tensor, tokens: Tensor, segments: Tensor, positions: Tensor) -> Tensor:
    """Token, segment and position whose sum is nearest to each vector (N, D); (3, N)."""
    others = (segments[:, None] + positions).flatten(0, 1)  # (2T, D): row s·T + p
    distance = torch.cdist((heard[:, None] - others).flatten(0, 1), tokens)
    best = distance.view(len(heard), -1).argmin(1)
    rest = best // len(tokens)
    return torch.stack([best % len(tokens), rest // len(positions), rest % len(positions)])


def read_again(asked: Tensor, sizes: Sequence[int], width: int, loudness: float) -> Tensor:
    """What is read in place of `asked`, (3, T), from noisy sums of random rows; (3, T).

    Args:
        sizes: how many tokens, segments and positions there are.
    """
    draw = Generator().manual_seed(1)
    tables = [torch.randn(rows, width, generator=draw) for rows in sizes]
    return read_sum(noisy(torch.stack(_rows(tables, asked)).sum(0), draw, loudness), *tables)


def summed(width: int, seed: int, tries: int = 200) -> float:
    """Fraction of noisy sums of which all three parts are found again."""
    tables, asked, draw = _drawn((width, width, width), tries, seed)
    found = read_sum(noisy(torch.stack(_rows(tables, asked)).sum(0), draw), *tables)
    return _all_right(found, asked)


def beside(widths: Sequence[int], seed: int, tries: int = 1000) -> float:
    """The same for three vectors side by side, of these widths."""
    tables, asked, draw = _drawn(widths, tries, seed)
    parts = noisy(torch.cat(_rows(tables, asked), 1), draw).split(list(widths), 1)
    found = [torch.cdist(p, t).argmin(1) for p, t in zip(parts, tables, strict=True)]
    return _all_right(torch.stack(found), asked)


def _drawn(widths: Sequence[int], tries: int, seed: int) -> tuple[list[Tensor], Tensor, Generator]:
    """Three random tables, which rows of them are asked for, (3, tries), and whence more comes."""
    draw = Generator().manual_seed(seed)
    tables = [torch.randn(n, width, generator=draw) for n, width in zip(ROWS, widths, strict=True)]
    return tables, torch.stack([torch.randint(n, (tries,), generator=draw) for n in ROWS]), draw


def _rows(tables: Sequence[Tensor], asked: Tensor) -> list[Tensor]:
    return [table[each] for table, each in zip(tables, asked, strict=True)]


def _all_right(found: Tensor, asked: Tensor) -> float:
    return (found == asked).all(0).double().mean().item()
