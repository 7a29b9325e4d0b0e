# %% [markdown]
# # 03 · Learned encodings
#
# Unit 02 computed a vector for each position. In GPT and BERT the position vectors are
# **parameters**, numbers that training changes: they are initialised at random and trained like all
# others. That sounds like the better idea, since a model should know best what it needs. But does
# such a table work because it is learned? This unit takes a table apart to find out. Then it lets a
# model learn the *formula* instead of the vectors.
#
# By the end of this unit you can
#
# - build the position table of GPT and BERT, and say how it is initialised and what training does
#   to it;
# - say whether a table has to be learned;
# - say what can be done for positions beyond the last row of a table, and measure what it costs;
# - compute a position's vector instead of storing it, by an MLP of the index or by Fourier
#   features, and measure how much neighbouring vectors differ;
# - compare encodings fairly: equal budget, several seeds, and the distance to the exact limit.
#
# Reading and running takes about 35 minutes besides the exercises.

# %%
import math

import matplotlib.pyplot as plt
import pandas as pd
import torch
import torch.nn.functional as F
from torch import nn

from helpers import encodings, plots, results, widgets
from helpers.checks import learned as check
from helpers.encodings import Additive, Encoding
from helpers.pictures import hooks
from helpers.predict import outcome, predict

# %% [markdown]
# A learned table uses the same hook as the sinusoids of unit 02: once, at the input, row $p$ is
# added to the vector of the token at position $p$. What is new is how the rows are obtained: by
# training.

# %% tags=["shown"]
plots.show(*hooks.hooks("embed"))

# %% [markdown]
# What happens if a table is **not** trained? PyTorch trains a table if it is an `nn.Parameter`:
# each step then changes it according to its **gradient**, which says how the loss changes with each
# entry. A table that is a plain tensor raises no error: everything else is trained, and the table
# keeps its random initial values.
#
# The test is the language of unit 00: nine times in ten, a token follows from the token three
# positions before it. The same small encoder was trained without positions, with a table that was
# never trained, and with a trained table. Each dot is a seed. The grey line is the limit, the
# lowest possible loss.

# %%
lag3, lag_controls = results.load("lag3"), results.load("lag_controls")
controls = lag_controls.table[lag_controls.table["length"] == 24]
blind = lag3.table[(lag3.table["encoding"] == "none") & (lag3.table["length"] == 24)]
models = {"trained table": controls[controls["encoding"] == "learned"],
          "table, never trained": controls[controls["encoding"] == "frozen"],
          "no positions": blind}

# %% tags=["figure"]
figure, ax = plt.subplots(figsize=(7, 1.8))
for name, runs in models.items():
    ax.plot(runs["loss"], [name] * len(runs), "o")
ax.axvline(blind["limit"].mean(), color="grey", linewidth=3, alpha=0.4)
ax.set(xlabel="loss at 24 tokens (nats per hidden token)", xlim=(0, 1.8), ylim=(-0.5, 2.5))
above = {name: (runs["loss"] - runs["limit"]).mean() for name, runs in models.items()}
told = "; ".join(f"{name} {gap:.2f}" for name, gap in above.items())
plots.show(figure, f"A dot for each seed. Mean distance to the limit, in nats: {told}.")
print(lag_controls.note)

# %% [markdown]
# With the trained table, the mean loss ends 0.04 nats above the limit. With the table that was
# never trained, the mean loss is 1.24 nats above the limit. Without positions, it is 1.33 nats
# above it. So it looks as if a table works *because* it is learned. Section 3 tests this.

# %% [markdown]
# ## 1. A formula or training
#
# The Transformer of 2017, GPT and BERT add one row per position to the token's vector. In the
# first, a formula gives the rows; GPT and BERT learn them:
#
# | | Transformer (2017) | GPT (2018) | BERT (2018) |
# | --- | --- | --- | --- |
# | token at $p$ | $\sqrt{D}\,E_{x_p} + PE(p)$ | $W_e[x_p] + W_p[p]$ | $E_{x_p} + S_{s_p} + P_p$ |
# | row $p$ | $\sin(p\,\omega_i),\ \cos(p\,\omega_i)$ | row $p$ of $W_p$ | row $p$ of $P$ |
# | fixed | every row | the number of rows, 512 | the number of rows, 512 |
# | learned | nothing | every entry of $W_p$ | every entry of $P$ |
# | initialisation | the formula's | $\mathcal{N}(0,\ 0.02^2)$ | $\mathcal{N}(0,\ 0.02^2)$ |
# | position 512 | the formula goes on | there is no row | there is no row |
#
# $E_{x_p}$ and $W_e[x_p]$ are the vector of the token at position $p$. $S_{s_p}$ says whether this
# token is in the first or the second sentence (unit 07). $\mathcal{N}(0,\ 0.02^2)$ is the normal
# **distribution** (how probable each value is) with mean 0 and standard deviation 0.02. BERT's code
# truncates it at two standard deviations. How many parameters does the position table add to BERT?

# %% tags=["nbval-check-output"]
rows, width, in_all = 512, 768, 109_482_240  # BERT base; unit 08 derives its 109,482,240
print(f"{rows} · {width} = {rows * width:,} parameters, {rows * width / in_all:.2%} of BERT base")

# %% [markdown] exercise="table" title="A table that learns" difficulty=2 minutes=15
# Write `LearnedEncoding`, the table of GPT and BERT, as an `Encoding`:
#
# - `__init__` makes one `nn.Parameter` with `max_len` rows of `d_model` entries. The entries are
#   drawn from a normal distribution with mean 0 and standard deviation `std`;
# - `embed(x, positions)` takes $(B, T, D)$ and returns $x$ plus the rows `positions.queries`, a
#   tensor of shape $(T,)$ or $(B, T)$: the rows $0, \dots, T-1$ in an ordinary text;
# - if $T$ is larger than `max_len`, whatever the positions are, it raises a `ValueError` that names
#   both numbers.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The normal distribution is not truncated, and every new module draws independently. Nothing else
#   is trained.
# - The sum is computed in the dtype of $x$, even if the rows have another, for example a less
#   precise one.
# - A gradient reaches both $x$ and the rows; neither $x$ nor `positions` is changed.
# </details>
#
# *Why care:* a table that is not a Parameter raises no error. The rest of the model trains, but the
# rows keep their small initial values, and the loss ends far above the limit, as the picture before
# section 1 shows.
#
# <details><summary>Hint 1</summary>
#
# `torch.randn(…)` has standard deviation 1. Multiplied by `std` it has the standard deviation
# `std`.
# </details>
# <details><summary>Hint 2</summary>
#
# Set `self.table = nn.Parameter(…)`. Then `embed` is nearly what it was for sinusoids in unit 02.
# What is compared with `max_len` is $T$, not a position.
# </details>

