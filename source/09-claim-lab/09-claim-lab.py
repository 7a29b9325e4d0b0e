# %% [markdown]
# # 09 · The claim lab
#
# In a forum, somebody is puzzled by BERT. BERT learns its positions as a table. How should a model
# with nothing but a table know how far apart two words are? The reply: a network can approximate
# any function, so its table turns into sines and cosines on its own. The doubt and the reply both
# sound right. At most one of them is.
#
# In this unit you judge 22 claims about positions and BERT: these two, and 20 others from forums,
# slides, a paper and answers to the book's exercises. You do not look the verdicts up. You measure
# most of them, and where the training takes long, you judge recorded numbers.
#
# By the end of this unit you can
#
# - turn a claim into a number, and an interval where the number lies if the claim is true;
# - decide from a few seeds whether the claim holds, does not hold, or is not settled;
# - notice when a measurement answers another question than the one that was asked;
# - write functions whose verdict follows from the measurement;
# - explain what is wrong with a dozen of these claims.
#
# Reading and running takes about 50 minutes besides the exercises.

# %%
import math
import statistics
import textwrap
from collections.abc import Sequence

import pandas as pd
import torch

from helpers import encodings, plots, results, widgets
from helpers.checks import claim_lab as check
from helpers.claims import CLAIMS, Claim, Part, figures
from helpers.claims import order, sizes, small, study, timing, trained
from helpers.pictures import hooks
from helpers.predict import outcome, predict

# %% [markdown]
# ## 1. Two sentences in a forum
#
# - **Claim 4** (a question in a forum). With a learned table, a model cannot tell how far apart two
#   tokens are.
# - **Claim 24** (the reply). It can: a network can approximate any function, so its learned table
#   turns into sines and cosines on its own.
#
# Of the four hooks, a learned table uses only `embed`. No part of the model is ever given a
# distance:

# %% tags=["shown"]
plots.show(*hooks.hooks("embed"))

# %% [markdown]
# We train a small encoder of one layer with such a table. Its task depends on a distance alone:
# output the symbol **three positions back**, in texts of 16 tokens drawn from 8 symbols. Three
# seeds take about a second each. Then we look at the usual evidence: the cosine of every two rows
# of the table, beside those of the sinusoids of unit 02.

# %% tags=["training"]
models = [small.trained("shift", "learned", seed)[0] for seed in range(3)]
learned = figures.rows_of(models[0], 16)
tables = {"sinusoids": encodings.sinusoidal_table(16, 32), "the learned table": learned}
plots.show(figures.cosines(tables), "Sinusoids: bands along the diagonal. Learned: no bands.")
print("mean cosine of neighbouring rows: sinusoids, and the learned table by seed")
for rows in (tables["sinusoids"], *(figures.rows_of(model, 16) for model in models)):
    print(f"{torch.cosine_similarity(rows[1:], rows[:-1]).mean():6.2f}", end="")

# %%
predict("noise", "A model whose table looks like this is asked for the symbol three back. "
        "It is", a="right in 1 of 8 cases: it guesses", b="right in about half of the cases",
        c="right nearly always", answer="")

# %% [markdown]
# Now predict the verdicts on the two claims. Claim 24 says two things: the model can learn
# distances, and its table turns into sines and cosines. There are four verdicts. A claim that says
# several things holds in part if some of them are true and others are not. Replace each `"?"`, with
# its quotes, by one of the names HOLDS, FAILS, PARTLY and OPEN, as in `{4: OPEN, 24: HOLDS}`:

# %%
HOLDS, FAILS, PARTLY, OPEN = "holds", "does not hold", "holds in part", "not settled here"
predictions = {}
predictions |= {4: "?", 24: "?"}  # HOLDS, FAILS, PARTLY or OPEN

# %% tags=["training"]
right = [small.accuracy(small.hits(model, "shift", 16)) for model in models]
print("right, by seed:", *(f"{each:.1%}" for each in right))
outcome("noise", "a" if max(right) < 0.3 else "c" if min(right) > 0.9 else "b")

# %% [markdown]
# The model is right, on every seed. The picture was real: its rows look like noise. But the picture
# answers the question “do the rows look like distances?”. The forum asked “can the model tell?”.
#
# So **where is the distance, if it is not in the table?** Section 10 answers this with a picture of
# the same model. First we need rules for a verdict. We fix them now, so that we cannot bend them to
# fit a result.
#
# ## 2. Predict, measure, decide
#
# Each claim goes through three steps. **Predict**: write down what you expect before you run
# anything. **Measure**: run the cell. **Decide**: the verdict has to follow from the number, not
# from what you expected. A wrong prediction costs nothing and teaches the most. Section 9 puts your
# `predictions` beside the results.
#
# How does a number decide? To measure a claim, we choose a number $m$, and an interval in which $m$
# lies if the claim is true. For “much faster”, $m$ might be the time saved, in % of a layer's time,
# and the interval $m \geq 5$. We measure $m$ once for each of $n$ seeds. The values have a mean
# $\bar m$ and a standard deviation $s$, which we print as $\bar m \pm s$:
#
# $$s = \sqrt{\frac{1}{n-1}\sum_{i=1}^{n} (m_i - \bar m)^2}$$
#
# Our rule looks at the whole range from $\bar m - 2s$ to $\bar m + 2s$:
#
# - The claim **holds** if the whole range lies in the interval. The ends belong to the interval.
# - The claim **does not hold** if the whole range lies below the interval, or above it.
# - Otherwise the claim is **not settled here**.
#
# The range does not say how well we know the mean, as a confidence interval would. It says where
# one more seed will probably land.

