"""A small causal decoder, which predicts the next token, with a KV cache."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from helpers.encodings import Positions
from helpers.encodings.positions import check_positions
from helpers.model.attention import KVCache
from helpers.model.encoder import Encoder, evaluating

PADDING = -1  # in place of a document's number


class Cache:
    """The tokens that a decoder has read: each layer's keys and values, positions, documents.

    Args:
        num_layers: L.
    """

    def __init__(self, num_layers: int) -> None:
        self.layers = [KVCache() for _ in range(num_layers)]
        self.length = 0  # S, number of tokens read
        self.positions: Tensor | None = None  # (B, S) or (B, S, axes); None: 0 … S−1
        self.documents: Tensor | None = None  # (B, S); None: each text is one
        self._given = False

    def add(
        self, tokens: Tensor, documents: Tensor | None = None, positions: Tensor | None = None
    ) -> tuple[Tensor | None, Positions]:
        """Add T new tokens, (B, T), with arguments as in `Decoder`; the layers add their keys.

        Returns:
            the mask, (T, S) or (B, 1, T, S), None where `is_causal` takes its place or T = 1; and
            the positions of queries and keys.

        Raises:
            ValueError: positions or documents have a wrong shape, or positions are given at some
                steps only; or T = 0.
        """
        check_positions(tokens, positions)
        if documents is not None and documents.shape != tokens.shape:
            raise ValueError(
                f"documents has shape {tuple(documents.shape)}; it must be {tuple(tokens.shape)}"
            )
        if self.length and self._given != (positions is not None):
            raise ValueError("positions must be given at each step, or at none")
        before, batch = self.length, len(tokens)
        self.length, self._given = before + tokens.shape[1], positions is not None
        index = torch.arange(self.length, device=tokens.device)
        new = index[before:] if before else index
        mask = index <= new[:, None] if before and len(new) > 1 else None
        if documents is not None or self.documents is not None:
            mask, new = self._within_documents(tokens, documents)
        elif positions is None:
            return mask, Positions(new, index, ordered=True)
        if positions is not None:
            new = positions if positions.dim() > 1 else positions[None]
            new = new.expand(batch, *new.shape[1:])
        earlier = self.positions
        if earlier is None and before:
            earlier = index[:before].expand(batch, -1)
        self.positions = new if earlier is None else torch.cat([earlier, new], 1)
        return mask, Positions(new, self.positions)

    def _within_documents(self, tokens: Tensor, documents: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the mask (B, 1, T, S), and each token's position within its document, (B, T)."""
        before = self.documents
        if before is None:
            before = tokens.new_zeros(len(tokens), self.length - tokens.shape[1])
        new = _last(before).expand_as(tokens) if documents is None else documents
        self.documents = torch.cat([before, new], 1)
        seen = (new[..., None] == self.documents[:, None]).tril(before.shape[1])
        positions = seen.sum(-1) - 1
        # Padding gets position 0, so that it makes no text longer.
        return seen[:, None], positions.where(new != PADDING, 0)


def _last(documents: Tensor) -> Tensor:
    """Return the document of each row's last token that is no padding, (B, S) → (B, 1)."""
    order = torch.arange(1, documents.shape[1] + 1, device=documents.device)
    return documents.gather(1, (order * (documents != PADDING)).argmax(1, keepdim=True))


class Decoder(Encoder):
    """An `Encoder` in which a token sees itself and the tokens before it."""

    def new_cache(self) -> Cache:
        """Return an empty cache, for a new batch of texts."""
        return Cache(len(self.layers))

    def forward(  # type: ignore[override]
        self,
        tokens: Tensor,
        documents: Tensor | None = None,
        positions: Tensor | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Token ids (B, T) → logits of the token after each, (B, T, V).

        Args:
            documents: the number of each token's document, (B, T), −1 for padding, to the left or
                to the right; a token sees its own document only. If not given, the tokens go on
                with the last document in the cache, or are one document.
            positions: (T,), (B, T) or (B or 1, T, axes); from 0 in each document if not given.
            cache: of `new_cache`; these tokens follow those in it, and are added to it.
        """
        state = Cache(0) if cache is None else cache
        begins = state.length == 0
        mask, at = state.add(tokens, documents, positions)
        x = self.position.embed(self.tokens(tokens), at)
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x = layer(x, mask, at, layer_cache, is_causal=begins and mask is None)
        return self.norm(x) @ self.tokens.weight.T


@torch.no_grad()
def generate(
    model: Decoder,
    tokens: Tensor,
    max_new_tokens: int,
    temperature: float = 0.0,
    draw: Generator | None = None,
) -> Tensor:
    """Return the tokens followed by the generated ones, (B, T + max_new_tokens).

    Args:
        tokens: the prompts, (B, T), T ≥ 1.
        temperature: of the softmax from which tokens are drawn; 0 takes the most probable one.
        draw: source of randomness; PyTorch's own if not given.

    Raises:
        ValueError: `temperature` is negative, or the prompts are empty.
    """
    if temperature < 0:
        raise ValueError(f"temperature={temperature} must not be negative")
    if not tokens.shape[1]:
        raise ValueError("tokens must have at least one column: a text begins with something")
    cache, new = model.new_cache(), tokens
    with evaluating(model):
        for _ in range(max_new_tokens):
            logits = model(new, cache=cache)[:, -1]
            if temperature == 0:
                new = logits.argmax(-1, keepdim=True)
            else:
                new = torch.multinomial((logits / temperature).softmax(-1), 1, generator=draw)
            tokens = torch.cat([tokens, new], 1)
    return tokens
