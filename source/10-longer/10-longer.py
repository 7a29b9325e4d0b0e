# %% [markdown]
# # 10 · Longer than trained
#
# In the summer of 2023, people took a language model that had been trained on texts of 2,048
# tokens. They changed the lines that compute RoPE's angles, and then gave it texts several times as
# long. Within weeks there were several methods, and papers described them. In 2024, DeepSeek-V3 was
# released with one of them, YaRN, and Llama 3.1 with a descendant of them. What do the methods
# change, and why does it help?
#
# By the end of this unit you can
#
# - say which of RoPE's pairs went through every angle in training, and which did not;
# - extend RoPE by position interpolation, by a larger base (“NTK”) and by YaRN's ramp;
# - compare these methods on one model, before and after fine-tuning, and say what each of them
#   changes;
# - compute the positions of a left-padded batch with a KV cache, and recognise bugs that users have
#   reported;
# - rotate queries and keys by the rows and columns of a picture.
#
# Reading and running takes about 40 minutes besides the exercises.

# %%
import math

import matplotlib.pyplot as plt
import pandas as pd
import torch
import torch.nn.functional as F

from helpers import encodings, plots, results, runtime
from helpers.checks import longer as check
from helpers.corpora import LagLanguage, Patches
from helpers.encodings import Rotary
from helpers.model.decoder import Decoder
from helpers.pictures import hooks
from helpers.pictures import longer as pictures
from helpers.predict import outcome, predict
from helpers.training import train
from helpers.training.experiments import fit
from helpers.training.context_extension import extend

# %% [markdown]
# ## 1. A model that cannot read on
#
# A model is trained on texts of one length, its context length. Then somebody gives it a longer
# text. The question of this unit is: what must be done to the positions so that the model can read
# on? Nearly all of it happens in one hook:

# %% tags=["shown"]
plots.show(*hooks.hooks("rotate"))

# %% [markdown]
# We use the model that failed on longer texts in unit 05. It has two layers with RoPE and has
# learned the lag language, in which a token follows from the one three positions before. It has
# seen texts of 24 tokens, and is tested on 48, 96 and 192 tokens as well.

# %% tags=["training"]
seeds = range(3 if runtime.profile() == "full" else 1)
models = [fit(LagLanguage(), lambda: Rotary(48, 4), seed, 300, 24, "RoPE") for seed in seeds]

# %%
def measured(ways, task=None, tuning=(0,), lengths=(24, 48, 96, 192)):
    """Losses of the same weights under each of `ways`, by length; the exact limit beside them."""
    found = [extend(model, task or LagLanguage(), ways, seed, tuning, lengths)
             for seed, model in zip(seeds, models, strict=True)]
    return pd.concat(found)

def by_length(table):
    """Mean loss of each way at each length, and the limit below."""
    means = table.pivot_table("loss", ["encoding", "tuned"], "length", sort=False)
    means.loc[("limit", ""), :] = table.groupby("length")["limit"].mean()
    return means.round(2)

# %% tags=["training"]
ways = {"RoPE": lambda: Rotary(48, 4)}
by_length(measured(ways))

# %% [markdown]
# At 24 tokens the loss is close to the limit, and with each doubling of the length it moves further
# away. (One seed and 300 steps; on a GPU, three seeds.) The limit itself falls a little: near the
# ends of a text, a token has a neighbour at distance 3 on one side only, and in a longer text a
# smaller part of the tokens is near an end.
#
# Attention costs $T^2$, so a large model is trained on texts of a few thousand tokens only. Nobody
# wants to train it again from the beginning. The methods of sections 3 to 5 were invented to make
# it read longer texts at little cost. For a large model one cannot measure how far from the limit
# it is. Here one can.

# %% [markdown]
# ## 2. What is new in a longer text?
#
# Between a query at $i$ and a key at $j$, pair $n$ is rotated by the angle $(j - i)\,\theta_n$. The
# **wavelength** of the pair, $\lambda_n = 2\pi/\theta_n$, is the number of positions of one full
# turn (unit 02). If the training texts are much longer than the wavelength, the pair has been
# through every angle many times. If they are much shorter, a longer text brings angles that the
# model has never seen.

# %% [markdown] exercise="turns" title="Who has seen every angle?" difficulty=1 minutes=8
# Write `turns`. It takes the even width $d$ of a head, a length $T$ of at least 1, and a base
# above 1. It returns two tensors of shape $(d/2,)$, with pair $n$ at index $n$, in this order:
#
# - how many turns pair $n$ makes in a text of $T$ tokens, $T\,\theta_n / 2\pi$, in float32 or
#   float64; a pair seldom makes a whole number of turns, and the fraction counts;
# - whether pair $n$ comes round, that is, makes at least one full turn, as bool.
#
# As in unit 05, pair $n$ turns with $\theta_n = \text{base}^{-2n/d}$.
#
# *Why care:* the three methods of this unit differ in which pairs they slow down, and by how much.
#
# <details><summary>Hint</summary>
#
# `torch.arange(0, d_head, 2)` is $2n$ for all pairs. For the second result, compare the first one
# with 1.
# </details>

