# %% [markdown]
# # 09 · The claim lab
#
# Much is said about positions in Transformers: in forums, on slides, in answers to the book's
# exercises. Some of it is right. Here you do not look it up; you measure it.
#
# By the end of this unit you can
#
# - turn a sentence into a number and an interval in which the number would have to lie;
# - say from a few seeds whether it does, does not, or cannot be told yet;
# - write verdicts that follow from a measurement, whichever way it comes out;
# - name what is wrong with a dozen things that are often repeated.
#
# Reading and running takes about 30 minutes besides the exercises.

# %%
import math
import statistics
import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
import torch

from helpers import encodings, plots, recorded, widgets
from helpers.checks import claim_lab as check
from helpers.claims import CLAIMS, Claim, figures, order, sizes, small, stored, timing

# %% [markdown]
# ## 1. Predict, measure, decide
#
# Each claim goes through three steps. **Predict**: write down what you expect, before you run
# anything. **Measure**: run the cell. **Decide**: the verdict has to follow from the number, not
# from what you had expected. A wrong prediction costs nothing. It is what you learn most from.
#
# These are the claims, in our words, each with the kind of text that makes it:

# %%
for n, claim in CLAIMS.items():
    told = f"{n:2}  {claim.text} ({claim.source})"
    print(textwrap.fill(told, 96, subsequent_indent="    "))

# %% [markdown]
# There are four verdicts. A claim that says several things is taken apart, and holds in part where
# some of its parts hold and others do not. What you expect goes into `predictions`, section by
# section; section 8 lays it beside what came out, for every claim.

# %%
HOLDS, FAILS, PARTLY, OPEN = "holds", "does not hold", "holds in part", "not settled here"
predictions = {}

# %% [markdown]
# A claim becomes measurable when it is a number $m$ and an interval: "much faster" might be "it
# saves at least 5 % of a layer", so $m \geq 5$. Measured once for each of $n$ seeds, $m$ has a mean
# $\bar m$ and a standard deviation
#
# $$s = \sqrt{\frac{1}{n-1}\sum_{i=1}^{n} (m_i - \bar m)^2}$$
#
# Our rule: the claim **holds** where all of $\bar m \pm 2s$ lies in the interval, its ends
# included. It **does not hold** where all of that lies outside, on one side. Otherwise it is **not
# settled here**.

# %% [markdown] exercise="settle" title="The rule of a verdict" difficulty=2 minutes=10
# Write `settle`. It takes the values of a number, one for each seed (at least two, in any order),
# and the ends of the interval. It returns `"holds"` where all from $\bar m - 2s$ to $\bar m + 2s$
# lies between them, `"does not hold"` where all of that lies outside, on one side, and `"not
# settled here"` otherwise, where $\bar m$ is the mean of the values and $s$ their standard
# deviation with $n - 1$. Both ends belong to the interval, so what equals an end lies in it.
# `values` stays as it is.
#
# *Why care:* a rule that was fixed before the measurement cannot be bent after it. Three seeds that
# all lie on one side of the line are less than they seem, where they are far from each other.
#
# <details><summary>Hint 1</summary>
#
# `statistics.stdev` divides by $n - 1$.
# </details>
# <details><summary>Hint 2</summary>
#
# Two comparisons make "inside", two others make "outside on one side". Whatever is neither is open.
# </details>

# %% solution="settle"
def settle(values: list[float], low: float = -math.inf, high: float = math.inf) -> str:
    """Whether mean ± 2 standard deviations lies between `low` and `high`; see the rule above."""
    ### BEGIN SOLUTION
    mean, spread = statistics.fmean(values), 2 * statistics.stdev(values)
    if low <= mean - spread and mean + spread <= high:
        return "holds"
    if mean + spread < low or mean - spread > high:
        return "does not hold"
    return "not settled here"
    ### END SOLUTION

# %% test="settle" points=1
check.settle(settle)
### BEGIN HIDDEN TESTS
check.settle(settle, seed=9101)
### END HIDDEN TESTS

# %% [markdown]
# How much do three seeds settle? Draw some from a number whose true mean is 1 while the claim says
# "below 0": it is wrong, and the rule should say so. Move `spread` to see when it no longer dares
# to, and `seeds` to see what helps.

# %%
decide = check.settle.use(settle)

