"""Four layers on the lag-3 language: with and without skips, and positions that enter elsewhere.

Each kind is a layer and an encoding; the rest is the same for all. Beside the loss, each row says
what the layers know: the rank residual of their states, and the error of a linear probe for the
position. Three seeds.
"""

from __future__ import annotations

from functools import partial

import pandas as pd
import torch
from torch import Generator, Tensor, nn

from benchmarks.sweep import Job, sweep
from helpers.corpora import LagLanguage
from helpers.encodings import Positions, create, prepare_positions
from helpers.model.attention import EncoderLayer, KVCache
from helpers.model.encoder import Encoder
from helpers.model.probes import layer_states, position_probe, rank_residual
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
from helpers.training.experiments import BATCH, HEADS, WIDTH

LAYERS, STEPS, LENGTHS = 4, 500, (24, 48, 96)


class NoSkips(EncoderLayer):
    """Attention and MLP, each on what the one before it gives and nothing else."""

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Positions | None = None,
        cache: KVCache | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(B, T, D) → (B, T, D)."""
        first, second = self.norms
        return self.mlp(second(self.attention(first(x), mask, positions, cache, is_causal)))


class Renewed(EncoderLayer):
    """The table of positions is added to what enters every layer; at the input, it is twice."""

    def forward(
        self,
        x: Tensor,
        mask: Tensor | None = None,
        positions: Positions | None = None,
        cache: KVCache | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """(B, T, D) → (B, T, D)."""
        at = prepare_positions(x) if positions is None else positions
        x = self.attention.encoding.embed(x, at)
        return super().forward(x, mask, at, cache, is_causal)


# What a row is called: the layer, and how it is told positions.
KINDS: dict[str, tuple[type[EncoderLayer], str]] = {
    "with skips": (EncoderLayer, "learned"),
    "no skips": (NoSkips, "learned"),
    "renewed": (Renewed, "learned"),
    "Shaw": (EncoderLayer, "shaw_keys"),
}


def built(kind: str, vocab_size: int) -> Encoder:
    """An encoder of four such layers, not trained."""
    layer, name = KINDS[kind]
    # As large as the vectors of the tokens: a quieter table is learned much later (unit 03).
    options = {"std": WIDTH**-0.5} if name == "learned" else {}
    position = create(name, d_model=WIDTH, num_heads=HEADS, **options)
    model = Encoder(position, vocab_size, LAYERS)
    model.layers = nn.ModuleList(
        layer(each.attention.encoding)  # type: ignore[arg-type, union-attr]
        for each in model.layers
    )
    return model


def _run(kind: str, seed: int) -> pd.DataFrame:
    task = LagLanguage()
    seed_everything(seed)
    text = Generator().manual_seed(seed)
    model = built(kind, task.vocab_size)
    train(model, lambda: task.batch(BATCH, LENGTHS[0], text), STEPS, label=kind)
    rows = []
    for n in LENGTHS:
        test = task.batch(48_000 // n, n, Generator().manual_seed(10_000 + n))
        row = {"encoding": kind, "seed": seed, "steps": STEPS, "length": n}
        row |= {"loss": evaluate(model, test).loss, "limit": task.bayes_loss(test)}
        rows.append(row | known(layer_states(model, test.inputs)))
    return pd.DataFrame(rows)


def known(states: list[Tensor]) -> dict[str, float]:
    """For the input and each layer: the residual, and the probe's error on the second half."""
    found = {}
    for layer, state in enumerate(torch.stack(states).double()):
        half = len(state) // 2
        found[f"residual {layer}"] = rank_residual(state).mean().item()
        found[f"probe {layer}"] = position_probe(state[:half], state[half:])
    return found


def main() -> None:
    """Run the study."""
    sweep("stack", [Job(kind, partial(_run, kind)) for kind in KINDS])


if __name__ == "__main__":
    main()