# %% solution="turns"
def turns(d_head: int, length: int, base: float = 10_000.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Turns of each pair in a text of `length` tokens, (d/2,), and which come round, (d/2,)."""
    ### BEGIN SOLUTION
    theta = base ** (-torch.arange(0, d_head, 2) / d_head)
    turned = length * theta / (2 * math.pi)
    return turned, turned >= 1
    ### END SOLUTION

# %% test="turns" points=2
check.turns(turns)
### BEGIN HIDDEN TESTS
check.turns(turns, seed=10101)
### END HIDDEN TESTS

# %% [markdown]
# From here on, `turns_of` is your `turns`, or the course's while yours is not right. We compare our
# model with a large one, whose heads have 128 columns and which was trained on texts of 4,096
# tokens:

# %%
right_turns = check.turns.use(turns)

def turns_of(d_head, length, base=10_000.0):
    """Turns of each pair, and which come round, as float64 and bool."""
    found, whole = right_turns(d_head, length, base=base)
    return torch.as_tensor(found).double(), torch.as_tensor(whole)

for name, d_head, length in (("ours", 12, 24), ("a large one", 128, 4096)):
    found, whole = turns_of(d_head, length)
    few = ", ".join(f"{each:.2g}" for each in [*found[:2].tolist(), *found[-2:].tolist()])
    print(f"{name}: {int(whole.sum())} of {d_head // 2} pairs complete a turn; "
          f"turns of the first two and the last two: {few}")

# %% [markdown]
# So two things may be new in a longer text:
#
# - **new angles**, in the slow pairs, which have not completed a turn. Interpolation, NTK and YaRN
#   were invented for them;
# - **new offsets at old angles**, in the fast pairs. Pair 0 makes seven turns in 44 positions. So
#   for this pair a key 44 + 3 = 47 positions away looks like one three positions away (unit 05,
#   section 3).
#
# Your function counted in one direction. Our encoder also looks to the right: its offsets, from −23
# to 23, cover 46 positions. Over these, pair 1 makes 1.6 turns, so it too has met every angle. From
# here on we count two fast pairs: pairs 0 and 1.
#
# Which of the two makes this model fail, new angles or new offsets? Unit 05 answered this question
# by clipping the offsets of some pairs only. Do you remember the answer? We now give this model the
# methods that were invented for slow pairs, and see what each of them does.

# %% [markdown]
# ## 3. Interpolation: squeeze the positions
#
# The first idea is the simplest (Chen et al. 2023). To read $s$ times as many tokens, read position
# $p$ as $p/s$. With $s = 4$, position 95 is read as 23.75, and training ended at 23. So hardly any
# angle lies outside the trained range; most of the new ones lie between two trained ones.
#
# To turn by $\frac{p}{s}\,\theta_n$ is to turn by $p\,\frac{\theta_n}{s}$. So interpolation divides
# all frequencies by $s$, and changes nothing else. NTK and YaRN will also be choices of
# frequencies. The next class takes any frequencies. It also takes a factor, which only YaRN will
# need:

# %%
class Slowed(Rotary):
    """RoPE with frequencies of its own, (d/2,); queries and keys are multiplied by `factor`."""

    def __init__(self, theta, factor=1.0):
        super().__init__(48, 4)
        self.theta, self.attention_factor = theta, factor  # which `Rotary` multiplies q and k by

    def frequencies(self, pair, positions):  # asked anew at each call, in the dtype of `pair`
        return self.theta.to(pair)

theta = 10_000.0 ** (-torch.arange(0, 12, 2) / 12)  # of our model, whose heads have 12 columns

# %%
predict("squeezed", "The same weights, all frequencies divided by 4, no further training: what is "
        "the loss at 96 tokens?", a="near the limit: no angle is out of range",
        b="about what it was", c="higher than it was", answer="")

# %% tags=["training"]
ways = {"RoPE": lambda: Rotary(48, 4), "interpolation, s = 4": lambda: Slowed(theta / 4)}
squeezed = measured(ways)
by_length(squeezed)

# %%
at96 = squeezed[squeezed["length"] == 96].groupby("encoding")["loss"].mean()
change = float(at96["interpolation, s = 4"] - at96["RoPE"])
print(f"guessing one of 8 symbols: {math.log(8):.2f} nats")
outcome("squeezed", "c" if change > 0.1 else "a" if at96.min() < 0.4 else "b")

# %% [markdown]
# The loss is worse than guessing at every length, even at 24 tokens, where nothing was wrong
# before. What does the model do? It has learned which angle to look for in each pair $n$:
# $-3\,\theta_n$ from query to key. In training, the key three positions to the left had these
# angles. Now each position turns pair $n$ by only $\theta_n/4$. Which key has them now? The next
# question uses other languages: they have the same rule, but another lag.

# %%
predict("lag", "Give the interpolated model languages in which a token follows from the one 1, 3, "
        "6, 9, 12 or 15 positions before. With which of these lags is its loss at 96 lowest?",
        answer="")

# %%
interpolated = {"interpolation, s = 4": lambda: Slowed(theta / 4)}
lags = {lag: measured(interpolated, LagLanguage(lag=lag), lengths=(96,))[["loss", "limit"]].mean()
        for lag in (1, 3, 6, 9, 12, 15)}
pd.DataFrame(lags).rename_axis("at 96 tokens", axis=0).rename_axis("lag", axis=1).round(2)

# %%
outcome("lag", min(lags, key=lambda lag: lags[lag]["loss"]))

# %% [markdown]
# The model has not forgotten anything. It does what it did, but four times as far away: one
# position now turns each pair by a quarter of the angle that it was trained with. To learn what
# each distance means now, large models are trained for some hundred steps more: fine-tuning.
#
# Even on its own new lag the model is far from the limit. Probably this is because
# a query should pick out one key, and the keys beside it now have nearly the same angles.

# %% [markdown]
# ## 4. Another base: slow the slow ones
#
# The fast pairs tell neighbours apart, and they have seen all their angles. So leave them alone,
# and slow down only the slow pairs. A larger base does nearly that. It leaves pair 0 at 1 radian
# per position, slows the next pairs a little and the slowest most. This method is known as
# **NTK-aware** interpolation, and was first published in a forum.

# %% [markdown] exercise="longer_base" title="A base for longer texts" difficulty=2 minutes=10
# Write `longer_base`. It takes the base of a trained model, a factor $s$ (any number of at least 1)
# and the width $d$ of a head. It returns, as a float, the base with which the slowest pair,
# $n = d/2 - 1$, turns exactly $s$ times as slowly as before. (Pair 0 turns by 1 radian per position
# with any base.)
#
# With $d = 2$ there is a single pair, pair 0, and no base slows it. An odd width leaves a column
# without a partner. In both cases raise a ValueError whose text names the width.
#
# *Why care:* `rope_theta` in the configuration of a model is this base. Models for long texts have
# 500,000 or 1,000,000 there. By your formula, 500,000 slows the slowest of 64 pairs 47 times.
#
# <details><summary>Hint</summary>
#
# The slowest pair has $\theta = \text{base}^{-(d-2)/d}$. Set the new $\theta$ to $1/s$ of the old
# one, and solve for the new base.
# </details>

# %% solution="longer_base"
def longer_base(base: float, factor: float, d_head: int) -> float:
    """The base that slows the slowest pair of a head by `factor`."""
    ### BEGIN SOLUTION
    if d_head < 4 or d_head % 2:
        raise ValueError(f"d_head={d_head} must be even, and at least 4")
    return base * factor ** (d_head / (d_head - 2))
    ### END SOLUTION

# %% test="longer_base" points=2
check.longer_base(longer_base)
### BEGIN HIDDEN TESTS
check.longer_base(longer_base, seed=10202)
### END HIDDEN TESTS

# %% [markdown]
# Our model with your base, or the course's:

# %% tags=["training"]
right_base = check.longer_base.use(longer_base)
larger = float(right_base(10_000.0, 4, 12))
ways = {"RoPE": lambda: Rotary(48, 4), "NTK, s = 4": lambda: Rotary(48, 4, base=larger)}
print(f"the base for texts 4 times as long: {larger:,.0f}")
by_length(measured(ways))

# %% [markdown]
# Nothing is destroyed, but most of the distance to the limit remains. This model fails because of
# its two fast pairs, 0 and 1, at the offsets where their angles repeat. A larger base leaves pair 0
# as it was, and lowers the frequency of pair 1 by only a quarter.
#
# ## 5. YaRN: a ramp between the two
#
# Interpolation slows every pair by $s$. NTK slows pair $n$ by a factor that grows with $n$, from 1
# to $s$. YaRN (Peng et al. 2023, section 3.2) asks for each pair what you computed in section 2:
# how many turns does it make in a training text? Pairs with many turns stay as they are. Pairs
# without a full turn are interpolated. For the pairs in between there is a ramp.

# %% [markdown] exercise="ramp" title="YaRN's ramp" difficulty=3 minutes=15
# Write `ramp`. YaRN mixes the frequency $\theta_n$ of RoPE with the interpolated one:
#
# $$\theta'_n = (1 - \gamma_n)\,\frac{\theta_n}{s} + \gamma_n\,\theta_n, \qquad
# \gamma_n = \begin{cases} 0 & r_n < \alpha \\ 1 & r_n > \beta \\
# (r_n - \alpha)/(\beta - \alpha) & \text{between} \end{cases}$$
#
# Here $r_n = L\,\theta_n/2\pi$ counts the turns of pair $n$ in a training text of $L$ = `trained`
# tokens. For the ends of the ramp, $\alpha$ is `low` and $\beta$ is `high`, two positive numbers
# with $\alpha < \beta$. The width $d$ of a head is even, the factor $s$ any number of at least 1,
# and the base any number above 1. `ramp` returns two results:
#
# - all $\theta'_n$, of shape $(d/2,)$, in float32 or float64;
# - as a float, $0.1 \ln s + 1$: queries are multiplied by it, and keys as well, so scores are
#   multiplied by its square.
#
# *Why care:* the configuration of DeepSeek-V3 names this method, with 1 as `beta_slow` and 32 as
# `beta_fast`. Which pairs lie on the ramp depends on the length of the training texts and
# on the base.
#
# <details><summary>Hint</summary>
#
# With `clamp(0, 1)` the three cases of $\gamma_n$ are one line.
# </details>

# %% solution="ramp"
def ramp(
    d_head: int, trained: int, factor: float, low: float = 1.0, high: float = 32.0,
    base: float = 10_000.0,
) -> tuple[torch.Tensor, float]:
    """YaRN's frequencies, by the turns of each pair, and the factor of queries and keys."""
    ### BEGIN SOLUTION
    theta = base ** (-torch.arange(0, d_head, 2) / d_head)
    turned = trained * theta / (2 * math.pi)
    kept = ((turned - low) / (high - low)).clamp(0, 1)
    return (1 - kept) * theta / factor + kept * theta, 0.1 * math.log(factor) + 1
    ### END SOLUTION

# %% test="ramp" points=3
check.ramp(ramp)
### BEGIN HIDDEN TESTS
check.ramp(ramp, seed=10303)
### END HIDDEN TESTS

# %% [markdown]
# The three methods on a large model, trained on texts of 4,096 tokens and made to read texts eight
# times as long:

# %%
right_ramp = check.ramp.use(ramp)
large = 10_000.0 ** (-torch.arange(0, 128, 2, dtype=torch.float64) / 128)
paper, factor = right_ramp(128, 4096, 8)
paper = torch.as_tensor(paper).double()
base = float(right_base(10_000.0, 8, 128))
ntk = base ** (-torch.arange(0, 128, 2, dtype=torch.float64) / 128)
left = {"interpolation": torch.full((64,), 1 / 8), "NTK": ntk / large, "YaRN": paper / large}
plots.show(*pictures.slowed(left, turns_of(128, 4096)[0], low=1, high=32))
print(f"queries and keys are multiplied by {factor:.3f}")

# %% [markdown]
# Besides the ramp, YaRN multiplies queries and keys by a number a little above 1. In a longer text
# the softmax spreads its weight over more keys, and larger scores sharpen it again. The authors
# fitted $0.1 \ln s + 1$ to measured perplexities.
#
# ### The paper and its code
#
# Your ramp is the paper's. Is it also the one in the authors' code?

# %%
yarn = encodings.Yarn(128, factor=8.0, original_max_len=4096)
code = yarn.frequencies(torch.arange(64, dtype=torch.float64), torch.arange(1))
left = {"YaRN, the paper": paper / large, "YaRN, the code": code / large}
plots.show(*pictures.slowed(left, turns_of(128, 4096)[0], low=1, high=32))
print(f"largest difference: {(left['YaRN, the paper'] - left['YaRN, the code']).abs().max():.2f}")

# %% [markdown]
# Both are called YaRN, and a model that was fine-tuned with one of them would run with the other
# without an error. The code's ramp is a straight line over the **index** $n$ of the pairs, from the
# pair that makes 32 turns to the pair that makes 1; the paper's is straight over the turns.
# `transformers` and this course's `Yarn` follow the code.
#
# In our model the two are further apart still:

# %%
ours, our_factor = right_ramp(12, 24, 4)
small = encodings.Yarn(48, 4, factor=4.0, original_max_len=24)
theirs = small.frequencies(torch.arange(6, dtype=torch.float64), torch.arange(1))
pd.DataFrame({"turns": turns_of(12, 24)[0], "the paper": torch.as_tensor(ours) / theta,
              "the code": theirs / theta}).rename_axis("pair").round(2).T

# %% [markdown]
# Look at pair 0. It makes a little under four turns in a training text (counted in one direction,
# as YaRN does). By the paper's rule these are few, and the pair is interpolated nearly as much as
# the others. In the code, as no pair makes 32 turns, the ramp begins at pair 0, which keeps its
# frequency. So from here on there are two methods: *YaRN, the paper*, your `ramp`, and *YaRN, the
# code*.
#
# ## 6. All of them, with and without fine-tuning
#
# Now we try all methods on the same weights. The clip of unit 05 is among them. It slows no pair,
# but lets offsets beyond $\pm 23$ count as $\pm 23$:

# %%
def clipped(q, k, at, most):
    """Products of q and k, turned by their offset, at most `most` to each side; (B, H, T, T)."""
    rope, far, none = Rotary(q.shape[-1]), torch.full_like(at, most), torch.zeros_like(at)

    def product(queries, keys):
        """Products of all q and k, rotated to the positions `queries` and `keys`."""
        turned_q, turned_k = rope.rotate(q, k, encodings.Positions(queries, keys))
        return turned_q @ turned_k.mT

    offset = at - at[:, None]  # j − i
    left, right = product(far, none), product(none, far)  # all offsets −most, all offsets most
    scores = torch.where(offset < -most, left, product(at, at))
    return torch.where(offset > most, right, scores)

class Clipped(encodings.Encoding):
    """RoPE with offsets clipped to ±23 in the first `pairs` pairs, as a term of the scores."""

    def __init__(self, d_model, num_heads, pairs):
        super().__init__(d_model, num_heads)
        self.pairs = pairs

    def bias(self, q, k, positions):
        at = positions.queries
        fast = (torch.arange(q.shape[3]) < 2 * self.pairs).to(q)  # 1 in their columns
        rest = clipped(q * (1 - fast), k, at, len(at))  # no offset is that large
        return clipped(q * fast, k, at, 23) + rest - q @ k.mT  # the layer adds q·kᵀ itself

# %% [markdown]
# Each method is measured twice: as it is, and after 30 steps of fine-tuning with texts of 96
# tokens. A batch of fine-tuning has eight texts instead of 64. So these 30 steps read a twentieth
# of the tokens that the training read.

# %%
predict("tuned", "RoPE without any extension is fine-tuned for 30 steps at 96 tokens. How much of "
        "the gap between its loss and the limit is then closed?",
        a="hardly any: the slow pairs still meet new angles", b="about half", c="most of it",
        answer="")

# %% tags=["training"]
ways = {"RoPE": lambda: Rotary(48, 4), "interpolation": lambda: Slowed(theta / 4),
        "NTK": lambda: Rotary(48, 4, base=larger),
        "YaRN, the paper": lambda: Slowed(torch.as_tensor(ours), our_factor),
        "YaRN, the code": lambda: encodings.Yarn(48, 4, factor=4.0, original_max_len=24),
        "clipped": lambda: Clipped(48, 4, pairs=6),
        "fast pairs clipped": lambda: Clipped(48, 4, pairs=2)}
live = measured(ways, tuning=(0, 30))
by_length(live)

# %%
at96 = live[live["length"] == 96].groupby(["encoding", "tuned"])["loss"].mean()
limit = live.loc[live["length"] == 96, "limit"].mean()
gone = float((at96["RoPE", 0] - at96["RoPE", 30]) / (at96["RoPE", 0] - limit))
outcome("tuned", "c" if gone > 0.7 else "a" if gone < 0.3 else "b")

# %% [markdown]
# One seed proves little. Here are recorded runs of twenty seeds. The figure shows the methods
# without fine-tuning. The table shows the loss above the limit at 96 tokens, after 0, 30 and 100
# steps of fine-tuning. In these runs the clip was not fine-tuned, and YaRN is the code's. The
# paper's YaRN is only in your table above.

# %% tags=["figure"]
study = results.load("longer")
four_times = study.table[study.table["factor"].isin([0, 4])].replace({"YaRN": "YaRN, the code"})
shown = ["RoPE", "clipped", "interpolation", "NTK", "YaRN, the code"]
figure, ax = plt.subplots()
untuned = four_times[four_times["encoding"].isin(shown) & (four_times["tuned"] == 0)]
plots.race(ax, untuned, "recorded: the same weights, no fine-tuning")
plots.show(figure, "Loss by length for five ways: only the clip stays beside the limit.")
print(study.note)

# %%
recorded96 = four_times[(four_times["length"] == 96) & four_times["encoding"].isin(shown)]
recorded96 = recorded96.assign(above=recorded96["loss"] - recorded96["limit"])
tuned100 = recorded96[recorded96["tuned"] == 100]
best = tuned100.loc[tuned100.groupby("seed")["above"].idxmin(), "encoding"].value_counts()
print("lowest after 100 steps:", ", ".join(f"{way} in {n} seeds" for way, n in best.items()))
untuned96 = recorded96[recorded96["tuned"] == 0].groupby("encoding")["above"]
for way, each in untuned96:
    print(f"{way}, untuned: {each.min():.3f} to {each.max():.3f} above the limit, at most 0.1 on "
          f"{(each <= 0.1).sum()} of {len(each)} seeds")
at_192 = four_times.query("length == 192 and tuned == 100").groupby("encoding")["loss"].mean()
print("at 192 tokens, after 100 steps:",
      ", ".join(f"{way} {at_192[way]:.2f}" for way in ("RoPE", "NTK", "YaRN, the code")))
recorded96.pivot_table("above", "encoding", "tuned", aggfunc=["mean", "std"]).round(2)

# %% [markdown]
# Compare the methods after 0, 30 and 100 steps. This model needs none of the formulas:
#
# - **Without fine-tuning,** none of these changes of frequencies brings this model near the limit.
#   The clip does, and in your table a clip of the two fast pairs alone does about as well. They
#   have met all their angles in training. So what was new is the offsets, as unit 05 said.
# - **After 30 steps,** RoPE without any change has come most of the way to the limit. The code's
#   YaRN is a little nearer, on average over the twenty seeds. Texts of 96 tokens show the model the
#   offsets that it had not seen. Interpolation and the paper's YaRN are still far away. Both slow
#   pair 0, so the model first has to learn how far one position now turns it.
# - **After 100 steps,** YaRN is the lowest in most seeds, but RoPE without any extension is within
#   a hundredth of a nat of it on average. At 192 tokens, a length that the fine-tuning never
#   had, YaRN is far worse than RoPE and NTK (printed above).
#
# So is YaRN no good? It was designed for another failure. In a large model, trained on thousands of
# tokens of real text, a longer text turns the slow pairs to angles that were never seen. YaRN's
# authors show that it helps there. So the lesson is not which method is best. First look for the
# cause, with a measurement that can tell two causes apart. Then choose the method.

# %% [markdown]
# ## 7. Some layers without positions
#
# So far every layer had positions. Can a model read longer texts if some of its layers have no
# positions at all? Such a layer has no angle that could be new. Some of today's models are trained
# like this from the beginning: three layers in four rotate queries and keys, and the fourth does
# not (Yang et al. 2025 look at such models).
#
# Our model has two layers. In the recorded runs below, either the second has no positions (*RoPE,
# none* in the table) or the first (*none, RoPE*), with 20 seeds each:

# %%
predict("layers", "Which of the two layers can do without positions, so that the loss at 96 tokens "
        "falls?", a="the first", b="the second", c="neither", d="either", answer="")

# %%
in_layers = ["RoPE", "RoPE, none", "none, RoPE"]
some_layers = four_times.query("tuned == 0 and encoding in @in_layers")
some_layers.pivot_table("loss", "encoding", "length", aggfunc=["mean", "std"], sort=False).round(2)

# %%
without = some_layers[some_layers["length"] == 96].groupby("encoding")["loss"].mean()
first, second = (without[layers] < without["RoPE"] for layers in ("none, RoPE", "RoPE, none"))
outcome("layers", "d" if first and second else "a" if first else "b" if second else "c")

# %% [markdown]
# Without positions in the second layer, the loss is 0.06 nats higher at 24 tokens and on average
# about 0.3 lower at 96; there it is lower on 17 of the 20 seeds. Without them in the first layer,
# it is a little higher at 24. At 96 it is on average 0.13 higher, but lower on 8 of the 20 seeds,
# so that is not settled. On longer texts, neither comes near the limit. But two layers say little
# about thirty.

# %% [markdown]
# ## 8. Where does a token stand?
#
# So far the position of a token was the number of tokens before it in its row. In practice, inputs
# look different. Several texts of different lengths go through the model in one batch, and the
# shorter ones are filled up on the left with **padding**. A **decoder** reads its prompt once, and
# keeps the keys and values of each layer in a **KV cache**. Then it is given one new token at a
# time, $T = 1$. Somebody has to say where this token stands.

# %%
mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 1]]).bool()
stands = torch.tensor([[0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 1, 2, 3], [0, 0, 1, 2, 3, 4, 5]])
plots.show(*pictures.places(mask, stands, cached=5))