def draw(seeds, spread):
    random = torch.Generator().manual_seed(0)
    values = 1 + spread * torch.randn(200, seeds, generator=random)
    found = [decide(each.tolist(), high=0.0) for each in values]
    shares = [found.count(each) / 200 for each in (HOLDS, OPEN, FAILS)]
    figure, ax = plt.subplots(figsize=(6, 2.2))
    ax.barh([HOLDS, OPEN, FAILS], shares, color=plots.COLOURS[0])
    ax.set(xlim=(0, 1), xlabel=f"share of 200 trials with {seeds} seeds, spread {spread:.2f}")
    return figure, f"Verdicts on a wrong claim: {shares[2]:.0%} refuted, {shares[1]:.0%} left open."

widgets.explore(draw, seeds=(2, 20, 3), spread=(0.05, 1.5, 0.3))

# %% [markdown]
# More seeds do not make the rule bolder where the spread is large: it asks where **single** seeds
# lie. What they do is to make its answer the same each time.

# %% [markdown]
# ## 2. Claims that counting settles
#
# Three sentences from **lecture slides**:
#
# - **Claim 10.** Relative positions turn $T$ tokens into $(T-1)^2$ inputs, and a trick brings them
#   down to $2T-1$.
# - **Claim 12.** BERT reads up to 1,024 tokens.
# - **Claim 13.** BERT predicts a hidden word through four layers of ReLUs that are 4,096 wide.
#
# Write down what you expect, in place of the question marks.

# %%
predictions |= {10: "?", 12: "?", 13: "?"}  # HOLDS, FAILS or PARTLY

# %%
def count(T):
    found = sizes.pairs_and_offsets(T)
    figure, ax = plt.subplots(figsize=(6, 2.2))
    names = ["pairs", "(T − 1)²", "offsets", "2T − 1"]
    ax.barh(names, [found["pairs"], (T - 1) ** 2, found["offsets"], 2 * T - 1])
    ax.set(xlabel=f"T = {T}: {found['pairs']} pairs, {found['offsets']} offsets")
    ax.invert_yaxis()
    return figure, f"T = {T}: {found['pairs']} pairs against {(T - 1) ** 2} claimed."

widgets.explore(count, T=(2, 40, 8))

# %% tags=["nbval-check-output"]
for number in (10, 12, 13):
    rows = CLAIMS[number].measure()
    print(f"claim {number}:", rows.drop(columns="seed").round(3).to_dict("records")[0])
    print("  ", CLAIMS[number].verdict(rows))

# %% [markdown]
# There are $T^2$ pairs, $T(T-1)$ without those of a token and itself, and never $(T-1)^2$; but
# $2T-1$ offsets is right. BERT's table has 512 rows: 1,024 is the **width** of the large model. The
# head is one dense layer of width $D$ with a GELU, and its decoder is the word embedding; 4,096 =
# $4D$ is the inner width of the MLP in each layer. Two of the three claims gave a real number the
# wrong name, which is how such errors last.

# %% [markdown]
# ## 3. What attention can see
#
# - **Claim 6** (a forum answer). Without positions no Transformer knows the order of its tokens;
#   that goes for GPT as well.
# - **Claim 11** (lecture slides). Sinusoids make attention see only how far apart two tokens are,
#   wherever the pair stands.

# %%
predictions |= {6: "?", 11: "?"}

# %% [markdown]
# For claim 6, shuffle all tokens but the last, and see how far the last one's output moves. The
# weights are random: what they cannot see, no training can make them use.

# %%
rows = CLAIMS[6].measure()
print(rows.drop(columns="seed").agg(["mean", "std"]).map("{:.1e}".format).to_string())
plots.show(figures.strips(CLAIMS[6], rows), figures.in_words(CLAIMS[6], rows))

# %% [markdown]
# Both ways, nothing moves but the last digit. With a causal mask and **one** layer, nothing moves
# either: the last token takes a mean over the same set. With two layers it moves by a visible part
# of its own size: each token has seen one more than the token before it, so that what the second
# layer looks at depends on the order.
#
# Claim 11 needs a measure. Let $S = P\,W P^\top$ be the products of all rows with a matrix $W$
# between them, as attention has it ($W = W_Q W_K^\top$). If $S_{ij}$ depends on $j - i$ only, it is
# the same all along each diagonal. So compare, with $\bar S_{j-i}$ the mean of a diagonal:
#
# $$r = \sqrt{\frac{\sum_{ij} (S_{ij} - \bar S_{j-i})^2}{\sum_{ij} (S_{ij} - \bar S)^2}}$$
#
# $r = 0$: the offset says it all. $r = 1$: it says nothing.

