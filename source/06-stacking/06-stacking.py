# %% [markdown]
# # 06 · Stacking
#
# One layer of attention lets every word read every other word. A Transformer is a stack of layers
# that contain attention: BERT base has 12, GPT-3 has 96. What goes wrong when self-attention is
# stacked, and what cures it? That is the question of this unit, and the book asks it too (d2l,
# section 11.6, exercise 1). You will answer it with numbers that you have seen.
#
# Sections 1 to 6 test six possible causes, and section 7 asks for your answer. The appendix, which
# may wait, makes a convolution out of attention heads.
#
# By the end of this unit you can
#
# - measure how alike a stack makes its tokens, and explain what happens;
# - test fairly whether the position of a token can be read from a hidden state;
# - count which costs of a layer grow with the length of the text, and which do not;
# - give a model positions in a tree;
# - answer the book's question, and say which popular answer is wrong;
# - make attention heads act as a convolution (appendix).
#
# Reading and running takes about 50 minutes besides the exercises.

# %%
import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import nn

from helpers import encodings, plots, results, runtime, widgets
from helpers.checks import stacking as check
from helpers.encodings import Encoding, create
from helpers.model import probes
from helpers.model.attention import MultiHeadAttention
from helpers.model.attention import EncoderLayer
from helpers.model.encoder import Encoder
from helpers.pictures import hooks, stack
from helpers.predict import outcome, predict

# %% [markdown]
# Positions can enter a Transformer at four hooks (unit 01), and this unit follows two of them up a
# stack. `embed` acts once, before the first layer: do the positions survive all layers? `bias`
# acts in every layer, so each layer gets the offsets anew.

# %% tags=["shown"]
plots.show(*hooks.hooks("embed", "bias"))

# %% [markdown]
# Our six words are *the cat sat on the mat*. Each word gets a random vector, and its position is
# added as a sinusoid (unit 02). So the two *the* differ only by their positions. We send the
# sentence through a stack whose layers do nothing but attend. Their weights are random, as before
# training. Run the next two cells, and choose a prediction before you go on; it is never marked.

# %%
words = ["the", "cat", "sat", "on", "the", "mat"]
numbers = torch.Generator().manual_seed(0)
vectors = {word: torch.randn(16, generator=numbers, dtype=torch.float64) for word in words}
sentence = torch.stack([vectors[word] for word in words]) + encodings.sinusoidal_table(6, 16)

@torch.no_grad()
def through(step, x, depth, seed=0):
    """What enters a stack of untrained layers, and what leaves each; a list of (B, T, D)."""
    torch.manual_seed(seed)
    states = [x]
    for _ in range(depth):
        layer = EncoderLayer(Encoding(x.shape[-1], num_heads=4)).double()
        states.append(step(layer, states[-1]))
    return states

def alone(layer, x):
    return layer.attention(x)

# %%
predict("alike", "After how many layers are the six vectors equal in float32 (7 digits)?",
        a="two or three", b="about ten",
        c="never: they come closer, but stay different", answer="")

# %% tags=["shown"]
def one_number(step, depth):
    """One of the 16 numbers of each word, relative to the size of a row; (depth + 1, T)."""
    states = torch.cat(through(step, sentence[None], depth))
    return (states / states.norm(dim=-1).mean(-1)[:, None, None])[..., 1].numpy()

plots.show(*stack.band({"attention alone": one_number(alone, 6)}, words, lit=(0, 4)))

# %% tags=["nbval-check-output"]
def short(number):
    return f"{number:.2g}" if number > 1e-12 else "<1e-12"

states = through(alone, sentence[None], 4)
gaps = [float((x.amax(1) - x.amin(1)).max() / x.abs().max()) for x in states]
for layer, gap in enumerate(gaps):
    print(f"after {layer} layers the words differ by {short(gap)} of their size")

# %%
same = next((layer for layer, gap in enumerate(gaps) if gap < 1e-7), 99)
outcome("alike", "a" if same <= 3 else "b" if same < 99 else "c")

# %% [markdown]
# After three layers the six words differ by less than $10^{-12}$ of their size: in float32 they are
# one and the same vector. (With 400 digits they still differ, as section 1 shows.) From layer 2 on
# you see one line for all six words. It still moves up and down: the common vector changes, but it
# stays common.
#
# The positions of the words are gone together with their differences. No later layer of this stack
# can bring them back: equal vectors give equal outputs, whatever the weights are.
#
# This is the first of six possible causes of trouble. Sections 1 to 6 test one each, and not all
# turn out to be real:
#
# 1. The tokens become alike.
# 2. Positions get hard to read.
# 3. Distant words are out of reach.
# 4. The pairs of tokens cost too much.
# 5. A text is longer than the texts used in training.
# 6. The order of the text is not the order that counts.

# %% [markdown]
# ## 1. A mean of means of means
#
# In self-attention, each output row is a weighted mean of value rows. The next layer takes means of
# these means, so differences average out. To follow this in any stack, we need one number that says
# how alike the rows of $X$ are.
#
# How far is $X$ from a matrix whose rows are all equal? The nearest such matrix repeats the mean
# row $\bar x$:
#
# $$r(X) = \frac{\lVert X - \mathbf{1}\bar x^\top \rVert}{\lVert X \rVert},
# \qquad \lVert X \rVert^2 = \sum_{t,c} X_{tc}^2$$
#
# (This norm is the *Frobenius norm*.) $r$ is 1 if the mean row is 0. It is near 1 if many rows have
# hardly anything in common. It is 0 if all rows are equal. $X$ then has rank 1: each row is a
# multiple of one row. So $r$ is called the *rank residual* (Dong et al. 2021, section 2, with
# another norm).

# %% [markdown] exercise="residual" title="The rank residual" difficulty=2 minutes=7
# You will use this number on every stack in this unit. Write `rank_residual`: for states `x` of
# shape $(B, T, D)$ it returns $r(X)$ of each sequence, of shape $(B,)$ and in the dtype of `x`.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Keep the precision of `x`, since in deep stacks the rows will agree in their first eight digits.
# - $X$ is never 0, so do not add a small number to the denominator: it would falsify the result
#   where all entries are tiny, such as $10^{-100}$ in float64.
# - Gradients must reach `x`, which stays as it is.
# </details>
#
# *Why care:* equal rows get equal outputs. Unless something is added again, no later layer can tell
# which word stood where, whatever it has learned.
#
# <details><summary>Hint</summary>
#
# `x.mean(1, keepdim=True)` is $(B, 1, D)$ and broadcasts over the positions.
# `torch.linalg.matrix_norm(x)` is the Frobenius norm over the last two axes.
# </details>

# %% solution="residual"
def rank_residual(x: torch.Tensor) -> torch.Tensor:
    """‖X − 1·x̄ᵀ‖ / ‖X‖ in the Frobenius norm, for each sequence; (B, T, D) → (B,)."""
    ### BEGIN SOLUTION
    rest = x - x.mean(1, keepdim=True)
    return torch.linalg.matrix_norm(rest) / torch.linalg.matrix_norm(x)
    ### END SOLUTION

# %% test="residual" points=1.5
check.residual(rank_residual)
### BEGIN HIDDEN TESTS
check.residual(rank_residual, seed=6101)
### END HIDDEN TESTS

