"""Transformer layers with an encoding each, and the small encoder of most experiments."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from torch import Tensor, nn

from helpers.encodings import Encoding, hooks_of, prepare_positions
from helpers.model.attention import EncoderLayer


def scheduled(encoding: Encoding | Sequence[Encoding]) -> list[Encoding]:
    """Return the encodings among which layers take turns: layer n has encoding n mod their count.

    Raises:
        ValueError: there is none, sizes differ, or a later one overrides `embed`.
    """
    encodings = [encoding] if isinstance(encoding, Encoding) else list(encoding)
    if len({(each.d_model, each.num_heads) for each in encodings}) != 1:
        raise ValueError("a schedule must have encodings, all of the same d_model and num_heads")
    for each in encodings[1:]:
        if "embed" in hooks_of(each) and each is not encodings[0]:
            raise ValueError(
                f"{type(each).__name__} acts at the input: it must come first in a schedule"
            )
    return encodings


def stacked(
    encodings: Sequence[Encoding], num_layers: int, shared: bool, **options: object
) -> nn.ModuleList:
    """Build the layers; they take turns among the encodings, as `scheduled` returns them.

    Each layer gets its own copy of the encoding, with equal initial values. Layers share it if
    `shared` is true, or if it has no parameters or buffers, or acts at the input only. No layer
    registers the first encoding: the model must, so that `state_dict` has it once.
    """
    layers, registered = nn.ModuleList(), {id(encodings[0])}
    for number in range(num_layers):
        encoding = encodings[number % len(encodings)]
        again = number >= len(encodings)
        if again and not shared and encoding.state_dict() and hooks_of(encoding) != ("embed",):
            encoding = copy.deepcopy(encoding)
        layers.append(EncoderLayer(encoding, registered=id(encoding) not in registered, **options))  # type: ignore[arg-type]
        registered.add(id(encoding))
    return layers


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into eval mode, and each of its modules back into its former mode afterwards."""
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in modes:
            module.training = training


class Encoder(nn.Module):
    """Token embedding + position, pre-LN layers, LayerNorm, and logits tied to the embedding.

    Args:
        encoding: the position encoding, or several among which the layers take turns.
        vocab_size: V, number of token ids, special ones included.
        num_layers: L.
        shared: let all layers share an encoding's parameters, as in T5; see `stacked`.
    """

    def __init__(
        self,
        encoding: Encoding | Sequence[Encoding],
        vocab_size: int,
        num_layers: int = 2,
        shared: bool = False,
    ) -> None:
        super().__init__()
        encodings = scheduled(encoding)
        width = encodings[0].d_model
        self.tokens = nn.Embedding(vocab_size, width)
        # 1/√D: the logits, tied to this table, then begin at unit size.
        nn.init.normal_(self.tokens.weight, std=width**-0.5)
        self.position = encodings[0]
        self.acts_at_input = "embed" in hooks_of(self.position)
        self.layers = stacked(encodings, num_layers, shared)
        self.norm = nn.LayerNorm(width)

    def forward(
        self,
        tokens: Tensor,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        offsets: Tensor | None = None,
    ) -> Tensor:
        """Token ids (B, T) → logits (B, T, V).

        Args:
            mask: as in `MultiHeadAttention`. Padding that it hides still counts in the length of a
                text, which dynamic NTK and LongRoPE read, and between tokens, where CoPE, FoX and
                PaTH read it; `Bert` has `attention_mask` for that.
            positions: (T,), (B, T) or (B or 1, T, axes); 0 … T−1 if not given.
            offsets: (T, T) or (B, T, T), as in a tree; j − i if not given.
        """
        at = prepare_positions(tokens, positions, offsets)
        x = self.tokens(tokens)
        if self.acts_at_input:
            x = self.position.embed(x, at)
        for layer in self.layers:
            x = layer(x, mask, at)
        return self.norm(x) @ self.tokens.weight.T
