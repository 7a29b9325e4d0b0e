"""A small causal decoder: it predicts the next token, and keeps what it has read in a KV cache."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Generator, Tensor, nn

from helpers.encodings import Encoding, Positions
from helpers.model.attention import Kept
from helpers.model.encoder import Encoder

PADDING = -1  # in the place of a document's number


class Cache:
    """What a decoder keeps of the tokens that it has read; a new one for each batch of texts.

    Args:
        num_layers: L; each layer keeps keys and values of its own.
    """

    def __init__(self, num_layers: int) -> None:
        self.layers = [Kept() for _ in range(num_layers)]
        self.length = 0  # S, tokens that have been read
        self.positions: Tensor | None = None  # (S,), (B, S) or (B or 1, S, axes)
        self.documents: Tensor | None = None  # (B, S); None while all tokens belong to one
        self._given = False

    def add(
        self, tokens: Tensor, documents: Tensor | None, positions: Tensor | None
    ) -> tuple[Tensor | None, Positions]:
        """Take in more tokens (B, T), as `Decoder` is given them; before its layers are run.

        Returns:
            what each may see, (T, S) or (B, 1, T, S), or None for all; and where they and all S
            stand.

        Raises:
            ValueError: positions were given before, and now they are not, or the other way round.
        """
        if self.length and self._given != (positions is not None):
            raise ValueError("positions must be given at each step, or at none")
        self._given = positions is not None
        seen: Tensor | None
        if documents is None and self.documents is None:
            seen, counted = self._seen_in_one(tokens)
        else:
            seen, counted = self._seen_in_many(tokens, documents)
        own = counted if positions is None else positions
        self.positions = own if self.positions is None else _joined(self.positions, own)
        self.length += tokens.shape[1]
        return seen, Positions(own, self.positions)

    def _seen_in_one(self, tokens: Tensor) -> tuple[Tensor | None, Tensor]:
        places = torch.arange(self.length + tokens.shape[1], device=tokens.device)
        own = places[self.length :]
        return None if len(own) == 1 else places <= own[:, None], own

    def _seen_in_many(self, tokens: Tensor, documents: Tensor | None) -> tuple[Tensor, Tensor]:
        before = tokens.new_zeros(len(tokens), self.length)
        before = before if self.documents is None else self.documents
        own = before[:, -1:].expand_as(tokens) if documents is None else documents
        self.documents = torch.cat([before, own], 1)
        seen = (own[..., None] == self.documents[:, None]).tril(self.length)
        counted = seen.sum(-1) - 1  # as many of its document come before a token
        return seen[:, None], counted.where(own != PADDING, 0)  # which makes no text longer


def _joined(before: Tensor, more: Tensor) -> Tensor:
    """Positions of earlier and of further tokens; the same for all texts, (T,), or not, (B, T)."""
    if before.dim() < more.dim() == 2:
        before = before.expand(len(more), -1)
    return torch.cat([before, more], min(1, more.dim() - 1))


class Decoder(nn.Module):
    """The layers of `Encoder`, in which a token sees itself and what comes before it.

    Args:
        encoding: the position encoding; or several, which layers have by turns.
        vocab_size: V, number of token ids, special ones included.
        num_layers: number of layers.
        shared: all layers ask one encoding, see `Encoder`.
    """

    def __init__(
        self,
        encoding: Encoding | Sequence[Encoding],
        vocab_size: int,
        num_layers: int = 2,
        shared: bool = False,
    ) -> None:
        super().__init__()
        self.stack = Encoder(encoding, vocab_size, num_layers, shared)

    def new_cache(self) -> Cache:
        """An empty one, for a new batch of texts."""
        return Cache(len(self.stack.layers))

    def forward(
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
        plain = documents is None and positions is None and cache is None
        seen, at = (cache or self.new_cache()).add(tokens, documents, positions)
        if plain:  # hooks that cannot be told where tokens stand need not be
            return self.stack(tokens, seen)
        return self.stack(tokens, seen, at, kept=None if cache is None else cache.layers)


@torch.no_grad()
def generate(
    model: Decoder,
    tokens: Tensor,
    length: int,
    temperature: float = 0.0,
    documents: Tensor | None = None,
    draw: Generator | None = None,
    cached: bool = True,
) -> Tensor:
    """The tokens with `length` more behind them, (B, T + length).

    Args:
        tokens: what the texts begin with, (B, T), T ≥ 1; shorter ones are padded on the left.
        temperature: of the softmax that tokens are drawn from; 0 takes the most probable one.
        documents: as in `Decoder`; −1 where a text is padded.
        draw: the source of randomness; PyTorch's own if not given.
        cached: keep keys and values. Without, each token reads the whole text anew, which an
            encoding can do whose hooks are not told positions.

    Raises:
        ValueError: `temperature` is negative, or there is no token to begin with.
    """
    if temperature < 0:
        raise ValueError(f"temperature={temperature} must not be negative")
    if not tokens.shape[1]:
        raise ValueError("tokens must have at least one column: a text begins with something")
    training = model.training
    model.eval()
    cache, unread, own = model.new_cache() if cached else None, tokens, documents
    for _ in range(length):
        logits = model(unread, own, cache=cache)[:, -1]
        following = _chosen(logits, temperature, draw)
        tokens = torch.cat([tokens, following], 1)
        if documents is not None:
            documents = torch.cat([documents, documents[:, -1:]], 1)
        unread, own = (following, None) if cached else (tokens, documents)
    model.train(training)
    return tokens


def _chosen(logits: Tensor, temperature: float, draw: Generator | None) -> Tensor:
    """A token for each row of logits (B, V); (B, 1)."""
    if temperature == 0:
        return logits.argmax(-1, keepdim=True)
    return torch.multinomial((logits / temperature).softmax(-1), 1, generator=draw)
