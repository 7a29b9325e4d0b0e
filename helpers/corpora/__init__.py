"""Languages and tasks whose best possible loss is known exactly."""

from typing import Protocol

from torch import Generator

from helpers.corpora.grammar import Grammar
from helpers.corpora.lag import LagLanguage
from helpers.corpora.masking import MaskedBatch, corrupt
from helpers.corpora.patches import Patches
from helpers.corpora.tasks import Reverse, Shift
from helpers.corpora.trees import TreeLanguage

__all__ = [
    "Grammar",
    "LagLanguage",
    "MaskedBatch",
    "Patches",
    "Reverse",
    "Shift",
    "Task",
    "TreeLanguage",
    "corrupt",
]


class Task(Protocol):
    """What can be trained on: fresh batches, and the lowest loss that any model can have."""

    vocab_size: int

    def batch(self, batch: int, length: int, generator: Generator) -> MaskedBatch:
        """Draw a fresh batch of `batch` sequences of `length` tokens."""
        ...

    def bayes_loss(self, masked: MaskedBatch) -> float:
        """Return the lowest mean loss on this batch, in nats per scored token."""
        ...
