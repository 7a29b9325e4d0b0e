# %% [markdown]
# # 02 · Sinusoidal encoding
#
# “The dog bites the man” and “the man bites the dog” were the same to the Transformer of unit 01,
# because attention without positions is permutation-equivariant. So the model needs the positions
# of the tokens. The simplest idea is to number the words. This unit first shows why that fails.
# Then it builds the solution of Vaswani et al. (2017), the **positional encoding** of the first
# Transformer: a vector for each position, made of sines and cosines.
#
# By the end of this unit you can
#
# - build the table of sines and cosines from its formula, for any width;
# - say what the wavelength of a column is, and how many columns repeat within a text;
# - show that moving by $k$ positions is a rotation, the same at every position;
# - say what the dot product of two rows tells about their distance, and what it does not tell;
# - use the table in a model: batch first, computed once, with a clear error if a text is too long.
#
# Reading and running takes about 25 minutes besides the exercises.

# %%
import math

import matplotlib.pyplot as plt
import torch

from helpers import encodings, explorable, plots, widgets
from helpers.checks import sinusoidal as check
from helpers.encodings import Encoding
from helpers.pictures import clock, hooks
from helpers.plots import losses
from helpers.predict import outcome, predict

# %% [markdown]
# Positions can enter a Transformer at four **hooks** (unit 01). This unit uses the first: once, at
# the input, a vector is added to the embedding of each token. This is an **absolute** encoding: the
# vector depends on the position itself, not on the distance between two tokens.

# %% tags=["shown"]
plots.show(*hooks.hooks("embed"))

# %% [markdown]
# ## 1. Why not just number the words?
#
# Say that a token's embedding has $D = 64$ entries of size about 1. Its length is then about 8. We
# could add the position $p$ to each entry. Or we could add the fraction $p/T$, where $T$ is the
# number of tokens; it stays below 1. How long is the vector that we add? And does a step from
# one token to the next change it by the same amount in every text?

# %% tags=["nbval-check-output"]
for T in (10, 100, 500):
    p = torch.arange(T)
    raw = p[:, None].expand(T, 64).float()
    scaled = raw / T
    print(f"T = {T:3}: the last word gets a vector of length {raw[-1].norm():6.0f} (numbers)"
          f" or {scaled[-1].norm():.0f} (fractions); one step is {64**0.5 / T:.3f} (fractions)")

# %% [markdown]
# Plain numbers are too large: at position 499 the added vector is about 500 times as long as the
# embedding. Fractions never get longer than the embedding, but the size of one step to the right
# depends on the length of the text. So “the word before me” has no fixed meaning. We want a code
# with three properties: its entries stay between −1 and 1; it looks different at every position;
# and **a step to the right always changes it in the same way**. A clock with enough hands has all
# three.
#
# ## 2. A clock with many hands
#
# With one hand, a clock shows twelve different hours; with two hands, 720 different minutes. No
# hand needs to know the time: each only turns at its own speed. A sinusoidal encoding gives each
# position such a clock face, with $D/2$ hands:

# %% tags=["shown"]
explorable.show("clock", *clock.clocks(first=3))

# %% [markdown]
# Move the slider. Each hand turns by its own angle, and this angle is **the same at every step**.
# Hand $i$ turns by $\omega_i$ radians per position (Vaswani et al. 2017, section 3.5):
#
# $$\omega_i = \frac{1}{10000^{2i/D}}, \qquad i = 0, 1, \dots, D/2 - 1$$
#
# The angle itself grows without end, as the plain numbers did. The tip of the hand stays on its
# circle: if a hand of length 1 starts at the top and runs clockwise, its tip is at
# $(\sin p\,\omega_i, \cos p\,\omega_i)$. The encoding is these two numbers for each hand. Along the
# text, each number follows a wave:

