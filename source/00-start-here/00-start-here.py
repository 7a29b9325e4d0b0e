# %% [markdown]
# # 00 · Start here
#
# *Dog bites man* is not news; *man bites dog* is. For a Transformer like BERT both are the same
# sentence, unless the model is given the positions of the words. This course builds and measures
# two dozen ways to give them.
#
# By the end of these ten minutes you
#
# - know that your machine has what the course needs;
# - have seen why a Transformer must be given the positions of its tokens;
# - have solved one exercise, read a hint, and know how points are given;
# - have made your first prediction, and seen the question that the course works on.

# %% [markdown]
# ## 1. Is everything here?

# %%
from helpers import runtime

print(runtime.check())

# %% [markdown]
# A line with ✗ says what to do. Everything in the course runs on a laptop without a GPU. With a GPU
# the experiments are larger, but the ideas are the same.
#
# ### The map of the course
#
# This is a Transformer. All tokens of a text enter it together, and each layer repeats what the
# dotted box shows. Positions can be put in at the four highlighted points, called hooks. Unit 01
# explains the other boxes. Later units show this map again and highlight only the hooks that they
# use.

# %%
from helpers import plots
from helpers.pictures import hooks

plots.show(*hooks.hooks("embed", "rotate", "bias", "context"))

# %% [markdown]
# ## 2. A bag of words
#
# Here are two sentences with the same words. Each word has a number.

# %%
import torch

words = {"dog": 0, "bites": 1, "man": 2}
sentences = ["dog bites man", "man bites dog"]
tokens = torch.tensor([[words[word] for word in s.split()] for s in sentences])
tokens  # (B, T): two sentences, three words

# %% [markdown]
# Texts that go through a model together are a **batch**; here it has two. The model turns each
# number into a vector, its **embedding**. A model that only adds these vectors up cannot know who
# was bitten:

# %% tags=["nbval-check-output"]
torch.manual_seed(0)
vectors = torch.randn(3, 4)  # a vector of width D = 4 for each word
bags = vectors[tokens].sum(dim=1)  # (B, D)
print("the same bag of words:", torch.allclose(bags[0], bags[1]))

# %% [markdown]
# Self-attention is a cleverer sum, but still a sum over words. In BERT every word sees all others.
# Without positions, shuffling the words only shuffles the outputs in the same way. Unit 01 proves
# this, and measures what changes if a word cannot see the words after it. So the position of each
# word has to be put in from outside. **How** to do this is the subject of this course.

# %% [markdown] exercise="positions" title="Where does each token stand?" difficulty=1 minutes=5
# Every encoding begins with the position of each token. Write `positions_of`: for a batch of
# token numbers of shape $(B, T)$, it returns the position of each token in its own sentence,
# counted from 0, as whole numbers in the same shape.
#
# For our two sentences that is `[[0, 1, 2], [0, 1, 2]]`.
#
# *Why care:* the two axes are easily mixed up, and no error tells you. Throughout the course, the
# batch $B$ is the first axis, and $T$ is the length.
#
# <details><summary>Hint 1</summary>
#
# `torch.arange(n)` counts from 0 to n − 1.
# </details>
# <details><summary>Hint 2</summary>
#
# `row.expand(B, T)` repeats a row of length T without copying it.
# </details>

# %% solution="positions"
def positions_of(tokens: torch.Tensor) -> torch.Tensor:
    """Position of each token in its sentence, from 0; (B, T) → (B, T)."""
    ### BEGIN SOLUTION
    return torch.arange(tokens.shape[1]).expand(tokens.shape)
    ### END SOLUTION

# %% [markdown]
# The next cell checks your answer. Run it as often as you like, even before you have written
# something. Try a wrong answer on purpose: let the positions begin at 1, and read what the check
# says.

# %% test="positions" points=2
from helpers.checks import start_here as check

check.positions(positions_of)
### BEGIN HIDDEN TESTS
check.positions(positions_of, seed=6101)
### END HIDDEN TESTS

