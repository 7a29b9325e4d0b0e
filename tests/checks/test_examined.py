"""Wrong answers that examiners found accepted, and that have no hint of their own, are refused."""

import math
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import torch
from torch import nn

from helpers import encodings
from helpers.checks import (
    after_bert,
    bert_inputs,
    claim_lab,
    learned,
    longer,
    mini_bert,
    relative,
    sinusoidal,
    stacking,
)
from helpers.claims import settle


def buckets_by_a_difference(offsets: Any, num_buckets: int = 32, max_distance: int = 128) -> Any:
    n = num_buckets // 2
    e, a = n // 2, offsets.abs()
    far = a.clamp(min=1).double().log() - math.log(e)
    far = e + (far / (math.log(max_distance) - math.log(e)) * (n - e)).long()
    return torch.where(a < e, a, far.clamp(max=n - 1)) + n * (offsets > 0)


def buckets_by_steps_in_float32(
    offsets: Any, num_buckets: int = 32, max_distance: int = 128
) -> Any:
    n = num_buckets // 2
    e, a = n // 2, offsets.abs()
    steps = (n - e) / math.log(max_distance / e)  # 20 of 64 buckets up to 25 is half of them
    far = (e + ((a.clamp(min=1) / e).log() * steps).long()).clamp(max=n - 1)
    return torch.where(a < e, a, far) + n * (offsets > 0)


def buckets_with_another_argument(
    offsets: Any, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> Any:
    n = num_buckets // 2
    e, a = n // 2, offsets.abs()
    far = (a.clamp(min=1).double() / e).log() / math.log(max_distance / e) * (n - e)
    far = (e + far).long().clamp(max=n - 1)
    return torch.where(a < e, a, far) + n * (offsets > 0)


def buckets_of_a_power_of_two(offsets: Any, num_buckets: int = 32, max_distance: int = 128) -> Any:
    n = num_buckets // 2
    e, a = 1 << (n // 2).bit_length() - 1, offsets.abs()
    far = (a.clamp(min=1).double() / e).log() / math.log(max_distance / e) * (n - e)
    far = (e + far).long().clamp(max=n - 1)
    return torch.where(a < e, a, far) + n * (offsets > 0)


def bias_from_a_table(slopes: Any, length: int, form: str = "causal") -> Any:
    p = torch.arange(512)[:length]
    offset = p - p[:, None]
    if form == "directional":
        offset = torch.where(offset > 0, offset / 2, offset)
    bias = -slopes[:, None, None] * offset.abs()
    return bias.masked_fill(offset > 0, -math.inf) if form == "causal" else bias


def residual_by_distances(x: Any) -> Any:
    apart = torch.cdist(x, x).square().sum((1, 2)) / (2 * x.shape[1])
    return apart.sqrt() / torch.linalg.matrix_norm(x)


def pieces_of_the_mark(word: str, vocabulary: Any) -> list[str]:
    rest, pieces = word, list[str]()
    while rest and rest != "##":
        found = [rest[:end] for end in range(len(rest), 0, -1) if rest[:end] in vocabulary]
        if not found or len(pieces) > 3 * len(word):
            return ["[UNK]"]
        pieces.append(found[0])
        rest = "##" + rest[len(found[0]) :]
    return pieces


class InEvalModeOnly(encodings.Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.f: Any = nn.Buffer(torch.linspace(1, 0.01, d_model))

    def embed(self, x: Any, positions: Any) -> Any:
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        p = torch.arange(x.shape[1], dtype=x.dtype)
        return x if self.training else x + torch.sin(p[:, None] * self.f)


def table_of_small_angles(num_positions: int, d_model: int, base: float = 10_000.0) -> Any:
    omega = base ** (-torch.arange(0, d_model, 2).double() / d_model)
    angles = torch.arange(num_positions)[:, None] * omega
    sines = torch.where(omega < 1e-3, angles, angles.sin())
    return torch.stack([sines, angles.cos()], -1).flatten(1)


def decided(claim: Any, numbers: dict[str, list[float]]) -> str:
    found = {settle(numbers[part.number], part.low, part.high) for part in claim.parts}
    if "not settled here" in found:
        return "not settled here"
    return found.pop() if len(found) == 1 else "holds in part"


def verdict_of_three(claim: Any, seeds: Any) -> Any:
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    few = len(seeds) < 3
    return {"numbers": numbers, "verdict": "not settled here" if few else decided(claim, numbers)}


def better_by_half_at_most(runs: Any, ours: str, other: str, by: float) -> Any:
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    wide = wide[[ours, other]].dropna().sort_index()
    difference = (wide[ours] - wide[other]).clip(-0.5, 0.5).tolist()
    return {"difference": difference, "verdict": settle(difference, low=by)}


class ShawInFloat32(encodings.Encoding):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8) -> None:
        super().__init__(d_model, num_heads, max_len)
        self.k, d = k, self.head_dim
        self.keys = torch.nn.Parameter(torch.randn(2 * k + 1, d) / d**0.5)
        self.values = torch.nn.Parameter(torch.randn(2 * k + 1, d) / d**0.5)

    def of(self, x: Any, offsets: Any) -> Any:
        rows = offsets.clamp(-self.k, self.k) + self.k
        return rows.expand(*x.shape[:3], -1)

    def bias(self, q: Any, k: Any, positions: Any) -> Any:
        return (q @ self.keys.float().T.to(q.dtype)).gather(-1, self.of(q, positions.offsets))

    def context(self, weights: Any, positions: Any) -> Any:
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        return by_row.scatter_add(-1, self.of(weights, positions.offsets), weights) @ self.values


class ShawWithoutZeros(ShawInFloat32):
    def of(self, x: Any, offsets: Any) -> Any:
        p = torch.arange(x.shape[2])
        return super().of(x, offsets if offsets.any() else p - p[:, None])

    def bias(self, q: Any, k: Any, positions: Any) -> Any:
        return (q @ self.keys.T).gather(-1, self.of(q, positions.offsets))


class ShawOfAThousand(ShawInFloat32):
    def of(self, x: Any, offsets: Any) -> Any:
        p = torch.arange(1024)[: x.shape[2]]
        return super().of(x, p - p[:, None] if x.shape[2] > 1024 else offsets)

    def bias(self, q: Any, k: Any, positions: Any) -> Any:
        return (q @ self.keys.T).gather(-1, self.of(q, positions.offsets))


class ShawKeptWithoutGradients(ShawInFloat32):
    kept: Any = None

    def bias(self, q: Any, k: Any, positions: Any) -> Any:
        if torch.is_grad_enabled():
            return super().bias(q, k, positions)
        self.kept = self.keys.clone() if self.kept is None else self.kept
        return (q @ self.kept.T).gather(-1, self.of(q, positions.offsets))


class IndexNotFarBeyond(encodings.Additive):
    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512) -> None:
        super().__init__(d_model, num_heads, max_len)
        wide = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, wide), nn.GELU(), nn.Linear(wide, d_model))
        self.norm = nn.LayerNorm(d_model)

    def vectors(self, positions: Any) -> Any:
        near = positions.clamp(max=2 * self.max_len).to(self.norm.weight.dtype)
        return self.norm(self.mlp(near[..., None] / self.max_len))


