# %% [markdown]
# # 04 · Relative encoding
#
# “I follow from the token three positions before me”: in the course's *lag language*, this rule
# holds nine times in ten. Some tokens are hidden, and the model has to name them. The encodings so
# far tell the model *where each token is*. How far apart two tokens are, it has to work out from
# their positions. Can it learn this, and does it still work on longer texts?
#
# By the end of this unit you can
#
# - say how many pairs, offsets and vectors there are in a text of $T$ tokens;
# - give each pair of tokens a learned vector by its offset, in the keys and in the values;
# - compute the same sum in four ways, and say what each of them stores;
# - put the pieces into a class that drops into the course's encoder, and train it;
# - explain how Shaw, Huang, Transformer-XL and T5 differ;
# - say from the rule of a task whether the task needs offsets or positions.
#
# Reading and running takes about 55 minutes besides the exercises.

# %%
import matplotlib.pyplot as plt
import pandas as pd
import torch

from helpers import encodings, explorable, plots, results, widgets
from helpers.checks import relative as check
from helpers.encodings import Encoding
from helpers.pictures import hooks
from helpers.pictures.offsets import skewed, staircase
from helpers.predict import outcome, predict

# %% [markdown]
# Here are four models trained on 24 tokens: with sinusoids (unit 02), with a learned table (unit
# 03), without positions, and with *Shaw*, the encoding that you build in this unit:

# %% tags=["figure"]
lag = results.load("lag3")
first = ["none", "sinusoidal", "learned", "Shaw"]
figure, ax = plt.subplots()
plots.race(ax, lag.table[lag.table["encoding"].isin(first)], "recorded: three seeds each")
plots.show(figure, "Loss by length: at 24 all but none are near the limit, later only Shaw.")

# %% [markdown]
# At 24 tokens, sinusoids and the table are near the limit, the lowest possible loss: the model has
# learned to work out the distance. At 96 both fail. Their mean losses are 1.95 and 1.77 nats;
# without positions it is 1.83, and the limit is 0.21. Positions beyond 24 are new to the model, but
# the distance in the rule is still three. *Shaw* gives attention the distance itself, and stays
# near the limit at four times the trained length. How?

# %% [markdown]
# ## 1. Offsets instead of positions
#
# Put three words in front of a sentence. Every word gets a new position, but the distances between
# the words stay the same. If it matters who stands next to whom, the model should be given the
# distances. **Relative** encodings therefore start from the **offset** of a pair. For the query at
# position $i$ and the key at position $j$, the offset is
#
# $$j - i$$
#
# The sign is that of Shaw et al. (2018), whose encoding this unit builds: a key to the left of the
# query has a negative offset. Offsets belong to pairs, and tokens meet in pairs only inside
# attention. The course's encoder calls its encoding at four hooks, one of them at the input. Shaw's
# encoding uses two inside attention:

# %% tags=["shown"]
plots.show(*hooks.hooks("bias", "context"))

# %% tags=["shown"]
plots.show(*staircase(7))

# %% [markdown]
# How many pairs are there, and how many different offsets?

# %% tags=["nbval-check-output"]
for T in (2, 5, 512):
    pairs = [(i, j) for i in range(T) for j in range(T)]
    others = sum(i != j for i, j in pairs)
    offsets = {j - i for i, j in pairs}
    print(f"T={T}: {len(pairs):,} pairs, {others:,} of two tokens, {len(offsets):,} offsets")

# %% [markdown]
# So a text of $T$ tokens has $T^2$ pairs and $2T-1$ different offsets, from $-(T-1)$ to $T-1$.
# Without the pairs of a token with itself, $T(T-1)$ pairs are left.
#
# A table with a vector for each offset has a largest offset, and a longer text needs vectors beyond
# it. Shaw et al. (section 3.2) therefore **clip**: all offsets beyond $k$ share the vector of $k$,
# and all below $-k$ that of $-k$.
#
# $$\mathrm{clip}(j - i, k) = \max(-k, \min(k, j - i))$$

# %% [markdown] exercise="rows" title="Which vector does a pair use?" difficulty=1 minutes=8
# The $2k+1$ vectors are the rows of a table: row 0 is offset $-k$, and the last row is offset $k$.
# Write `offset_rows`. It returns a $(T, T)$ tensor: entry $(i, j)$ is the row that query $i$ and
# key $j$ use. Its dtype is int64, the dtype of an index. $k$ may be larger than $T$, or 0. $T$ may
# be any length up to 1,000. Each call returns a new tensor.
#
# For $T = 3$ and $k = 1$ the result is `[[1, 2, 2], [0, 1, 2], [0, 0, 1]]`.
#
# *Why care:* everything in this unit reads a table by these rows. A wrong sign raises no error, and
# a model can learn with it. But its weights are then of no use in anybody else's code.
#
# <details><summary>Hint 1</summary>
#
# `p[None, :]` is a row, and `p[:, None]` is a column. Their difference has an entry for each pair.
# </details>
# <details><summary>Hint 2</summary>
#
# `x.clamp(low, high)` clips. Which number has to be added so that $-k$ becomes row 0?
# </details>

# %% solution="rows"
def offset_rows(length: int, k: int) -> torch.Tensor:
    """Row of the table of 2k + 1 vectors for query i and key j; (T, T)."""
    ### BEGIN SOLUTION
    p = torch.arange(length)
    return (p[None, :] - p[:, None]).clamp(-k, k) + k
    ### END SOLUTION

# %% test="rows" points=2
check.rows(offset_rows)
### BEGIN HIDDEN TESTS
check.rows(offset_rows, seed=4101)
### END HIDDEN TESTS

# %% [markdown]
# Here are the clipped offsets, computed by **your** rows (or by the course's). Each diagonal has
# one colour, because all its pairs have the same offset. With a smaller $k$, more of the pairs are
# just “far”.

# %% tags=["figure"]
rows_of = check.rows.use(offset_rows)

def draw(T, k):
    figure, ax = plt.subplots(figsize=(5, 3.4))
    title = f"{2 * k + 1} vectors for {T * T:,} pairs"
    plots.heatmap(ax, torch.as_tensor(rows_of(T, k)) - k, x="key j", y="query i", title=title)
    return figure, f"Clipped offsets for T={T}, k={k}: stripes along the diagonal, flat beyond k."

widgets.explore(draw, T=("length T", 4, 48, 24), k=("clip k", 0, 24, 6))

# %% [markdown]
# What does a longer text change? A text of more than $k$ tokens already uses every row of the
# table. A longer text adds pairs, but no rows.

