"""All encodings by name, with the paper that each is from and its formula."""

from __future__ import annotations

from typing import Any, NamedTuple

from helpers.encodings.absolute import Learned
from helpers.encodings.absolute_2d import Fourier2d, Learned2d
from helpers.encodings.base import Encoding
from helpers.encodings.bias import ClippedBias, T5Bias, Window
from helpers.encodings.convolution import Convolution
from helpers.encodings.cope import Cope
from helpers.encodings.deberta import Deberta
from helpers.encodings.distance import Alibi, Fire, Kerple
from helpers.encodings.huang import Huang
from helpers.encodings.index_features import Fourier, IndexMLP
from helpers.encodings.more.fox import Fox
from helpers.encodings.more.path import Path
from helpers.encodings.more.pope import Pope
from helpers.encodings.rope_scaling import DynamicNtk, Interpolated, Llama3, LongRope, Ntk, Yarn
from helpers.encodings.rotary import PRope, Rotary, XPos
from helpers.encodings.rotary_nd import Rotary2d, Rotary3d
from helpers.encodings.shaw import Shaw, ShawKeys
from helpers.encodings.sinusoidal import Sinusoidal
from helpers.encodings.transformer_xl import TransformerXL
from helpers.encodings.tree import TreeDepth, TreeOffsets
from helpers.encodings.tupe import Tupe


class Entry(NamedTuple):
    """An encoding's class, its paper and its formula."""

    kind: type[Encoding]
    paper: str
    formula: str  # of a score or of the input; 1/√d is left out where all terms have it


