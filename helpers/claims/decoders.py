"""Claims of today that a small decoder decides: where RoPE looks, how much of it, none at all."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers.claims.small import Form, fit, form
from helpers.claims.trained import steps_to
from helpers.corpora import MaskedBatch, Shift, Task
from helpers.encodings import Positions, create, prepare_positions
from helpers.model.decoder import Decoder
from helpers.runtime import seed_everything
from helpers.training import evaluate


class Recall:
    """Each name has a value, drawn anew for each text: say it where the name is shown alone.

    What a token is leads to the answer, and where it stands does not. A name is scored once its
    value has been shown.

    Args:
        names: number of names.
        values: number of values; token id name·(values + 1) + value, the last for no value.
    """

    def __init__(self, names: int = 8, values: int = 8) -> None:
        self.names, self.values = names, values
        self.vocab_size = names * (values + 1)

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Fresh texts and their answers, (batch, length) each."""
        value_of = torch.randint(self.values, (batch, self.names), generator=generator)
        name = torch.randint(self.names, (batch, length), generator=generator)
        asked = torch.rand(batch, length, generator=generator) < 0.5
        value = value_of.gather(1, name)
        shown = F.one_hot(name, self.names) * ~asked[..., None]
        known = shown.cumsum(1).gather(2, name[..., None])[..., 0] > 0
        token = name * (self.values + 1) + torch.where(asked, self.values, value)
        return MaskedBatch(token, value, asked & known)

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """0: there is no chance in the answer."""
        return 0.0