# %% solution="table"
class LearnedEncoding(Encoding):
    """x + row p of a trained table of `max_len` rows."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, std: float = 0.02):
        super().__init__(d_model, num_heads, max_len)  # keeps the three as attributes
        ### BEGIN SOLUTION
        self.table = nn.Parameter(torch.randn(max_len, d_model) * std)
        ### END SOLUTION

    def embed(self, x: torch.Tensor, positions: encodings.Positions) -> torch.Tensor:
        """(B, T, D) → (B, T, D); raises ValueError where T is beyond `max_len`."""
        ### BEGIN SOLUTION
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}: no row to add")
        return x + self.table[positions.queries].to(x.dtype)
        ### END SOLUTION

# %% test="table" points=3
check.table(LearnedEncoding)
### BEGIN HIDDEN TESTS
check.table(LearnedEncoding, seed=3101)
### END HIDDEN TESTS

# %% [markdown]
# ## 2. How large is a position vector?
#
# A row is added to a token's vector, so what counts is the ratio of their norms. A row of $D$
# entries with standard deviation $\sigma$ has a norm of about $\sigma\sqrt{D}$. A sinusoidal row
# has a norm of exactly $\sqrt{D/2}$: each of its $D/2$ pairs adds $\sin^2 + \cos^2 = 1$ to the
# squared norm.

# %% tags=["nbval-check-output"]
draw = torch.Generator().manual_seed(0)
tables = {
    "learned, std 0.02": (0.02 * torch.randn(512, 768, generator=draw), 0.02 * math.sqrt(768)),
    "learned, std 1": (torch.randn(512, 768, generator=draw), math.sqrt(768)),
    "sinusoidal": (encodings.sinusoidal_table(512, 768), math.sqrt(768 / 2)),
}
for name, (each, predicted) in tables.items():
    print(f"{name}: mean norm {each.norm(dim=1).mean():.1f}, predicted {predicted:.1f}")

# %% [markdown]
# GPT and BERT initialise their token vectors with the same standard deviation of 0.02, so token and
# position start with equal norms. Sinusoidal rows would be more than thirty times as long as these
# token vectors. (Vaswani et al. multiply their token vectors by $\sqrt{D}$ before they add the
# sinusoids, section 3.4.)
#
# So a comparison of two encodings may really compare their scales.

# %% [markdown]
# ## 3. Does a table have to be learned?
#
# The table that failed above was **frozen**: drawn at random and never trained. It was initialised
# as in GPT and BERT, with a standard deviation of 0.02. Now freeze a table that was drawn with a
# standard deviation of 1, and train everything else. Its random rows carry no information about
# order either: row 5 has nothing to do with row 4. All that can help is that each row differs from
# the others.

# %%
predict("frozen", "A random table that is never trained (std 1): how good will the model be?",
        a="about as bad as without positions: nothing was learned about positions",
        b="half way between no positions and a learned table",
        c="as good as with a learned table", answer="")

# %%
at24 = controls.groupby("encoding", sort=False)["loss"]
print(f"limit: {controls['limit'].mean():.3f}")
tables_only = ["learned", "learned, std 1", "frozen", "frozen, std 0.14", "frozen, std 1"]
at24.agg(["mean", "std"]).loc[tables_only].round(3)  # std is that of the loss over three seeds

# %%
losses, none = at24.mean(), blind["loss"].mean()  # none: without positions
gap = (losses["frozen, std 1"] - losses["learned"]) / (none - losses["learned"])
outcome("frozen", "c" if gap < 0.05 else "a" if gap > 0.9 else "b")

# %% [markdown]
# (Recorded: 1,000 steps.) This encoder's token vectors begin with a standard deviation of
# $1/\sqrt{48} \approx 0.14$.
#
# - A table frozen at 1, seven times the tokens' scale, does as well as a learned one. The layers
#   behind it learn to *read* 24 random vectors.
# - A table frozen at the tokens' scale is hardly worse.
# - A table frozen at 0.02, a seventh of the tokens' scale, is nearly useless. This is the failure
#   with which the unit began.
#
# So that table failed because it was small and, being frozen, could not grow. On this language a
# table need not be learned, only **large** enough. (Here there are fewer positions than dimensions.
# We have not tested the opposite.)

# %% [markdown]
# ## 4. What training does to it
#
# Train your table, initialised with the usual 0.02, in a two-layer encoder on the same language.
# The table has 96 rows, but the texts have only 24 tokens.

# %% tags=["training"]
from torch import Generator

from helpers.corpora import LagLanguage
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train

language = LagLanguage()
torch.manual_seed(0)
mine = check.table.use(LearnedEncoding)(48, num_heads=4, max_len=96)
(table,) = mine.parameters()  # the one Parameter of your module
table_before = table.detach().clone().view(96, 48)
trained, text = Encoder(mine, language.vocab_size), Generator().manual_seed(0)

# %% tags=["training"]
test = language.batch(2000, 24, Generator().manual_seed(10_024))
limit = language.bayes_loss(test)
train(trained, lambda: language.batch(64, 24, text), steps=400, bayes_loss=limit,
      label="your table")
table_after = table.detach().clone().view(96, 48)
table_loss = evaluate(trained, test).loss
print(f"seed 0: loss {table_loss:.2f} nats per hidden token; no model can beat {limit:.2f}")

# %% [markdown]
# How large has each row become? The token vectors of this encoder began with a norm of about 1.

# %% tags=["training", "figure"]
figure, ax = plt.subplots()
curves = {"before": (range(96), table_before.norm(dim=1)),
          "after": (range(96), table_after.norm(dim=1))}
plots.lines(ax, curves, x="position p", y="norm of row p", title="96 rows, texts of 24 tokens")
was, now = table_before[:24].norm(dim=1).mean(), table_after[:24].norm(dim=1).mean()
plots.show(figure, f"Rows 0 to 23: mean norm {was:.2f}, then {now:.2f}; the rest hardly moved.")
print(f"the rows in use have grown to {now / was:.1f} times their norm")

# %% [markdown]
# Two things have happened. The rows in use have grown: 0.02 is only where they start. Rows 24 to 95
# were not trained: no text was long enough to reach them, so their gradient was zero. Have these
# rows changed in any way?

# %% tags=["training"]
ratio = table_after[24:] / table_before[24:]
print(f"rows 24 to 95: every entry times {ratio.min():.3f} to {ratio.max():.3f}")

# %% [markdown]
# All entries of these rows shrank by the same factor. This is the **weight decay** of AdamW, the
# optimiser that trains this model. Each step also moves every weight a little towards zero, even a
# weight whose gradient is zero.

# %% [markdown]
# ### What is in the rows?
#
# Nothing forces the trained rows to show their order: row 5 need not resemble row 4. Is there a
# pattern in the trained table all the same? A Fourier transform over the positions splits the table
# into waves. A wave of frequency $f$ repeats every $1/f$ positions. The **power** of a wave is the
# square of its amplitude, summed over the columns. Before training, the power is spread about
# evenly: each of the 12 frequencies has about 1/12 of it, or 8 %. How is it spread after training?

# %%
predict("waves", "Which frequency has the most power once the table has been trained?",
        a="none stands out: the rows have grown, without a pattern",
        b="1/24, the slowest, as in sinusoids", c="1/3", answer="")

# %%
def spectrum(vectors: torch.Tensor) -> torch.Tensor:
    """Fraction of power at frequencies 0, 1/T, …, 1/2, without the mean; (T, D) → (T/2 + 1,)."""
    power = torch.fft.rfft(vectors - vectors.mean(0), dim=0).abs().square().sum(1)
    return power / power.sum()

# %% tags=["training", "figure"]
frequencies = torch.arange(13) / 24
curves = {"table before": table_before[:24], "table after": table_after[:24],
          "sinusoidal": encodings.sinusoidal_table(24, 48)}
curves = {name: (frequencies, spectrum(rows)) for name, rows in curves.items()}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="frequency (turns per position)", y="fraction of the power")
ax.axvline(1 / 3, color="grey", linewidth=3, alpha=0.4)
peaks = ", ".join(f"{name} {int(row.argmax())}" for name, (_, row) in curves.items())
plots.show(figure, f"Power by frequency; the peaks, in turns per 24 positions: {peaks}.")

# %% [markdown]
# The grey line marks the frequency 1/3, a wave that repeats every **three** positions.

# %% tags=["training"]
power = spectrum(table_after[:24])
largest = int(power.argmax())  # 8 of 24 is a frequency of 1/3
outcome("waves", "a" if power[largest] < 0.2 else "c" if largest == 8 else "b")

# %% [markdown]
# Sinusoids have most of their power in slow waves, whatever the language is. The rule of this
# language looks back three positions, and the trained table has picked that up: about a third of
# its power is at period three.
#
# This peak is not *necessary*, though. A table with standard deviation 1 can be read without being
# trained (section 3), so its rows need not grow. Is there a peak in such a table?

# %% tags=["training"]
torch.manual_seed(0)
large = encodings.create("learned", d_model=48, num_heads=4, max_len=96, std=1.0)
model = Encoder(large, language.vocab_size)
train(model, lambda: language.batch(64, 24, text), steps=400, bayes_loss=limit, label="std 1")
peak = float(spectrum(large.table.detach()[:24])[8])
print(f"std 1: loss {evaluate(model, test).loss:.2f}; period three has {peak:.0%} of its power"
      f" (std 0.02: {float(power[8]):.0%})")

# %% [markdown]
# There is hardly one: on three recorded seeds, period three has 8 to 11 % of the power, near the
# 8 % of an untrained table. Yet the loss is about the same.

# %% [markdown]
# ## 5. Beyond the last row
#
# Your table has 96 rows. Give the trained model a text of 97 tokens:

# %% tags=["training"]
try:
    trained(language.batch(1, 97, Generator().manual_seed(0)).inputs)
except ValueError as error:
    print("97 tokens:", error)

# %% [markdown]
# The table has no row for position 96. In the same way, BERT's table of 512 rows has no row 512.
# What can be done for a longer text?
#
# 1. **Stop with an error**, as your module does. BERT stops too, so longer texts have to be cut.
# 2. **Build more rows** than the training texts need. The additional rows are untrained.
# 3. **Stretch** the trained rows over the longer text, by linear interpolation. Vision Transformers
#    do this when they go on to larger images (Dosovitskiy et al. 2021, section 3.2).

# %% [markdown] exercise="stretch" title="Stretching a table" difficulty=3 minutes=12
# Write `stretch`: from a table of shape $(T, D)$ it makes one of shape `(length, D)`. The first row
# stays the first and the last row stays the last. Between them, new row $n$ is read at position
#
# $$s_n = n\,\frac{T - 1}{\text{length} - 1}$$
#
# of the old table. Where $s_n$ is not an integer, take the mixture of the two rows around it:
# $s_n = 2.25$ gives $0.75\,P_2 + 0.25\,P_3$. `F.interpolate` and the kernels behind it are not
# allowed here; in section 9 you compare your function with it.
#
# <details><summary>Small print, which is checked too</summary>
#
# - $T$ and `length` are at least 2; `length` may be smaller than $T$.
# - The result has the dtype of `table`, float32 or float64, and its precision; for $s_n$, float32
#   is exact enough in both cases.
# - A gradient reaches `table` for any `length`, and `table` stays as it is.
# </details>
#
# *Why care:* libraries have two conventions for the positions of the new rows. The wrong convention
# raises no error, but it moves the rows a little.
#
# <details><summary>Hint 1</summary>
#
# `torch.linspace(0, T - 1, length)` gives every $s_n$. The first of the two old rows has the index
# $s_n$, rounded down.
# </details>
# <details><summary>Hint 2</summary>
#
# The last $s_n$ is $T - 1$, and no row comes after row $T - 1$. So let the index of the first of
# the two rows be at most $T - 2$.
# </details>

# %% solution="stretch"
def stretch(table: torch.Tensor, length: int) -> torch.Tensor:
    """Read `table` at `length` points, evenly from first row to last; (T, D) → (length, D)."""
    ### BEGIN SOLUTION
    points = torch.linspace(0, len(table) - 1, length, dtype=torch.float64)
    low = points.long().clamp(max=len(table) - 2)  # the row below each point
    fraction = (points - low).to(table.dtype)[:, None]  # how much of the row above it
    return (1 - fraction) * table[low] + fraction * table[low + 1]
    ### END SOLUTION

# %% test="stretch" points=2
check.stretch(stretch)
### BEGIN HIDDEN TESTS
check.stretch(stretch, seed=3202)
### END HIDDEN TESTS

# %% [markdown]
# See what `stretch` does to one column. The dots are the old rows, drawn at their new positions.

# %% tags=["figure"]
stretched = check.stretch.use(stretch)
old_rows = encodings.sinusoidal_table(12, 16)

def draw_column(length, column):
    figure, ax = plt.subplots()
    new = stretched(old_rows, length)[:, column]
    ax.plot(torch.linspace(0, length - 1, 12), old_rows[:, column], "o", color="#D55E00")
    ax.plot(range(length), new, "-", marker=".", color="#0072B2")
    ax.set(xlabel="new position", ylabel="value", title=f"12 rows on {length} positions")
    return figure, f"Column {column} of 12 rows, stretched to {length} positions by straight lines."

widgets.explore(draw_column, length=("new length", 6, 60, 36), column=("dimension", 0, 15, 2))

# %% [markdown]
# A text of 48 tokens needs 48 rows, but only rows 0 to 23 are trained. Should the model use rows 24
# to 47 untrained, stretch the trained rows over all 48 positions, or repeat the trained rows?

# %%
predict("longer", "Texts twice as long as in training: which rows do the least harm?",
        a="untrained rows", b="trained rows, stretched", c="trained rows, repeated",
        answer="")

# %% tags=["training"]
first = table_after[:24]
choices = {"untrained": table_after[:48], "stretched": stretched(first, 48),  # by your `stretch`
           "repeated": torch.cat([first, first])}
long_test = language.batch(2000, 48, Generator().manual_seed(10_048))
harm = {}
for name, rows in choices.items():
    table.data.view(96, 48)[:48] = rows
    harm[name] = evaluate(trained, long_test).loss
    print(f"{name}: loss {harm[name]:.2f} at 48 tokens")
print(f"limit: {language.bayes_loss(long_test):.2f}; a blind guess costs {math.log(8):.2f}")

# %% tags=["training"]
outcome("longer", "abc"[list(harm).index(min(harm, key=harm.get))])

# %% [markdown]
# Stretching is worse than a blind guess. An offset of three now looks like one and a half, so the
# model is confident and wrong. Stretched rows still show the **fraction of the text** before a
# token, but half **the offset** between two tokens. For images that is what one wants: at twice the
# resolution, each part should keep its place in the picture.
#
# If the rows repeat, an offset of three stays three, except where the second copy begins. But
# tokens 24 apart then share a row. Untrained rows are only a little worse: with them, the first 24
# tokens at least keep their trained rows. (Loss on three recorded seeds, after 400 steps as here:
# repeated 1.06 to 1.11, untrained 1.17 to 1.23, stretched 2.7 to 2.9.)
#
# None of the three comes near the limit.

# %% [markdown]
# ## 6. Computing the vector: an MLP of the index
#
# A table learns each row alone. Could a small network **compute** row $p$ from the number $p$? Then
# every position would have a vector, and the number of parameters would not depend on the length.
# The first idea is an MLP (two linear layers with a GELU between them) with one input:
#
# $$w_p = \mathrm{LN}\big(\mathrm{MLP}(p\,/\,\text{max\_len})\big)$$
#
# For the first `max_len` positions, the input lies between 0 and 1. (Why not $p$ itself? Section 8
# measures that too, as *MLP(p)*.) LN is a LayerNorm, which shifts and scales each vector to mean 0
# and variance 1. So the vectors have the same scale as a table with standard deviation 1.

# %% [markdown] exercise="index_mlp" title="MLP of the index" difficulty=2 minutes=10
# The class `Additive` has the `embed` that such encodings share: it returns $x$ plus
# `self.vectors(positions.queries)`. Write `vectors` by the formula above: integer positions of
# shape $(T,)$ or $(B, T)$ become vectors of shape $(T, D)$ or $(B, T, D)$, also beyond `max_len`.
# Use `self.mlp` and `self.norm`: their parameters are all that is trained, and gradients reach each
# of them.
#
# <details><summary>Small print, which is checked too</summary>
#
# - `positions` stays as it is.
# - The vectors have the dtype and the precision of the parameters: float32, or float64 after
#   `module.double()`. (For `p / max_len`, float32 is exact enough.)
# </details>
#
# *Why care:* if you divided by the length of the text, position 5 would have a different vector in
# texts of different lengths.
#
# <details><summary>Hint 1</summary>
#
# The input of `self.mlp` has a last axis of length 1: one number per position. Use `.to(…)` to give
# it the dtype of the weights, such as `self.norm.weight.dtype`.
# </details>
# <details><summary>Hint 2</summary>
#
# `positions[..., None]` adds a last axis, however many there are before it.
# </details>

# %% solution="index_mlp"
class IndexMLP(Additive):
    """x_p + LN(MLP(p / max_len))."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512):
        super().__init__(d_model, num_heads, max_len)
        hidden = 4 * d_model
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.GELU(), nn.Linear(hidden, d_model))
        self.norm = nn.LayerNorm(d_model)

    def vectors(self, positions: torch.Tensor) -> torch.Tensor:
        """(T,) → (T, D), or (B, T) → (B, T, D)."""
        ### BEGIN SOLUTION
        index = positions[..., None].to(self.norm.weight.dtype) / self.max_len
        return self.norm(self.mlp(index))
        ### END SOLUTION