# %% [markdown] exercise="offsets" title="Offsets, and nothing else?" difficulty=3 minutes=12
# Write `offset_verdict`. It takes a table $P$ of shape $(T, D)$ and a list of at least two matrices
# $W$, each $(D, D)$. It returns a dict: `"ratio"`, a list (or an array) of $r$ for each $W$, in
# their order; and `"verdict"`, what follows for the claim that the products depend on the offset
# alone, $r \leq 0.01$; a claim that says “at most” has no lower end. `decide`, from exercise 1, is
# yours to use; the matrices take the place of the seeds. The table and the matrices stay as they
# are.
#
# *Why care:* your function is tried on matrices for which the claim holds, on others for which it
# does not, and on a mix. A verdict known by heart fails.
#
# <details><summary>Hint 1</summary>
#
# `S.diagonal(k)` for `k` from $1-T$ to $T-1$ are all diagonals.
# </details>
# <details><summary>Hint 2</summary>
#
# Sum the squares over the pairs of all diagonals first; divide and take the root at the end.
# </details>

# %% solution="offsets"
def offset_verdict(table: torch.Tensor, matrices: list[torch.Tensor]) -> dict:
    """{"ratio": r for each matrix, "verdict": on the claim that r ≤ 0.01}; table (T, D)."""
    ### BEGIN SOLUTION
    ratio = []
    for W in matrices:
        S = table @ W @ table.T
        diagonals = [S.diagonal(k) for k in range(1 - len(S), len(S))]
        along = sum((each - each.mean()).square().sum() for each in diagonals)
        ratio.append(math.sqrt(along / (S - S.mean()).square().sum()))
    return {"ratio": ratio, "verdict": decide(ratio, high=0.01)}
    ### END SOLUTION

# %% test="offsets" points=1
check.offsets(offset_verdict)
### BEGIN HIDDEN TESTS
check.offsets(offset_verdict, seed=9202)
### END HIDDEN TESTS

# %% [markdown]
# Measure: without a matrix, with matrices $M_k$ (unit 02), and with random ones.

# %% tags=["nbval-check-output"]
sees = check.offsets.use(offset_verdict)
P, random = encodings.sinusoidal_table(64, 32), torch.Generator().manual_seed(0)
between = {
    "none": [torch.eye(32).double()] * 2,
    "M_1, M_5, M_9": [encodings.shift_matrix(k, 32) for k in (1, 5, 9)],
    "random": [torch.randn(32, 32, generator=random).double() for _ in range(3)],
}
for name, matrices in between.items():
    found = sees(P, matrices)
    print(f"{name:14}", [f"{float(r):.2f}" for r in found["ratio"]], found["verdict"])

# %% [markdown]
# How much of a matrix does it take? Here $W$ goes from the unit matrix to a random one.

# %%
def mixed(share, seed):
    noise = torch.randn(32, 32, generator=torch.Generator().manual_seed(seed)).double()
    S = P @ ((1 - share) * torch.eye(32).double() + share * noise) @ P.T
    figure, ax = plt.subplots(figsize=(5, 3.4))
    r = order.along_and_overall(S)
    plots.heatmap(ax, S, x="key j", y="query i", title=f"{share:.2f} random: r = {r:.2f}")
    return figure, f"Products of 64 rows with {share:.2f} of a random matrix: r = {r:.2f}."

widgets.explore(mixed, share=(0.0, 1.0, 0.1), seed=(0, 9, 0))

# %% [markdown]
# The bare products have the property, and with random matrices it is gone. Learned matrices were
# not measured here: they **may** keep it (those that turn do), but nothing makes them. What the
# slide says is true of relative encodings, for which it was probably meant.

# %% [markdown]
# ## 4. Longer than trained
#
# - **Claim 7** (lecture slides). With a learned table, a model can read no longer text than those
#   it was trained on.
# - **Claim 8** (the same). Relative embeddings have the same limit.

# %%
predictions |= {7: "?", 8: "?"}

# %% [markdown]
# We train one-layer encoders to say the symbol **three places back**, on texts of 16 random
# symbols, with tables that have 32 rows. Then we ask them about texts of 32. Three seeds each, and
# a short run for each.

