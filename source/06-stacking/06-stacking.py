# %% [markdown]
# # 06 · Stacking
#
# By the end of this unit you can
#
# - measure how far a stack of attention layers has made all tokens alike, and say what prevents it;
# - test fairly whether a layer still knows where each token stands;
# - count what a longer text costs, and name what it does not cost;
# - give positions in a tree, and make attention heads act as a convolution;
# - answer, with your own numbers, the book's question of what can go wrong when self-attention is
#   stacked (d2l, section 11.6, exercise 1).
#
# Reading and running takes about 30 minutes besides the exercises.

# %%
import matplotlib.pyplot as plt
import torch
from torch import nn

from helpers import encodings, plots, runtime, widgets
from helpers.model import probes
from helpers.model.attention import MultiHeadAttention
from helpers.checks import stacking as check
from helpers.encodings import Encoding, create

# %% [markdown]
# ## 1. A mean of means of means
#
# Each row that leaves self-attention is a weighted mean of value rows. The next layer takes means
# of these means. With nothing else in between, what should become of the differences between the
# tokens?
#
# To measure it, ask how far $X$ is from a matrix that has the same row everywhere. The nearest such
# matrix repeats the mean row $\bar x$:
#
# $$r(X) = \frac{\lVert X - \mathbf{1}\bar x^\top \rVert}{\lVert X \rVert},
# \qquad \lVert X \rVert^2 = \sum_{t,c} X_{tc}^2$$
#
# It is near 1 where the rows have hardly anything in common (their mean is near 0), small where
# they differ little beside their mean, and 0 where they are all the same. Dong et al. (2021,
# section 2) call it the residual; they use another norm.

# %% [markdown] exercise="residual" title="The rank residual" difficulty=2 minutes=8
# Write `rank_residual`: for states of shape $(B, T, D)$ it returns $r(X)$ of each sequence, of
# shape $(B,)$ and in the dtype of `x`. Keep the precision of `x`: you will use it where rows differ
# in the ninth digit and later. No $X$ is 0, so no guard against a division by 0 is needed, and one
# would change the result of an $X$ whose numbers are all small, such as $10^{-100}$ in float64.
# Gradients must reach `x`, which stays as it is.
#
# *Why care:* rows that are the same carry the same answer. No later layer can tell them apart
# again, whatever it has learned.
#
# <details><summary>Hint 1</summary>
#
# `x.mean(1, keepdim=True)` is $(B, 1, D)$ and broadcasts over the positions.
# </details>
# <details><summary>Hint 2</summary>
#
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
# Four stacks, each with fresh random weights in every layer: attention alone; attention with a skip
# connection, $x + f(x)$; attention followed by an MLP; and the whole layer of a Transformer with
# its LayerNorms, MLP and two skips. They start from the same random tokens.

# %%
from helpers.model.encoder import EncoderLayer

residual_of = check.residual.use(rank_residual)
steps = {
    "attention alone": lambda layer, x: layer.attention(x),
    "attention, MLP": lambda layer, x: layer.mlp(layer.attention(x)),
    "attention + skip": lambda layer, x: x + layer.attention(x),
    "whole layer": lambda layer, x: layer(x),
}

# %%
@torch.no_grad()
def by_depth(step, sharpness=1.0, depth=6, T=32, D=64):
    """r after 0, 1, … `depth` layers of random weights, the mean over four sequences."""
    torch.manual_seed(0)
    x = torch.randn(4, T, D, dtype=torch.float64)
    found = [x]
    for _ in range(depth):
        layer = EncoderLayer(Encoding(D, num_heads=4)).double()
        layer.attention.qkv.weight[:D] *= sharpness  # the queries: larger scores
        found.append(step(layer, found[-1]))
    return [float(torch.as_tensor(residual_of(each)).mean()) for each in found]

# %% tags=["nbval-check-output"]
for name, step in steps.items():
    print(f"{name:17}", *(f"{max(r, 1e-12):8.2g}" for r in by_depth(step, depth=4)[1:]))

# %% [markdown]
# One number per layer, 1 to 4 (`1e-12` stands for anything smaller). Attention alone has lost the
# tokens after three layers: only rounding errors are left. A random MLP in between did not save
# them. The skip connection did, and a whole layer has it.
#
# Fresh weights give small scores, and so a mean over nearly all rows. Larger scores are sharper: a
# mean of few rows. Does that help? `sharpness` multiplies the queries.

# %%
def draw(sharpness, depth):
    figure, ax = plt.subplots()
    curves = {name: (range(depth + 1), by_depth(steps[name], sharpness, depth))
              for name in ("attention alone", "attention + skip")}
    plots.lines(ax, curves, x="layers", y="residual r", title=f"queries × {sharpness:.0f}")
    ax.set(yscale="log", ylim=(1e-17, 3))
    ends = ", ".join(f"{name} {ys[-1]:.1g}" for name, (_, ys) in curves.items())
    return figure, f"Residual by layer, sharpness {sharpness:.0f}; after layer {depth}: {ends}."

