"""Unit 03, “Learnable Fourier features”: what people take for equations 2 and 6 instead."""

from __future__ import annotations

import math

import torch
from torch import nn

from helpers.checks.learned.fourier import RightFourier, fourier


@fourier.mistake(
    "You have D_F/2 features, sines only. Equation 2 has two features for each angle: a sine "
    "alone is the same for a and π − a.",
    loses=(
        "equation 2: the features",
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
        "dtype and gradients",
    ),
)
class features_without_cosine(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return angles.sin() / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "Both halves of your features are sines. One of them should be cosines.",
    loses=("equation 2: the features", "positions (B, T) as well"),
    breaks="x_p + MLP of the cosines and sines",
)
class features_of_sines_twice(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "Your sines come first. This would train just as well, but equation 2 has the cosines "
    "first, and weights trained with one order are useless with the other.",
    loses=("equation 2: the features", "positions (B, T) as well"),
    breaks="first all cosines, then all sines",
)
class features_with_sines_first(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.cos()], -1) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "You interleave, as unit 02 did. Equation 2 has all cosines first, then all sines.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_interleaved(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        pairs = torch.stack([angles.cos(), angles.sin()], -1).flatten(-2)
        return pairs / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "The factor in front of equation 2 is missing: the length of F should be the same "
    "whatever D_F is.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_not_scaled(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1)


@fourier.mistake(
    "Your features have the length 1, as if the divisor were √(D_F/2). In equation 2, D_F counts "
    "sines and cosines together.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_scaled_by_half(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(angles.shape[-1])


@fourier.mistake(
    "You divide by D_F. Equation 2 divides by its square root.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_scaled_without_root(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / (2 * angles.shape[-1])


@fourier.mistake(
    "You divide by √D, where D is the width of the model. Equation 2 has D_F, the number of "
    "features, there.",
    loses=("equation 2: the features", "positions (B, T) as well"),
    breaks=("`features(positions)` is equation 2", "Equation 2:"),
)
class features_scaled_by_the_model(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(self.d_model)


@fourier.mistake(
    "torch.cat joins along the first axis unless it is told otherwise: your sines stand below "
    "the cosines.",
    loses=(
        "equation 2: the features",
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
        "dtype and gradients",
    ),
)
class features_joined_below(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()]) / math.sqrt(2 * angles.shape[-1])


@fourier.mistake(
    "You normalise what the MLP returns, as in the exercise before. Equation 6 ends with the MLP.",
    loses=("equation 6: the MLP of the features", "positions (B, T) as well"),
    breaks="and nothing after it",
)
class norm_added(RightFourier):
    def vectors(self, positions):
        vectors = self.mlp(self.features(positions))
        return nn.functional.layer_norm(vectors, vectors.shape[-1:])


@fourier.mistake(
    "You return the features themselves, of width D_F. Equation 6 sends them through the MLP, "
    "which ends in width D.",
    loses=(
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
        "dtype and gradients",
    ),
    breaks="Equation 6:",
)
class mlp_left_out(RightFourier):
    def vectors(self, positions):
        return self.features(positions)


@fourier.mistake(
    "You apply a GeLU after the last layer as well. Equation 6 has one between the two layers "
    "only.",
    loses=("equation 6: the MLP of the features", "positions (B, T) as well"),
)
class gelu_at_the_end(RightFourier):
    def vectors(self, positions):
        return nn.functional.gelu(self.mlp(self.features(positions)))


@fourier.mistake(
    "Your MLP reads cosines and sines without their factor 1/√D_F. Equation 6 takes the features "
    "just as features(positions) returns them.",
    loses=("equation 6: the MLP of the features", "positions (B, T) as well"),
)
class mlp_of_other_features(RightFourier):
    def vectors(self, positions):
        angles = self.angles(positions)
        return self.mlp(torch.cat([angles.cos(), angles.sin()], -1))


@fourier.mistake(
    "Your features are always float32. After module.double() the MLP expects float64: let the "
    "features take the dtype of W_r.",
    loses="dtype and gradients",
    breaks="have the dtype and the precision of the parameters",
)
class features_always_in_float32(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        found = torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])
        return found.float()

    def vectors(self, positions):
        weights = self.mlp[0].weight
        return self.mlp(self.features(positions).to(weights.dtype)).float()


@fourier.mistake(
    "Your features are float64 after module.double(), but they were computed in float32 and "
    "have only that precision. Keep the angles in the dtype of W_r.",
    loses="dtype and gradients",
    breaks="have the dtype and the precision of the parameters",
)
class features_computed_in_float32(RightFourier):
    def features(self, positions):
        angles = positions.float()[..., None] * self.frequencies.float()
        found = torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])
        return found.to(self.frequencies.dtype)


@fourier.mistake(
    "No gradient comes back through your vectors, so neither W_r nor the MLP is trained. What cuts "
    "it off: detach, .data or no_grad?",
    loses="dtype and gradients",
    breaks="gradients reach $W_r$ and `self.mlp`",
)
class mlp_without_gradients(RightFourier):
    def vectors(self, positions):
        with torch.no_grad():
            return self.mlp(self.features(positions))


@fourier.mistake(
    "The features are detached before the MLP reads them: the MLP is trained, W_r is not.",
    loses="dtype and gradients",
)
class features_detached(RightFourier):
    def vectors(self, positions):
        return self.mlp(self.features(positions).detach())


@fourier.mistake(
    "Positions beyond 511 are all treated as 511. Equation 2 has a vector for each of them, "
    "however large.",
    loses=("equation 6: the MLP of the features", "positions (B, T) as well"),
    breaks="and may lie beyond `max_len`",
)
class vectors_up_to_511(RightFourier):
    def vectors(self, positions):
        return super().vectors(positions.clamp(max=511))