# %% [markdown] exercise="positions" title="Positions in a padded cache" difficulty=3 minutes=12
# Write `positions`. Its `mask` has shape $(B, S)$, with True for a token and False for padding. The
# first `cached` of its $S$ columns are in the cache, and the others are new. The number `cached` is
# from 0 to $S - 1$. The function returns the positions of the new columns, of shape
# $(B, S - \text{cached})$, in int64:
#
# - the position of a token is the number of real tokens before it in its row, with those in the
#   cache included;
# - padding itself gets 0.
#
# Padding may stand anywhere: on the left, on the right, between a prompt and its answer, or in the
# whole row. $S$ may be any number from 1 to 4,096. The mask stays as it is.
#
# *Why care:* users of several libraries have reported bugs that were made in these few lines.
#
# <details><summary>Hint</summary>
#
# Count over the whole mask first, and cut out the new columns last.
# </details>

# %% solution="positions"
def positions(mask: torch.Tensor, cached: int = 0) -> torch.Tensor:
    """Position of each new token in its own text, (B, S) → (B, S − cached)."""
    ### BEGIN SOLUTION
    return torch.where(mask, mask.cumsum(1) - 1, 0)[:, cached:]
    ### END SOLUTION

# %% test="positions" points=3
check.positions(positions)
### BEGIN HIDDEN TESTS
check.positions(positions, seed=10404)
### END HIDDEN TESTS