# %%
predict("three", "A claim says “at most half of the answers are right”. Three seeds give 0.20, "
        "0.45 and 0.46. By this rule the claim", a="holds: all three are below one half",
        b="does not hold", c="is not settled here", answer="")

# %% [markdown] exercise="settle" title="The rule of a verdict" difficulty=2 minutes=10
# Every measured verdict of this unit follows this rule, so it comes first. Write `settle`. It takes
# the values of a number, one for each seed (at least two, in any order), and the ends of the
# interval. As above, $\bar m$ is the mean of the values, and $s$ is their standard deviation with
# $n - 1$. It returns `"holds"` where the whole range, all from $\bar m - 2s$ to $\bar m + 2s$, lies
# in the interval. It returns `"does not hold"` where the whole range lies outside, on one side. In
# all other cases it returns `"not settled here"`. Both ends belong to the interval, so what equals
# an end lies in it. `values` stays as it is.
#
# *Why care:* a rule that is fixed before the measurement cannot be adjusted after it. Three seeds
# on the same side of a limit prove little if they are far apart.
#
# <details><summary>Hint 1</summary>
#
# `statistics.stdev` divides by $n - 1$.
# </details>
# <details><summary>Hint 2</summary>
#
# Two comparisons test “inside”. Two others test “outside, on one side”. Whatever is neither is not
# settled.
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

# %%
decide = check.settle.use(settle)
outcome("three", {HOLDS: "a", FAILS: "b", OPEN: "c"}[decide([0.20, 0.45, 0.46], high=0.5)])

# %% [markdown]
# The three values have the mean 0.37 and the standard deviation 0.15, so a fourth seed could well
# be above one half. Would more seeds settle it? Try that with a false claim: it says “below 0”, and
# the true mean is 1. Move the spread until the verdict is mostly “not settled here”. Then see
# whether more seeds help.

# %% tags=["shown"]
widgets.explore(lambda seeds, spread: figures.trials(decide, seeds, spread),
                seeds=("number of seeds", 2, 20, 3), spread=("spread", 0.05, 1.5, 0.3))

# %% [markdown]
# With a large spread, more seeds do not refute the claim. The rule asks where **single** seeds lie.
# With more seeds, a repetition more often gives the same verdict.
#
# ## 3. Claims that counting settles
#
# Three sentences from **lecture slides**:
#
# - **Claim 10.** Relative positions turn $T$ tokens into $(T-1)^2$ inputs, and a trick brings them
#   down to $2T-1$.
# - **Claim 12.** BERT reads up to 1,024 tokens.
# - **Claim 13.** BERT predicts a masked word with four layers of ReLUs that are 4,096 wide.

# %%
predictions |= {10: "?", 12: "?", 13: "?"}

# %% tags=["nbval-check-output", "shown"]
pairs = [(i, j) for i in range(32) for j in range(32)]
print("pairs:", len(pairs), " (T - 1)²:", 31**2, " offsets:", len({j - i for i, j in pairs}))
for number in (10, 12, 13):
    rows = CLAIMS[number].measure()
    print(figures.in_words(CLAIMS[number], rows))

# %% [markdown]
# - **Claim 10.** $T$ tokens form $T^2$ pairs, or $T(T-1)$ without the pairs of a token with itself.
#   Neither number is $(T-1)^2$. At $T = 32$, $T^2$ is 1.07 times $(T-1)^2$. The $2T-1$ offsets are
#   right.
# - **Claim 12.** BERT's table has 512 rows. 1,024 is the **width** of the large model.
# - **Claim 13.** The head is one dense layer of width $D$ with a GELU, and its decoder is the word
#   embedding. 4,096 = $4D$ is the inner width of the MLP in each of the large model's layers.
#
# Claims 12 and 13 give a real number a wrong name. Such errors may survive because whoever checks
# them finds the number in the paper.
#
# ## 4. What it costs
#
# Two sentences promise a saving, and a third says that a cost is negligible. How large are they?
#
# - **Claim 1** (a forum answer). A learned table saves much time in fine-tuning and inference,
#   since sines and cosines have to be computed for each token.
# - **Claim 3** (a forum answer). What a learned table adds to the pretraining is negligible beside
#   the parameters of the encoder.
# - **Claim 21** (published answers to the book's exercises). Relative embeddings save compute and
#   memory, since no absolute positions have to be stored.

# %%
predictions |= {1: "?", 3: "?", 21: "?"}
predict("sines", "Computing sines and cosines anew at every step takes about how many % of the "
        "time of one of BERT base's 12 layers? Write a number.", answer="")

# %% tags=["shown"]
print("claim 1, what sinusoids cost more, in % of one layer of BERT base:")
price = timing.price_of_sinusoids(seed=0)
for name, percent in price.items():
    print(f"  {name:14} {percent:.2f}")
print("claim 21, Shaw's attention divided by that with a learned table:")
for name, ratio in timing.price_of_offsets(seed=0).items():
    print(f"  {name:14} {ratio:.2f}")
outcome("sines", round(price["computed anew"], 2))

