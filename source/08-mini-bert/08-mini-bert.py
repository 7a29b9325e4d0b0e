# %% [markdown]
# # 08 · A mini BERT
#
# Paris is the capital of what? In unit 07 you made everything that a BERT is fed. Now we build one,
# let it read for about a minute, and ask. Then we ask how one can know what it has learned: a loss
# that falls is not enough.
#
# By the end of this unit you can
#
# - train a small BERT on both of its tasks, and say what it knows and what it does not;
# - say what is in it from input to loss, and derive the 109,482,240 parameters of BERT base;
# - read a loss beside a baseline and, where there is one, the exact limit;
# - look inside: rule by rule, and head by head;
# - write an encoding of your own, race it, and read a race.
#
# Reading and running takes about 20 minutes besides the exercises.

# %%
import math
import random

import matplotlib.pyplot as plt
import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, nn

from helpers import plots, recorded, runtime, widgets
from helpers.checks import mini_bert as check
from helpers.checks.engine.earlier import answers
from helpers.corpora import Grammar, wordpiece
from helpers.corpora.agreement import across_clauses, right_number
from helpers.corpora.english import docstrings
from helpers.corpora.grammar import KINDS
from helpers.corpora.wordpiece import CLS, MASK, SEP
from helpers.encodings import Encoding
from helpers.model.bert import Bert, Pretraining, preset
from helpers.model.probes import attention_weights
from helpers.pictures import filling, text
from helpers.plots import bert as pictures, losses as loss_plots
from helpers.plots.losses import smooth
from helpers.predict import outcome, predict
from helpers.training import train
from helpers.training.pretraining import grammar_scores, on_grammar

# %% [markdown]
# ## 1. A BERT that has read nothing
#
# Here is the text, the docstrings of Python and of PyTorch, and 4,096 pieces to write it with:

# %% tags=["training"]
english = docstrings(["the standard library", "torch"])
kept = english.documents[::20]  # never trained on
reading = [each for n, each in enumerate(english.documents) if n % 20]
coder = wordpiece.train((s for document in reading for s in document), 4096)
print(english)

# %% [markdown]
# And here is a BERT whose weights are still random. `fill` asks it for the likeliest pieces at each
# `[MASK]` of a sentence:

# %% tags=["training"]
@torch.no_grad()
def fill(model, sentence, best=5):
    """The pieces of a sentence, and the likeliest ones for each [MASK]."""
    ids = [CLS, *coder.encode(sentence).ids[:62], SEP]
    likely = model.eval()(torch.tensor([ids]))[0].softmax(-1)  # (T, V)
    gaps = {}
    for gap in (position for position, token in enumerate(ids) if token == MASK):
        p, found = likely[gap].topk(best)
        gaps[gap] = [*zip(map(coder.id_to_token, found.tolist()), p.tolist(), strict=True)]
    return [coder.id_to_token(token) for token in ids], gaps

# %% tags=["training"]
torch.manual_seed(0)
size_english = preset("mini", vocab_size=coder.get_vocab_size())
reader = Pretraining(Bert(size_english, "rotary"))
_, gaps = fill(reader, "returns [MASK] if the string is empty.")
(guesses,) = gaps.values()
print(*(f"{piece:10} {p:.5f}" for piece, p in guesses), sep="\n")
print(f"{'1/4,096':10} {1 / 4096:.5f}")

# %% [markdown]
# Five of 4,096 pieces, by chance, and not one with even 0.2 %. In section 4 this model will read
# for about a minute. What will it make of this sentence?

# %%
predict("paris", "After its reading, it fills “paris is the capital of [MASK].” with",
        a="france", b="another country or city", c="a word that fits anywhere, such as “the”",
        d="a word from the world of programs",
        e="none of these: no piece gets 5 %", answer="")

# %% [markdown]
# Between here and there lie the model, the loss, and a way to tell whether the loss is any good.
#
# ## 2. What is in it
#
# In the figure, the three rows at the top are what unit 07 built. Everything else is this unit's:

# %%
plots.show(*text.row(["my", "[MASK]", "is", "cute"], ["he", "barks"]))

# %% [markdown]
# | part | what it computes | shape |
# | --- | --- | --- |
# | input | $h = \mathrm{LN}(E_{x_p} + S_{s_p} + P_p)$ | $(B, T, D)$ |
# | $L$ layers | $h \gets \mathrm{LN}(h + \mathrm{Attention}(h))$, then | $(B, T, D)$ |
# | | $h \gets \mathrm{LN}(h + W_2\,\mathrm{GELU}(W_1 h + b_1) + b_2)$ | $(B, T, D)$ |
# | pooler | $\tanh(W_p\,h_0 + b_p)$, from the position of `[CLS]` | $(B, D)$ |
# | MLM head | $\mathrm{LN}(\mathrm{GELU}(W_t\,h_p + b_t))\,E^\top + c$ | $(B, T, V)$ |
# | NSP head | $W_n \cdot \mathrm{pooler} + b_n$ | $(B, 2)$ |
#
# The MLP has hidden width $4D$; its GELU, $x\,\Phi(x)$ with the normal distribution's $\Phi$, is a
# ReLU without the corner. The heads of masked language modelling (MLM) and next sentence
# prediction (NSP) serve pretraining only. The first ends with the token table $E$ once more: the
# same Parameter, used in both directions, which is called a **tied** decoder. Its bias $c$ is one
# number for each token.
#
# This is the paper's order, with each norm after its part; the next cell builds this post-norm
# version. The models that we train have the norms **before**, and one more at the end: then
# training needs no warm-up (a slow rise of the learning rate at the beginning; Xiong et al. 2020).
# And our `reader` adds no $P_p$: it has RoPE (unit 05).

