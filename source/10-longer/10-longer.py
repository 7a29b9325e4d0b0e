# %% [markdown]
# # 10 · Longer than trained
#
# By the end of this unit you can
#
# - say which of RoPE's pairs have seen every angle in training, and which have not;
# - extend RoPE by position interpolation, by another base (NTK) and by YaRN's ramp;
# - compare these with each other, with and without fine-tuning, seed by seed;
# - number the tokens of a padded batch behind a cache, and name the bugs that people report;
# - turn queries and keys by rows and columns of a picture.
#
# Reading and running takes about 25 minutes besides the exercises.

# %%
import math

import torch

from helpers.checks import longer as check

# %% [markdown] exercise="turns" title="Who has seen every angle?" difficulty=1 minutes=8
# Write `turns`. It takes the even width $d$ of a head, a length $T$ of at least 1 and a base
# above 1. It returns two tensors of shape $(d/2,)$, pair $n$ at index $n$, in this order:
#
# - how many turns pair $n$ makes in a text of $T$ tokens, $T\,\theta_n / 2\pi$, in float32 or
#   float64; a pair seldom makes a whole number of turns, and the fraction counts;
# - whether pair $n$ comes round, as bool: whether it makes at least one full turn.
#
# As in unit 05, the pairs turn with $\theta_n = \text{base}^{-2n/d}$.
#
# *Why care:* the three methods of this unit differ in one thing only: which pairs they slow down.
#
# <details><summary>Hint</summary>
#
# `torch.arange(0, d_head, 2)` is $2n$ for all pairs. The second result is a comparison of the first.
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

# %% [markdown] exercise="longer_base" title="A base for longer texts" difficulty=2 minutes=10
# Write `longer_base`. It takes the base of a trained model, a factor $s$, any number of at least 1,
# and the width $d$ of a head. It returns, as a float, the base with which the slowest pair,
# $n = d/2 - 1$, turns exactly $s$ times as slowly as before. (Pair 0 turns by 1 radian per position
# with any base.)
#
# A single pair is both the fastest and the slowest, and no base slows it. An odd width leaves a
# column without a partner. In both cases raise a ValueError whose text names the width.
#
# *Why care:* `rope_theta` in the configuration of a model is this number. Models for long texts
# have 500,000 there, or 1,000,000, and now you can say for which length that would be meant.
#
# <details><summary>Hint</summary>
#
# The slowest pair has $\theta = \text{base}^{-(d-2)/d}$. Set the new one to $1/s$ of the old one,
# and solve for the new base.
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

# %% [markdown] exercise="ramp" title="YaRN's ramp" difficulty=3 minutes=15
# Write `ramp`. YaRN mixes the frequency $\theta_n$ of RoPE with the interpolated one:
#
# $$\theta'_n = (1 - \gamma_n)\,\frac{\theta_n}{s} + \gamma_n\,\theta_n, \qquad
# \gamma_n = \begin{cases} 0 & r_n < \alpha \\ 1 & r_n > \beta \\
# (r_n - \alpha)/(\beta - \alpha) & \text{between} \end{cases}$$
#
# Here $r_n = L\,\theta_n/2\pi$, the turns of pair $n$ in a training text of $L$ = `trained` tokens;
# $\alpha$ is `low` and $\beta$ is `high`, two positive numbers with $\alpha < \beta$. The width $d$
# of a head is even, the factor $s$ any number of at least 1, and the base any number above 1. It
# returns two results:
#
# - all $\theta'_n$, of shape $(d/2,)$, in float32 or float64;
# - as a float, $0.1 \ln s + 1$, by which queries and keys are multiplied, each of them.
#
# *Why care:* this ramp, with other numbers and in other code, is in most models that read more than
# 32,000 tokens today.
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

# %% [markdown] exercise="positions" title="Positions in a padded cache" difficulty=3 minutes=12
# Write `positions`. Its `mask` is $(B, S)$, True where a token stands and False where there is
# padding. The first `cached` of its $S$ columns are in the cache, the others are new; `cached` is
# from 0 to $S - 1$. It returns where the new ones stand, $(B, S - \text{cached})$, in int64:
#
# - a token stands where its row says: how many real tokens stand before it in its row, also those
#   in the cache;
# - padding itself gets 0.
#
# Padding may stand anywhere: on the left, on the right, between a prompt and its answer, or in all
# of a row. $S$ may be any number from 1 on. The mask stays as it is.
#
# *Why care:* three of the bugs that users report most are in these few lines.
#
# <details><summary>Hint</summary>
#
# Count over the whole mask first, and cut the new columns out last.
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

# %% [markdown] exercise="angles2d" title="Angles of a picture" difficulty=2 minutes=10
# Write `angles2d`. It returns the angles of a picture of `rows` times `columns` patches, of shape
# $(R C, d/2)$ and in float32 or float64: one line for each patch, row by row from left to right.
# Half of the pairs turn by its row, the other half by its column, each with these frequencies:
#
# $$\theta_m = \text{base}^{-m/M}, \qquad m = 0, \dots, M - 1, \qquad M = d/4$$
#
# So both halves have the same frequencies, and the first half is that of the rows. Rows and columns
# count from 0. The width $d$ of a head is a multiple of 4, and it has a base above 1.
#
# *Why care:* a patch below has the number of its own row and column.
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

# %% [markdown]
# ## Further reading
#
# - Chen et al. 2023.