# %% [markdown]
# The times are your machine's, and noisy. A value a little below 0 means no cost. But differences
# as large as these claims suggest would show in spite of the noise.
#
# - **Claim 1** does not hold. For “much” we ask for 5 % at least, and even sines and cosines that
#   are computed anew stay below that. In practice they are computed **once** and kept.
# - **Claim 21** holds in part. Shaw's table is smaller. But attention with Shaw's vectors (no other
#   kind is measured) takes no fewer operations, and more time and memory: Shaw's extra term makes
#   us store all scores (unit 04).
#
# In claim 3, “adds to the pretraining” can mean parameters or steps. The claim holds if the table
# has fewer than 1 % of the parameters, and needs no more steps than sinusoids. We measure both: the
# table's share of BERT base, and the number of steps until the loss on the task of section 1 is
# below 0.5 nats. The number of steps depends on the norm of the position vectors: in our records, a
# table that begins with short rows needs 1.4 times as many as one with long rows. So here the table
# and the sinusoids both begin with the norm of the word vectors, as BERT's table does.

# %% tags=["training"]
layers = 12 * (12 * 768**2 + 13 * 768)
print(f"{sizes.table_share():.2f} % of all parameters, {512 * 768 / layers:.2%} beside the layers")
plots.show(figures.alone(figures.learning),
           "Loss by step: Shaw falls first, then the learned table, then sinusoids.")
print("steps(table) / steps(other), 20 seeds; below 1, the table is faster")
for name in ("steps over sinusoids", "steps over Shaw"):
    print(f"  {name:22} {study.mean(3, name)}")

# %% [markdown]
# The table's parameters are negligible, and the model needs fewer steps with the table than with
# sinusoids. So claim 3 holds, for BERT's parameters and for the steps of this small task. Shaw's
# vectors are learned a little sooner still.
#
# ## 5. What attention can see
#
# - **Claim 6** (a forum answer). Without positions no Transformer knows the order of its tokens;
#   that goes for GPT as well.
# - **Claim 11** (lecture slides). Sinusoidal encodings make attention see only how far apart two
#   tokens are, wherever the pair stands.

# %%
predictions |= {6: "?", 11: "?"}

# %% [markdown]
# You know claim 6 from unit 01. We shuffle all tokens but the last, and measure how far the last
# one's output moves, as a fraction of the output's size. The weights are random. The figure has a
# strip for each part of the claim. Each dot is a seed. The part is true where the strip is shaded.

# %% tags=["shown"]
rows = CLAIMS[6].measure()
print(rows.drop(columns="seed").agg(["mean", "std"]).map("{:.1e}".format).to_string())
plots.show(figures.strips(CLAIMS[6], rows), figures.in_words(CLAIMS[6], rows))

# %% [markdown]
# An encoder does not notice the shuffle, apart from rounding. With a causal mask and **one** layer,
# the last token does not notice it either: it averages over the same set of tokens. With two
# layers, the last token's output moves by a visible fraction of its size. The second layer reads
# tokens that have each seen a different part of the text. A measurement with one layer only would
# have confirmed the claim, wrongly for GPT.
#
# For claim 11 we first need a measure. Here are the products of every two rows of a sinusoidal
# table, query by key:

# %%
P = encodings.sinusoidal_table(64, 32)
plots.show(figures.products(P @ P.T), "Stripes: each diagonal has one colour from end to end.")

# %% [markdown]
# The offset alone decides each product, as claim 11 says. But attention puts a matrix between the
# two rows: $S = P\,W P^\top$ with $W = W_Q W_K^\top$. Are the entries on each diagonal of $S$ still
# equal? Compare the spread along the diagonals with the spread of all entries. Here $\bar S_{j-i}$
# is the mean of a diagonal, and $\bar S$ is the mean of all entries:
#
# $$r = \sqrt{\frac{\sum_{ij} (S_{ij} - \bar S_{j-i})^2}{\sum_{ij} (S_{ij} - \bar S)^2}}$$
#
# The offset explains the fraction $1 - r^2$ of the variation: at $r = 0$ everything, at $r = 1$
# nothing.

# %%
predict("random", "Sinusoids, and a random matrix W between them. r is", a="still below 0.01",
        b="about 0.3",
        c="above 0.71: the offset explains less than half of the variation", answer="")

# %% [markdown] exercise="offsets" title="Offsets, and nothing else?" difficulty=3 minutes=12
# With this you can judge claim 11, and in section 10 the learned table of section 1. Write
# `offset_verdict`. It takes a table $P$ of shape $(T, D)$ and a list of at least two matrices $W$,
# each $(D, D)$. It returns a dict:
#
# - `"ratio"`, a list or an array with $r$ for each $W$, in their order;
# - `"verdict"`, on the claim $r \leq 0.01$ (the products depend on the offset alone), with each
#   matrix's $r$ in the place of one seed's value.
#
# A claim that says “at most” has no lower end. You may use `decide`, your rule from exercise 1. The
# table and the matrices stay as they are.
#
# *Why care:* your function is tried on matrices for which the claim holds, on others for which it
# does not, and on a mix. A memorised verdict fails.
#
# <details><summary>Hint 1</summary>
#
# The diagonals of `S` are `S.diagonal(k)` for `k` from $1-T$ to $T-1$.
# </details>
# <details><summary>Hint 2</summary>
#
# First sum the squares over all diagonals. Divide and take the root at the end.
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
# Now measure $r$ without a matrix, with the matrices $M_k$ of unit 02, and with random matrices.

# %% tags=["nbval-check-output", "shown"]
sees = check.offsets.use(offset_verdict)
random = torch.Generator().manual_seed(0)
between = {
    "none": [torch.eye(32).double()] * 2,
    "M_1, M_5, M_9": [encodings.shift_matrix(k, 32) for k in (1, 5, 9)],
    "random": [torch.randn(32, 32, generator=random).double() for _ in range(3)],
}
for name, matrices in between.items():
    found = sees(P, matrices)
    print(f"{name:14}", [f"{float(r):.2f}" for r in found["ratio"]], found["verdict"])