# %% tags=["training"]
answers = {
    kind: torch.stack([small.hits(small.trained("shift", kind, seed)[0], "shift", 32)
                       for seed in range(3)])
    for kind in ("learned", "shaw_keys")
}
{kind: tuple(right.shape) for kind, right in answers.items()}  # seeds, texts, places

# %% [markdown]
# Entry $(s, n, p)$ is 1 where seed $s$ was right about place $p$ of text $n$, and 0 where it was
# wrong. The first three places have nothing three places back: they are not asked, NaN.

# %% [markdown] exercise="beyond" title="Beyond the training" difficulty=2 minutes=8
# Write `beyond_verdict`. It takes `right`, of shape (seeds, texts, $T$), 1 for a right answer, 0
# for a wrong one and NaN wherever nothing was asked, and `trained`, the length of the training
# texts. It returns a dict: `"fraction"`, the fractions of right answers **beyond** the trained
# places (from place `trained` on, counted from 0), one for each seed; and `"verdict"`, what
# follows for the claim "**at most half of the answers there are right**". Each answer of a seed
# counts the same, in whichever text it stands. A claim that says “at most” has no lower end.
# `right` stays as it is.
#
# *Why care:* the mean over a whole text hides what happens at its end, in the half that the model
# knows.
#
# <details><summary>Hint</summary>
#
# Places are counted from 0, so the first that was not trained on is number `trained`. `nanmean`
# leaves out the NaN, and takes several axes at once: `x.nanmean((1, 2))`.
# </details>

# %% solution="beyond"
def beyond_verdict(right: torch.Tensor, trained: int) -> dict:
    """{"fraction": by seed (S,), "verdict": on "at most half is right"}; right (S, N, T)."""
    ### BEGIN SOLUTION
    fraction = right[:, :, trained:].nanmean((1, 2))
    return {"fraction": fraction, "verdict": decide(fraction.tolist(), high=0.5)}
    ### END SOLUTION

# %% test="beyond" points=0.5
check.beyond(beyond_verdict)
### BEGIN HIDDEN TESTS
check.beyond(beyond_verdict, seed=9303)
### END HIDDEN TESTS

# %% tags=["training"]
beyond_of = check.beyond.use(beyond_verdict)
for kind, right in answers.items():
    found = beyond_of(right, 16)
    fractions = ", ".join(f"{float(each):.2f}" for each in found["fraction"])
    print(f"{kind:10} right beyond place 16: {fractions}   at most half: {found['verdict']}")

# %% tags=["training"]
figure, ax = plt.subplots()
figures.places(ax)
ax.legend(loc="lower left")
plots.show(figure, "Shaw is right at all 32 places; the two tables fall to guessing after 16.")

# %% [markdown]
# Guessing among 8 symbols is right in 0.125 of the cases. The learned table's rows 16 to 31 were
# drawn at random and never trained. Sinusoids have rows there that follow a rule, and the model has
# learned nothing about them; they even mislead it about some of the places before. Shaw's offset of
# −3 was trained at every place of every text.
#
# Claim 8 has another half. Not all relative embeddings are clipped: Huang's table has a vector for
# each offset up to the longest text, and ends there.

# %%
for number in (7, 8):
    rows = stored.rows(number)
    plots.show(figures.strips(CLAIMS[number], rows), figures.in_words(CLAIMS[number], rows))
print(recorded.load("claims").note)

# %% [markdown]
# ## 5. Which one does better?
#
# - **Claim 5** (a forum answer). Learned tables are the choice because they give better results.
#
# Better than what, and at what? Three comparisons: with sinusoids on the task above; with Shaw's
# vectors on the same; and with these on another task, saying a text **backwards**, for which one
# has to know the place, not the offset.

# %%
predictions |= {5: "?"}

# %% [markdown] exercise="better" title="Better, seed by seed" difficulty=3 minutes=12
# Write `better_verdict`. `runs` is a table with a row for each run and the columns `encoding`,
# `seed` and `accuracy`, perhaps with others: rows and columns in any order, and no encoding twice
# with the same seed. Return a dict: `"difference"`, the accuracy of `ours` less that of `other`, a
# list, array or column with a number for each seed that **both** were run with, by rising seed; and
# `"verdict"`, what follows for the claim "ours is better by at least `by`". A claim that says “at
# least” has no upper end. `runs` stays as it is.
#
# *Why care:* runs that share a seed have seen the same text. Their difference varies less than they
# do, and so settles more.
#
# <details><summary>Hint</summary>
#
# `runs.pivot(index="seed", columns="encoding", values="accuracy")` is a table with a column for
# each encoding, and NaN where a run is missing; `dropna` drops those.
# </details>