# %% test="index_mlp" points=2
check.index_mlp(IndexMLP)
### BEGIN HIDDEN TESTS
check.index_mlp(IndexMLP, seed=3303)
### END HIDDEN TESTS

# %% [markdown]
# Does it learn? Train it like your table: the same seed, the same number of steps, the same test.
# (These vectors begin at a standard deviation of 1, your table began at 0.02. Section 8 also has a
# table that begins at 1.) A hint for the prediction: from one position to the next, the input of
# the MLP changes by 1/96.

# %%
predict("index", "The vectors come from an MLP of p/96. How good is the model after 400 steps?",
        a="as good as with your table: an MLP can learn any function",
        b="half way between your table and no positions",
        c="about as bad as without positions", answer="")

# %% tags=["training"]
from helpers.training.experiments import run

torch.manual_seed(0)
index = check.index_mlp.use(IndexMLP)(48, num_heads=4, max_len=96)
index_run = run(language, lambda: index, seed=0, steps=400, label="index MLP")
index_run

# %% tags=["training"]
def judged(loss: float) -> str:
    """a: as good as your table; c: as bad as without positions; b: between the two."""
    # table_loss: your table, 400 steps; none: without positions, recorded after 1,000 steps
    gap = (loss - table_loss) / (none - table_loss)
    return "a" if gap < 0.1 else "c" if gap > 0.9 else "b"