# %%
r = statistics.fmean(map(float, found["ratio"]))
outcome("random", "a" if r < 0.01 else "c" if r > 0.71 else "b")

# %% [markdown]
# Without a matrix, the products depend on the offset alone. They still do with the matrices $M_k$,
# which turn the rows. With random matrices they do not. So for sinusoids, claim 11 holds in part:
# without a matrix it is true, with a random one it is not. (Section 10 tries trained ones.) Of
# relative encodings, which the slide probably meant, the claim is true: their term uses positions
# only through the offset (unit 04).
#
# How random may $W$ be? Take 0.9 times the identity plus 0.1 times a matrix of standard normal
# numbers. Then $r$ is already 0.4 to 0.6 in the ten seeds of the slider. And what is $r$ for the
# learned table of section 1? Guess; section 10 measures it.

# %% tags=["shown"]
widgets.explore(lambda noise, seed: figures.mixed(P, noise, seed),
                noise=("how random W is", 0.0, 1.0, 0.1), seed=("seed", 0, 9, 0))

# %% [markdown]
# ## 6. Longer than trained
#
# - **Claim 7** (lecture slides). With a learned table, a model cannot handle longer texts at test
#   than in training.
# - **Claim 8** (lecture slides). Relative embeddings have the same limit of context length.

# %%
predictions |= {7: "?", 8: "?"}

# %% [markdown]
# The three models of section 1 were trained on texts of 16 tokens, but their table has 32 rows. So
# we can give them a text of 32 tokens. We do the same with models that have sinusoids or Shaw's
# vectors.

# %%
predict("longer", "With sinusoids, every row beyond 16 follows the formula. In the second half of "
        "the text, such a model is right in", a="about 1 of 8 cases, like guessing",
        b="about half of the cases", c="nearly all: it knows the rule by now", answer="")

# %% tags=["training"]
answers = {
    kind: torch.stack([small.hits(small.trained("shift", kind, seed)[0], "shift", 32)
                       for seed in range(3)])
    for kind in ("learned", "sinusoidal", "shaw_keys")
}
{kind: tuple(right.shape) for kind, right in answers.items()}  # seeds, texts, positions

# %% [markdown]
# Entry $(s, n, p)$ is 1 where seed $s$ was right about position $p$ of text $n$, and 0 where it was
# wrong. The first three positions have nothing three positions back, so nothing is asked there: the
# entry is NaN.

# %% [markdown] exercise="beyond" title="Beyond the training" difficulty=2 minutes=8
# Write `beyond_verdict`. It takes `right`, of shape (seeds, texts, $T$), with 1 for a right answer,
# 0 for a wrong one and NaN wherever nothing was asked. Its second argument is `trained`, the length
# of the training texts. It returns a dict:
#
# - `"fraction"`, the fractions of right answers **beyond** the trained positions, one for each
#   seed; these are the positions from `trained` on, counted from 0;
# - `"verdict"`, what follows for the claim “**at most half of the answers there are right**”.
#
# Each answer of a seed counts the same, whichever text it is in. A claim that says “at most” has no
# lower end. `right` stays as it is.
#
# *Why care:* in a mean over the whole text, the half that the model knows hides the other half.
#
# <details><summary>Hint</summary>
#
# Positions are counted from 0, so the first one beyond the training is number `trained`. `nanmean`
# leaves out the NaN. It takes several axes at once: `x.nanmean((1, 2))`.
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
    print(f"{kind:10} right from position 16 on: {fractions}   at most half: {found['verdict']}")
second_half = float(answers["sinusoidal"][:, :, 16:].nanmean())
outcome("longer", "a" if second_half < 0.3 else "c" if second_half > 0.9 else "b")

# %% tags=["training"]
plots.show(figures.alone(figures.places), "Shaw is right at all positions that are asked. From 16 "
           "on the tables do a little better than guessing; sinusoids begin to fall before that.")

# %% [markdown]
# Guessing among 8 symbols is right in 0.125 of the cases. What does each encoding have at positions
# 16 to 31?
#
# - **Learned table.** These rows have never had a gradient. They are as random as at
#   initialisation, only shrunk a little by weight decay.
# - **Sinusoids.** These rows follow a formula, but the model has learned nothing about them. In
#   texts of 32 tokens it makes mistakes before position 16, too.
# - **Shaw.** The vector of −3 is the same one at every position. So it was trained for these
#   positions too.
#
# That a text of 32 tokens raises no error only shows that the table has that many rows. So for
# claim 7 we measure the longest text whose last token is still mostly answered correctly. Claim 8
# speaks of all relative embeddings, and some are not clipped. Huang's table has a vector for each
# offset up to the length that it was built for, and ends there.

# %% tags=["shown"]
for number in (7, 8):
    rows = study.rows(number)
    plots.show(figures.strips(CLAIMS[number], rows), figures.in_words(CLAIMS[number], rows))
print(results.load("claims").note)

# %% [markdown]
# Claim 7 holds for this model and this task; no measurement covers every model. The model seems to
# learn the distance anew for each position. Claim 8 holds in part: clipped offsets work on longer
# texts, and a table without a clip ends at the length that it was built for.
#
# ## 7. Which one is better?
#
# - **Claim 5** (a forum answer). Learned tables are the choice because they give better results.
#
# Better than what, and on which task? We make three comparisons:
#
# - with sinusoids, on the task above;
# - with Shaw's vectors, on that task in texts twice as long as trained, all positions counted;
# - with Shaw's vectors on another task, **reversing** a text, where the model has to know the
#   position, not the offset.

