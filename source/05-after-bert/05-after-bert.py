# %% [markdown]
# # 05 · After BERT
#
# Many of today's language models use RoPE, the *rotary position embedding*, which encodes only
# offsets. In unit 04, Shaw's, Huang's and Transformer-XL's vectors for offsets stayed near the
# limit at four times the trained length. Does RoPE? The first figure gives the answer.
#
# By the end of this unit you can
#
# - name the four hooks of this course, assign a new paper to them, and say what does not fit them;
# - turn queries and keys as RoPE does, in both layouts, and show that only the offset counts;
# - compute ALiBi's slopes and bias, and say which forms of the bias can tell left from right;
# - put offsets into T5's buckets and count positions as CoPE does;
# - say where DeBERTa's published code differs from its paper;
# - write an encoding of your own and compare it with others;
# - explain what an encoding does on longer texts than in training, and test the explanation.
#
# Reading and running takes about 45 minutes besides the exercises.

# %%
import math

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn

from helpers import encodings, explorable, plots, results, runtime, widgets
from helpers.checks import after_bert as check
from helpers.corpora import LagLanguage
from helpers.model.encoder import Encoder
from helpers.plots import losses as loss_plots
from helpers.encodings import Encoding
from helpers.pictures import clock, hooks
from helpers.predict import outcome, predict

# %% [markdown]
# Three kinds of model were trained on texts of 24 tokens in our lag language, in which a token
# follows from the one three to its left: one with RoPE, one with Shaw's keys (unit 04), and one
# without positions. The *limit* is the lowest loss that is possible.

# %%
predict("rope", "On texts of 96 tokens, the loss with RoPE",
        a="is near the limit: RoPE encodes only offsets",
        b="is higher, but nearer to the limit than to the loss without positions",
        c="is nearer to the loss without positions", answer="")

# %% tags=["figure"]
study = results.load("lag3")
first = study.table[study.table["encoding"].isin(["none", "Shaw keys", "RoPE"])]
figure, ax = plt.subplots()
plots.race(ax, first, "recorded: three seeds each")
plots.show(figure, "Loss by length: RoPE and Shaw keys start near the limit; only Shaw keys stay.")

# %%
# `first` has the runs of the figure
at_96 = first[first["length"] == 96].groupby("encoding")["loss"].mean()
limit = first[first["length"] == 96]["limit"].mean()
gap = (at_96["RoPE"] - limit) / (at_96["none"] - limit)
outcome("rope", "a" if gap < 0.1 else "b" if gap < 0.5 else "c")

# %% [markdown]
# At 96 tokens, the loss with RoPE is about 1.8 nats; the limit is about 0.2. Why does RoPE fail
# where Shaw's keys do not? Section 2 builds RoPE, and section 3 finds the reason. Sections 4 to 7
# are about four rivals of RoPE. In section 8 they all race, and so does an encoding of your own.

# %% [markdown]
# ## 1. Four hooks
#
# **Question:** where in a model can an encoding act?
#
# BERT adds a vector to each token, once, before the first layer. Most later encodings act inside
# every layer instead. In this course's model an encoding can act at four points, called hooks
# (unit 01). This unit is mostly about the two highlighted hooks. An encoding is a class that
# overrides the hooks that it needs.

# %% tags=["shown"]
plots.show(*hooks.hooks("rotate", "bias"))

# %% [markdown]
# | hook | what it computes | some encodings |
# | --- | --- | --- |
# | `embed` | $x_p + P_p$ | sinusoids, learned table |
# | `rotate` | $R_i q_i$, $R_j k_j$ | RoPE |
# | `bias` | $q_i \cdot k_j / \sqrt d + b_{ij}$ | Shaw, ALiBi, T5, DeBERTa, CoPE |
# | `context` | $\sum_j \alpha_{ij} (v_j + a_{ij})$ | Shaw |
#
# Here query $i$ meets key $j$ in a head of width $d$; $R_i$ is a rotation (section 2),
# $\alpha_{ij}$ an attention weight, and $a_{ij}$ a vector for the offset.
#
# `embed` acts once, at the input. The other three hooks act in each layer. `rotate` may change each
# query and each key in any way, but each by itself; RoPE turns them. Shaw's encoding (unit 04) has
# vectors for keys and for values, so it is in two rows. An encoding may also choose a factor for
# the queries, its `softmax_scale`: $1/\sqrt d$ as usual, 1 for T5, $1/\sqrt{3d}$ for DeBERTa. What
# `bias` returns is added to the scaled scores. Each hook is told where the tokens stand:
# `positions.queries` and `positions.keys`, and `positions.offsets` for every pair.

# %% [markdown]
# ## 2. RoPE: turn queries and keys
#
# **Question:** how can scores depend on the offset without a table of offsets?
#
# Unit 02 found a matrix $M_k$ that moves a sinusoidal row by $k$ positions. This matrix rotates
# each pair of columns. RoPE adds no sinusoids. It rotates the queries and the keys: the query at
# $i$ by $i$ steps, the key at $j$ by $j$ steps, both in the same direction. $R_p$ is the rotation
# by $p$ steps (Su et al. 2021, equations 13 to 16):
#
# $$(R_i q)\cdot(R_j k) = q^T R_i^T R_j\, k = q^T R_{j-i}\, k$$
#
# Turning back by $i$ and forward by $j$ is the same as turning by $j - i$. So the score depends
# only on the contents and on the offset. (Unit 02's $M_k$ is the transpose of $R_k$.) If query and
# key move by the same number of positions, as from $i = 11$, $j = 6$ to $i = 14$, $j = 9$, the
# angle between them stays the same:

# %% tags=["shown"]
explorable.show("turning", *clock.turning(i=11, j=6))

# %% [markdown]
# Pair $n$ of a head of width $d$ turns by $\theta_n$ per position. The base is a fixed number,
# 10,000 in the paper:
#
# $$\theta_n = \text{base}^{-2n/d}, \qquad n = 0, \dots, d/2 - 1, \qquad
# \begin{pmatrix} a \\ b \end{pmatrix} \to
# \begin{pmatrix} a\cos p\,\theta_n - b\sin p\,\theta_n \\
# a\sin p\,\theta_n + b\cos p\,\theta_n \end{pmatrix}$$

