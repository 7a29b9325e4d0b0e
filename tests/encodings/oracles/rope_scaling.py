"""RoPE for longer texts, on several axes, and polar: what the transformers library has."""

from typing import Any

import torch
from torch import Tensor
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
from transformers.models.dinov3_vit.configuration_dinov3_vit import DINOv3ViTConfig
from transformers.models.dinov3_vit.modeling_dinov3_vit import (
    DINOv3ViTRopePositionEmbedding,
    get_patches_center_coordinates,
)
from transformers.models.gpt_oss.configuration_gpt_oss import GptOssConfig
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import apply_rotary_pos_emb
from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLTextConfig
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLRotaryEmbedding
from transformers.models.qwen3_vl.configuration_qwen3_vl import Qwen3VLTextConfig
from transformers.models.qwen3_vl.modeling_qwen3_vl import Qwen3VLTextRotaryEmbedding
from x_transformers import x_transformers as xt

from helpers.encodings import Positions
from tests.encodings import hooks
from tests.encodings.oracles.comparison import B, D, H, Pair, T, build, d, oracle, qk

ROUNDED = "float32 frequencies"
TRAINED = 8  # shorter than T, so that a text is longer than trained


def _theirs(kind: str, length: int = T, **parameters: Any) -> tuple[Tensor, float]:
    """Their frequencies, (d/2,), and what cosines and sines are multiplied by."""
    before = parameters.get(BEFORE)
    config = LlamaConfig(
        hidden_size=D,
        num_attention_heads=H,
        max_position_embeddings=4 * before if before else TRAINED,
        rope_parameters={"rope_type": kind, "rope_theta": 100.0, **parameters},
    )
    return ROPE_INIT_FUNCTIONS[kind](config, torch.device("cpu"), length)


def _turned(name: str, theirs: tuple[Tensor, float], base: float = 100.0, **options: Any) -> Pair:
    """Queries and keys turned by ours, and by their frequencies in their way."""
    ours = build(name, layout="halves", base=base, **options)
    frequencies, factor = theirs
    angles = torch.outer(torch.arange(T, dtype=torch.float64), frequencies.double())
    angles = torch.cat([angles, angles], -1)[None]
    q, k = qk()
    expected = apply_rotary_pos_emb(q, k, angles.cos() * factor, angles.sin() * factor)
    return torch.cat(hooks.rotate(ours, q, k)), torch.cat(expected)


LONG, SHORT = [1.0, 1.5, 3.0, 4.0], [1.0, 1.0, 1.2, 1.3]
BEFORE = "original_max_position_embeddings"
# Ours, and what it is told; their name of it, and what theirs is told.
SCALED: list[tuple[str, dict[str, Any], str, dict[str, Any]]] = [
    ("interpolated", {"factor": 4.0}, "linear", {"factor": 4.0}),
    ("dynamic_ntk", {"factor": 4.0, "original_max_len": TRAINED}, "dynamic", {"factor": 4.0}),
    (
        "yarn",
        {"factor": 4.0, "original_max_len": 200, "fast": 8.0},
        "yarn",
        {"factor": 4.0, BEFORE: 200, "beta_fast": 8.0},
    ),
    (
        "longrope",
        {"factor": 4.0, "original_max_len": TRAINED, "long": LONG, "short": SHORT},
        "longrope",
        {"factor": 4.0, BEFORE: TRAINED, "long_factor": LONG, "short_factor": SHORT},
    ),
    (
        "llama3",
        {"factor": 4.0, "original_max_len": 100},
        "llama3",
        {"factor": 4.0, BEFORE: 100, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    ),
    ("p_rope", {"p": 0.5}, "proportional", {"partial_rotary_factor": 0.5}),
]
for _name, _options, _kind, _told in SCALED:

    @oracle(_name, f"transformers, {_kind}", 1e-6, ROUNDED)
    def _scaled(
        name: str = _name, options: Any = _options, kind: str = _kind, told: Any = _told
    ) -> Pair:
        return _turned(name, _theirs(kind, **told), **options)


@oracle("ntk", "transformers, dynamic, at a length of 4 times the trained one", 1e-6, ROUNDED)
def _ntk() -> Pair:
    return _turned("ntk", _theirs("dynamic", 4 * TRAINED, factor=1.0), factor=4.0)


@oracle("yarn", "transformers, gpt-oss", 1e-6, ROUNDED)
def _gpt_oss() -> Pair:
    config = GptOssConfig(hidden_size=D, num_attention_heads=H, head_dim=d)
    theirs = ROPE_INIT_FUNCTIONS["yarn"](config, torch.device("cpu"))
    return _turned(
        "yarn", theirs, base=150_000.0, factor=32.0, original_max_len=4096, truncate=False
    )


@oracle(
    "rotary_2d", "transformers, DINOv3", 1e-6, ROUNDED + "; its places are 2π times from −1 to 1"
)
def _dino() -> Pair:
    rows, columns, patch = 2, 4, 4  # the middles of these patches are the same in float32
    config = DINOv3ViTConfig(
        hidden_size=D, num_attention_heads=H, patch_size=patch, rope_theta=100.0
    )
    picture = torch.zeros(1, 3, rows * patch, columns * patch)
    cos, sin = DINOv3ViTRopePositionEmbedding(config).eval()(picture)
    q, k = qk(rows * columns)
    expected = apply_rotary_pos_emb(q, k, cos[None], sin[None])
    places = (
        2
        * torch.pi
        * get_patches_center_coordinates(
            rows, columns, dtype=torch.float64, device=torch.device("cpu")
        )
    )
    ours = build("rotary_2d", layout="halves", base=100.0)
    return torch.cat(hooks.rotate(ours, q, k, Positions(places[None], places[None]))), torch.cat(
        expected
    )


@oracle("rotary_3d", "transformers, Qwen2-VL", 1e-6, ROUNDED)
def _qwen2() -> Pair:
    return _qwen([1, 2, 1], Qwen2VLTextConfig, Qwen2VLRotaryEmbedding)


@oracle("rotary_3d", "transformers, Qwen3-VL", 1e-6, ROUNDED)
def _qwen3() -> Pair:
    return _qwen([2, 1, 1], Qwen3VLTextConfig, Qwen3VLTextRotaryEmbedding, interleaved=True)


def _qwen(sections: list[int], config: Any, theirs: Any, **options: Any) -> Pair:
    told = config(
        hidden_size=D,
        num_attention_heads=H,
        head_dim=d,
        rope_parameters={"rope_type": "default", "rope_theta": 100.0, "mrope_section": sections},
    )
    places = torch.randint(0, 20, (B, T, 3))
    q, k = qk()
    cos, sin = theirs(told)(q, places.movedim(-1, 0))
    expected = apply_rotary_pos_emb(q, k, cos, sin)
    ours = build("rotary_3d", layout="halves", base=100.0, sections=sections, **options)
    return torch.cat(hooks.rotate(ours, q, k, Positions(places, places))), torch.cat(expected)


@oracle("pope", "x-transformers", 1e-6, "it computes in float32")
def _pope() -> Pair:
    ours = build("pope", base=100.0)
    theirs = xt.PolarEmbedding(d, H, base=100).double()
    with torch.no_grad():
        theirs.learned_bias.copy_(ours.phase)
    angles, bias = theirs(torch.arange(T))
    q, k = qk()
    expected = (
        xt.apply_polar_pos_emb(q, angles[:, None]),
        xt.apply_polar_pos_emb(k, angles + bias),
    )
    return torch.cat(hooks.rotate(ours, q, k)), torch.cat(expected)