# %% tags=["nbval-check-output"]
short, long = (torch.as_tensor(rows_of(T, 6)).long() for T in (24, 96))
print("the short text is a corner of the long one:", torch.equal(short, long[:24, :24]))
print("rows in use:", len(short.unique()), "and", len(long.unique()))
far = long[0, 6:].unique().tolist()
print("rows of query 0 for the offsets 6 … 95:", far)

# %% [markdown]
# Note the last line: here $k$ is 6, and offset 6 uses the same row as all larger offsets. **From
# $k$ on, a token is just “far”.** If one layer is to tell offset 3 from all larger offsets, $k$
# must be at least 4.

# %% [markdown]
# ## 2. A vector beside each key
#
# Shaw et al. add a vector to each key, chosen by the offset (equation 4). Here $a^K_{ij}$ is row
# $\mathrm{clip}(j-i, k) + k$ of a learned table $w^K$:
#
# $$e_{ij} = \frac{q_i \cdot (k_j + a^K_{ij})}{\sqrt d}
# = \frac{q_i \cdot k_j \; + \; q_i \cdot a^K_{ij}}{\sqrt d}$$
#
# The right side is the paper's equation 5. Its first part, $q_i \cdot k_j$, is attention as before.
# Only the second part, $q_i \cdot a^K_{ij}$, is new. We call it the **key term**. Its vectors meet
# the queries of one head, so they are $d = D/H$ wide. Each layer has its own table, and the heads
# of a layer share it, as in the paper's section 3.3. (In the paper's experiments, each head of the
# base model had a table of its own. On the lag language, whose only rule is at lag 3, a table for
# each head gains little: in our records, the mean loss falls by at most 0.004 nats.)
#
# For $T = 3$ and $k = 1$ the table has three vectors: $w_0$ for keys to the left, $w_1$ for the
# token itself, $w_2$ for keys to the right. The key term is
#
# | | key 0 | key 1 | key 2 |
# | --- | --- | --- | --- |
# | query 0 | $q_0 \cdot w_1$ | $q_0 \cdot w_2$ | $q_0 \cdot w_2$ |
# | query 1 | $q_1 \cdot w_0$ | $q_1 \cdot w_1$ | $q_1 \cdot w_2$ |
# | query 2 | $q_2 \cdot w_0$ | $q_2 \cdot w_0$ | $q_2 \cdot w_1$ |
#
# With $q_2 = (2, 1)$ and $w_0 = (0, 3)$, both entries on the left of the last row are 3: query 2
# favours what stands to its left, whichever word it is. With $q_2 = (2, -1)$ they would be −3.

# %% [markdown] exercise="pairs" title="The key term, pair by pair" difficulty=2 minutes=10
# **The first form is for checking: it is slow, but you can see that it is right.** Write
# `key_term_by_pair`. For every pair, fetch the vector and take its dot product with the query. No
# scaling: attention scales the sum of both parts later.
#
# - `q` is $(B, H, T, d)$, `vectors` is $(R, d)$ and `rows` is $(T, T)$: entry $(i, j)$ of `rows`
#   says which of the $R$ vectors query $i$ meets at key $j$. `rows` may hold any rows, not only
#   those by offset;
# - the result is $(B, H, T, T)$, in the dtype of `q`;
# - gradients must reach `q` and `vectors`, and no argument is modified in place.
#
# *Why care:* a mistake in a fast form often raises no error. A comparison with this form shows it.
#
# <details><summary>Hint 1</summary>
#
# `vectors[rows]` is $(T, T, d)$: a vector for each pair.
# </details>
# <details><summary>Hint 2</summary>
#
# With an axis for the keys, `q[:, :, :, None]` is $(B, H, T, 1, d)$ and broadcasts against the
# fetched vectors.
# </details>