# %% [markdown] exercise="turn" title="Turn every pair" difficulty=3 minutes=15
# Write `turn`. It takes queries (or keys) $x$ of shape $(B, H, T, d)$ with even $d$, and returns
# the same shape: at position $p = 0, \dots, T-1$, pair $n$ is turned by $p\,\theta_n$. The argument
# `layout` says which two columns form pair $n$:
#
# - `"interleaved"`: columns $2n$ and $2n+1$, as in the paper and in GPT-J;
# - `"halves"`: columns $n$ and $n + d/2$, as in GPT-NeoX and in the Llama of `transformers`.
#   (Meta's own code for Llama uses the interleaved layout.)
#
# Each number of a turned pair goes back to the column that it came from.
#
# <details><summary>Small print, which is checked too</summary>
#
# - $T$ may be any length, and `base` is any number above 1. $x$ may be a transposed view, and $x$
#   itself stays as it is.
# - The result has the dtype of $x$, float32 or float64. Angles, cosines and sines may be computed
#   in float32, but multiply by them in the precision of $x$. Gradients must reach $x$, because
#   section 3 trains a model with your `turn`.
# </details>
#
# *Why care:* both layouts are in use. Weights made for one layout give wrong scores with the other,
# and no error tells you.
#
# <details><summary>Hint 1: the angles</summary>
#
# A column of positions `(T, 1)` times a row of $\theta_n$ `(d/2,)` gives all angles, `(T, d/2)`.
# They broadcast over $B$ and $H$.
# </details>
# <details><summary>Hint 2: the pairs</summary>
#
# Interleaved: `a, b = x[..., 0::2], x[..., 1::2]`. Halves: `a, b = x.chunk(2, -1)`. Both are
# $(B, H, T, d/2)$, with pair $n$ at index $n$.
# </details>
# <details><summary>Hint 3: and back</summary>
#
# `torch.stack([new_a, new_b], -1).flatten(-2)` interleaves. `torch.cat([new_a, new_b], -1)` makes
# halves.
# </details>

# %% solution="turn"
def turn(x: torch.Tensor, base: float = 10_000.0, layout: str = "interleaved") -> torch.Tensor:
    """Pair n of the vector at position p, turned by p·θ_n; (B, H, T, d) → (B, H, T, d)."""
    ### BEGIN SOLUTION
    d = x.shape[-1]
    theta = base ** (-torch.arange(0, d, 2) / d)
    angles = torch.arange(x.shape[2])[:, None] * theta  # (T, d/2)
    cos, sin = angles.cos(), angles.sin()
    a, b = (x[..., 0::2], x[..., 1::2]) if layout == "interleaved" else x.chunk(2, -1)
    turned = a * cos - b * sin, a * sin + b * cos
    return torch.stack(turned, -1).flatten(-2) if layout == "interleaved" else torch.cat(turned, -1)
    ### END SOLUTION

# %% test="turn" points=2.5
check.turn(turn)
### BEGIN HIDDEN TESTS
check.turn(turn, seed=5101)
### END HIDDEN TESTS

# %% [markdown]
# From here on, `turned` is your `turn`. Until yours is right, it is the course's.

# %%
right_turn = check.turn.use(turn)

def turned(x, base=10_000.0, layout="interleaved"):
    """Queries or keys, turned, in the precision of x."""
    return torch.as_tensor(right_turn(x, base=base, layout=layout)).to(x.dtype)

# %% [markdown]
# Does the score depend on the offset only? Put the same queries and keys 100 positions further on,
# and compare the scores.

# %% tags=["nbval-check-output"]
draw_numbers = torch.Generator().manual_seed(0)
q, k = torch.randn(2, 1, 1, 12, 16, generator=draw_numbers)
later_q, later_k = (torch.cat([torch.zeros(1, 1, 100, 16), x], 2) for x in (q, k))
here = turned(q) @ turned(k).mT
there = (turned(later_q) @ turned(later_k).mT)[..., 100:, 100:]
print("the same 100 positions later:", torch.allclose(here, there, atol=1e-4))
print("but turning changed them:", not torch.allclose(here, q @ k.mT, atol=1e-4))

# %% [markdown]
# ### Which offset a head prefers
#
# RoPE itself has no parameters, but the matrices that make $q$ and $k$ are learned. Suppose that
# for two tokens these matrices give $q = R_m k$: the query is the key, rotated by $m$ positions.
# Then the score is $k^T R_{j-i-m}\,k$, which is highest where nothing is turned: at the offset
# $j - i = m$, to the left for $m < 0$ and to the right for $m > 0$. The sliders for $m$ and the
# base use **your** `turn`.

# %% tags=["shown"]
def draw(m, log10_base):
    rows = turned(torch.ones(1, 1, 129, 32), 10.0**log10_base)[0, 0]  # row p: R_p·(1, …, 1)
    q, k = rows[64 + m], rows[64]  # the query's content is turned by m more
    q, k = (turned(x.expand(1, 1, 129, -1), 10.0**log10_base)[0, 0] for x in (q, k))
    curves = {f"query at {i}": (range(-30, 31), (k @ q[i])[i - 30 : i + 31]) for i in (40, 90)}
    figure, ax = plt.subplots()
    plots.lines(ax, curves, x="offset j − i", y="score", title=f"base = {10**log10_base:,.0f}")
    return figure, f"Score by offset: a peak at {m}, the same for a query at 40 and one at 90."

widgets.explore(draw, m=("preferred offset m", -20, 20, -3),
                log10_base=("log₁₀ of the base", 1.0, 6.0, 4.0))

# %% [markdown]
# The two curves coincide, because the score depends only on the offset. So with RoPE a head *can*
# look three positions to the left. Whether it learns this depends on the training.
#
# The score falls on both sides of the peak, but in waves, like the similarity in unit 02. Each pair
# of columns adds a wave of its own. In a head of width 12 there are six:

# %% tags=["nbval-check-output"]
theta = [10_000 ** (-2 * n / 12) for n in range(6)]  # radians per position
for n, each in enumerate(theta):
    print(f"pair {n}: {math.degrees(each):6.2f}° per position, a turn in {math.tau / each:8,.1f}")

# %% [markdown]
# Pair 0 is back where it began after about 6 positions, pair 1 after about 29. The slow pairs never
# come round in a text of 96 tokens. Keep these two wavelengths in mind.

# %% [markdown] exercise="rope_attention" title="Attention with RoPE" difficulty=2 minutes=8
# Write `rope_attention`: scaled dot-product attention of $q, k, v$, each $(B, H, T, d)$, with RoPE
# in the paper's layout, base 10,000 and no mask. It returns $(B, H, T, d)$. You may use `turned`
# from the cells above.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The result has the dtype of $q$, float32 or float64, and its precision. Gradients must reach all
#   three inputs.
# - Scores may be near $\pm$2,000, so large that exp overflows even in float64. One query may have
#   such scores of both signs. The result must be right all the same, and no gradient may be nan.
# - Each of the three may be a transposed view.
# </details>
#
# *Why care:* which of the three are turned, and which are not? A wrong choice keeps all shapes
# right and raises no error.
#
# <details><summary>Hint</summary>
#
# Position belongs in "who looks at whom". After that, each query only collects the values.
# </details>