class Asked:
    """Where a text asks, say the token `lag` places back; elsewhere the symbol after that shown.

    So attention is needed at the positions that ask, and the softmax spends it at all others too.
    Each text begins with a token of its own, as with the ⟨s⟩ of language models.

    Args:
        num_symbols: V; the id of what asks is V, that of the beginning V + 1.
        lag: distance in tokens.
        asks: probability with which a position asks.
    """

    def __init__(self, num_symbols: int = 24, lag: int = 3, asks: float = 0.3) -> None:
        self.num_symbols, self.lag, self.asks = num_symbols, lag, asks
        self.vocab_size = num_symbols + 2

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Fresh texts and their answers, (batch, length) each."""
        symbols = torch.randint(self.num_symbols, (batch, length), generator=generator)
        asked = torch.rand(batch, length, generator=generator) < self.asks
        inputs = torch.where(asked, self.num_symbols, symbols)
        inputs[:, 0] = self.num_symbols + 1
        after = (symbols + 1) % self.num_symbols
        targets = torch.where(asked, inputs.roll(self.lag, 1), after)
        scored = torch.arange(length) >= self.lag
        return MaskedBatch(inputs, targets, scored.expand(batch, -1))

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """0: there is no chance in the answer."""
        return 0.0


def decoder(
    kind: str, task: Task, seed: int, size: Form, **options: Any
) -> tuple[Decoder, list[float]]:
    """A decoder trained on a task, and the loss of each step; `options` are for `create`."""
    seed_everything(seed)
    sizes = {"d_model": size.width, "num_heads": size.heads, "max_len": 4 * size.length}
    model = Decoder(create(kind, **sizes, **options), task.vocab_size, size.layers)
    text = Generator().manual_seed(seed)
    losses = fit(model, lambda: task.batch(size.batch, size.length, text), size)
    return model.eval(), losses


def right(model: Decoder, task: Task, length: int, first: int = 0) -> float:
    """Accuracy (%) on new texts of `length` tokens, at the places from `first` on."""
    batch = task.batch(500, length, Generator().manual_seed(10_000 + length))
    late = torch.arange(length) >= first
    return 100 * evaluate(model, batch._replace(selected=batch.selected & late)).accuracy


@torch.no_grad()
def scores_far_away(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """q·k of RoPE at one position, (N,), and with the key 64, 72 … 128 places off, (N, 9)."""
    rope = create("rotary", d_model=q.shape[1])
    at = Positions(torch.zeros(1), torch.arange(64.0, 129.0, 8))
    keys = k[:, None, None].expand(-1, -1, 9, -1)
    turned, away = rope.rotate(q[:, None, None], keys, at)
    return (q * k).sum(1), (turned * away).sum(-1)[:, 0]


def decay(seed: int, full: bool = False) -> dict[str, float]:
    """Whether RoPE's scores fall with the distance, and whether that is what it is good for.

    Scores of 10,000 normal vectors of 64 columns, 64 to 128 places off, over those at the same
    place: *same vector*, mean q·k for q = k; *any two*, root mean square for independent q and k.
    *far*: accuracy (%) with RoPE on saying the symbol 24 places back in a text of 32. *only decay*:
    accuracy on *shift* with ALiBi, whose bias falls with the distance and does nothing else. Su et
    al. 2021, section 3.4.3; Barbero et al. 2024 (2410.06205), section 3.
    """
    draw = Generator().manual_seed(seed)
    q, k = torch.randn(2, 10_000, 64, generator=draw)
    near, far = scores_far_away(q, q)
    some, others = scores_far_away(q, k)
    size, back, three = replace(form(full), length=32), Shift(lag=24), Shift()
    return {
        "same vector": (far.mean() / near.mean()).item(),
        "any two": (others.square().mean() / some.square().mean()).sqrt().item(),
        "far": right(decoder("rotary", back, seed, size)[0], back, size.length),
        "only decay": right(decoder("alibi", three, seed, size)[0], three, size.length),
    }


def part_of_rope(seed: int, full: bool = False) -> dict[str, float]:
    """What it costs to turn only a quarter of the columns of a head; all, less a quarter.

    Accuracy (points of %) on *shift*: *as trained*, and *four times* as long, at the places beyond;
    *steps* until the loss is below 0.5 nats, a quarter over all (×). Heads of 32 columns, so that
    4 of 16 pairs are left. Black et al. 2022 (2204.06745), section 2.
    """
    size, task, found = replace(form(full), width=64, heads=2), Shift(), {}
    for name, fraction in (("all", 1.0), ("quarter", 0.25)):
        model, losses = decoder("rotary", task, seed, size, partial_rotary_factor=fraction)
        as_trained = right(model, task, size.length)
        beyond = right(model, task, 4 * size.length, size.length)
        found[name] = as_trained, beyond, steps_to(losses)
    most, least = found["all"], found["quarter"]
    return {
        "as trained": most[0] - least[0],
        "four times": most[1] - least[1],
        "steps": least[2] / most[2],
    }


def no_positions(seed: int, full: bool = False) -> dict[str, float]:
    """What a decoder without positions loses on texts twice as long as those trained on.

    Points of % at the places beyond, against the accuracy as trained. *order*: say the symbol one
    place back; three layers, three times the steps. *content*: `Recall`. *over RoPE*: accuracy
    beyond on the first, less that with RoPE in one layer and a third of the steps. *learned*:
    accuracy (%) on the first as trained. Kazemnejad et al. 2023 (2305.19466).
    """
    size, before, recall = form(full), Shift(lag=1), Recall()
    deep = replace(size, layers=3, steps=3 * size.steps)
    model = decoder("none", before, seed, deep)[0]
    learned, beyond = (right(model, before, *at) for at in _as_trained_and_beyond(size))
    rope = decoder("rotary", before, seed, replace(size, layers=1))[0]
    finder = decoder("none", recall, seed, size)[0]
    found, further = (right(finder, recall, *at) for at in _as_trained_and_beyond(size))
    return {
        "order": learned - beyond,
        "content": found - further,
        "over RoPE": beyond - right(rope, before, 2 * size.length, size.length),
        "learned": learned,
    }


def _as_trained_and_beyond(size: Form) -> tuple[tuple[int, int], tuple[int, int]]:
    """Length of a text, and the first place that counts."""
    return (size.length, 0), (2 * size.length, size.length)


@torch.no_grad()
def over_uniform(model: Decoder, task: Asked, length: int) -> float:
    """log₂ of the weight on the first token over the uniform 1/(t + 1), in the first layer.

    Mean weight of all heads, of the queries from place `lag` on at which nothing is asked.
    """
    tokens = task.batch(500, length, Generator().manual_seed(10_000 + length)).inputs
    layer: Any = model.layers[0]
    x = layer.norms[0](model.position.embed(model.tokens(tokens), prepare_positions(tokens)))
    causal = torch.ones(length, length).tril().bool()
    first = layer.attention.weights(x, causal)[..., 0].mean(1)  # (B, T)
    quiet = (tokens < task.num_symbols) & (torch.arange(length) >= task.lag)
    even = (1 / torch.arange(1.0, length + 1)).expand_as(first)
    return math.log2(first[quiet].mean().item() / even[quiet].mean().item())


def sinks(seed: int, full: bool = False) -> dict[str, float]:
    """How often the weight on the first token doubles the uniform weight, where nothing is asked.

    One layer and one head, trained on `Asked`, with RoPE and with T5's bias. Xiao et al. 2023
    (2309.17453), section 3.1; Gu et al. 2024 (2410.10781).
    """
    size = replace(form(full), layers=1, heads=1, length=32, steps=max(300, form(full).steps))
    task = Asked()
    found = {}
    for name, kind in {"RoPE": "rotary", "T5": "t5_bias"}.items():
        model, _ = decoder(kind, task, seed, size)
        found[name] = over_uniform(model, task, size.length)
    return found