# %% solution="better"
def better_verdict(runs: pd.DataFrame, ours: str, other: str, by: float) -> dict:
    """{"difference": ours − other by seed, "verdict": on "better by at least `by`"}."""
    ### BEGIN SOLUTION
    wide = runs.pivot(index="seed", columns="encoding", values="accuracy")
    difference = (wide[ours] - wide[other]).dropna()
    return {"difference": difference, "verdict": decide(difference.tolist(), low=by)}
    ### END SOLUTION

# %% test="better" points=0.5
check.better(better_verdict)
### BEGIN HIDDEN TESTS
check.better(better_verdict, seed=9404)
### END HIDDEN TESTS

# %% [markdown]
# Now the recorded sweeps through your function: two layers, 1,000 steps, three seeds (units 04 and
# 05 drew some of them). A gain counts from 0.05 on.

# %% tags=["nbval-check-output"]
compare = check.better.use(better_verdict)
shift, back = recorded.load("shift3").table, recorded.load("reverse").table
trials = {
    "three back, length 32 as trained": (shift[shift["length"] == 32], "sinusoidal"),
    "three back, twice that length": (shift[shift["length"] == 64], "Shaw keys"),
    "backwards, length 16 as trained": (back[back["length"] == 16], "Shaw keys"),
}
for task, (runs, other) in trials.items():
    found = compare(runs, "learned", other, by=0.05)
    gains = ", ".join(f"{float(each):+.2f}" for each in found["difference"])
    print(f"{task:33} over {other:10} {gains}: {found['verdict']}")

# %% [markdown]
# No better, far worse, far better: the sentence names neither the rival nor the task. Vaswani et
# al. 2017 tried the learned table in place of sinusoids (table 3, row (E)) and found nearly the
# same result: 25.7 BLEU against 25.8.

# %% [markdown]
# ## 6. The later, the worse?
#
# - **Claim 9** (lecture slides). The later the position, the worse its learned vector.
#
# A row is trained when a text reaches it. BERT took nine steps of ten on texts of 128 tokens, the
# rest on 512. We do the same with 8 and 32, and beside it train on 32 always.

# %%
predictions |= {9: "?"}

# %% tags=["training"]
def lengths(short, every):
    figure = figures.rows_by_lengths(short, every)
    return figure, f"Right by place, {short} tokens but for one batch in {every}, and 32 always."

widgets.explore(lengths, short=(4, 28, 8), every=(2, 20, 10))

# %% [markdown]
# Each move of a slider trains two models. With one length all rows are equally good. With mostly
# short texts the late rows are behind, and catch up where long batches are less rare, or where the
# training goes on: in the full form, a larger model with five times the steps and twice the batch
# (`python -m helpers.claims 9 --full`), they are as good as the others. So the claim is about the
# **mix of lengths** and about a training that is short, not about the position.

# %% [markdown]
# ## 7. What it costs
#
# - **Claim 1** (a forum answer). A learned table saves much time, since sines and cosines have to
#   be worked out for each token.
# - **Claim 3** (the same). What a learned table adds to the training is next to nothing.
# - **Claim 21** (published answers to the book's exercises). Relative embeddings save compute and
#   memory.

# %%
predictions |= {1: "?", 3: "?", 21: "?"}

# %%
print("claim 1, what sinusoids cost more, in % of one layer of BERT base:")
for name, price in timing.price_of_sinusoids(seed=0).items():
    print(f"  {name:14} {price:.2f}")
print("claim 21, Shaw's attention over that behind a learned table:")
for name, ratio in timing.price_of_offsets(seed=0).items():
    print(f"  {name:14} {ratio:.2f}")

# %% [markdown]
# Times are your machine's, and noisy; the claims are about factors. Sinusoids are computed **once**
# and kept. Computed anew at each step they would cost a small part of one layer, and BERT base has
# 12 layers. Shaw's table is tiny. But the step takes no fewer operations, more time and more
# memory: there is a second term for each pair, and it has to be stored.
#
# For claim 3, the share of the table in BERT base, and how quickly it is learned. Here one has to
# be careful: the longer the vectors of the positions are beside those of the words, the louder they
# are. A learned table is usually drawn short, while sinusoids are long. So we let both begin with
# rows as long as the words' vectors, which is how BERT's begin.