# %% solution="rope_attention"
def rope_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Attention whose scores know the offset by RoPE; (B, H, T, d) three times → (B, H, T, d)."""
    ### BEGIN SOLUTION
    scores = turned(q) @ turned(k).transpose(-2, -1) / math.sqrt(q.shape[-1])  # (B, H, T, T)
    return scores.softmax(-1) @ v
    ### END SOLUTION

# %% test="rope_attention" points=1
check.rope_attention(rope_attention)
### BEGIN HIDDEN TESTS
check.rope_attention(rope_attention, seed=5202)
### END HIDDEN TESTS

# %% [markdown]
# **When layouts are mixed up.** The next cell takes queries and keys made for the interleaved
# layout and turns them in halves: the scores are wrong. Then the cell puts the columns of $q$ and
# $k$ in the order 0, 2, 4, …, 1, 3, 5, …, and the scores are right again. Tools that convert
# weights between the two layouts reorder the columns of $W_Q$ and $W_K$ in each head in the same
# way.

# %% tags=["nbval-check-output"]
interleaved = turned(q) @ turned(k).mT
halves = turned(q, layout="halves") @ turned(k, layout="halves").mT
order = torch.arange(16).view(-1, 2).T.flatten()  # 0, 2, 4, …, 1, 3, 5, …
moved = turned(q[..., order], layout="halves") @ turned(k[..., order], layout="halves").mT
print("read with the other layout:", torch.allclose(interleaved, halves, atol=1e-4))
print("columns reordered first:", torch.allclose(interleaved, moved, atol=1e-4))

# %% [markdown]
# ## 3. Why is RoPE lost here?
#
# **Question:** do more keys make RoPE fail, or new offsets?
#
# The rule of the lag language is about an offset, and RoPE gives offsets to the scores. Yet RoPE is
# lost at 96 tokens. The model was trained on 24, its **context length**. So two things are new:
#
# - **More keys.** Each query chooses among 96 keys, and the right key may get too little weight.
# - **New offsets.** Most keys are further away than 23 tokens, the largest offset in training.
#
# One change tells the two apart. Keep the trained weights, and let offsets beyond ±23 count as ±23,
# like Shaw's clip (unit 04). There are still 96 keys, but no offset is new.

# %%
predict("clip", "The same weights, with far offsets clipped: what is the loss at 96 tokens?",
        a="still far from the limit: there are too many keys", b="about halfway: it is both",
        c="near the limit: it was the far offsets", answer="")

# %%
# Turning by 23 positions is a product with a matrix, as in unit 02: x turned is x @ turn_by_23.
# Row n of the matrix is unit vector n, turned. A head is 12 wide.
everywhere = torch.eye(12)[None, :, None].expand(1, 12, 24, 12)  # vector n at positions 0 to 23
turn_by_23 = turned(everywhere)[0, :, 23]

class MyRope(Encoding):
    """RoPE from the learner's own function."""

    def rotate(self, q, k, positions):  # which are 0 … T−1 here
        return turned(q), turned(k)

class ClippedRope(Encoding):
    """RoPE in which offsets beyond ±23 count as ±23 for the columns that are clipped."""

    def __init__(self, clipped):
        super().__init__(48, 4)
        self.clipped = clipped  # (d,), True or False

    def bias(self, q, k, positions):
        offset = positions.offsets  # j − i
        some, others = q * self.clipped, q * ~self.clipped
        near = turned(some) @ turned(k).mT
        right, left = some @ (k @ turn_by_23).mT, some @ turn_by_23 @ k.mT  # scores at 23 and −23
        far = torch.where(offset > 0, right, left)
        score = torch.where(offset.abs() > 23, far, near)  # this line is the clip
        # The layer will add q @ k.mT to what is returned, so it is subtracted here.
        return score + turned(others) @ turned(k).mT - q @ k.mT

# %% tags=["training"]
from helpers.training.experiments import fit, run

seeds = range(3 if runtime.profile() == "full" else 1)  # "full": on a GPU
column = torch.arange(12)  # of a head: pair n is columns 2n and 2n + 1, the fastest pair first
clips = {"all pairs clipped": lambda: ClippedRope(torch.ones(12, dtype=torch.bool)),
         "the two fast pairs": lambda: ClippedRope(column < 4),
         "the four slow pairs": lambda: ClippedRope(column >= 4)}
tried = pd.concat([run(LagLanguage(), lambda: MyRope(48, 4), seed, 300, (24, 48, 96), "as trained",
                       also=clips) for seed in seeds])
tried.pivot(index=["seed", "encoding"], columns="length", values="loss").round(3)

# %% [markdown]
# The table evaluates one trained model with and without clips (on a GPU: three models). The next
# figure has recorded runs of 1,000 steps. (These are not the runs of the first figure, so RoPE's
# losses differ a little.)

# %% tags=["figure"]
controls = results.load("lag_controls")
pair = controls.table[controls.table["encoding"].isin(["RoPE", "RoPE, clipped"])]
figure, ax = plt.subplots()
plots.race(ax, pair, "recorded: trained at T = 24, three seeds")
explorable.show("unseen-angles", figure,
                "Loss by length: RoPE as trained, the same weights clipped, and the limit.")
print(controls.note)

# %%
at96 = pair[pair["length"] == 96]  # `pair` has the runs of the figure
lost, saved = (float(at96[at96["encoding"] == each]["loss"].mean())
               for each in ("RoPE", "RoPE, clipped"))
limit = float(at96["limit"].mean())
print(f"at 96 tokens: {lost:.2f} as trained, {saved:.2f} clipped; the limit is {limit:.2f}")
reached = (lost - saved) / (lost - limit)  # 1 is the limit itself
outcome("clip", "c" if reached > 0.9 else "a" if reached < 0.3 else "b")

# %% [markdown]
# With the same weights and the same text, the clip brings the loss from far above the limit to near
# the limit. So RoPE had learned the rule, and the far offsets hid it.
#
# Which pairs are to blame? One might suspect the slow pairs, because at far offsets they reach
# angles that never occurred in training. But in the live table, clipping the slow pairs alone
# closes only a small part of the gap to the limit at 96. Clipping the two fast pairs alone closes
# nearly all of it. (With seeds 0, 1 and 2 it is 16 to 28 % for the slow pairs, and 94 to 97 % for
# the fast.)
#
# From offset −23 to offset 23, both fast pairs go round more than once, so further out they meet
# hardly any new angle. What can be wrong with them? Look at one head that prefers offset −3 or 3.
# (In this language the token three positions to the **right** helps as well.) The head is in the
# first layer of the model of seed 0, which now reads 96 tokens:

# %% tags=["training"]
model = fit(LagLanguage(), lambda: MyRope(48, 4), 0, 300, 24, "seed 0 again")
first, reach = model.layers[0], range(-92, 93)
inputs = LagLanguage().batch(300, 96, torch.Generator().manual_seed(96)).inputs
with torch.no_grad():
    x = first.norms[0](model.tokens(inputs))
    alpha = first.attention.weights(x)  # (B, H, T, T)
    queries, keys, _ = first.attention.qkv(x).unflatten(-1, (3, 4, 12)).unbind(2)  # (B, T, H, d)
seen = torch.stack([alpha.diagonal(n, dim1=-2, dim2=-1).mean((0, 2)) for n in reach], 1)  # (H, …)
at_rule = [reach.index(-3), reach.index(3)]
head = int(seen[:, at_rule].amax(1).argmax())  # the head with most weight at −3 or at 3
seen = seen[head]
figure, ax = plt.subplots()
plots.lines(ax, {f"head {head}": (reach, seen)}, x="offset j − i", y="mean weight")
ax.axvspan(-23, 23, color="grey", alpha=0.2, linewidth=0)
plots.show(figure, "Mean attention weight by offset: a peak at 3 or −3, and others beyond ±23.")