outcome("index", judged(index_run["loss"].mean()))

# %% [markdown]
# The loss is far from the limit, and 1,000 steps instead of 400 hardly help this MLP (section 8).
# To see why, look at its vectors before training. How similar is the vector of position 12 to the
# others? (Similarity is the cosine of the angle between two vectors.)

# %% tags=["shown"]
torch.manual_seed(0)
new_mlp = check.index_mlp.use(IndexMLP)(48, max_len=96).vectors(torch.arange(24)).detach()
compared = {"MLP of the index": new_mlp, "sinusoidal": encodings.sinusoidal_table(24, 48)}
units = {name: F.normalize(each) for name, each in compared.items()}
curves = {name: (range(24), unit @ unit[12]) for name, unit in units.items()}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="position p", y="cosine of rows p and 12")
least = ", ".join(f"{name} {min(each):.2f}" for name, (_, each) in curves.items())
plots.show(figure, f"Sinusoids have a peak at 12, the MLP is flat. Smallest cosines: {least}.")

# %% [markdown]
# The MLP's line is flat. The inputs of the 24 positions lie between 0 and 0.24, and a new MLP
# changes little over this range. So all positions get nearly the same vector. The LayerNorm makes
# the vectors longer, but the differences between them only grow in proportion.
#
# So a large norm is not enough. Perhaps neighbouring positions also need different vectors. Here is
# a measure of it, the **spacing**: the distance from one vector to the next, relative to their
# norm.

