"""Training: the loop, its optimisers, and checkpoints that a stopped run goes on from."""

from helpers.training.loop import DivergedError, train
from helpers.training.score import Score, evaluate, masked_loss

__all__ = ["DivergedError", "Score", "evaluate", "masked_loss", "train"]
