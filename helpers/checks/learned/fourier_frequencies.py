"""Unit 03, “Learnable Fourier features”: what people do with W_r instead, and with its angles."""

from __future__ import annotations

import math

import torch
from torch import nn

from helpers.checks.learned.fourier import RightFourier, fourier


@fourier.mistake(
    "Your angles have one factor of 2π too many. Here W_r is already in radians per position.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_in_whole_turns(RightFourier):
    def angles(self, positions):
        return 2 * math.pi * positions[..., None] * self.frequencies


@fourier.mistake(
    "You divide the position by max_len, as the MLP of the index had to. Here p itself is "
    "multiplied by W_r, and the scale of W_r does that job.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class features_of_the_normalised_index(RightFourier):
    def angles(self, positions):
        return positions[..., None] / self.max_len * self.frequencies


@fourier.mistake(
    "Your product works only for positions with a single axis. Give positions a new last axis "
    "instead, and let it broadcast.",
    loses=("positions (B, T) as well", "dtype and gradients"),
)
class features_for_one_axis_only(RightFourier):
    def angles(self, positions):
        return torch.outer(positions, self.frequencies)


@fourier.mistake(
    "With [:, None] the new axis is the second. For positions (B, T) it has to be the last.",
    loses=("positions (B, T) as well", "dtype and gradients"),
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
        "dtype and gradients",
    ),
)
class features_without_an_axis(RightFourier):
    def angles(self, positions):
        return positions * self.frequencies


@fourier.mistake(
    "W_r is a Parameter, but no gradient comes back to it: something on the way (detach, "
    ".data, no_grad) cuts it off.",
    loses=("W_r is trained", "dtype and gradients"),
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
    "Your standard deviation is 1/√γ, so the variance is 1/γ. The variance should be γ⁻².",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_with_root_of_gamma(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**0.5


@fourier.mistake(
    "Your frequencies are a buffer and stay as they were drawn. It is their training that "
    "makes the features learnable.",
    loses=("W_r is trained", "dtype and gradients"),
)
class frequencies_not_trained(RightFourier):
    def keep(self, frequencies):
        self.register_buffer("frequencies", frequencies)


@fourier.mistake(
    "Your frequencies are an ordinary attribute: no optimiser finds them, and "
    "model.to(device) leaves them behind.",
    loses=("W_r is trained", "dtype and gradients"),
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
    "You have used γ⁻² as the standard deviation. It is the variance, which is the square of the "
    "standard deviation.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_with_std_for_variance(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number) / gamma**2


@fourier.mistake(
    "gamma has no effect on the initial values of your frequencies.",
    loses="W_r begins with variance 1/γ²",
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


@fourier.mistake(
    "The standard deviation is right, the distribution is not: yours is uniform. N(0, γ⁻²) is "
    "a normal one.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_uniform_with_the_right_variance(RightFourier):
    def first(self, number, gamma):
        return (torch.rand(number) * 2 - 1) * 3**0.5 / gamma


@fourier.mistake(
    "Your frequencies are spread evenly, as those of sinusoids are. Here they are drawn at random.",
    loses="W_r begins with variance 1/γ²",
)
class frequencies_of_sinusoids(RightFourier):
    def first(self, number, gamma):
        return 10_000 ** (-torch.arange(number) / number) / gamma


@fourier.mistake(
    "Each new module begins with the same frequencies: nothing is drawn, or a generator is set "
    "to the same seed. Draw new ones each time.",
    loses="W_r begins with variance 1/γ²",
    breaks="independently for every new module",
)
class frequencies_from_one_seed(RightFourier):
    def first(self, number, gamma):
        return torch.randn(number, generator=torch.Generator().manual_seed(0)) / gamma


@fourier.mistake(
    "A Parameter divided by a number is no longer a Parameter: what you keep is the result of a "
    "computation, and the Parameter itself is lost. Divide inside nn.Parameter(…).",
    loses=("W_r is trained", "dtype and gradients"),
)
class frequencies_as_a_part_of_a_parameter(RightFourier):
    def first(self, number, gamma):
        return nn.Parameter(torch.randn(number)) / gamma

    def keep(self, frequencies):
        self.frequencies = frequencies


@fourier.mistake(
    "requires_grad gives W_r a gradient, but only an nn.Parameter is found by module.parameters(), "
    "moved by .to(device) and saved.",
    loses=("W_r is trained", "dtype and gradients"),
)
class frequencies_as_a_tensor_with_gradient(RightFourier):
    def keep(self, frequencies):
        self.frequencies = frequencies.requires_grad_()


@fourier.mistake(
    "Your Parameter does not require gradients, so no optimiser will change it.",
    loses=("W_r is trained", "dtype and gradients"),
)
class frequencies_frozen(RightFourier):
    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies, requires_grad=False)


@fourier.mistake(
    "Your W_r is a table with a single row, so it has two axes. Its shape should be "
    "(num_features // 2,), with one axis.",
    loses="W_r is trained",
    breaks="of shape `(num_features // 2,)`",
)
class frequencies_as_a_row(RightFourier):
    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies[None])

    def angles(self, positions):
        return positions[..., None] * self.frequencies[0]


@fourier.mistake(
    "Your module has parameters besides W_r and the MLP. These two are enough.",
    loses="W_r is trained",
    breaks="nothing else is trained",
)
class frequencies_with_trained_phases(RightFourier):
    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies)
        self.phases = nn.Parameter(torch.zeros_like(frequencies))

    def angles(self, positions):
        return positions[..., None] * self.frequencies + self.phases


@fourier.mistake(
    "Your angles are computed from a copy of W_r that was made once, in __init__. When "
    "training changes W_r, the copy stays as it was.",
    loses=(
        "equation 2: the features",
        "W_r is trained",
        "positions (B, T) as well",
        "dtype and gradients",
    ),
)
class frequencies_copied_once(RightFourier):
    def keep(self, frequencies):
        self.frequencies = nn.Parameter(frequencies)
        self.speeds = frequencies.clone()

    def angles(self, positions):
        return positions[..., None] * self.speeds


@fourier.mistake(
    "You use gamma twice: W_r is initialised with it, and the angles are divided by it again. "
    "Equation 2 has W_r alone; gamma only sets its initial values.",
    loses=("equation 2: the features", "positions (B, T) as well"),
)
class frequencies_divided_by_gamma_again(RightFourier):
    def __init__(self, d_model, num_heads=1, max_len=512, gamma=1.0, num_features=64):
        super().__init__(d_model, num_heads, max_len, gamma, num_features)
        self.gamma = gamma

    def angles(self, positions):
        return super().angles(positions) / self.gamma
