"""A run's whole state in one file, written whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor


class Stateful(Protocol):
    """What can be saved: a model, an optimiser, a schedule, a scaler."""

    def state_dict(self) -> dict[str, Any]:
        """Return the state."""
        ...

    def load_state_dict(self, state_dict: Any) -> Any:
        """Take the state on."""
        ...


class Run(NamedTuple):
    """The parts of a run that change, in a fixed order, and what tells it from another run."""

    parts: list[Stateful]
    identity: dict[str, Any]


def digest(value: Any) -> str:
    """Return a short digest of a text, a tensor, or a nest of them, such as a batch."""
    found = hashlib.sha256()
    for each in _parts(value):
        found.update(each)
    return found.hexdigest()[:16]


def _parts(value: Any) -> Iterator[bytes]:
    if isinstance(value, Tensor):
        yield f"{value.dtype} {tuple(value.shape)}".encode()
        yield value.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().tobytes()
    elif isinstance(value, str):
        yield value.encode()
    elif isinstance(value, Mapping):
        yield from _parts([*value.values()])
    elif isinstance(value, list | tuple):  # no iterator, which training would then find empty
        for each in value:
            yield from _parts(each)


def save(path: Path, run: Run, losses: list[float]) -> None:
    """Write `path` after the step whose loss is the last of `losses`."""
    state = {
        "identity": run.identity,
        "parts": [part.state_dict() for part in run.parts],
        "losses": losses,
        "random": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    torch.save(state, part)
    part.replace(path)


def load(path: Path, run: Run) -> list[float]:
    """Put `run` back where `path` has it; return the losses up to there, none without a file.

    Raises:
        ValueError: the file is broken, or of a run with other settings.
    """
    if not path.exists():
        return []
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        identity, parts = state["identity"], state["parts"]
    except Exception as error:  # a truncated file ends in any of a dozen kinds
        raise ValueError(f"{path} cannot be read ({error}); delete it to begin anew") from error
    if identity != run.identity:
        other = {key: identity.get(key) for key in run.identity}
        changed = [
            f"{key}={run.identity[key]!r} (there {value!r})"
            for key, value in other.items()
            if value != run.identity[key]
        ]
        raise ValueError(f"{path} is of another run: {', '.join(changed)}; delete or rename it")
    for part, saved in zip(run.parts, parts, strict=True):
        part.load_state_dict(saved)
    torch.set_rng_state(state["random"])
    # Where it goes on, there may be fewer GPUs, or none.
    torch.cuda.set_rng_state_all(state["cuda"][: torch.cuda.device_count()])
    return list(state["losses"])
