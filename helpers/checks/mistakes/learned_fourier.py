"""Unit 03: what people write instead of learnable Fourier features."""

from __future__ import annotations

import math

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.checks.mistakes.learned_frequencies import FREQUENCIES
from helpers.encodings.additive import Additive


class RightFourier(Additive):
    """The right module, cut into pieces so that each mistake below shows its one wrong piece."""

    def __init__(self, d_model, num_heads=1, max_len=512, gamma=1.0, num_features=64):
        super().__init__(d_model, num_heads, max_len)
        self.mlp = nn.Sequential(
            nn.Linear(num_features, d_model), nn.GELU(), nn.Linear(d_model, d_model)
        )
        self.keep(self.first(num_features // 2, gamma))

    def first(self, number, gamma):
        return torch.randn(number) / gamma

    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies)

    def angles(self, positions):
        return positions[..., None] * self.frequencies

    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])

    def vectors(self, positions):
        return self.mlp(self.features(positions))


class features_without_cosine(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return angles.sin() / math.sqrt(2 * angles.shape[-1])


class features_of_sines_twice(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.sin()], -1) / math.sqrt(2 * angles.shape[-1])


class features_with_sines_first(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.sin(), angles.cos()], -1) / math.sqrt(2 * angles.shape[-1])


class features_interleaved(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        pairs = torch.stack([angles.cos(), angles.sin()], -1).flatten(-2)
        return pairs / math.sqrt(2 * angles.shape[-1])


class features_not_scaled(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1)


class features_scaled_by_half(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(angles.shape[-1])


class features_scaled_without_root(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / (2 * angles.shape[-1])


class features_scaled_by_the_model(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(self.d_model)


class features_in_whole_turns(RightFourier):
    def angles(self, positions):
        return 2 * math.pi * positions[..., None] * self.frequencies


class features_of_the_normalised_index(RightFourier):
    def angles(self, positions):
        return positions[..., None] / self.max_len * self.frequencies


class features_for_one_axis_only(RightFourier):
    def angles(self, positions):
        return torch.outer(positions, self.frequencies)


class features_with_the_axis_second(RightFourier):
    def angles(self, positions):
        return positions[:, None] * self.frequencies


class features_without_an_axis(RightFourier):
    def angles(self, positions):
        return positions * self.frequencies


class features_joined_below(RightFourier):
    def features(self, positions):
        angles = self.angles(positions)
        return torch.cat([angles.cos(), angles.sin()]) / math.sqrt(2 * angles.shape[-1])


class norm_added(RightFourier):
    def vectors(self, positions):
        vectors = self.mlp(self.features(positions))
        return nn.functional.layer_norm(vectors, vectors.shape[-1:])


class mlp_left_out(RightFourier):
    def vectors(self, positions):
        return self.features(positions)


class gelu_at_the_end(RightFourier):
    def vectors(self, positions):
        return nn.functional.gelu(self.mlp(self.features(positions)))


_FEATURES, _TRAINED = "equation 2: the features", "W_r is trained"
_MLP, _SHAPE = "equation 6: the MLP of the features", "positions (B, T) as well"
FOURIER = (
    Mistake(
        features_without_cosine,
        "You have D_F/2 features, sines only. Equation 2 has two of each angle: one alone cannot "
        "tell a from π − a.",
        (_FEATURES, _MLP, _SHAPE),
    ),
    Mistake(
        features_of_sines_twice,
        "Both halves of your features are sines. One of them should be cosines.",
        (_FEATURES,),
    ),
    Mistake(
        features_with_sines_first,
        "Your sines come first. It would train as well, but equation 2 has the cosines first, and "
        "weights trained with one order are of no use with the other.",
        (_FEATURES,),
    ),
    Mistake(
        features_interleaved,
        "You interleave, as unit 02 did. Equation 2 has all cosines first, then all sines.",
        (_FEATURES,),
    ),
    Mistake(
        features_not_scaled,
        "The factor in front of equation 2 is missing: the length of F should be the same "
        "whatever D_F is.",
        (_FEATURES,),
    ),
    Mistake(
        features_scaled_by_half,
        "Your divisor is √(D_F/2), which makes F of length 1. In equation 2, D_F counts sines and "
        "cosines together.",
        (_FEATURES,),
    ),
    Mistake(
        features_scaled_without_root,
        "You divide by D_F. Equation 2 divides by its root.",
        (_FEATURES,),
    ),
    Mistake(
        features_scaled_by_the_model,
        "You divide by √D, with the width of the model. Equation 2 has D_F, the number of "
        "features.",
        (_FEATURES,),
    ),
    Mistake(
        features_in_whole_turns,
        "Your angles carry a factor 2π. Here W_r is in radians per position already.",
        (_FEATURES,),
    ),
    Mistake(
        features_of_the_normalised_index,
        "You divide the position by max_len, which the MLP of the index needed. Here p itself is "
        "multiplied by W_r, whose size does that work.",
        (_FEATURES,),
    ),
    Mistake(
        features_for_one_axis_only,
        "Your product takes positions of one axis only. Give positions a new last axis instead, "
        "and let it broadcast.",
        (_SHAPE,),
    ),
    Mistake(
        features_with_the_axis_second,
        "With [:, None] the new axis is the second. For positions (B, T) it has to be the last.",
        (_SHAPE,),
    ),
    Mistake(
        features_without_an_axis,
        "You multiply position 0 by the first frequency, position 1 by the second, and so on. "
        "Every position needs every frequency: a new last axis is missing.",
        (_FEATURES, _TRAINED, _MLP, _SHAPE),
    ),
    Mistake(
        features_joined_below,
        "torch.cat joins along the first axis unless it is told otherwise: your sines stand below "
        "the cosines.",
        (_FEATURES, _MLP, _SHAPE),
    ),
    Mistake(
        norm_added,
        "You normalise what the MLP returns, as the exercise before asked. Equation 6 ends with "
        "the MLP.",
        (_MLP,),
    ),
    Mistake(
        mlp_left_out,
        "You return the features themselves, of width D_F. Equation 6 sends them through the MLP, "
        "which ends in width D.",
        (_MLP, _SHAPE),
    ),
    Mistake(
        gelu_at_the_end,
        "There is a GeLU behind the last layer as well. In equation 6 it stands between the two.",
        (_MLP,),
    ),
    *FREQUENCIES,
)