# %%
predictions |= {5: "?"}
predict("wins", "In how many of the three is the learned table's accuracy (0 to 1) higher by 0.05 "
                "or more?",
        a="in none", b="in one", c="in two", d="in all three", answer="")

# %% [markdown] exercise="better" title="Better, seed by seed" difficulty=3 minutes=12
# Seeds differ, and in a fair comparison both encodings have the same seeds. Write `better_verdict`.
# `ours` and `other` name the two encodings in `runs` to compare. This table has a row for each run,
# with the columns `encoding`, `seed` and `accuracy`, and perhaps more. Its rows and columns come in
# any order, and no pair of encoding and seed occurs twice. At least two seeds are shared. Return a
# dict:
#
# - `"difference"`, the accuracy of `ours` minus that of `other`, a list, array or column with a
#   number for each seed that **both** were run with, in ascending order of the seeds;
# - `"verdict"`, what follows for the claim "ours is better by at least `by`".
#
# A claim that says “at least” has no upper end. `runs` stays as it is.
#
# *Why care:* runs that share a seed have seen the same texts. So the differences often vary less
# than the accuracies.
#
# <details><summary>Hint</summary>
#
# `runs.pivot(index="seed", columns="encoding", values="accuracy")` is a table with a column for
# each encoding, and NaN where a run is missing. `dropna` drops a row with any NaN. So first take
# the two columns that you compare.
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
# Now your function judges recorded runs: two layers, 1,000 steps, three seeds. Units 04 and 05 have
# shown some of them.

# %% tags=["nbval-check-output", "shown"]
compare = check.better.use(better_verdict)
shift, back = results.load("shift3").table, results.load("reverse").table
trials = {
    "three back, length 32 as trained": (shift[shift["length"] == 32], "sinusoidal"),
    "three back, twice that length": (shift[shift["length"] == 64], "Shaw keys"),
    "reversed, length 16 as trained": (back[back["length"] == 16], "Shaw keys"),
}
wins = 0
for task, (runs, other) in trials.items():
    found = compare(runs, "learned", other, by=0.05)
    gains = ", ".join(f"{float(each):+.2f}" for each in found["difference"])
    right = runs.groupby("encoding")["accuracy"].mean()
    print(f"{task:33} {right['learned']:.2f}, {other} {right[other]:.2f}; {gains}:",
          found["verdict"])
    wins += found["verdict"] == HOLDS

# %%
outcome("wins", "abcd"[wins])

# %% [markdown]
# The learned table is no better (both are right everywhere), then far worse, then far better. Claim
# 5 names neither the rival nor the task, so it is true for one comparison and false for two. (The
# first could not come out otherwise: nothing is better than right everywhere.) Vaswani et al. 2017
# tried both (table 3, row (E)) and found nearly the same result: 25.7 BLEU with the table, 25.8
# with sinusoids.
#
# Papers rank encodings, too:
#
# - **Claim 33** (the paper on ALiBi). Texts longer than those of the training are read best with
#   ALiBi, and nothing is lost at the length of the training.
#
# The models of its table 2 had 16 layers, and texts of Wikipedia. The race, with which unit 08
# ended, has run all encodings of the library, with three seeds each. It measures a loss on a scale
# from 0, the lowest loss that any model can have, to 1, the loss without positions. We take the
# race's grammar, and its longest texts, which are eight times as long as those of the training.

# %%
predictions |= {33: "?"}

# %% tags=["shown"]
rows = CLAIMS[33].measure()
plots.show(figures.strips(CLAIMS[33], rows), figures.in_words(CLAIMS[33], rows))

# %% [markdown]
# On longer texts, each seed ranks ALiBi first of these four, as the paper does. In the paper, ALiBi
# is as good as RoPE at the length of the training: the perplexities are 19.7 and 20.1. Here it is
# behind RoPE by about 0.3 on the race's scale. So claim 33 holds in part: a ranking, too, belongs
# to a task. [`docs/race.md`](../../docs/race.md) puts the tables of three papers beside ours.
#
# ## 8. The later, the worse?
#
# - **Claim 9** (lecture slides). The later the position, the worse its learned vector.
#
# A row is trained only when a text reaches it. BERT took the first 90 % of its steps on texts of
# 128 tokens, and the rest on texts of 512. Here nine batches in ten have texts of 8 tokens, and the
# tenth has texts of 32. For comparison, a second model sees texts of 32 in every batch.

# %%
predictions |= {9: "?"}

# %% tags=["training"]
widgets.explore(figures.rows_by_lengths, short_text=("length of most batches", 4, 28, 8),
                every=("one long batch in", 2, 20, 10))

# %%
print("accuracy in the first quarter of the rows minus that in the last, percentage points:")
for part in CLAIMS[9].parts:
    print(f"  {part.says}: {study.mean(9, part.number)}")

# %% [markdown]
# Each move of a slider trains two models. With one length, all rows are equally good. With mostly
# short texts, as the sliders are set at first, accuracy drops at position 8, where the short texts
# end. In the picture it then stays between about 0.2 and 0.6. The late rows catch up if long
# batches are more frequent, or if the training is longer (`docs/claims.md`). So claim 9 holds in
# part: what it describes comes from the **mix of lengths**, and only in a short training.
#
# ## 9. The verdict on a claim
#
# Seven claims are left. Claims 16, 23 and 17 come from published answers to the book's exercises.
# Some parts of 16 and 23 need the tree language of unit 06: each word follows from its parent in a
# tree, and the words come in random order. A model can be **told** the tree, by offsets that are
# counted in the tree. Below each claim are its parts, with arrows:

# %%
for n in (16, 23, 17):
    print(textwrap.fill(f"{n}  {CLAIMS[n].text}", 96, subsequent_indent="    "))
    print("    → " + "\n    → ".join(part.says for part in CLAIMS[n].parts))

# %%
predictions |= {16: "?", 23: "?", 17: "?"}

# %% [markdown]
# Claim 17 deserves a number. A model that is trained on the same eight texts over and over
# overfits: its loss is higher on new texts than on those eight. With a window of ±3, each token
# looks at seven tokens at most, and the model has as many parameters as before.

# %%
predict("window", "With the window this gap is smaller. By how many %? Write a number.", answer="")

# %% [markdown]
# Now you write one function that judges these claims and all others. Then it goes through them all,
# and you see how many of your predictions came out. In the library a claim is an object:
#
# - `claim.parts` are what it says. Each part names a number, `part.number`, and the ends `part.low`
#   and `part.high` of the interval in which the number would have to lie.
# - `claim.measure(seeds)` returns a table with a row for each seed and a column for each number.
#   Some columns belong to no part.
# - `claim.measurement` is `None` where there is nothing to measure. Such a claim has no parts. Its
#   verdict, `claim.read`, comes from reading the source.

# %% tags=["nbval-check-output"]
claim = CLAIMS[13]
for part in claim.parts:
    print(f"{part.number!r:20} from {part.low:g} to {part.high:g}")
print(claim.measure([0, 1]).to_string())

# %% [markdown] exercise="verdict" title="The verdict on a claim" difficulty=3 minutes=15
# One function judges all claims, so that none gets a rule of its own. Write `verdict_on`. It takes
# a claim and a sequence of at least two seeds, such as a list or a range, and returns a dict. It
# measures the claim by `claim.measure(seeds)`, with no other argument. `"numbers"` is itself a
# dict: its keys are the names `part.number`, and its values are the lists of what was measured, in
# the order of the seeds. `"verdict"` follows from these numbers:
#
# - `"not settled here"` if one part or more is not settled;
# - otherwise `"holds"` if all parts hold, `"does not hold"` if no part holds, and `"holds in part"`
#   if only some parts hold.
#
# A claim that was only read has no numbers, `{}`, and the verdict `claim.read`. You may use
# `decide`. Do not use `claim.verdict`, `claim.findings` or `part.verdict`: they do what you are
# asked to write.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Other entries in `"numbers"` are allowed. Two parts may look at the same number, each with its
#   own interval.
# - If a claim can be measured, `claim.read` means nothing.
# - `seeds` stays as it is.
# </details>
#
# *Why care:* at this step a result is most easily adjusted: a part that failed, or is open, is
# forgotten. Your function is tried on invented claims with every verdict, and on real ones with new
# seeds.
#
# <details><summary>Hint 1</summary>
#
# If `rows` is what `measure` returned, `rows[part.number].tolist()` are the values of one part.
# </details>
# <details><summary>Hint 2</summary>
#
# Put what `decide` says of each part into a set. First look for the parts that are not settled.
# Then the size of the set tells whether the parts agree.
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
# Four claims are left. The first three are worked out or counted, and the last can only be read:

# %%
for n in (2, 19, 20, 22):
    print(textwrap.fill(f"{n:2}  {CLAIMS[n].text} ({CLAIMS[n].source})", 96))

# %%
predictions |= {2: "?", 19: "?", 20: "?", 22: "?"}
print("still without a prediction:", [n for n, said in predictions.items() if said == "?"])

# %% [markdown]
# Now your function judges all claims. Most are measured now, with three seeds. Those in `LONG`
# train longest. For them, `study.replayed(claim)` is the same claim with the recorded numbers of
# 20 seeds. A claim that you take out of `LONG` is measured now.

# %% tags=["training"]
LONG = {3, 9, 16, 17, 23}
verdict_of, found = check.verdict.use(verdict_on), {}
for n in sorted(predictions):
    if n in LONG:
        found[n] = verdict_of(study.replayed(CLAIMS[n]), range(20))
    else:
        found[n] = verdict_of(CLAIMS[n], range(3))

made = {n: said for n, said in predictions.items() if said != "?"}
for n, each in found.items():
    print(f"{n:2}  you: {made.get(n, 'not predicted'):17} verdict: {each['verdict']}")
right = [n for n, said in made.items() if said == found[n]["verdict"]]
print(f"{len(made)} of {len(found)} predicted, {len(right)} of them as it came out")

# %% [markdown]
# Claims 16, 23 and 17, part by part, with mean ± standard deviation. Which of the parts did you
# expect to fail? Claim 17 is drawn as well: a dot for each seed, on a shaded band in which the part
# holds. Then the other four in brief:

# %% tags=["training"]
for n in (16, 23, 17):
    print(textwrap.fill(f"Claim {n}. {CLAIMS[n].text} {found[n]['verdict'].capitalize()}:", 96))
    print(figures.told(CLAIMS[n], found[n]["numbers"], decide))
    print(textwrap.fill(CLAIMS[n].why, 96), "\n")
drawn = pd.DataFrame(found[17]["numbers"])
plots.show(figures.strips(CLAIMS[17], drawn), figures.in_words(CLAIMS[17], drawn))
outcome("window", round(drawn["pairs"].mean()))

# %% tags=["training"]
for n in (2, 19, 20, 22):
    print(textwrap.fill(f"Claim {n}. {CLAIMS[n].text} {found[n]['verdict'].capitalize()}:", 96))
    print(figures.told(CLAIMS[n], found[n]["numbers"], decide))
    print(CLAIMS[n].why.split(". ")[0] + ".\n")

