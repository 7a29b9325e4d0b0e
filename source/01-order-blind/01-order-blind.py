# %% [markdown]
# # 01 · Order-blind
#
# A dog bites a man. A man bites a dog. The words are the same, but the order changes everything. In
# unit 00 a sum of word vectors could not tell the two sentences apart. Transformers do not only
# sum, they **attend**: each word chooses which other words it listens to. Is that enough to notice
# who bites whom? This unit builds attention from scratch and finds out.
#
# By the end of this unit you can
#
# - write attention from scratch: scaled, masked, in several heads;
# - prove in three lines that shuffling the tokens only shuffles the outputs of attention, and
#   measure this for any function;
# - compute how well a model can do at best if it cannot see the order of the words: an
#   **order-blind** model;
# - explain what changes if each token sees only those before it, as in GPT;
# - name the four points, called hooks, at which later units add positions to the model.
#
# Reading and running takes about 35 minutes besides the exercises.

# %%
import math
from collections.abc import Callable

import matplotlib.pyplot as plt
import torch
from torch import Generator

from helpers import encodings, plots, runtime, widgets
from helpers.checks import order_blind as check
from helpers.pictures import hooks, reading
from helpers.predict import outcome, predict

# %% [markdown]
# This is the map of the course from unit 00. The four points at which an encoding can act are
# called **hooks**: `embed`, `rotate`, `bias` and `context`. Here no hook is highlighted, because
# this unit is about attention **without** positions. Sections 1 to 3 build everything else in the
# dotted box. Section 7 returns to the hooks.

# %% tags=["shown"]
plots.show(*hooks.hooks())

# %% [markdown]
# ## 1. An average with weights
#
# A word means little without its neighbours. For each token, attention computes a weighted average
# over all tokens, itself included. The tokens themselves choose the weights. Three linear maps,
# learned in training, turn the vector $x_i$ of token $i$ into
#
# - a **query** $q_i = x_i W_Q$: what this token is looking for;
# - a **key** $k_i = x_i W_K$: what this token offers;
# - a **value** $v_i = x_i W_V$: what this token passes on if it is chosen.
#
# The **score** $q \cdot k/\sqrt d$ says how well a query fits a key; $d$ is the width of both
# vectors. The **softmax** turns the scores of a query into **attention weights**: the
# exponential of each score, divided by the sum of these exponentials. Like probabilities, the
# weights are never negative and sum to 1.
#
# Here is all of it for three words, with invented numbers and a loop for each step:

# %% tags=["nbval-check-output"]
words = ["dog", "bites", "man"]
x = torch.tensor([[1.0, 0], [0, 1], [1, -1]])  # a row per word
W_Q = torch.tensor([[1.0, 2], [0, 1]])
W_K = torch.tensor([[1.0, 0], [0, 2]])
W_V = torch.tensor([[0.0, 1], [1, 0]])
Q, K, V = x @ W_Q, x @ W_K, x @ W_V
scores, weights, outputs = torch.zeros(3, 3), torch.zeros(3, 3), torch.zeros(3, 2)
for i in range(3):  # each word asks
    for j in range(3):  # each word is asked
        scores[i, j] = (Q[i, 0] * K[j, 0] + Q[i, 1] * K[j, 1]) / math.sqrt(2)
    for j in range(3):
        weights[i, j] = scores[i, j].exp() / scores[i].exp().sum()
        outputs[i] += weights[i, j] * V[j]
columns = {"query": 13, "key": 13, "value": 13, "scores": 19, "weights": 19, "output": 13}
print(f"{'':8}", *(f"{name:{width}}" for name, width in columns.items()))
for word, *rows in zip(words, Q, K, V, scores, weights, outputs, strict=True):
    print(f"{word:5}", *(" ".join(f"{each:5.2f}" for each in row) for row in rows), sep="  |")

# %% [markdown]
# Take the first row: the query of “dog” fits the key of “bites” best. So the output of “dog” is
# mostly the value of “bites”:

# %% tags=["shown"]
plots.show(*reading.reading(words, [round(float(each), 2) for each in scores[0]], query=0))

# %% [markdown]
# The rows of $Q$, $K$ and $V$ are the queries, keys and values. One formula does without the loops
# (Vaswani et al. 2017, equation 1):
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\Big(\frac{QK^\top}{\sqrt d}\Big)\,V$$
#
# Row $i$ of $QK^\top/\sqrt d$ holds the scores of query $i$.

# %% [markdown] exercise="attention" title="Scaled dot-product attention" difficulty=2 minutes=7
# Write `attention`. There are $T$ queries and $S$ keys, and $T$ may differ from $S$:
#
# - `q` is $(\dots, T, d)$, `k` is $(\dots, S, d)$ and `v` is $(\dots, S, e)$;
# - the result is $(\dots, T, e)$.
#
# The dots stand for any number of leading axes, such as one for the texts of a batch; there may be
# none.
# `F.scaled_dot_product_attention` is not allowed here.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Scores may be so large that exp overflows; the result must still be right.
# - The result has the dtype of `q`, and gradients must reach all three arguments.
# </details>
#
# *Why care:* three things can go wrong, often without an error: the scale, the axis of the softmax,
# and the axes to transpose. The next exercises add a mask and several heads.
#
# <details><summary>Hint 1: leading axes</summary>
#
# Count axes from the end. `k.transpose(-2, -1)` is $K^\top$, and `@` multiplies the last two
# axes.
# </details>
# <details><summary>Hint 2: large scores</summary>
#
# exp(150) is beyond what float32 can hold. `scores.softmax(dim)` avoids the overflow.
# </details>