# %% solution="pairs"
def key_term_by_pair(q: torch.Tensor, vectors: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """q_i · vectors[rows_ij] for every pair; (B, H, T, d), (R, d), (T, T) → (B, H, T, T)."""
    ### BEGIN SOLUTION
    return (q[:, :, :, None] * vectors[rows]).sum(-1)
    ### END SOLUTION

# %% test="pairs" points=1.5
check.pairs(key_term_by_pair)
### BEGIN HIDDEN TESTS
check.pairs(key_term_by_pair, seed=4202)
### END HIDDEN TESTS

# %% [markdown]
# With `*` and `sum`, this form makes a tensor of $B \cdot H \cdot T^2 \cdot d$ numbers before it
# sums, though the table has only $R = 2k+1$ different vectors. So change the order. **Multiply
# first:** each query with each vector of the table, which gives $(B, H, T, R)$. **Then read:** for
# each pair, take the product that its row names.

# %% [markdown] exercise="gather" title="Multiply first, then read" difficulty=3 minutes=12
# **The second form fetches no vectors at all.** Write `key_term_by_gather`: the same arguments and
# numbers, dtype and gradients as well. But no tensor may have a vector for each pair: no single
# tensor may hold $T^2 \cdot d$ numbers or more, forward or backward. (This is asked only where $T$
# and $d$ are larger than $B \cdot H$ and than $R$; elsewhere the result or the products may
# themselves hold $T^2 \cdot d$ numbers.)
#
# *Why care:* `transformers` does this for DeBERTa. In this course's library, it is `shaw_keys`.
#
# <details><summary>Hint 1</summary>
#
# `products.gather(-1, index)` reads, in the last axis, `products[b, h, i, index[b, h, i, j]]`.
# </details>
# <details><summary>Hint 2</summary>
#
# `gather` does not broadcast: `index` needs all four axes. `rows.expand(B, H, T, T)` has all four
# and copies nothing.
# </details>

# %% solution="gather"
def key_term_by_gather(q: torch.Tensor, vectors: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The key term, no vector for each pair; arguments and result as in key_term_by_pair."""
    ### BEGIN SOLUTION
    products = q @ vectors.T  # (B, H, T, R)
    return products.gather(-1, rows.expand(*q.shape[:3], -1))
    ### END SOLUTION

# %% test="gather" points=2
check.gather(key_term_by_gather)
### BEGIN HIDDEN TESTS
check.gather(key_term_by_gather, seed=4404)
### END HIDDEN TESTS

# %% [markdown]
# ## 3. A vector beside each value
#
# The key term decides how much a query *looks* at an offset. Shaw et al.'s equation 3 also adds a
# vector, from a second table $w^V$, to each value, so the offset is *passed on* as well:
#
# $$z_i = \sum_j \alpha_{ij} (v_j + a^V_{ij})
# = \sum_j \alpha_{ij} v_j \; + \; \sum_j \alpha_{ij} a^V_{ij}$$
#
# Again the first sum is attention as before. The second sum is the **value term**. In it, all keys
# with the same row share a vector, so their **weights can be added up first**: the weights
# $(B, H, T, T)$ become sums $(B, H, T, R)$. One product with the table is left. `gather` multiplies
# and then reads; here we add up and then multiply.

# %% [markdown] exercise="values" title="The value term" difficulty=3 minutes=12
# Write `value_term`, the second sum: `weights` is $\alpha$, $(B, H, T, T)$; `vectors` is $(R, d)$,
# and `rows` is $(T, T)$ and may hold any rows; the result is $(B, H, T, d)$. Take the weights as
# they are: after dropout, a query's weights need not add up to 1.
#
# One part of the points is for memory: no single tensor may hold $T^2 \cdot d$ numbers or more,
# forward or backward. (This is asked only where $T$ and $d$ are larger than $B \cdot H$ and than
# $R$; elsewhere the weights or their sums may themselves hold $T^2 \cdot d$ numbers.)
#
# <details><summary>Small print, which is checked too</summary>
#
# The result has the dtype of `weights`. Gradients must reach `weights` and `vectors`, and no
# argument is modified in place.
# </details>
#
# *Why care:* the backward pass of your key term computes this very sum, to get the gradient of `q`:
# the gradient of `gather` adds up, in each place, all that was read from there.
#
# <details><summary>Hint</summary>
#
# `zeros.scatter_add(-1, index, weights)` adds `weights[b, h, i, j]` to entry
# `[b, h, i, index[b, h, i, j]]`. As with `gather`, `index` must have all four axes.
# </details>

# %% solution="values"
def value_term(weights: torch.Tensor, vectors: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """Σ_j α_ij vectors[rows_ij]; (B, H, T, T), (R, d), (T, T) → (B, H, T, d)."""
    ### BEGIN SOLUTION
    by_row = weights.new_zeros(*weights.shape[:3], len(vectors))
    by_row = by_row.scatter_add(-1, rows.expand_as(weights), weights)  # (B, H, T, R)
    return by_row @ vectors
    ### END SOLUTION

# %% test="values" points=2
check.values(value_term)
### BEGIN HIDDEN TESTS
check.values(value_term, seed=4707)
### END HIDDEN TESTS

# %% [markdown]
# ## 4. In a model
#
# The two hooks of section 1 are made for our two terms:
#
# | hook | what attention does with the result |
# | --- | --- |
# | `bias(q, k, positions)` | adds it to $q \cdot k$, whose $q$ is scaled by $1/\sqrt d$ already |
# | `context(weights, positions)` | adds it to $\alpha \cdot v$ |
#
# Every hook is told where the tokens stand: `positions.offsets` is the offset of each pair.

# %% [markdown] exercise="module" title="Learned vectors by offset" difficulty=4 minutes=25
# Write `ShawEncoding`, which answers the book's question: can a pair of a query and a key be given
# a learned vector by its offset (d2l, section 11.6, exercise 3)?
#
# - `__init__` makes two `torch.nn.Parameter`s and no others, `self.keys` and `self.values`, both of
#   shape $(2k+1, d)$, where $k$ may be 0; $d$ is the width of a head, `self.head_dim`, and the
#   heads share both tables. Begin with independent normal numbers of mean 0 and standard deviation
#   $1/\sqrt d$, drawn afresh for each table and for each new object;
# - `bias(q, k, positions)` returns the key term, $(B, H, T, T)$, for $q$ and $k$ of shape
#   $(B, H, T, d)$; attention has scaled $q$ already, so the term is $q_i \cdot a^K_{ij}$ as it is;
# - `context(weights, positions)` returns the value term, $(B, H, T, d)$, and takes the weights as
#   they are;
# - both read `positions.offsets` and clip it. An offset need not be $j - i$: in unit 06,
#   words stand in a tree, and offsets count steps up and down in it. The shape is $(T, T)$ for all
#   sentences, or $(B, 1, T, T)$ with offsets for each sentence; either broadcasts over the heads.
#
# Both hooks need the rows, so there is a method for them. `rows` is not checked by itself:
# you may leave it out. The clip is `self.k`; the argument `k` of `bias` is the keys, as in all
# encodings of this course.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Any length works: `max_len` limits nothing here. One object may meet any $B$ and $T$ in turn,
#   with offsets of a tree in one call and not in the next. Several objects, each with a clip of its
#   own, do not disturb each other. The same holds for a `copy.deepcopy` of one, because each layer
#   gets a copy.
# - The result has the dtype of `q` or of `weights`, where the tables have this dtype too: after
#   `.double()` all is float64, after `.bfloat16()` all is bfloat16.
# - Training must work, also after `eval()`: gradients must reach `q`, `weights` and both tables,
#   the next call uses the changed tables, and no argument is modified in place.
# - Attention makes `q` by a `transpose`, so the numbers of `q` may lie in memory in any order.
# </details>
#
# *Why care:* with these few lines, the encoder reads texts four times as long as its training texts
# (the recorded losses below).
#
# <details><summary>Hint 1</summary>
#
# Your `key_term_by_gather` and `value_term` take `(T, T)` rows and expand them. If the method
# `rows` returns all four axes, `(B, H, T, T)`, you can reuse their other lines.
# </details>
# <details><summary>Hint 2</summary>
#
# `positions.offsets.clamp(-k, k) + k` are the rows. Both of their shapes can be expanded to
# $(B, H, T, T)$: `rows.expand(*x.shape[:3], -1)`.
# </details>

# %% solution="module"
class ShawEncoding(Encoding):
    """A learned vector for each offset from −k to k, beside the keys and beside the values."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512, k: int = 8):
        super().__init__(d_model, num_heads, max_len)  # keeps the three, and has self.head_dim
        self.k = k
        ### BEGIN SOLUTION
        d = self.head_dim
        self.keys = torch.nn.Parameter(torch.randn(2 * k + 1, d) / d**0.5)
        self.values = torch.nn.Parameter(torch.randn(2 * k + 1, d) / d**0.5)
        ### END SOLUTION

    def rows(self, x: torch.Tensor, positions: encodings.Positions) -> torch.Tensor:
        """Rows of the tables for every pair, expanded to (B, H, T, T); x is (B, H, T, …)."""
        ### BEGIN SOLUTION
        rows = positions.offsets.clamp(-self.k, self.k) + self.k
        return rows.expand(*x.shape[:3], -1)
        ### END SOLUTION

    def bias(self, q: torch.Tensor, k: torch.Tensor, positions: encodings.Positions):
        """The key term, (B, H, T, T), of a scaled q; attention adds it to q·k."""
        ### BEGIN SOLUTION
        return (q @ self.keys.T).gather(-1, self.rows(q, positions))
        ### END SOLUTION

    def context(self, weights: torch.Tensor, positions: encodings.Positions):
        """The value term, (B, H, T, d); attention adds weights·v."""
        ### BEGIN SOLUTION
        by_row = weights.new_zeros(*weights.shape[:3], 2 * self.k + 1)
        return by_row.scatter_add(-1, self.rows(weights, positions), weights) @ self.values
        ### END SOLUTION

# %% test="module" points=3
check.module(ShawEncoding)
### BEGIN HIDDEN TESTS
check.module(ShawEncoding, seed=4808)
### END HIDDEN TESTS

# %% [markdown]
# ### Your encoding learns
#
# The next models learn the **lag language** of unit 00, whose lag is 3. Each variant of your class
# below switches one hook off, so that only the table of the other hook is used. From here on, the
# names are those of the records: `Shaw` has both tables, `Shaw keys` and `Shaw values` one each.

# %% tags=["shown"]
Mine = check.module.use(ShawEncoding)

class KeysOnly(Mine):
    def context(self, weights, positions):
        return None

class ValuesOnly(Mine):
    def bias(self, q, k, positions):
        return None

# %% [markdown]
# The table beside the keys says where to look. The table beside the values adds to what is passed
# on. The paper has both. Are both needed? Four short trainings give an answer. They use sequences
# of 24 tokens, with one seed each (three if you have a GPU), and are tested at 24, 48 and 96.

# %%
predict("tables", "Trained on 24 tokens, tested on 48: which tables keep the loss near the limit?",
        a="only both together", b="those of the keys are enough",
        c="those of the values are enough", answer="")

# %% tags=["training"]
from torch import Generator

from helpers.corpora import LagLanguage
from helpers.model.encoder import Encoder
from helpers.runtime import profile, seed_everything
from helpers.training import evaluate, train

task, models = LagLanguage(), {}
tests = {n: task.batch(1000, n, Generator().manual_seed(n)) for n in (24, 48, 96)}
kinds = {"none": Encoding, "Shaw values": ValuesOnly, "Shaw keys": KeysOnly, "Shaw": Mine}
limits = {n: task.bayes_loss(test) for n, test in tests.items()}
for label, kind in kinds.items():
    for seed in range(3 if profile() == "full" else 1):
        seed_everything(seed)
        text = Generator().manual_seed(seed)
        models[label, seed] = Encoder(kind(48, num_heads=4), task.vocab_size)
        train(models[label, seed], lambda text=text: task.batch(64, 24, text), 250,
              bayes_loss=limits[24], label=label)

# %% tags=["training"]
live = [{"tables": label, "seed": seed, "length": n, "loss": evaluate(model, tests[n]).loss,
         "limit": limits[n]} for (label, seed), model in models.items() for n in tests]
pd.DataFrame(live).round(2)

# %% [markdown]
# The losses are in nats per hidden token. These short runs are a first look. The next table shows
# the same four as recorded: means of three seeds, after 1,000 steps. An experiment that leaves one
# part out is called an **ablation**.
#
# The last column is Shaw et al.'s ablation on a translation task (their table 3). It is in BLEU, a
# score from 0 to 100: how many short sequences of words a translation shares with a human one.

# %%
bleu = {"none": 12.5, "Shaw values": 25.3, "Shaw keys": 25.8, "Shaw": 25.8}
four = lag.table[lag.table["encoding"].isin(bleu)].groupby(["encoding", "length"])["loss"]
four = four.mean().unstack().round(3).loc[list(bleu)]
four["BLEU, table 3"] = pd.Series(bleu)
print(lag.note)
print("limit:", lag.table.groupby("length")["limit"].mean().round(3).to_dict())
four

# %%
at48 = four[48]
near = at48 < at48["Shaw"] + 0.05
outcome("tables", "b" if near["Shaw keys"] else "c" if near["Shaw values"] else "a")

# %% [markdown]
# Our loss at the trained length and Shaw's BLEU are very different measures, but they give the same
# order: *none* is far behind, values alone come next, and keys alone are as good as both tables. At
# 48 and 96 tokens, the model with values alone drifts away from the limit. The models with keys do
# not. Vectors beside the values say where something came from, not where to look. How values alone
# come so close to the limit at 24 in the recorded runs, we did not measure.
#
# Where does a trained head look? The figure shows the mean attention weight by offset, in the first
# layer of the model with both tables (seed 0).

# %%
predict("heads", "In the rule, a token follows from the one three positions to its left. At which "
        "offsets do the four heads look most?", a="only at −3, where the rule looks",
        b="at −3, 3, −6 or 6, all multiples of 3",
        c="elsewhere as well, such as at −1 or −2", answer="")

# %% tags=["training"]
both = models["Shaw", 0]
first = both.layers[0]
with torch.no_grad():
    alpha = first.attention.weights(first.norms[0](both.tokens(tests[24].inputs)))  # (B, H, T, T)
reach = range(-8, 9)
seen = [alpha.diagonal(n, dim1=-2, dim2=-1).mean((0, 2)) for n in reach]
figure, ax = plt.subplots(figsize=(7, 2.4))
plots.heatmap(ax, torch.stack(seen, 1), x="offset j − i", y="head")
ax.set_xticks(range(0, 17, 2), list(reach)[::2])
ax.set_yticks(range(4))
plots.show(figure, "Mean attention weight by offset, from −8 to 8, for each of four heads.")
for head, each in enumerate(torch.stack(seen, 1)):
    shown = ", ".join(f"{each[n + 8]:.2f} at {n}" for n in (-6, -3, 3, 6))
    print(f"head {head}: {shown}; most at {reach[each.argmax()]}")
print(f"without a preference: {1 / 24:.2f} at each offset")

# %% tags=["training"]
most = {reach[each.argmax()] for each in torch.stack(seen, 1)}
outcome("heads", "a" if most == {-3} else "b" if most <= {-6, -3, 3, 6} else "c")

# %% [markdown]
# The heads give their largest weight mostly to −3 or to 3, several times the weight without a
# preference. The rule of the language can be read off: its lag is 3, and the tokens 3 to the left
# and 3 to the right say most about a hidden token. A token at ±6 is two steps of the rule away. It
# can help where the token between is hidden as well.

# %% [markdown]
# ### How large must k be?
#
# For translation, the paper found hardly any gain beyond $k = 2$ (table 2, BLEU by $k$):

# %%
by_clip = {0: 12.5, 1: 25.5, 2: 25.8, 4: 25.9, 16: 25.8, 64: 25.9, 256: 25.8}
pd.DataFrame([by_clip], index=["BLEU"])

# %% [markdown]
# With $k = 0$ all offsets share one vector, which says nothing about position. Is $k = 2$ enough
# for the lag language too?

# %%
predict("far", "Two layers, k = 2, and a rule at offset 3: the loss at 24 tokens is",
        a="as bad as without positions", b="between that and k = 8", c="as good as with k = 8",
        answer="")

# %%
clips = pd.concat([lag.table, results.load("lag_controls").table])
clips = clips.replace({"encoding": {"Shaw keys": "Shaw keys, k = 8"}})
names = ["none", *(f"Shaw keys, k = {k}" for k in (2, 3, 4, 8))]
by_k = clips.groupby(["encoding", "length"])["loss"].mean()
by_k.unstack().loc[names].round(3)

# %%
without, loss, enough = (by_k.loc[name, 24] for name in (names[0], names[1], names[-1]))
left = (loss - enough) / (without - enough)
outcome("far", "a" if left > 0.9 else "c" if left < 0.1 else "b")

# %% [markdown]
# Each row is the mean of three seeds, trained at 24. (Where this unit names no $k$, it is 8.) One
# layer can single out the offsets up to $k - 1$. A second layer reaches twice as far. With $k = 3$,
# each token can fetch in layer 1 what stands 2 to its left. In layer 2 it reads its left neighbour,
# and so the token 3 to its left, which that neighbour has fetched. By this argument $L$ layers
# reach $L(k-1)$, here 2, 4 and 6 for $k = 2$, 3 and 4. The losses fit it only in part:
#
# - With $k = 4$, one layer should be enough for offset 3: the loss is that of $k = 8$.
# - With $k = 3$, both layers should be needed: the loss stays above that of $k = 4$.
# - With $k = 2$, offset 3 should be out of reach. Even so, the loss is far lower than without
#   positions, perhaps because “far” still says on which side.

# %% [markdown]
# ## 5. What does it cost?
#
# On long texts, memory decides what can be trained. In our records, one attention **without** a key
# term needs 5.5 MiB, forward and backward, for two texts of 512 tokens, with four heads and $d$ =
# 64.

# %%
predict("memory", "The same attention, with the first form inside, pair by pair, needs",
        a="about twice as much", b="about ten times as much", c="about 200 times as much",
        answer="")

# %% tags=["figure"]
cost = results.load("relative_attention")
form_rows = cost.table[cost.table["group"] == "form"]
shown = {"per_pair": "per pair", "batched": "batched", "gather": "gather", "plain": "plain"}
figure, ax = plt.subplots()
for name, label in shown.items():
    each = form_rows[form_rows["name"] == name]
    ax.plot(each["T"], each["bytes"] / 2**20, marker="o", markersize=4, label=label)
ax.set(xscale="log", yscale="log", xlabel="length T (tokens)", ylabel="peak memory (MiB)")
ax.set_xticks([128, 512, 2048], ["128", "512", "2,048"])
ax.minorticks_off()
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plots.show(figure, "Memory by length: per pair on top, then batched, then gather; plain is far "
           "below.")
print(cost.note)

# %%
at_512 = form_rows[form_rows["T"] == 512].set_index("name")["bytes"]
times = at_512["per_pair"] / at_512["plain"]
print(f"at 512 tokens, per pair needs {times:.0f} times as much as plain")
outcome("memory", "c" if times > 100 else "b" if times > 5 else "a")

# %% [markdown]
# `plain` has no key term, and its memory grows with $T$. `batched` is the paper's own form, which
# comes next. With a key term, here for all offsets ($k = T - 1$), memory grows with $T^2$, in each
# form with another factor. (Both axes are logarithmic. A form whose largest tensor takes more than
# 2 GiB is left out.) With a fixed $k$, the products of `gather` would grow only with $T$; the total
# would still grow with $T^2$, because the key term has $T^2$ entries in each head.
#
# `plain` stays far below because it runs as a **fused kernel**: one program that goes through
# softmax and values piece by piece and never stores the $T \times T$ scores. A key term takes this
# advantage away: PyTorch's `scaled_dot_product_attention` accepts it only as a whole $T \times T$
# matrix. PyTorch's FlexAttention can build a fused kernel that looks the products up while it runs.
# But on a CPU that kernel has no gradient, so it cannot train; and on a GPU, at $T$ = 4,096 with
# all offsets, it took three times as long as `gather` ([`docs/gpu.md`](../../docs/gpu.md)).

# %% [markdown]
# ### The paper's own form
#
# How did the paper avoid that factor of 200? Shaw et al. (section 3.3) saw that for a
# **fixed query position** $i$, all sentences and heads meet the same $T$ vectors. So the key term
# of this position is one ordinary matrix product, $(B \cdot H, d) \times (d, T)$. There are $T$
# such products.

# %% [markdown] exercise="batched" title="Shaw's batched product" difficulty=3 minutes=15
# **The third form fetches the vectors only once for all sentences and heads.** Write
# `key_term_batched`: the same arguments, the same numbers, and no tensor that repeats the fetched
# vectors per sentence or per head. A tensor of $T^2 \cdot d$ numbers, one vector for each pair, is
# allowed. Every tensor, forward and backward, must hold fewer than $2\,T^2 d$ numbers; so the
# vectors cannot be copied for a second sentence or head.
#
# <details><summary>Small print, which is checked too</summary>
#
# The memory limit is asked only where $T$ and $d$ are larger than $B \cdot H$; elsewhere the scores
# or the queries alone take about as much. As before, the dtype is that of `q`, and gradients must
# reach `q` and `vectors`.
# </details>
#
# *Why care:* attention code often goes wrong where axes are moved, because a `reshape` too many
# raises no error. (`torch.einsum` passes here as well. If you have already used it, write this form
# with `permute`.)
#
# <details><summary>Hint 1: which axes go where</summary>
#
# `q.permute(2, 0, 1, 3)` is $(T, B, H, d)$. Flatten $B$ and $H$ to get a stack of $T$ matrices.
# </details>
# <details><summary>Hint 2: and back</summary>
#
# `stack @ other_stack` multiplies matrix by matrix. The result is $(T, B \cdot H, T)$: the first
# axis is the queries, the last axis is the keys. Split the middle axis, then `permute`.
# </details>

# %% solution="batched"
def key_term_batched(q: torch.Tensor, vectors: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The key term, the vectors fetched once; arguments and result as in key_term_by_pair."""
    ### BEGIN SOLUTION
    B, H, T, d = q.shape
    by_place = q.permute(2, 0, 1, 3).reshape(T, B * H, d)
    products = by_place @ vectors[rows].transpose(1, 2)  # (T, B·H, T)
    return products.view(T, B, H, T).permute(1, 2, 0, 3)
    ### END SOLUTION

# %% test="batched" points=2
check.batched(key_term_batched)
### BEGIN HIDDEN TESTS
check.batched(key_term_batched, seed=4303)
### END HIDDEN TESTS

# %% [markdown]
# In float64, the three forms should agree to the last digits:

# %% tags=["nbval-check-output"]
forms = {
    "per pair": check.pairs.use(key_term_by_pair),
    "batched": check.batched.use(key_term_batched),
    "gather": check.gather.use(key_term_by_gather),
}
B, H, T, d, k = 2, 4, 48, 64, 47
numbers = torch.Generator().manual_seed(0)
q = torch.randn(B, H, T, d, generator=numbers, dtype=torch.float64)
vectors = torch.randn(2 * k + 1, d, generator=numbers, dtype=torch.float64)
rows = torch.as_tensor(rows_of(T, k)).long()
terms = {name: torch.as_tensor(form(q, vectors, rows)) for name, form in forms.items()}
for name, term in list(terms.items())[1:]:
    print(f"{name:8} differs from per pair by less than 1e-12:",
          bool((term - terms["per pair"]).abs().max() < 1e-12))

# %% [markdown] exercise="memory" title="What does each form hold?" difficulty=2 minutes=8
# Can you say in advance how much each form stores? Write `numbers_held`, which returns a dictionary
# with exactly these five whole numbers (`int`):
#
# - `"per pair"`: how many numbers are in the tensor of products of the first form, before the sum;
# - `"batched"`: how many numbers are in the vectors that this form fetches;
# - `"gather"`: how many numbers are in the products that this form reads from;
# - `"table"`: how many numbers are in the learned table of vectors;
# - `"scores"`: how many scores the softmax of this layer reads, over all sentences, heads and pairs
#   (as many as without the key term).
#
# $k$ is the clip, and $k$ may be larger than $T$; the table has a row for each offset from $-k$ to
# $k$, used or not.
#
# *Why care:* the next cell measures these tensors in your own functions.
#
# <details><summary>Hint</summary>
#
# Write down the shape of each tensor first; the number is the product of its axes.
# </details>

# %% solution="memory"
def numbers_held(B: int, H: int, T: int, d: int, k: int) -> dict[str, int]:
    """Sizes of the five tensors, in numbers."""
    ### BEGIN SOLUTION
    return {
        "per pair": B * H * T * T * d,
        "batched": T * T * d,
        "gather": B * H * T * (2 * k + 1),
        "table": (2 * k + 1) * d,
        "scores": B * H * T * T,
    }
    ### END SOLUTION

# %% test="memory" points=1.5
check.memory(numbers_held)
### BEGIN HIDDEN TESTS
check.memory(numbers_held, seed=4505)
### END HIDDEN TESTS

# %% [markdown]
# `largest_tensor` returns the size of the largest tensor made during a call. (If you wrote the
# first form with `einsum`, “per pair” measures 147,456 instead of the prediction: `einsum` sums at
# once.)

# %% tags=["nbval-check-output"]
from helpers.model.tensor_counter import largest_tensor

held_by = check.memory.use(numbers_held)
predicted = held_by(B, H, T, d, k)
for name, form in forms.items():
    measured = largest_tensor(lambda form=form: form(q, vectors, rows))
    print(f"{name:8} predicted {predicted[name]:>9,}   measured {measured:>9,}")
print(f"table    {predicted['table']:,}, scores {predicted['scores']:,}")

# %% [markdown]
# ## 6. Skewing: reading without an index
#
# `gather` reads by an index of $T^2$ integers. Huang et al. (2018, section 3.4.1) need none in
# their model, the Music Transformer:

# %% tags=["shown"]
explorable.show("skew", *skewed())

# %% [markdown]
# Without a clip ($k = T - 1$), the products of each head are $(T, 2T-1)$, and column $r$ is offset
# $r - (T-1)$. Query $i$ needs only $T$ of these columns, side by side: a window, which moves one
# column to the left from each query to the next.
#
# In memory, one row lies after the other. **Add one column** at the right, of any numbers. Each row
# is then $2T$ long, and the product of query $i$ with key $j$ lies at index
#
# $$2T \cdot i + (T - 1 - i + j) \; = \; (T - 1) + (2T - 1) \cdot i + j$$
#
# The right side says how to cut: skip the first $T-1$ numbers and the very last one, and cut the
# rest into rows of $2T - 1$. Then row $i$ has key $j$ in column $j$.

# %% [markdown] exercise="skew" title="Skew" difficulty=4 minutes=15
# Write `skew`, which turns products of shape $(\dots, T, 2T-1)$ into a result of shape
# $(\dots, T, T)$: entry $(i, j)$ is the number from the column of offset $j - i$. There may be any
# axes in front, or none. The numbers may lie in memory in any order, as after a `transpose`. **Pad,
# flatten, slice and unflatten** are all you need. Stay in PyTorch, and use no index, no mask and no
# loop over pairs; a loop over queries is allowed. `tril`, `triu` and a product with a tensor of
# zeros and ones count as masks. The result has the dtype of `products`, gradients must reach
# `products`, and `products` is not modified in place.
#
# *Why care:* cutting memory differently costs nothing. Only the padding makes a copy, one of the
# whole tensor. With the skew, the Music Transformer read pieces of thousands of tokens.
#
# <details><summary>Hint 1: the three steps</summary>
#
# Add a column on the right. Flatten the last two axes. Drop the first $T-1$ numbers and the very
# last number. Cut the rest into $T$ rows of $2T-1$, and keep the first $T$ columns.
# </details>
# <details><summary>Hint 2: the tools</summary>
#
# `torch.nn.functional.pad(x, (0, 1))` adds a column at the right. `x.flatten(-2)` joins the last
# two axes, and `x.unflatten(-1, (a, b))` splits the last one. The slice must have exactly
# $a \cdot b$ numbers in this axis.
# </details>

# %% solution="skew"
def skew(products: torch.Tensor) -> torch.Tensor:
    """Entry (i, j) is the product of query i with offset j − i; (…, T, 2T − 1) → (…, T, T)."""
    ### BEGIN SOLUTION
    T, width = products.shape[-2:]
    flat = torch.nn.functional.pad(products, (0, 1)).flatten(-2)
    moved = flat[..., T - 1 : T - 1 + T * width].unflatten(-1, (T, width))
    return moved[..., :T]
    ### END SOLUTION

# %% test="skew" points=2
check.skew(skew)
### BEGIN HIDDEN TESTS
check.skew(skew, seed=4606)
### END HIDDEN TESTS

# %% tags=["nbval-check-output", "shown"]
products = q @ vectors.T  # from section 5, where k = T − 1: all offsets
by_skew = torch.as_tensor(check.skew.use(skew)(products))
print("skew equals per pair:", torch.allclose(by_skew, terms["per pair"]))

# %% [markdown]
# Peak memory and time of `gather` and `skew`, recorded as in the figure of section 5:

# %%
each = form_rows[form_rows["T"] >= 1024]
by_form = each.assign(MiB=each["bytes"] / 2**20, ms=each["seconds"] * 1e3)
by_form = by_form.pivot(index="name", columns="T", values=["MiB", "ms"])
by_form.loc[["gather", "skew"]].round(0).astype(int)

# %% [markdown]
# In our benchmark, `skew` saves about a quarter of the memory of `gather`. In time, neither is
# clearly ahead. Huang et al. report far more: the memory for the vectors of a layer falls from 8.5
# GB to 4.2 MB. But they compare with the *batched* form, which fetches $T^2$ vectors. Neither
# `skew` nor `gather` does.
#
# Huang's table is learned and not clipped. It has a vector for each head and offset up to the
# length it was made for, `max_len`, and it cannot read a longer text. Shaw's clipped table can:

# %% tags=["nbval-check-output"]
huang = encodings.create("huang", d_model=64, num_heads=4, max_len=24)
shaw = encodings.create("shaw_keys", d_model=64, num_heads=4, max_len=24, k=8)
print("learned in Huang's:", {name: tuple(p.shape) for name, p in huang.named_parameters()})
longer, at = torch.randn(1, 4, 48, 16), encodings.Positions.upto(48)
print("Shaw at T = 48:", tuple(shaw.bias(longer, longer, at).shape))
try:
    huang.bias(longer, longer, at)
except ValueError as error:
    print("Huang at T = 48:", error)

# %% [markdown]
# ## 7. Relatives
#
# **Transformer-XL** (Dai et al. 2019, section 3.3) needs no table. Its vector for an offset is a
# *sinusoid of the offset*, $R_{i-j}$, times a learned matrix $W$. The score has four terms. In two
# of them, learned vectors replace the query: whatever the query is, $u$ favours some keys, and $v$
# favours some offsets.
#
# $$\underbrace{q_i \cdot k_j}_{\text{content}} +
# \underbrace{q_i \cdot W R_{i-j}}_{\text{key term}} +
# \underbrace{u \cdot k_j}_{\text{global content bias}} +
# \underbrace{v \cdot W R_{i-j}}_{\text{global position bias}}$$
#
# Note the sign: theirs is $i - j$. The cell computes the last three terms pair by pair,
# and compares their sum with the course's version, which skews.

# %% tags=["nbval-check-output"]
H, D, n = 4, 32, 12
xl = encodings.create("transformer_xl", d_model=D, num_heads=H)
torch.nn.init.normal_(xl.u)  # they begin at 0
torch.nn.init.normal_(xl.v)
queries, keys = torch.randn(2, 2, H, n, D // H)  # (B, H, T, d) each
i_minus_j = torch.arange(n)[:, None] - torch.arange(n)[None, :]
R = xl.project(encodings.sinusoids(i_minus_j, D).float()).unflatten(-1, (H, D // H))  # (T, T, H, d)
u, v = xl.u[:, 0], xl.v[:, 0]  # (H, d)
key_term = torch.einsum("bhid,ijhd->bhij", queries, R)
content_bias = torch.einsum("hd,bhjd->bhj", u, keys)[:, :, None]
position_bias = torch.einsum("hd,ijhd->hij", v, R)
by_hand = key_term + content_bias + position_bias
at, scale = encodings.Positions.upto(n), (D // H) ** -0.5  # our hook is given scaled queries
added = xl.bias(queries * scale, keys, at)
print("equal:", torch.allclose(by_hand * scale, added, atol=1e-4))
print("learned:", [name for name, _ in xl.named_parameters()])

# %% [markdown]
# **T5** (Raffel et al. 2020, section 2.1) has single *numbers* instead of vectors, and it groups
# the offsets into **buckets**. A head has one learned number for each bucket, a bias: it favours
# some offsets, whatever the tokens are. The smallest offsets have a bucket each. For larger offsets
# the buckets grow wider, and all offsets beyond 90 on a side share the last one. Compare with the
# clip:

# %% tags=["figure"]
bucket = encodings.create("t5_bias", d_model=32, num_heads=4).bucket
offsets = torch.arange(-140, 141)
signed = (bucket(offsets) % 16) * offsets.sign()  # 16 buckets for each side
curves = {"T5, 32 buckets": (offsets, signed), "clip, k = 15": (offsets, offsets.clamp(-15, 15))}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="offset j − i", y="step from the middle")
plots.show(figure, "The clip is straight to 15, then flat; T5 climbs in ever wider steps to 91.")

# %% [markdown]
# T5 does not divide its scores by $\sqrt d$, and adds the bias to them as it is. (In unit 05 you
# write its buckets.)

# %% [markdown]
# ## 8. Three tasks
#
# When does a task need offsets, and when positions?
#
# **Lag language.** Trained at 24 tokens, tested at 48 and 96 as well:

# %% tags=["figure"]
chosen = ["none", "sinusoidal", "learned", "Shaw keys", "Huang", "Transformer-XL", "T5 bias"]
figure, ax = plt.subplots()
plots.race(ax, lag.table[lag.table["encoding"].isin(chosen)], "recorded: three seeds each")
plots.show(figure, "Shaw keys, Huang and Transformer-XL stay near the limit; sinusoids leave it.")

# %% [markdown]
# Beyond 24 tokens, the two absolute encodings are far from the limit, the grey line. Unit 00 asked
# whether any encoding stays close to it at 96. `Shaw keys`, `Huang` and `Transformer-XL` do. But
# relative is no guarantee: T5's single numbers work at 24 tokens and are far from the limit at 96.
# The relative encodings in numbers, at 96 tokens:

# %%
at_96 = lag.table[(lag.table["length"] == 96) & lag.table["encoding"].isin(chosen[3:])]
at_96.groupby("encoding")[["loss", "limit"]].mean().round(3)

# %% [markdown]
# Huang's table was made for 96 tokens here, but its vectors beyond offset 23 were never trained.
# Why they do so little harm, we did not measure. Shaw's clipped table has no such vectors.
#
# **Two more tasks.** *Shift* names the symbol three positions back, $y_t = x_{t-3}$, and is trained
# on lengths from 8 to 32. (The first three positions have no such symbol and do not count.)
# *Reverse* writes the text backwards, $y_t = x_{T-1-t}$, and is trained at 16.

# %%
predict("reverse", "Which encodings are best at saying a text backwards, at the trained length?",
        a="the relative ones again", b="the absolute ones", c="no difference", answer="")

# %% tags=["figure"]
known = ["sinusoidal", "learned", "Shaw keys", "Transformer-XL", "T5 bias", "RoPE"]
titles = {"shift3": "shift: trained at 8 … 32", "reverse": "reverse: trained at 16"}
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=[3, 2])
for ax, (name, title) in zip(axes, titles.items(), strict=True):
    table = results.load(name).table
    plots.race(ax, table[table["encoding"].isin(known)], title, value="accuracy")
axes[0].get_legend().remove()
plots.show(figure, "Accuracy by length of six encodings, shift and reverse; numbers are below.")

# %% [markdown]
# Both tasks can be done without a mistake. Here is the mean accuracy over three seeds, first for
# *shift*:

# %%
def accuracy(name):
    """Mean over the seeds: a row for each encoding, a column for each length."""
    study = results.load(name)
    shown = study.table[study.table["encoding"].isin(["none", *known])]
    print(study.note)
    return shown.groupby(["encoding", "length"])["accuracy"].mean().unstack()

accuracy("shift3").round(3)

# %% [markdown]
# The models with Shaw's keys or Transformer-XL's vectors read four times the trained length with
# hardly a mistake. RoPE (unit 05) comes close. The two absolute encodings fail beyond 32 tokens:
# 56–58 % of their answers are right at 64 tokens, and 34–35 % at 128. T5 has 72 % and 31 % there.
# Its buckets from offset 32 on were never trained.
#
# Now *reverse*, at 16, 32 and 64 tokens:

# %%
right = accuracy("reverse")
right.round(4)

# %%
absolute = right.loc[["sinusoidal", "learned"], 16].mean()
relative = right.loc[["Shaw keys", "T5 bias", "Transformer-XL", "RoPE"], 16].mean()
print(f"mean at 16: absolute {absolute:.2f}, relative {relative:.2f}")
ahead = absolute - relative
outcome("reverse", "b" if ahead > 0.02 else "a" if ahead < -0.02 else "c")

# %% [markdown]
# At the trained length, **relative is not better**: with sinusoids or with the learned table
# practically every token is right, and Shaw's clipped vectors and T5's buckets fall far behind. The
# token to copy is at offset $T - 1 - 2t$, which changes at every position $t$. At $T = 16$ half of
# these offsets are beyond ±8: Shaw's clip and T5's buckets merge some of them. RoPE and
# Transformer-XL tell all offsets apart, and come close. So is merging the reason? Here are Shaw's
# keys and T5's bias with all offsets apart ($k = 15$, and 64 buckets), by seed:

# %%
apart = results.load("reverse_apart")
print(apart.note)
apart.table.pivot(index="encoding", columns="seed", values="accuracy").round(2)

# %% [markdown]
# For Shaw's keys, merging was most of it. T5's bias still gets a quarter of the tokens wrong,
# presumably because its numbers are the same for every query, while each position needs another
# offset.
#
# On longer texts no model has learned to reverse. At 32 tokens the best is hardly more often right
# than *none*, which knows no order at all. At 64 even the best is less often right than *none*.
#
# So ask first what the task is about. If it is about **how far two tokens are apart**, give the
# model offsets. If it is about **where in the text a token stands**, give it positions, or at least
# offsets that are not merged.

# %% [markdown]
# ## 9. Check against the book
#
# d2l's code has no relative encoding, but its attention is enough for equations 3 and 4. The cell
# takes one query $i$ at a time. It adds $a^K_{ij}$ to each key $j$ and $a^V_{ij}$ to each value
# $j$, and calls the book's attention with this one query. Does your fast version give the same?

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    n, width = 10, 16
    queries, keys, values = torch.randn(3, 2, n, width)  # one head: (B, T, d) each
    key_vectors, value_vectors = torch.randn(2, 7, width)  # k = 3
    near = torch.as_tensor(rows_of(n, 3)).long()
    attend = d2l.DotProductAttention(dropout=0).eval()
    theirs = [
        attend(queries[:, [i]], keys + key_vectors[near[i]], values + value_vectors[near[i]])
        for i in range(n)
    ]
    scores = (queries @ keys.mT)[:, None] + forms["gather"](queries[:, None], key_vectors, near)
    alpha = (scores / width**0.5).softmax(-1)  # (B, 1, T, T)
    ours = alpha @ values[:, None]
    ours = ours + check.values.use(value_term)(alpha, value_vectors, near)
    print("equal to 1e-5:", torch.allclose(torch.cat(theirs, 1), ours[:, 0], rtol=0, atol=1e-5))

# %% [markdown]
# ## What to keep
#
# - $T^2$ pairs, $2T - 1$ offsets, and with a clip $2k + 1$ vectors for texts of any length.
# - One sum, four ways: per pair, batched, gather, skew. They differ in what they store: per pair
#   $BHT^2d$ numbers, batched $T^2d$, gather $BHT(2k+1)$. Skew stores about $2BHT^2$, a column for
#   each offset, clipped or not.
# - The table is small; attention itself gets no cheaper (unit 09, claim 21).
# - Vectors beside the keys say where to look. Vectors beside the values say where something came
#   from.
# - Shaw: learned, clipped. Huang: learned, unclipped, skewed. Transformer-XL: sinusoids of the
#   offset. T5: a number per bucket.
# - From $k$ on, everything is “far”. By the argument of section 4, $L$ layers reach $L(k-1)$.
# - Ask first whether a task is about offsets or about positions: to reverse a text of the trained
#   length, the absolute encodings are best.
#
# Shaw's idea works, but it costs up to two tables and two products in each layer, and it does not
# fit PyTorch's usual fused kernel. Today's models use cheaper methods. One of them, in unit 05,
# has no table at all: it rotates queries and keys, two numbers at a time, as your matrix of unit 02
# rotates a clock.
#
# ## Further reading
#
# - Shaw et al. 2018, *Self-Attention with Relative Position Representations*: equations 3 and 4 for
#   values and keys, section 3.2 for the clip, section 3.3 and equation 5 for the batched product.
# - Huang et al. 2018, *Music Transformer*, section 3.4.1: the skew, for the causal case.
# - Dai et al. 2019, *Transformer-XL*, section 3.3: the four terms.
# - Raffel et al. 2020, *T5*, section 2.1: one number for each bucket.
