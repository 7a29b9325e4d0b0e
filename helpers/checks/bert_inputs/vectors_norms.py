"""Unit 07, “The input sum”: what people normalise instead, and what they keep."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from helpers.checks.bert_inputs.vectors import RightSum, vectors


@vectors.mistake(
    "You normalise each of the three vectors before you add. Add first, then one LayerNorm."
)
class sum_of_three_norms(RightSum):
    def forward(self, tokens, segments):
        parts = (self.words(tokens), self.segments(segments), self.places(tokens))
        return sum(self.norm(part) for part in parts)


@vectors.mistake("The positions are added after the LayerNorm. Add all three first.")
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
    "You normalise with an eps of 1e-5, the default of F.layer_norm and nn.LayerNorm, which "
    "matters where the sums are small. self.norm has another one: call it as it is.",
    loses="a LayerNorm of the sum",
    breaks="LayerNorm(token + segment + position)",
)
class sum_normed_with_another_eps(RightSum):
    def forward(self, tokens, segments):
        x = self.words(tokens) + self.segments(segments) + self.places(tokens)
        return F.layer_norm(x, x.shape[-1:], self.norm.weight, self.norm.bias)


@vectors.mistake(
    "You keep the positions of the first text, but the next may be longer or shorter. Make them "
    "again for each text.",
    loses=("token + segment + position", "a LayerNorm of the sum"),
)
class sum_with_the_places_of_the_first_text(RightSum):
    def places(self, tokens):
        if not hasattr(self, "kept"):
            self.kept = torch.arange(tokens.shape[1])
        return self.positions(self.kept[: tokens.shape[1]])