# %% [markdown]
# **How points are given.** An exercise has parts, and each right part earns its points. After you
# hand in, the same check runs again with other sentences.
#
# - A right answer counts, however it is written. But it does not count if it only calls a function
#   that solves the whole exercise, from this course's library or any other.
# - In every exercise, do not change the arguments, keep nothing from one call to the next, and
#   start no threads. The check calls your function many times.
# - Longer exercises have **small print** that opens when you click on it: dtypes, gradients, odd
#   sizes. Write the main thing first, then read the small print.
# - Cells with a CHECK line are locked: if you change one, it is put back.
# - The button **Validate**, above the notebook in JupyterLab, runs all cells anew. “The following
#   cell failed … Partial credit” means that a check has not given all of its points yet; it may
#   have given some, or none.
#
# If you are stuck, go on. Later cells do not need your answer, as long as the exercise's own cell
# runs without an error.
#
# **Words.** The course uses the terms of the field, and explains each where it first occurs. If you
# have forgotten a term, look it up in the glossary: the line below each unit's title links to it.

# %% [markdown]
# ## 3. Where this leads
#
# A small Transformer reads a synthetic language of 8 symbols. Nine times in ten, a token is
# determined by the token **three positions before** it; otherwise it is drawn at random from all
# symbols. Some tokens are hidden or replaced, and the model has to name the original tokens. This
# is **masked language modelling**, BERT's way of training.
#
# The model was trained on sequences of 24 tokens, then tested on 24, 48 and 96. Its **loss** says
# how badly it does, so less is better. The grey line in the picture, the *limit*, is the loss of
# the best possible model. Loss and limit are explained below the picture. *Sinusoids* are the
# positional vectors of the first Transformer; a formula computes them for any length.
#
# **Make a prediction before you look.** Run the cell and choose an answer below it. (Where nothing
# can be chosen, write your letter between the quotes and run the cell again.) Predictions are never
# marked. They are there because people who commit to an answer remember the result better.

# %%
from helpers.predict import outcome, predict

predict("far", "Trained on 24 tokens: how good is the model with sinusoids on 96?",
        a="as good as on 24, since the formula holds for any length",
        b="worse than on 24, but better than without positions",
        c="worse than without any positions", answer="")

# %% [markdown]
# The code of the next cell is folded: it shows a result and teaches nothing new. It runs like any
# other cell, and later cells may use what it defines. To read the code, click on the three dots (in
# Colab on *Show code*).

# %% tags=["figure"]
import matplotlib.pyplot as plt

from helpers import plots, results

figure, ax = plt.subplots()
study = results.load("lag3")
race = study.table[study.table["encoding"].isin(["none", "sinusoidal"])]
plots.race(ax, race, "recorded: three seeds each")
plots.show(figure, "Loss by length: sinusoids are near the limit at 24, far above it at 48 and 96.")
print(study.note)

# %%
loss = race.groupby(["encoding", "length"])["loss"].mean()
at24, at96, none = loss["sinusoidal", 24], loss["sinusoidal", 96], loss["none", 96]
outcome("far", "c" if at96 > none else "a" if at96 < at24 + 0.1 else "b")

# %% [markdown]
# The loss is the **cross-entropy**: the mean of $-\ln p$, where $p$ is the probability that the
# model gave to the right token. Its unit is the **nat**. Guessing one of 8 symbols blindly costs
# $\ln 8 \approx 2.08$ nats.
#
# The grey line is the lowest loss that **any** model can reach: the **entropy** of the hidden
# tokens given those that are shown. For this language it can be computed exactly, and we call it
# the *limit*. The limit is not zero, for two reasons. One token in ten follows no rule. And the
# tokens three positions before and after, which tell most about it, may be hidden too or lie
# outside the text. In a longer text a smaller part of the tokens is near an end, so the line falls
# a little.
#
# Two results need an explanation:
#
# 1. Without positions the model learns little. It knows which tokens are there, but not where.
# 2. With sinusoids the model comes close to the limit at the trained length, but fails on longer
#    texts. On 96 tokens its loss is higher than without any positions.
#
# Unit 02 builds the sinusoids. From unit 03 on you build other encodings and race them. Does one of
# them stay close to the grey line at 96?

# %% [markdown]
# ## Further reading
#
# - Vaswani et al. 2017, *Attention Is All You Need*, section 3.5: why positions are needed, in
#   four sentences.
# - Devlin et al. 2018, *BERT*, figure 2: the input as a sum of token, segment and position.