# %%
right_positions = check.positions.use(positions)

def placed(mask, cached=0):
    """Your positions, or the course's, (B, S − cached)."""
    return torch.as_tensor(right_positions(mask, cached)).long()

# %% [markdown]
# ### What the bugs do to a text
#
# A small decoder learns the lag language: after each token it predicts the next one. Then it gets
# 200 prompts of 6 to 12 tokens, padded on the left to 12, and writes 12 more tokens for each. If it
# writes well, each new token follows, by the rule, from the token three positions before.

# %% tags=["training"]
language = LagLanguage()

def next_token(model, tokens):
    """Mean cross-entropy of the token after each; tokens (B, T)."""
    return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

runtime.seed_everything(0)
writer = Decoder(Rotary(48, 4), language.vocab_size, 2)
text = torch.Generator().manual_seed(0)
losses = train(writer, lambda: language.sample(64, 24, text), 200, loss=next_token, label="decoder")

# %%
draw = torch.Generator().manual_seed(1)
real = torch.arange(12) >= torch.randint(0, 7, (200, 1), generator=draw)  # up to 6 of padding
prompts = torch.where(real, language.sample(200, 12, draw), language.mask_id)

@torch.no_grad()
def written(model, where, new=12):
    """The prompts and `new` tokens more; `where(mask, cached)` gives the positions."""
    model.eval()
    tokens, mask, cache, cached = prompts, real, model.new_cache(), 0
    for _ in range(new):
        documents = torch.where(mask, 0, -1)[:, cached:]  # −1 is padding, which nobody sees
        logits = model(tokens[:, cached:], documents, where(mask, cached), cache)[:, -1]
        cached = tokens.shape[1]
        tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], 1)
        mask = torch.cat([mask, torch.ones(len(mask), 1, dtype=torch.bool)], 1)
    return tokens