# %% tags=["nbval-check-output"]
torch.manual_seed(0)
model = Pretraining(Bert(preset("mini", vocab_size=1000, norm="post"))).eval()
tokens = torch.randint(5, 1000, (2, 64))
hidden, logits = model.bert(tokens), model(tokens)
print(tuple(hidden.shape), tuple(logits.shape), tuple(model.pair(hidden).shape))

# %% [markdown]
# How large is the real one? The number usually given counts the pooler, and not the two heads.

# %% [markdown] exercise="parameters" title="Count them" difficulty=2 minutes=15
# Write `parameters(V, D, L, T)`: the number of parameters of a BERT with $V$ tokens, width $D$, $L$
# layers and $T$ positions, as a new dictionary of four numbers, each an int, exact for any sizes:
#
# - `"embeddings"`: what comes before the layers: three tables and a LayerNorm (there are 2
#   segments);
# - `"layer"`: **one** layer: four maps in the attention (query, key, value, output), two in the
#   MLP, two LayerNorms;
# - `"pooler"`: one map;
# - `"all"`: all of it, with $L$ layers, without the two heads for pretraining.
#
# Each map has a bias. A LayerNorm has two numbers for each of the $D$ entries. Counting the
# parameters of a `Bert` is not allowed here; adding up shapes is.
#
# *Why care:* if you can derive the number, you know the model. And it settles arguments: with
# 1,024 positions, as one sometimes reads, there would be 393,216 more.
#
# <details><summary>Hint 1</summary>
#
# A map from $a$ to $b$ numbers has $ab$ weights and $b$ biases.
# </details>
# <details><summary>Hint 2</summary>
#
# The number of heads does not matter: $H$ heads of width $D/H$ are together as wide as one.
# </details>

# %% solution="parameters"
def parameters(V: int, D: int, L: int, T: int) -> dict[str, int]:
    """Parameters below the layers, of one layer, of the pooler, and of all without the heads."""
    ### BEGIN SOLUTION
    norm = 2 * D
    embeddings = (V + 2 + T) * D + norm
    attention = 4 * (D * D + D)
    mlp = (D * 4 * D + 4 * D) + (4 * D * D + D)
    layer = attention + norm + mlp + norm  # 12 D² + 13 D
    pooler = D * D + D
    return {"embeddings": embeddings, "layer": layer, "pooler": pooler,
            "all": embeddings + L * layer + pooler}
    ### END SOLUTION

# %% test="parameters" points=2
check.parameters(parameters)
### BEGIN HIDDEN TESTS
check.parameters(parameters, seed=8101)
### END HIDDEN TESTS

# %% tags=["nbval-check-output"]
count = check.parameters.use(parameters)
for name, (D, L) in {"base": (768, 12), "large": (1024, 24)}.items():
    total = count(30_522, D, L, 512)["all"]
    print(f"{name}: {total:,}; the position table has {512 * D:,} = {512 * D / total:.2%}")

# %% [markdown]
# Only one in 280 of BERT base's parameters belongs to a position. Without positions, BERT would
# read a bag of words. (RoPE gives it positions without any parameters.)
#
# ## 3. What it is scored on
#
# Unit 07 chose 15 % of the words and put −100 wherever nothing was chosen. The loss of masked
# language modelling is the mean cross-entropy at the chosen positions: with $C$ the set of them,
# $\ell_{p}$ the logits at position $p$ and $y_p$ the word that stood there before masking,
#
# $$\mathcal{L} = -\frac{1}{|C|} \sum_{p \in C} \ln \mathrm{softmax}(\ell_p)_{y_p}$$

# %% [markdown] exercise="loss" title="Scored where chosen" difficulty=2 minutes=12
# Write `mlm_loss(logits, targets)`. `logits` is $(B, T, V)$, `targets` is $(B, T)$: the word where
# a position was chosen, −100 elsewhere. It returns one number, in nats: a tensor of shape $()$, of
# the dtype of `logits`. Gradients must reach `logits`. In each batch at least one position is
# chosen, though not in each row.
#
# Logits may be in the hundreds, of either sign. `log_softmax` is allowed here. `F.cross_entropy`
# and `F.nll_loss` are not, nor anything that calls them; after the check, a cell compares your loss
# with `F.cross_entropy`.
#
# *Why care:* your function trains the model of section 4. A mean over **all** positions would look
# like splendid progress: those that were not chosen would add 0 to the sum, and still be counted.
# Section 8 has a slip of that kind in print.
#
# <details><summary>Hint 1</summary>
#
# `chosen = targets != -100` can be used as an index: `logits[chosen]` is $(|C|, V)$.
# </details>
# <details><summary>Hint 2</summary>
#
# `x.gather(-1, index)` takes an `index` with as many axes as `x`; the last one may have length 1.
# </details>