# %% [markdown]
# The shaded band marks the offsets of training. (Each weight is a mean over the queries that have a
# key at this offset.) Why are there peaks outside the band, and why there?
#
# Take the mean of this head's queries and the mean of its keys. By **your** `turn`, their score at
# each offset is a sum of six waves, one for each pair, with the wavelengths of section 2:

# %% tags=["training"]
query, key = (each[:, :, head].mean((0, 1)) for each in (queries, keys))  # (d,)
turned_q, turned_k = (turned(each.expand(1, 1, len(reach), -1))[0, 0] for each in (query, key))
middle = reach.index(0)  # the query stands here, the keys at all of `reach`
waves = (turned_q[middle] * turned_k).unflatten(-1, (6, 2)).sum(-1) / 12**0.5  # (offsets, pairs)
figure, ax = plt.subplots()
curves = {"all six pairs": (reach, waves.sum(1)), "pairs 0 and 1": (reach, waves[:, :2].sum(1))}
plots.lines(ax, curves, x="offset j − i", y="score of the means")
ax.axvspan(-23, 23, color="grey", alpha=0.2, linewidth=0)
plots.show(figure, "Score of mean query and mean key by offset: crests where the weights peak.")
sizes = query.view(6, 2).norm(dim=1) * key.view(6, 2).norm(dim=1) / 12**0.5
print("height of each pair's wave:", *(f"{size:.2f}" for size in sizes))
print("offset   weight   score   its pairs 0 and 1")
for n in seen.topk(8).indices:
    print(f"{reach[n]:6} {seen[n]:8.2f} {waves[n].sum():7.1f} {waves[n, :2].sum():10.1f}")
far = torch.tensor([abs(n) > 23 for n in reach])
both = torch.stack([seen, waves.sum(1).exp()])[:, far]
print(f"correlation of weight and exp(score) beyond ±23: {torch.corrcoef(both)[0, 1]:.2f}")

# %% [markdown]
# The waves of pairs 0 and 1 are by far the highest. In training, both got a crest near the offset
# that the head prefers. Pair 0 has a crest again after every 6.3 positions and pair 1 after every
# 29, so further out their crests nearly meet again and again: 31, 57 and 88 positions from that
# offset, for example. No such offset occurred in training, so nothing taught the head to avoid it.
#
# The slow pairs could tell these offsets apart: after 88 positions, pair 2 is off by 126°. But in
# this head their waves are low. (They are low with seeds 1 and 2 as well. The correlation printed
# above is about 0.9 to 1.0 with each of the three seeds.)
#
# The clip is known as ReRoPE (Su 2023). It is one way to **extend the context**, that is, to read
# longer texts than in training. Another way is position interpolation (Chen et al. 2023): squeeze
# all positions into the range of training. Unit 10 tries it.
#
# All this shows only that far offsets spoil RoPE's attention on this task. In the shift task of
# unit 04, RoPE came close to the best at four times the trained length without any clip.
# Transformer-XL meets new offsets as well and stays near the limit; this course has not measured
# why.

# %% [markdown]
# ## 4. ALiBi: a penalty that grows with the distance
#
# **Question:** is a fixed penalty for the distance enough?
#
# RoPE was lost at offsets that no training had reached. ALiBi has nothing to learn about offsets,
# and treats near and far ones by one rule: it subtracts $m_h$ times the distance from the score of
# head $h$ (Press et al. 2022, section 3):
#
# $$\frac{q_i \cdot k_j}{\sqrt d} - m_h\,(i - j), \quad j \le i, \qquad
# m_h = 2^{-8h/H}, \quad h = 1, \dots, H$$
#
# A head with a steep slope attends mainly to its neighbourhood. A head with a gentle slope can
# attend to nearly all tokens.

# %% [markdown] exercise="slopes" title="Slopes for any number of heads" difficulty=2 minutes=10
# Write `slopes`, which returns $m_1, \dots, m_H$ as a tensor of shape $(H,)$, float32 or float64.
# The formula is meant for an $H$ that is a power of 2. For any other $H$ the authors' code does
# this: let $P$ be the largest power of 2 below $H$. The first $P$ slopes are those for $P$ heads.
# The remaining $H - P$ slopes are the first, third, fifth, … of the slopes for $2P$ heads.
#
# For $H = 3$ that is $2^{-4}$ and $2^{-8}$, the slopes for two heads, and then $2^{-2}$, the first
# slope for four heads.
#
# *Why care:* real models have 12 heads, or 40. For them the plain formula raises no error, but
# gives other slopes than everyone else has.
#
# <details><summary>Hint</summary>
#
# `2 ** int(math.log2(num_heads))` is $P$, or $H$ itself where $H$ is a power of 2. With a helper
# for the plain slopes of any number of heads, the rest is one line: `[::2]` takes every second
# slope.
# </details>

# %% solution="slopes"
def slopes(num_heads: int) -> torch.Tensor:
    """ALiBi's slope of each head, (H,)."""
    ### BEGIN SOLUTION
    def plain(heads: int) -> torch.Tensor:
        return 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)

    power = 2 ** int(math.log2(num_heads))
    return torch.cat([plain(power), plain(2 * power)[::2][: num_heads - power]])
    ### END SOLUTION

# %% test="slopes" points=2
check.slopes(slopes)
### BEGIN HIDDEN TESTS
check.slopes(slopes, seed=5303)
### END HIDDEN TESTS

# %% [markdown]
# The paper's models read from left to right only. BERT reads both ways and needs a bias for keys on
# the right, too.

# %% [markdown] exercise="alibi_bias" title="The bias in three forms" difficulty=2 minutes=10
# Write `alibi_bias`. It takes slopes of shape $(H,)$, none below 0, and the length $T$ (at most
# 600). It returns what is added to the scaled scores, a tensor of shape $(H, T, T)$ with query $i$
# in the rows and key $j$ in the columns:
#
# - `form="causal"`: $-m_h\,(i - j)$ for $j \le i$, and $-\infty$ for the keys that come later,
#   even where a slope is 0;
# - `form="symmetric"`: $-m_h\,|j - i|$;
# - `form="directional"`: as symmetric, but falling twice as fast to the right. This form is the
#   course's own.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The result has the dtype of the slopes, float32 or float64.
# - Slopes might be learned, so gradients must reach them, also a slope of 0. No gradient may be nan
#   when a softmax follows, in any form.
# </details>
#
# *Why care:* the three forms look alike in code. How they differ is your next prediction.
#
# <details><summary>Hint</summary>
#
# `p = torch.arange(T)` and `p[None, :] - p[:, None]` is $j - i$ for every pair; `slopes[:, None,
# None]` is $(H, 1, 1)$.
# </details>

