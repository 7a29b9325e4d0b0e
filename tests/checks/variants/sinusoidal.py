"""Unit 02, right answers written differently: loops, NumPy, complex numbers, float32."""

from __future__ import annotations

import math

import numpy as np
import torch

from helpers import encodings
from helpers.encodings import Encoding


def wavelengths_by_loop(d_model, base=10_000.0):
    return torch.tensor([2 * math.pi * base ** (2 * i / d_model) for i in range(d_model // 2)])


def wavelengths_in_numpy(d_model, base=10_000.0):
    return 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model)


def wavelengths_by_logarithm(d_model, base=10_000.0):
    exponent = torch.linspace(0, 1, d_model // 2 + 1, dtype=torch.float64)[:-1]
    return torch.exp(math.log(2 * math.pi) + exponent * math.log(base))


def table_by_loops(num_positions, d_model, base=10_000.0):
    table = torch.zeros(num_positions, d_model)
    for p in range(num_positions):
        for i in range(0, d_model, 2):
            table[p, i] = math.sin(p / base ** (i / d_model))
            if i + 1 < d_model:
                table[p, i + 1] = math.cos(p / base ** (i / d_model))
    return table


def table_in_numpy(num_positions, d_model, base=10_000.0):
    column = np.arange(d_model)
    angle = np.arange(num_positions)[:, None] / base ** (column // 2 * 2 / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def table_by_complex_numbers(num_positions, d_model, base=10_000.0):
    w = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    circle = torch.polar(
        torch.ones(()).double(), torch.outer(torch.arange(num_positions).double(), w)
    )
    return torch.stack([circle.imag, circle.real], -1).flatten(1)[:, :d_model]


def table_by_exp_and_log(num_positions, d_model, base=10_000.0):
    p = torch.arange(num_positions, dtype=torch.float32).unsqueeze(1)
    div = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(p * div)
    table[:, 1::2] = torch.cos(p * div)[:, : d_model // 2]
    return table


def table_by_phase(num_positions, d_model, base=10_000.0):
    j = torch.arange(d_model)
    angle = torch.einsum(
        "p,j->pj", torch.arange(num_positions).float(), base ** -(j // 2 * 2 / d_model)
    )
    return torch.sin(angle + (j % 2) * torch.pi / 2)


def shift_by_loop(k, d_model, base=10_000.0):
    m = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        a = k / base ** (i / d_model)
        m[i, i] = m[i + 1, i + 1] = math.cos(a)
        m[i, i + 1], m[i + 1, i] = math.sin(a), -math.sin(a)
    return m


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


def shift_by_kronecker(k, d_model, base=10_000.0):
    a = k * base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    eye = torch.eye(2, dtype=torch.float64)
    return torch.kron(a.cos().diag(), eye) + torch.kron(a.sin().diag(), turn)


def similarity_by_loops(table):
    n = len(table)
    means = [sum(table[p] @ table[p + k] for p in range(n - k)) / (n - k) for k in range(n)]
    return torch.stack(means) / means[0]


def similarity_by_slices(table):
    n = len(table)
    means = torch.stack([(table[: n - k] * table[k:]).sum(1).mean() for k in range(n)])
    return means / means[0]


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


class module_with_embedding_lookup(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("pe", encodings.sinusoidal_table(max_len, d_model, base).float())

    def embed(self, x, positions):
        length = x.shape[1]
        if length > self.max_len:
            raise ValueError(length, self.max_len)
        rows = positions.queries.expand(len(x), -1)
        return torch.add(x, torch.nn.functional.embedding(rows, self.pe.to(x)))


class module_in_double_precision(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512, base=10_000.0):
        super().__init__(d_model, num_heads, max_len)
        self.register_buffer("pe", encodings.sinusoidal_table(max_len, d_model, base))

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{tuple(x.shape)} is longer than the table, {len(self.pe)} rows")
        rows = self.pe[positions.keys]
        return x + rows.to(x.dtype)


class module_with_a_float32_table_of_its_own(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        angles = torch.arange(max_len)[:, None] * 1e4 ** (-torch.arange(0, d_model, 2) / d_model)
        paper = torch.zeros(max_len, d_model)
        paper[:, 0::2] = angles.sin()
        paper[:, 1::2] = angles.cos()  # for an even d_model only
        self.register_buffer("paper", paper)

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{x.shape[1]} tokens, max_len is {self.max_len}")
        rows = self.paper[positions.queries]
        return x + rows.type(x.dtype)


class module_with_two_buffers(Encoding):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        table = encodings.sinusoidal_table(max_len, d_model)
        self.register_buffer("sines", table[:, 0::2])
        self.register_buffer("cosines", table[:, 1::2])

    def embed(self, x, positions):
        if x.shape[1] > self.max_len:
            raise ValueError(f"{x.shape[1]} tokens, max_len is {self.max_len}")
        chosen = positions.queries
        y = x.clone()
        y[..., 0::2] += self.sines[chosen]
        y[..., 1::2] += self.cosines[chosen]
        return y


TABLES = (
    table_by_loops,
    table_in_numpy,
    table_by_complex_numbers,
    table_by_exp_and_log,
    table_by_phase,
)

VARIANTS = {
    "wavelengths": (
        wavelengths_by_loop,
        wavelengths_in_numpy,
        wavelengths_by_logarithm,
    ),
    "shift": (shift_by_loop, shift_in_numpy, shift_by_matrix_exponential, shift_by_kronecker),
    "similarity": (
        similarity_by_loops,
        similarity_by_slices,
        similarity_by_index_add,
        similarity_by_fourier_transform,
    ),
    "module": (
        module_with_leading_axis,
        module_with_embedding_lookup,
        module_in_double_precision,
        module_with_a_float32_table_of_its_own,
        module_with_two_buffers,
    ),
    "table": TABLES,
    "any_width": TABLES,
}