# %% tags=["training"]
print(f"{sizes.table_share():.2f} % of the parameters")
figure, ax = plt.subplots()
figures.learning(ax)
plots.show(figure, "Loss by step: Shaw falls first, then the learned table, then sinusoids.")

# %%
print("steps until it is learned, learned table over the other, 20 seeds")
for name in ("steps over sinusoids", "long rows", "steps over Shaw", "short rows over Shaw"):
    print(f"  {name:22} {stored.mean(3, name)}")

# %% [markdown]
# In parameters it is next to nothing. In steps, the table needs fewer than sinusoids, whose rows
# the model first has to learn to tell apart; that is so with rows as long as the words' and with
# *long rows*, both as long as the formula makes sinusoids. Vectors by offset are there a little
# sooner: there are few of them, and every pair of every text trains one. How much sooner is a
# matter of length: with *short rows*, as a standard deviation of 0.02 makes them here, the table is
# far behind. A comparison of encodings that does not say how long the vectors are says little.

# %% [markdown]
# ## 8. The verdict on a claim
#
# What is left of the list. Write down what you expect of these as well, before you go on:

# %%
predictions |= {2: "?", 4: "?", 14: "?", 15: "?", 16: "?", 17: "?"}
predictions |= {18: "?", 19: "?", 20: "?", 22: "?", 23: "?"}

# %% [markdown]
# In the library a claim is an object. Its `parts` are what it says: each names a number, and the
# ends `low` and `high` of the interval in which that would have to lie. `measure` takes seeds and
# returns a table, a row for each seed and a column for each number. Not every number is one that a
# part is about.

# %% tags=["nbval-check-output"]
claim = CLAIMS[13]
for part in claim.parts:
    print(f"{part.number!r:20} from {part.low:g} to {part.high:g}")
print(claim.measure([0, 1]).to_string())

# %% [markdown]
# Where `claim.measurement` is `None` there is nothing to measure. Such a claim has no parts, and
# somebody has read the source: `claim.read` is the verdict.

# %% [markdown] exercise="verdict" title="The verdict on a claim" difficulty=3 minutes=15
# Write `verdict_on`. It takes a claim and a sequence of at least two seeds, such as a list or a
# range, measures the claim with just these, in the quick form that `claim.measure(seeds)` takes by
# itself, and returns a dict. `"numbers"` is a dict as well: by the name of each part's number, the
# list of its values, in the order of the seeds. Other entries in it do no harm. `"verdict"` follows
# from them:
#
# - if one part or more is not settled, neither is the claim;
# - else it `"holds"` if all parts hold, `"does not hold"` if none does, and `"holds in part"` if
#   some do.
#
# A claim that was only read has no numbers, `{}`, and the verdict that it was given. `claim.read`
# means nothing where a claim is measured. `seeds` stays as it is.
#
# `decide` is yours to use. `claim.verdict`, `claim.findings` and `part.verdict` do what you are
# asked to write; leave them alone.
#
# *Why care:* this is the step at which a measurement is bent most easily: the part that failed is
# forgotten, or the one that is open. Your function is tried on claims made up to come out each
# way, and on real ones, with seeds that nobody has used before.
#
# <details><summary>Hint 1</summary>
#
# `rows[part.number].tolist()` are the values of one part, if `rows` is what `measure` returned.
# </details>
# <details><summary>Hint 2</summary>
#
# Put what `decide` says of each part into a set. Look for the open ones first; then its size
# tells whether the parts agree.
# </details>

# %% solution="verdict"
def verdict_on(claim: Claim, seeds: Sequence[int]) -> dict:
    """{"numbers": {name: a value for each seed}, "verdict": what follows for the claim}."""
    ### BEGIN SOLUTION
    if claim.measurement is None:
        return {"numbers": {}, "verdict": claim.read}
    rows = claim.measure(seeds)
    numbers = {part.number: rows[part.number].tolist() for part in claim.parts}
    found = {decide(numbers[part.number], part.low, part.high) for part in claim.parts}
    if OPEN in found:
        return {"numbers": numbers, "verdict": OPEN}
    return {"numbers": numbers, "verdict": found.pop() if len(found) == 1 else PARTLY}
    ### END SOLUTION