# %% solution="alibi_bias"
def alibi_bias(slopes: torch.Tensor, length: int, form: str = "causal") -> torch.Tensor:
    """What ALiBi adds to the scaled scores, (H, T, T)."""
    ### BEGIN SOLUTION
    p = torch.arange(length)
    offsets = p[None, :] - p[:, None]  # j − i
    fall = offsets.abs()
    if form == "directional":
        fall = torch.where(offsets > 0, 2 * fall, fall)
    bias = -slopes[:, None, None] * fall
    return bias.masked_fill(offsets > 0, -math.inf) if form == "causal" else bias
    ### END SOLUTION

# %% test="alibi_bias" points=1.5
check.alibi_bias(alibi_bias)
### BEGIN HIDDEN TESTS
check.alibi_bias(alibi_bias, seed=5404)
### END HIDDEN TESTS

# %% tags=["shown"]
right_bias = check.alibi_bias.use(alibi_bias)

def bias_of(slopes, length, form):
    """Your bias, or the course's, (H, T, T)."""
    return torch.as_tensor(right_bias(slopes, length, form=form)).float()

# %% tags=["figure"]
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
for ax, form in zip(axes, ("causal", "symmetric", "directional"), strict=True):
    weights = bias_of(torch.tensor([0.25]), 16, form)[0].softmax(-1)
    plots.heatmap(ax, weights, x="key j", y="query i", title=form, limit=0.4)
    ax.set(xticks=range(0, 16, 5), yticks=range(0, 16, 5))
plots.show(figure, "Weights by the bias alone: a triangle, a band, a band that leans left.")

# %% [markdown]
# These are the attention weights that the bias alone gives, for a slope of 1/4. Now the weights of
# one query, in eight heads with your slopes:

# %% tags=["figure"]
your_slopes = torch.as_tensor(check.slopes.use(slopes)(8))
weights = bias_of(your_slopes, 33, "causal")[:, 20].softmax(-1)
figure, ax = plt.subplots()
plots.heatmap(ax, weights, x="key j", y="head", title="query 20")
explorable.show("slopes", figure, "Left of the query the first head looks at a few words, the last "
                "at all of them nearly alike; right of it, none looks at anything.")

# %% [markdown]
# ### A text read backwards
#
# Give a model the same tokens in reverse order, and reverse its outputs, too. Are they the same
# outputs as before? With a learned table of positions they are not.

# %%
predict("mirror", "ALiBi, symmetric: an encoder reads a text from its last token to its first. "
        "What happens to its outputs?",
        a="they change: already the first layer reads another text",
        b="they are only reversed, in every layer",
        c="they are only reversed after one layer; deeper layers change them", answer="")

# %% tags=["nbval-check-output"]
for form in ("symmetric", "directional"):
    left, right = bias_of(torch.tensor([0.25]), 16, form)[0, 8, [5, 11]]
    print(f"{form}: {left:.2f} at offset −3, {right:.2f} at +3")

# %% [markdown]
# For the query at position 8, the symmetric form gives the same bias on both sides. Now untrained
# models read a text and the same text backwards. `True` means the same outputs, reversed:

# %%
tokens = LagLanguage().sample(4, 24, torch.Generator().manual_seed(0))

def blind(name, mask=None, **options):
    """True where reading backwards gives the same outputs, backwards."""
    torch.manual_seed(0)
    model = Encoder(encodings.create(name, d_model=48, num_heads=4, **options), vocab_size=9)
    return torch.allclose(model(tokens, mask), model(tokens.flip(1), mask).flip(1), atol=1e-4)

# %% tags=["nbval-check-output"]
causal_mask = torch.ones(24, 24, dtype=torch.bool).tril()
print("no positions:          ", blind("none"))
print("ALiBi, symmetric:      ", blind("alibi"))
print("Kerple (see below):    ", blind("kerple"))
print("ALiBi, directional:    ", blind("alibi", form="directional"))
print("RoPE:                  ", blind("rotary"))
print("symmetric, causal mask:", blind("alibi", mask=causal_mask))
print("no positions, masked:  ", blind("none", mask=causal_mask))

# %%
outcome("mirror", "b" if blind("alibi") else "a")

# %% [markdown]
# With the symmetric form, reversing the text only reverses the scores and the outputs, **in every
# layer, whatever the weights are**. Such an encoder is blind to direction, and no training can
# change that. Kerple (Chi et al. 2022) adds a learned function of the distance,
# $-r_1 \log(1 + r_2 |j - i|)$, and is blind for the same reason.
#
# In decoders, where these encodings come from, blindness does no harm: **a causal mask hides the
# blindness**. The two lines with a mask, above, show this. A query that sees only the left knows
# the direction of every key, and even the model without positions is no longer blind.
#
# What does blindness cost? Compare the symmetric and the directional form on the lag language.
# ALiBi is also famous for extrapolating, so we test three lengths.

# %%
predict("alibi", "ALiBi, directional: how do its losses at 24, 48 and 96 tokens compare?",
        a="near the limit at 24, then rising", b="near the limit at all three lengths",
        c="about the same at all three, and far above the limit", answer="")

# %%
def means(table, names, column):
    """Mean and standard deviation over the seeds, one row an encoding."""
    rows = table[table["encoding"].isin(names)].groupby(["encoding", "length"])[column]
    return rows.agg(["mean", "std"]).unstack().round(2)

# `study` has the recorded runs of the first figure, and of more encodings
blind_or_not = ["none", "ALiBi, symmetric", "ALiBi, directional", "Kerple"]
print("limit:", study.table.groupby("length")["limit"].mean().round(2).to_dict())
means(study.table, blind_or_not, "loss")

# %%
runs = study.table[study.table["encoding"] == "ALiBi, directional"].groupby("length")
above = runs["loss"].mean() - runs["limit"].mean()
outcome("alibi", "c" if above[24] > 0.3 else "a" if above[96] > 0.3 else "b")

# %% [markdown]
# At each length the directional form is better than the symmetric one, by much more than the seeds
# differ. But it is also steeper on the right. And Kerple, which is blind, does about as well as the
# directional form, with a learned penalty of another shape. So these runs do not show what
# blindness alone costs.
#
# All three are far from the limit. On either side their penalty only grows with the distance, so no
# head can prefer offset −3 to −2 by its bias. But none of the three gets much worse on longer
# texts. **An encoding that extrapolates need not be good.**

# %% [markdown]
# ## 5. T5: a learned number per bucket
#
# **Question:** can a head prefer offset −3 if its bias is learned?
#
# Yes, in T5. Offsets are put into 32 groups, the buckets. Each head learns one number per bucket,
# which is added to the score. Each near offset has a bucket of its own, and far offsets share
# buckets (Raffel et al. 2020, section 2.1). Half of the buckets are for keys to the right. Let $n$
# be the number of buckets on each side, $e = n/2$, $a = |j - i|$:
#
# $$\text{bucket} = \begin{cases} a & a < e \\
# \min\!\left(n - 1,\; e + \left\lfloor \dfrac{\ln(a/e)}{\ln(\text{max}/e)}\,(n - e)
# \right\rfloor\right) & a \ge e \end{cases}
# \qquad + \; n \;\text{ where } j > i$$
#
# With 32 buckets and max = 128, this gives $n = 16$ and $e = 8$.