# %% solution="attention"
def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """softmax(q·kᵀ/√d)·v; (…, T, d), (…, S, d), (…, S, e) → (…, T, e)."""
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # (…, T, S)
    return scores.softmax(-1) @ v
    ### END SOLUTION

# %% test="attention" points=2
check.attention(attention)
### BEGIN HIDDEN TESTS
check.attention(attention, seed=1101)
### END HIDDEN TESTS

# %% [markdown]
# ### Why the scale?
#
# The dot product of two random vectors of width $d$ is a sum of $d$ terms, so its standard
# deviation grows like $\sqrt d$. What happens if the scores are not divided by $\sqrt d$? Make a
# prediction: run the cell, and choose below it. Predictions are never marked.

# %%
predict("scale", "Random queries and 12 random keys of width 256, without the scale: what do the "
        "attention weights of a query look like?",
        a="as with the scale: the softmax makes them sum to 1 anyway",
        b="nearly all weight is on one key",
        c="nearly equal: a sum of many random terms is close to its mean", answer="")

# %% [markdown]
# To see the weights, we give **your** function the identity matrix as values: then each row of the
# output is a row of weights. (Until your function is right, `use` returns the course's.) For the
# second picture the queries are first multiplied by $\sqrt d$, which undoes the scale.

# %%
attention_of = check.attention.use(attention)

def weights_of(d, keys, factor):
    q, k = torch.randn(2, keys, d, generator=Generator().manual_seed(0))
    return torch.as_tensor(attention_of(factor * q, k, torch.eye(keys)))

def mean_largest(weights):
    return float(weights.max(-1).values.mean())

# %% tags=["figure"]
def draw(d, keys):
    figure, axes = plt.subplots(1, 2)
    largest = []
    titles = {"with the scale": 1, "without it": math.sqrt(d)}
    for ax, (title, factor) in zip(axes, titles.items(), strict=True):
        weights = weights_of(d, keys, factor)
        plots.heatmap(ax, weights, x="key", y="query", title=f"{title}, d = {d}", limit=1,
                      says="weight", bar=ax is axes[1])
        ax.locator_params(integer=True)
        largest.append(mean_largest(weights))
    return figure, (f"d = {d}: the mean largest weight is {largest[0]:.2f} with the scale, "
                    f"{largest[1]:.2f} without it.")

widgets.explore(draw, d=("key width d", 1, 256, 64), keys=("number of keys", 2, 32, 12))

# %% [markdown]
# Increase `d` to 256. On the left, the mean largest weight hardly changes. On the right, nearly all
# weight of most rows moves into a single cell.

# %%
largest = mean_largest(weights_of(256, 12, math.sqrt(256)))
outcome("scale", "b" if largest > 0.8 else "c" if largest < 0.2 else "a")

# %% [markdown]
# The softmax makes the weights of a row sum to 1. Which key gets how much depends on the
# differences between the scores, and without the scale these grow like $\sqrt d$. Once one key has
# nearly all weight, a small change of the scores hardly changes the weights, and in such a row
# almost no gradient reaches the query and the keys. Vaswani et al. suspect this and therefore scale
# (section 3.2.1).
#
# ### Who bites whom?
#
# Now your function reads both sentences, with the vectors and matrices from above:

# %% tags=["nbval-check-output"]
for sentence in ("dog bites man", "man bites dog"):
    rows = x[[words.index(word) for word in sentence.split()]]
    output = torch.as_tensor(attention_of(rows @ W_Q, rows @ W_K, rows @ W_V))
    print(sentence, "→ output of “bites”:", *(f"{each:.2f}" for each in output[1]))

# %% [markdown]
# The output of “bites” is the same in both sentences, so it does not say who bites. Do other
# numbers help, or a larger layer? A real layer also has masks and several heads. So we build them
# first.
#
# ## 2. Who may look at whom
#
# One of the two masks below will let a model see who bites whom. Which one? Two kinds of keys must
# be hidden:
#
# - **Padding.** Sequences of a batch differ in length. Short ones are filled up with padding
#   tokens, which mean nothing.
# - **The future.** A model such as GPT predicts the next token, so it must not see that token. Its
#   mask is **causal**: query $i$ sees only the keys $j \le i$.
#
# Entry $[i, j]$ of a mask is True where query $i$ may look at key $j$.

