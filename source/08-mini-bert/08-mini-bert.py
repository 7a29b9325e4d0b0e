# %% [markdown]
# # 08 · A mini BERT
#
# Paris is the capital of what? In unit 07 you made everything that BERT takes as input. Now we
# build a BERT, train it for a minute or two, and ask it. Then we ask how one can know what a model
# has learned: a falling loss is not enough.
#
# By the end of this unit you can
#
# - train a small BERT on both of its tasks, and say what it knows;
# - derive the 109,482,240 parameters of BERT base;
# - compare a loss with a baseline and with the exact limit;
# - look inside a model, rule by rule and head by head;
# - write an encoding of your own, and race it.
#
# Reading and running takes about 45 minutes besides the exercises.

# %%
import copy
import functools
import math
import random

import pandas as pd
import torch
import torch.nn.functional as F
from torch import Generator, nn

from helpers import plots, results, runtime, widgets
from helpers.checks import mini_bert as check
from helpers.checks.earlier import answers
from helpers.corpora import Grammar, wordpiece
from helpers.corpora.agreement import across_clauses, right_number
from helpers.corpora.english import docstrings
from helpers.corpora.grammar import KINDS
from helpers.corpora.wordpiece import CLS, MASK, SEP, words_of
from helpers.encodings import Encoding, Positions
from helpers.model.bert import Bert, Pretraining, preset
from helpers.model.probes import attention_weights
from helpers.pictures import filling, hooks, text
from helpers.plots import bert as pictures, losses as loss_plots
from helpers.plots.losses import smooth
from helpers.predict import outcome, predict
from helpers.training import train
from helpers.training.pretraining import on_grammar

# %% [markdown]
# We shall train two BERTs. The one that reads English has RoPE, which turns queries and keys by
# their positions (unit 05), at the hook `rotate`. The one that learns an artificial language has a
# learned table, at `embed`.

# %% tags=["shown"]
plots.show(*hooks.hooks("embed", "rotate"))

# %% [markdown]
# ## 1. A BERT that has read nothing
#
# Our text is the docstrings of Python and of PyTorch, cut into pieces from a vocabulary of 4,096:

# %% tags=["training"]
english = docstrings(["the standard library", "torch"])
reading, held_out = english.split()  # never trained on: one document in twenty
coder = wordpiece.train((s for document in reading for s in document), 4096)
print(english)

# %% [markdown]
# **Your** functions of unit 07 (the course's, if unit 07 is not beside this notebook) turn this
# text into what a BERT reads. Here `word_pieces` cuts each word of a sentence:

# %% tags=["training"]
word_pieces, pair_row, sentence_pairs, padding_mask, mask_words, InputSum = answers(
    "07-bert-inputs", pieces="word_pieces", row="pair_row", pairs="sentence_pairs",
    padding="padding_mask", mask="mask_words", vectors="InputSum")
known = coder.get_vocab()

@functools.cache
def ids_of(word):
    return [known[piece] for piece in word_pieces(word, known)]

def encode(sentence):
    """The ids of a sentence; each [MASK] is one token."""
    first, *rest = ([each for word in words_of(part) for each in ids_of(word)]
                    for part in sentence.split("[MASK]"))
    return first + [each for part in rest for each in (MASK, *part)]

print(*map(coder.id_to_token, encode("paris is the capital of [MASK].")))

# %% [markdown]
# Here is a BERT with random weights, `reader`. `fill` returns a model's likeliest pieces for each
# `[MASK]`. `guesses` does the same for `reader`, for a sentence with exactly one `[MASK]`:

# %% tags=["training"]
@torch.no_grad()
def fill(model, sentence, best=5):
    """The pieces of a sentence, and the likeliest ones for each [MASK]."""
    ids = [CLS, *encode(sentence)[:62], SEP]
    given = torch.tensor([ids], device=next(model.parameters()).device)
    likely = model.eval()(given)[0].softmax(-1)  # (T, V)
    gaps = {}
    for gap in (position for position, token in enumerate(ids) if token == MASK):
        p, found = likely[gap].topk(best)
        gaps[gap] = [*zip(map(coder.id_to_token, found.tolist()), p.tolist(), strict=True)]
    return [coder.id_to_token(token) for token in ids], gaps

def guesses(sentence, best=3):
    """The likeliest pieces for the one [MASK], with their probabilities."""
    _, gaps = fill(reader, sentence, best)
    (found,) = gaps.values()
    return found

# %% tags=["training"]
torch.manual_seed(0)
size_english = preset("mini", vocab_size=coder.get_vocab_size())  # small: see section 2
reader = Pretraining(Bert(size_english, "rotary"))
paris, empty = "paris is the capital of [MASK].", "returns [MASK] if the string is empty."
print(*(f"{piece:10} {p:.5f}" for piece, p in guesses(empty, best=5)), sep="\n")
print(f"{'1/4,096':10} {1 / 4096:.5f}")

# %% [markdown]
# These five pieces come first by chance; none gets more than 0.2 %. In section 4, this model will
# read for a minute or two. What will it then say of Paris?