# %% [markdown] exercise="buckets" title="T5's buckets" difficulty=3 minutes=12
# Write `buckets`. It takes an int64 tensor of offsets $j - i$ of any shape, also an empty one or a
# transposed view. It returns the bucket of each offset as an int64 tensor of the same shape.
# `num_buckets` counts both sides and is a multiple of 4. `max_distance` is the max of the formula,
# and larger than $e$.
#
# With the default sizes, offset $-16$ is in bucket 10, offset 16 in bucket 26 and offset 64 in
# bucket 30. Take care with offset 64: there the quotient, times $n - e$, is exactly 6. Divide the
# two logarithms first, then multiply by $n - e$: some other orders make it 5.999…
#
# *Why care:* if your buckets are one step off, a pretrained T5 uses wrong numbers for nearly all
# distances.
#
# <details><summary>Hint 1</summary>
#
# Compute both cases for all offsets, then choose with `torch.where(a < e, near, far)`.
# </details>
# <details><summary>Hint 2: ln 0</summary>
#
# At $a = 0$ the far case would take the logarithm of 0, which is −∞. `a.clamp(min=1)` avoids this,
# and the near case is used there anyway. `.long()` rounds a positive number down.
# </details>

# %% solution="buckets"
def buckets(
    offsets: torch.Tensor, num_buckets: int = 32, max_distance: int = 128
) -> torch.Tensor:
    """T5's bucket of each offset j − i, for text read in both directions; the same shape."""
    ### BEGIN SOLUTION
    side = num_buckets // 2
    exact = side // 2
    distance = offsets.abs()
    share = (distance.clamp(min=1) / exact).log() / math.log(max_distance / exact)
    far = (exact + share * (side - exact)).long().clamp(max=side - 1)
    return torch.where(distance < exact, distance, far) + side * (offsets > 0)
    ### END SOLUTION

# %% test="buckets" points=1.5
check.buckets(buckets)
### BEGIN HIDDEN TESTS
check.buckets(buckets, seed=5505)
### END HIDDEN TESTS

# %% [markdown]
# See where the steps widen. One slider is $e$, a quarter of the number of buckets.

# %% tags=["figure"]
bucket_of = check.buckets.use(buckets)

def draw_buckets(quarter, max_distance):
    offsets = torch.arange(-200, 201)
    found = bucket_of(offsets, 4 * quarter, max_distance)
    title = f"{4 * quarter} buckets, max = {max_distance}"
    figure, ax = plt.subplots()
    ax.plot(offsets, found, ".", markersize=3)
    ax.set(xlabel="offset j − i", ylabel="bucket", title=title)
    return figure, f"{title}: a bucket each near offset 0, long flat steps far from it, twice."

widgets.explore(draw_buckets, quarter=("a quarter of the buckets, e", 2, 16, 8),
                max_distance=("largest distance, max", 33, 200, 128))

# %% [markdown]
# In unit 04, the texts of the shift task had at most 32 tokens in training, and T5 failed on longer
# ones. Which buckets does a text of 32 tokens never use?

# %% tags=["nbval-check-output"]
offsets = torch.arange(-1000, 1001)  # `bucket_of` is your function, or the course's
found = torch.as_tensor(bucket_of(offsets)).long()
print("not in 32 tokens:", sorted(set(range(32)) - set(found[offsets.abs() < 32].tolist())))
print("not in any text:", sorted(set(range(32)) - set(found.tolist())))

# %% [markdown]
# Longer texts do use these buckets, and their numbers were never trained. Only bucket 16 stays
# empty in any text: it would be offset 0 on the right.

# %% [markdown]
# ## 6. DeBERTa: a term for the key as well
#
# **Question:** you write a model from its paper and load the published weights. Is it the published
# model?
#
# Shaw multiplies each query with an offset vector (unit 04). DeBERTa also multiplies each key with
# one (He et al. 2021, equation 4):
#
# $$A_{ij} = q_i \cdot k_j + q_i \cdot K^r_{\delta(i,j)} + k_j \cdot Q^r_{\delta(j,i)},
# \qquad \text{all over } \sqrt{3d}$$
#
# $K^r$ and $Q^r$ are two projections of one learned table. $\delta(i, j)$ is $i - j$, the opposite
# of our offset, clipped to $-k, \dots, k - 1$. ($k$ is 512 in the paper, 8 below.) Look at the last
# index. For a key three to the left of its query, $\delta(j, i)$ is −3. The published code has
# $\delta(i, j)$ there, which is 3.

# %%
predict("sign", "The same weights, and one index with the opposite sign. How large is the "
                "difference of the scores, compared with their own standard deviation?",
        a="about 1 %", b="about 10 %", c="half or more", answer="")

# %%
torch.manual_seed(0)
paper = encodings.create("deberta", d_model=32, num_heads=4, k=8, index="paper")
code = encodings.create("deberta", d_model=32, num_heads=4, k=8, index="code")
code.load_state_dict(paper.state_dict())
q, k = torch.randn(2, 1, 4, 20, 8)
scaled, at = q * paper.softmax_scale, encodings.Positions.upto(20)
ours, theirs = (scaled @ k.mT + each.bias(scaled, k, at) for each in (paper, code))
apart = (ours - theirs).std() / ours.std()
print(f"the same weights: the scores differ by {apart:.0%} of their spread")
outcome("sign", "a" if apart < 0.03 else "b" if apart < 0.3 else "c")

# %% [markdown]
# The weights here are untrained, and the size of the difference depends on the initialisation. But
# **with the same weights, paper and code are two different models**. A model trained from scratch
# can use either sign: the one that races in section 8 has the paper's. Where will it finish?

# %% [markdown]
# ## 7. CoPE: count what matters
#
# **Question:** must positions count tokens?
#
# All encodings so far count tokens. In CoPE each query decides what to count: words, sentences,
# brackets (Golovneva et al. 2024, section 4). Each query has a gate between 0 and 1 for each key.
# The position of key $j$ is the sum of the gates from $j$ up to the query:
#
# $$g_{ij} = \mathrm{sigmoid}(s_{ij}), \qquad p_{ij} = \sum_{m=j}^{i} g_{im}$$
#
# Here $s_{ij}$ is the score of query $i$ and key $j$. If all gates are 1, $p_{ij}$ is $i - j + 1$,
# and CoPE counts tokens.

# %% [markdown] exercise="counted" title="Positions from gates" difficulty=3 minutes=10
# Write `counted`. It takes scores $s$ of shape $(B, H, T, T)$, without a mask, and returns $p$ of
# the same shape: $p_{ij}$ where $j \le i$, and 0 where $j > i$.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The scores stay as they are. They may be near $\pm$1,000, so large that exp overflows even in
#   float64, and $p$ must be right all the same.
# - $p$ has the dtype of the scores, float32 or float64, and their precision. Gradients must reach
#   the scores, and no gradient may be nan.
# </details>
#
# *Why care:* the sum runs backwards from the query. A sum from the beginning of the text looks
# alike, but is a different encoding.
#
# <details><summary>Hint 1</summary>
#
# `cumsum(-1)` adds up from the left. With `flip(-1)` before and after, it adds up from the right.
# </details>
# <details><summary>Hint 2</summary>
#
# The sum must begin at $i$, not at the end of the text. Which gates have to be 0 for that?
# </details>