# %% test="verdict" points=1
check.verdict(verdict_on)
### BEGIN HIDDEN TESTS
check.verdict(verdict_on, seed=9505)
### END HIDDEN TESTS

# %% [markdown]
# Now all of them through your function. Most are measured here and now, with three seeds. Those
# that train longest give what the study of 20 seeds has recorded of them: `stored.replayed` is a
# claim whose measurement looks it up. Take a number out of `LONG`, and that claim is measured now.

# %% tags=["training"]
LONG = {3, 9, 23}
verdict_of, found = check.verdict.use(verdict_on), {}
for n, claim in CLAIMS.items():
    if n in LONG:
        found[n] = verdict_of(stored.replayed(claim), range(20))
    else:
        found[n] = verdict_of(claim, range(3))

# %% [markdown]
# What you predicted, what came out, and the numbers it rests on:

# %% tags=["training"]
print(" #  you               verdict           numbers: mean ± standard deviation")
for n, each in found.items():
    mine = predictions[n] if predictions.get(n, "?") != "?" else "not predicted"
    rests = [f"{name}: {stored.over(values)}" for name, values in each["numbers"].items()]
    print(f"{n:2}  {mine:17} {each['verdict']:17} {'; '.join(rests) or 'read, not measured'}")

# %% tags=["training"]
made = {n: said for n, said in predictions.items() if said != "?"}
right = [n for n, said in made.items() if said == found[n]["verdict"]]
print(f"{len(made)} of {len(CLAIMS)} predicted, {len(right)} of them as it came out")

# %% [markdown]
# Three were only read, since nothing small can settle them: how long BERT trained (14), whose
# paper it was (18), and what was gained in translation, summaries and inference (22). The page
# `docs/claims.md` has all with margins and sources. Each can be measured from a shell,
# `python -m helpers.claims 16`, and the study drawn here: change the number.

# %%
number = 16
rows = stored.rows(number)
print(CLAIMS[number].text, "\n\n" + CLAIMS[number].why)
plots.show(figures.strips(CLAIMS[number], rows), figures.in_words(CLAIMS[number], rows))

# %% [markdown]
# A verdict here is one on a small model and a task made for the purpose. A claim that says *always*
# or *cannot* falls with one counter-example, however small. One that says *usually, in large
# models* does not, and none of these measurements would settle it.

# %% [markdown]
# ## 9. Check against the book
#
# d2l has a BERT as well. How long may its text be, and what is its word head? Measure claims 12 and
# 13 on it.

# %% tags=["nbval-check-output"]
from helpers.book import d2l

if d2l:
    theirs = d2l.BERTEncoder(1000, 64, 128, 2, 1, dropout=0)
    head = d2l.MaskLM(1000, 64)
    print("rows:", theirs.pos_embedding.shape[1])
    print("head:", [type(each).__name__.replace("Lazy", "") for each in head.mlp])
    print("tied:", head.mlp[-1].weight is theirs.token_embedding.weight)

# %% [markdown]
# 1,000 rows, a ReLU, and a decoder of its own: the book's model is its own, too, in three respects.
# One who learned BERT from there would put down other claims, and they would be right about what
# they had before them. So name the source, and then measure.
#
# The two questions that are asked most, why BERT learned its positions and what the difference is
# in mathematics, are answered with these runs in `docs/questions.md`.

# %% [markdown]
# ## What to keep
#
# - A claim is a number and an interval; the rule for the verdict comes before the measurement.
# - Mean ± 2 standard deviations of single seeds: inside, outside, or not settled here.
# - One open part leaves a claim open; one that fails makes it true in part, at most.
# - A verdict that is the same whatever was measured is no verdict.
# - Some false claims are a real number with the wrong name: 1,024, 4,096.
# - "Better" needs a rival and a task; "cannot" needs one counter-example.
#
# ## Further reading
#
# - Devlin et al. 2018, *BERT*, section 3 and appendix A.2: sizes, lengths, days and machines.
# - Vaswani et al. 2017, *Attention Is All You Need*, table 3, row (E), and table 1.
# - Shaw et al. 2018, *Self-Attention with Relative Position Representations*, section 3.2:
#   clipping.
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn
#   Positional Information* (2203.16634).
# - Wang and Chen 2020, *What Do Position Embeddings Learn?* (2010.04903).