# %%
predict("paris", "After its training, what is the model's best guess for “paris is the capital of "
        "[MASK].”?",
        a="france", b="another country or city",
        c="neither: a word of programs, say, or one that fits anywhere", answer="")

# %% [markdown]
# ## 2. What is in it
#
# Is there more in a BERT than you have built? Unit 07 made the three rows at the top of the figure.
# The rest, layers and both heads, takes a dozen lines of code, which stand below the figure. With
# the weights of a BERT, your `InputSum` and these lines must give what that BERT gives; otherwise
# something is missing.

# %% tags=["shown"]
plots.show(*text.row(["my", "[MASK]", "is", "cute"], ["he", "barks"]))

# %% [markdown]
# - The MLP of a layer has hidden width $4D$, and GELU, a ReLU without the corner.
# - The **pooler** makes one vector of the whole row, from `[CLS]`. From it, the head of next
#   sentence prediction (NSP) computes two **logits**: scores, of which a softmax makes
#   probabilities.
# - The head of masked language modelling (MLM) ends with the table of the token vectors, the very
#   same Parameter as at the input: a **tied** decoder.
#
# Our models are small: two layers, two heads, width 128. The next cell has the paper's layout: a
# skip around each part, and a LayerNorm **after** it. The models that we train have the norm before
# each part, and one at the end.
#
# <details><summary>Why before?</summary>
#
# Then training needs no warm-up (Xiong et al. 2020). Warm-up means that the **learning rate**,
# which says how far one step of training moves the parameters, rises slowly at the start.
# </details>

# %% tags=["nbval-check-output"]
torch.manual_seed(0)
model = Pretraining(Bert(preset("mini", vocab_size=1000, norm="post"))).eval()
bert, tokens = model.bert, torch.randint(5, 1000, (2, 64))

def attention(x, part, heads=2):
    q, k, v = part.qkv(x).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)  # (B, H, T, d)
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)  # (B, H, T, T)
    return part.out((weights @ v).transpose(1, 2).flatten(2))

def layer(x, part):
    x = part.norms[0](x + attention(x, part.attention))
    return part.norms[1](x + part.mlp(x))  # D → 4D, GELU, 4D → D

def both_heads(x):
    pooled = bert.pooler(x[:, 0])  # of [CLS]: a linear map and a tanh
    return model.transform(x) @ bert.words.weight.T + model.bias, model.is_next(pooled)

hidden = bert(tokens)
logits, pairs = both_heads(hidden)
print("hidden", tuple(hidden.shape), " MLM", tuple(logits.shape), " NSP", tuple(pairs.shape))

# %% [markdown]
# Now your `InputSum` feeds these layers and heads, with the model's weights. Is it a BERT?

# %% tags=["training"]
summed = InputSum(1000, 128, max_len=64)
for name in ("words", "segments", "norm"):
    getattr(summed, name).load_state_dict(getattr(bert, name).state_dict())
summed.positions.load_state_dict({"weight": bert.position.table})
x = summed(tokens, torch.zeros_like(tokens))
for part in bert.layers:
    x = layer(x, part)
theirs = {"hidden": hidden, "MLM": model.mlm_logits(hidden), "NSP": model.nsp_logits(hidden)}
for (name, it), our in zip(theirs.items(), (x, *both_heads(x)), strict=True):
    print(f"{name} equal to 1e-5:", torch.allclose(our, it, atol=1e-5))

# %% [markdown]
# ## 3. What it is scored on
#
# The loss is the mean cross-entropy over the set $C$ of positions that unit 07 chose. With the
# logits $\ell_{p}$ at position $p$, and $y_p$ the word that stood there before masking:
#
# $$\mathcal{L} = -\frac{1}{|C|} \sum_{p \in C} \ln \mathrm{softmax}(\ell_p)_{y_p}$$

# %% [markdown] exercise="loss" title="Scored where chosen" difficulty=2 minutes=9
# Write `mlm_loss(logits, targets)`. `logits` is $(B, T, V)$. `targets` is $(B, T)$: the word where
# a position was chosen, −100 elsewhere. The function returns one number, in nats: a tensor of shape
# $()$, of the dtype of `logits`. Gradients must reach `logits`. Each batch has at least one chosen
# position, but a row may have none.
#
# Logits may be in the hundreds, of either sign. `log_softmax` is allowed here. `F.cross_entropy`
# and `F.nll_loss` are not allowed, nor is anything that calls them.
#
# *Why care:* your function trains the model of section 4. Section 9 has a published loss that
# counts words it should ignore.
#
# <details><summary>Hint 1</summary>
#
# With `targets.clamp(min=0)` there is a word at every position, and so a cost. Afterwards, leave
# out the positions that were not chosen, in the sum and in the number that you divide by.
# </details>
# <details><summary>Hint 2</summary>
#
# `x.gather(-1, index)` takes an `index` with as many axes as `x`; the last one may have length 1.
# </details>