# %% [markdown]
# ### Why so fast?
#
# Averaging explains why differences shrink. It does not explain why three layers are enough. With
# 16 digits we cannot see what happens after layer 3, so we compute with 400 digits (Python's
# `Decimal`). The stack below has one head and other weights, so its numbers differ from those
# above. It prints the largest difference between two words, relative to their size.

# %% tags=["nbval-check-output", "shown"]
from decimal import Decimal, getcontext

import numpy as np

getcontext().prec = 400
exact = np.vectorize(lambda number: Decimal(float(number)), otypes=[object])
exp = np.vectorize(Decimal.exp, otypes=[object])

def one_head(x, weights, D=16):
    """Attention with random weights, in 400 digits; (T, D) → (T, D)."""
    q, k, v = (x @ exact(weights.normal(size=(D, D)) / D**0.5) for _ in range(3))
    alpha = exp(q @ k.T / 4)  # √D = 4
    return alpha / alpha.sum(1, keepdims=True) @ v

def gap_of(x):
    return (x.max(0) - x.min(0)).max() / abs(x).max()

def gaps_by_layer(seed):
    x, weights, gaps = exact(sentence), np.random.default_rng(seed), []
    for _ in range(6):
        x = one_head(x, weights)
        gaps.append(gap_of(x))
    return gaps

exact_gaps = [gaps_by_layer(seed) for seed in range(3)]
for layer, gap in enumerate(exact_gaps[0], 1):
    zeros = -gap.adjusted() - 1
    print(f"layer {layer}: {zeros:3} zeros,  {gap:.{zeros + 3}f}")

# %% [markdown]
# From layer 4 on, each layer has roughly three times as many zeros as the layer before. Why three?
# Let the rows differ from their mean by small differences of size $\varepsilon$.
#
# **The weights.** The query of row $i$ is then $\bar q + \varepsilon a_i$, and the key of row $j$
# is $\bar k + \varepsilon b_j$. Their score is
#
# $$(\bar q + \varepsilon a_i)\cdot(\bar k + \varepsilon b_j) = \bar q \cdot \bar k
# + \varepsilon\, a_i\cdot\bar k + \varepsilon\, \bar q\cdot b_j + \varepsilon^2\, a_i \cdot b_j$$
#
# The first two terms are the same for all keys, and a softmax ignores what is added to all scores.
# The third term is the same for all queries. Only the last one depends on both. So the attention
# weights of two queries differ by about $\varepsilon^2$.
#
# **The outputs.** The weights sum to 1, so every output contains the same mean value row. Two
# outputs differ only by a difference of weights, $\varepsilon^2$, times the differences of the
# values, $\varepsilon$. From layer to layer, the differences become
#
# $$\varepsilon \;\to\; \varepsilon^3 \;\to\; \varepsilon^9 \;\to\; \varepsilon^{27}$$
#
# Each arrow also multiplies by a constant. If this is right, a plot of the next $\varepsilon$
# against $\varepsilon$ is a line of slope 3, once $\varepsilon$ is small and both axes are
# logarithmic:

# %% tags=["figure"]
logs = [[float(gap.log10()) for gap in gaps] for gaps in exact_gaps]
figure, ax = plt.subplots(figsize=(6, 3))
for seed, each in enumerate(logs):
    ax.plot(each[:-1], each[1:], "osD"[seed], label=f"weights, draw {seed}")
ax.plot([-60, 0], [-180, 0], "-", color="grey", label="slope 3")
ax.set(xlabel="log₁₀ ε after a layer", ylabel="log₁₀ ε after the next")
plots.legend(ax)
plots.show(figure, "The points of three draws of weights lie along the line of slope 3.")
slopes = [(each[-1] - each[-2]) / (each[-2] - each[-3]) for each in logs]
print("slope between the last two points:", *(f"{slope:.2f}" for slope in slopes))

# %% [markdown]
# The exponent itself grows exponentially, so Dong et al. call the collapse **doubly exponential**.
# They prove it for attention alone.

# %% [markdown]
# ### Which parts prevent it?
#
# Leave LayerNorm aside for now. In a layer of a Transformer, an **MLP** (multilayer perceptron: two
# linear maps with a nonlinearity between them) follows the attention. **Skip connections** run
# around both: a skip adds the input of a part to its output, $x + f(x)$.

# %%
predict("prevents", "Six untrained layers: what keeps 32 random tokens apart, the skip connection "
        "or the MLP?",
        a="each of them, even without the other", b="only the skip connection",
        c="only the MLP", d="neither alone; it takes both", answer="")

# %%
residual_of = check.residual.use(rank_residual)
numbers = torch.Generator().manual_seed(0)
tokens = torch.randn(4, 32, 64, generator=numbers, dtype=torch.float64)  # four texts of 32 tokens

def by_depth(step, depth):
    """r after 0, 1, … `depth` layers: the mean over the four texts and three draws of weights."""
    runs = [[float(torch.as_tensor(residual_of(x)).mean()) for x in
             through(step, tokens, depth, seed)] for seed in range(3)]
    return [sum(each) / len(runs) for each in zip(*runs, strict=True)]

# %% tags=["nbval-check-output", "shown"]
def scaled(layer, factor):
    for each in layer.mlp.parameters():
        each *= factor
    return layer.mlp

def two_skips(layer, x):
    x = x + layer.attention(x)
    return x + layer.mlp(x)

steps = {
    "attention alone": alone,
    "attention, MLP": lambda layer, x: layer.mlp(layer.attention(x)),
    "attention, MLP × 8": lambda layer, x: scaled(layer, 8)(layer.attention(x)),
    "attention + skip": lambda layer, x: x + layer.attention(x),
    "both, two skips": two_skips,
    "both, one skip": lambda layer, x: layer.mlp(x + layer.attention(x)),
    "the same, MLP × 4": lambda layer, x: scaled(layer, 4)(x + layer.attention(x)),
}
found = {name: by_depth(step, 6) for name, step in steps.items()}
print(f"{'layers:':18}", *(f"{layer:8}" for layer in range(1, 7)))
for name, rs in found.items():
    print(f"{name:18}", *(f"{short(r):>8}" for r in rs[1:]))

# %%
mlp, skip = (found[name][-1] > 0.1 for name in ("attention, MLP", "attention + skip"))
outcome("prevents", "a" if mlp and skip else "b" if skip else "c" if mlp else "d")

# %% [markdown]
# The skip connection keeps the tokens apart. It passes each row on unchanged, so a difference
# $\varepsilon$ stays $\varepsilon$.
#
# The MLP, with weights of this size, does not help: with it the tokens collapse even faster. The
# abstract of Dong et al. says that "skip connections and MLPs stop the output from degeneration".
# Their theorem on MLPs promises less: an MLP can *slow* the collapse, and only if it makes
# differences larger. In the table, multiplying all weights of the MLP by 8 delays the collapse by
# about one layer. But an MLP multiplies a small $\varepsilon$ by a fixed factor, and attention
# makes about $\varepsilon^3$ of it. As $\varepsilon$ gets smaller, attention wins.
#
# In the line *both, one skip*, the skip runs around the attention only, so the differences must
# pass through the MLP. From the third layer on, each layer shrinks $r$ by a factor between 4 and 7:
# the tokens collapse again, though only exponentially. With weights of this size, each part needs a
# skip of its own. Larger weights of the MLP slow the collapse (last line).