def by_the_rule(tokens, new=12):
    """How many of a text's new tokens follow from the token three before them, from 0 to 1."""
    return (language.rule[tokens[:, -new - 3 : -3]] == tokens[:, -new:]).float().mean(1)

# %% [markdown]
# Here are four bugs of a kind that users have reported. In the last one the counting is right, but
# then positions are kept in bfloat16, which has eight binary digits. This shows in long texts only,
# so for this bug positions are counted from 2,000 on.

# %%
def all_columns(mask, cached):
    """Padding is counted as if tokens stood there."""
    return torch.arange(cached, mask.shape[1]).expand(len(mask), -1)

def width_of_the_cache(mask, cached):
    """The prompt is counted right; new tokens go on from the width of the cache."""
    return all_columns(mask, cached) if cached else placed(mask)

def restarted(mask, cached):
    """Each step numbers its own token only, so that every new one stands at 0."""
    return placed(mask[:, cached:])

def in_bfloat16(mask, cached):
    """Right, 2,000 positions later, and rounded to eight binary digits."""
    return (placed(mask, cached) + 2000).bfloat16().float()

# %%
predict("harmless", "One of these four bugs does this decoder no harm at all. Which?",
        a="padding is counted everywhere", b="new tokens go on from the width of the cache",
        c="each call counts from 0, so a new token stands at 0",
        d="positions are kept in bfloat16", answer="")