# %% solution="counted"
def counted(scores: torch.Tensor) -> torch.Tensor:
    """p_ij, the sum of gates from key j to query i; 0 for j > i; (B, H, T, T) → (B, H, T, T)."""
    ### BEGIN SOLUTION
    gates = scores.sigmoid().tril()
    return gates.flip(-1).cumsum(-1).flip(-1).tril()
    ### END SOLUTION

# %% test="counted" points=1.5
check.counted(counted)
### BEGIN HIDDEN TESTS
check.counted(counted, seed=5606)
### END HIDDEN TESTS

# %% [markdown]
# Suppose that a head has learned gates that are near 1 at full stops and near 0 elsewhere:

# %% tags=["figure"]
words = ["the", "cat", "sat", ".", "it", "slept", ".", "then", "it", "woke", ".", "we", "left"]
stop = torch.tensor([word == "." for word in words])
scores = torch.where(stop, 9.0, -9.0).expand(1, 1, len(words), -1)
figure, ax = plt.subplots(figsize=(6.5, 4))
counts = check.counted.use(counted)(scores)[0, 0]
plots.heatmap(ax, counts, x="key j", y="query i", title="full stops from key to query")
ax.set_xticks(range(len(words)), words, rotation=60)
ax.set_yticks(range(len(words)), words)
plots.show(figure, "Staircase: all words of a sentence share one count; it grows leftwards.")

# %% [markdown]
# Read the row of *woke*. Its own sentence so far is at position 0 and the sentence before is at 1,
# however long the sentences are. (In the row of a full stop all positions are larger by one,
# because the full stop counts itself.)
#
# In general $p_{ij}$ is not a whole number. CoPE has a learned vector $e_n$ for each whole number
# from 0 to 63 (larger counts are clipped to 63). It interpolates between the two nearest, and adds
# $q_i \cdot e[p_{ij}]$ to the score. The paper hides the keys on the right. The recorded runs of
# section 8 do not: there, the position of a key on the right is the sum of the gates from $i + 1$
# to $j$, and these positions have vectors of their own.

# %% [markdown]
# ## 8. Your encoding in the race
#
# **Question:** which encoding stays near the limit on longer texts?
#
# Write an encoding of your own. Nothing here is graded. The class below works as it stands. Each
# head learns which offset it prefers, and how fast its score falls on both sides of this offset.
# Change it, or override other hooks.
#

