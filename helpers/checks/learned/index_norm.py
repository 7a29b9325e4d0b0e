"""Unit 03, “MLP of the index”: what people do with the norm, and with what the MLP reads."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from helpers.checks.learned.index_mlp import RightMLP, index_mlp


@index_mlp.mistake("You apply the norm before the MLP. It belongs after it, on vectors of width D.")
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
    "You scale your vectors to length 1, so their entries are small, about 1/√D. The LayerNorm "
    "on its own gives entries of about size 1.",
    loses="the LayerNorm behind it",
)
class index_of_length_one(RightMLP):
    def vectors(self, positions):
        return F.normalize(self.norm(self.computed(positions)), dim=-1)


@index_mlp.mistake(
    "Your LayerNorm is not self.norm, whose weight and bias are trained: these have no effect "
    "on your vectors.",
    loses=("the LayerNorm behind it", "dtype and gradients"),
    breaks="Use `self.mlp` and `self.norm`",
)
class index_normed_without_weights(RightMLP):
    def vectors(self, positions):
        return F.layer_norm(self.computed(positions), (self.d_model,))


@index_mlp.mistake(
    "You apply the norm twice. The formula has it once, after the MLP.",
    loses="the LayerNorm behind it",
)
class index_normed_twice(RightMLP):
    def vectors(self, positions):
        return self.norm(self.norm(self.computed(positions)))


@index_mlp.mistake(
    "All positions from max_len on get the same vector. The formula gives each of them its own.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
    breaks="also beyond `max_len`",
)
class index_clamped(RightMLP):
    def index(self, positions):
        return positions[..., None].clamp(max=self.max_len - 1) / self.max_len


@index_mlp.mistake(
    "From max_len on your positions begin again at 0, so two of them share a vector. The "
    "formula gives each its own.",
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
    "Your module has parameters besides the MLP and the norm. These two are enough.",
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
    "You subtract the mean of the positions in this call and divide by their standard "
    "deviation, so the vector of a position depends on the others. Divide by max_len.",
    loses=("the MLP of p / max_len", "positions (B, T) as well"),
)
class index_standardised(RightMLP):
    def index(self, positions):
        positions = positions[..., None].double()
        return (positions - positions.mean()) / positions.std()


@index_mlp.mistake(
    "Where max_len is small, you divide by some larger number. Divide by max_len itself, "
    "however small it is.",
    loses="the MLP of p / max_len",
    breaks="x_p + LN(MLP(p / max_len))",
)
class index_divided_by_24_at_least(RightMLP):
    def index(self, positions):
        return positions[..., None] / max(self.max_len, 24)


@index_mlp.mistake(
    "You pass all positions to the MLP as if they were one vector. It reads one number at a "
    "time: a last axis of length 1 is missing."
)
class index_without_an_axis(RightMLP):
    def index(self, positions):
        return positions / self.max_len
