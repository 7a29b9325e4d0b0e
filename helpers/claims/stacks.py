"""Claims about a trained stack: what it misses, and whether its many pairs make it overfit."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Generator

from helpers.claims import order, sizes
from helpers.claims.small import Form, fit, form, fresh
from helpers.claims.trained import inside_and_beyond
from helpers.corpora import LagLanguage, MaskedBatch, Shift, Task, TreeLanguage, corrupt
from helpers.encodings import Encoding, create
from helpers.model.encoder import Encoder
from helpers.training import evaluate
from helpers.training.score import Score

LENGTH, FAR, TREE = 32, 24, 12  # tokens of a text, of the far offset, and of a text with a tree
FEW = 8  # training texts


def _fitted(
    kind: str | Encoding, task: Task, seed: int, size: Form, norm: float | None = None
) -> Encoder:
    text = Generator().manual_seed(seed)
    model = fresh(kind, task, seed, size, size.length, norm)
    fit(model, lambda: task.batch(size.batch, size.length, text), size)
    return model


def _scored(kind: str, task: Task, seed: int, size: Form, norm: float | None = None) -> Score:
    model = _fitted(kind, task, seed, size, norm)
    return evaluate(model, task.batch(500, size.length, Generator().manual_seed(10_000)))


def far_and_structure(seed: int, full: bool = False) -> dict[str, float]:
    """What a stack of two layers misses that is given fixed sinusoids, and whether they are why.

    *far*: accuracy (%) on saying the symbol 24 positions back in a text of 32. *tree*: loss (nats)
    on the text that follows a tree, less that with offsets in the tree. *table*: the same loss,
    less that of a table, which training changes. Rows of both tables as long as the words'.
    Beside them: what `order.stack` finds without any training. Wang et al. 2019 (1909.00383),
    section 3; Vaswani et al. 2017, table 1.
    """
    far = replace(form(full), layers=2, length=LENGTH)
    short = replace(form(full), layers=2, length=TREE)
    untold = TreeLanguage(told="nothing")
    fixed = _scored("sinusoidal", untold, seed, short, 1).loss
    return {
        "far": 100 * _scored("sinusoidal", Shift(lag=FAR), seed, far, 1).accuracy,
        "tree": fixed - _scored("shaw_keys", TreeLanguage(), seed, short).loss,
        "table": fixed - _scored("learned", untold, seed, short, 1).loss,
        **order.stack(seed, full),
    }


def overfitting(encoding: Encoding, seed: int, full: bool) -> float:
    """Loss (nats) on new texts of the lag language less that on the few of the training."""
    size, language = form(full), LagLanguage()
    draw = Generator().manual_seed(seed)
    known = language.sample(FEW, size.length, draw)

    def hidden(texts: torch.Tensor) -> MaskedBatch:
        return corrupt(texts, language.num_symbols, language.mask_id, draw)

    def some() -> MaskedBatch:
        return hidden(known[torch.randint(FEW, (size.batch,), generator=draw)])

    model = fresh(encoding, language, seed, size, size.length)
    fit(model, some, size)
    seen = hidden(known.repeat(500 // FEW, 1))
    new = hidden(language.sample(500, size.length, draw))
    return evaluate(model, new).loss - evaluate(model, seen).loss


def fitting(seed: int, full: bool = False) -> dict[str, float]:
    """Whether attention over- and underfits, and whether the number of its pairs is why.

    *512 over 32*: its parameters for 512 tokens over those for 32 (×). *few texts*: `overfitting`
    on 8 texts (nats). *pairs*: how much less of that there is (%) with a window of ±3, which leaves
    out most pairs and has as many parameters. *endless text*: accuracy (%) on *shift* with new
    texts in each step. Vaswani et al. 2017, section 3.2.2; Yang et al. 2019 (1904.03107).
    """
    size = form(full)
    given = {"d_model": size.width, "num_heads": size.heads, "k": 3}
    all_pairs, window = (
        overfitting(create(kind, **given), seed, full) for kind in ("clipped_bias", "window")
    )
    return {
        **sizes.parameters_of_attention(),
        "few texts": all_pairs,
        "pairs": 100 * (all_pairs - window) / all_pairs,
        "endless text": inside_and_beyond("shift", "learned", seed, full)[0],
    }