# %%
bugs = {"right positions": placed, "a) padding counted": all_columns,
        "b) width of the cache": width_of_the_cache, "c) counted from 0": restarted,
        "d) bfloat16": in_bfloat16}
texts = {name: written(writer, where) for name, where in bugs.items()}
follows = {name: by_the_rule(tokens) for name, tokens in texts.items()}
row = int(torch.stack(list(follows.values())[2:]).sum(0).argmin())  # b), c) and d) show best
follows = {name: each.mean().item() for name, each in follows.items()}

def spelled(tokens):
    """Letters of a text; a point where there is padding."""
    return "".join("abcdefgh·"[each] for each in tokens.tolist())

words = {name: f"{spelled(each[row, :12])} | {spelled(each[row, 12:])}"
         for name, each in texts.items()}
pd.DataFrame({"by the rule": follows, "a prompt | and 12 tokens more": words}).round(2)

# %%
wrong = {name[0]: right for name, right in follows.items() if name != "right positions"}
outcome("harmless", max(wrong, key=wrong.get))

# %% [markdown]
# RoPE sees offsets only. In a) padding is counted everywhere. So the whole text moves to the right,
# and no offset changes. (A learned table would notice, and so would code that compares a position
# with the context length.)
#
# In b) and c) only the new tokens are counted differently, and their offsets from the prompt are
# wrong. In b) these offsets are wrong by the number of padding tokens. The first new token is
# predicted from the prompt alone. The second and the third look back at the prompt, and are
# spoiled. From the fourth on, the token three back is itself a new one: the rule is followed again,
# but from wrong tokens. In c) every new token is at position 0, as if the prompt came after it.
#
# In d) 2,001 becomes 2,000: about eight neighbours share one position, and an offset of three is
# lost.
#
# None of these bugs raises an error, and the output is still a string of the same eight letters.
# Which of them do tests find? One usual test compares cached decoding with the whole text in one
# call. Another compares a padded batch with each of its texts alone. A difference larger than
# rounding is a bug.

# %%
tokens, mask = texts["right positions"][:20], F.pad(real[:20], (0, 12), value=True)

@torch.no_grad()
def last_logits(where, tokens, mask, ends):
    """Logits of the last token. The text comes in pieces, a call for each, that end at `ends`."""
    cache, start = writer.new_cache(), 0
    for end in ends:
        documents = torch.where(mask, 0, -1)[:, start:end]
        logits = writer(tokens[:, start:end], documents, where(mask[:, :end], start), cache)
        start = end
    return logits[:, -1]

def apart(where):
    """The largest difference of a logit that each test sees."""
    once, cached = (last_logits(where, tokens, mask, ends) for ends in ([24], [12, 24]))
    alone = [last_logits(where, row[on][None], on[on][None], [int(on.sum()) - 12, int(on.sum())])
             for row, on in zip(tokens, mask, strict=True)]
    return {"cached or in one pass": (cached - once).abs().max().item(),
            "in the batch or alone": (cached - torch.cat(alone)).abs().max().item()}

pd.DataFrame({name: apart(where) for name, where in bugs.items()}).T.round(3)

# %% [markdown]
# The tests find b) and c). They do not find a), which moves whole texts: harmless here, a bug with
# a learned table. They do not find d) either: it rounds both sides alike. Yet in d) more than half
# of the new tokens break the rule. So look at the positions themselves as well. A text must have
# the same positions in a batch and alone. Each position must be one more than the one before, and
# of an integer dtype.

# %% [markdown]
# ## 9. Two settings that fit, and are wrong
#
# RoPE has no parameters. So weights load without an error into a model whose RoPE has other
# settings. Two of them can get lost when weights are converted: the layout of the pairs (unit 05)
# and the base.