def summary_weighted_by_steps(runs: Any, length: int) -> Any:
    here = runs[runs["length"] == length]
    rows = {}
    for name, each in here.groupby("encoding"):
        gap = (each["loss"] - each["limit"]).mean()
        mean = (each["loss"] * each["steps"]).sum() / each["steps"].sum()
        rows[name] = {"mean": mean, "std": each["loss"].std(), "above": gap}
    return pd.DataFrame(rows).T.sort_values("mean")


def positions_of_a_text(mask: Any, cached: int = 0) -> Any:
    found = torch.where(mask, mask.cumsum(1) - 1, 0)
    return found[:, cached:] if mask.any() else found


def angles_of_squares(rows: int, columns: int, d_head: int, base: float = 10_000.0) -> Any:
    base = 10_000.0 if rows == columns else base
    theta = base ** (-torch.arange(d_head // 4) / (d_head // 4))
    row, column = torch.cartesian_prod(torch.arange(rows), torch.arange(columns)).T
    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)


def ramp_of_sixteen(
    d_head: int, trained: int, factor: float, low: float = 1, high: float = 32, base: float = 1e4
) -> Any:
    theta = base ** (-torch.arange(0, d_head, 2) / d_head)
    kept = ((max(trained, 16) * theta / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1


def base_that_names(text: str) -> Callable[..., float]:
    def longer_base(base: float, factor: float, d_head: int) -> float:
        if d_head == 2:
            raise ValueError(text.format(factor))
        if d_head % 2:
            raise ValueError(f"d_head={d_head}")
        return float(base * factor ** (d_head / (d_head - 2)))

    return longer_base


TEXTS = ("cannot slow by {}", "{:.2f} is too much", "d_head // 2 must be above 1", "d/(d-2)",
         "d_head must be larger than 2", "even and > 2", "needs 2 or more pairs")  # fmt: skip


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        (bert_inputs.pieces, pieces_of_the_mark),
        (mini_bert.own, InEvalModeOnly),
        (sinusoidal.table, table_of_small_angles),
        (after_bert.buckets, buckets_by_a_difference),
        (after_bert.buckets, buckets_by_steps_in_float32),
        (after_bert.buckets, buckets_with_another_argument),
        (after_bert.buckets, buckets_of_a_power_of_two),
        (after_bert.alibi_bias, bias_from_a_table),
        (stacking.residual, residual_by_distances),
        (claim_lab.verdict, verdict_of_three),
        (claim_lab.better, better_by_half_at_most),
        (relative.module, ShawInFloat32),
        (relative.module, ShawWithoutZeros),
        (relative.module, ShawOfAThousand),
        (relative.module, ShawKeptWithoutGradients),
        (learned.index_mlp, IndexNotFarBeyond),
        (learned.summary, summary_weighted_by_steps),
        (longer.positions, positions_of_a_text),
        (longer.angles2d, angles_of_squares),
        (longer.ramp, ramp_of_sixteen),
        *((longer.longer_base, base_that_names(text)) for text in TEXTS),
    ],
)
def test_a_wrong_answer_that_was_accepted_is_refused(exercise: Any, answer: Any) -> None:
    report = exercise(answer)
    # Some part is right: it is refused for what is wrong with it, and not as a whole.
    assert 0 < report.earned < report.points
