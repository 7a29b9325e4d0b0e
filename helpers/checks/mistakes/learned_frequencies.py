"""Unit 03: what people write instead of trained frequencies that begin with the right variance."""

from __future__ import annotations

import math

import torch
from torch import nn

from helpers.checks.exercise import Mistake
from helpers.encodings.additive import Additive


class RightFrequencies(Additive):
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


class frequencies_detached(RightFrequencies):
    def angles(self, positions):
        return positions[..., None] * self.frequencies.detach()


class frequencies_twice_as_many(RightFrequencies):
    def first(self, number, gamma):
        return torch.randn(2 * number) / gamma


class frequencies_with_root_of_gamma(RightFrequencies):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**0.5


class frequencies_not_trained(RightFrequencies):
    def keep(self, frequencies):
        self.register_buffer("frequencies", frequencies)


class frequencies_as_a_plain_tensor(RightFrequencies):
    def keep(self, frequencies):
        self.frequencies = frequencies


class frequencies_times_gamma(RightFrequencies):
    def first(self, number, gamma):
        return torch.randn(number) * gamma


class frequencies_with_std_for_variance(RightFrequencies):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**2


class frequencies_without_gamma(RightFrequencies):
    def first(self, number, gamma):
        return torch.randn(number)


class frequencies_uniform(RightFrequencies):
    def first(self, number, gamma):
        return torch.rand(number) / gamma


_TRAINED, _BEGINS = "W_r is trained", "W_r begins with variance 1/γ²"
FREQUENCIES = (
    Mistake(
        frequencies_detached,
        "W_r is a Parameter, but no gradient comes back to it: something on the way (detach, "
        ".data, no_grad) cuts it off.",
        (_TRAINED,),
    ),
    Mistake(
        frequencies_twice_as_many,
        "You have D_F frequencies. Each of them gives a sine and a cosine, so half as many are "
        "enough.",
        (_TRAINED,),
    ),
    Mistake(
        frequencies_with_root_of_gamma,
        "Your standard deviation is 1/√γ, so the variance is 1/γ. Asked is the variance γ⁻².",
        (_BEGINS,),
    ),
    Mistake(
        frequencies_not_trained,
        "Your frequencies are a buffer and stay as they were drawn. It is their training that "
        "makes the features learnable.",
        (_TRAINED,),
    ),
    Mistake(
        frequencies_as_a_plain_tensor,
        "Your frequencies are an ordinary attribute: no optimiser finds them, and "
        "model.to(device) leaves them behind.",
        (_TRAINED,),
    ),
    Mistake(
        frequencies_times_gamma,
        "Your frequencies grow with gamma. The variance is γ to the power of minus two.",
        (_BEGINS,),
    ),
    Mistake(
        frequencies_with_std_for_variance,
        "You have used γ⁻² as the standard deviation, as the package of that name does. It is the "
        "variance.",
        (_BEGINS,),
    ),
    Mistake(
        frequencies_without_gamma,
        "gamma changes nothing in how your frequencies begin.",
        (_BEGINS,),
    ),
    Mistake(
        frequencies_uniform,
        "torch.rand draws between 0 and 1. N(0, γ⁻²) is a normal distribution around 0.",
        (_BEGINS,),
    ),
)