# %% solution="loss"
def mlm_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean of −ln P(right word) over the chosen positions, in nats; (B, T, V), (B, T) → ()."""
    ### BEGIN SOLUTION
    chosen = targets != -100
    logs = logits[chosen].log_softmax(-1)  # (|C|, V)
    return -logs.gather(-1, targets[chosen][:, None]).mean()
    ### END SOLUTION

# %% test="loss" points=2
check.loss(mlm_loss)
### BEGIN HIDDEN TESTS
check.loss(mlm_loss, seed=8202)
### END HIDDEN TESTS

# %% tags=["nbval-check-output"]
my_loss, draw = check.loss.use(mlm_loss), Generator().manual_seed(0)
targets = torch.where(torch.rand(2, 64, generator=draw) < 0.15, tokens, -100)
theirs = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
print("equal to PyTorch's:", torch.allclose(my_loss(logits, targets), theirs))
print(f"chosen: {(targets >= 0).sum()} of {targets.numel()} positions")

# %% [markdown]
# A loss of 4 nats says nothing by itself. Three levels help to read it.
#
# 1. **A model that knows nothing** gives each of $V$ words the probability $1/V$ and pays $\ln V$.
# 2. **A model that counts** knows how frequent each word is, and ignores the context. That is the
#    *unigram baseline*. A loss curve that falls and then flattens out there looks like a trained
#    model, and is not one.
# 3. **The limit** is the least that any model can pay. For English nobody knows it.

# %% [markdown] exercise="unigram" title="The unigram baseline" difficulty=1 minutes=8
# Write `unigram_baseline(training, testing, vocab_size)`. Both texts are words in a row, of shapes
# $(N,)$ and $(M,)$, ids from 0 to $V - 1$, where $V$ is `vocab_size`. `training` may be empty,
# `testing` is not. Count the words of `training`, each of the $V$ words **once more than seen**,
# so that none has the probability 0:
#
# $$P(w) = \frac{n_w + 1}{N + V}$$
#
# The function returns the mean of $-\ln P(w)$ over the words of `testing`, one number.
#
# *Why care:* draw this line into every loss curve you make. A model that ends on it has read no
# context. (Nor does ending below it prove that a model has read context: section 4.)
#
# <details><summary>Hint 1</summary>
#
# `torch.bincount(words, minlength=V)` counts each id, also those that do not occur.
# </details>
# <details><summary>Hint 2</summary>
#
# `table[words]` looks up a number for each word; a frequent word is looked up often.
# </details>

# %% solution="unigram"
def unigram_baseline(training: torch.Tensor, testing: torch.Tensor, vocab_size: int) -> float:
    """Mean surprise, in nats per word of `testing`, of a model that counts `training`."""
    ### BEGIN SOLUTION
    counts = torch.bincount(training, minlength=vocab_size).double() + 1
    surprise = -(counts / counts.sum()).log()  # (V,)
    return surprise[testing].mean().item()
    ### END SOLUTION

# %% test="unigram" points=1.5
check.unigram(unigram_baseline)
### BEGIN HIDDEN TESTS
check.unigram(unigram_baseline, seed=8303)
### END HIDDEN TESTS

# %% [markdown]
# ## 4. It reads
#
# Now everything comes together. Your functions of unit 07 make the rows, the pairs, the padding
# mask and the gaps. (Where unit 07 does not lie beside this notebook, the course's do.)

# %% tags=["training"]
pair_row, sentence_pairs, padding_mask, mask_words = answers(
    "07-bert-inputs", row="pair_row", pairs="sentence_pairs", padding="padding_mask",
    mask="mask_words")

# %% tags=["training"]
def rows_of(documents, seed):
    """Pairs of sentences: tokens (N, 64), segments (N, 64), and labels (N,)."""
    triples = sentence_pairs(documents, random.Random(seed))
    sentences = sorted({s for first, second, _ in triples for s in (first, second)})
    ids = {s: each.ids for s, each in zip(sentences, coder.encode_batch(sentences), strict=True)}
    made = [pair_row(ids[first], ids[second], 64) for first, second, _ in triples]
    pieces, segments = (torch.tensor([list(row[n]) for row in made]) for n in (0, 1))
    return pieces, segments, torch.tensor([label for *_, label in triples])

text_rows, new_rows = rows_of(reading, 0), rows_of(kept, 1)
print(coder.decode(text_rows[0][0].tolist(), skip_special_tokens=False))

# %% [markdown]
# One step of training hides words, asks both heads, and adds both losses. The MLM head computes
# logits at the chosen positions only, because $V$ is the largest size in the model.

# %% tags=["training"]
full = runtime.profile() == "full"
device = "cuda" if torch.cuda.is_available() else "cpu"
drawn = Generator().manual_seed(0)

def batch():
    """Seen, targets, segments and labels of some rows, masked anew."""
    chosen = torch.randint(len(text_rows[2]), (64 if full else 48,), generator=drawn)
    pieces, segments, labels = (each[chosen] for each in text_rows)
    seen, targets = map(torch.as_tensor, mask_words(pieces, size_english.vocab_size, drawn))
    return [each.to(device) for each in (seen, targets, segments, labels)]

def both_tasks(model, given):
    """The loss of the hidden words, and that of the pairs."""
    seen, targets, segments, labels = given
    hidden = model.bert(seen, segments=segments, real=padding_mask(seen).flatten(1))
    chosen = targets != -100
    words = my_loss(model.words(hidden[chosen]).float()[None], targets[chosen][None])
    return words, F.cross_entropy(model.pair(hidden).float(), labels)

# %% tags=["training"]
words_only = [rows[0][rows[0] >= len(wordpiece.SPECIAL)] for rows in (text_rows, new_rows)]
baseline = check.unigram.use(unigram_baseline)
counted = float(baseline(*words_only, size_english.vocab_size))
reader.to(device)
read_curve = train(reader, batch, 2000 if full else 500, 4e-3, optimizer="muon", live=True,
                   loss=lambda model, given: sum(both_tasks(model, given)),
                   levels={"unigram baseline and chance": counted + math.log(2)},
                   precision=runtime.fast_precision(), label="both tasks")
reader = reader.cpu()
plots.show(*filling.filling(*fill(reader, "returns [MASK] if the string is empty.")))

# %% [markdown]
# That is the sentence of section 1 again, and no longer chance. `true` and `none` are what a
# function returns, and a colon after “returns” is common, too (“Returns: True if …”). So what of
# Paris? Here is a text box: type any sentence with one `[MASK]` or more, and it is filled while you
# type.

# %% tags=["training"]
widgets.explore(lambda sentence: filling.filling(*fill(reader, sentence)),
                sentence=("sentence", "paris is the capital of [MASK]."))

# %% tags=["training"]
_, gaps = fill(reader, "paris is the capital of [MASK].")
((said, likeliest), *_), = gaps.values()
_, gaps = fill(reader, "returns [MASK] if the string is empty.")
((piece, there), *_), = gaps.values()
print(f"likeliest piece: {said} at {likeliest:.1%}; in the docstring: {piece} at {there:.1%}")
heard = [s for document in reading for s in document if "paris" in s.lower().split()]
print("sentences about Paris that it has read:", len(heard))
LANDS = ("europe", "england", "italy", "germany", "spain", "china", "japan", "london", "rome")
ANYWHERE = (*".,:-()'", "the", "a", "an", "it", "this", "that", "all", "any", "each", "its", "one",
            "other", "and", "or")
outcome("paris", "e" if likeliest < 0.05 else "a" if said == "france" else "b" if said in LANDS
        else "c" if said in ANYWHERE else "d")

# %% [markdown]
# **It has never read about Paris.** The name falls into pieces, and no answer gets even a twentieth
# of the probability; the best one for the docstring gets three twentieths or more. A masked
# language model does not say what is true. It says which word would stand there *in its texts*, and
# with what probability. Try more: “the result is [MASK].” and “the result is not [MASK].”; two gaps
# side by side; a sentence of yours.
#
# How good is it? The other head was asked whether the second sentence of a pair really followed
# the first. Here are pairs and hidden words from docstrings that the model has never read.

# %%
predict("pairs", "On how many of the new pairs does it answer correctly?",
        a="about half: chance level", b="about two in three", c="nine in ten or more", answer="")

# %% tags=["training"]
@torch.no_grad()
def on_new_text(model, pieces, segments, labels):
    """What the model reaches on rows that it has not read."""
    seen, targets = mask_words(pieces, size_english.vocab_size, Generator().manual_seed(1))
    hidden = model.bert(seen, segments=segments, real=padding_mask(seen).flatten(1))
    chosen = targets != -100
    logits, truth = model.words(hidden[chosen]), targets[chosen]
    pairs = (model.pair(hidden).argmax(-1) == labels).float().mean().item()
    return {"loss": float(my_loss(logits[None], truth[None])), "unigram baseline": counted,
            "words right": (logits.argmax(-1) == truth).float().mean().item(), "pairs right": pairs}

reached = on_new_text(reader, *(each[:1000] for each in new_rows))
print(pd.Series(reached).round(2).to_string())
pairs_right = reached["pairs right"]
outcome("pairs", "a" if pairs_right < 0.57 else "b" if pairs_right < 0.8 else "c")

# %% [markdown]
# The loss is far below the unigram baseline. Has it read the context, then? Not necessarily. One
# chosen word in ten was left as it was (unit 07), so it helps to look at what stands at the chosen
# position. On the recorded texts of section 6, a model that only counts words pays 6.33 nats, the
# unigram baseline; one that counts and also looks there pays 5.74, the **count-and-look baseline**.
# A model below both has used context. Is yours? Compare the loss printed above, which is that of
# the hidden words alone. (The curve of the training also contains the loss of the pairs, 0.69 nats
# at chance.)
#
# How much of what a model gains by context comes from word order? After 800 steps, as recorded, a
# model without positions is 0.2 nats below the second baseline, and one with RoPE 2.0. So nearly
# all of it is order.
#
# Pairs are harder. Compare with the judge of shared words in unit 07, which is no network and was
# right six times in ten. A row has several hidden words and only one pair, so perhaps the model
# needs more rows.
#
# ## 5. A language whose limit is known
#
# How far is it from the best possible? For an artificial language the exact answer can be computed.
# Its sentences have a topic, a subject, perhaps a relative clause, and a verb: `noun13p` is noun 3
# of topic 1, plural.

# %% tags=["nbval-check-output"]
grammar = Grammar()
texts = grammar.sample(1000, Generator().manual_seed(1))  # (1000, 64)
print(*(grammar.words[word] for word in texts[2]))

# %% [markdown]
# | kind | rule | what it takes |
# | --- | --- | --- |
# | beat | `beat0` … `beat3` stand at 8, 24, 40 and 56, whatever the sentence | the **position** |
# | echo | positions 60 to 63 repeat positions 0 to 3 | an **offset**, of 60 |
# | verb | agrees with its own subject, past a clause between them | **structure** |
# | other | what comes next in a sentence, from the words of the topic | the **neighbours** |
#
# One word in ten of beat and echo is a wrong one. We train one BERT with a learned table, and one
# without positions for a quarter as long, because its loss soon hardly falls any more.

# %% tags=["training"]
masked = grammar.batch(400, 64, Generator().manual_seed(2))  # BERT's corruption
hidden_words = masked.targets[masked.selected]
levels = {"ln V": math.log(grammar.num_symbols),
          "unigram": float(baseline(texts.flatten(), hidden_words, grammar.num_symbols)),
          "limit": grammar.limit(masked)}
steps, size, lr = (3000, 64, 4e-3) if full else (400, 32, 6e-3)
training = {"batch": size, "lr": lr, "optimizer": "muon", "device": device,
            "precision": runtime.fast_precision()}

# %% tags=["training"]
learned, learned_curve = on_grammar("learned", 0, steps, **training)
none, none_curve = on_grammar("none", 0, steps // 4, **training)
curves = {"learned": smooth(learned_curve), "none": smooth(none_curve)}
longer = recorded.load("full_curves_cpu")
for name, rows in longer.table.groupby("run"):
    curves[f"{name}, full profile"] = rows["step"], rows["loss"]
plots.show(*loss_plots.beside_levels(curves, levels))
print(longer.note)

# %% [markdown]
# Without positions the curve falls far below the unigram baseline, too: one chosen word in ten can
# be seen, and the words around give the topic away. Without the horizontal lines this curve would
# look like a trained model's. With a table, the recorded run ends 6 to 7 % above the limit.
#
# A mean over all words hides which rule was learned. So take each kind of word by itself:

# %% [markdown] exercise="above" title="Rule by rule" difficulty=2 minutes=12
# Write `above_limit(logits, targets, kinds, posterior)`:
#
# - `logits` $(B, T, V')$ are the model's, perhaps in the hundreds. $V'$ is $V + 1$: `[MASK]` has a
#   logit too, the last one;
# - `targets` $(B, T)$ is −100 where nothing was chosen;
# - `kinds` $(B, T)$ says of each position which kind it is, 0 to $K - 1$;
# - `posterior` $(B, T, V)$ is the exact answer: probabilities that add up to 1. It is 0 for words
#   that cannot stand at a position, and never 0 for a target.
#
# Returned is a tensor $(K,)$: for each kind, the mean over its chosen positions of
#
# $$-\ln \mathrm{softmax}(\ell_p)_{y_p} \; - \; \big(-\ln \mathrm{posterior}_{p, y_p}\big)$$
#
# what the right word cost the model, minus what it would have cost with the exact answer. Each kind
# is chosen at least once, so the largest entry of `kinds` is $K - 1$.
#
# *Why care:* two models with the same mean loss may have learned different things.
#
# <details><summary>Hint 1</summary>
#
# Work out the difference at every position first, $(B, T)$; put word 0 where the target is −100.
# Then leave out what was not chosen.
# </details>
# <details><summary>Hint 2</summary>
#
# `x[chosen & (kinds == k)]` are the numbers at the chosen positions of kind $k$.
# </details>

# %% solution="above"
def above_limit(logits: torch.Tensor, targets: torch.Tensor, kinds: torch.Tensor,
                posterior: torch.Tensor) -> torch.Tensor:
    """Mean distance to the limit of each kind, in nats; (K,)."""
    ### BEGIN SOLUTION
    chosen, words = targets != -100, targets.clamp(min=0)[..., None]
    cost = -logits.log_softmax(-1).gather(-1, words)[..., 0]
    least = -posterior.gather(-1, words)[..., 0].log()
    each = cost - least  # (B, T)
    return torch.stack([each[chosen & (kinds == k)].mean() for k in range(int(kinds.max()) + 1)])
    ### END SOLUTION

# %% test="above" points=1.5
check.above(above_limit)
### BEGIN HIDDEN TESTS
check.above(above_limit, seed=8404)
### END HIDDEN TESTS

# %%
predict("hardest", "On which kind of word is the model with a table furthest above the limit?",
        a="beat", b="echo", c="verb", d="other", answer="")

# %% tags=["training"]
targets = torch.where(masked.selected, masked.targets, -100)
kinds, posterior = grammar.kinds(masked.targets), grammar.posterior(masked)
far = {}
with torch.no_grad():
    for name, each in {"learned": learned.cpu(), "none": none.cpu()}.items():
        logits = each.eval()(masked.inputs)
        far[name] = torch.as_tensor(check.above.use(above_limit)(logits, targets, kinds, posterior))
pd.DataFrame(far, index=KINDS).T.round(2)

# %% tags=["training"]
outcome("hardest", "abcd"[int(far["learned"].argmax())])

# %% [markdown]
# For a beat one row of the position table suffices, and at the end of the quick run the model is
# closest there. The echo, whose word stands 60 places away, is furthest off. Verbs come next. A
# model that cannot tell whether the verb is singular or plural loses up to $\ln 2 = 0.69$ by that
# alone. Is agreement what it has not learned?
#
# ### Agreement
#
# Take sentences with a clause between subject and verb, *noun that det noun verb **verb***, and
# hide the last verb. It belongs to the first noun. The noun of the clause stands nearer to it, and
# in half of the cases the two nouns differ in **number**: one is singular, the other plural.

# %%
predict("agreement", "A noun of the other number stands in between. Of the probability that goes "
        "to verbs, what fraction goes to the right number? (1 is perfect, 0.5 chance)", answer="")

# %% tags=["training"]
clauses = across_clauses(grammar, texts)
with torch.no_grad():
    right = right_number(grammar, learned(clauses.tokens), clauses)
same, other = (float(right[each].mean()) for each in
               (clauses.subject == clauses.near, clauses.subject != clauses.near))
print(f"right number: {same:.2f} with the same number nearby, {other:.2f} with the other")
outcome("agreement", round(other, 2))

# %% [markdown]
# The rule has no exceptions: the exact answer gives more than 0.99 to the right number in both
# cases (not 1, since it reckons with visible words that were replaced). A gap between the two means
# that the model goes by the words nearby and not by the subject alone. At 0.5 the two nouns cancel.
# Below 0.5 the nearer one would win, which is called **attraction**: Linzen et al. (2016) found it
# in models of English.
#
# ### Who looks where
#
# Does some head look for the echo, 60 positions back? Hide all echoes, and take the mean of the
# attention weights $\alpha$ over 200 texts:

# %% tags=["training"]
without_echo = texts[:200].clone()
without_echo[:, grammar.echoed] = grammar.mask_id
alpha = attention_weights(learned.bert, without_echo)
widgets.explore(lambda layer, head: pictures.attention(alpha, layer, head),
                layer=("layer", 1, 2, 1), head=("head", 1, 2, 2))

# %% [markdown]
# A dark stripe beside the diagonal is a head that reads its neighbours, as head 1 of layer 1 did in
# our run. There, head 2 of layer 1 found where an echo belongs: query 61, hidden, looked at key 1,
# and query 1 at key 61. Other dark squares in the corner, such as query 63 and key 5, are no
# echoes.
#
# And the table? Subtract the mean row from it. Here is the mean cosine of two rows, by their
# offset:

# %% tags=["training"]
plots.show(*pictures.by_offset(learned.bert.position.table))

# %% [markdown]
# The offset 60 stands out. **A learned table has no idea of distance of its own**; an offset that
# the text rewards can leave a trace in it.
#
# ## 6. The race
#
# A learned table is one choice. You know twenty others by now, and here is room for one more: an
# encoding that is nobody's but yours. It needs one of these hooks, and may have several.
#
# | hook | gets | returns |
# | --- | --- | --- |
# | `embed(x, positions)` | $(B, T, D)$, once | $(B, T, D)$ |
# | `rotate(q, k)` | twice $(B, H, T, d)$, in each layer | the same |
# | `scores(q, k, offsets)` | $(B, H, T, d)$ | $(H, T, T)$, added to $q \cdot k$ before scaling |
# | `context(weights, offsets)` | $(B, H, T, T)$ | $(B, H, T, d)$, added |
#
# `Encoding.__init__` sets `d_model`, `num_heads` and `max_len`. Scores are multiplied by `scale`,
# which is $1/\sqrt d$, and `head_width` is $d$.

# %% [markdown] exercise="own" title="An encoding of your own" difficulty=3 minutes=25
# Write `OwnEncoding`. Any idea will do, and need not be a good one. Two hooks stand there to begin
# with; delete what you do not use, and add what you do. These properties are checked,
# with several $D$, $H$, $T$ and $B$, and with parameters that have moved from where they began:
#
# - it drops into `Bert` as it is, in float32 and in float64: right shapes, finite numbers, and the
#   result for a text does not depend on what else is in its batch, in train mode too (dropout
#   excepted); nothing that a hook is given is changed;
# - each word still counts: another one at a position gives another result there;
# - it works for any $T$ from 1 to `max_len`. Beyond that it works too, or raises a `ValueError`
#   that says why;
# - it is not blind to order: to shuffle the words changes more than the order of the results;
# - it tells left from right: to reverse the words changes more than the order of the results;
# - every tensor or array it keeps is a Parameter, or a buffer if it is fixed; at $T$ = `max_len`,
#   gradients reach the $x$ of `embed`, the $q$ and $k$ of `rotate`, and some entry of every
#   Parameter;
# - saved and loaded into another object, it gives the same result, and so does a second call
#   (except for random draws in train mode, such as dropout).
#
# Write it yourself: the library's encodings, such as `Learned` and `Rotary`, or subclasses of them,
# earn nothing, but functions such as `helpers.encodings.sinusoidal_table` may be called.
#
# <details><summary>Small print, which is checked too</summary>
#
# - A class that does nothing has many of these properties already. So a class that ignores the
#   words or their order earns nothing. (The two order tests use $T \geq 8$.)
# - Order counts in train mode too, and gradients reach every Parameter there. What is drawn at
#   random may leave something out, but not each time.
# - $d = D/H$ is even. `positions` and `offsets` are None here. For `scores` and `context`, what
#   broadcasts to $(B, H, T, T)$ and $(B, H, T, d)$ is as good, and so is None. (`Bert`
#   re-initialises each `nn.Linear`, each `nn.Embedding` and a Parameter named `table`, with the std
#   of the model.)
# </details>
#
# *Why care:* this is how new encodings are made: an idea, a hook, and a race.
#
# <details><summary>Hint 1: some ideas to start from</summary>
#
# Sinusoids whose amplitude is learned; a slope to the left and another to the right; the embedding
# of the left neighbour, through a map, added to each token; two of the encodings that you know at
# once.
# </details>
# <details><summary>Hint 2: offsets</summary>
#
# `p = torch.arange(q.shape[2], device=q.device)`, then `p[None, :] - p[:, None]` is $j - i$,
# $(T, T)$. Something with an axis for heads, indexed by that, is $(H, T, T)$.
# </details>

# %% solution="own"
class OwnEncoding(Encoding):
    """Say here what your idea is."""

    def __init__(self, d_model: int, num_heads: int = 1, max_len: int = 512):
        super().__init__(d_model, num_heads, max_len)
        ### BEGIN SOLUTION
        self.rows = nn.Parameter(0.05 * torch.randn(max_len, d_model))
        self.numbers = nn.Parameter(torch.zeros(num_heads, 2 * max_len - 1))
        ### END SOLUTION

    def embed(self, x: torch.Tensor, positions: torch.Tensor | None = None) -> torch.Tensor:
        ### BEGIN SOLUTION
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        return x + self.rows[: x.shape[1]]
        ### END SOLUTION

    def scores(self, q: torch.Tensor, k: torch.Tensor, offsets: torch.Tensor | None = None):
        ### BEGIN SOLUTION
        p = torch.arange(q.shape[2], device=q.device)
        return self.numbers[:, p[None, :] - p[:, None] + self.max_len - 1] / self.scale
        ### END SOLUTION

# %% test="own" points=3
check.own(OwnEncoding)
### BEGIN HIDDEN TESTS
check.own(OwnEncoding, seed=8505)
### END HIDDEN TESTS

# %% [markdown]
# It trains as the learned table did, for as many steps:

# %% tags=["training"]
size = preset("mini", vocab_size=grammar.vocab_size, max_len=256)
torch.manual_seed(0)
mine = check.own.use(OwnEncoding)(d_model=size.d_model, num_heads=size.num_heads, max_len=256)
own, own_curve = on_grammar(mine, 0, steps, size, **training, label="yours", live=True,
                            limit=levels["limit"], levels={"unigram": levels["unigram"]})
by_kind = {"yours": grammar_scores(own), "learned": grammar_scores(learned)}
pd.DataFrame({name: rows.set_index("kind").eval("loss - limit")[["all", *KINDS]]
              for name, rows in by_kind.items()}).T.round(2)

# %% [markdown]
# These are nats above the limit. One seed and a few hundred steps are a first look. A race needs
# the same budget for all, and several seeds. So it was recorded: six encodings, on this grammar and
# on English docstrings, 800 steps, three seeds each.

# %%
predict("race", "The learned table, BERT's own, comes",
        a="first on both", b="first on the grammar, not on English",
        c="first on English, not on the grammar", d="first on neither", answer="")

# %%
SIX = ["none", "sinusoidal", "learned", "Shaw keys", "T5 bias", "RoPE"]
race, race_english = recorded.load("bert_grammar"), recorded.load("bert_english")
runs = race.table.assign(far=race.table["loss"] - race.table["limit"]).query("encoding in @SIX")
at_64 = runs.query("length == 64 and kind == 'all'")
english_at_64 = race_english.table.query("encoding in @SIX and length == 64")
races = {"grammar: nats above the limit": at_64.set_index("encoding")["far"],
         "English: nats": english_at_64.set_index("encoding")["loss"]}
plots.show(*loss_plots.ranked(races))
print(race.note)
first = [each.groupby("encoding").mean().idxmin() == "learned" for each in races.values()]
outcome("race", "abcd"[2 * (not first[0]) + (not first[1])])

# %% [markdown]
# The order changes. On the grammar positions count: beats stand at fixed ones, and so do echoes,
# although their rule is an offset. In English the neighbours count, at any absolute position, and a
# table has to learn for each position who is next to it. Offsets alone are not enough, though: T5's
# bias has them and is 0.8 nats behind RoPE on English. That bias is the same for all words, while
# in RoPE and Shaw's keys the effect of an offset depends on the words. These two lead on English;
# section 4 took RoPE, which has no table and adds no term to the scores. (`docs/mini-bert.md` has
# all twenty-one encodings, kind by kind.)
#
# And longer texts than in training? Look only at words of the kind *other*: for them a longer text
# is just more of the same sentences.

# %%
predict("long", "Trained on 64 words, tested on 256. Which encodings do worse than no positions?",
        a="not one of them", b="the table", c="the table and the sinusoids",
        d="the table, the sinusoids and RoPE", answer="")

# %%
others = runs[runs["kind"] == "other"]
figure, ax = plt.subplots()
plots.race(ax, others, "recorded; words of the kind “other”")
plots.show(figure, "Loss by length of text for the six encodings, with the limit in grey.")
at_256 = others[others["length"] == 256].groupby("encoding")["loss"].mean()
outcome("long", "abcd"[min(3, sum(at_256 > at_256["none"]))])

# %% [markdown]
# At 256 tokens the table and the sinusoids do worse than no positions at all: their vectors beyond
# 64 were never trained or never met. RoPE is hurt too. From 64 to 256 tokens its loss rises by 1.6
# nats; on English it rose by only 0.1. Perhaps this is because beats and echo ask for exact
# positions and offsets: in a recorded control, a grammar without the two, RoPE's loss rose about
# half as much, though its three seeds differ a lot ([`docs/mini-bert.md`](../../docs/mini-bert.md)
# has the table).
#
# ## 7. What is it good for?
#
# BERT is pretrained once, and then **fine-tuned**: a small head on top, a few labelled texts. In
# half of the texts here one singular and one plural verb have changed places: **do all verbs
# agree?** Here “a few” are 8,000.

# %%
predict("frozen", "Pretrained, then frozen: only a new head is trained. In what fraction of the "
                  "texts is its answer about the verbs right? (0.5 is chance)", answer="")

# %%
tuning = recorded.load("bert_tuning")
by_start = tuning.table.groupby(["task", "start"])["accuracy"]
print(tuning.note)
by_start.agg(["mean", "min", "max"]).round(2)

# %%
outcome("frozen", round(by_start.mean()["agreement", "pretrained, frozen"], 2))

# %% [markdown]
# `from nothing` is the same model, not pretrained; `bag of words` is the mean of the words'
# embeddings, without any layers.
#
# **Only pretrained models learn agreement, and only where the whole model is trained further.**
# After 800 steps of 64 texts (each text about six times), two of three pretrained models end up
# nearly always right; the third is near chance level, and so is every model whose body is
# **frozen**, that is, not trained further. From nothing, every seed stays at chance level. To a bag
# of words a swap makes no difference.
#
# A second task on the same grammar, **pairs**, is easier than agreement: do both halves of a row
# come from one text? There are three clues: a sentence that runs across the middle, the topic, and
# the echo. Which of them a model uses has not been measured. On real text, training on pairs hardly
# helped (Liu et al. 2019, table 2). How much size, learning rate and optimiser matter is measured
# in [`docs/mini-bert.md`](../../docs/mini-bert.md), where sizes are compared by **perplexity**, $e$
# to the power of the loss.
#
# ## 8. Check against the book
#
# The library `transformers` has the published BERT. We count its parameters (on the device `meta`,
# which holds shapes and no numbers), then load the weights of section 2's `model` into a small one
# and compare the outputs:

# %% tags=["nbval-check-output"]
from helpers.model.exchange import to_transformers

try:
    from transformers import BertConfig, BertForPreTraining, BertModel
except ImportError:
    print("transformers is not installed; this comparison is left out")
else:
    with torch.device("meta"):
        number = sum(p.numel() for p in BertModel(BertConfig()).parameters())
    print(f"{number:,}, equal to yours: {number == count(30_522, 768, 12, 512)['all']}")
    sizes = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=1000, intermediate_size=512, max_position_embeddings=64, **sizes)
    theirs = BertForPreTraining(config).eval()
    theirs.load_state_dict(to_transformers(model))
    with torch.no_grad():
        found, expected = model.bert(tokens), theirs(tokens)
    print("words:", torch.allclose(model.words(found), expected.prediction_logits, atol=1e-4))
    print("pairs:", torch.allclose(model.pair(found), expected.seq_relationship_logits, atol=1e-4))

# %% [markdown]
# The book's BERT (d2l, section 15.8) has a ReLU instead of the GELU, and a decoder of its own. And
# its loss? Rows with fewer masked words are filled up with word 0, and a weight of 0 is meant to
# take those out again. Here is `d2l._get_batch_loss_bert` on random logits, with four real words
# and three that fill up:

# %% tags=["nbval-check-output"]
from helpers.book import d2l

if d2l:
    made = torch.randn(1, 7, 20, generator=Generator().manual_seed(0))
    words = torch.tensor([[5, 9, 2, 7, 0, 0, 0]])
    weights = torch.tensor([[1.0, 1, 1, 1, 0, 0, 0]])
    theirs, *_ = d2l._get_batch_loss_bert(
        lambda *_: (None, made, torch.zeros(1, 2)), nn.CrossEntropyLoss(), 20,
        None, None, torch.zeros(1), None, weights, words, torch.tensor([0]))
    print(f"the book's loss:       {theirs:.4f}")
    print(f"your loss, four words: {my_loss(made, words.where(weights > 0, -100)):.4f}")
    print(f"your loss, all seven:  {my_loss(made, words):.4f}")

# %% [markdown]
# `nn.CrossEntropyLoss()`, which section 15.10 passes, averages over all seven first. What is left
# is one number. To multiply it by the weights, add up and divide by their sum gives the same number
# again, so the filling is scored as well.
#
# ## What to keep
#
# - BERT is an input sum, $L$ layers of $12D^2 + 13D$ parameters, and two heads that are discarded.
# - It is scored at the chosen positions, and nowhere else.
# - Draw the unigram baseline and, where there is one, the limit into every curve. Then look at each
#   kind of word by itself: a mean hides which rule was learned.
# - A masked language model says what its texts would say. That is neither true nor false.
# - Which encoding wins depends on what the text rewards, and on how long it may become.
#
# ## Further reading
#
# - Devlin et al. 2018, *BERT* (1810.04805): section 3 for the model, 3.1 for both tasks, 5 for its
#   ablations, appendix A.2 for how it was trained.
# - Liu et al. 2019, *RoBERTa* (1907.11692), section 4.2: BERT without its second task.
# - Xiong et al. 2020, *On Layer Normalization in the Transformer Architecture* (2002.04745): norm
#   after and norm before. Press and Wolf 2017, *Using the Output Embedding to Improve Language
#   Models* (1608.05859): tied decoders.
# - Linzen et al. 2016, *Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies*
#   (1611.01368): agreement with attractors.
# - Jordan et al. 2024, *Muon*, at kellerjordan.github.io/posts/muon: the optimiser used here.
#
# A sentence became a row, the row a loss, and the loss a model that talks about tensors. People
# claim a lot about all this. Unit 09 puts their claims to the test.