# %%
predict("loaded", "The decoder's weights are loaded twice: with the pairs as halves, and with the "
        "base 500,000 instead of 10,000. Which does more harm here?",
        a="the layout", b="the base", c="both about the same", answer="")

# %%
def loaded(encoding):
    """The decoder with its weights, and with another encoding."""
    model = Decoder(encoding, language.vocab_size, 2)
    model.load_state_dict(writer.state_dict())
    return by_the_rule(written(model, placed)).mean().item()

harm = {"as trained": loaded(Rotary(48, 4)), "layout": loaded(Rotary(48, 4, layout="halves")),
        "base": loaded(Rotary(48, 4, base=500_000.0))}
print(", ".join(f"{name}: {right:.2f}" for name, right in harm.items()))
apart = harm["base"] - harm["layout"]
outcome("loaded", "a" if apart > 0.1 else "b" if apart < -0.1 else "c")

# %% [markdown]
# A wrong layout gives every pair the wrong columns. A wrong base leaves pair 0 as it is and changes
# the slow pairs most. In a text of 24 tokens the slow pairs hardly turn. So a wrong base is harder
# to notice: a short text hardly shows it.

# %% [markdown]
# ## 10. Rows and columns
#
# A picture is cut into patches, and each patch becomes a token. The position of a patch is two
# numbers, a row and a column. RoPE needs nothing new for that: some pairs are turned by the row,
# the others by the column. The score then depends on two offsets: how far down, and how far to the
# right.

# %% [markdown] exercise="angles2d" title="Angles of a picture" difficulty=2 minutes=10
# Write `angles2d`. It returns the angles of a picture of `rows` times `columns` patches ($R$ times
# $C$), of shape $(R C, d/2)$ and in float32 or float64. There is one line for each patch, row by
# row from left to right. Half of the pairs of a patch turn by its row, and the other half by its
# column, each half with these frequencies:
#
# $$\theta_m = \text{base}^{-m/M}, \qquad m = 0, \dots, M - 1, \qquad M = d/4$$
#
# So both halves have the same frequencies, and the first half is that of the rows. Rows and columns
# count from 0. The width $d$ of a head is a multiple of 4, and the base is above 1.
#
# *Why care:* if all patches are counted one after the other, the patch just below is $C$ positions
# away, a different number in pictures of different widths. With rows and columns it is always one
# row down.
#
# <details><summary>Hint</summary>
#
# `repeat_interleave` and `repeat` give the row and the column of each patch.
# </details>

# %% solution="angles2d"
def angles2d(rows: int, columns: int, d_head: int, base: float = 10_000.0) -> torch.Tensor:
    """By how much each pair of each patch is turned, (R·C, d/2)."""
    ### BEGIN SOLUTION
    pairs = d_head // 4
    theta = base ** (-torch.arange(pairs) / pairs)
    row = torch.arange(rows).repeat_interleave(columns)
    column = torch.arange(columns).repeat(rows)
    return torch.cat([row[:, None] * theta, column[:, None] * theta], 1)
    ### END SOLUTION

# %% test="angles2d" points=2
check.angles2d(angles2d)
### BEGIN HIDDEN TESTS
check.angles2d(angles2d, seed=10505)
### END HIDDEN TESTS

# %%
right_angles2d = check.angles2d.use(angles2d)

def picture_angles(rows, columns, d_head=12, base=10_000.0):
    """Your angles, or the course's, (R·C, d/2), float32."""
    return torch.as_tensor(right_angles2d(rows, columns, d_head, base=base)).float()

# %%
angles = picture_angles(4, 6)
titles = ["first pair of the rows", "first pair of the columns"]
plots.show(*pictures.grid(4, 6, angles[:, [0, 3]], titles))

# %% [markdown]
# Compare your angles with those of the course's `Rotary2d`. There a patch has the position (row,
# column):

# %% tags=["nbval-check-output"]
grid = torch.cartesian_prod(torch.arange(4), torch.arange(6))[None]  # (1, R·C, 2)
x = torch.randn(1, 1, 24, 12, generator=torch.Generator().manual_seed(0))
theirs = encodings.Rotary2d(12).rotate(x, x, encodings.Positions(grid, grid))[0]
a, b = x[..., 0::2], x[..., 1::2]
cos, sin = angles.cos(), angles.sin()
mine = torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
print("turned as the course does:", torch.allclose(mine, theirs, atol=1e-5))

# %% [markdown]
# ### Larger pictures than trained
#
# In a task for pictures, each patch has a symbol. Nine times in ten, this symbol follows from the
# symbol one row up and two columns to the left. Counted row by row, that is $C + 2$ positions back,
# so it depends on the width $C$. Some symbols are hidden.
#
# The model is trained on 6 by 6 patches and reads 9 by 9 and 12 by 12. We compare two encodings,
# with the same steps and layers: rows and columns by your `angles2d`, and RoPE that turns by the
# number of a patch in reading order.

# %%
predict("pictures", "Trained on 6 by 6 patches, with RoPE for rows and columns: what is the loss "
        "on 12 by 12 patches?", a="near the limit: the model knows rows and columns",
        b="far from the limit, like RoPE on long texts in section 1", answer="")

# %%
class PictureRope(Rotary):
    """Rows and columns by the learner's own angles."""

    def rotate(self, q, k, positions):
        side = math.isqrt(q.shape[2])
        angles = picture_angles(side, side)  # (R·C, d/2)
        cos, sin = angles.cos().to(q), angles.sin().to(q)
        return self.apply_rotary(q, cos, sin), self.apply_rotary(k, cos, sin)

class PictureClipped(encodings.Encoding):
    """The same, with rows and columns clipped to ±5 each, the largest offsets of the training."""

    def bias(self, q, k, positions):
        row, column = positions.queries[0].T
        by_row = clipped(q[..., :6], k[..., :6], row, 5)
        return by_row + clipped(q[..., 6:], k[..., 6:], column, 5) - q @ k.mT