# %% solution="loss"
def mlm_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Mean of −ln P(right word) over the chosen positions, in nats; (B, T, V), (B, T) → ()."""
    ### BEGIN SOLUTION
    chosen, words = targets != -100, targets.clamp(min=0)[..., None]
    cost = -logits.log_softmax(-1).gather(-1, words)[..., 0]  # (B, T)
    return torch.where(chosen, cost, 0).sum() / chosen.sum()
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
# A loss of 4 nats says nothing by itself. Three values help to read it:
#
# 1. **A model that knows nothing** gives each of $V$ words the probability $1/V$: $\ln V$ nats.
# 2. **A model that counts** knows how frequent each word is, and ignores the context. Its loss is
#    the *unigram baseline*.
# 3. **The limit** is the lowest loss that any model can reach on average. For English nobody knows
#    it.

# %% [markdown] exercise="unigram" title="The unigram baseline" difficulty=1 minutes=7
# Write `unigram_baseline(training, testing, vocab_size)`. Both texts are tensors of word ids
# (int64), of shapes $(N,)$ and $(M,)$; the ids go from 0 to $V - 1$, where $V$ is `vocab_size`.
# `training` may be empty, `testing` is not. Count the words of `training`: word $w$ occurs $n_w$
# times. Then count each of the $V$ words **once more than seen**, so that none has the probability
# 0:
#
# $$P(w) = \frac{n_w + 1}{N + V}$$
#
# The function returns the mean of $-\ln P(w)$ over the words of `testing`, one number.
#
# *Why care:* a curve that falls to this line and stays there looks like a trained model's, but does
# not show that the model uses the context. Nor does a lower curve alone (section 4).
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
# Your functions of unit 07 make rows of pairs:

# %% tags=["training"]
def rows_of(documents, seed):
    """Pairs of sentences: tokens (N, 64), segments (N, 64), and labels (N,)."""
    triples = sentence_pairs(documents, random.Random(seed))
    ids = {s: encode(s) for s in {s for first, second, _ in triples for s in (first, second)}}
    made = [pair_row(ids[first], ids[second], 64) for first, second, _ in triples]
    pieces, segments = (torch.tensor([list(row[n]) for row in made]) for n in (0, 1))
    return pieces, segments, torch.tensor([label for *_, label in triples])

text_rows, new_rows = rows_of(reading, 0), rows_of(held_out, 1)
print(coder.decode(text_rows[0][0].tolist(), skip_special_tokens=False))

# %% [markdown]
# One step of training hides words, asks both heads, and adds both losses:

# %% tags=["training"]
full = runtime.profile() == "full"
device = "cuda" if torch.cuda.is_available() else "cpu"
drawn = Generator().manual_seed(0)

def batch(drawn=drawn, size=64 if full else 48):
    """Seen, segments and labels of some rows, masked anew; where words are hidden, and which."""
    chosen = torch.randint(len(text_rows[2]), (size,), generator=drawn)
    pieces, segments, labels = (each[chosen] for each in text_rows)
    seen, targets = map(torch.as_tensor, mask_words(pieces, size_english.vocab_size, drawn))
    targets = targets.flatten()
    hidden = (targets != -100).nonzero()[:, 0]
    if full:  # lists of one length are quick on a GPU: position 0, a [CLS], fills them up
        hidden = F.pad(hidden, (0, 7 * size + 64 - len(hidden)))
    return [each.to(device) for each in (seen, segments, labels, hidden, targets[hidden])]

def both_tasks(model, given):
    """The loss of the hidden words, and that of the pairs."""
    seen, segments, labels, hidden, targets = given
    x = model.bert(seen, token_type_ids=segments, attention_mask=padding_mask(seen).flatten(1))
    words = my_loss(model.mlm_logits(x.flatten(0, 1)[hidden]).float()[None], targets[None])
    return words, F.cross_entropy(model.nsp_logits(x).float(), labels)

# %% [markdown]
# Two checks before the training. A model that knows nothing gives each piece 1/4,096 and each
# answer about a pair ½, so its loss should be near $\ln 4096 + \ln 2$. And a copy of the model
# should be able to learn eight rows by heart (Muon is the optimiser of our BERTs):

# %% tags=["training"]
one_batch, rehearsal = batch(Generator().manual_seed(1), 8), copy.deepcopy(reader).to(device)

def loss_of(model, given):
    return sum(both_tasks(model, given))

by_heart = train(rehearsal, lambda: one_batch, 60, 4e-3, optimizer="muon", loss=loss_of,
                 label="eight rows")
print(f"first loss: {by_heart[0]:.2f};  ln 4,096 + ln 2 = {math.log(4096) + math.log(2):.2f}")
print(f"the same eight rows after 60 steps: {by_heart[-1]:.2f}")

# %% [markdown]
# The model can learn. Now it reads the whole text. At a few steps, it fills two sentences:

# %% tags=["training"]
reading_steps = {"dry": 20, "quick": 500, "full": 2000}[runtime.profile()]
answers_at = {}  # by step

def note(step):
    """Keep the likeliest pieces after this step, if it is one of a few."""
    if step in (0, 50, 200, 500, reading_steps):
        answers_at[step] = {each: ",  ".join(f"{piece} {p:.1%}" for piece, p in guesses(each))
                            for each in (paris, empty)}

# %% tags=["training"]
words_only = [rows[0][rows[0] >= len(wordpiece.SPECIAL)] for rows in (text_rows, new_rows)]
baseline = check.unigram.use(unigram_baseline)
counted = float(baseline(*words_only, size_english.vocab_size))
reader.to(device)
note(0)
read_curve = train(reader, batch, reading_steps, 4e-3, optimizer="muon", live=True, loss=loss_of,
                   baselines={"unigram baseline and chance": counted + math.log(2)},
                   precision=runtime.fast_precision(), label="both tasks", on_step_end=note)
reader = reader.cpu()
pd.DataFrame(answers_at).T.rename_axis("steps")

# %% [markdown]
# At step 0 the pieces are there by chance. After 50 steps the model knows little more than which
# pieces are frequent, and answers both sentences alike. Later the sentence counts: `true` is what a
# function may return, and a colon after “returns” is common. For Paris no answer in the table fits.
# Type any sentence with a `[MASK]`; it is filled while you type.

# %% tags=["training"]
widgets.explore(lambda sentence: filling.filling(*fill(reader, sentence)),
                sentence=("sentence", paris))

# %% tags=["training"]
said, likeliest = guesses(paris)[0]
piece, in_docstring = guesses(empty)[0]
print(f"Paris: {said} at {likeliest:.1%}; in the docstring: {piece} at {in_docstring:.1%}")
heard = [s for document in reading for s in document if "paris" in words_of(s)]
print("sentences about Paris that it has read:", len(heard))
LANDS = ("europe", "england", "italy", "germany", "spain", "china", "japan", "london", "rome")
outcome("paris", "a" if said == "france" else "b" if said in LANDS else "c")

# %% [markdown]
# **It has never read about Paris.** Its best answer is a guess, far less likely than the one in the
# docstring. A masked language model does not say what is true. It says which word would stand there
# *in its texts*, and with what probability.
#
# Does a *not* change its answer?

# %% tags=["training"]
for state in ("empty", "not empty"):
    found = guesses(f"returns [MASK] if the string is {state}.")
    print(f"{state:10}", *(f"{piece} {p:.1%}" for piece, p in found), sep="  ")

# %% [markdown]
# The opposite case, and nearly the same answer. Both are good docstrings, so this alone is no
# error; but large BERTs were found to miss a *not* (Kassner and Schütze 2020). How good is the
# model on docstrings that it has never read? The NSP head also says of each pair whether the second
# sentence really followed the first.

# %%
predict("pairs", "On how many of the new pairs does it answer correctly?",
        a="about half: chance level", b="about two in three", c="nine in ten or more", answer="")

# %% tags=["training"]
@torch.no_grad()
def on_new_text(model, pieces, segments, labels):
    """What the model reaches on rows that it has not read."""
    seen, targets = mask_words(pieces, size_english.vocab_size, Generator().manual_seed(1))
    hidden = model.bert(seen, token_type_ids=segments, attention_mask=padding_mask(seen).flatten(1))
    chosen = targets != -100
    logits, truth = model.mlm_logits(hidden[chosen]), targets[chosen]
    pairs = (model.nsp_logits(hidden).argmax(-1) == labels).float().mean().item()
    return {"loss": float(my_loss(logits[None], truth[None])), "unigram baseline": counted,
            "words right": (logits.argmax(-1) == truth).float().mean().item(), "pairs right": pairs}

reached = on_new_text(reader, *(each[:1000] for each in new_rows))
print(pd.Series(reached).round(2).to_string())
pairs_right = reached["pairs right"]
outcome("pairs", "a" if pairs_right < 0.57 else "b" if pairs_right < 0.8 else "c")

# %% [markdown]
# The loss is far below the unigram baseline. That alone does not show that the model reads the
# context: one chosen word in ten was left as it was (unit 07), and can be copied. So a second
# baseline counts, and also looks at what stands at the chosen position. Recorded losses on such
# texts, after 800 steps:

# %%
race_english = results.load("bert_english")
short = race_english.table.query("length == 64")
ended = short.groupby("encoding")["loss"].mean()
pd.DataFrame({"counting": short["unigram"].mean(), "counting and copying": short["shown"].mean(),
              "no positions": ended["none"], "RoPE": ended["RoPE"]}, index=["nats"]).round(2)

# %% [markdown]
# Our model is below counting **and copying**, too: it has used the context. The recorded runs are
# below this baseline by 0.2 nats without positions, and by 2.0 with RoPE: nine tenths of the gain
# need positions.
#
# Pairs are harder, perhaps because a row has only one label to learn from. After 500 steps the
# model is at chance or little above.
#
# ## 5. How large is the real one?
#
# The number of parameters that is usually given for a BERT includes the pooler, but not the two
# heads.

# %% [markdown] exercise="parameters" title="Count them" difficulty=2 minutes=13
# Write `parameters(V, D, L, T)` for a BERT with $V$ tokens, width $D$, $L$ layers and $T$
# positions. It returns the parameter counts as a new dictionary of four numbers, each an int, exact
# for any sizes:
#
# - `"embeddings"`: what comes before the layers: three tables and a LayerNorm (there are 2
#   segments);
# - `"layer"`: **one** layer: four maps in the attention (query, key, value, output), two in the MLP
#   (from $D$ to $4D$ and back), two LayerNorms;
# - `"pooler"`: one map, from $D$ to $D$;
# - `"all"`: the whole model, with $L$ layers, without the two heads for pretraining.
#
# Each map has a bias. A LayerNorm has two numbers for each of the $D$ entries. Work the
# numbers out from $V$, $D$, $L$ and $T$: to build a `Bert` and count is not allowed.
#
# *Why care:* it settles arguments. Some texts claim 1,024 positions for BERT: these would take
# 393,216 parameters more.
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
# Only about one in 280 of BERT base's parameters belongs to the position table.
#
# ## 6. A language whose limit is known
#
# How far is a model from the best possible one? For an artificial language, the limit can be
# computed exactly. Each sentence of ours has a topic, which seldom changes, a subject, perhaps a
# relative clause, and a verb. `noun13p` is noun 3 of topic 1, plural.

# %% tags=["nbval-check-output"]
grammar = Grammar()
texts = grammar.sample(1000, Generator().manual_seed(1))  # (1000, 64)
print(*(grammar.words[word] for word in texts[2]))

# %% [markdown]
# | kind | rule | what it takes |
# | --- | --- | --- |
# | beat | `beat0` … `beat3` belong at 8, 24, 40 and 56 | the **position** |
# | echo | positions 60 to 63 repeat positions 0 to 3 | **offset** 60, or 4 fixed pairs |
# | verb | agrees with its own subject, even if a clause stands between them | **structure** |
# | other | what comes next in a sentence, from the words of the topic | the **neighbours** |
#
# At a beat or an echo, a random word stands one time in ten. We train a BERT with a learned table:

# %% tags=["training"]
masked = grammar.batch(400, 64, Generator().manual_seed(2))  # BERT's corruption
hidden_words = masked.targets[masked.selected]
baselines = {"ln V": math.log(grammar.num_symbols),
             "unigram": float(baseline(texts.flatten(), hidden_words, grammar.num_symbols)),
             "limit": grammar.bayes_loss(masked)}
steps, size, lr = (3000, 64, 4e-3) if full else (400, 32, 6e-3)
training = {"batch": size, "lr": lr, "optimizer": "muon", "device": device,
            "precision": runtime.fast_precision()}

# %% tags=["training"]
learned, learned_curve = on_grammar("learned", 0, steps, **training)
curves = {"learned": smooth(learned_curve)}
recorded = results.load("full_curves_cpu")
for name, rows in recorded.table.groupby("run"):
    curves[f"{name}, full profile"] = rows["step"], rows["loss"]
plots.show(*loss_plots.beside_baselines(curves, baselines))
print(recorded.note)

# %% [markdown]
# Two runs of the *full profile*, which is meant for a GPU, are recorded: one with a table, and one
# of 750 steps without positions. The curve without positions falls well below the unigram baseline,
# too: one chosen word in ten can be seen, and the other words of a text show its topic. With a
# table, it ends less than 10 % above the limit after 3,000 steps.
#
# Which rule was learned? Look at each kind of word by itself:

# %% [markdown] exercise="above" title="Rule by rule" difficulty=2 minutes=12
# Write `above_limit(logits, targets, kinds, posterior)`:
#
# - `logits` $(B, T, V')$ are the logits of the model, perhaps in the hundreds. $V'$ is $V + 1$,
#   because `[MASK]` has a logit too, the last one;
# - `targets` $(B, T)$ holds the right words, and −100 where nothing was chosen;
# - `kinds` $(B, T)$ says for each position which kind it is, 0 to $K - 1$;
# - `posterior` $(B, T, V)$ is the exact answer: probabilities that add up to 1 at each position. It
#   is 0 for words that cannot stand at a position, and never 0 for a target.
#
# The function returns a tensor $(K,)$: for each kind, the mean over its chosen positions of what
# the right word costs the model, minus its cost with the exact answer:
#
# $$-\ln \mathrm{softmax}(\ell_p)_{y_p} \; - \; \big(-\ln \mathrm{posterior}_{p, y_p}\big)$$
#
# Each kind is chosen at least once, so the largest entry of `kinds` is $K - 1$.
#
# *Why care:* two models with the same mean loss may have learned different things.
#
# <details><summary>Hint 1</summary>
#
# Work out the difference at every position first, $(B, T)$. Put word 0 where the target is −100.
# Then leave out the positions that were not chosen.
# </details>
# <details><summary>Hint 2</summary>
#
# `x[chosen & (kinds == k)]` holds the numbers at the chosen positions of kind $k$.
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
predict("hardest", "On which kinds of word is the model with a table furthest above the limit?",
        a="beats: positions are hard", b="echoes and verbs", c="other: the words between",
        answer="")

# %% tags=["training"]
targets = torch.where(masked.selected, masked.targets, -100)
kinds, posterior = grammar.kinds(masked.targets), grammar.posterior(masked)

@torch.no_grad()
def by_kind(model):
    """Nats above the limit of all kinds, by your function; (K,)."""
    logits = model.cpu().eval()(masked.inputs)
    return torch.as_tensor(check.above.use(above_limit)(logits, targets, kinds, posterior))

race = results.load("bert_grammar")
runs = race.table.assign(far=race.table["loss"] - race.table["limit"]).query("length == 64")
blind = runs.query("encoding == 'none'").groupby("kind")["far"].mean()
above = by_kind(learned)
pd.DataFrame({f"learned, {steps} steps": above, "none, recorded": blind[[*KINDS]].tolist()},
             index=KINDS).T.round(2)

# %% tags=["training"]
outcome("hardest", "abbc"[int(above.argmax())])  # KINDS: beat, echo, verb, other

# %% [markdown]
# For a beat, one row of the position table is enough; beats end closest to the limit. Echoes and
# verbs end furthest from it; which of the two comes last depends on the seed. A model that lacks
# nothing but the number of a verb is at most $\ln 2 = 0.69$ nats above. If ours is further above,
# it lacks something else, too. Does it lack the number?
#
# ### Agreement
#
# Take sentences with a clause between subject and verb, *noun that det noun verb **verb***, and
# hide the last verb. It agrees with the first noun, but the noun of the clause stands nearer. In
# half of them the nouns differ in **number**: one is singular, the other plural.

# %%
predict("agreement", "A noun of the other number stands between subject and verb. The model "
        "spreads its probability over singular and plural verbs: what fraction goes to the right "
        "number? (1 is perfect, 0.5 is chance)", answer="")

# %% tags=["training"]
clauses = across_clauses(grammar, texts)
with torch.no_grad():
    right = right_number(grammar, learned(clauses.tokens), clauses)
same, other = (float(right[each].mean()) for each in
               (clauses.subject == clauses.near, clauses.subject != clauses.near))
print(f"right number: {same:.2f} with the same number nearby, {other:.2f} with the other")
outcome("agreement", round(other, 2))

# %% [markdown]
# Less goes to the right number if a noun of the other number is nearby. So that noun, or its verb,
# has a say; at 0.5, it pulls as hard as the subject. The pull is called **attraction** (Linzen et
# al. 2016 found it in models of English).
#
# ### Who looks where
#
# Does some head look from an echo to its original, 60 positions back? Hide all echoes, and take the
# mean of the attention weights $\alpha$ over 200 texts:

# %% tags=["training"]
without_echo = texts[:200].clone()
without_echo[:, grammar.echoed] = grammar.mask_id
alpha = attention_weights(learned.bert, without_echo)
widgets.explore(lambda layer, head: pictures.attention(alpha, layer, head),
                layer=("layer", 1, 2, 1), head=("head", 1, 2, 2))

# %% [markdown]
# A dark stripe beside the diagonal means that a head reads words nearby. Which of the four pairs
# have the heads found? Here are the weights from the hidden positions 60 … 63 to the keys 0 … 3:

# %% tags=["training"]
for n, heads in enumerate(alpha, 1):
    for head, looks in enumerate(heads, 1):
        echoes = looks.diagonal(-60)  # at keys 60 positions back
        print(f"layer {n}, head {head}:", *(f"{weight:.2f}" for weight in echoes))

# %% [markdown]
# A weight near 1 is a pair that a head has found. Does the position table show the echo, too? Here
# is the mean cosine of two of its rows, by their offset, after the mean row is subtracted:

# %% tags=["training"]
plots.show(*pictures.by_offset(learned.bert.position.table))

# %% [markdown]
# The offset 60, with its four pairs of rows, stands out. **A learned table has no built-in idea of
# distance,** but what the text rewards can leave a trace in it.
#
# ## 7. The race
#
# A learned table is one choice. Six are recorded on the grammar and on English, three seeds each.

# %%
predict("race", "On the grammar, the learned table, BERT's own, comes first. On English it comes",
        a="first again", b="behind one or two of RoPE, Shaw's keys and T5's bias",
        c="behind all three of them", answer="")

# %% tags=["shown"]
SIX = ["none", "sinusoidal", "learned", "Shaw keys", "T5 bias", "RoPE"]
at_64 = runs.query("encoding in @SIX and kind == 'all'")
english_at_64 = race_english.table.query("encoding in @SIX and length == 64")
races = {"grammar: nats above the limit": at_64.set_index("encoding")["far"],
         "English: nats": english_at_64.set_index("encoding")["loss"]}
plots.show(*loss_plots.ranked(races))
print(race.note)
by_seed = english_at_64.pivot(index="seed", columns="encoding", values="loss")
ahead = by_seed[["RoPE", "Shaw keys", "T5 bias"]].lt(by_seed["learned"], axis=0).all()
outcome("race", "abbc"[ahead.sum()])

# %% [markdown]
# The order of the encodings changes. We have not tested why. On the grammar, beats and echoes stand
# at fixed positions. By the recorded losses of each kind, beats and echoes account for only about
# half of the table's lead over RoPE, Shaw's keys and T5's bias, and nothing of its lead over
# sinusoids. Whether it is behind sinusoids on English is not settled: the seeds overlap. In English
# the neighbours count, and a table has to learn for each position which ones they are. T5's bias
# has offsets too, and yet is 0.6 nats behind RoPE on English, perhaps because it is the same for
# all words.
#
# [`docs/mini-bert.md`](../../docs/mini-bert.md) has 21 encodings, also on longer texts.
#
# Now race one of your own. It needs at least one of the four hooks of unit 01; a hook that you do
# not write changes nothing.
#
# <details><summary>The hooks and their shapes</summary>
#
# | hook | gets | returns |
# | --- | --- | --- |
# | `embed(x, positions)` | $(B, T, D)$, once | the new $x$ |
# | `rotate(q, k, positions)` | two $(B, H, T, d)$, in each layer | the new $q$ and $k$ |
# | `bias(q, k, positions)` | $(B, H, T, d)$, $q$ scaled | $(H, T, T)$, added to the scaled scores |
# | `context(weights, positions)` | $(B, H, T, T)$ | $(B, H, T, d)$, added |
#
# `positions.queries` and `positions.keys` say where the tokens stand, $(T,)$ or $(B, T)$, and
# `positions.offsets` is $j - i$ of every pair, $(T, T)$ or $(B, 1, T, T)$.
#
# Your class has `self.d_model`, `self.num_heads`, `self.max_len`, `self.head_dim` ($d$) and
# `self.softmax_scale` ($1/\sqrt d$), by which $q$ is multiplied before `bias` sees it.
# </details>

# %% [markdown] exercise="own" title="An encoding of your own" difficulty=3 minutes=32
# Write `OwnEncoding`. Any idea will do; it need not be a good one. Two hooks stand there to begin
# with; delete what you do not use, and add what you need. Then run the check; its hints say which
# of these properties is missing:
#
# - it drops into `Bert` as it is, in float32 and in float64: right shapes, finite numbers;
# - it works for any $T$ from 1 to `max_len`;
# - it is not blind to order: shuffling the words changes more than the order of the results;
# - it tells left from right: reversing the words changes more than the order of the results;
# - it learns, and can be saved.
#
# The library's encodings, such as `Rotary`, and their subclasses earn nothing; but functions such
# as `helpers.encodings.sinusoidal_table` may be called.
#
# <details><summary>Small print, which is checked too</summary>
#
# - These properties are checked for several $D$, $H$, $T$ and $B$, and with parameters that have
#   changed since initialisation.
# - Beyond `max_len` it works too, or raises a `ValueError` that says why.
# - At $T$ = `max_len`, gradients reach the $x$ of `embed`, the $q$ and $k$ of `rotate`, and some
#   entry of every Parameter.
# - Saved and loaded into another object, it gives the same result.
# - A second call gives the same result too, except for random draws in train mode, such as dropout.
# - A hook does not modify what it is given.
# - Every tensor or array that the object keeps is a Parameter, or a buffer if it is fixed.
# - The result for a text does not depend on what else is in its batch, in train mode too (dropout
#   excepted).
# - Each word still counts: another word at a position gives another result there.
# - A class that ignores the words or their order earns nothing, even where it has other properties.
#   (The two order tests use $T \geq 8$.)
# - The order tests are run in train mode too, and gradients must reach every Parameter there.
#   Dropout may leave something out at times, but not in every call.
# - $d = D/H$ is even. The tokens stand at $0, \dots, T-1$ here. `bias` may also return what
#   broadcasts to $(B, H, T, T)$, and `context` what broadcasts to $(B, H, T, d)$; both may also
#   return None. (`Bert` re-initialises each `nn.Linear` and each `nn.Embedding`, with the std of
#   the model.)
# </details>
#
# *Why care:* this is how new encodings are made: an idea, a hook, and a race.
#
# <details><summary>Hint: ideas</summary>
#
# Sinusoids whose amplitude is learned; a slope to the left and another to the right; the embedding
# of the left neighbour, through a map, added to each token; two encodings that you know, at once.
# </details>
# <details><summary>Hint: offsets</summary>
#
# `positions.offsets` holds the offsets $j - i$, of shape $(T, T)$. If `table` is
# $(H, 2\cdot\text{max\_len} - 1)$, then `table[:, positions.offsets]` is $(H, T, T)$; the offset −1
# reads its last column. Where $T$ is beyond `max_len`, raise a `ValueError`.
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

    def embed(self, x: torch.Tensor, positions: Positions) -> torch.Tensor:
        ### BEGIN SOLUTION
        if x.shape[1] > self.max_len:
            raise ValueError(f"T={x.shape[1]} is beyond max_len={self.max_len}")
        return x + self.rows[: x.shape[1]]
        ### END SOLUTION

    def bias(self, q: torch.Tensor, k: torch.Tensor, positions: Positions):
        ### BEGIN SOLUTION
        return self.numbers[:, positions.offsets + self.max_len - 1]
        ### END SOLUTION

# %% test="own" points=3
check.own(OwnEncoding)
### BEGIN HIDDEN TESTS
check.own(OwnEncoding, seed=8505)
### END HIDDEN TESTS

# %% [markdown]
# Your encoding trains as the learned table did, for as many steps:

# %% tags=["training"]
size = preset("mini", vocab_size=grammar.vocab_size, max_len=256)
torch.manual_seed(0)
mine = check.own.use(OwnEncoding)(d_model=size.d_model, num_heads=size.num_heads, max_len=256)
own, own_curve = on_grammar(mine, 0, steps, size, **training, label="yours", live=True,
                            bayes_loss=baselines["limit"],
                            baselines={"unigram": baselines["unigram"]})
pd.DataFrame({"yours": by_kind(own), "learned": above}, index=KINDS).T.round(2)

# %% [markdown]
# Nats above the limit, as in section 6. (Until your encoding is right, the course's is used: a row
# for each position and a number for each offset.) One seed and a few hundred steps are only a first
# look.
#
# ## 8. What is it good for?
#
# BERT is pretrained once, here with a learned table for 800 steps on the grammar. Then comes
# **fine-tuning**: it gets a small new head, and is trained further on labelled texts, here 8,000.
# In half of them, one singular and one plural verb have changed places. **Do all verbs agree?**
# Four starts:
#
# - `pretrained`: the whole pretrained model is trained further;
# - `pretrained, frozen`: its body is **frozen**: only the new head is trained;
# - `from nothing`: the same model, not pretrained;
# - `bag of words`: the mean of the words' embeddings, without any layers.

# %%
predict("frozen", "The pretrained model is frozen, and only a new head is trained. In what "
        "fraction of the texts is its answer about the verbs right? (0.5 is chance)", answer="")

# %%
tuning = results.load("bert_tuning")
by_start = tuning.table.query("task == 'agreement'").groupby("start")["accuracy"]
print(tuning.note)
by_start.agg(["mean", "min", "max"]).round(2)

# %%
outcome("frozen", round(by_start.mean()["pretrained, frozen"], 2))

# %% [markdown]
# **Only pretrained models learned to answer, and only where the whole model was trained further.**
# Fine-tuned for 800 steps of 64 texts, two of three seeds are right in more than 99 % of the texts,
# and the third in 92 %. The frozen models are a little above chance; those from nothing and the bag
# of words are at chance.
#
# [`docs/mini-bert.md`](../../docs/mini-bert.md) has a second task, and compares sizes, by their
# **perplexity**, $e$ to the power of the loss.
#
# ## 9. Check against the book
#
# The loss of d2l, section 15.10, has a fault. A row with few chosen words is filled up with word 0.
# These extra words have the weight 0, which is meant to take them out of the loss. With four real
# words and three extra ones:

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    random_logits = torch.randn(1, 7, 20, generator=Generator().manual_seed(0))
    words = torch.tensor([[5, 9, 2, 7, 0, 0, 0]])
    weights = torch.tensor([[1.0, 1, 1, 1, 0, 0, 0]])
    theirs, *_ = d2l._get_batch_loss_bert(
        lambda *_: (None, random_logits, torch.zeros(1, 2)), nn.CrossEntropyLoss(), 20,
        None, None, torch.zeros(1), None, weights, words, torch.tensor([0]))
    print(f"the book's loss:       {theirs:.4f}")
    print(f"your loss, four words: {my_loss(random_logits, words.where(weights > 0, -100)):.4f}")
    print(f"your loss, all seven:  {my_loss(random_logits, words):.4f}")

# %% [markdown]
# The extra words are scored as well: the loss is averaged over all seven words before the book
# multiplies by the weights.
#
# ## What to keep
#
# - BERT is an input sum, $L$ layers of $12D^2 + 13D$ parameters each, a pooler, and two heads for
#   pretraining.
# - Draw a baseline beside every loss, and the limit where it is known; then look at each kind of
#   word.
# - A masked language model says what its texts would say, not what is true.
# - Which encoding wins depends on the text.
#
# ## Further reading
#
# - Devlin et al. 2018, *BERT* (1810.04805), section 3. Liu et al. 2019, *RoBERTa* (1907.11692),
#   section 4.2: BERT without its second task.
# - Xiong et al. 2020 (2002.04745): where to put the norms. Press and Wolf 2017 (1608.05859): tied
#   decoders. Jordan et al. 2024, kellerjordan.github.io/posts/muon: Muon, our optimiser.
# - Linzen et al. 2016 (1611.01368): agreement with attractors. Kassner and Schütze 2020
#   (1911.03343): models that overlook a *not*.
#
# Has your encoding earned a longer race? In a cell of your own, write
# `from helpers.race import race; race(OwnEncoding)`. That trains and tests it on five tasks whose
# limit is known, up to eight times the training length, beside RoPE and the best so far, and shows
# a card of what it can do. It takes some minutes. `course race mine.py:OwnEncoding` does the same
# in a terminal; [`docs/race.md`](../../docs/race.md) has the rules.
#
# People claim a lot about all this. Unit 09 puts their claims to the test.