# %% [markdown] exercise="masks" title="Two masks" difficulty=2 minutes=7
# Write `attention_mask` for a batch of $B$ sequences of `num_tokens` $= T$ tokens each; only the
# first `lengths[b]` tokens of sequence $b$ are real. It returns a boolean tensor of shape
# $(B, 1, T, T)$, or one that broadcasts to this shape. The axis of size 1 is for the heads of
# section 3. Entry $[b, 0, i, j]$ is True where both rules hold:
#
# - token $j$ of sequence $b$ is real,
# - if `causal`, token $j$ does not come after token $i$.
#
# A padded token may itself be a query; its row follows the same two rules. Every length is at least
# 1.
#
# *Why care:* an inverted or transposed mask raises no error. A mask that shows the future even
# makes the loss look better than it is.
#
# <details><summary>Hint 1: padding</summary>
#
# `torch.arange(T) < lengths[:, None]` is $(B, T)$ and says which tokens are real. Insert axes with
# `None`: the token axis must stay last, as the axis of the keys.
# </details>
# <details><summary>Hint 2: causal</summary>
#
# Compare a column of query positions with a row of key positions. `&` is “and” for masks.
# </details>

# %% solution="masks"
def attention_mask(lengths: torch.Tensor, num_tokens: int, causal: bool = False) -> torch.Tensor:
    """True where query i may look at key j; lengths (B,) → (B, 1, T, T), boolean."""
    ### BEGIN SOLUTION
    j = torch.arange(num_tokens)
    mask = (j < lengths[:, None])[:, None, None, :]  # (B, 1, 1, T): real keys
    if causal:
        mask = mask & (j <= j[:, None])  # (T, T): not later than the query
    return mask.expand(-1, 1, num_tokens, -1)
    ### END SOLUTION

# %% test="masks" points=1
check.masks(attention_mask)
### BEGIN HIDDEN TESTS
check.masks(attention_mask, seed=1202)
### END HIDDEN TESTS

# %% [markdown]
# A mask acts on the **scores**, before the softmax. A forbidden score becomes $-\infty$. Its weight
# is then $e^{-\infty} = 0$, and the other keys share all the weight.

# %% [markdown] exercise="masked" title="Attention with a mask" difficulty=2 minutes=7
# Write `masked_attention`: as before, but with a boolean `mask` that is True where a query may
# look. The mask may be $(T, S)$, the same for all sequences, or $(B, 1, 1, S)$, one row per
# sequence, or any other shape that broadcasts to the scores. Where the mask is False, the query
# gives the key no weight, whatever its score. Scores lie between $-10^6$ and $10^6$.
# `mask=None` hides nothing. Every query has at least one key that it may look at.
# `F.scaled_dot_product_attention` is not allowed here either.
#
# *Why care:* if the mask is applied at the wrong step, a padded token still changes the result a
# little. No error is raised: the same text just gives slightly different results, depending on how
# long the other sequences of its batch are.
#
# <details><summary>Hint</summary>
#
# `scores.masked_fill(where, value)` puts `value` wherever `where` is True. It broadcasts `where`,
# and returns a new tensor.
# </details>

# %% solution="masked"
def masked_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """As `attention`; where `mask` is False, the query gives the key no weight."""
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(-1) @ v
    ### END SOLUTION

# %% test="masked" points=2
check.masked(masked_attention)
### BEGIN HIDDEN TESTS
check.masked(masked_attention, seed=1303)
### END HIDDEN TESTS

# %% [markdown]
# From here on `attend` is your function (or the course's). The pictures show its weights for eight
# tokens, of which the last two are padding. The values are again the identity matrix.

# %%
masked_of = check.masked.use(masked_attention)

def attend(q, k, v, mask=None):
    return torch.as_tensor(masked_of(q, k, v, mask)).to(q.dtype)

real = torch.arange(8) < 6
causal = torch.ones(8, 8).tril().bool()

# %% tags=["figure"]
q, k = torch.randn(2, 8, 16, generator=Generator().manual_seed(1))
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8))
masks = {"padding": real[None, :], "causal": causal, "both": causal & real}
for ax, (name, mask) in zip(axes, masks.items(), strict=True):
    weights = attend(q, k, torch.eye(8), mask)
    plots.heatmap(ax, weights, x="key", y="query", title=name, limit=1, says="weight",
                  bar=ax is axes[2])
plots.show(figure, "Weights: two empty columns with padding; causal, an empty upper triangle.")

# %% [markdown]
# Change one padded token strongly. Do the outputs of the real tokens change?

# %% tags=["nbval-check-output"]
x = torch.randn(8, 16, generator=Generator().manual_seed(2))
changed = x.clone()
changed[7] += 100
for name, mask in {"with the mask": real[None, :], "without": None}.items():
    moved = (attend(changed, changed, changed, mask) - attend(x, x, x, mask))[:6].abs().max()
    print(f"{name}, a real token's output moves: {bool(moved > 1e-5)}")

