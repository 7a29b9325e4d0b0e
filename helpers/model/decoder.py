"""A small causal decoder, which predicts the next token, with a KV cache."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from helpers.encodings import Positions
from helpers.encodings.positions import checked_positions
from helpers.model.attention import KVCache
from helpers.model.encoder import Encoder, evaluating

PADDING = -1  # in place of a document's number


class Cache:
    """What a decoder of `num_layers` layers has read: keys and values, positions, documents."""

    def __init__(self, num_layers: int) -> None:
        self.layers = [KVCache() for _ in range(num_layers)]
        self.length = 0  # S, number of tokens read
        self.positions: Tensor | None = None  # (B, S) or (B, S, axes); None: 0 … S−1
        self.documents: Tensor | None = None  # (B, S); None: each text is one
        self.positions_given = False

    def prepare(
        self, tokens: Tensor, documents: Tensor | None = None, positions: Tensor | None = None
    ) -> tuple[Tensor | None, Positions, tuple[int, Tensor | None, Tensor | None, bool]]:
        """Return what layers need to read T more tokens, (B, T); arguments as in `Decoder`.

        Returns:
            the mask, (T, S) or (B, 1, T, S), None where `is_causal` takes its place or T = 1; the
            positions of queries and keys; and what length, positions, documents and
            `positions_given` become once all layers have read the tokens without an error.

        Raises:
            ValueError: positions or documents have a wrong shape, or positions are given at some
                steps only; or T = 0.
        """
        (batch, length), before = tokens.shape, self.length
        if not length:
            raise ValueError("the texts are empty: T must be at least 1")
        if documents is not None and documents.shape != tokens.shape:
            raise ValueError(
                f"documents has shape {tuple(documents.shape)}; it must be {tuple(tokens.shape)}"
            )
        if before and self.positions_given != (positions is not None):
            raise ValueError("positions must be given at each step, or at none")
        for layer in self.layers:
            layer.length = before  # it is larger if the last call has ended in an error
        index = torch.arange(before + length, device=tokens.device)
        new = index[before:] if before else index
        mask = index <= new[:, None] if before and length > 1 else None
        real = new_real = None  # False where there is padding
        if documents is not None or self.documents is not None:
            mask, new, documents = self._within_documents(tokens, documents)
            real = documents != PADDING
            new_real = real[:, before:]
        if positions is not None:
            new = checked_positions(tokens, positions)
            new = new if new.dim() > 1 else new[None]
            new = new.expand(batch, *new.shape[1:])
        ordered, keys = documents is None and positions is None, index
        if not ordered:
            earlier = index[:before].expand(batch, -1) if self.positions is None else self.positions
            keys = torch.cat([earlier, new], 1) if before else new
        new_tokens = Positions(new, new, attention_mask=new_real) if before else None
        at = Positions(new, keys, attention_mask=real, ordered=ordered, new_tokens=new_tokens)
        kept = None if ordered else keys
        return mask, at, (before + length, kept, documents, positions is not None)

    def _within_documents(
        self, tokens: Tensor, documents: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the mask (B, 1, T, S), positions in documents (B, T), all documents (B, S)."""
        before = self.documents
        if before is None:
            before = tokens.new_zeros(len(tokens), self.length)
        if documents is None:  # they go on with that of each row's last token that is no padding
            order = torch.arange(1, self.length + 1, device=tokens.device)
            last = (order * (before != PADDING)).argmax(1, keepdim=True)
            documents = before.gather(1, last)
            documents = documents.where(documents != PADDING, 0).expand_as(tokens)
        both = torch.cat([before, documents], 1)
        seen = (documents[..., None] == both[:, None]).tril(self.length)
        positions = seen.sum(-1) - 1
        # Padding gets position 0, which every table has.
        return seen[:, None], positions.where(documents != PADDING, 0), both


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
            documents: the number of each token's document, (B, T), −1 for padding, which may stand
                anywhere; a token sees its own document only. If not given, all belong to the last
                document in the cache; without one, each text is a document. CoPE, FoX and PaTH
                also count tokens of another document, if it stands inside one.
            positions: (T,), (B, T) or (B or 1, T, axes); from 0 in each document if not given.
            cache: of `new_cache`; these tokens follow those in it, and are added to it.
        """
        state = Cache(0) if cache is None else cache
        mask, at, after = state.prepare(tokens, documents, positions)
        x = self.tokens(tokens)
        if self.acts_at_input:
            x = self.position.embed(x, at)
        is_causal = mask is None and state.length == 0
        caches = [None] * len(self.layers) if cache is None else cache.layers
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x = layer(x, mask, at, layer_cache, is_causal)
        # Only now, so that a call that ends in an error leaves the cache as it was.
        state.length, state.positions, state.documents, state.positions_given = after
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