widgets.explore(draw, sharpness=(1, 32, 4), depth=(2, 12, 6))

# %% [markdown]
# Sharper attention falls later. Once it falls, it falls faster with each layer: on the logarithmic
# axis the curve bends down. Dong et al. prove this for attention without skip connections: the
# residual shrinks **doubly exponentially** with depth.

# %% [markdown]
# ### Can training help itself?
#
# The language of unit 00 once more: a token follows from the one three places before it. We train
# four whole layers with a learned table of positions, then the same without the two skips. Each is
# trained from several seeds, which draw its weights and its text.

# %%
class Bare(EncoderLayer):
    """The same layer, pre-LN attention and MLP, without its two skip connections."""

    def forward(self, x, mask=None, offsets=None):
        first, second = self.norms
        return self.mlp(second(self.attention(first(x), mask, offsets)))

# %% tags=["training"]
from helpers.corpora import LagLanguage
from helpers.model.encoder import Encoder
from helpers.runtime import seed_everything
from helpers.training import evaluate, train

task = LagLanguage()
tests = {n: task.batch(9600 // n, n, torch.Generator().manual_seed(1)) for n in (24, 48, 96)}
limits = {n: task.limit(test) for n, test in tests.items()}
seeds = range(5 if runtime.profile() == "full" else 2)

def trained(name, seed, encoding, layer=EncoderLayer, steps=200, **options):
    """Four layers of one kind, trained on texts of 24 tokens."""
    seed_everything(seed)
    text = torch.Generator().manual_seed(seed)
    position = create(encoding, d_model=48, num_heads=4, **options)
    model = Encoder(position, task.vocab_size, num_layers=4)
    model.layers = nn.ModuleList(layer(each.attention.encoding) for each in model.layers)
    train(model, lambda: task.batch(64, 24, text), steps, limit=limits[24],
          label=f"{name}, seed {seed}")
    return model

learned = {"encoding": "learned", "std": 48**-0.5}  # at first as large as the vectors of the tokens
models = {"with skips": [trained("with skips", seed, **learned) for seed in seeds],
          "no skips": [trained("no skips", seed, layer=Bare, **learned) for seed in seeds]}

# %% tags=["training"]
losses = {name: [evaluate(each, tests[24]).loss for each in models[name]] for name in models}
for name in models:
    for seed, model, loss in zip(seeds, models[name], losses[name], strict=True):
        states = probes.layer_states(model, tests[24].inputs)
        depth = "  ".join(f"{torch.as_tensor(residual_of(s)).mean():.2f}" for s in states)
        print(f"{name:10}  seed {seed}: loss {loss:.2f} nats;  r by layer: {depth}")
print(f"limit {limits[24]:.2f} nats")
spread = max(max(each) - min(each) for each in losses.values())
gap = min(losses["no skips"]) - max(losses["with skips"])
print(f"no skips: at least {gap:.2f} nats more; between seeds: {spread:.2f} at most")

# %% [markdown]
# In these 200 steps the layers with skips come near the limit. Those without have learned next to
# nothing (naming one of 8 symbols blindly costs $\ln 8 \approx 2.08$ nats), and at the last layer
# their rows are still nearly the same. Where all values are the same, it makes no difference where
# attention looks, so nothing teaches it to look elsewhere. The runs are short, but the last line
# shows that the gap is many times the spread between seeds.

# %% [markdown]
# ## 2. Where am I, four layers up?
#
# A table of positions is added **once**, at the input. Is it still there further up? A *probe*
# asks: can a linear map read the position from a state?
#
# Put a 1 behind each state, so that a constant can be learned: the rows of $Z$, of shape
# $(N T, D+1)$. Let $p$ hold the position of each row, counted from 0. Ridge regression has weights
#
# $$w = (Z^\top Z + \lambda I)^{-1} Z^\top p$$
#
# and the probe says $z \cdot w$ for a state with its 1 behind it. What counts is the mean of
# $|z \cdot w - p|$ on sequences that the probe was **not** fitted on. Wang and Chen (2020) have
# probed the position embeddings of published models in a similar way.

# %% [markdown] exercise="probe" title="A fair probe" difficulty=3 minutes=15
# Write `position_probe`. It gets the states of some sequences, `train` of shape $(N, T, D)$, and of
# others, `test` of shape $(M, T', D)$, fits $w$ on the first by the formula above (with $\lambda$ =
# `ridge`, which is any positive number; the constant included) and returns the mean absolute error
# on the second, in positions: a single number, which is a float or a tensor without axes. The test
# sequences may be longer or shorter than those of training, and there may be fewer rows than
# weights. What the probe says counts as it is, neither rounded nor clipped. The states of a real
# model may be nearly alike, so compute in their precision, here float64. Both tensors stay as they
# are.
#
# *Why care:* a probe with as many weights as a state has numbers can fit noise. Judged on what it
# was fitted to, it finds positions where there are none.
#
# <details><summary>Hint 1: the targets</summary>
#
# `states.flatten(0, 1)` puts the sequences one below the other. Which position has row 0, which row
# 1, and which row $T$?
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
# First, what is a bad result? Whoever knows nothing says the middle, and is wrong by about $T/4$.
# And what does the "fair" in the title guard against? Here the states are pure noise:

# %% tags=["nbval-check-output"]
error_of = check.probe.use(position_probe)
T = 24
middle = (torch.arange(T) - (T - 1) / 2).abs().mean()
noise = torch.randn(16, T, 192, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
print(f"always the middle: {middle:.1f} positions")
print(f"noise, judged on what it was fitted to: {float(error_of(noise[:8], noise[:8])):.1f}")
print(f"noise, judged on other sequences: {float(error_of(noise[:8], noise[8:])):.1f}")

# %% [markdown]
# With as many weights as examples, an unfair probe finds every position in noise, and the fair one
# shows that it has learned nonsense. So give a probe many more rows than weights.
#
# Beside the models trained above we train two more. One has its table added **before every layer**.
# The other is told offsets in every layer (Shaw's, unit 04), and nothing at the input.

# %% tags=["training"]
class Renewed(EncoderLayer):
    """The same layer, with the table of positions added once more to what enters it."""

    def forward(self, x, mask=None, offsets=None):
        return super().forward(self.attention.encoding.embed(x), mask, offsets)

models["renewed"] = [trained("renewed", seed, layer=Renewed, **learned) for seed in seeds]
models["Shaw"] = [trained("Shaw", seed, "shaw_keys") for seed in seeds]

# %% tags=["training"]
errors, half = {}, 200  # the probe is fitted on the first half of the test sequences
print(f"each probe: {half * T:,} rows, {48 + 1} weights; limit {limits[24]:.2f} nats")
print(f"{'error by layer:':26}", *(f"{layer:4}" for layer in range(5)))
for name, several in models.items():
    for seed, model in zip(seeds, several, strict=True):
        states = [each.double() for each in probes.layer_states(model, tests[24].inputs)]
        found = [float(error_of(s[:half], s[half:])) for s in states]
        errors.setdefault(name, []).append(found)
        loss = evaluate(model, tests[24]).loss
        print(f"{name:10} seed {seed}, loss {loss:.2f}", *(f"{error:4.1f}" for error in found))

# %% tags=["training"]
figure, ax = plt.subplots()
curves = {name: (range(5), torch.tensor(found).mean(0)) for name, found in errors.items()}
shown = curves | {"the middle": (range(5), [middle] * 5)}
plots.lines(ax, shown, x="layers", y="error (positions)", title="linear probe, mean of the seeds")
ax.set(ylim=(0, None), xticks=range(5))
ends = "; ".join(f"{name} {ys[0]:.1f}, {ys[-1]:.1f}" for name, (_, ys) in curves.items())
plots.show(figure, f"Probe error by layer, at the input and after four layers: {ends}.")

# %% [markdown]
# Four stories in one picture:
#
# - **No skips.** Read without error at the input, and after two layers hardly better than the
#   middle.
# - **With skips.** Given once, the position becomes hard to read. Nearly all of that happens in the
#   first layer.
# - **Renewed.** The first layer costs most here too. But then the error does not rise again: it
#   ends well below that of the table given once.
# - **Shaw.** Nothing to read at the input: offsets alone do not say where a token stands. Further
#   up something can be read, perhaps because the edges of the text are felt further inside with
#   each layer. How much depends on the seed.
#
# Easier to read is not better: the loss differs between the two tables no more than between seeds,
# and it is lowest with Shaw's, whose positions cannot be read at the input. This language asks for
# offsets only.
#
# A linear probe that fails does not prove that the position is lost; it proves that no linear map
# finds it.

# %% [markdown]
# ## 3. What is not the cause
#
# One answer is often heard: a deep stack cannot relate words that are far apart, because the
# positions are fixed. But how many layers does a signal need from the last token to the first? Ask
# the gradient: which inputs does output 0 depend on?

# %%
def reach(layers, name, **options):
    """How many of 32 inputs output 0 depends on, after a number of layers."""
    torch.manual_seed(0)
    x = torch.randn(1, 32, 16, requires_grad=True)
    encoding = create(name, d_model=16, num_heads=2, **options)
    y = encoding.embed(x)
    for _ in range(layers):
        y = y + MultiHeadAttention(encoding)(y)
    y[0, 0].sum().backward()
    return int((x.grad[0] != 0).any(-1).sum())

# %% tags=["nbval-check-output"]
print("layers             ", [1, 2, 4, 8])
print("no positions       ", [reach(n, "none") for n in (1, 2, 4, 8)])
print("sinusoids          ", [reach(n, "sinusoidal") for n in (1, 2, 4, 8)])
print("Shaw keys, k = 2   ", [reach(n, "shaw_keys", k=2) for n in (1, 2, 4, 8)])
print("a window, k = 2    ", [reach(n, "window", k=2) for n in (1, 2, 4, 8)])

# %% [markdown]
# One layer is enough: the path between any two tokens has length $O(1)$ (Vaswani et al. 2017, table
# 1), whatever positions are added, fixed or learned. Shaw's clip is no limit either: beyond $k$ the
# offsets share a vector, and the tokens are still seen. Only a window of $\pm k$ tokens needs $T/k$
# layers, as a convolution does. Long texts have a price, but it is another one.

# %% [markdown]
# ## 4. What a longer text costs
#
# Count the multiplications (each with the addition behind it) that one layer makes for one
# sequence of $T$ tokens. It has
#
# - four projections $D \times D$ in attention: queries, keys, values, output;
# - in each of $H$ heads, of width $d = D/H$: a score for each pair of tokens, then the mean of the
#   values with those weights;
# - an MLP from $D$ to $4D$ and back.
#
# A product of a $(n, m)$ and a $(m, l)$ matrix takes $n\,m\,l$ multiplications. Softmax, LayerNorm
# and biases are small beside that and are left out.

# %% [markdown] exercise="cost" title="What T costs" difficulty=2 minutes=8
# Write `multiply_adds`, which returns a new dict with three numbers and nothing else:
# `"projections"`, `"pairs"` (scores and weighted means together, all heads) and `"mlp"`. The
# numbers are exact, as ints or as floats without a fraction, also for $T$ = 131,072 and $D$ =
# 12,288. Here `length` is $T$, `d_model` is $D$ and `num_heads` is $H$, which divides $D$. A
# multiplication with its addition counts as one.
#
# *Why care:* one of the three makes long texts expensive, but only from a certain length on. You
# will see from which.
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
# PyTorch can count too, and it counts what really runs (a multiplication and an addition as two):

# %% tags=["nbval-check-output"]
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

cost_of = check.cost.use(multiply_adds)
for length in (128, 512, 2048):
    layer, x = EncoderLayer(Encoding(48, num_heads=4)), torch.randn(1, length, 48)
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        layer(x)
    ours = sum(cost_of(length, 48, 4).values())
    print(f"T = {length:5,}: {ours:13,.0f} and {counter.get_total_flops() // 2:13,}")

# %% [markdown]
# Which share of it is due to the pairs? Move the width $D$.

# %%
def draw(D):
    lengths = [2**n for n in range(5, 18)]
    costs = [cost_of(length, D, 1) for length in lengths]
    pairs = [100 * each["pairs"] / sum(each.values()) for each in costs]
    figure, ax = plt.subplots()
    plots.lines(ax, {"pairs": (lengths, pairs)}, x="length T", y="share of pairs (%)",
                title=f"D = {D}: half of the cost at T = 6D = {6 * D:,}")
    ax.axvline(6 * D, color="grey", linewidth=1)
    ax.set(xscale="log", ylim=(0, 100))
    ends = f"{pairs[0]:.1f} % at T = {lengths[0]} to {pairs[-1]:.0f} % at T = {lengths[-1]:,}"
    return figure, f"The share of the pairs at D = {D}: from {ends}."

widgets.explore(draw, D=(32, 4096, 768))

# %% [markdown]
# $2T^2D = 12\,TD^2$ at $T = 6D$: the wider the model, the longer a text must be before its pairs
# matter. For BERT, with $D$ = 768 and at most 512 tokens, they are a small part:

# %% tags=["nbval-check-output"]
for length in (512, 4608, 131_072):
    parts = cost_of(length, 768, 12)
    print(f"D = 768, T = {length:7,}: the pairs are {parts['pairs'] / sum(parts.values()):.0%}")

# %% [markdown]
# What is measured on a real machine? Recorded time and memory of a whole attention module, forward
# and backward ($B$ = 2, $H$ = 4, $d$ = 64), without positions and with a learned bias for each
# clipped offset:

# %%
from helpers import recorded

study = recorded.load("relative_attention")
shown = study.table.query("group == 'module' and name in ['none', 'clipped_bias']")
shown = shown.assign(ms=1000 * shown.seconds, MB=shown.bytes / 1e6)
print(study.note)
shown.pivot(index="T", columns="name", values=["ms", "MB"]).round(0).astype(int)

# %% [markdown]
# Time grows with $T^2$ once the pairs dominate. Memory need not: where nothing is added to the
# scores, a fused kernel works through them block by block and never stores all $T^2$ weights, so
# its memory grows with $T$. A learned bias needs a gradient for each of the $T^2$ scores, and pays.
#
# And one thing that does **not** grow. It is sometimes said that the many fully connected
# parameters of a long text overfit. How many are there?

# %% tags=["nbval-check-output"]
for name in ("none", "learned"):
    for max_len in (32, 512):
        attention = MultiHeadAttention(create(name, d_model=64, num_heads=4, max_len=max_len))
        matrices = sum(each.numel() for each in attention.parameters() if each.dim() == 2)
        print(f"{name:8} T up to {max_len:3}: {matrices:6,} = 4·64² + {matrices - 4 * 64**2:6,}")

# %% [markdown]
# $4D^2$ whatever $T$ is. Only a table of positions grows with the length, by $D$ numbers a
# position, and it belongs to the input.

# %% [markdown]
# ## 5. Longer than trained
#
# A stack could be trained on short texts, which are cheap, and used on long ones. Can it? Ask the
# models that you have trained on 24 tokens:

# %% tags=["training"]
print(f"{'loss in nats at T =':19}", *(f"{n:6}" for n in tests))
print(f"{'limit':19}", *(f"{limit:6.2f}" for limit in limits.values()))
for name in ("with skips", "renewed", "Shaw"):
    for seed, model in zip(seeds, models[name], strict=True):
        by_length = (evaluate(model, test).loss for test in tests.values())
        print(f"{name:11} seed {seed}:", *(f"{loss:6.2f}" for loss in by_length))

# %% [markdown]
# Beyond 24 tokens a table fails, however often it is added: nothing has trained its later rows.
# With Shaw's offsets the loss stays near the limit. Is that so for other encodings? Recorded losses
# of two-layer encoders, trained longer on the same language:

# %%
study = recorded.load("lag3")
names = ["sinusoidal", "learned", "RoPE", "T5 bias", "Shaw keys"]
figure, ax = plt.subplots()
plots.race(ax, study.table[study.table.encoding.isin(names)], "recorded: 1,000 steps, three seeds")
plots.show(figure, "Loss by length: only Shaw keys stay with the limit at 48 and 96 tokens.")
print(study.note)

# %%
rows = study.table[study.table.encoding.isin(names)]
rows.groupby(["encoding", "length"])["loss"].agg(["mean", "std"]).round(2).unstack()

# %% [markdown]
# In range all five do nearly the same. Beyond, the two tables fail at once, and being relative is
# not enough either. T5 meets buckets that were never trained. Why RoPE fails here is open: unit 05
# finds that meeting new offsets alone does not explain it. Shaw's clipping leaves no offset
# untrained (unit 04).

# %% [markdown]
# ## 6. A line is not the only order
#
# In a sentence, what a word hangs on may stand far away in the line and be one step away in the
# tree of its syntax. Wang et al. (2019) give positions in that tree. A tree is a tensor `parents`:
# for each word the place of the word it hangs on, and −1 for the root. *the* hangs on *cat*, *cat*
# on *sat*, and so on:

# %% tags=["nbval-check-output"]
words = ["the", "cat", "sat", "on", "the", "mat"]
parents = torch.tensor([1, 2, -1, 2, 5, 3])
for word, parent in zip(words, parents, strict=True):
    print(f"{word:4}", "is the root" if parent < 0 else f"hangs on {words[parent]}")

# %% [markdown] exercise="depths" title="Depth" difficulty=2 minutes=8
# The absolute position in a tree is the **depth**: the number of steps from a word up to the root,
# which itself has depth 0. Write `tree_depths`: `parents`, of shape $(T,)$, gives depths, of shape
# $(T,)$. For the sentence above they are 2, 1, 0, 1, 3, 2. Words come in the order of the text, so
# a parent may stand to the right of its word. A tree has 1 to 400 words, and may be as deep as it
# has words. Give whole numbers (`torch.int64`), since rows of a table are looked up with them.
# `parents` stays as it is.
#
# *Why care:* it is the tree's version of the first exercise of this course.
#
# <details><summary>Hint</summary>
#
# For each word, walk up until the parent is −1, and count. Mind that −1 is also a valid index in
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

# %% [markdown] exercise="tree" title="Offsets in a tree" difficulty=4 minutes=20
# The relative position of query $i$ and key $j$ in a tree is a signed number of steps:
#
# - if one of them is **above** the other (an ancestor, or the same word), it is
#   $\text{depth}_j - \text{depth}_i$;
# - else the path goes up from $i$ to the **lowest** word above both, then down to $j$: the number
#   of its steps, with a minus where $j$ stands before $i$ in the text.
#
# Write `tree_offsets`: `parents`, of shape $(T,)$, gives $(T, T)$, row $i$ and column $j$. You may
# use `encodings.tree_depths` for the depths. In the sentence above, from *the* (place 0) to *cat*
# it is −1, to *sat* −2, and to *on* +3: two up, one down. Again the words may come in any order,
# and a tree of 1 to 200 words may be as deep as it has words. Give whole numbers (`torch.int64`),
# since an encoding looks up vectors with them. `parents` stays as it is.
#
# *Why care:* the `offsets` of our attention take any such matrix in place of $j - i$. The same
# encoding then serves sentences, syntax, or program code.
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
# Look at the sentence, in the line and in the tree.

# %%
offsets_of = check.tree.use(tree_offsets)
i, j = torch.arange(6)[:, None], torch.arange(6)[None, :]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4))
tables = {"offsets in the line": j - i, "offsets in the tree": offsets_of(parents)}
for ax, (name, table) in zip(axes, tables.items(), strict=True):
    plots.heatmap(ax, table, x="key j", y="query i", title=name, limit=5)
    ax.set(xticks=range(6), xticklabels=words, yticks=range(6), yticklabels=words)
plots.show(figure, "Offsets of six words: a smooth gradient in the line, a patchwork in the tree.")

# %% [markdown]
# Does it pay? In the **tree language**, a word follows from the one it hangs on, nine times in ten,
# and the words stand in random order: the line says nothing. Train two layers with Shaw's keys on
# 1,000 such sentences: once with the offsets in the line, once with yours in the tree.

# %% tags=["training"]
from helpers.corpora import TreeLanguage, corrupt

forest = TreeLanguage()
sentences, hangs_on = forest.sample(1200, 16, torch.Generator().manual_seed(0))
in_tree = torch.stack([torch.as_tensor(offsets_of(each)) for each in hangs_on])
in_line = (torch.arange(16)[None, :] - torch.arange(16)[:, None]).expand_as(in_tree)

def masked(rows, offsets, random):
    """These sentences, masked anew, with the offsets that the model is told."""
    batch = corrupt(sentences[rows], forest.num_symbols, forest.mask_id, random)
    return batch._replace(given={"offsets": offsets[rows]}, parents=hangs_on[rows])

def on_trees(name, offsets, seed, steps=200):
    """Loss and limit on sentences that were not trained on."""
    seed_everything(seed)
    random = torch.Generator().manual_seed(seed)
    model = Encoder(create("shaw_keys", d_model=48, num_heads=4), forest.vocab_size)
    # The last 200 sentences, masked in four ways, are for the test.
    test = masked(torch.arange(1000, 1200).repeat(4), offsets, torch.Generator().manual_seed(1))
    train(model, lambda: masked(torch.randint(1000, (64,), generator=random), offsets, random),
          steps, limit=forest.limit(test), label=f"{name}, seed {seed}")
    return f"{evaluate(model, test).loss:.2f} (limit {forest.limit(test):.2f})"

told = {"in the line": in_line, "in the tree": in_tree.double().round().long()}
for name, offsets in told.items():
    print(f"{name}, loss in nats by seed:", *(on_trees(name, offsets, seed) for seed in seeds))

# %% [markdown]
# The model and the sentences are the same, only the offsets differ. Those in the line leave the
# loss far from the limit, yours bring it close. The recorded runs are longer, on sentences that are
# never repeated, and have other encodings beside these:

# %%
study = recorded.load("tree")
figure, ax = plt.subplots()
ax.plot(study.table["loss"], study.table["encoding"], "o", alpha=0.6)
ax.axvline(study.table["limit"].mean(), color="grey", linewidth=3, alpha=0.5)
ax.invert_yaxis()
ax.set(xlabel="loss (nats per hidden token); grey: the limit", xlim=(0, None),
       title="recorded: 1,000 steps, three seeds each")
plots.show(figure, "Loss by encoding: only those that know offsets in the tree near the limit.")
print(study.note)

# %%
study.table.groupby("encoding", sort=False)[["loss", "limit"]].agg(["mean", "std"]).round(3)

# %% [markdown]
# Positions in the line are no help here, whatever their form. Depth alone goes a long way: words at
# the same depth have all come from the root's word by the same number of steps, mostly of the rule.
# Offsets in the tree go the rest of the way, nearly to the limit, for they say who hangs on whom.
# The price: somebody has to know the tree. For English that is a parser, with its errors.

# %% [markdown]
# ## 7. Heads that act as a convolution
#
# A window keeps the cost low and the path long; full attention the other way round. Are they two
# different things? Cordonnier et al. (2020, theorem 1) show that enough heads with relative
# positions **contain** convolutions. The idea in one dimension: head $h$ gives the key at offset
# $\delta = j - i$ the score
#
# $$s_h(\delta) = -\alpha\,(\delta - \Delta_h)^2$$
#
# so that for a large $\alpha$ its softmax picks the one key at offset $\Delta_h$. A convolution
# with $K$ taps takes $K$ such heads. The tap at place $h$ of the kernel is the head's matrix $W_h$
# from $C$ input to $C'$ output channels:
#
# $$y_i = \sum_{h=0}^{K-1} W_h \sum_j \operatorname{softmax}_j\big(s_h(j - i)\big)\, x_j$$

# %% [markdown] exercise="convolution" title="Attention as a convolution" difficulty=3 minutes=15
# Write `attention_as_convolution`. It takes `x` of shape $(T, C)$, a `kernel` as PyTorch has it, of
# shape $(C', C, K)$ with odd $K$ and $W_h$ = `kernel[:, :, h]`, and the number `alpha`; it returns
# $y$ of shape $(T, C')$. In PyTorch's convolution the middle tap meets the token itself, and the
# tap before it the neighbour to the **left**: choose the centres $\Delta_h$ to match. The softmax
# runs over the $T$ keys that exist, also where the kernel is longer than the text. It must be right
# even if `alpha` is so large that exp of each score of a query is 0. The result has the dtype of
# `x`. Gradients must reach `x` and `kernel`, and both stay as they are.
#
# *Why care:* whatever a convolution can learn, attention with positions can. That it does learn it
# is another matter, and costs $T^2$.
#
# <details><summary>Hint 1</summary>
#
# For $K = 3$ the centres are −1, 0 and 1. `j - i` for all pairs is a $(T, T)$ matrix.
# </details>
# <details><summary>Hint 2</summary>
#
# For one head: `weights @ x @ kernel[:, :, h].T`, with weights in the dtype of `x`. Then sum over
# the heads.
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

# %% [markdown]
# With an $x$ and taps that are unit matrices, what comes out is who looks at whom, summed over the
# heads. Move $\alpha$, and watch three heads become the three taps of a kernel. `sides` is how many
# neighbours the kernel has on each side.

# %%
convolve = check.convolution.use(attention_as_convolution)

def draw(alpha, sides):
    K, eye = 2 * sides + 1, torch.eye(20, dtype=torch.float64)
    seen = convolve(eye, eye[:, :, None].expand(-1, -1, K).clone(), alpha)
    figure, ax = plt.subplots(figsize=(5, 3.6))
    plots.heatmap(ax, seen, x="key j", y="query i", title=f"{K} heads, α = {alpha:.1f}", limit=1)
    ax.set(xticks=range(0, 20, 5), yticks=range(0, 20, 5))
    most = float(torch.as_tensor(seen).max())
    return figure, f"Weights of {K} heads, summed, at α = {alpha:.1f}: the largest is {most:.2f}."

widgets.explore(draw, alpha=(0.0, 5.0, 0.4), sides=(0, 3, 1))

# %% [markdown]
# How near does it come to the real convolution? Inside the text, a head still gives about
# $e^{-\alpha}$ to each neighbour of its key, and the error falls with that. At the edges it stays:
# the convolution meets zeros there, and a softmax must put its weight on keys that exist.

# %% tags=["nbval-check-output"]
random = torch.Generator().manual_seed(0)
x = torch.randn(40, 6, generator=random, dtype=torch.float64)
kernel = torch.randn(4, 6, 3, generator=random, dtype=torch.float64)
real = nn.functional.conv1d(x.T[None], kernel, padding=1)[0].T  # (T, C')
for alpha in (1, 5, 10, 20):
    error = (torch.as_tensor(convolve(x, kernel, alpha)) - real).abs()
    inside, edges = error[1:-1].max(), error[[0, -1]].max()
    print(f"α = {alpha:2}: error inside {inside:.0e}, at the edges {edges:.0e}")

# %% [markdown]
# In the course's interface this is one encoding among others, `create("convolution", …)`, where
# centres and $\alpha$ are learned:

# %% tags=["nbval-check-output"]
heads = MultiHeadAttention(create("convolution", d_model=12, num_heads=3, sharpness=20.0))
weights = heads.weights(torch.randn(1, 9, 12))[0]  # (H, T, T)
print("query 4 looks at the keys", weights[:, 4].argmax(-1).tolist())

# %% [markdown]
# Less strict is a **window**: ordinary attention in which a query sees only the keys at most $k$
# away. Yang et al. (2019) call this convolutional self-attention and use it for machine
# translation. Its loss in the recorded runs of section 5, beside the same learned bias without the
# window ($k$ = 8 in both):

# %%
rows = recorded.load("lag3").table.query("encoding in ['window', 'clipped bias']")
rows.groupby(["encoding", "length"])["loss"].agg(["mean", "std"]).round(3).unstack()

# %% [markdown]
# On this language, whose rule reaches three places, the window loses nothing and carries over to
# longer texts. A rule that reaches further than the windows of all layers together would be out of
# its sight: section 3 measured how far that is. The cost falls to $2T(2k+1)D$ only where the kernel
# leaves out the pairs beyond the window. Ours computes them all and then masks them.

# %% [markdown]
# ## 8. Your answer
#
# d2l's exercise asks: a deep model is made by stacking self-attention with positional encoding;
# what can go wrong? You have measured enough to answer.

# %% [markdown] exercise="stacking" title="What goes wrong in a stack?" difficulty=3 minutes=25
# Answer in 150 to 300 words. Your instructor reads it, and gives a point for each of these:
#
# 1. **What goes wrong, with your numbers.** At least two issues that you have measured in this
#    unit, each with a number from your own notebook and what it was measured on.
# 2. **What was not the cause.** One explanation that sounds right and that your measurements rule
#    out, and the measurement that does.
# 3. **A cure and its price.** For one of your issues: what helps, how much by your numbers, and
#    what it costs or where it would not help.
#
# This matters beyond the book: an explanation that nobody has measured is a guess, and whoever
# cures the wrong cause pays the price and keeps the trouble.
#
# <details><summary>Hint</summary>
#
# Sections 1, 2, 4 and 5 each end in printed numbers. Which of them would you not want in a model
# of yours? Sections 3 and 4 also print what does **not** change. A cure shows where two lines of a
# table differ in one thing only.
# </details>

# %% [markdown] essay="stacking" points=3
# *A model answer. Numbers differ a little between machines; what counts is that they are the
# learner's own and fit the claim. In brackets: where the notebook prints them.*
#
# **What goes wrong.** Attention alone forgets which token is which. With random weights, $D$ = 64
# and $T$ = 32, the rank residual was 0.22 after one layer, 5·10⁻⁶ after two and a rounding error
# after three (section 1, first table). Four layers without skips stayed at 1.9 nats after 200 steps
# of training (section 1, second table; limit 0.28, two seeds). Second, a table of positions does
# not carry over to longer texts: trained with skips on 24 tokens, its loss was 1.4 at 48 and 1.8 or
# more at 96, with limits near 0.2 (section 5, first table). Third, the pairs cost $2T^2D$: 10 % of
# a layer at $T$ = 512 and $D$ = 768, half at $T$ = 4,608 (section 4).
#
# **What was not the cause.** "Distant words are out of reach because positions are fixed": with
# sinusoids as without, one layer connects output 0 with all 32 inputs (section 3). Nor is it the
# number of parameters: $4D^2$ at every length (end of section 4).
#
# **A cure and its price.** The skip connection kept the residual above 0.9 after four random
# layers, and brought the trained loss from 1.9 to 0.5 or less (section 1), for the price of an
# addition. For longer texts, Shaw's offsets: at most 0.3 nats at 48 and 96 tokens. Their price: a
# term in every layer, and offsets beyond $k$ look alike. A window would save pairs, but with
# $k$ = 2 output 0 saw only 17 inputs after eight layers (section 3).
#
# *Also right: the probe's error, 0 at the input and about 4 after four layers, where the middle
# misses by 6 (section 2), if it is not said that the loss suffered from it; words in a tree, 1.4
# nats with offsets in the line and 0.4 or less with those in the tree (section 6), for the price of
# a parser. No point for "it overfits" or "its span is fixed", nor for an issue without a number
# that the learner's notebook has computed.*

# %% [markdown]
# ## 9. Check against the book
#
# d2l's attention, stacked eight times with random weights: without and with its `AddNorm` (a skip
# and a LayerNorm). And how many numbers are in it?

# %% tags=["nbval-check-output"]
import warnings

from helpers.book import d2l

def theirs(T, skip, layers=8, D=64):
    torch.manual_seed(0)
    x = torch.randn(4, T, D)
    for _ in range(layers):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch's, on the layers that the book uses
            layer = d2l.MultiHeadAttention(D, 4, dropout=0)
        y = layer(x, x, x, None)
        x = d2l.AddNorm(D, dropout=0)(x, y) if skip else y
    numbers = sum(each.numel() for each in layer.parameters())
    return f"r = {probes.rank_residual(x).mean().item():.2f}, {numbers:,} parameters a layer"

if d2l:
    print("alone, T = 32: ", theirs(32, skip=False))
    print("AddNorm, T = 32: ", theirs(32, skip=True))
    print("AddNorm, T = 512:", theirs(512, skip=True))

# %% [markdown]
# The same findings in other hands: alone it collapses, with a skip it does not, and the $4D^2$
# parameters are the same at both lengths (the book's attention has no biases).

# %% [markdown]
# ## What to keep
#
# - Attention alone makes all tokens alike, doubly exponentially fast. With a skip connection the
#   residual hardly falls.
# - A position given once, at the input, is hard to read after the first layer; added before every
#   layer, it stays easier to read. The loss need not care.
# - A table fails beyond the length it was trained at; Shaw's clipped offsets carry over.
# - The path between two tokens is one layer long. The price is $T^2$ pairs, felt from about $T =
#   6D$; the parameters stay $4D^2$.
# - A probe is judged on sequences that it was not fitted on.
# - `offsets` need not be $j - i$: in a tree they say what the line cannot.
# - Heads with relative positions contain the convolutions; a window is cheaper and sees less far.
#
# ## Further reading
#
# - Dong, Cordonnier and Loukas 2021, *Attention Is Not All You Need* (2103.03404): the residual and
#   its doubly exponential decay.
# - Vaswani et al. 2017, *Attention Is All You Need*, table 1: cost per layer and path length.
# - Wang and Chen 2020, *What Do Position Embeddings Learn?* (2010.04903): probes.
# - Wang et al. 2019 (1909.00383), section 3: positions in a tree.
# - Cordonnier, Loukas and Jaggi 2020, *On the Relationship between Self-Attention and Convolutional
#   Layers* (1911.03584), theorem 1.
# - Yang et al. 2019, *Convolutional Self-Attention Networks* (1904.03107): attention in a window.