# %% [markdown]
# ### Forty-eight layers
#
# With a skip, $r$ is still above 0.9 after six layers. What about a much deeper stack?

# %%
predict("deep", "Attention with a skip, 48 layers: how large is r?",
        a="still above 0.9", b="between 0.5 and 0.9", c="below 0.5", answer="")

# %% tags=["nbval-check-output"]
states = through(steps["attention + skip"], tokens, 48)
print(f"layers     r {'|differences|':>14} {'|mean row|':>11}")
for layer in (0, 6, 12, 24, 48):
    r = torch.as_tensor(residual_of(states[layer])).mean()
    shared = states[layer].mean(1, keepdim=True).expand_as(tokens)
    print(f"{layer:6} {r:5.2f} {(states[layer] - shared).norm():14.0f} {shared.norm():11.0f}")

# %%
outcome("deep", "a" if r > 0.9 else "b" if r > 0.5 else "c")

# %% [markdown]
# The differences keep their size (89 → 90). The mean row grows (18 → 418), so $r$ falls: each layer
# adds mainly a mean row. The price of a skip is this growth, and one addition.
#
# Here is the sentence again. With whole layers (attention and MLP, each with a LayerNorm before it
# and a skip), the six words stay apart, and so do the two *the*:

# %% tags=["shown"]
def whole(layer, x):
    return layer(x)

after = {"attention alone": one_number(alone, 48), "whole layers": one_number(whole, 48)}
plots.show(*stack.band(after, words, lit=(0, 4)))

# %% [markdown]
# ### Can training find a way out?
#
# Perhaps a stack without skips can learn to avoid the collapse. We train two kinds of model on the
# language of unit 00, in which a token follows from the token three positions before it. The first
# kind has four whole layers and a learned table of positions. The second kind is the same without
# skips. Each is trained for 200 steps from one seed (on a GPU, from three).

# %%
class Bare(EncoderLayer):
    """The same layer, with a LayerNorm before attention and MLP, but without the two skips."""

    def forward(self, x, mask=None, positions=None):
        first, second = self.norms
        return self.mlp(second(self.attention(first(x), mask, positions)))

# %% tags=["training"]
from helpers.corpora import LagLanguage
from helpers.runtime import seed_everything
from helpers.training import evaluate, masked_loss, train

