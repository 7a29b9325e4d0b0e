"""Runs: one small encoder each, trained on a task and tested at all lengths; kept once done."""

from __future__ import annotations

import hashlib
import json
import math
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Generator, Tensor

from helpers.corpora import Grammar, MaskedBatch
from helpers.corpora.grammar import KINDS
from helpers.model.encoder import Encoder
from helpers.race.entrant import Entrant
from helpers.race.rules import SWEEP, TASKS, TIMES
from helpers.runtime import seed_everything
from helpers.training import DivergedError, train
from helpers.training.experiments import BATCH, LAYERS

# Packages and modules of helpers/ that a score depends on.
TRAINS = ("corpora", "encodings", "model", "training", "race/rules.py", "race/runs.py")
REFUSED, NO_NUMBER = "refused", "no number"  # why there is no loss


class Job(NamedTuple):
    """A run that is to be made; `draw`, `steps` and `tokens` are as in the rules."""

    entrant: Entrant
    task: str
    draw: int
    seed: int
    lr: float
    steps: int
    tokens: int

    @property
    def key(self) -> str:
        """What tells this run from all others, the code included; the name of its file."""
        told = [code(), self.entrant.name, self.entrant.digest(), *map(str, self[1:])]
        return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


class Evaluation(NamedTuple):
    """A text to be scored on.

    Args:
        batch: as `Task.batch` gives it.
        kinds: name → which of the scored places are of this kind, (n,), and their exact limit in
            nats; "all" is always there.
    """

    batch: MaskedBatch
    kinds: dict[str, tuple[Tensor, float]]


@cache
def code() -> str:
    """Return a digest of all code that trains or scores."""
    root = Path(__file__).parent.parent
    found = [sorted((root / name).rglob("*.py")) or [root / name] for name in TRAINS]
    paths = [path for each in found for path in each]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def kept(job: Job, folder: Path) -> dict[str, Any]:
    """Return what `run` finds, or has found before and left in `folder`."""
    path = folder / f"{job.key}.json"
    named = bool(job.entrant.digest())
    if named and path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    found = run(job)
    if named:
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(found, allow_nan=False), encoding="utf-8")
        part.replace(path)
    return found


def run(job: Job) -> dict[str, Any]:
    """Train and test.

    Returns:
        encoding, task, draw, seed, lr; `seconds` of processor time in the training; `refusal`,
        empty where the encoding reads all that the task tells beside the tokens; `scores`, for each
        length and kind of place a loss and a limit in nats, and where there is no loss, why.
    """
    family = TASKS[job.task]
    task, lengths = family.drawn(job.draw), family.lengths
    told, refusal = _told(job)
    seed_everything(job.seed)
    model = Encoder(job.entrant.build(lengths[-1]), task.vocab_size, LAYERS)
    begun = time.process_time()
    failed = REFUSED if told is None else _trained(model, job, told)
    seconds = time.process_time() - begun
    scores = []
    for times, length in zip(TIMES, lengths if job.draw != SWEEP else lengths[:1], strict=False):
        test = evaluation(job.task, job.draw, length, job.tokens)
        losses = None if failed else _losses(model, test.batch, bool(told))
        for kind, (places, limit) in test.kinds.items():
            loss = None if losses is None else losses[places].mean().item()
            why = failed or (REFUSED if loss is None else "")
            if loss is not None and not math.isfinite(loss):
                loss, why = None, NO_NUMBER
            about = {"kind": kind, "times": times, "length": length}
            scores.append(about | {"loss": loss, "limit": limit, "failed": why})
    about = {"encoding": job.entrant.name, "task": job.task, "draw": job.draw, "seed": job.seed}
    return about | {"lr": job.lr, "seconds": seconds, "refusal": refusal, "scores": scores}


def _told(job: Job) -> tuple[bool | None, str]:
    """Return whether the model is told what the task tells beside the tokens, and why not.

    What an encoding refuses it is not told: RoPE reads the patches of a picture one by one. None
    if it refuses the bare tokens too.
    """
    family = TASKS[job.task]
    task, batch = family.drawn(job.draw), batches(*job[1:4], job.steps)[0]
    model = Encoder(job.entrant.build(family.lengths[-1]), task.vocab_size, 1)
    refusal = ""
    for given in (batch.given, {}) if batch.given else ({},):
        try:
            with torch.no_grad():
                shape = model(batch.inputs, **given).shape
        except Exception as error:  # an own class may break in any way on what it does not know
            if not given and not isinstance(error, ValueError):
                raise
            refusal = refusal or f"{type(error).__name__}: {error}"
        else:
            if shape == (*batch.inputs.shape, task.vocab_size):
                return bool(given), refusal
            refusal = f"it makes logits of shape {tuple(shape)} of them"
    return None, refusal


def _trained(model: Encoder, job: Job, told: bool) -> str:
    """Train, and return why there will be no loss; empty if all went well."""
    texts = iter(batches(*job[1:4], job.steps))
    try:
        train(model, lambda: _as_told(next(texts), told), job.steps, job.lr, label="")
    except DivergedError:
        return NO_NUMBER
    return ""


def _as_told(batch: MaskedBatch, told: bool) -> MaskedBatch:
    return batch if told else batch._replace(given={})


@lru_cache(maxsize=2)  # the encodings of a race read the same text, one after the other
def batches(task: str, draw: int, seed: int, steps: int) -> list[MaskedBatch]:
    """Return the text of a training."""
    family, text = TASKS[task], Generator().manual_seed(seed)
    drawn = family.drawn(draw)
    return [drawn.batch(BATCH, family.lengths[0], text) for _ in range(steps)]


@cache
def evaluation(name: str, draw: int, length: int, tokens: int) -> Evaluation:
    """Return the text of a test, the same for all encodings and seeds."""
    task = TASKS[name].drawn(draw)
    text = Generator().manual_seed(10_000 * (1 + draw) + length)
    batch = task.batch(max(1, tokens // length), length, text)
    every = torch.ones(int(batch.selected.sum()), dtype=torch.bool)
    kinds = {"all": (every, task.bayes_loss(batch))}
    if isinstance(task, Grammar):
        likely = task.posterior(batch).gather(-1, batch.targets[..., None])[..., 0]
        limits = -likely[batch.selected].log()
        found = task.kinds(batch.targets)[batch.selected]
        for kind in ("beat", "echo", "verb"):
            places = found == KINDS.index(kind)
            kinds[kind] = places, limits[places].mean().item()
    return Evaluation(batch, kinds)


@torch.no_grad()
def _losses(model: Encoder, batch: MaskedBatch, told: bool) -> Tensor | None:
    """Return the loss at each scored place, (n,), in nats; None if the text is refused."""
    model.eval()
    try:
        logits = model(batch.inputs, **(batch.given if told else {}))[batch.selected]
    except ValueError:
        return None
    return F.cross_entropy(logits, batch.targets[batch.selected], reduction="none").double()
