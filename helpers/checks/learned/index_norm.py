"""Unit 03, “MLP of the index”: what people do with the norm, and with what the MLP reads."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from helpers.checks.learned.index_mlp import RightMLP, index_mlp


@index_mlp.mistake(
    "The norm stands in front of the MLP. It belongs behind it, on vectors of width D."
)
class index_normed_before_the_mlp(RightMLP):
    def vectors(self, positions):
        return self.mlp(self.norm(self.index(positions).to(self.norm.weight.dtype)))


@index_mlp.mistake(
    "What the MLP returns is added as it is. self.norm has not been used.",
    loses=("the LayerNorm behind it", "dtype and gradients"),
)
class index_without_a_norm(RightMLP):
    def vectors(self, positions):
        return self.computed(positions)


@index_mlp.mistake(
    "Your vectors have the length 1, so their entries are small, about 1/√D. The LayerNorm "
    "alone gives entries of size 1.",
    loses="the LayerNorm behind it",
)
class index_of_length_one(RightMLP):
    def vectors(self, positions):
        return F.normalize(self.norm(self.computed(positions)), dim=-1)


@index_mlp.mistake(
    "Your LayerNorm is not self.norm, whose weight and bias are to be trained: whatever they are, "
    "your vectors stay the same.",
    loses=("the LayerNorm behind it", "dtype and gradients"),
    breaks="Use `self.mlp` and `self.norm`",
)
class index_normed_without_weights(RightMLP):
    def vectors(self, positions):
        return F.layer_norm(self.computed(positions), (self.d_model,))


@index_mlp.mistake(
    "You apply the norm twice. The formula has it once, behind the MLP.",
    loses="the LayerNorm behind it",
)
class index_normed_twice(RightMLP):
    def vectors(self, positions):
        return self.norm(self.norm(self.computed(positions)))


@index_mlp.mistake(
    "Positions from max_len on all get the same vector. The formula has one for each of them.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
    breaks="also beyond `max_len`",
)
class index_clamped(RightMLP):
    def index(self, positions):
        return positions[..., None].clamp(max=self.max_len - 1) / self.max_len


@index_mlp.mistake(
    "From max_len on your positions begin again at 0, so two of them share a vector. The formula "
    "has one for each.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_begins_again(RightMLP):
    def index(self, positions):
        return positions[..., None] % self.max_len / self.max_len


@index_mlp.mistake(
    "After module.double() the weights are float64, but your index is still float32, and a Linear "
    "layer needs one dtype. Convert the index to that of the weights.",
    loses="dtype and gradients",
    breaks="have the dtype and the precision of the parameters",
)
class index_always_in_float32(RightMLP):
    def vectors(self, positions):
        return self.norm(self.mlp(self.index(positions).float()))


@index_mlp.mistake(
    "No gradient comes back to the MLP or the norm, so neither is trained. What cuts it off: "
    "detach, .data or no_grad?",
    loses="dtype and gradients",
    breaks="gradients reach each of them",
)
class index_without_gradients(RightMLP):
    def vectors(self, positions):
        with torch.no_grad():
            return self.norm(self.computed(positions))


@index_mlp.mistake(
    "Your module has parameters beside the MLP and the norm. These two are enough.",
    loses="dtype and gradients",
    breaks="are all that is trained",
)
class index_with_a_trained_scale(RightMLP):
    def __init__(self, d_model, num_heads=1, max_len=512):
        super().__init__(d_model, num_heads, max_len)
        self.gain = nn.Parameter(torch.ones(1))

    def vectors(self, positions):
        return self.norm(self.computed(positions)) * self.gain


@index_mlp.mistake(
    "You write into the caller's positions. Make a new tensor.",
    breaks="`positions` stays as it is",
)
class index_written_into_positions(RightMLP):
    def index(self, positions):
        found = positions[..., None] / self.max_len
        positions.mul_(2)
        return found


@index_mlp.mistake(
    "You subtract the mean of the positions in this call and divide by their deviation, so a "
    "position's vector depends on its neighbours. Divide by max_len.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_standardised(RightMLP):
    def index(self, positions):
        positions = positions[..., None].double()
        return (positions - positions.mean()) / positions.std()


@index_mlp.mistake(
    "A smallest number stands in your division. Divide by max_len itself, however small it is.",
    loses="the MLP of p / max_len",
    breaks="x_p + LN(MLP(p / max_len))",
)
class index_divided_by_24_at_least(RightMLP):
    def index(self, positions):
        return positions[..., None] / max(self.max_len, 24)
