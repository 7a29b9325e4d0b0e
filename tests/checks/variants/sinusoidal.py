"""Unit 02, right answers written differently: each is named after its exercise."""

import math

import numpy as np
import torch

from helpers import encodings
from helpers.encodings import Encoding


def wavelengths_in_numpy(d_model, base=10_000.0):
    return 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)


def wavelengths_by_logarithm(d_model, base=10_000.0):
    exponent = torch.linspace(0, 1, d_model // 2 + 1, dtype=torch.float64)[:-1]
    return torch.exp(math.log(2 * math.pi) + exponent * math.log(base))


def table_by_exp_and_log(num_positions, d_model, base=10_000.0):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(p * div)
    table[:, 1::2] = torch.cos(p * div)[:, : d_model // 2]
    return table


def table_in_numpy(num_positions, d_model, base=10_000.0):
    column = np.arange(d_model)
    angle = np.arange(num_positions)[:, None] / base ** (column // 2 * 2 / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def table_by_phase(num_positions, d_model, base=10_000.0):
    j = torch.arange(d_model)
    angle = torch.einsum(
        "p,j->pj", torch.arange(num_positions).float(), base ** -(j // 2 * 2 / d_model)
    )
    return torch.sin(angle + (j % 2) * torch.pi / 2)


any_width_by_exp_and_log = table_by_exp_and_log
any_width_in_numpy = table_in_numpy


def shift_in_numpy(k, d_model, base=10_000.0):
    a = k * base ** (-np.arange(0, d_model, 2) / d_model)
    m = np.diag(np.repeat(np.cos(a), 2))
    even = np.arange(0, d_model, 2)
    m[even, even + 1], m[even + 1, even] = np.sin(a), -np.sin(a)
    return m


def shift_by_matrix_exponential(k, d_model, base=10_000.0):
    w = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    return torch.matrix_exp(k * torch.block_diag(*(turn * a for a in w)))


def similarity_by_index_add(table):
    n = len(table)
    place = torch.arange(n)
    offsets = (place - place[:, None]).abs().flatten()  # each offset but 0 comes twice
    sums = table.new_zeros(n).index_add(0, offsets, (table @ table.mT).flatten())
    means = sums / torch.bincount(offsets)
    return means / means[:1]


def similarity_by_fourier_transform(table):
    n = len(table)
    spectrum = torch.fft.rfft(table, 2 * n, dim=0)
    sums = torch.fft.irfft((spectrum.conj() * spectrum).sum(1), 2 * n)[:n]
    means = sums / torch.arange(n, 0, -1)
    return means / means[0]


class module_with_leading_axis(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        table = encodings.sinusoidal_table(max_len, d_model, base)
        self.register_buffer("pe", table[None].float(), persistent=False)

    def embed(self, x, positions):
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError(f"{x.shape[1]} > {self.pe.shape[1]}")
        rows = self.pe[:, : x.shape[1]] if positions.ordered else self.pe[0, positions.queries]
        return (x + rows).to(x.dtype)


class module_in_double_precision(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("pe", encodings.sinusoidal_table(max_len, d_model, base))

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{tuple(x.shape)} is longer than the table, {len(self.pe)} rows")
        rows = self.pe[positions.queries]
        return x + rows.to(x.dtype)