# fmt: off
REGISTRY: dict[str, Entry] = {
    "none": Entry(Encoding, "Vaswani et al. 2017, section 3.2", r"q_i · k_j"),
    "sinusoidal": Entry(Sinusoidal, "Vaswani et al. 2017, section 3.5",
        r"x_p + [sin pω_i, cos pω_i], ω_i = base^(−2i/D)"),
    "learned": Entry(Learned, "Devlin et al. 2018, figure 2", r"x_p + E_p"),
    "index_mlp": Entry(IndexMLP, "the course's own; compare Vaswani et al. 2017, table 3 (E)",
        r"x_p + LN(MLP(p / max_len))"),
    "fourier": Entry(Fourier, "Li et al. 2021 (2106.02795), equations 2 and 6",
        r"x_p + LN(W_2·GeLU(W_1·[cos pW_r; sin pW_r]/√D_F))"),
    "shaw_keys": Entry(ShawKeys, "Shaw et al. 2018, equation 4",
        r"q_i · (k_j + w^K[clip(j − i, k)])"),
    "shaw": Entry(Shaw, "Shaw et al. 2018, equations 3 and 4",
        r"as shaw_keys, and Σ_j α_ij (v_j + w^V[clip(j − i, k)])"),
    "huang": Entry(Huang, "Huang et al. 2018, section 3.4.1", r"q_i · k_j + Skew(Q Eᵀ)_ij"),
    "transformer_xl": Entry(TransformerXL, "Dai et al. 2019, section 3.3",
        r"q_i·k_j + q_i·W R_{i−j} + u·k_j + v·W R_{i−j}"),
    "clipped_bias": Entry(
        ClippedBias, "Raffel et al. 2020, with the clip of Shaw et al. 2018 instead of buckets",
        r"q_i · k_j + b[h, clip(j − i, k)]"),
    "t5_bias": Entry(T5Bias, "Raffel et al. 2020, section 2.1",
        r"q_i · k_j + b[h, bucket(j − i)], not divided by √d"),
    "alibi": Entry(Alibi, "Press et al. 2022, section 3",
        r"q_i · k_j/√d − m_h |j − i|, m_h = 2^(−8h/H)"),
    "kerple": Entry(Kerple, "Chi et al. 2022 (2205.09921)",
        r"q_i · k_j/√d − r1 log(1 + r2 |j − i|)"),
    "fire": Entry(Fire, "Li et al. 2023 (2310.04418)",
        r"q_i · k_j/√d + f_h(ψ(i − j)/ψ(max(L, i))), ψ(x) = log(cx + 1)"),
    "rotary": Entry(Rotary, "Su et al. 2021, equations 13 to 16",
        r"(R_i q_i) · (R_j k_j), R_p turns pair n by p·base^(−2n/d)"),
    "xpos": Entry(XPos, "Sun et al. 2022 (2212.10554)",
        r"as rotary, pair n times ζ_n^((i − j)/512), ζ_n = (2n/d + γ)/(1 + γ)"),
    "deberta": Entry(Deberta, "He et al. 2021, equations 3 and 4",
        r"(q_i·k_j + q_i·W_K P[δ(i,j)] + k_j·W_Q P[δ(j,i)])/√(3d)"),
    "cope": Entry(Cope, "Golovneva et al. 2024 (2405.18719), section 4",
        r"q_i · (k_j + e[p_ij]), p_ij = Σ_{m=j}^{i} σ(q_i · k_m/√d)"),
    "tupe": Entry(Tupe, "Ke et al. 2021 (2006.15595), sections 3.1 and 3.2",
        r"(q_i·k_j + (p_i U_Q)·(p_j U_K))/√(2d) [+ b_{j−i}]"),
    "tree_depth": Entry(TreeDepth, "Wang et al. 2019 (1909.00383), section 3",
        r"x_p + tanh(U PE(p) + V PE(depth_p))"),
    "tree_offsets": Entry(TreeOffsets, "after Wang et al. 2019 (1909.00383), section 3",
        r"q_i · (k_j + w[clip(j − i, k)] + w'[clip(tree offset, k)])"),
    "window": Entry(Window, "Yang et al. 2019 (1904.03107)",
        r"q_i · k_j + b[h, j − i] if |j − i| ≤ k, else −∞"),
    "convolution": Entry(Convolution, "Cordonnier et al. 2020 (1911.03584), theorem 1 and lemma 2",
        r"−α_h |j − i − Δ_h|²"),
    # Newer ones, of which unit 10 teaches some: RoPE for longer texts, positions on several axes.
    "interpolated": Entry(Interpolated, "Chen et al. 2023 (2306.15595)",
        r"as rotary, p/s instead of p"),
    "ntk": Entry(Ntk, "as told in Peng et al. 2023 (2309.00071)",
        r"as rotary, base·s^(d/(d−2)) instead of base"),
    "dynamic_ntk": Entry(
        DynamicNtk, "as told in Peng et al. 2023 (2309.00071), s as in transformers",
        r"as ntk, s = f·T/L − (f − 1), at least 1"),
    "yarn": Entry(Yarn, "Peng et al. 2023 (2309.00071), and its code",
        r"as rotary, (1 − γ_n) θ_n/s + γ_n θ_n instead of θ_n; q, k times 0.1 ln s + 1"),
    "longrope": Entry(LongRope, "Ding et al. 2024 (2402.13753), and its code",
        r"as rotary, θ_n/λ_n instead of θ_n; q, k times √(1 + ln s/ln L)"),
    "llama3": Entry(Llama3, "Grattafiori et al. 2024 (2407.21783), and its code",
        r"as yarn, γ_n = (L θ_n/2π − 1)/(4 − 1) from 0 to 1; q, k as they are"),
    "p_rope": Entry(PRope, "Barbero et al. 2024 (2410.06205)",
        r"as rotary, θ_n = 0 for the slowest (1 − p)·d/2 pairs"),
    "rotary_2d": Entry(Rotary2d, "Simeoni et al. 2025 (2508.10104, DINOv3), and its code",
        r"as rotary, half of the pairs by row, half by column, each with its own θ_0 = 1"),
    "rotary_3d": Entry(Rotary3d, "Wang et al. 2024 (2409.12191, Qwen2-VL), and its code",
        r"as rotary, pair n by p_time, p_row or p_column"),
    "learned_2d": Entry(Learned2d, "Dosovitskiy et al. 2020 (2010.11929), appendix D.4",
        r"x_p + [R_row; C_column]"),
    "fourier_2d": Entry(Fourier2d, "Li et al. 2021 (2106.02795), equations 2 and 6",
        r"as fourier, (row, column)·W_r instead of p·W_r"),
    "pope": Entry(Pope, "Gopalakrishnan et al. 2025 (2509.10534)",
        r"Σ_c softplus(q_ic) softplus(k_jc) cos((j − i) θ_c + δ_c)"),
    "fox": Entry(Fox, "Lin et al. 2025 (2503.02130), equations 5 to 7",
        r"q_i · k_j / √d + Σ_{l=j+1}^{i} log f_l, f_l = σ(w · x_l + b)"),
    "path": Entry(Path, "Yang et al. 2025 (2505.16381), equations 3 and 4",
        r"q_i · (H_i H_{i−1} ⋯ H_{j+1} k_j), H_l = I − β_l w_l w_lᵀ, 0 < β_l < 2"),
}
# fmt: on


def available() -> list[str]:
    """Return the names that `create` knows: first those of units 00 to 09, then newer ones."""
    return list(REGISTRY)


def create(
    name: str, *, d_model: int, num_heads: int = 1, max_len: int = 512, **options: Any
) -> Encoding:
    """Build the encoding `name` for a model of width `d_model`.

    Args:
        name: one of `available()`.
        d_model, num_heads, max_len: as in `Encoding`.
        options: what only this encoding has, for example `base` for "sinusoidal".

    Raises:
        ValueError: the name is unknown or a size is impossible.
        TypeError: the encoding has no such option.
    """
    if name not in REGISTRY:
        raise ValueError(f"name={name!r} is no encoding; choose from {available()}")
    try:
        return REGISTRY[name].kind(d_model=d_model, num_heads=num_heads, max_len=max_len, **options)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