# %% [markdown]
# Counting parameters refutes the reason that claim 17 gives. On overfitting the claim is right
# here, where all that a word depends on lies in the window: with less to look at, the model
# overfits less. A part of claim 16 holds: a model misses the tree if it is not told. Claim 23 says
# what helps: to be told. More on each is in [`docs/claims.md`](../../docs/claims.md). In our run,
# only claim 22 was left open: we have not verified two of the three tasks that it names. What is
# still missing is the distance of section 1: where does the model keep it?
#
# ## 10. Where the distance is
#
# Back to the question of section 1. Is the distance in the **rows** of the table? Your
# `offset_verdict` can tell: the rows of sinusoids have it, and their $r$ was 0. Or do the model's
# own **matrices** make the distance from the rows? We measure $r$ for both.

# %%
predict("where", "The trained model's matrices W between the rows of its table. Compared with the "
        "rows alone, r is", a="much smaller, near 0: the matrices make the distance",
        b="hardly smaller, or even larger", answer="")

# %% tags=["training"]
def r_of(rows, heads):
    """r of the rows alone, and with the sum of the heads' matrices in between."""
    return [float(r) for r in sees(rows, [torch.eye(32).double(), heads.sum(0)])["ratio"]]

draw = torch.Generator().manual_seed(0)
noise = [(torch.randn(16, 32, generator=draw).double(),
          torch.randn(4, 32, 32, generator=draw).double()) for _ in range(3)]
sines = [small.trained("shift", "sinusoidal", seed)[0] for seed in range(3)]
shuffle = torch.randperm(16, generator=draw)
trials = {
    "random numbers": [r_of(*each) for each in noise],
    "learned table": [r_of(figures.rows_of(model, 16), trained.between_positions(model))
                      for model in models],
    "learned, shuffled": [r_of(figures.rows_of(model, 16)[shuffle],
                               trained.between_positions(model)) for model in models],
    "sinusoids": [r_of(tables["sinusoids"], trained.between_positions(model)) for model in sines],
    "mixed sinusoids": [r_of(tables["sinusoids"] @ heads[0], heads) for _, heads in noise],
}
for name, by_seed in trials.items():
    alone, behind = (" ".join(f"{r:.2f}" for r in each) for each in zip(*by_seed, strict=True))
    print(f"r, {name:17}  rows alone: {alone}   with the matrices: {behind}")
behind = [with_matrices for _, with_matrices in trials["learned table"]]
outcome("where", "a" if max(behind) < 0.3 else "b")

# %% [markdown]
# By $r$, the rows are like random numbers. (Even for these $r$ is 0.6 and not 1, as each row's
# product with itself is large: the main diagonal is a stripe.) But does this refute claim 24? The
# last line says no. There, a random matrix mixes the columns of the sinusoids. Each column is still
# a sum of sines and cosines, and yet $r$ is as large as for the learned rows. So we look for the
# waves themselves: we fit one wave to each column, of the frequency that fits best. How much of the
# column's variance does it explain? Mixed sinusoids are made of waves. So for them the measure must
# come out high: at least 0.6, as we ask of claim 24.

# %% tags=["training"]
waves = {"sinusoids": [tables["sinusoids"]],
         "mixed sinusoids": [tables["sinusoids"] @ heads[0] for _, heads in noise],
         "random numbers": [rows for rows, _ in noise],
         "learned table": [figures.rows_of(model, 16) for model in models]}
for name, by_seed in waves.items():
    explained = [order.best_wave(rows) for rows in by_seed]
    print(f"best wave, {name:15}", *(f"{each:.2f}" for each in explained))
part = CLAIMS[24].parts[1]
print(f"learned table, at least {part.low}:", decide(explained, low=part.low))

# %% [markdown]
# The columns of the learned table are hardly more like waves than random numbers are. So this half
# of claim 24 fails: nothing has turned into sines and cosines here.
#
# Now look at $r$ with the matrices. With the learned ones it grows: less depends on the offset. It
# grows much more if the same rows are shuffled first; so in their own order they keep a trace of
# the distance. Between the rows of sinusoids, trained matrices keep most of the stripes, not all:
# claim 11 fails there, too.
#
# Again, which question did we ask? $r$ asks whether **all** diagonals are flat. The task asks for
# much less. For the query at $i$, the key at $i - 3$ has to win against the other keys. Once it
# wins clearly, it does not matter by how much. So look at the winner:

# %% tags=["training"]
for model in models:
    rows = figures.rows_of(model, 16)
    products = rows @ trained.between_positions(model).sum(0) @ rows.T  # of all four heads
    wins = (products[3:].argmax(1) == torch.arange(13)).sum()
    print(f"with the matrices, the largest entry of a row is three back in {wins} of 13 rows")
widgets.explore(lambda seed: figures.from_rows_to_weights(models[seed], 16),
                seed=("seed", 0, 2, 0))

# %% [markdown]
# There it is: in every row that has a key three back, this key has the largest entry. On the left,
# the products of the rows are noise, apart from the diagonal. In the middle, with the matrices in
# between, a stripe appears three left of the diagonal. On the right, after each head's softmax,
# that stripe has most of the weight: **the distance is in the attention**. The matrices do make it;
# $r$ was the wrong number to see it by. The model has learned that position 12 should look at
# position 9, and position 7 at position 4. No formula says so. What the model has learned ends
# where the training ended, at position 15.