# %%
def spacing(vectors: torch.Tensor) -> float:
    """Mean distance between the vectors of p and p + 1, relative to the vectors' mean norm."""
    return (vectors.diff(dim=0).norm(dim=1).mean() / vectors.norm(dim=1).mean()).item()

for name, each in compared.items():
    print(f"{name}: the spacing is {spacing(each):.1%} of a vector's norm")

# %% tags=["training"]
print(f"after training: {spacing(index.vectors(torch.arange(24)).detach()):.1%}")

# %% [markdown]
# Training has made the vectors even more alike.

# %% [markdown]
# ## 7. Learnable Fourier features
#
# Can an MLP compute good vectors from another input? Li et al. (2021) let it read a clock instead
# of one number. The clock's hands turn at the speeds $W_r$, which are trained. The MLP reads the
# cosine and the sine of each hand's angle:
#
# $$F_p = \frac{1}{\sqrt{D_F}}\,\big[\cos(p\,W_r)\ ;\ \sin(p\,W_r)\big] \qquad \text{(equation 2)}$$
#
# $$Y_p = \mathrm{GELU}(F_p W_1 + B_1)\,W_2 + B_2 \qquad \text{(equation 6)}$$
#
# $W_r$ has $D_F/2$ entries, in radians per position. They are initialised from
# $\mathcal{N}(0, \gamma^{-2})$, where $\gamma^{-2}$ is the variance.

# %% [markdown] exercise="fourier" title="Learnable Fourier features" difficulty=3 minutes=15
# Complete `FourierFeatures`:
#
# - `__init__` makes `self.frequencies`, which is $W_r$: trained, of shape `(num_features // 2,)`,
#   drawn as above, independently for every new module; `num_features` is $D_F$, an even number;
# - `features(positions)` is equation 2: positions of shape $(T,)$ or $(B, T)$ become features of
#   shape $(T, D_F)$ or $(B, T, D_F)$, first all cosines, then all sines;
# - `vectors(positions)` is equation 6, with `self.mlp` and nothing after it.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Features and vectors have the dtype and the precision of the parameters: float32, or float64
#   after `module.double()`.
# - The gradients reach $W_r$ and `self.mlp`, and nothing else is trained.
# - `positions` stays as it is, and may lie beyond `max_len`.
# </details>
#
# *Why care:* for sinusoids, a formula fixes the speeds. Here even the speeds are learned.
#
# <details><summary>Hint 1</summary>
#
# $\gamma^{-2}$ is the variance. What is the standard deviation?
# </details>
# <details><summary>Hint 2</summary>
#
# `positions[..., None] * self.frequencies` gives all angles, for both shapes; `torch.cat(…, -1)`
# joins along the last axis.
# </details>

