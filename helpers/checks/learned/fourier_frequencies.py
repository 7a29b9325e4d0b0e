"""Unit 03, “Learnable Fourier features”: what people do with W_r instead, and with its angles."""

from __future__ import annotations

import math

import torch

from helpers.checks.learned.fourier import RightFourier, fourier


@fourier.mistake(
    "Your angles carry a factor 2π. Here W_r is in radians per position already.",
    loses="equation 2: the features",
)
class features_in_whole_turns(RightFourier):
    def angles(self, positions):
        return 2 * math.pi * positions[..., None] * self.frequencies


@fourier.mistake(
    "You divide the position by max_len, which the MLP of the index needed. Here p itself is "
    "multiplied by W_r, whose size does that work.",
    loses="equation 2: the features",
)
class features_of_the_normalised_index(RightFourier):
    def angles(self, positions):
        return positions[..., None] / self.max_len * self.frequencies


@fourier.mistake(
    "Your product takes positions of one axis only. Give positions a new last axis instead, "
    "and let it broadcast.",
    loses="positions (B, T) as well",
)
class features_for_one_axis_only(RightFourier):
    def angles(self, positions):
        return torch.outer(positions, self.frequencies)


@fourier.mistake(
    "With [:, None] the new axis is the second. For positions (B, T) it has to be the last.",
    loses="positions (B, T) as well",
)
class features_with_the_axis_second(RightFourier):
    def angles(self, positions):
        return positions[:, None] * self.frequencies


@fourier.mistake(
    "You multiply position 0 by the first frequency, position 1 by the second, and so on. "
    "Every position needs every frequency: a new last axis is missing.",
    loses=(
        "equation 2: the features",
        "W_r is trained",
        "equation 6: the MLP of the features",
        "positions (B, T) as well",
    ),
)
class features_without_an_axis(RightFourier):
    def angles(self, positions):
        return positions * self.frequencies


@fourier.mistake(
    "W_r is a Parameter, but no gradient comes back to it: something on the way (detach, "
    ".data, no_grad) cuts it off.",
    loses="W_r is trained",
)
class frequencies_detached(RightFourier):
    def angles(self, positions):
        return positions[..., None] * self.frequencies.detach()


@fourier.mistake(
    "You have D_F frequencies. Each of them gives a sine and a cosine, so half as many are enough.",
    loses="W_r is trained",
)
class frequencies_twice_as_many(RightFourier):
    def first(self, number, gamma):
        return torch.randn(2 * number) / gamma


@fourier.mistake(
    "Your standard deviation is 1/√γ, so the variance is 1/γ. Asked is the variance γ⁻².",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_with_root_of_gamma(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**0.5


@fourier.mistake(
    "Your frequencies are a buffer and stay as they were drawn. It is their training that "
    "makes the features learnable.",
    loses="W_r is trained",
)
class frequencies_not_trained(RightFourier):
    def keep(self, frequencies):
        self.register_buffer("frequencies", frequencies)


@fourier.mistake(
    "Your frequencies are an ordinary attribute: no optimiser finds them, and "
    "model.to(device) leaves them behind.",
    loses="W_r is trained",
)
class frequencies_as_a_plain_tensor(RightFourier):
    def keep(self, frequencies):
        self.frequencies = frequencies


@fourier.mistake(
    "Your frequencies grow with gamma. The variance is γ to the power of minus two.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_times_gamma(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number) * gamma


@fourier.mistake(
    "You have used γ⁻² as the standard deviation, as the package of that name does. It is the "
    "variance.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_with_std_for_variance(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**2


@fourier.mistake(
    "gamma changes nothing in how your frequencies begin.", loses="W_r begins with variance 1/γ²"
)
class frequencies_without_gamma(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number)


@fourier.mistake(
    "torch.rand draws between 0 and 1. N(0, γ⁻²) is a normal distribution around 0.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_uniform(RightFourier):
    def first(self, number, gamma):
        return torch.rand(number) / gamma
