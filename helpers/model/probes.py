"""Measurements on a stack of layers: rank residual, position probe, states, attention weights."""

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
    """Return how far X is from a matrix with equal rows, 0 to 1; (…, T, D) → (…).

    ‖X − 1·x̄ᵀ‖ / ‖X‖ in the Frobenius norm, where 1·x̄ᵀ is the nearest such matrix. Dong et al. 2021
    (2103.03404), section 2, define it with another norm, and prove that attention without skip
    connections drives it to 0 doubly exponentially in the number of layers.
    """
    rest = x - x.mean(-2, keepdim=True)
    size = torch.linalg.matrix_norm(x).clamp_min(torch.finfo(x.dtype).tiny)
    return torch.linalg.matrix_norm(rest) / size


@torch.no_grad()
def moved_by_padding(
    model: Bert, tokens: Tensor, padding: int, mask: Callable[[Tensor], Any] | None = None
) -> float:
    """Return ‖h′ − h‖/‖h‖ for the first token's last state, without and with `padding` [PAD]s.

    Args:
        tokens: one text, (1, T); [PAD] has the id 0.
        mask: returns the attention mask of the padded tokens, 0 or False for padding, in any shape
            of T + `padding` numbers; None gives the model no mask.
    """
    padded = F.pad(tokens, (0, padding), value=0)
    real = None if mask is None else torch.as_tensor(mask(padded)).reshape(padded.shape).bool()
    with evaluating(model):
        alone, moved = model(tokens)[0, 0], model(padded, attention_mask=real)[0, 0]
    return float((moved - alone).norm() / alone.norm())


def position_probe(train: Tensor, test: Tensor, ridge: float = 1e-3) -> float:
    """Return the mean absolute error of a linear map from a state to its position, in positions.

    The map is ridge regression with a constant, (ZᵀZ + ridge·I) w = Zᵀp, fitted on `train`. Wang
    and Chen 2020 (2010.04903) fit one to position embeddings; here it is for any layer.

    Args:
        train: states of some sequences, (N, T, D).
        test: states of others, (M, T', D).
        ridge: λ, which acts on the constant's weight too.

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
    """Return states with a 1 appended, (N·T, D + 1), and their positions, (N·T,); float64."""
    number, length, _ = states.shape
    z = states.detach().cpu().double().flatten(0, 1)  # Apple's GPUs have no float64
    positions = torch.arange(length, dtype=torch.float64)
    return F.pad(z, (0, 1), value=1.0), positions.repeat(number)


@torch.no_grad()
def layer_states(model: Encoder | Bert, tokens: Tensor, **given: Tensor) -> list[Tensor]:
    """Return the input of the first layer and the output of each, before the last LayerNorm.

    Args:
        tokens: ids, (B, T).
        given: other arguments of the model, such as `positions`.

    Returns:
        L + 1 tensors (B, T, D).
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
def attention_weights(model: Encoder | Bert, tokens: Tensor, **given: Tensor) -> Tensor:
    """Return the attention weights of each layer and head, their mean over texts; (L, H, T, T).

    The arguments are those of `layer_states`.
    """
    weights: list[Tensor] = []

    def record(attention: MultiHeadAttention, inputs: tuple[Any, ...]) -> None:
        x, mask, positions, _, is_causal = inputs  # as `EncoderLayer` passes them
        found = attention.forward(x, mask, positions, is_causal=is_causal, need_weights=True)
        weights.append(found.mean(0))

    with ExitStack() as stack:
        for module in model.modules():
            if isinstance(module, MultiHeadAttention):
                stack.enter_context(module.register_forward_pre_hook(record))
        stack.enter_context(evaluating(model))
        model(tokens, **given)
    return torch.stack(weights)