# %% [markdown]
# ## 3. Several heads
#
# One part is still missing; then the dog comes back. One softmax gives one average per token. To
# look at two things at once, such as the subject and the verb, a layer has $H$ **heads**. Each head
# works on $d = D/H$ of the $D$ columns of queries, keys and values.
#
# | step | shape |
# | --- | --- |
# | project: $xW_Q$, $xW_K$, $xW_V$ | $(B, T, D)$ |
# | split the columns: head $h$ gets columns $hd, \dots, hd + d - 1$ | $(B, T, H, d)$ |
# | move the head axis next to the batch, then attend | $(B, H, T, d)$ |
# | concatenate the heads of each token | $(B, T, D)$ |
# | mix the heads: $\cdot\, W_O$ | $(B, T, D)$ |

# %% [markdown] exercise="heads" title="Multi-head attention" difficulty=3 minutes=13
# Write `multi_head`, self-attention of `x` $(B, T, D)$ with four weight matrices, each $(D, D)$ and
# used as `x @ w`. `mask` is $(T, T)$ or $(B, 1, 1, T)$, or None. The scale is that of a head:
# scores are divided by $\sqrt{D/H}$. The result has the dtype of `x`, and gradients must reach `x`
# and all four weights. You may use `attend(q, k, v, mask)` or `F.scaled_dot_product_attention`.
# `nn.MultiheadAttention` and `F.multi_head_attention_forward` are not allowed.
#
# *Why care:* your layer gets its weights from outside, so it can be compared with other layers
# number by number. A split in the wrong order raises no error and is hard to find later.
#
# <details><summary>Hint 1: split</summary>
#
# `y.view(B, T, H, d)` cuts the last axis into heads and leaves tokens whole. Only then swap the
# axes: `.transpose(1, 2)`.
# </details>
# <details><summary>Hint 2: merge</summary>
#
# The way back is the reverse: `.transpose(1, 2)`, then `.flatten(2)`.
# </details>

