"""A small causal decoder: it predicts the next token, and keeps what it has read in a KV cache."""

from __future__ import annotations

import torch
from torch import Generator, Tensor

from helpers.encodings import Positions
from helpers.encodings.positions import check_positions
from helpers.model.attention import KVCache
from helpers.model.encoder import Encoder, evaluating

PADDING = -1  # in the place of a document's number


class Cache:
    """What a decoder keeps of the tokens that it has read; a new one for each batch of texts.

    Args:
        num_layers: L; each layer keeps keys and values of its own.
    """

    def __init__(self, num_layers: int) -> None:
        self.layers = [KVCache() for _ in range(num_layers)]
        self.length = 0  # S, tokens that have been read
        self.positions: Tensor | None = None  # (S,), (B, S) or (B or 1, S, axes)
        self.documents: Tensor | None = None  # (B, S); None while all tokens belong to one
        self._given = False

    def add(
        self, tokens: Tensor, documents: Tensor | None = None, positions: Tensor | None = None
    ) -> tuple[Tensor | None, Positions]:
        """Take in more tokens (B, T), as `Decoder` is given them; before its layers are run.

        Returns:
            the mask, (T, S) or (B, 1, T, S), or None where it is plainly causal; and the positions
            of the T queries and all S keys.

        Raises:
            ValueError: positions have another shape, or were given before, and now they are not,
                or the other way round; or there is no token.
        """
        check_positions(tokens, positions)
        if self.length and self._given != (positions is not None):
            raise ValueError("positions must be given at each step, or at none")
        self._given = positions is not None
        mask: Tensor | None = None
        if documents is not None or self.documents is not None:
            mask, counted = self._seen_in_many(tokens, documents)
        elif positions is None or (self.length and tokens.shape[1] > 1):
            places = torch.arange(self.length + tokens.shape[1], device=tokens.device)
            counted = places[self.length :]
            if self.length and len(counted) > 1:
                mask = places <= counted[:, None]
        self.length += tokens.shape[1]
        if positions is None and self.documents is None:
            self.positions = places
            begins = len(counted) == len(places)
            return mask, Positions(places if begins else counted, places, ordered=True)
        own = counted if positions is None else positions
        self.positions = own if self.positions is None else _joined(self.positions, own)
        return mask, Positions(own, self.positions)

    def _seen_in_many(self, tokens: Tensor, documents: Tensor | None) -> tuple[Tensor, Tensor]:
        before = tokens.new_zeros(len(tokens), self.length)
        before = before if self.documents is None else self.documents
        own = before[:, -1:].expand_as(tokens) if documents is None else documents
        self.documents = torch.cat([before, own], 1)
        seen = (own[..., None] == self.documents[:, None]).tril(self.length)
        counted = seen.sum(-1) - 1  # as many of its document come before a token
        # Padding is at position 0, so that no text is longer by it.
        return seen[:, None], counted.where(own != PADDING, 0)


def _joined(before: Tensor, more: Tensor) -> Tensor:
    """Positions of earlier and of further tokens; (T,), or (B or 1, T) or (B or 1, T, axes)."""
    if before.dim() != more.dim():  # one is the same for all texts
        before, more = (each if each.dim() > 1 else each[None] for each in (before, more))
    if before.dim() > 1:
        texts = max(len(before), len(more))
        before, more = before.expand(texts, *before.shape[1:]), more.expand(texts, *more.shape[1:])
    return torch.cat([before, more], min(1, more.dim() - 1))


class Decoder(Encoder):
    """An `Encoder` in which a token sees itself and what comes before it."""

    def new_cache(self) -> Cache:
        """An empty one, for a new batch of texts."""
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
            documents: the number of the document that each token belongs to, (B, T), and −1 where
                there is padding, on whichever side; a token sees its own document only. All
                belong to one if it is not given, and with a cache to the one read last.
            positions: (T,), (B, T) or (B or 1, T, axes); from 0 in each document if not given.
            cache: of `new_cache`. These tokens come after those in it, and are added to it.
        """
        begun = cache is not None and cache.length > 0
        mask, at = (Cache(0) if cache is None else cache).add(tokens, documents, positions)
        causal = mask is None and not begun
        x = self.tokens(tokens)
        x = self.position.embed(x, at) if self.embeds else x
        for number, layer in enumerate(self.layers):
            x = layer(x, mask, at, None if cache is None else cache.layers[number], causal)
        return self.norm(x) @ self.tokens.weight.T


@torch.no_grad()
def generate(
    model: Decoder,
    tokens: Tensor,
    max_new_tokens: int,
    temperature: float = 0.0,
    documents: Tensor | None = None,
    draw: Generator | None = None,
    cached: bool = True,
) -> Tensor:
    """Return the tokens, followed by as many generated ones, (B, T + max_new_tokens).

    Args:
        tokens: what the texts begin with, (B, T), T ≥ 1; shorter ones are padded on the left.
        temperature: of the softmax that tokens are drawn from; 0 takes the most probable one.
        documents: as in `Decoder`; −1 where a text is padded.
        draw: the source of randomness; PyTorch's own if not given.
        cached: keep keys and values. Without, each token reads the whole text anew.

    Raises:
        ValueError: `temperature` is negative, or there is no token to begin with.
    """
    if temperature < 0:
        raise ValueError(f"temperature={temperature} must not be negative")
    if not tokens.shape[1]:
        raise ValueError("tokens must have at least one column: a text begins with something")
    cache, unread, own = model.new_cache() if cached else None, tokens, documents
    with evaluating(model):
        for _ in range(max_new_tokens):
            logits = model(unread, own, cache=cache)[:, -1]
            following = _chosen(logits, temperature, draw)
            tokens = torch.cat([tokens, following], 1)
            if documents is not None:
                documents = torch.cat([documents, documents[:, -1:]], 1)
            unread, own = (following, None) if cached else (tokens, documents)
    return tokens


def _chosen(logits: Tensor, temperature: float, draw: Generator | None) -> Tensor:
    """A token for each row of logits (B, V); (B, 1)."""
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    return torch.multinomial((logits / temperature).softmax(-1), 1, generator=draw)