# %%
D = 8
i = torch.arange(D // 2)
omega = 10_000.0 ** (-2 * i / D)  # ω_i, radians per position
p = torch.arange(0, 40, 0.1)  # finer than positions, so that the waves look smooth
angles = p[:, None] * omega  # (400, D/2): the angle of each hand

# %% tags=["shown"]
figure, ax = plt.subplots()
curves = {f"i = {n}": (p, angles[:, n].sin()) for n in range(3)}
plots.lines(ax, curves, x="position p", y=r"$\sin(p\,\omega_i)$", title="three hands, D = 8")
plots.show(figure, "Three sine waves over 40 positions: hand 0 is fast, 1 slow, 2 nearly straight.")

# %% [markdown] exercise="wavelengths" title="Wavelengths" difficulty=1 minutes=5
# After how many positions is hand $i$ back where it began? That is its **wavelength**
# $\lambda_i = 2\pi/\omega_i$. Write `wavelengths`, which returns
# $\lambda_0, \dots, \lambda_{D/2-1}$ as a tensor or a NumPy array, a new one with each call. The
# 10,000 is the argument `base`, any number above 1, and $D$ is even.
#
# *Why care:* a hand whose wavelength is longer than your text never completes a turn. Below we
# count those that do.
#
# <details><summary>Hint</summary>
#
# `torch.arange(0, d_model, 2)` gives $2i$ for every $i$.
# </details>

# %% solution="wavelengths"
def wavelengths(d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """λ_i = 2π / ω_i for i = 0 … D/2 − 1, in positions; (D/2,). `d_model` is even."""
    ### BEGIN SOLUTION
    return 2 * math.pi * base ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    ### END SOLUTION

# %% test="wavelengths" points=1
check.wavelengths(wavelengths)
### BEGIN HIDDEN TESTS
check.wavelengths(wavelengths, seed=2101)
### END HIDDEN TESTS

# %% [markdown]
# BERT has width 768 and reads at most 512 tokens. A sinusoidal table of this width has 384 hands.
# **Make a prediction first**: run the cell, and choose below it. Predictions are never marked.

# %%
predict("turns", "In 512 positions, how many of the 384 hands make at least one full turn?",
        a="nearly all of them", b="about half", c="fewer than one in ten", answer="")

# %% tags=["nbval-check-output"]
lam = torch.as_tensor(check.wavelengths.use(wavelengths)(768))
turning = int((lam <= 512).sum())
print(f"{turning} of {len(lam)} hands make a full turn in 512 positions")
print(f"{int((lam > 10 * 512).sum())} of the {len(lam)} make less than a tenth of a turn")
print(f"the longest wavelength is {lam.max() / (2 * math.pi):.0f} · 2π positions")

# %%
outcome("turns", "a" if turning > 0.8 * 384 else "c" if turning < 0.1 * 384 else "b")

# %% [markdown]
# So in 512 positions about half of the hands complete no turn, and a quarter hardly move. **Why
# 10,000, then?** Fast hands tell neighbours apart, but they soon repeat. Slow hands do not repeat,
# but they change little from one word to the next. The speeds form a geometric sequence, so there
# are hands for all scales in between. The base sets how slow the slowest hand is. In wide tables
# its wavelength is close to $10000 \cdot 2\pi \approx 63{,}000$ positions, far longer than what a
# model of 2017 was given to read. Later models that read longer texts use larger bases (unit 10).

# %% [markdown]
# ## 3. The table
#
# The table has one row for each position, with the sine and the cosine of every hand. **Why both?**
# The sine alone is the same for the angles $a$ and $\pi - a$: a hand at two o'clock would look like
# a hand at four o'clock. With both, moving by $k$ is also a linear map, as section 4 shows.
#
# $$PE(p, 2i) = \sin(p\,\omega_i), \qquad PE(p, 2i+1) = \cos(p\,\omega_i)$$

# %% [markdown] exercise="table" title="The table" difficulty=2 minutes=10
# Write `sinusoidal_table`. It returns $(T, D)$: row $p$ is position $p$, counted from 0; column
# $2i$ is the sine and column $2i+1$ the cosine of hand $i$. Here $D$ is even, and the argument
# `base` (any number above 1) stands for the 10,000. The result is a float32 or float64 tensor or
# NumPy array, a new one with each call.
#
# *Why care:* later units compare other encodings with this table. Some libraries build a different
# table; if you write theirs, the check tells you.
#
# <details><summary>Hint 1: all angles at once</summary>
#
# A column of positions `(T, 1)` times a row of frequencies `(D/2,)` gives `(T, D/2)`.
# </details>
# <details><summary>Hint 2: every second column</summary>
#
# `table[:, 0::2]` are the columns 0, 2, 4, …; you can assign to it.
# </details>

# %% solution="table"
def sinusoidal_table(num_positions: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """PE(p, 2i) = sin(p·ω_i), PE(p, 2i+1) = cos(p·ω_i); (T, D). `d_model` is even."""
    ### BEGIN SOLUTION
    omega = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(num_positions)[:, None] * omega  # (T, D/2)
    table = torch.empty(num_positions, d_model, dtype=torch.float64)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table
    ### END SOLUTION

# %% test="table" points=3
check.table(sinusoidal_table)
### BEGIN HIDDEN TESTS
check.table(sinusoidal_table, seed=2202)
### END HIDDEN TESTS

# %% [markdown]
# Look at the table. The sliders use **your** function, or the course's until yours is right.

# %% tags=["figure"]
table_of = check.table.use(sinusoidal_table)

def draw(T, half_D, log10_base):
    figure, ax = plt.subplots()
    table = table_of(T, 2 * half_D, 10.0**log10_base)
    plots.heatmap(ax, table, x="column", y="position p", title=f"base = {10**log10_base:,.0f}",
                  says="entry")
    return figure, f"The table for T={T}, D={2 * half_D}: stripes that widen from left to right."

widgets.explore(draw, T=("length T", 8, 256, 64), half_D=("half the width, D/2", 2, 64, 32),
                log10_base=("log₁₀ of the base", 1.0, 6.0, 4.0))

# %% [markdown]
# Set the base to 10: after 58 rows even the slowest of the 32 hands is back where it began. So
# every hand repeats within the picture. Set the base to a million: in these 64 rows, two thirds of
# the hands make less than a tenth of a turn. They hardly help to tell the rows apart.
#
# **Check against the book.** d2l (section 11.6) has a table of sines and cosines too. Is that table
# equal to yours? And what happens with an odd width?

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    theirs = d2l.PositionalEncoding(32, dropout=0).P[0, :60]
    ours = torch.as_tensor(table_of(60, 32)).float()
    print("equal to 1e-5:", torch.allclose(theirs, ours, rtol=0, atol=1e-5))
    try:
        d2l.PositionalEncoding(33, dropout=0)
    except RuntimeError as error:
        print("odd width:", error)

# %% [markdown] exercise="any_width" title="Any width" difficulty=2 minutes=8
# The book's code fails when $D$ is odd. The formula works for odd $D$ too: the last column then has
# the even index $D-1$, so it is a sine without a cosine.
#
# Write `table_of_any_width`, which works for odd and even $D$, down to $D = 1$, and for any `base`
# above 1. It also returns a new table with each call.
#
# *Why care:* the tempting shortcut is a table of width $D+1$, cut to $D$ columns. It has the right
# shape but the wrong speeds, because $\omega_i$ depends on $D$.
#
# <details><summary>Hint</summary>
#
# There are $\lceil D/2 \rceil$ sines and $\lfloor D/2 \rfloor$ cosines, and the exponent stays
# $2i/D$.
# </details>

# %% solution="any_width"
def table_of_any_width(num_positions: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """The table for any `d_model` ≥ 1; with an odd one the last column is a sine; (T, D)."""
    ### BEGIN SOLUTION
    omega = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    angles = torch.arange(num_positions)[:, None] * omega  # (T, ⌈D/2⌉)
    table = torch.empty(num_positions, d_model, dtype=torch.float64)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles[:, : d_model // 2].cos()
    return table
    ### END SOLUTION

# %% test="any_width" points=2
check.any_width(table_of_any_width)
### BEGIN HIDDEN TESTS
check.any_width(table_of_any_width, seed=2303)
### END HIDDEN TESTS

# %% [markdown]
# ## 4. Moving is turning
#
# Turn every hand $i$ of a clock by $k\,\omega_i$: the clock at $p$ becomes the clock at $p + k$,
# for every $p$. This is one reason why the paper chose sinusoids: moving by $k$ is a **linear map
# that is the same at every position**, $PE(p+k) = M_k\,PE(p)$. Attention computes queries and keys
# by linear maps, so in principle it can learn “three positions back” once and use it everywhere;
# section 6 tests whether it does. The proof uses the sum formulas for angles. For one hand:
#
# $$\begin{pmatrix} \sin(a+b) \\ \cos(a+b) \end{pmatrix} =
# \begin{pmatrix} \sin a \cos b + \cos a \sin b \\ \cos a \cos b - \sin a \sin b \end{pmatrix}$$
#
# With $a = p\,\omega_i$ and $b = k\,\omega_i$, the right side is a 2×2 matrix times
# $(\sin a, \cos a)$. The matrix does not contain $p$.

# %% [markdown] exercise="shift" title="The matrix that moves by k" difficulty=3 minutes=12
# Write `shift_matrix`, which returns the $(D, D)$ matrix $M_k$, so that
# `shift_matrix(k, D) @ table[p]` is equal to `table[p + k]` for every $p$, in a table of the same
# `base`. $D$ is even; $k$ may be negative or 0. The numbers may be float32 or float64. Each call
# returns a new matrix.
#
# *Why care:* RoPE (unit 05) builds on this: it turns queries and keys by such matrices.
#
# <details><summary>Hint 1</summary>
#
# Write down the 2×2 matrix from the formula above. $M_k$ has one such block per hand along its
# diagonal.
# </details>
# <details><summary>Hint 2</summary>
#
# `torch.block_diag(*blocks)` builds the big matrix.
# </details>

# %% solution="shift"
def shift_matrix(k: int, d_model: int, base: float = 10_000.0) -> torch.Tensor:
    """M_k with PE(p + k) = M_k · PE(p) for every p; (D, D). `d_model` is even."""
    ### BEGIN SOLUTION
    turns = k * base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    cos, sin = turns.cos(), turns.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)
    return torch.block_diag(*blocks)
    ### END SOLUTION

# %% test="shift" points=2
check.shift(shift_matrix)
### BEGIN HIDDEN TESTS
check.shift(shift_matrix, seed=2404)
### END HIDDEN TESTS

# %% [markdown]
# How exact is $M_k$, and does every table have such a matrix? First we measure the error of $M_k$
# in float64. Then we fit a linear map from row $p$ to row $p + k$ by least squares, on every second
# $p$, and test it on the others. We do this for sinusoids and for a table of random numbers.

# %% tags=["nbval-check-output"]
k, T, width = 7, 512, 64
M = encodings.shift_matrix(k, width)  # the same as yours, in float64
sinusoids = encodings.sinusoidal_table(T, width)
error = (sinusoids[:-k] @ M.T - sinusoids[k:]).abs().max()
print(f"largest error of M_k below 1e-12: {bool(error < 1e-12)}")

# %% tags=["nbval-check-output"]
random = torch.randn(T, width, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
for name, rows in {"sinusoids": sinusoids, "random table": random}.items():
    now, then = rows[:-k], rows[k:]
    fit = torch.linalg.lstsq(now[::2], then[::2], driver="gelsd").solution
    missed = (now[1::2] @ fit - then[1::2]).norm() / then[1::2].norm()
    print(f"{name}: the best map misses new rows by {missed:.0%} of their length")

# %% [markdown]
# Predicting zero for every row would miss by 100 %. For the random table, the fitted map does even
# worse than that on new rows. The random rows have no structure: what the map has learned from some
# of them does not help with the others.

# %% [markdown]
# ## 5. What the dot product sees
#
# Attention compares vectors by dot products. What does the dot product of two rows tell about their
# positions? For sinusoids there is a formula:
#
# $$\langle PE(p), PE(q) \rangle = \sum_i \cos\big((p-q)\,\omega_i\big)$$
#
# Only the offset $p - q$ remains. Its sign is lost, since $\cos(-a) = \cos a$: the dot product is
# **blind to direction**.

# %% [markdown] exercise="similarity" title="Similarity by offset" difficulty=2 minutes=10
# Write `similarity_by_offset` for **any** table of position vectors $P$ of shape $(T, D)$. Entry
# $k$ of the result is the mean of $\langle P_p, P_{p+k} \rangle$ over all $p$ for which both rows
# exist. Then everything is divided by entry 0, so the result begins with 1. The result has the
# dtype and the precision of $P$, which is float32 or float64; gradients must reach $P$, and $P$
# itself stays as it is.
#
# *Why care:* this function shows for any table how alike its rows are, by their offset. Unit 03
# uses it for a clock whose speeds are learned.
#
# <details><summary>Hint</summary>
#
# In `P @ P.T` the products of offset $k$ lie on a diagonal: `products.diagonal(k)`.
# </details>

# %% solution="similarity"
def similarity_by_offset(table: torch.Tensor) -> torch.Tensor:
    """Mean of ⟨P_p, P_{p+k}⟩ over p, for k = 0 … T − 1, relative to k = 0; (T, D) → (T,)."""
    ### BEGIN SOLUTION
    products = table @ table.T  # (T, T)
    means = torch.stack([products.diagonal(k).mean() for k in range(len(table))])
    return means / means[0]
    ### END SOLUTION

# %% test="similarity" points=2
check.similarity(similarity_by_offset)
### BEGIN HIDDEN TESTS
check.similarity(similarity_by_offset, seed=2505)
### END HIDDEN TESTS

# %% [markdown]
# Rows next to each other are similar; on the whole, rows far apart are less similar. How does the
# dot product change with the distance?

# %%
predict("waves", "Take the dot product of row 0 with row 0, then with row 1, and so on up to row "
                 "511 (D = 64). At how many of these 511 steps does it rise?",
        a="at none: further away is less alike", b="at about one in ten", c="at nearly half",
        answer="")

# %% tags=["figure"]
profile = check.similarity.use(similarity_by_offset)
curves = {f"D = {width}": (range(128), profile(encodings.sinusoidal_table(128, width)))
          for width in (16, 64, 512)}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="offset k", y="similarity (1 at offset 0)")
plots.show(figure, "Similarity falls: D = 16 in large waves, D = 512 in waves too small to see.")

# %% tags=["nbval-check-output"]
products = sinusoids @ sinusoids.T
left, right = products[100, 51:100].flip(0), products[100, 101:150]
rising = int((products[0].diff() > 0).sum())
print(f"the same to the left and to the right: {torch.allclose(left, right)}")
spread = max(products.diagonal(k).std() for k in range(100))
print(f"the same wherever the pair stands, to 1e-12: {bool(spread < 1e-12)}")
print(f"steps at which the product rises: {rising} of {T - 1}")

# %%
outcome("waves", "a" if rising == 0 else "c" if rising > 0.4 * T else "b")

# %% [markdown]
# So the dot product is **not monotone** in the distance: a word further away can look nearer.
#
# A language model must tell left from right, and this product cannot: it is the same on both sides.
# But a model never uses the bare product. The rows first go through $W_Q$ and $W_K$, so query $p$
# and key $q$ have the product $PE(p)^\top\, W\, PE(q)$ with $W = W_Q W_K^\top$. We try twenty
# random $W$, then $W = M_3$ from section 4. If only the offset mattered, all pairs five positions
# apart would have the same product. So we print the standard deviation of these products, as a
# percentage of that over all pairs.

# %%
predict("three", "With W = M_3 and row 100 as the query, which row gives the largest product?",
        a="row 100, as before", b="row 97", c="row 103", d="rows 97 and 103 alike", answer="")

# %% tags=["nbval-check-output"]
near = sinusoids[:256]
draws = torch.randn(20, width, width, generator=torch.Generator().manual_seed(1)).double()
for name, matrices in {"random": draws, "M_3": encodings.shift_matrix(3, width)[None]}.items():
    between = [near @ W @ near.T for W in matrices]  # row p, W, row q: (256, 256) each
    spread = [float(each.diagonal(5).std() / each.std()) for each in between]
    best = [int(each[100].argmax()) - 100 for each in between]
    print(f"{name}: offset of the largest product with row 100: {min(best):+d} to {max(best):+d}")
    print(f"  std along offset 5 / std over all pairs: {min(spread):.0%} to {max(spread):.0%}")

# %%
outcome("three", {-3: "b", 0: "a", 3: "c"}.get(best[0], "d"))

# %% [markdown]
# With $M_3$ the percentage is 0 %: only the signed offset matters. $M_3$ moves row $q$ to row $q +
# 3$, so the product with row $p$ is largest where $q = p - 3$, **three positions back**. With each
# random $W$ the product also depends on where the pair stands.
#
# So sinusoids make offsets *available*, but the model has to learn a $W$ that uses them. It may
# learn something else instead. Relative encodings (unit 04) start from the offset itself.

# %% [markdown]
# ## 6. In a model
#
# **Why add, and not append?** Appending $D'$ columns for the position would make the matrices of
# the model wider. Adding costs no parameters, and $D$ dimensions have room for words and positions
# in different directions. Does a model learn to keep the two apart? Your module will tell.

# %% [markdown] exercise="module" title="The module" difficulty=3 minutes=15
# Write `SinusoidalEncoding`, a module that adds row $p$ to the token at position $p$. It keeps the
# course's interface, `Encoding`, so that every model here can use it:
#
# - `__init__` computes `max_len` rows **once**, in float32 or float64; you may use
#   `encodings.sinusoidal_table`. It keeps them as a **buffer**, a tensor that moves with the model
#   to another device or precision and is not trained.
# - `embed(x, positions)` takes $x$ of shape $(B, T, D)$ with an even $D$, and returns $x$ plus the
#   rows `positions.queries` of the buffer. `positions.queries`, of shape $(T,)$ or $(B, T)$, says
#   where the tokens stand. In an ordinary text they stand at $0, \dots, T-1$ and get the rows
#   $0, \dots, T-1$, but any positions below `max_len` may come, in any order.
# - If $T$ is beyond `max_len`, `embed` raises a `ValueError` whose message names both numbers, $T$
#   and `max_len`.
#
# <details><summary>Small print, which is checked too</summary>
#
# $x$ itself stays as it is, and gradients must reach it. The result has the dtype of $x$, be that
# float64 or bfloat16; $x$ is never rounded to the dtype of the rows. The course's class `Additive`,
# which adds rows in this way, is not allowed here: write it yourself.
# </details>
#
# *Why care:* a table can be added along the wrong axis without any error. One that stays on the CPU
# raises an error only on a machine with a GPU.
#
# <details><summary>Hint 1</summary>
#
# `self.register_buffer("table", rows)` makes `self.table`. The rows of `encodings.sinusoidal_table`
# are float64; `.float()` turns them into float32.
# </details>
# <details><summary>Hint 2</summary>
#
# `self.table[positions.queries]` is $(T, D)$, which broadcasts over the batch, or $(B, T, D)$. In
# PyTorch, bfloat16 plus float32 gives float32; with `rows.to(x.dtype)` the sum keeps the dtype of
# `x`.
# </details>

# %% solution="module"
class SinusoidalEncoding(Encoding):
    """x + PE, batch first; the table is a buffer of `max_len` rows."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512):
        super().__init__(d_model, num_heads, max_len)  # keeps the three as attributes
        ### BEGIN SOLUTION
        self.register_buffer("table", encodings.sinusoidal_table(max_len, d_model).float())
        ### END SOLUTION

    def embed(self, x: torch.Tensor, positions: encodings.Positions) -> torch.Tensor:
        """(B, T, D) → (B, T, D); raises ValueError where T is beyond `max_len`."""
        ### BEGIN SOLUTION
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        return x + self.table[positions.queries].to(x.dtype)
        ### END SOLUTION

# %% test="module" points=2
check.module(SinusoidalEncoding)
### BEGIN HIDDEN TESTS
check.module(SinusoidalEncoding, seed=2606)
### END HIDDEN TESTS

# %% [markdown]
# ### Training with your encoding
#
# Now an encoder with your module learns the language of unit 00: nine times in ten, a token follows
# from the token three positions before it. The $W = M_3$ of section 5 would look exactly there. An
# encoder without positions knows which tokens there are, but not which of them stands three
# positions before the hidden one. We train two-layer encoders on 24 tokens for 300 steps: one
# without positions, and three with your module, from three seeds.
#
# Your module adds token and position into the same 48 numbers. Can the model still use both? The
# baseline is the loss without positions. The limit is the best possible loss (unit 00).

# %%
predict("adding", "How much of the distance from the baseline to the limit do sinusoids cover in "
        "300 steps?",
        a="less than a third of it: the sum mixes token and position",
        b="between a third and three quarters of it",
        c="more than three quarters of it", answer="")

# %% tags=["training"]
from helpers.corpora import LagLanguage
from helpers.model.encoder import Encoder
from helpers.training import evaluate, train

language = LagLanguage()
test = language.batch(2000, 24, torch.Generator().manual_seed(10_024))
limit = language.bayes_loss(test)

def trained(encoding, seed):
    torch.manual_seed(seed)
    model, text = Encoder(encoding, language.vocab_size), torch.Generator().manual_seed(seed)
    train(model, lambda: language.batch(64, 24, text), steps=300, bayes_loss=limit,
          label=f"seed {seed}")
    return model

Mine = check.module.use(SinusoidalEncoding)
blind = evaluate(trained(Encoding(48, num_heads=4), 0), test).loss
models = [trained(Mine(48, num_heads=4), seed) for seed in range(3)]
reached = [evaluate(model, test).loss for model in models]
print("with sinusoids:", *(f"{loss:.2f}" for loss in reached))
print(f"without positions: {blind:.2f}, limit: {limit:.2f}")

# %% tags=["training"]
covered = (blind - sum(reached) / len(reached)) / (blind - limit)
outcome("adding", "a" if covered < 1 / 3 else "c" if covered > 3 / 4 else "b")

# %% [markdown]
# (All losses are in nats per hidden token.) The sum keeps enough of both: with positions, 300 steps
# are enough to learn most of the rule.
#
# Unit 00 tested such a model on longer texts. Now the texts keep their length: the models get the
# same 24 tokens, but at positions 24 to 47. All offsets between tokens are the same as in training.

# %%
predict("far", "The same 24 tokens at positions 24 … 47: how do the encoders do now?",
        a="as well as before: moving is the same rotation everywhere",
        b="worse, but better than without positions", c="worse than without positions", answer="")

# %% tags=["training"]
moves = (0, 1, 3, 6, 12, 24)
texts = [test._replace(given={"positions": torch.arange(k, k + 24)}) for k in moves]
curves = {f"seed {seed}": (moves, [evaluate(model, text).loss for text in texts])
          for seed, model in enumerate(models)}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="all tokens moved by k positions", y="loss (nats per hidden token)")
losses.draw_baselines(ax, {"without positions": blind, "limit": limit})
here, there = (sum(curve[n] for _, curve in curves.values()) / len(curves) for n in (0, -1))
plots.show(figure, f"The loss grows with the move, from {here:.1f} to {there:.1f} nats at k = 24.")
print(f"mean at k = 24: {there:.2f} nats; guessing one of 8 tokens costs {math.log(8):.2f}")

# %%
outcome("far", "a" if there < here + 0.1 else "b" if there < blind else "c")

# %% [markdown]
# The moved texts are as long as the training texts, but the models fail on them: at $k = 24$ their
# mean loss is higher than that of guessing. Moving by $k$ is the same rotation everywhere, but
# nothing in the training forced the models to use it: they have seen the rows 0 to 23 only. On the
# others, their weights mislead them.
#
# Longer texts contain such rows, too. The recorded runs trained for 1,000 steps, again on **24**
# tokens, and were tested on 24, 48 and **96**:

# %% tags=["figure"]
from helpers import results

study = results.load("lag3")
race = study.table[study.table["encoding"].isin(["none", "sinusoidal"])]
figure, ax = plt.subplots()
plots.race(ax, race, "recorded: 1,000 steps, three seeds")
plots.show(figure, "Loss by length: sinusoids are near the limit at 24, far above it at 48 and 96.")
print(study.note)

# %%
predict("sure", "At 96 tokens, the loss with sinusoids is higher than without positions. Which of "
        "the two names more tokens right?", a="the model without positions",
        b="the one with sinusoids", c="both the same", answer="")

# %%
race.groupby(["encoding", "length"])[["loss", "accuracy"]].agg(["mean", "std"]).round(3)

# %%
at_96 = race[race["length"] == 96].groupby("encoding")["accuracy"].mean()
more = at_96["sinusoidal"] - at_96["none"]
outcome("sure", "c" if abs(more) < 0.02 else "b" if more > 0 else "a")

# %% [markdown]
# **What sinusoids can do:** give every position its own vector, without a parameter, for any
# length. **What they do not do:** make this encoder work on texts longer than its training texts.
# That would be **extrapolation**. The encoder was trained on 24 tokens. On 48 tokens its loss is
# far above the limit, but still lower than without positions. On 96 tokens its loss is higher than
# without positions, although it names more tokens right (39 % against 31 %). Probably it
# is too sure where it is wrong.

# %% [markdown]
# ## What to keep
#
# - $D/2$ hands, each with a sine and a cosine, make a fixed table. It is computed once and added to
#   the input.
# - Moving by $k$ is a rotation $M_k$, the same at every position.
# - The bare dot product of two sinusoidal rows depends on their distance, not on the direction.
#   With learned matrices between the rows, it can depend on the signed offset, and on where the
#   pair stands.
# - The formula works for any length, but this does not make a trained model extrapolate.
#
# The vectors need not come from a formula: a model can learn them, as BERT and GPT do. Are learned
# vectors better than sinusoids? And if so, is learning the reason? Unit 03 finds out.
#
# ## Further reading
#
# - Vaswani et al. 2017, *Attention Is All You Need*, section 3.5; in table 3, row (E), a learned
#   table gives nearly the same result.
# - Dai et al. 2019, *Transformer-XL*, section 3.3: the same sinusoids, but of offsets (unit 04).
# - Su et al. 2021, *RoFormer*, equations 13–15: $M_k$ moved into the attention (unit 05).
