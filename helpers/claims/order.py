"""Claims about what attention can see: random weights, a changed input, and what follows of it."""

from __future__ import annotations

import math

import torch
from torch import Generator, Tensor

from helpers.encodings import Encoding, Positions, create, sinusoidal_table
from helpers.encodings.offsets import skew
from helpers.model.attention import MultiHeadAttention
from helpers.model.encoder import Encoder
from helpers.model.probes import rank_residual
from helpers.runtime import seed_everything


def _normal(seed: int, *shape: int) -> Tensor:
    draw = Generator().manual_seed(seed)
    return torch.randn(*shape, generator=draw, dtype=torch.float64)


def _attention(seed: int, encoding: Encoding) -> MultiHeadAttention:
    seed_everything(seed)
    return MultiHeadAttention(encoding).double().eval()


def span(seed: int, full: bool = False) -> dict[str, float]:
    """How far attention reaches, over the length of 32 tokens that it was built for (×).

    *at least*: the longest text of 32 to 1,024 tokens (4,096 in the full form) whose last token
    still changes the output of the first one, without positions. The search ends there, so that
    attention reaches this far or further. *table*: the longest text that a learned table of 32
    rows lets through, of up to 64 tokens. Vaswani et al. 2017, section 3.2.1, equation 1.
    """
    built, most = 32, 4096 if full else 1024
    lengths = [built * 2**n for n in range(int(math.log2(most // built)) + 1)]
    attention = _attention(seed, Encoding(16, 2, max_len=built))
    reached = [n for n in lengths if felt(attention, _normal(seed, 1, n, 16))[-1]]
    table = create("learned", d_model=16, max_len=built)
    return {"at least": max(reached) / built, "table": longest_text(table, 2 * built) / built}


def longest_text(encoding: Encoding, most: int) -> int:
    """The longest text, of up to `most` tokens, that an encoding lets through."""
    for length in range(1, most + 1):
        q = torch.zeros(1, encoding.num_heads, length, encoding.head_dim)
        try:
            encoding.embed(torch.zeros(1, length, encoding.d_model), Positions.upto(length))
            encoding.bias(q, q, Positions.upto(length))
        except ValueError:
            return length - 1
    return most


def felt(attention: MultiHeadAttention, x: Tensor) -> Tensor:
    """Which tokens change the output of the first one, (T,), by its gradient; x (1, T, D)."""
    with torch.enable_grad():
        x = x.clone().requires_grad_()
        (grad,) = torch.autograd.grad(attention(x)[0, 0].square().sum(), x)
    return grad[0].abs().amax(-1) > 0


@torch.no_grad()
def last_output_moves(layers: int, causal: bool, seed: int, encoding: str = "none") -> float:
    """Largest change of the last token's output when all tokens before it are shuffled.

    Relative to its size; 24 tokens, D = 32, random weights, float64.
    """
    length, seed_of_text = 24, seed + 1
    seed_everything(seed)
    model = Encoder(create(encoding, d_model=32, num_heads=4), 50, layers).double().eval()
    text = torch.randint(50, (8, length), generator=Generator().manual_seed(seed_of_text))
    order = torch.randperm(length - 1, generator=Generator().manual_seed(seed_of_text))
    shuffled = torch.cat([text[:, order], text[:, -1:]], 1)
    mask = torch.ones(length, length).tril().bool() if causal else None
    before, after = (model(each, mask)[:, -1] for each in (text, shuffled))
    return ((after - before).norm() / before.norm()).item()


def order_without_positions(seed: int, full: bool = False) -> dict[str, float]:
    """How much the last output moves when the tokens before it are shuffled; no positions.

    Relative to the norm of that output, with random weights; the same in both forms. *both ways*:
    two layers in which every token sees all others. *causal*: one layer, and two. Haviv et al. 2022
    (2203.16634), section 1, find that causal language models without positions learn them.
    """
    return {
        "both ways": last_output_moves(2, False, seed),
        "causal, 1 layer": last_output_moves(1, True, seed),
        "causal, 2 layers": last_output_moves(2, True, seed),
    }


def along_and_overall(products: Tensor) -> float:
    """Spread of a (T, T) matrix along its diagonals, relative to its spread overall.

    0 where each entry depends on its offset j − i only; 1 where the offset says nothing.
    """
    length = len(products)
    diagonals = [products.diagonal(k) for k in range(1 - length, length)]
    along = sum((each - each.mean()).square().sum() for each in diagonals)
    overall = (products - products.mean()).square().sum()
    return math.sqrt(float(along) / float(overall))


def best_wave(table: Tensor) -> float:
    """How much of a column's variance its best sine wave explains, 0 to 1; mean over the columns.

    The wave has any phase and amplitude, and the best of 200 frequencies. Sinusoids have 1, and
    about 0.7 where a random matrix has mixed them; 16 rows of noise have 0.4 to 0.5.

    Args:
        table: a row for each position, (T, D), float64.
    """
    positions, columns = torch.arange(len(table)).to(table), table - table.mean(0)
    explained = []
    for frequency in torch.linspace(0.05, math.pi, 200).tolist():
        angles = frequency * positions
        wave = torch.stack([angles.cos(), angles.sin(), torch.ones_like(angles)], 1)
        inside = torch.linalg.qr(wave).Q.mT @ columns
        explained.append(inside.square().sum(0) / columns.square().sum(0))
    return torch.stack(explained).amax(0).mean().item()


def offsets_in_products(seed: int, full: bool = False) -> dict[str, float]:
    """What dot products of sinusoids depend on; T = 64, D = 64 (512 each in the full form).

    *bare* and *projected*: spread along the diagonals as a share of that overall (0 to 1), of P·Pᵀ
    and of P·W·Pᵀ with a random W. *sign*: largest difference of P·Pᵀ to the left and to the right,
    as a share of D. Vaswani et al. 2017, section 3.5; Yan et al. 2019 (1911.04474), section 3.2.
    """
    size = 512 if full else 64
    table = sinusoidal_table(size, size)
    bare = table @ table.T
    projected = table @ _normal(seed, size, size) @ table.T
    return {
        "bare": along_and_overall(bare),
        "projected": along_and_overall(projected),
        "sign": (bare - bare.T).abs().max().item() / size,
    }


@torch.no_grad()
def stack(seed: int, full: bool = False) -> dict[str, float]:
    """What a stack of attention layers loses, and whether fixed positions are to blame.

    *reach*: share of 32 tokens that change the first output behind one layer, with sinusoids.
    *fixed* and *learned*: rank residual (0: all rows are one, 1: nothing in common) behind four
    layers without skips (12 in the full form), with sinusoids and with a table of the same size as
    it is drawn; *skips*: the same as *fixed*, with skips. Dong et al. 2021 (2103.03404), section 2;
    Vaswani et al. 2017, table 1.
    """
    length, width = 32, 64
    fixed = sinusoidal_table(length, width)
    learned = _normal(seed + 1000, length, width) * fixed.std()
    x = _normal(seed, 1, length, width)
    attention = _attention(seed, Encoding(width, 4))
    return {
        "reach": felt(attention, x + fixed).double().mean().item(),
        "fixed": residual_behind(x + fixed, seed, full),
        "learned": residual_behind(x + learned, seed, full),
        "skips": residual_behind(x + fixed, seed, full, skips=True),
    }


def residual_behind(x: Tensor, seed: int, full: bool, skips: bool = False) -> float:
    """Rank residual of x (1, T, D) behind random layers of attention."""
    seed_everything(seed)
    for _ in range(12 if full else 4):
        attention = MultiHeadAttention(Encoding(x.shape[-1], 4)).double()
        x = x + attention(x) if skips else attention(x)
    return rank_residual(x).item()


def trained_offsets(seed: int, full: bool = False) -> dict[str, float]:
    """Numbers that are trained in the table of vectors by offset, and skewing against a gather.

    *Huang* and *Transformer-XL*: trained numbers in tensors with one row for each offset of 32
    tokens (512 in the full form), counted in `helpers.encodings`, so in our reading of the papers;
    the second trains a projection of fixed sinusoids instead. *skew*: largest absolute difference
    between Skew(QEᵀ) and q_i·e_{j−i} read pair by pair. Huang et al. 2018, section 3.4.1; Dai et
    al. 2019, section 3.3.
    """
    length, width = 512 if full else 32, 16
    q, table = _normal(seed, length, width), _normal(seed + 1, 2 * length - 1, width)
    places = torch.arange(length)
    rows = places[None, :] - places[:, None] + length - 1
    by_pair = (q[:, None] * table[rows]).sum(-1)  # (T, T)
    found = {"skew": (skew(q @ table.T) - by_pair).abs().max().item()}
    for name, kind in {"Huang": "huang", "Transformer-XL": "transformer_xl"}.items():
        trained = create(kind, d_model=width, max_len=length).parameters()
        found[name] = sum(each.numel() for each in trained if 2 * length - 1 in each.shape)
    return found