task = LagLanguage()
tests = {n: task.batch(9600 // n, n, torch.Generator().manual_seed(1)) for n in (24, 48, 96)}
limits = {n: task.bayes_loss(test) for n, test in tests.items()}
seeds = (0, 2, 3) if runtime.profile() == "full" else (0,)  # 1 draws the tests

def trained(name, seed, encoding, layer=EncoderLayer, steps=200, **options):
    """An encoder of four layers of one kind, trained on texts of 24 tokens."""
    seed_everything(seed)
    position = create(encoding, d_model=48, num_heads=4, **options)
    model = Encoder(position, task.vocab_size, num_layers=4)
    model.layers = nn.ModuleList(layer(each.attention.encoding) for each in model.layers)
    text = torch.Generator().manual_seed(seed)
    if steps:
        train(model, lambda: task.batch(64, 24, text), steps, bayes_loss=limits[24],
              label=f"{name}, seed {seed}")
    return model

learned = {"encoding": "learned", "std": 48**-0.5}  # at first: rows as long as the tokens' vectors
kinds = {"with skips": EncoderLayer, "no skips": Bare}
models = {name: [trained(name, seed, layer=layer, **learned) for seed in seeds]
          for name, layer in kinds.items()}

# %% tags=["training"]
for name in models:
    for seed, model in zip(seeds, models[name], strict=True):
        states = probes.layer_states(model, tests[24].inputs)
        rs = "  ".join(f"{torch.as_tensor(residual_of(s)).mean():.2g}" for s in states)
        loss = evaluate(model, tests[24]).loss
        print(f"{name:10}  seed {seed}: loss {loss:.2f} nats;  r by layer: {rs}")
print(f"limit {limits[24]:.2f} nats")
for name, layer in kinds.items():
    model = trained(name, 0, layer=layer, steps=0, **learned)
    r = probes.rank_residual(probes.layer_states(model, tests[24].inputs)[-1]).mean()
    masked_loss(model, tests[24]).backward()
    slope = model.layers[-1].attention.qkv.weight.grad[: 2 * 48].norm()  # of queries and keys
    print(f"{name:10}  untrained, layer 4: r = {r:.0e}, gradient of queries and keys {slope:.0e}")

# %% [markdown]
# Naming one of 8 symbols blindly costs $\ln 8 \approx 2.08$ nats. With skips, the loss has come
# most of the way from there to the limit, the lowest loss possible. Without skips, next to nothing
# has been learned. More training hardly helps: in recorded runs of 500 steps, each of three seeds
# stays above 1.8 nats.
#
# Compare the last two lines, for untrained models. Where the rows are nearly equal, it makes no
# difference where attention looks. So a change of queries and keys hardly changes the loss: without
# skips their gradient is more than 100,000 times smaller. Training without skips raises $r$ at the
# top, but it stays far below that with skips. **Cause 1 is real** without skips; with skips, the
# rows stay apart. (Both kinds have LayerNorms, so these do not prevent the collapse.)

# %% [markdown]
# ## 2. Where am I, four layers up?
#
# Cause 2: a table of positions is added **once**, at the input. Can the position still be read four
# layers further up? And if not, does the loss suffer?
#
# To find out we fit a *probe*: a linear map that reads the position of a token from its hidden
# state. Take the states of $N$ sequences, one vector for each token, and append a constant 1 to
# each vector (the bias). These are the rows of $Z$, of shape $(N T, D+1)$. For each row, $p$ holds
# the position of the token in its own sequence, from 0 to $T - 1$. The weights are those of ridge
# regression, which is least squares with a $\lambda > 0$ that makes the matrix invertible:
#
# $$w = (Z^\top Z + \lambda I)^{-1} Z^\top p$$
#
# The probe's answer for a row $z$ is $z \cdot w$. Its error is the mean of $|z \cdot w - p|$ on
# sequences that the probe was **not** fitted on.

# %% [markdown] exercise="probe" title="A fair probe" difficulty=3 minutes=17
# The rank residual says whether rows differ. It does not say whether they still know their
# position; a probe does. Write `position_probe`. It gets the states `train` of some sequences, of
# shape $(N, T, D)$, and the states `test` of other sequences, of shape $(M, T', D)$. It fits $w$ on
# `train` by the formula above, where $\lambda$ is `ridge`, any positive number. $\lambda$ acts on
# the weight of the constant too. The function returns the mean absolute error on `test`, in
# positions: a single number, which is a float or a 0-dimensional tensor.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The test sequences may be longer or shorter than those of training, and there may be fewer rows
#   than weights.
# - Do not round or clip the probe's answers.
# - The states of a real model may be nearly alike, so compute in the dtype of the states; in this
#   unit they are float64.
# - Neither tensor may be modified.
# </details>
#
# *Why care:* a probe with as many weights as rows can fit noise. Judged on the rows that it was
# fitted on, it finds positions where there are none.
#
# <details><summary>Hint 1: the targets</summary>
#
# `states.flatten(0, 1)` puts the sequences one below the other. Which position is that of row
# 0, of row 1, and of row $T$?
# </details>
# <details><summary>Hint 2: the weights</summary>
#
# `torch.linalg.solve(A, b)` is $A^{-1} b$. The unit matrix is `torch.eye(D + 1)`; everything must
# have the same precision.
# </details>

# %% solution="probe"
def position_probe(train: torch.Tensor, test: torch.Tensor, ridge: float = 1e-3) -> float:
    """Error of a linear map from state to position: fitted on (N, T, D), judged on (M, T', D)."""
    ### BEGIN SOLUTION
    def rows(states):
        z = torch.cat([states, torch.ones_like(states[..., :1])], -1).flatten(0, 1)
        return z, torch.arange(states.shape[1]).repeat(len(states)).to(z)

    z, p = rows(train)
    w = torch.linalg.solve(z.T @ z + ridge * torch.eye(z.shape[1]).to(z), z.T @ p)
    z, p = rows(test)
    return (z @ w - p).abs().mean().item()
    ### END SOLUTION

# %% test="probe" points=2
check.probe(position_probe)
### BEGIN HIDDEN TESTS
check.probe(position_probe, seed=6202)
### END HIDDEN TESTS

# %% [markdown]
# Why must a probe be judged on other sequences? Here the states are noise, so there is no position
# to read. A baseline that always answers the middle position has an error of about $T/4$:

# %% tags=["nbval-check-output"]
error_of = check.probe.use(position_probe)
T = 24
middle = (torch.arange(T) - (T - 1) / 2).abs().mean()
noise = torch.randn(16, T, 192, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
print(f"always the middle: {middle:.1f} positions")
print(f"noise, judged on what it was fitted to: {float(error_of(noise[:8], noise[:8])):.1f}")
print(f"noise, judged on other sequences: {float(error_of(noise[:8], noise[8:])):.1f}")

# %% [markdown]
# This probe has about as many weights as rows. The unfair test finds every position in noise; the
# fair test shows that the probe is worse than the baseline. Below, a probe gets many more rows than
# weights.
#
# We compare the two kinds of model from section 1 with two more kinds:
#
# - **Renewed** adds the same table of positions again to the input of every layer, so the first
#   layer gets it twice.
# - **Shaw** uses offsets in every layer (unit 04), and nothing at the input.

# %%
predict("read", "Among the three kinds with skips: does the one whose positions are easiest to "
        "read have the lowest loss?",
        a="yes, the lowest", b="no, it is between the others", c="no, the highest", answer="")

# %% tags=["training"]
class Renewed(EncoderLayer):
    """The same layer, with the table of positions added once more to what enters it."""

    def forward(self, x, mask=None, positions=None):
        return super().forward(self.attention.encoding.embed(x, positions), mask, positions)

models["renewed"] = [trained("renewed", seed, layer=Renewed, **learned) for seed in seeds]
models["Shaw"] = [trained("Shaw", seed, "shaw_keys") for seed in seeds]

# %% tags=["training"]
half = 200  # the probe is fitted on the first half of the test sequences
print(f"each probe: {half * T:,} rows, {48 + 1} weights")
print(f"{'error by layer:':17}", *(f"{layer:4}" for layer in range(5)), "  loss")
for name, several in models.items():
    for seed, model in zip(seeds, several, strict=True):
        states = [each.double() for each in probes.layer_states(model, tests[24].inputs)]
        found = [float(error_of(s[:half], s[half:])) for s in states]
        print(f"{name:10} seed {seed}", *(f"{error:4.1f}" for error in found),
              f"  {evaluate(model, tests[24]).loss:.2f}")

# %% [markdown]
# One seed and 200 steps are too few to compare the three kinds with skips. Recorded runs have three
# seeds and 500 steps; the prediction is judged by them:

# %% tags=["figure"]
recorded = results.load("stack")
at24 = recorded.table[recorded.table["length"] == 24].groupby("encoding")
by_layer = at24[[f"probe {layer}" for layer in range(5)]].mean()
curves = {name: (range(5), by_layer.loc[name]) for name in models}
figure, ax = plt.subplots()
plots.lines(ax, curves | {"the middle": (range(5), [middle] * 5)}, x="layers",
            y="error (positions)", title="recorded: 500 steps, mean of three seeds")
ax.set(ylim=(0, None), xticks=range(5))
ends = "; ".join(f"{name} {ys.iloc[0]:.1f}, {ys.iloc[-1]:.1f}" for name, (_, ys) in curves.items())
plots.show(figure, f"Probe error by layer, at the input and after four layers: {ends}.")
print(recorded.note)

# %%
# `at24` is from the folded cell above; "probe 4" is the probe's error after four layers.
runs = at24[["loss", "probe 4"]].agg(["mean", "min", "max"]).loc[[*models]]
print(runs.round(3))
loss, error = (runs[column, "mean"].drop("no skips") for column in ("loss", "probe 4"))
best = loss[error.idxmin()]
outcome("read", "a" if best == loss.min() else "c" if best == loss.max() else "b")

# %% [markdown]
# The position gets hard to read, mostly in the first layer; after two layers without skips, the
# probe is hardly better than the baseline. But easier to read is not better: of the three kinds
# with skips, *renewed* is the easiest to read in the recorded runs, and each of its seeds has a
# higher loss than every seed of the other two. (In your own runs the order may be another.)
#
# So **cause 2 holds in part**. Note also that a linear probe that fails does not prove that the
# position is lost, only that no linear map finds it.

# %% [markdown]
# ## 3. Out of reach?
#
# Cause 3 is a popular answer: a deep stack cannot relate words that are far apart, because the
# positional encoding is fixed and not learned. On which inputs does the output of the first token
# depend? On those whose gradient is not 0. (A **window** hides keys more than $k$ positions away.)

# %% tags=["nbval-check-output"]
def reach(layers, name, **options):
    """How many of 32 inputs output 0 depends on, after a number of layers."""
    torch.manual_seed(0)
    x = torch.randn(1, 32, 16, requires_grad=True)
    encoding = create(name, d_model=16, num_heads=2, **options)
    y = encoding.embed(x, encodings.Positions.upto(32))
    for _ in range(layers):
        y = y + MultiHeadAttention(encoding)(y)
    y[0, 0].sum().backward()
    return int((x.grad[0] != 0).any(-1).sum())

given = {"none": {}, "sinusoidal": {}, "learned": {}, "shaw_keys": {"k": 2}, "window": {"k": 2}}
print("layers     ", [1, 2, 4, 8])
for name, options in given.items():
    print(f"{name:11}", [reach(n, name, **options) for n in (1, 2, 4, 8)])

# %% [markdown]
# One layer is enough. The path between any two tokens has length $O(1)$ (Vaswani et al. 2017, table
# 1), whether the positions are fixed or learned. Shaw's clip is no limit either: beyond $k$, the
# offsets on each side share a vector, but the tokens are still seen.
#
# Only the window limits the reach: it takes $T/k$ layers to cross a text, as in a convolution.
# **Cause 3 is ruled out**: without a window, an output can depend on every word; how strongly, this
# test does not ask. Long texts have a price, but a different one.

# %% [markdown]
# ## 4. What a longer text costs
#
# Cause 4: the pairs of tokens cost too much. Count the multiplications that one layer makes for one
# sequence of $T$ tokens. The layer has three parts:
#
# - Attention has four projections $D \times D$: for queries, keys, values and the output.
# - Each of the $H$ heads has width $d = D/H$. It computes a score for each pair of tokens, then the
#   means of the values with the attention weights.
# - The MLP goes from $D$ to $4D$ and back.
#
# A product of an $(n, m)$ and an $(m, l)$ matrix takes $n\,m\,l$ multiplications, each with an
# addition. Softmax, LayerNorm and biases take far fewer operations, so we leave them out.

# %%
predict("share", "BERT base: D = 768, T = 512. How much of a layer's work do all those pairs take?",
        a="about a tenth", b="about half", c="about nine tenths: attention is quadratic", answer="")

# %% [markdown] exercise="cost" title="What T costs" difficulty=2 minutes=7
# You will settle your prediction with this count. Write `multiply_adds`, which returns a new dict
# with three numbers and nothing else: `"projections"`, `"pairs"` (scores and weighted means
# together, all heads) and `"mlp"`. The numbers are exact, even for $T$ = 131,072 and $D$ = 12,288;
# they are ints, floats without a fraction or 0-dimensional tensors. Here `length` is $T$, `d_model`
# is $D$ and `num_heads` is $H$, which divides $D$. A multiplication with its addition counts as
# one.
#
# *Why care:* one of the three parts makes long texts expensive, but only from a certain length on.
# Your count shows from which length.
#
# <details><summary>Hint</summary>
#
# For one head, the scores are a $(T, d)$ times a $(d, T)$ matrix.
# </details>

# %% solution="cost"
def multiply_adds(length: int, d_model: int, num_heads: int) -> dict[str, int]:
    """Multiplications of one layer for one sequence: "projections", "pairs" and "mlp"."""
    ### BEGIN SOLUTION
    return {
        "projections": 4 * length * d_model**2,
        "pairs": 2 * length**2 * d_model,
        "mlp": 8 * length * d_model**2,
    }
    ### END SOLUTION

# %% test="cost" points=1.5
check.cost(multiply_adds)
### BEGIN HIDDEN TESTS
check.cost(multiply_adds, seed=6303)
### END HIDDEN TESTS

# %% [markdown]
# Here is your count for $D$ = 768, at BERT's length and at two longer ones:

# %% tags=["nbval-check-output"]
cost_of, part_of = check.cost.use(multiply_adds), {}
for length in (512, 4608, 131_072):
    parts = cost_of(length, 768, 12)
    part_of[length] = parts["pairs"] / sum(parts.values())
    print(f"D = 768, T = {length:7,}: the pairs are {part_of[length]:.0%}")

# %%
outcome("share", "a" if part_of[512] < 0.2 else "b" if part_of[512] < 0.7 else "c")

# %% [markdown]
# The pairs take $2T^2D$ multiplications, the projections $4\,TD^2$ and the MLP $8\,TD^2$. The pairs
# take half of the work if $2T^2D = 12\,TD^2$, that is, at $T = 6D$. The wider the model is, the
# longer a text must be before its pairs matter.
#
# One thing does **not** grow. It is sometimes said that attention over a long text has too many
# parameters and overfits. How many are there?

# %% tags=["nbval-check-output"]
for name in ("none", "learned"):
    for max_len in (32, 512):
        attention = MultiHeadAttention(create(name, d_model=64, num_heads=4, max_len=max_len))
        matrices = sum(each.numel() for each in attention.parameters() if each.dim() == 2)
        print(f"{name:8} T up to {max_len:3}: {matrices:6,} = 4·64² + {matrices - 4 * 64**2:6,}")

# %% [markdown]
# The second summand is the table of positions, $D$ numbers per position. It is added at the input,
# but stored in `attention`. Attention itself has $4D^2$ parameters, whatever $T$ is (biases are not
# counted here). Counted in multiplications, **cause 4 is real** only for texts far longer than
# BERT's. The cost comes from the $T^2$ pairs, not from the parameters.

# %% [markdown]
# ## 5. Longer than trained
#
# Cause 5: the text is longer than those in training. Short texts are cheaper to train on, so this
# happens. Here are the models from above, on longer texts:

# %% tags=["training"]
print(f"{'loss in nats at T =':19}", *(f"{n:6}" for n in tests))
print(f"{'limit':19}", *(f"{limit:6.2f}" for limit in limits.values()))
for name in ("with skips", "renewed", "Shaw"):
    for seed, model in zip(seeds, models[name], strict=True):
        by_length = (evaluate(model, test).loss for test in tests.values())
        print(f"{name:11} seed {seed}:", *(f"{loss:6.2f}" for loss in by_length))

# %% [markdown]
# Beyond 24 tokens a table fails, however often it is added, because its later rows were never
# trained. With Shaw's offsets the loss stays near the limit. The limit itself falls a little: near
# an end, a token has only one neighbour at distance 3 instead of two, and in a longer text such
# tokens are a smaller part.
#
# And other encodings? The figure shows recorded losses of two-layer encoders, trained longer on the
# same language. Three encodings clip offsets, all with $k$ = 8: Shaw's keys, the *clipped bias*,
# which has a number for each offset instead of a vector, and the *window*, which is the clipped
# bias with all tokens beyond $k$ hidden. T5's bias has a number for each group of offsets, a
# *bucket* (unit 04).

# %% tags=["figure"]
study = results.load("lag3")
names = ["sinusoidal", "learned", "RoPE", "T5 bias", "clipped bias", "window", "Shaw keys"]
figure, ax = plt.subplots()
raced = pd.concat([study.table[study.table.encoding == name] for name in names])
plots.race(ax, raced, "recorded: 1,000 steps, three seeds")
plots.show(figure, "Loss by length: only the window and Shaw keys stay near the limit.")
print(study.note)
at96 = raced[raced["length"] == 96].groupby("encoding")["loss"].mean()
print("loss at 96:", ", ".join(f"{name} {at96[name]:.2f}" for name in names))

# %% [markdown]
# At the trained length the lines of all seven encodings nearly coincide (0.297 to 0.319). Beyond
# this length,
#
# - the two absolute encodings, sinusoidal and learned, fail at once;
# - RoPE fails too, although it is relative: it meets offsets that it has never seen (unit 05);
# - the clipped bias gets worse (0.52 at 96 tokens), although all offsets beyond $k$ on a side share
#   one trained number. T5's bias gets worse still (0.85): its buckets from offset 32 on were never
#   trained;
# - the window does not get worse, as no query meets an offset that was not trained (and it loses
#   nothing here, as the rule spans only three tokens);
# - Shaw's clipped *keys* do not get worse either.
#
# Why the bias suffers and Shaw's keys do not, we have not tested.
#
# **Cause 5 is real.** Here Shaw's keys, clipped at $k$ = 8, and a window help.

# %% [markdown]
# ## 6. A line is not the only order
#
# Cause 6: so far all positions count along the text, and that may be the wrong order. In the
# figures below an arrow leads from each word to its **parent**, the word that it depends on in the
# grammar; the **root** has none. Compare *cat* and *sat* in the short sentence and in the longer
# one, where a clause stands between them:

# %%
parents = torch.tensor([1, 2, -1, 2, 5, 3])  # for each word its parent's position; −1 is the root
plots.show(*stack.tree(words, parents.tolist(), centre=1))
longer_words = ["the", "cat", "that", "we", "fed", "sat", "on", "the", "mat"]
longer_parents = torch.tensor([1, 5, 4, 4, 1, -1, 5, 8, 6])
plots.show(*stack.tree(longer_words, longer_parents.tolist(), centre=1))

# %% [markdown]
# In the text, the clause moves *sat* from offset +1 to offset +4, seen from *cat*. In the tree,
# *sat* stays one step up from *cat*, at offset −1. Does a model gain by positions in the tree? We
# shall train models on the **tree language**. In it, the parent of a word decides, nine times in
# ten, which word it is, and the words stand in random order.
#
# A tree is given as a tensor `parents`, as in the cell with the pictures.

# %% [markdown] exercise="depths" title="Depth" difficulty=2 minutes=8
# In a tree, the absolute position of a word is its **depth**: the number of steps from the word up
# to the root, which itself has depth 0. Write `tree_depths`. From `parents`, of shape $(T,)$, it
# gives depths, of shape $(T,)$. For the short sentence above they are 2, 1, 0, 1, 3, 2. Words come
# in the order of the text, so a parent may stand to the right of its word. A tree has 1 to 400
# words, and may be a single chain. Return integers (`torch.int64`), since rows of a table are
# looked up with them. `parents` stays as it is.
#
# *Why care:* depth is for a tree what the position is for a text: a model can be given depths at
# the input.
#
# <details><summary>Hint</summary>
#
# For each word, walk up until the parent is −1, and count. Note that −1 is also a valid index in
# Python.
# </details>

# %% solution="depths"
def tree_depths(parents: torch.Tensor) -> torch.Tensor:
    """Steps from each word up to the root; (T,) → (T,)."""
    ### BEGIN SOLUTION
    depths = []
    for word in range(len(parents)):
        steps = 0
        while parents[word] >= 0:
            word, steps = int(parents[word]), steps + 1
        depths.append(steps)
    return torch.tensor(depths)
    ### END SOLUTION

# %% test="depths" points=1
check.depths(tree_depths)
### BEGIN HIDDEN TESTS
check.depths(tree_depths, seed=6404)
### END HIDDEN TESTS

# %%
predict("depth", "In the tree language, the loss is 1.37 nats without positions, and the limit is "
        "0.31. A depth does not say which word is the parent. To what does a vector for the depth, "
        "added at the input, bring the loss?",
        a="about 1.3", b="about 0.9", c="about 0.5", answer="")

# %% [markdown] exercise="tree" title="Offsets in a tree" difficulty=4 minutes=20
# Now write the offsets that our attention can use in place of $j - i$. The relative position of
# query $i$ and key $j$ in a tree is a signed number of steps:
#
# - if one of the two words is **above** the other (its ancestor), or if they are the same word, it
#   is $\text{depth}_j - \text{depth}_i$: up is negative, down is positive;
# - otherwise it is the number of steps on the path from $i$ up to their **lowest common ancestor**
#   and down to $j$, with a minus where $j$ stands before $i$ in the text: left is negative.
#
# Write `tree_offsets`. From `parents`, of shape $(T,)$, it gives a matrix of shape $(T, T)$: the
# entry in row $i$ and column $j$ is for query $i$ and key $j$. You may use `encodings.tree_depths`
# for the depths. In the short sentence above, the offset from the first *the* (position 0) to *cat*
# is −1, to *sat* −2, and to *on* +3 (two steps up, one down).
#
# <details><summary>Small print, which is checked too</summary>
#
# - Again the words may come in any order, and a tree of 1 to 200 words may be a single chain.
# - Return integers (`torch.int64`), since an encoding looks up vectors with them. `parents` stays
#   as it is.
# </details>
#
# *Why care:* our attention takes any matrix of this shape as its `offsets`. The same encoding then
# serves sentences, syntax, or program code.
#
# <details><summary>Hint 1</summary>
#
# Write down for each word the list of itself and all words above it. Which words are on both lists
# of a pair?
# </details>
# <details><summary>Hint 2</summary>
#
# A word's list has depth + 1 entries. If a pair shares $c$ entries, the lowest shared word has
# depth $c - 1$.
# </details>

# %% solution="tree"
def tree_offsets(parents: torch.Tensor) -> torch.Tensor:
    """Signed steps from word i to word j in the tree; (T,) → (T, T)."""
    ### BEGIN SOLUTION
    T, depth = len(parents), encodings.tree_depths(parents)
    above = torch.eye(T).long()  # 1 where word j is word i or above it
    for i in range(T):
        at = i
        while (at := int(parents[at])) >= 0:
            above[i, at] = 1
    lowest = above @ above.T - 1  # depth of the lowest word above both
    i, j = depth[:, None], depth[None, :]
    order = torch.sign(torch.arange(T)[None, :] - torch.arange(T)[:, None])
    on_a_path = lowest == torch.minimum(i, j)
    return torch.where(on_a_path, j - i, order * (i + j - 2 * lowest))
    ### END SOLUTION

# %% test="tree" points=1.5
check.tree(tree_offsets)
### BEGIN HIDDEN TESTS
check.tree(tree_offsets, seed=6505)
### END HIDDEN TESTS

# %% [markdown]
# Depths, and offsets between a word and its ancestor, are those of Wang et al. (2019, section 3).
# Between branches, Wang et al. lead every path through the root. Our paths turn at the lowest
# common ancestor, which keeps siblings close, however deep they stand.
#
# Do such offsets help? In the tree language, the order of the text says nothing. Train two layers
# with Shaw's keys on 1,000 such sentences, once with the offsets in the text and once with your
# offsets in the tree.

# %% tags=["training"]
from helpers.corpora import TreeLanguage, corrupt

offsets_of, forest = check.tree.use(tree_offsets), TreeLanguage()
sentences, trees = forest.sample(1200, 16, torch.Generator().manual_seed(0))
in_tree = torch.stack([torch.as_tensor(offsets_of(each)) for each in trees])
in_text = (torch.arange(16)[None, :] - torch.arange(16)[:, None]).expand_as(in_tree)

def masked(rows, offsets, random):
    """These sentences, masked anew, with the offsets that the model is given."""
    batch = corrupt(sentences[rows], forest.num_symbols, forest.mask_id, random)
    return batch._replace(given={"offsets": offsets[rows]}, parents=trees[rows])

def on_trees(name, offsets, seed, steps=200):
    """Loss and limit on sentences that were not trained on."""
    seed_everything(seed)
    random = torch.Generator().manual_seed(seed)
    model = Encoder(create("shaw_keys", d_model=48, num_heads=4), forest.vocab_size)
    # The last 200 sentences, masked in four ways, are for the test.
    test = masked(torch.arange(1000, 1200).repeat(4), offsets, torch.Generator().manual_seed(1))
    train(model, lambda: masked(torch.randint(1000, (64,), generator=random), offsets, random),
          steps, bayes_loss=forest.bayes_loss(test), label=f"{name}, seed {seed}")
    return f"{evaluate(model, test).loss:.2f} (limit {forest.bayes_loss(test):.2f})"

given = {"in the text": in_text, "in the tree": in_tree.double().round().long()}
for name, offsets in given.items():
    print(f"{name}, loss in nats by seed:", *(on_trees(name, offsets, seed) for seed in seeds))

# %%
recorded = results.load("tree")
print(recorded.note)
names = {"none": "no positions", "Shaw on words": "offsets in the text",
         "tree depth": "depths in the tree", "Shaw on the tree": "offsets in the tree"}
by_kind = recorded.table.groupby("encoding")[["loss", "limit"]].agg(["mean", "std"])
by_kind = by_kind.loc[[*names]].rename(names)
by_kind.round(3)

# %%
found = by_kind["loss", "mean"]["depths in the tree"]
outcome("depth", "a" if found > 1.1 else "b" if found > 0.7 else "c")

# %% [markdown]
# Your two runs differ only in their offsets. With those in the text the loss stays far from the
# limit; with yours in the tree it comes near. Longer recorded runs agree. They also show that
# offsets in the text are no better than no positions at all, and that the depth alone comes most of
# the way to the limit.
#
# **Cause 6 is real** where a tree decides. The cure has a price: somebody has to know the tree. For
# English this is a parser, with its errors.

# %% [markdown]
# ## 7. Your answer
#
# All six causes are tested:
#
# | cause | verdict | section |
# | --- | --- | --- |
# | 1. The tokens become alike. | real without skips | 1 |
# | 2. Positions get hard to read. | holds in part: the loss need not suffer | 2 |
# | 3. Distant words are out of reach. | ruled out, unless there is a window | 3 |
# | 4. The pairs cost too much. | real, for very long texts | 4 |
# | 5. The text is longer than in training. | real, but not for every encoding | 5 |
# | 6. Another order counts than that of the text. | real where a tree decides | 6 |

# %% [markdown] exercise="stacking" title="What goes wrong in a stack?" difficulty=3 minutes=26
# d2l's exercise asks: a deep model is made by stacking self-attention with positional encoding;
# what can go wrong? Answer in 150 to 300 words. Your instructor reads your answer, and gives a
# point for each of these:
#
# 1. **What goes wrong, with numbers.** Name at least two issues that this unit has measured. For
#    each, give a number that your notebook shows, your own or a recorded one (do not compare one
#    with the other), and say what it was measured on.
# 2. **What was not the cause.** Name one explanation that sounds right and that your measurements
#    rule out, and the measurement that rules it out.
# 3. **A fix and its price.** For one of your issues, say what helps, how much it helps by your
#    numbers, and what it costs or where it would not help.
#
# An explanation that nobody has measured is a guess. If you repair the wrong part, you pay the
# price and keep the problem.
#
# <details><summary>Hint</summary>
#
# Look through the numbers that sections 1, 2, 4, 5 and 6 print. Which of them would you not want to
# see in a model of yours? Sections 3 and 4 also print what does **not** change. To see what a fix
# brings, compare two lines of a table that differ in one thing only.
# </details>

# %% [markdown] essay="stacking" points=3
# *A model answer. Numbers differ a little between machines; what counts is that the learner's
# notebook shows them and that they fit the claim. In brackets: where the notebook prints them.*
#
# **What goes wrong.** Attention alone forgets which token is which. With random weights, $D$ = 64
# and $T$ = 32, the rank residual was 0.22 after one layer, 5·10⁻⁶ after two and a rounding error
# after three (section 1, six stacks). Four layers without skips stayed at 1.9 nats after 200
# steps of training (section 1, end; limit 0.28). Second, a table of positions does not carry over
# to longer texts: trained with skips on 24 tokens, its loss was 1.4 at 48 and 1.9 at 96, with
# limits near 0.2 (section 5). Third, the pairs cost $2T^2D$: 10 % of a layer at $T$ = 512 and
# $D$ = 768, half at $T$ = 4,608 (section 4).
#
# **What was not the cause.** "Distant words are out of reach because positions are fixed": with
# sinusoids as without, one layer connects output 0 with all 32 inputs (section 3). Nor is it the
# number of parameters: $4D^2$ at every length (end of section 4). Nor does an MLP prevent the
# collapse: $r$ was 0.09 after one untrained layer and below 10⁻⁷ after two.
#
# **A fix and its price.** The skip connection kept $r$ at 0.94 after six random layers, and
# brought the trained loss from 1.9 to 0.4 (section 1), for the price of an addition. After 48
# layers $r$ was down to 0.2 all the same, as the mean row had grown. For longer texts,
# Shaw's offsets: at most 0.3 nats at 48 and 96 tokens, for a term in every layer. A window would
# save pairs, but with $k$ = 2 output 0 saw only 17 inputs after eight layers (section 3).
#
# *Also right: the probe's error, 0 at the input and about 4 after four layers, where the middle
# misses by 6 (section 2), if it is not said that the loss suffered from it; words in a tree, 1.4
# nats with offsets in the text and 0.4 or less with those in the tree (section 6). No point for
# "it overfits" or "its span is fixed", nor for an issue without a number.*

# %% [markdown]
# ## 8. Check against the book
#
# d2l's attention, stacked eight times with random weights, first alone and then with d2l's
# `AddNorm` (a skip and a LayerNorm):

# %% tags=["nbval-check-output", "shown"]
import warnings

from helpers.book import d2l

def theirs(skip, D=64):
    torch.manual_seed(0)
    x = torch.randn(4, 32, D)
    for _ in range(8):
        y = d2l.MultiHeadAttention(D, 4, dropout=0)(x, x, x, None)
        x = d2l.AddNorm(D, dropout=0)(x, y) if skip else y
    return probes.rank_residual(x).mean()

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # PyTorch's, on the layers that the book uses
    if d2l:
        print(f"alone:   r = {theirs(skip=False):.2f}")
        print(f"AddNorm: r = {theirs(skip=True):.2f}")

# %% [markdown]
# The book's code gives the same result: alone it collapses, with *AddNorm* (a skip, then a
# LayerNorm) it does not. So cause 1 does not come from our code.

# %% [markdown]
# ## What to keep
#
# - Attention alone makes all tokens alike. The number of zeros soon triples with each layer: the
#   collapse is doubly exponential.
# - A skip around each part prevents the collapse; the MLP does not. With skips, the mean row still
#   grows, so the rank residual falls with depth.
# - A position given once, at the input, is hard to read after the first layer, but the loss need
#   not suffer. Judge a probe on sequences that it was not fitted on.
# - The path between two tokens is one layer long. The price is the $T^2$ pairs: half of the work at
#   $T = 6D$. Attention's parameters stay $4D^2$.
# - A table fails beyond the length it was trained at. Here Shaw's keys, clipped at $k$ = 8, carry
#   over.
# - `offsets` need not be $j - i$: in a tree they say what the order of the text cannot.
#
# Unit 07 is about what goes into such a stack: one row with two sentences.

# %% [markdown]
# ## Appendix: heads that act as a convolution
#
# This goes beyond the question of the unit. A convolution reads a few neighbours, whereas attention
# reads every token. Yet Cordonnier et al. (2020, theorem 1) show that enough heads with relative
# positions can act as a convolution. Here is the idea in one dimension. Head $h$ has a **centre**,
# the offset $\Delta_h$, and gives the key at offset $j - i$ the score
#
# $$s_h(j - i) = -\alpha\,(j - i - \Delta_h)^2$$
#
# For a large $\alpha$, the softmax of this head picks the one key at its centre. A convolution of
# size $K$ has one matrix for each offset. These matrices are its **taps** $W_0, \dots, W_{K-1}$,
# each from $C$ to $C'$ *channels* (entries of a token's vector). Give each tap a head of its own:
#
# $$y_i = \sum_{h=0}^{K-1} W_h \sum_j \operatorname{softmax}_j\big(s_h(j - i)\big)\, x_j$$

# %% [markdown] exercise="convolution" title="Attention as a convolution" difficulty=3 minutes=15
# Build this sum of heads, and you can watch attention turn into a convolution. Write
# `attention_as_convolution`. It takes `x` of shape $(T, C)$, the number `alpha`, and a `kernel` in
# PyTorch's layout, of shape $(C', C, K)$ with odd $K$, where `kernel[:, :, h]` is $W_h$; it returns
# $y$ of shape $(T, C')$. In PyTorch's convolution the middle tap multiplies the token itself, and
# the tap before it multiplies the neighbour to the **left**: choose the centres $\Delta_h$ to
# match. The softmax runs over the $T$ keys that exist, even if the kernel is longer than the text.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The result must be right even if `alpha` is so large that exp(score) is 0 in floating point for
#   all keys of a query.
# - The result has the dtype of `x`. Compute everything in that dtype, the softmax too: where the
#   contributions of two taps nearly cancel, fewer digits would ruin the small difference.
# - Gradients must reach `x` and `kernel`, and both stay as they are.
# </details>
#
# *Why care:* with enough heads of sufficient width, attention can represent a convolution. Whether
# it learns one is another matter, and it costs $T^2$.
#
# <details><summary>Hint 1</summary>
#
# For $K = 3$ the centres are −1, 0 and 1. `j - i` for all pairs is a $(T, T)$ matrix.
# </details>
# <details><summary>Hint 2</summary>
#
# For one head: `weights @ x @ kernel[:, :, h].T`. Turn the scores into the dtype of `x` before the
# softmax. Then sum over the heads.
# </details>

# %% solution="convolution"
def attention_as_convolution(x: torch.Tensor, kernel: torch.Tensor, alpha: float) -> torch.Tensor:
    """Σ_h softmax_j(−α(j − i − Δ_h)²) x W_hᵀ; x (T, C), kernel (C', C, K) → (T, C')."""
    ### BEGIN SOLUTION
    places = torch.arange(len(x))
    delta = places[None, :] - places[:, None]  # j − i
    y = 0
    for h in range(kernel.shape[2]):
        scores = -alpha * (delta - (h - kernel.shape[2] // 2)) ** 2
        weights = scores.to(x.dtype).softmax(-1)
        y = y + weights @ x @ kernel[:, :, h].T
    return y
    ### END SOLUTION

# %% test="convolution" points=1.5
check.convolution(attention_as_convolution)
### BEGIN HIDDEN TESTS
check.convolution(attention_as_convolution, seed=6606)
### END HIDDEN TESTS

# %%
predict("edge", "With α = 20, how far is attention from a convolution padded with zeros?",
        a="nowhere further than 0.001", b="far off at the two ends of the text, close inside",
        c="far off everywhere: a softmax is never exact", answer="")

# %% [markdown]
# First draw the heads: let $x$ and every tap be the identity. Then the output is the attention
# weights, summed over the heads. Move $\alpha$, and watch three heads become the three taps of a
# kernel.

# %% tags=["figure"]
convolve = check.convolution.use(attention_as_convolution)

def draw_taps(alpha, sides):
    K, eye = 2 * sides + 1, torch.eye(20, dtype=torch.float64)
    seen = convolve(eye, eye[:, :, None].expand(-1, -1, K).clone(), alpha)
    figure, ax = plt.subplots(figsize=(5, 3.6))
    plots.heatmap(ax, seen, x="key j", y="query i", title=f"{K} heads, α = {alpha:.1f}",
                  limit=sides + 1)
    ax.set(xticks=range(0, 20, 5), yticks=range(0, 20, 5))
    most = float(torch.as_tensor(seen).max())
    return figure, f"Weights of {K} heads, summed, at α = {alpha:.1f}: the largest is {most:.2f}."

widgets.explore(draw_taps, alpha=("sharpness α", 0.0, 5.0, 0.4),
                sides=("neighbours on each side", 0, 3, 1))

# %% tags=["nbval-check-output"]
random = torch.Generator().manual_seed(0)
x = torch.randn(40, 6, generator=random, dtype=torch.float64)
kernel = torch.randn(4, 6, 3, generator=random, dtype=torch.float64)
true = nn.functional.conv1d(x.T[None], kernel, padding=1)[0].T  # (T, C')
for alpha in (1, 5, 10, 20):  # `convolve` is your function, from the folded cell above
    error = (torch.as_tensor(convolve(x, kernel, alpha)) - true).abs()
    inside, ends = error[1:-1].max(), error[[0, -1]].max()
    print(f"α = {alpha:2}: error inside {inside:.0e}, at the ends {ends:.0e}")

# %%
outcome("edge", "c" if inside > 1e-3 else "b" if ends > 1e-3 else "a")

# %% [markdown]
# Inside the text, a head still gives a weight of about $e^{-\alpha}$ to each neighbour of its key.
# So the error inside falls as $\alpha$ grows. At the ends the error stays, because a softmax must
# put its weight on keys that exist. At the ends attention acts as if the first and last token were
# repeated outwards, where the convolution has zeros.
#
# <details><summary>How wide must a head be?</summary>
#
# In a head of width $d$, $W_h$ is the product of a $C' \times d$ and a $d \times C$ matrix (the
# head's parts of $W_O$ and $W_V$), so its rank is at most $d$. It can equal any tap only if $d \ge
# \min(C, C')$. A usual layer with $d = D/H$ does not reach this.
# </details>

# %% [markdown]
# ## Further reading
#
# - Dong, Cordonnier and Loukas 2021, *Attention Is Not All You Need* (2103.03404): the rank
#   residual and its doubly exponential decay.
# - Vaswani et al. 2017, *Attention Is All You Need*, table 1: cost per layer and path length.
# - Wang and Chen 2020 (2010.04903): position embeddings, probed. Dehghani et al. 2019, *Universal
#   Transformers* (1807.03819): positions added before every step.
# - Wang et al. 2019 (1909.00383), section 3: positions in a tree.
# - Cordonnier, Loukas and Jaggi 2020 (1911.03584), theorem 1: attention and convolution; Yang et
#   al. 2019 (1904.03107): attention in a window.