# %% tags=["training"]
sides = {"lengths": (36, 81, 144)}
squares = fit(Patches(), lambda: PictureRope(48, 4), 0, 300, 36, "rows and columns")
flat = fit(Patches(told="order"), lambda: Rotary(48, 4), 0, 300, 36, "order of the patches")
two = {"rows and columns": lambda: PictureRope(48, 4),
       "the same weights, clipped": lambda: PictureClipped(48, 4)}
one = {"order of the patches": lambda: Rotary(48, 4)}
pictured = pd.concat([extend(squares, Patches(), two, 0, **sides),
                      extend(flat, Patches(told="order"), one, 0, **sides)])
by_length(pictured)

# %%
at144 = pictured[pictured["length"] == 144].set_index("encoding")
above = float((at144["loss"] - at144["limit"])["rows and columns"])
outcome("pictures", "b" if above > 0.5 else "a")

# %% [markdown]
# The model knows rows and columns. Even so, on 12 by 12 patches its loss is above that of guessing
# one of 8 symbols (2.08 nats). What helps on one axis helps on two: with rows and columns clipped
# separately, the same weights are about as far from the limit as on pictures of the training size.
#
# RoPE in the order of the patches has learned to look eight positions back. On a larger picture, a
# different patch stands there.

# %% [markdown]
# Here are five recorded seeds, with two more encodings. *Learned per axis* has a learned table for
# rows and one for columns, half of a vector each (Dosovitskiy et al. 2021). *2-D Fourier* has
# learnable Fourier features of both (unit 03; Li et al. 2021). Losses above the limit:

# %%
pictures_study = results.load("patches")
rows = pictures_study.table.assign(above=lambda t: t["loss"] - t["limit"])
print(pictures_study.note)
rows.pivot_table("above", "encoding", "length", aggfunc=["mean", "std"]).round(2)

# %% [markdown]
# On pictures of the training size, the learned tables and the Fourier features are a little closer
# to the limit than RoPE. On larger pictures they fail as well. In a learned table, a row that was
# never trained is a random vector. Fourier features of a row beyond the sixth are new. Only the
# clip holds.
#
# DINOv3, a large vision model with RoPE (Siméoni et al. 2025), divides row and column numbers by
# the size of the picture. That looks like position interpolation, but the model is trained with it
# from the beginning.

# %% [markdown]
# ## 11. Check against other libraries
#
# `transformers` computes the frequencies of each of these methods from a model's configuration. Its
# YaRN has the ramp of the authors' code. So your frequencies will differ from those of
# `transformers`.

# %% tags=["nbval-check-output", "shown"]
from importlib.util import find_spec

if find_spec("transformers"):
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS
    from transformers.models.llama.configuration_llama import LlamaConfig

    told = {"rope_type": "yarn", "rope_theta": 10_000.0, "factor": 8.0,
            "original_max_position_embeddings": 4096}
    config = LlamaConfig(hidden_size=512, num_attention_heads=4, rope_parameters=told,
                         max_position_embeddings=32_768)
    theirs, gain = ROPE_INIT_FUNCTIONS["yarn"](config, torch.device("cpu"))
    print("frequencies of the authors' code:", torch.allclose(theirs, code.float(), rtol=1e-4))
    print("yours:", torch.allclose(theirs, paper.float(), rtol=1e-4))
    print("the factor of queries and keys is yours:", abs(gain - factor) < 1e-6)

# %% [markdown]
# ## What to keep
#
# - A longer text brings new angles to the slow pairs, and new offsets to every pair. Ask which of
#   the two makes your model fail, and which of the two a method changes.
# - Interpolation slows all pairs by $s$. NTK slows the slowest pair by $s$ and the fastest not at
#   all. YaRN slows a pair less, the more turns it made in training. A clip slows nothing.
# - When all pairs are slowed by $s$, a head that looked three positions away looks $3s$ away.
# - Two implementations called YaRN may have two ramps, and a wrong base raises no error. Compare
#   frequencies, not names.
# - A position counts the real tokens before it, those in the cache included, and is an integer.
#   Test cached decoding against one full pass, a padded batch against each text alone, and look at
#   the positions themselves.
# - A patch has two positions, its row and its column. Half of the pairs turn by each.
#
# Unit 09 ended with a claim: a few numbers bring RoPE to longer texts, without any further
# training. If “brought to 96 tokens” means a loss of at most 0.1 nats above the limit there, the
# claim does not hold on this model. Each recorded formula stays more than 0.5 nats above the limit
# on each of the 20 seeds. The clip stays within 0.1 nats on 19 of them. But it is not what the
# claim means: it changes none of RoPE's numbers. With a few steps of fine-tuning the model reads
# on, and then RoPE as it was is among the best.
#
# In unit 00, *dog bites man* and *man bites dog* were the same sentence. Since then you have added
# positions, learned them, counted them from the query, turned by them, and carried them beyond the
# training. Of each method you know what it can do and what it cannot.
#
# ## Further reading
#
# - Chen et al. 2023, *Extending Context Window of Large Language Models via Positional
#   Interpolation* (2306.15595): section 2 has the idea, section 3 the fine-tuning.
# - Peng et al. 2023, *YaRN* (2309.00071): section 3 presents interpolation, NTK and the ramp in one
#   notation; compare its equations with the code that is published with it.
# - Su 2023, *ReRoPE* (kexue.fm/archives/9708, in Chinese): the clip.
# - Ding et al. 2024, *LongRoPE* (2402.13753): a factor for each pair, found by search.
# - Yang et al. 2025, *RoPE to NoPE and Back Again* (2501.18795): layers with and without positions.
# - Barbero et al. 2024, *Round and Round We Go!* (2410.06205): what fast and slow pairs are used
#   for. Its p-RoPE does not rotate the slowest pairs, in any layer.
# - Dosovitskiy et al. 2021, *An Image is Worth 16×16 Words* (2010.11929), appendix D.4; Li et al.
#   2021 (2106.02795): a table for each axis, and learnable Fourier features.
# - Siméoni et al. 2025, *DINOv3* (2508.10104): rows and columns by RoPE in a large model.
#
# What is still open is listed at the end of unit 09. One more question is yours now: does a large
# model, on real text, *use* the positions that it has been given?
