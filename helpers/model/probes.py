"""What a stack of layers knows: how different its rows are, where each one stands, who is read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert
from helpers.model.encoder import Encoder, evaluating


def rank_residual(x: Tensor) -> Tensor:
    """How far X is from having the same row everywhere, 0 to 1; (…, T, D) → (…).

    ‖X − 1·x̄ᵀ‖ / ‖X‖ with x̄ the mean row, which is the best one in the Frobenius norm used here.
    Dong et al. 2021 (2103.03404), section 2, define it with another norm and prove that attention
    without skip connections drives it to 0 doubly exponentially in the number of layers.
    """
    rest = x - x.mean(-2, keepdim=True)
    size = torch.linalg.matrix_norm(x).clamp_min(torch.finfo(x.dtype).tiny)
    return torch.linalg.matrix_norm(rest) / size


@torch.no_grad()
def moved_by_padding(
    model: Bert, tokens: Tensor, padding: int, mask: Callable[[Tensor], Any] | None = None
) -> float:
    """How far the first vector moves, in its norm, when padding (id 0) follows `tokens`, (1, T).

    Args:
        mask: takes tokens (1, T), returns as many numbers, true where a token is no padding;
            without it, none counts as padding.
    """
    padded = F.pad(tokens, (0, padding), value=0)
    real = None if mask is None else torch.as_tensor(mask(padded)).reshape(padded.shape).bool()
    with evaluating(model):
        alone, now = model(tokens)[0, 0], model(padded, attention_mask=real)[0, 0]
    return float((now - alone).norm() / alone.norm())


def position_probe(train: Tensor, test: Tensor, ridge: float = 1e-3) -> float:
    """Mean absolute error, in positions, of a linear map that reads the position from a state.

    Ridge regression with a constant, (ZᵀZ + ridge·I) w = Zᵀp, fitted on `train` only. Wang and
    Chen 2020 (2010.04903) ask the same of position embeddings, here it is asked of any layer.

    Args:
        train: states of some sequences, (N, T, D).
        test: states of others, (M, T', D).
        ridge: λ; the weight of the constant is held back as the others are.

    Raises:
        ValueError: a shape does not fit, or `ridge` is negative.
    """
    if train.dim() != 3 or test.dim() != 3 or train.shape[2] != test.shape[2]:
        shapes = f"train {tuple(train.shape)}, test {tuple(test.shape)}"
        raise ValueError(f"{shapes}: both must be (sequences, T, D) with the same D")
    if ridge < 0:
        raise ValueError(f"ridge={ridge} must be at least 0")
    z, p = _rows(train)
    weights = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z, p = _rows(test)
    return (z @ weights - p).abs().mean().item()


def _rows(states: Tensor) -> tuple[Tensor, Tensor]:
    """States with a 1 behind each, (N·T, D + 1), and the position of each, (N·T,); float64."""
    number, length, _ = states.shape
    z = states.detach().cpu().double().flatten(0, 1)  # Apple's GPUs have no float64
    places = torch.arange(length, dtype=torch.float64)
    return torch.cat([z, torch.ones_like(z[:, :1])], 1), places.repeat(number)


@torch.no_grad()
def layer_states(model: Encoder | Bert, tokens: Tensor, **given: Tensor) -> list[Tensor]:
    """What enters the first layer and what leaves each layer, (B, T, D) each.

    Args:
        model: its last LayerNorm is left out.
        tokens: ids, (B, T).
        given: what the model takes beside them, as `positions`.
    """
    states: list[Tensor] = []
    with ExitStack() as stack:
        for layer in model.layers:
            hook = layer.register_forward_hook(lambda _, x, y: states.extend([x[0], y]))
            stack.enter_context(hook)
        stack.enter_context(evaluating(model))
        model(tokens, **given)
    return [states[0], *states[1::2]]


@torch.no_grad()
def attention_weights(bert: Bert, tokens: Tensor, **given: Tensor) -> Tensor:
    """Who looks at whom in each layer and head, in the mean over the texts; (L, H, T, T).

    Args:
        tokens: ids, (B, T).
        given: what `bert` takes beside them, as `positions`.
    """
    found: list[Tensor] = []

    def look(attention: MultiHeadAttention, asked: tuple[Any, ...]) -> None:
        x, mask, told = asked[:3]
        found.append(attention.weights(x, mask, told).mean(0))

    with ExitStack() as stack:
        for module in bert.modules():
            if isinstance(module, MultiHeadAttention):
                stack.enter_context(module.register_forward_pre_hook(look))
        stack.enter_context(evaluating(bert))
        bert(tokens, **given)
    return torch.stack(found)