# %% solution="heads"
def multi_head(
    x: torch.Tensor,
    w_q: torch.Tensor,
    w_k: torch.Tensor,
    w_v: torch.Tensor,
    w_o: torch.Tensor,
    num_heads: int,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Self-attention in `num_heads` heads of D/H columns each; (B, T, D) → (B, T, D)."""
    ### BEGIN SOLUTION
    B, T, D = x.shape

    def split(y: torch.Tensor) -> torch.Tensor:
        return y.view(B, T, num_heads, D // num_heads).transpose(1, 2)  # (B, H, T, d)

    context = attend(split(x @ w_q), split(x @ w_k), split(x @ w_v), mask)
    return context.transpose(1, 2).flatten(2) @ w_o
    ### END SOLUTION

# %% test="heads" points=2
check.heads(multi_head)
### BEGIN HIDDEN TESTS
check.heads(multi_head, seed=1404)
### END HIDDEN TESTS

# %% [markdown]
# **Check against the book.** The textbook *Dive into Deep Learning*, d2l for short, has multi-head
# attention as a module in section 11.5. It takes lengths instead of a mask, and its weights are
# transposed. Does it compute the same as yours?

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

multi_head_of = check.heads.use(multi_head)
if d2l:
    torch.manual_seed(0)
    theirs = d2l.MultiHeadAttention(12, num_heads=3, dropout=0).eval()
    x, lengths = torch.randn(2, 5, 12), torch.tensor([5, 3])
    with torch.no_grad():
        expected = theirs(x, x, x, lengths)
        linears = (theirs.W_q, theirs.W_k, theirs.W_v, theirs.W_o)
        real = (torch.arange(5) < lengths[:, None])[:, None, None]
        ours = multi_head_of(x, *[linear.weight.T for linear in linears], 3, real)
        print("equal to 1e-5:", torch.allclose(expected, torch.as_tensor(ours).float(), atol=1e-5))

# %% [markdown]
# A Transformer layer adds the input of attention $f$ to its output: it computes $x + f(x)$. This is
# a **residual connection**, also called skip connection. Here is such a layer with random weights:

# %%
D, H = 16, 4

def layer(x, seed=0, mask=None):
    chance = Generator().manual_seed(seed)
    weights = torch.randn(4, D, D, generator=chance) * D**-0.5
    return x + torch.as_tensor(multi_head_of(x, *weights, H, mask)).to(x.dtype)

# %% [markdown]
# ## 4. Shuffle the tokens
#
# In section 1 the output of “bites” was the same in both sentences. No other numbers would help: no
# part of the layer knows the position of a token. Three lines prove it. Let $P$ be a matrix that
# shuffles the rows of $X$. Let $S = QK^\top/\sqrt d$ be the scores of $X$ and
# $A = \mathrm{softmax}(S)$ the weights. For $PX$ we get:
#
# 1. scores: $(PXW_Q)(PXW_K)^\top/\sqrt d = P\,S\,P^\top$, the same numbers in shuffled rows and
#    columns;
# 2. weights: $P A P^\top$, because shuffling a row shuffles its softmax in the same way;
# 3. outputs: $P A P^\top \cdot P X W_V = P \cdot A X W_V$, because $P^\top P = I$.
#
# So a shuffled input gives the same output, shuffled in the same way: attention is
# **permutation-equivariant**.
#
# The other parts of a Transformer layer treat each token by itself: concatenating the heads, $W_O$,
# the residual connection, LayerNorm and the MLP. So layers one after another, a **stack** of any
# depth, are equivariant as well. (**LayerNorm** shifts and scales the numbers of a token's vector
# to mean 0 and variance 1, then applies a learned scale and shift. The **MLP** is two linear maps
# with a nonlinearity between them. What a layer returns for a token is its **hidden state**.)

# %% [markdown] exercise="gap" title="Does it follow the shuffle?" difficulty=2 minutes=6
# A proof is about formulas; a measurement also finds bugs. Write `permutation_gap`: how far is
# $f(Px)$ from $P f(x)$?
#
# - `f` is a function from $(B, T, D)$ to $(B, T, D)$, and `x` its input; call `f` on all $B$
#   sequences together, not on one after another;
# - `order` is $(T,)$; $P$ moves token `order[t]` to position $t$, in every sequence: with `order` =
#   `[2, 0, 1]`, token 2 comes first;
# - the result is the largest absolute difference, a single number without axes.
#
# *Why care:* this test works for any model in which nothing is random. A gap above rounding error
# proves that order matters to the model. A gap of 0 is only evidence, so the cell below tries
# twenty shuffles.
#
# <details><summary>Hint</summary>
#
# `x[:, order]` shuffles the tokens of every sequence.
# </details>

# %% solution="gap"
def permutation_gap(
    f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, order: torch.Tensor
) -> torch.Tensor:
    """max |f(P·x) − P·f(x)|, where P moves token order[t] to position t; x is (B, T, D)."""
    ### BEGIN SOLUTION
    return (f(x[:, order]) - f(x)[:, order]).abs().max()
    ### END SOLUTION

# %% test="gap" points=1
check.gap(permutation_gap)
### BEGIN HIDDEN TESTS
check.gap(permutation_gap, seed=1505)
### END HIDDEN TESTS

# %% [markdown]
# An **encoder** is a Transformer in which every token sees all others. Now measure three functions,
# with twenty shuffles each: your layer, four full layers of the course's encoder, and your layer
# with positions added to its input.

# %% tags=["nbval-check-output"]
from helpers.model.attention import EncoderLayer

gap_of = check.gap.use(permutation_gap)
torch.manual_seed(0)
stack = torch.nn.Sequential(*[EncoderLayer(encodings.Encoding(D, H)) for _ in range(4)])
chance = Generator().manual_seed(6)
x = torch.randn(2, 10, D, generator=chance)
orders = [torch.randperm(10, generator=chance) for _ in range(20)]
rows = encodings.sinusoidal_table(10, D).float()
functions = {
    "your layer": layer,
    "four layers with LayerNorm and MLP": lambda x: stack(x).detach(),
    "your layer, sinusoids added to its input": lambda x: layer(x + rows),
}
for name, f in functions.items():
    gap = max(float(gap_of(f, x, order)) for order in orders)
    print(f"{name}: {f'{gap:.1f}' if gap > 1e-5 else 'below 1e-5'}")

# %% [markdown]
# The first two gaps are 0, up to the rounding of float32. **Without positions and without a mask, a
# token's output depends only on the token and on the bag of all tokens.** The **bag** says which
# tokens there are, and how often. The third gap is not 0: this function adds the sinusoids of unit
# 02, a vector for each position.

# %% [markdown]
# ## 5. What no training can repair
#
# So far the weights were random. Could *trained* weights see the order? Take a task in which only
# order counts. Among other symbols there are one A and one B. Which comes first? The model should
# answer at the `?` at the end. Each sequence comes with its **twin**, in which A and B are
# exchanged:

# %% tags=["nbval-check-output"]
from helpers.corpora.order import WhichFirst

pair = WhichFirst().batch(2, 8, Generator().manual_seed(0))
for tokens, targets in zip(pair.inputs, pair.targets, strict=True):
    print(" ".join("AB?cdefg"[n] for n in tokens), "→", "AB"[targets[-1]])

# %% [markdown]
# At the `?`, a model without positions and without a mask knows only the bag of tokens. How often
# it can be right at best, on given sequences, can be counted.

# %% [markdown] exercise="bag" title="The best that a bag allows" difficulty=3 minutes=10
# Write `best_without_order`. `tokens` is $(N, T)$, `answers` is $(N,)$, both of integers, 0 or
# larger. Suppose that a model knows only the bag of tokens of each sequence, and always gives the
# same answer to the same bag. What is the largest fraction of the $N$ answers that can be right?
# Return a number between 0 and 1.
#
# *Why care:* **no** order-blind model does better on these $N$ sequences. So you know before any
# training whether the task needs positions.
#
# <details><summary>Hint 1</summary>
#
# Two sequences have the same bag if they are equal once sorted.
# </details>
# <details><summary>Hint 2</summary>
#
# For each bag, the best answer is the one that occurs most often. `collections.Counter` counts.
# </details>

# %% solution="bag"
from collections import Counter, defaultdict

def best_without_order(tokens: torch.Tensor, answers: torch.Tensor) -> float:
    """Largest fraction of the answers that a function of the bag can get right; (N, T), (N,)."""
    ### BEGIN SOLUTION
    bags = defaultdict(Counter)
    for row, answer in zip(tokens.sort(1).values.tolist(), answers.tolist(), strict=True):
        bags[tuple(row)][answer] += 1
    return sum(max(counts.values()) for counts in bags.values()) / len(answers)
    ### END SOLUTION

# %% test="bag" points=1
check.bag(best_without_order)
### BEGIN HIDDEN TESTS
check.bag(best_without_order, seed=1606)
### END HIDDEN TESTS

# %% tags=["nbval-check-output"]
best_of = check.bag.use(best_without_order)
batch = WhichFirst().batch(400, 12, Generator().manual_seed(0))
questions = {
    "which of A and B comes first": batch.targets[:, -1],
    "how often does c occur": (batch.inputs == 3).sum(1),
}
for question, answers in questions.items():
    print(f"{question}: at most {float(best_of(batch.inputs, answers)):.0%} without order")

# %% [markdown]
# Counting the symbol c needs no order. “Which comes first” cannot be answered better than by
# tossing a coin, unless one sees the order.
#
# (Your function only rates the sequences that it is given. If no bag occurs twice among them, it
# returns 1, since a model could memorise every answer. With twins it returns 0.5, however many
# sequences there are.)
#
# Twins also put a floor under the loss. The loss in all units is the **cross-entropy**: the mean of
# $-\ln p$, where $p$ is the probability that the model gave to the right answer. The unit of the
# loss is the **nat**: a right answer with probability $1/e \approx 0.37$ costs 1 nat.
#
# A sequence and its twin have the same bag, so a model that knows only the bag gives A the same
# probability $p$ in both. In one of them A is right, and gets $p$. In the other B is right, and
# gets at most $1 - p$. So the mean loss of the two is at least
#
# $$-\tfrac12\big(\ln p + \ln(1-p)\big) = -\tfrac12 \ln\big(p\,(1-p)\big) \ge \ln 2 \approx 0.693,$$
#
# because $p(1-p)$ is never above ¼. A larger model, more data or longer training cannot get below
# this floor.
#
# Does training confirm this? We train two encoders of two layers: one without positions, one with
# sinusoids. Training takes 150 steps of 64 sequences, under a minute. Each is then tested on 1,000
# freshly drawn sequences and their twins. The loss is taken at the `?` only.

# %%
predict("twins", "Without positions, half of the answers are right. How many does the encoder with "
        "sinusoids get right after 150 steps?",
        a="about 75 %", b="more than 95 %", c="about half too: 150 steps are too few",
        answer="")

# %% [markdown]
# Each run draws its random weights and texts from a number, its **seed**. One run can be lucky, so
# each encoder is trained with three seeds (ten on a GPU). In the table, *floor* is the lowest
# possible loss: $\ln 2$ for a model that knows only the bag, 0 for one that knows the order.

# %% tags=["training"]
import pandas as pd

from helpers.model.encoder import Encoder
from helpers.training import evaluate, train

SEEDS, kept = range(10 if runtime.profile() == "full" else 3), {}

def trained(seed, encoding, floor, layers=2, causal=False):
    task, text = WhichFirst(causal=causal), Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = Encoder(encodings.create(encoding, d_model=48, num_heads=4), task.vocab_size, layers)
    train(model, lambda: task.batch(64, 12, text), steps=150, bayes_loss=floor, label=encoding)
    kept[encoding, causal, layers, seed] = model
    loss, accuracy = evaluate(model, task.batch(2000, 12, Generator().manual_seed(10_012)))
    row = {"positions": encoding, "causal": causal, "layers": layers, "floor": floor}
    return row | {"loss": loss, "accuracy": accuracy}

def over_seeds(runs):
    models = pd.DataFrame(runs).groupby(["positions", "causal", "layers", "floor"], sort=False)
    columns = {"loss": ("loss", "mean"), "± std": ("loss", "std"), "accuracy": ("accuracy", "mean")}
    return models.agg(seeds=("loss", "size"), **columns).reset_index().round(4)

# %% tags=["training"]
floors = {"none": math.log(2), "sinusoidal": 0.0}
twins = over_seeds([trained(seed, *each) for each in floors.items() for seed in SEEDS])
twins

# %% tags=["training"]
with_sinusoids = twins["accuracy"].iloc[-1]
outcome("twins", "b" if with_sinusoids > 0.95 else "c" if with_sinusoids < 0.6 else "a")

# %% [markdown]
# The encoder without positions guesses, as was proved: more training sequences do not help it. The
# encoder with sinusoids solves the task, and 150 steps are enough. This second result is only
# measured, so it is repeated with several seeds.

# %% [markdown]
# ## 6. And GPT?
#
# It is often said that a Transformer without positions has no sense of order, GPT included. You
# have just proved it for an encoder. But GPT is a **decoder**: it has a causal mask. Its **last**
# token sees all others, as in an encoder. Does the last token know their order?

# %%
predict("causal", "With a causal mask, how many layers does it take until the last token knows "
        "the order of the others?",
        a="no number is enough: no positions, no order", b="one", c="two", d="about five",
        answer="")

# %% [markdown] exercise="prefix" title="What the last token knows" difficulty=2 minutes=7
# Write `prefix_sensitivity`: how far does the last output of `f` move when the tokens before the
# last one are put into a different order?
#
# - `f` is a function from $(B, T, D)$ to $(B, T, D)$, and `x` its input, which stays as it is; call
#   `f` on all $B$ sequences together, not on one after another;
# - `order` is $(T-1,)$; as before, token `order[t]` moves to position $t$, and the last token stays
#   last;
# - the result is the largest absolute change of the last token's output, over all sequences and all
#   $D$ numbers: a single number without axes.
#
# *Why care:* the result decides between the four answers of the prediction above.
#
# <details><summary>Hint</summary>
#
# `torch.cat([a, b], dim=1)` joins the reordered prefix and the last token. `x[:, -1:]` keeps the
# token axis, `x[:, -1]` drops it.
# </details>

# %% solution="prefix"
def prefix_sensitivity(
    f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, order: torch.Tensor
) -> torch.Tensor:
    """Largest change of the last output when the prefix stands in `order`; x (B, T, D)."""
    ### BEGIN SOLUTION
    moved = torch.cat([x[:, order], x[:, -1:]], dim=1)
    return (f(moved)[:, -1] - f(x)[:, -1]).abs().max()
    ### END SOLUTION

# %% test="prefix" points=1
check.prefix(prefix_sensitivity)
### BEGIN HIDDEN TESTS
check.prefix(prefix_sensitivity, seed=1707)
### END HIDDEN TESTS

# %% [markdown]
# Now measure stacks of your own layer, one to six layers deep, with a causal mask. Each stack is
# tried with five sets of random weights.

# %%
sensitivity_of = check.prefix.use(prefix_sensitivity)
causal = torch.ones(12, 12).tril().bool()
x = torch.randn(4, 12, D, generator=Generator().manual_seed(4))
order = torch.randperm(11, generator=Generator().manual_seed(5))

def causal_stack(num_layers, seed):
    def f(x):
        for n in range(num_layers):
            x = layer(x, seed=100 * seed + n, mask=causal)
        return x
    return f

sensitivity = [[float(sensitivity_of(causal_stack(n, seed), x, order)) for n in range(1, 7)]
               for seed in range(5)]

# %% tags=["figure"]
figure, ax = plt.subplots()
curves = {f"draw {seed}": (range(1, 7), row) for seed, row in enumerate(sensitivity)}
plots.lines(ax, curves, x="layers", y="the last output moves by")
ax.set_yscale("log")
one, more = max(row[0] for row in sensitivity), min(min(row[1:]) for row in sensitivity)
plots.show(figure, f"With one layer at most {one:.0e}; from two layers on, at least {more:.1f}.")

# %%
knows = [min(row[n] for row in sensitivity) > 1e-4 for n in range(6)]  # n + 1 layers
outcome("causal", "b" if knows[0] else "c" if knows[1] else "d" if any(knows) else "a")

# %% tags=["nbval-check-output"]
gap = float(gap_of(causal_stack(1, 0), x, torch.arange(12).flip(0)))
print(f"one layer, all of its outputs: permutation gap {gap:.1f}")

# %% [markdown]
# With one layer the last output moves by rounding only. It is made of the token's own vector and of
# each head's average over all tokens, and an average does not depend on their order. But the layer
# is not equivariant: the other outputs change by more than a reordering. The gap printed last is
# far above rounding error.
#
# With two layers the last output moves a lot. Why? After the first layer, each output depends on
# its own token and on the *bag* of tokens that this token sees. Print these bags for two orders of
# the same words:

# %% tags=["nbval-check-output"]
for sentence in ("dog bites man ?", "man bites dog ?"):
    words = sentence.split()
    seen = [f"{{{' '.join(sorted(words[: t + 1]))}}}" for t in range(4)]
    print(f"{sentence}   →   {'  '.join(seen)}")

# %% [markdown]
# The last bag is the same in both rows, so after **one** layer the `?` cannot know the order. But
# earlier bags differ: the first row begins with {dog}, the second with {man}. The **second** layer
# averages outputs that come from these bags, so it can tell the two orders apart. The order comes
# from the mask itself: each position sees a different part of the sentence.
#
# So a decoder can know the order. Does it learn this? Here is the task of section 5 again, without
# positions, now with the causal mask and with one layer or two.

# %%
predict("decoder", "Two layers, a causal mask and no positions: how many of the new sequences does "
        "the decoder get right after 150 steps?",
        a="more than 95 %, as the encoder with sinusoids",
        b="about 75 %: more than without the mask, less than with sinusoids",
        c="about half: it could know the order, but does not learn to use it", answer="")

# %% tags=["training"]
floors = {1: math.log(2), 2: 0.0}  # by the number of layers
decoders = over_seeds([trained(seed, "none", floor, layers, causal=True)
                       for layers, floor in floors.items() for seed in SEEDS])
decoders

# %% tags=["training"]
right = decoders["accuracy"].iloc[-1]  # two layers
outcome("decoder", "a" if right > 0.95 else "c" if right < 0.6 else "b")

# %% [markdown]
# One layer guesses, whatever the seed: its last token knows only the bag, so the proof of section 5
# holds. Two layers learn to use the order that the mask gives them, and solve the task.
#
# Where do they use it? The two-layer decoder of seed 0 reads the twins of section 5. Here are the
# attention weights of the `?`, the mean of four heads. In the lower text, A and B have changed
# places; in its row they are put back, so that each column is one token:

# %% tags=["training"]
from helpers.model.probes import layer_states

twin_mask = torch.ones(8, 8).tril().bool()

@torch.no_grad()
def asked_by_question(model):
    """Weights of the `?` in each layer, (2, T), a row for each twin; a column is one token."""
    states = layer_states(model, pair.inputs, mask=twin_mask)
    rows = [layer.attention.weights(layer.norms[0](x), twin_mask).mean(1)[:, -1]
            for layer, x in zip(model.layers, states, strict=False)]
    return [torch.stack([one, other[[1, 0, *range(2, 8)]]]) for one, other in rows]

# %% tags=["training"]
figure, axes = plt.subplots(1, 2, figsize=(8, 2))
for n, (ax, rows) in enumerate(zip(axes, asked_by_question(kept["none", True, 2, 0]), strict=True)):
    plots.heatmap(ax, rows, x="token", y="", title=f"layer {n + 1}", limit=1, says="weight",
                  bar=n == 1)
    ax.set_xticks(range(8), ["AB?cdefg"[token] for token in pair.inputs[0]])
    ax.set_yticks(range(2), ["A first", "B first"])
plots.show(figure, "Weights of the `?`: in layer 1 both rows are alike, in layer 2 they differ.")
for seed in SEEDS:
    apart = [float((one - other).abs().max())
             for one, other in asked_by_question(kept["none", True, 2, seed])]
    print(f"seed {seed}, largest difference of the rows by layer:",
          ", ".join(f"{each:.2f}" for each in apart))

# %% [markdown]
# In layer 1 the rows are equal: there the `?` knows no order, and no training can change that. In
# layer 2 they differ, a little or a lot, depending on the seed: by then the later one of A and B
# has seen the earlier one, so its key and its value are not the same in both twins. (In one twin
# the `?` may look mostly at itself. This tells nothing about the order, because its own vector is
# still the same in both twins. But then it looks elsewhere in the other twin.)
#
# So without positions, an encoder such as BERT has no sense of order, but a decoder such as GPT can
# have one. Haviv et al. (2022) find the same in trained language models, where models without
# positions stay slightly behind models with positions.

# %% [markdown]
# ## 7. Four hooks
#
# The next units bring order back with encodings of the positions. Here is the map from the opening
# once more, with all four hooks highlighted:

# %% tags=["shown"]
plots.show(*hooks.hooks("embed", "rotate", "bias", "context"))

# %% [markdown]
# | hook | what happens there | units |
# | --- | --- | --- |
# | `embed`, once at the input | a vector for each position is added to that of the token | 02, 03 |
# | `rotate`, on queries and keys | queries and keys are changed, mostly rotated, by position | 05 |
# | `bias`, before the softmax | each score gets a term, mostly for its offset $j - i$ | 04, 05 |
# | `context`, after the softmax | each value gets a vector for its offset before the average | 04 |
#
# With your `permutation_gap` you can test a model with any of these hooks: as long as the gap is 0
# for every input and shuffle, the model is blind to order.
#
# ## What to keep
#
# - Attention is an average whose weights come from dot products. Without the scale, one key would
#   usually get nearly all weight at large widths. A mask acts before the softmax.
# - Self-attention without positions and mask is permutation-equivariant: $f(Px) = P f(x)$. The
#   output of a token depends only on this token and on the bag of all tokens.
# - For given sequences, the best that the bag allows can be counted. No order-blind model does
#   better on them.
# - A causal mask is itself a source of order: even one layer is no longer equivariant. From the
#   second layer on, even the last token can know the order.
#
# An encoder such as BERT has no causal mask, so it must be given the positions. Unit 02 builds the
# encoding of the first Transformer. It needs no training and fits into five lines.
#
# ## Further reading
#
# - Vaswani et al. 2017, *Attention Is All You Need*, equation 1 and section 3.2.1 for the scale,
#   section 3.2.2 for the heads.
# - Haviv et al. 2022, *Transformer Language Models without Positional Encodings Still Learn
#   Positional Information* (arXiv 2203.16634): what section 6 shows, in real language models.
# - Lee et al. 2019, *Set Transformer*: a model that should be blind to order.