# %% solution="fourier"
class FourierFeatures(Additive):
    """x_p + MLP of the cosines and sines of p at trained speeds."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512,
                 gamma: float = 1.0, num_features: int = 64):
        super().__init__(d_model, num_heads, max_len)
        self.mlp = nn.Sequential(
            nn.Linear(num_features, d_model), nn.GELU(), nn.Linear(d_model, d_model))
        ### BEGIN SOLUTION
        self.frequencies = nn.Parameter(torch.randn(num_features // 2) / gamma)  # W_r
        ### END SOLUTION

    def features(self, positions: torch.Tensor) -> torch.Tensor:
        """Equation 2: (…) → (…, D_F)."""
        ### BEGIN SOLUTION
        angles = positions[..., None] * self.frequencies
        return torch.cat([angles.cos(), angles.sin()], -1) / math.sqrt(2 * len(self.frequencies))
        ### END SOLUTION

    def vectors(self, positions: torch.Tensor) -> torch.Tensor:
        """Equation 6: (…) → (…, D)."""
        ### BEGIN SOLUTION
        return self.mlp(self.features(positions))
        ### END SOLUTION

# %% test="fourier" points=3
check.fourier(FourierFeatures)
### BEGIN HIDDEN TESTS
check.fourier(FourierFeatures, seed=3404)
### END HIDDEN TESTS

# %% [markdown]
# What does $\gamma$ do? As for sinusoids, the product of two feature vectors depends only on the
# offset $p - q$:
#
# $$\langle F_p, F_q \rangle = \frac{1}{D_F}\sum_n \cos\big((p - q)\,(W_r)_n\big)
# \;\approx\; \frac{1}{2}\,e^{-(p-q)^2 / (2\gamma^2)}$$
#
# The right side is the average over all draws of $W_r$: a bell curve of width $\gamma$. So $\gamma$
# says **how many positions look alike** before training. At offset 0 the product is ½. The picture
# shows twice the product (`similarity_by_offset` of unit 02), so it starts at 1. Move $\gamma$,
# then take more features.

# %% tags=["figure"]
Features = check.fourier.use(FourierFeatures)

def draw_bell(log10_gamma, half_D_F):
    torch.manual_seed(0)
    k, gamma = torch.arange(64), 10.0**log10_gamma
    rows = Features(48, gamma=gamma, num_features=2 * half_D_F).features(k).detach()
    yours, bell = encodings.offset_profile(rows), torch.exp(-(k**2) / (2 * gamma**2))
    curves = {"your features": (k, yours), "bell curve": (k, bell)}
    figure, ax = plt.subplots()
    title = rf"$\gamma$ = {gamma:.1f}, $D_F$ = {2 * half_D_F}"
    plots.lines(ax, curves, x="offset k", y="similarity (1 at offset 0)", title=title)
    alike, away = (yours > 0.5).sum(), (yours - bell).abs().max()
    return figure, f"Above 0.5 at {alike} of 64 offsets; at most {away:.2f} from the bell curve."

widgets.explore(draw_bell, log10_gamma=("log₁₀ of γ", -0.5, 1.5, 0.7),
                half_D_F=("half the features", 4, 512, 64))

# %% [markdown]
# Now the same short training with your features, where $\gamma$ is 1. By the bell curve, the
# features of two neighbours have a similarity of about $e^{-1/2} \approx 0.61$.

# %%
predict("fourier", "The MLP reads Fourier features. How good is the model after 400 steps?",
        a="about as good as with your table",
        b="half way between your table and no positions",
        c="about as bad as without positions: it is an MLP again", answer="")

# %% tags=["training"]
torch.manual_seed(0)  # Features: your FourierFeatures
fourier = Features(48, num_heads=4, max_len=96, num_features=48)
speeds_before = fourier.frequencies.detach().clone()
fourier_run = run(language, lambda: fourier, seed=0, steps=400, label="Fourier")
fourier_run

# %% tags=["training"]
outcome("fourier", judged(fourier_run["loss"].mean()))

# %% [markdown]
# With the same number of steps as the table and the MLP of the index, Fourier features come close
# to the limit. So an MLP can learn to compute good vectors if it reads sines and cosines.
#
# ### What has training changed?
#
# The speeds $W_r$ are trained as well. They began with a standard deviation of 1. The rule of this
# language looks back three positions, and a hand that turns once in three positions has the speed
# $2\pi/3 \approx 2.1$.

# %%
predict("peak", "Three seeds of Fourier features reach about the same loss as the table. How many "
        "of them have a peak of power at period three?",
        a="all three: the rule has this period", b="one or two", c="none", answer="")

# %% tags=["training"]
torch.manual_seed(0)
fresh = Features(48, num_features=48).vectors(torch.arange(24)).detach()
learned = fourier.vectors(torch.arange(24)).detach()
print(f"the spacing was {spacing(fresh):.0%} of a vector's norm; "
      f"after training {spacing(learned):.0%}")
moved = (fourier.frequencies - speeds_before).detach().abs()
print(f"the speeds have moved by {moved.mean():.2f} radians per position on average, "
      f"{moved.max():.2f} at most")

# %% tags=["training", "figure"]
curves = {"Fourier before": fresh, "Fourier after": learned, "your table": table_after[:24]}
curves = {name: (frequencies, spectrum(rows)) for name, rows in curves.items()}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="frequency (turns per position)", y="fraction of the power")
ax.axvline(1 / 3, color="grey", linewidth=3, alpha=0.4)
third = ", ".join(f"{name} {power[8]:.0%}" for name, (_, power) in curves.items())
plots.show(figure, f"Power by frequency; at 1/3: {third}.")

# %% [markdown]
# Training has moved the vectors apart, but the speeds hardly at all. The hands still turn at almost
# their random initial speeds, so another seed may give another spectrum. Here are three, after the
# same 400 steps. (The course's Fourier class draws its random values in another order than yours,
# so its seed 0 is another run.)

# %% tags=["figure"]
short = results.load("lag_tables")
print(short.note)
print("Power at period three on seeds 0, 1 and 2:")
found = short.table.pivot(index="encoding", columns=["quantity", "seed"], values="value")
for name, label in {"learned": "learned", "learned, std 1": "learned, std 1",
                    "Fourier, no norm": "Fourier", "index MLP": "LN(MLP(p/96))"}.items():
    third, loss = found.loc[name, "power at period 3"], found.loc[name, "loss"]
    print(f"{label:<14}", ", ".join(f"{each:4.0%}" for each in third),
          f"  loss {loss.min():.2f} to {loss.max():.2f}")

# %%
peaks = int((found.loc["Fourier, no norm", "power at period 3"] > 0.2).sum())
outcome("peak", "cbba"[peaks])

# %% [markdown]
# The table that began at 0.02 has about a third of its power at period three on every seed. The
# Fourier features have a peak there on one seed of three. Yet the two tables, which began at
# 0.02 and at 1, and the Fourier features reach about the same loss.
#
# So very different vectors can serve the same task: the layers behind them learn to read what they
# are given. Only the MLP of the index gives them hardly anything to read.

# %% [markdown]
# ## 8. A fair comparison
#
# Which encoding is best, and is it the spacing that decides? One short run on one seed proves
# little. The recorded **sweep** is a series of runs. Each encoding had the **same budget**: the
# same model around it, 1,000 steps of 64 texts of 24 tokens, three seeds. Some encodings appear in
# several versions.

# %% [markdown] exercise="summary" title="What a sweep says" difficulty=2 minutes=12
# A sweep is a table with one row per run and length, and the columns `encoding`, `seed`, `steps`,
# `length`, `loss`, `limit` and `accuracy`. Write `summary(runs, length)`. It looks at the rows with
# that length only. It returns a DataFrame with one row per encoding that was measured at that
# length; the index is the encoding's name, and there are three columns, in any order:
#
# - `mean`: the mean of `loss` over the seeds;
# - `std`: the standard deviation of `loss` over the seeds, with $n - 1$ in the denominator;
# - `above`: the mean of `loss - limit` over the seeds, in nats.
#
# The rows are sorted by their mean, the smallest first.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The rows of `runs` stand in any order; the labels of its index are arbitrary and may repeat;
#   each encoding has at least two seeds, which may have equal losses.
# - `runs` stays as it is.
# </details>
#
# *Why care:* only the spread over seeds can say whether a difference is more than chance. Only the
# limit can say what is left to gain.
#
# <details><summary>Hint 1</summary>
#
# `runs[runs["length"] == length]` keeps the rows of one length, `.groupby("encoding")` makes one
# group per encoding, and `["loss"].mean()` gives one number per group.
# </details>
# <details><summary>Hint 2</summary>
#
# pandas' `std` divides by $n - 1$. NumPy's divides by $n$, unless you pass `ddof=1`.
# </details>

# %% solution="summary"
def summary(runs: pd.DataFrame, length: int) -> pd.DataFrame:
    """One row per encoding at `length`: mean, std and above (nats), best first."""
    ### BEGIN SOLUTION
    here = runs[runs["length"] == length]
    here = here.assign(above=here["loss"] - here["limit"])
    grouped = here.groupby("encoding")
    table = grouped["loss"].agg(["mean", "std"])
    table["above"] = grouped["above"].mean()
    return table.sort_values("mean")
    ### END SOLUTION

# %% test="summary" points=2
check.summary(summary)
### BEGIN HIDDEN TESTS
check.summary(summary, seed=3505)
### END HIDDEN TESTS

# %% [markdown]
# ### The results
#
# Your function, applied to the recorded sweep at 24 tokens, gives the first three columns. The last
# two are the norm and the spacing of each encoding's vectors before training (*none* adds no
# vector). You built *learned*, *LN(MLP(p/96))* and *Fourier*.

# %% tags=["figure"]
SWEPT = {  # shown as: its name in the record, its name for `create`, and options
    "sinusoidal": ("sinusoidal", "sinusoidal", {}),
    "learned": ("learned", "learned", {}),
    "learned, std 1": ("learned, std 1", "learned", {"std": 1.0}),
    "MLP(p)": ("index MLP, raw", "index_mlp", {"normalise": False, "match_norm": False}),
    "MLP(p/96)": ("index MLP, normalised", "index_mlp", {"match_norm": False}),
    "LN(MLP(p/96))": ("index MLP", "index_mlp", {}),
    "MLP(p/24)": ("index MLP, normalised, p/24", "index_mlp",
                  {"match_norm": False, "max_len": 24}),
    "LN(MLP(p/24))": ("index MLP, p/24", "index_mlp", {"max_len": 24}),
    "Fourier": ("Fourier, no norm", "fourier", {"match_norm": False}),
    "LN(Fourier)": ("Fourier", "fourier", {}),
    "LN(Fourier), γ = 10": ("Fourier, γ = 10", "fourier", {"gamma": 10.0}),
}
names, starts = {"none": "none"}, {}
for label, (name, kind, options) in SWEPT.items():
    names[name] = label
    torch.manual_seed(0)
    encoding = encodings.create(kind, **{"d_model": 48, "num_heads": 4, "max_len": 96} | options)
    vectors = encoding.vectors(torch.arange(24)).detach()
    starts[label] = {"norm": vectors.norm(dim=1).mean().item(), "spacing": spacing(vectors)}
study = results.load("lag3")
chosen = study.table.assign(encoding=study.table["encoding"].map(names))
chosen = chosen.dropna(subset="encoding")
print(study.note)
found = check.summary.use(summary)(chosen, 24).join(pd.DataFrame(starts).T)
found.round(3)

# %% tags=["figure"]
figure, ax = plt.subplots(figsize=(6.5, 4))
for name, row in found.dropna().iterrows():
    right = row["spacing"] > 0.5  # where the label goes to the left, so that it fits
    ax.plot(row["spacing"], row["above"], "o", color=plots.COLOURS[0])
    ax.annotate(name, (row["spacing"], row["above"]), (-6 if right else 6, 0),
                textcoords="offset points", ha="right" if right else "left",
                va={"learned": "top", "learned, std 1": "bottom"}.get(name, "center"), fontsize=8)
ax.set(xscale="log", yscale="log", xlim=(0.01, 2), xlabel="spacing before training",
       ylabel="nats above the limit after it")
plots.show(figure, "Above a spacing of 0.1 all end near the limit, below it none. Out of line: "
           "MLP(p), and LN(MLP(p/96)) beside MLP(p/96).")

# %% [markdown]
# For this language and this budget, the results say:
#
# 1. **Learned and sinusoidal are nearly equal** at the trained length, and both are close to the
#    limit. Vaswani et al. found the same in translation (table 3, row E). If a table is *trained*,
#    it hardly matters here whether it begins at 0.02 or at 1.
# 2. **An MLP of the bare index stays far from the limit**, in all five versions.
#    Dividing $p$ by 24, the length of the texts, instead of 96 makes the spacing more than three
#    times as large. It also lowers the loss, with the LayerNorm and without. *MLP(p/96)* gets half
#    way from no positions to the limit. *LN(MLP(p/96))*, which you built, is no better than no
#    positions at all, although its vectors have a larger norm.
# 3. **An MLP behind sines and cosines works** with $\gamma = 1$, most reliably without a LayerNorm.
#    With $\gamma = 10$ the spacing before training is small again. The loss is then higher and
#    differs much from seed to seed.
# 4. **Spacing seems to matter.** In the figure, every encoding that began with a spacing above 0.1
#    has a mean loss within 0.2 nats of the limit. All others are more than 0.3 above it. But we
#    chose the threshold of 0.1 after we had seen the results, so this is a suspicion, not a law.
#    And spacing cannot be all. *MLP(p/96)* and *LN(MLP(p/96))* have the same spacing, but their
#    losses are 0.66 nats apart. *MLP(p)* has about twice the spacing of the versions with $p/24$,
#    but ends a nat above them; perhaps its vectors are too long. And the table frozen at 0.02
#    (section 3) is spaced as widely as the learned one, but ended 1.24 nats above the limit.
#
# How much would a single seed have told us? These are the three losses of *LN(Fourier), γ = 10*. By
# one of them it is of little use, by another as good as *LN(Fourier)*:

# %%
seeds = chosen[chosen["length"] == 24]  # chosen: the runs behind the table above
seeds[seeds["encoding"] == "LN(Fourier), γ = 10"][["seed", "loss"]]

# %% [markdown]
# And on texts longer than in training? Sinusoids and Fourier features have a vector for every
# position. The tables here have 96 rows, of which 24 were trained.

# %% tags=["figure"]
shown = ["none", "sinusoidal", "learned", "learned, std 1", "Fourier"]
figure, ax = plt.subplots()
plots.race(ax, chosen[chosen["encoding"].isin(shown)], "recorded: trained at T = 24, three seeds")
at_48 = chosen[chosen["length"] == 48].groupby("encoding")["loss"].mean()
told = ", ".join(f"{name} {at_48[name]:.2f}" for name in shown)
plots.show(figure, f"Loss by length: all four encodings leave the limit. At 48 tokens: {told}.")

# %% [markdown]
# All four are far above the limit when the text is longer than in training. **Having a vector for
# position 60 is not the same as knowing what it means.** Here the initial scale of a table does
# matter: untrained rows that began at 0.02 do less harm than those that began at 1.

# %% [markdown]
# ## 9. Check against the book
#
# The BERT of d2l (section 15.8) keeps its position table in `pos_embedding`. Here it gets no
# layers, and its segment vectors are set to zero. Does it then return the same sum as your module?
# How are its rows initialised, and what happens beyond the last row?

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    torch.manual_seed(0)
    theirs = d2l.BERTEncoder(20, 32, 64, 2, num_blks=0, dropout=0, max_len=40)
    theirs.segment_embedding.weight.data.zero_()
    tokens = torch.randint(20, (3, 10))
    ours = check.table.use(LearnedEncoding)(32, max_len=40)
    next(ours.parameters()).data.view(40, 32)[:] = theirs.pos_embedding[0]
    x = theirs.token_embedding(tokens)
    added = ours.embed(x, encodings.Positions.upto(10))
    same = torch.allclose(theirs(tokens, tokens * 0, None), added)
    print(f"the same sum: {same}; their rows begin with std {theirs.pos_embedding.std():.1f}")
    try:
        theirs(torch.zeros(1, 41, dtype=torch.long), torch.zeros(1, 41, dtype=torch.long), None)
    except RuntimeError as error:
        print("41 tokens:", error)

# %% [markdown]
# The book's token vectors begin with a standard deviation of 1 as well, so token and position are
# again of equal scale.
#
# Section 5 mentioned two conventions for the positions of stretched rows. PyTorch's own
# interpolation has both, and `align_corners` chooses one:

# %% tags=["nbval-check-output"]
rows = encodings.sinusoidal_table(24, 16)
for aligned in (True, False):
    theirs = F.interpolate(rows.T[None], 60, mode="linear", align_corners=aligned)[0].T
    same = torch.allclose(theirs, stretched(rows, 60), rtol=0, atol=1e-4)  # your `stretch`
    print(f"align_corners={aligned}: equal to yours within 0.0001: {same}")

# %% [markdown]
# ## What to keep
#
# - GPT and BERT learn one row per position. The table is a Parameter, initialised with a standard
#   deviation of 0.02, and it has no row beyond the last.
# - On this language a table need not be learned, only large enough: the layers behind it learn to
#   read random rows. Training makes small rows larger, but only the rows that texts reach.
# - Stretching a table preserves the fraction of the text before a token, but it changes how far
#   apart two tokens seem.
# - A position's vector can also be computed. An MLP of the index begins with nearly the same vector
#   for neighbours and on average stays far from the limit. Behind sines and cosines with $\gamma =
#   1$, an MLP comes close to it. The book asks for a learnable encoding (d2l, section 11.6,
#   exercise 2): a table, an MLP of the index and Fourier features are three answers.
# - Compare encodings at equal budget, over several seeds, and against the limit.
#
# All these encodings say *where* a token is. But the rule of this language is about *how far apart*
# two tokens are. Why not tell the model just that? Unit 04 does.
#
# ## Further reading
#
# - Radford et al. 2018, *Improving Language Understanding by Generative Pre-Training*, equation 2:
#   the table as $W_p$.
# - Devlin et al. 2018, *BERT*, figure 2: the sum of token, segment and position.
# - Vaswani et al. 2017, *Attention Is All You Need*, section 3.4 for the factor $\sqrt{D}$, table
#   3, row (E) for a learned table.
# - Li et al. 2021, *Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding*
#   (2106.02795), equations 2 and 6.
# - Dosovitskiy et al. 2021, *An Image is Worth 16x16 Words*, section 3.2: interpolated rows.
