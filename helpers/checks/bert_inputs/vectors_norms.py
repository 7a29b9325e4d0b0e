"""Unit 07, “The input sum”: what people normalise instead."""

from __future__ import annotations

import torch.nn.functional as F

from helpers.checks.bert_inputs.vectors import RightSum, vectors


@vectors.mistake(
    "You normalise each of the three vectors before you add. Add first, then one LayerNorm."
)
class sum_of_three_norms(RightSum):
    def forward(self, tokens, segments):
        parts = (self.words(tokens), self.segments(segments), self.places(tokens))
        return sum(self.norm(part) for part in parts)


@vectors.mistake("The positions are added behind the LayerNorm. All three are added first.")
class sum_with_positions_after_the_norm(RightSum):
    def forward(self, tokens, segments):
        return self.norm(self.words(tokens) + self.segments(segments)) + self.places(tokens)


@vectors.mistake(
    "The sum is right and the LayerNorm is missing.",
    loses=("a LayerNorm of the sum", "dtype and gradients"),
)
class sum_without_norm(RightSum):
    def forward(self, tokens, segments):
        return self.words(tokens) + self.segments(segments) + self.places(tokens)


@vectors.mistake(
    "You normalise by hand and leave out the norm's own weights. self.norm has a factor and a "
    "shift for each of the D numbers, which are trained.",
    loses=("a LayerNorm of the sum", "dtype and gradients"),
    breaks="they are all that is trained",
)
class sum_normed_without_its_weights(RightSum):
    def forward(self, tokens, segments):
        x = self.words(tokens) + self.segments(segments) + self.places(tokens)
        x = x - x.mean(-1, keepdim=True)
        return x / x.var(-1, keepdim=True, correction=0).sqrt()


@vectors.mistake(
    "You normalise by F.layer_norm with its own eps of 1e-5, which matters where the sums are "
    "small. The module self.norm has another one; call it.",
    loses="a LayerNorm of the sum",
    breaks="LayerNorm(token + segment + position)",
)
class sum_normed_with_another_eps(RightSum):
    def forward(self, tokens, segments):
        x = self.words(tokens) + self.segments(segments) + self.places(tokens)
        return F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias)