# %%
class Mine(Encoding):
    """−slope·|(j − i) − centre|, with a learned slope and centre for each head."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512):
        super().__init__(d_model, num_heads, max_len)
        self.centre = nn.Parameter(torch.linspace(-4, 4, num_heads))
        self.slope = nn.Parameter(torch.ones(num_heads))

    def bias(self, q, k, positions):
        # (T, T) → (H, T, T), and offsets for each sentence: (B, 1, T, T) → (B, H, T, T)
        away = (positions.offsets - self.centre[:, None, None]).abs()
        return -self.slope[:, None, None] * away

# %% [markdown]
# Your encoding trains for some ten seconds on sequences of 24 tokens, as the RoPE from **your**
# `turn` did in section 3. Its other rivals are recorded runs (1,000 steps, three seeds).
# Transformer-XL is from unit 04.

# %%
predict("race", "The clipped bias has one learned number for each offset from −7 to 7, one for "
        "everything further left and one for everything further right. Training uses all of them. "
        "At 96 tokens its loss is",
        a="near the limit, as with Shaw's clipped keys",
        b="clearly above the limit, but below T5's", c="about as high as T5's", answer="")

# %%
RACE = ["RoPE", "ALiBi, symmetric", "ALiBi, directional", "Kerple", "T5 bias", "clipped bias",
        "DeBERTa", "CoPE", "Transformer-XL"]
raced = study.table[study.table["encoding"].isin(RACE)]
shown = raced  # the next cell adds what you train

# %% tags=["training"]
yours = [run(LagLanguage(), lambda: Mine(48, 4), seed, 300, (24, 48, 96), "yours (live)")
         for seed in seeds]
rope = tried[tried["encoding"] == "as trained"].assign(encoding="RoPE (live)")  # of section 3
live = pd.concat([rope, *yours])
shown = pd.concat([raced, live])
live[["encoding", "seed", "steps", "length", "loss", "limit"]].round(2)

# %% [markdown]
# One seed (three on a GPU) and 300 steps allow only a first look. Compare the live runs with each
# other, and the recorded runs with each other. A dot is one run, at its loss **above the limit**.
# All runs were trained at 24 tokens and evaluated at T.

# %% tags=["shown"]
shown = shown.assign(above=shown["loss"] - shown["limit"])
figure = loss_plots.above_limit(shown)
plots.show(figure, "Loss above the limit by encoding, at 24, 48 and 96 tokens; best at the top.")
print(study.note)

# %% [markdown]
# The recorded runs, over their seeds:

# %%
means(raced, RACE, "loss").sort_values(("mean", 96))

# %%
far = raced.assign(far=raced["loss"] - raced["limit"]).query("length == 96")
far = far.groupby("encoding")["far"].mean()
clipped, buckets_of_t5 = far["clipped bias"], far["T5 bias"]
outcome("race", "a" if clipped < 0.1 else "b" if clipped < 0.8 * buckets_of_t5 else "c")

# %% [markdown]
# These results hold for this language and this size of model only:
#
# - **Near the limit at all three lengths:** DeBERTa, Transformer-XL and CoPE. In all three the
#   query is multiplied with a vector for the offset, or for the count.
# - **Near the limit at 24, worse on longer texts:** the clipped bias and T5. At 96, they are 0.31
#   and 0.63 nats above the limit. T5 uses numbers there that were never trained. The clipped bias
#   does not, so it must fail for another reason. We have not measured which.
# - **Near the limit at 24, lost at 96:** RoPE, on average 1.5 nats above the limit after 1,000
#   steps (the live one, seed 0, about 0.9 after 300). Its seeds differ widely.
# - **Never near the limit, at any length:** ALiBi and Kerple.
#
# The surprise is **your encoding**, if you left it as it was: two numbers per head, and after 300
# steps it stays about 0.1 nats above the limit at all three lengths. (One seed proves nothing.)
# Like T5, it can prefer an offset. Like ALiBi, it has a rule for offsets that it never met.

# %% [markdown]
# ## 9. Which hook?
#
# **Question:** which hook does a new paper use, and what fits none?
#
# Now put the map of section 1 to the test: six papers, in a few lines each, and most of them new to
# you. If you can name the hook, you know where to write the code.

# %% [markdown] exercise="hooks" title="Which hook for which paper" difficulty=2 minutes=8
# Here are six papers. Write `hooks_for`: for the letter of a paper it returns the names of the
# hooks that a class for this paper has to override, as a tuple of `"embed"`, `"rotate"`,
# `"bias"`, `"context"`; a list or a set will do as well. For a paper that needs no hook, the
# tuple is empty.
#
# The argument may have several letters, in any order: `hooks_for("CA")` returns the hooks of a
# model that does what C **and** A say. Name each hook once; the order of the names does not matter.
#
# - **A** (xPos, Sun et al. 2022): queries and keys are turned as in RoPE. Then pair $n$ of the
#   query at $i$ is multiplied by $\zeta_n^{i/512}$, and pair $n$ of the key at $j$ is divided by
#   $\zeta_n^{j/512}$, with $0 < \zeta_n < 1$.
# - **B** (TUPE, Ke et al. 2021): each position has a learned vector $p_i$, and
#   $(p_i U_Q) \cdot (p_j U_K)$ is added to $q_i \cdot k_j$. Token vectors and position vectors are
#   never added to each other.
# - **C** (learnable Fourier features, Li et al. 2021): the sines and cosines of $p\,W_r$, with a
#   learned $W_r$, go through a small MLP. Its output is added to the vector of the token at $p$
#   before the first layer.
# - **D** (NoPE, Kazemnejad et al. 2023): a decoder with a causal mask, and nothing else.
# - **E** (iRPE's form for values, Wu et al. 2021): in each layer query $i$ adds up $v_j + r_{ij}$
#   instead of $v_j$, where the learned $r_{ij}$ depends on the horizontal and vertical offset
#   between patches (small squares) $i$ and $j$ of an image.
# - **F** (the encoder of DETR, Carion et al. 2020): in each layer the sinusoidal vector of a
#   patch's position goes into the query and into the key of this patch, and not into its value.
#
# Some sums can be computed at two hooks: a position vector in a query can also be written as a term
# of its scores. Name the hook where the paper itself acts.
#
# *Why care:* the hook says which part of a model a paper changes, whoever wrote the model.
#
# <details><summary>Hint</summary>
#
# Does the paper add one vector to each token, change each $q$ and $k$ by itself, add a number for
# each pair, or add something to the values? For several letters, collect the hooks of each in a
# set.
# </details>

# %% solution="hooks"
def hooks_for(papers: str) -> tuple[str, ...]:
    """Names of the hooks needed for all that these papers, such as "CA", say."""
    ### BEGIN SOLUTION
    needed = {"A": "rotate", "B": "bias", "C": "embed", "E": "context", "F": "rotate"}
    return tuple({needed[paper] for paper in papers if paper in needed})
    ### END SOLUTION

# %% test="hooks" points=2
check.hooks(hooks_for)
### BEGIN HIDDEN TESTS
check.hooks(hooks_for, seed=5707)
### END HIDDEN TESTS

# %% [markdown]
# **What does not fit the four hooks.** The hooks were chosen to fit the encodings of this course.
# Two examples do not fit:
#
# - A table added **before every layer**. `embed` acts once, and the other hooks act only inside
#   attention. (Unit 06 writes a layer for it.)
# - **Turned values**. `context` gets the attention weights, but not $v$: it can only add to the
#   average.

# %% [markdown]
# ## 10. Check against other libraries
#
# The book d2l has none of this unit's encodings. PyTorch has a rotation, made for exporting models.
# It knows both layouts:

# %% tags=["nbval-check-output", "shown"]
try:
    from torch.onnx.ops import rotary_embedding
except ImportError:
    rotary_embedding = None  # PyTorch before 2.8
if rotary_embedding:
    x = torch.randn(2, 3, 10, 16, generator=torch.Generator().manual_seed(0))
    angles = torch.arange(10)[:, None] * 10_000.0 ** (-torch.arange(0, 16, 2) / 16)
    cos, sin = (each.expand(2, -1, -1) for each in (angles.cos(), angles.sin()))
    for layout in ("interleaved", "halves"):
        theirs = rotary_embedding(x, cos, sin, interleaved=layout == "interleaved")
        same = torch.allclose(theirs, turned(x, layout=layout), atol=1e-5)
        print(f"{layout}: equal to PyTorch's: {same}")

# %% tags=["nbval-check-output", "shown"]
from importlib.util import find_spec

if find_spec("transformers"):
    from transformers.models.t5.modeling_t5 import T5Attention

    theirs = T5Attention._relative_position_bucket(torch.arange(-1000, 1001))
    print("T5's buckets are those of transformers:", torch.equal(theirs, found))
if find_spec("x_transformers"):
    from x_transformers.x_transformers import AlibiPositionalBias

    theirs = AlibiPositionalBias(heads=12)(20, 20)
    right_slopes = torch.as_tensor(check.slopes.use(slopes)(12)).float()
    for form in ("symmetric", "directional"):
        same = torch.allclose(theirs, bias_of(right_slopes, 20, form))
        print(f"ALiBi of x-transformers is {form}: {same}")

# %% [markdown]
# Before you use a library's ALiBi in an encoder, check its form.

# %% [markdown]
# ## What to keep
#
# - Four hooks: `embed`, `rotate`, `bias`, `context`. Each paper of exercise 7 uses one or none.
# - RoPE turns $q$ and $k$, never $v$. The score depends on positions only through the offset. Both
#   layouts are in use.
# - A bias that sees only the distance cannot tell left from right. A causal mask hides that.
# - Where RoPE fails beyond its trained length, suspect offsets that it never saw. On our task, the
#   same weights with clipped offsets stay near the limit at four times the length. In a short run,
#   clipping the two fast pairs was nearly enough.
# - Papers and their code can differ: test against both, and say which one you follow.
# - Ask two things of an encoding: how far is its loss from the limit, and does this distance stay
#   the same at any length?
#
# All of this happened in shallow models. Unit 06 stacks self-attention layer upon layer, and asks
# what goes wrong there.
#
# ## Further reading
#
# - Su et al. 2021, *RoFormer*, equations 13 to 16: the rotation.
# - Press et al. 2022, *Train Short, Test Long*, section 3: ALiBi.
# - Raffel et al. 2020, *Exploring the Limits of Transfer Learning* (T5), section 2.1: the bias.
# - He et al. 2021, *DeBERTa*, equations 2 to 4: content and position.
# - Golovneva et al. 2024, *Contextual Position Encoding*, section 4: the gates.
# - Chi et al. 2022 (2205.09921), Kerple. Li et al. 2023 (2310.04418), FIRE: a small network
#   computes the bias from the distance, taken relative to the position of the query.
# - Sun et al. 2022 (2212.10554), xPos; Ke et al. 2021 (2006.15595), TUPE.
# - Kazemnejad et al. 2023 (2305.19466): on longer texts of reasoning tasks, a decoder without
#   positions (NoPE) is better on average than ALiBi, RoPE and T5's bias.
# - Su 2023, *ReRoPE* (kexue.fm/archives/9708, in Chinese): the clip; Chen et al. 2023 (2306.15595):
#   position interpolation.
