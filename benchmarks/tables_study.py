"""What short training does to vectors of positions on the lag-3 language, as unit 03 shows it.

For 400 steps at T = 24, on three seeds: how a table's rows grow, which waves and which cosines
they take on, whether its rows can serve a text twice as long, and what becomes of vectors that are
computed instead.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from benchmarks.sweep import Job, sweep
from helpers.corpora import LagLanguage
from helpers.encodings import Additive, Learned, create, offset_profile
from helpers.model.encoder import Encoder
from helpers.runtime import seed_everything
from helpers.training import evaluate, train
from helpers.training.experiments import BATCH, HEADS, WIDTH

LENGTH, ROWS, STEPS = 24, 96, 400
ENCODINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "learned": ("learned", {}),
    "learned, std 1": ("learned", {"std": 1.0}),
    "index MLP": ("index_mlp", {}),
    "Fourier, no norm": ("fourier", {"match_norm": False}),
}
POSITIONS = torch.arange(LENGTH)


def spectrum(vectors: Tensor) -> Tensor:
    """Fraction of power at frequencies 0, 1/T, …, 1/2, without the mean; (T, D) → (T/2 + 1,)."""
    power = torch.fft.rfft(vectors - vectors.mean(0), dim=0).abs().square().sum(1)
    return power / power.sum()


def step(vectors: Tensor) -> float:
    """Mean length of the step from p to p + 1, relative to the vectors' mean length."""
    return (vectors.diff(dim=0).norm(dim=1).mean() / vectors.norm(dim=1).mean()).item()


def seen(before: Tensor, after: Tensor) -> dict[str, float]:
    """What is measured on the vectors of positions, (T, D)."""
    power, cosines = spectrum(after), offset_profile(F.normalize(after)).tolist()
    multiples = range(3, LENGTH // 2 + 1, 3)
    peaks = [k for k in multiples if cosines[k] > max(cosines[k - 1], cosines[k + 1])]
    others = [cosines[k] for k in range(1, LENGTH // 2 + 1) if k % 3]
    return {
        "growth": (after.norm(dim=1).mean() / before.norm(dim=1).mean()).item(),
        "step before": step(before),
        "step after": step(after),
        "power at period 3": power[LENGTH // 3].item(),
        "largest other power": power[torch.arange(len(power)) != LENGTH // 3].max().item(),
        "power at periods from 6": power[: LENGTH // 6 + 1].sum().item(),
        "multiples of 3 with a peak of the cosine": len(peaks) / len(multiples),
        "mean cosine at multiples of 3": sum(cosines[k] for k in multiples) / len(multiples),
        "mean cosine at other offsets": sum(others) / len(others),
    }


def longer(model: Encoder, table: Tensor) -> dict[str, float]:
    """Loss on texts twice as long, with rows that are untrained, stretched, or begin again."""
    task, first = LagLanguage(), table[:LENGTH]
    test = task.batch(2000, 2 * LENGTH, Generator().manual_seed(10_000 + 2 * LENGTH))
    stretched = F.interpolate(first.T[None], 2 * LENGTH, mode="linear", align_corners=True)[0].T
    choices = {"untrained": table, "stretched": stretched, "begin again": first.repeat(2, 1)}
    model, found = copy.deepcopy(model), {}
    for name, rows in choices.items():
        [parameter] = model.position.parameters()
        parameter.data[: 2 * LENGTH] = rows[: 2 * LENGTH]
        found[f"loss at 48, {name}"] = evaluate(model, test).loss
    return found | {"limit at 48": task.bayes_loss(test)}


def _run(label: str, seed: int) -> pd.DataFrame:
    name, options = ENCODINGS[label]
    seed_everything(seed)
    encoding = create(name, d_model=WIDTH, num_heads=HEADS, max_len=ROWS, **options)
    assert isinstance(encoding, Additive)
    before = encoding.vectors(POSITIONS).detach().clone()
    task, text = LagLanguage(), Generator().manual_seed(seed)
    model = Encoder(encoding, task.vocab_size)
    test = task.batch(2000, LENGTH, Generator().manual_seed(10_000 + LENGTH))
    limit = task.bayes_loss(test)
    train(model, lambda: task.batch(BATCH, LENGTH, text), STEPS, bayes_loss=limit, label=label)
    found = {"loss": evaluate(model, test).loss, "limit": limit}
    found |= seen(before, encoding.vectors(POSITIONS).detach())
    if isinstance(encoding, Learned):
        found |= longer(model, encoding.table.detach())
    rows = [{"quantity": quantity, "value": value} for quantity, value in found.items()]
    return pd.DataFrame(rows).assign(encoding=label, seed=seed, steps=STEPS)


def main() -> None:
    """Run the study."""
    jobs = [Job(label, partial(_run, label)) for label in ENCODINGS]
    sweep("lag_tables", jobs, by=("encoding", "quantity"))


if __name__ == "__main__":
    main()