# %% tags=["shown"]
for n in (4, 24):
    print(f"claim {n}: {found[n]['verdict']}. {CLAIMS[n].text}")
    for part in CLAIMS[n].parts:
        values = (f"{each:.3g}" for each in found[n]["numbers"][part.number])
        print(f"    {part.says}: {', '.join(values)} {part.unit}")

# %% [markdown]
# Claim 4 says “cannot” of every distance, so one that works, three back, refutes it. Claim 24, the
# reply, is half right: the model does learn this distance, but its columns are no waves. Whoever
# contradicts a false claim makes another claim, and has to measure that one as well.
#
# The best answer to a claim that fails is a version of it that holds. Here is ours, judged by your
# function:

# %% tags=["training"]
ours = Claim(
    0, "With a learned table, a model can learn to find the token at a fixed distance, at the "
    "positions it was trained on and not beyond them.", "this notebook", "", "",
    (Part("inside", "right at the positions of the training", "% right", low=90),
     Part("beyond", "right in at most half of the cases beyond them", "% right", high=50)),
    CLAIMS[4].measurement,
)
print(ours.text, "It", verdict_of(ours, range(3))["verdict"] + ".")
rows = ours.measure()
plots.show(figures.strips(ours, rows), figures.in_words(ours, rows))

# %% [markdown]
# Our claim is longer than the forum's, because it names conditions. Even so, *a fixed distance*
# says more than we have measured, which is three back, in a small model and on a synthetic task.
# One counter-example, however small, refutes a claim that says *always* or *cannot*. It does not
# settle a claim that says *usually, in large models*.
#
# ### A claim of your own
#
# It needs a sentence, a function that measures a number for a given seed, and an interval. Begin
# with this one: “The attention looks three back.” How much weight must be there for that? With the
# ends 0 and 1 the claim cannot fail. Choose ends with which it fails, and others with which it is
# not settled.
#
# Then replace the sentence and `measure`. Trained models are `small.trained(task, encoding, seed)`,
# for the tasks `"shift"` and `"reverse"` and any encoding of the library that needs no tree; the
# cells above measure such models in several ways. Do sinusoids look three back as well?

# %% tags=["training"]
def measure(seed, full=False):
    """Numbers by their names, for one seed."""
    model, _ = small.trained("shift", "learned", seed)
    weights = trained.who_looks_where(model, 16)  # mean of heads and texts, (T, T)
    return {"weight": float(weights.diagonal(-3).mean())}

mine = Claim(0, "The attention looks three back.", "you", "", "",
             (Part("weight", "the weight three back", "of all", low=0, high=1),), measure)
print(mine.text, verdict_of(mine, range(3))["verdict"].capitalize() + ".")
rows = mine.measure()
plots.show(figures.strips(mine, rows), figures.in_words(mine, rows))

# %% [markdown]
# ## 11. Check against the book
#
# The book's library, d2l, has a BERT as well. How long may its text be, and what is its MLM head?
# We measure claims 12 and 13 on it.

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    theirs = d2l.BERTModel(500, 64, 128, 2, 1, dropout=0)
    head = theirs.mlm.mlp
    print("rows:", theirs.encoder.pos_embedding.shape[1])
    print("head:", [type(each).__name__.replace("Lazy", "") for each in head])
    print("tied:", head[-1].weight is theirs.encoder.token_embedding.weight)

# %% [markdown]
# The book's BERT has 1,000 rows, a ReLU, and a decoder of its own. Whoever learned BERT from the
# book would make other claims, and be right about that model. So name the source, and then measure.
#
# ## What to keep
#
# - Turn a claim into a number and an interval. Fix the rule for the verdict before you measure.
# - The rule looks at mean ± 2 standard deviations of single seeds: inside, outside on one side, or
#   not settled here.
# - Ask of every measurement which question it answers. A model whose table looks like noise can
#   find the token three positions back. A text that runs without an error is not always understood.
# - One part that is not settled leaves the claim unsettled. With one part that fails, the claim
#   holds in part at most.
# - “Better” needs a rival and a task. One counter-example refutes “cannot”. A reply to a false
#   claim has to be measured too.
#
# ## Further reading
#
# - Vaswani et al. 2017, *Attention Is All You Need*: section 3.5, and table 3, row (E).
# - Devlin et al. 2018, *BERT*: section 3 and appendix A.2, for claims 12 and 13.
# - Shaw et al. 2018, *Self-Attention with Relative Position Representations*: the clip, in 3.2.
# - Wang and Chen 2020, *What Do Position Embeddings Learn?* (2010.04903): probes of real tables.
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn
#   Positional Information* (2203.16634): claim 6 at full size.
# - Dufter et al. 2022, *Position Information in Transformers: An Overview* (2102.11090): most
#   encodings of this course and many others. Take one and say which hooks it uses.
# - Kazemnejad et al. 2023, *The Impact of Positional Encoding on Length Generalization in
#   Transformers* (2305.19466). Ask: which task, how many seeds, how far apart?
#
# ## What is open
#
# As far as we know these are not settled, and this course has not settled them either:
#
# - Would a BERT of full size have done better with sinusoids, or with offsets? (`docs/questions.md`
#   asks why BERT learned its positions.)
# - Do decoders without positions read longer texts than others? Papers have reported it. At our
#   size, longer texts cost them nothing where only content counts, and much where order counts
#   (`docs/claims.md`, 27).
#
# And when you read a claim tomorrow: turn it into an interval, predict, and take three seeds.
#
# One claim is left, and you will meet it often: a model with RoPE can read texts longer than those
# of its training if a few numbers are changed, without any further training. Unit 10 measures this
# claim with what you have learned here: seeds, a limit, and the question what exactly was claimed.
