# %% [markdown]
# # 07 · What BERT is fed
#
# By the end of this unit you can
#
# - cut words into pieces as BERT does, and say what a larger vocabulary costs and saves;
# - put two sentences into one row of tokens and segments, cut and padded to length;
# - draw sentence pairs that do not give their label away, and measure whether some do;
# - build the sum of token, segment and position that the first layer sees;
# - mask words by the rule of 15 % and 80/10/10, and say what each of these numbers is for.
#
# Reading and running takes about 25 minutes besides the exercises.

# %%
import functools
import random
from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import Generator, nn

from helpers import plots, widgets
from helpers.corpora import wordpiece
from helpers.checks import bert_inputs as check
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL

# %% [markdown]
# ## 1. Pieces of words
#
# BERT was trained on books and Wikipedia. This unit takes real English that is on every machine
# with Python: the docstrings of the standard library, cut into sentences.

# %% tags=["training"]
from helpers.corpora.english import docstrings

english = docstrings(["the standard library"])
print(english)
print(*english.documents[0][:2], sep="\n")

# %% [markdown]
# A text of your machine: another Python has other docstrings, and another digest. So numbers below
# differ a little from place to place. With a network, `helpers.corpora.wikitext.wikitext2()`
# fetches WikiText-2, the articles that the book trains on, in the same form. (Its copy is the raw
# one, in which no rare word was replaced. The address in the book's own loader no longer answers.
# Give it that of the text's author, and it works:
#
# ```python
# from helpers.book import d2l
#
# checksum = d2l.DATA_HUB["wikitext-2"][1]
# d2l.DATA_HUB["wikitext-2"] = "https://wikitext.smerity.com/wikitext-2-v1.zip", checksum
# batches, vocabulary = d2l.load_data_wiki(batch_size=512, max_len=64)
# ```
#
# It keeps the file in `../data`.)
#
# What is a token? Whole words would need a row in the table for each, and a word that was never
# seen would have none. Letters need few rows and make texts long. WordPiece (Schuster and Nakajima
# 2012; Wu et al. 2016, section 4.1) is in between: **frequent words are one piece, rare ones are
# made of several**. A piece inside a word begins with `##`.

# %% tags=["training"]
test_part = english.documents[::10]  # every tenth document is kept aside
train_part = [each for n, each in enumerate(english.documents) if n % 10]

@functools.cache
def vocabulary(size: int):
    """A tokenizer of `size` pieces, trained on the texts not kept aside."""
    return wordpiece.train((s for document in train_part for s in document), size)

print(vocabulary(1000).encode("An unhashable tokenizer.").tokens)

# %% [markdown]
# Five pieces are **special**, and have the same ids in every vocabulary of this course:

# %% tags=["nbval-check-output"]
print(dict(zip(SPECIAL, (PAD, wordpiece.UNK, CLS, SEP, MASK), strict=True)))

# %% [markdown]
# How are the pieces found? Begin with letters, and join the two neighbours that promise most, again
# and again. For Schuster and Nakajima that is the pair which makes the text most likely. The
# library `tokenizers` takes the most frequent pair, which is the rule of another method: byte-pair
# encoding (BPE). Believe it? Train both:

# %% tags=["training"]
from tokenizers import Tokenizer, models, trainers

bpe = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
bpe.normalizer = vocabulary(1000).normalizer  # lower case
bpe.pre_tokenizer = vocabulary(1000).pre_tokenizer  # cuts at spaces and punctuation
options = {"vocab_size": 1000, "min_frequency": 2, "special_tokens": list(SPECIAL)}
trainer = trainers.BpeTrainer(continuing_subword_prefix="##", show_progress=False, **options)
bpe.train_from_iterator((s for document in train_part for s in document), trainer)
both = bpe.get_vocab().keys() & vocabulary(1000).get_vocab().keys()
print(f"{len(both):,} of 1,000 pieces are in both vocabularies")

# %% [markdown]
# The same pieces, but for a tie now and then. What makes it WordPiece is how a word is **cut** with
# them: greedily, by the longest piece that fits. BPE repeats the joins that it has learned, in
# their order.

# %% [markdown] exercise="pieces" title="The longest match" difficulty=3 minutes=15
# Write `word_pieces`, which cuts one word into a list of pieces of `vocabulary` (a dictionary,
# piece → id; any piece may have id 0):
#
# - take the longest piece that fits at the beginning of the word, then the longest that fits at the
#   beginning of what is left, and so on; a choice is never taken back;
# - every piece but the first is looked up, and returned, with `##` in front;
# - if nothing fits somewhere, not even a single letter, the **whole word** is `["[UNK]"]`;
# - the word may be of any length, 1 at least, and of any characters, digits and `#` among them. It
#   is in lower case already.
#
# With the pieces `play`, `##ing` and `##s`, *playings* is `["play", "##ing", "##s"]`, and *plays!*
# is `["[UNK]"]`.
#
# *Why care:* a model knows a word by these pieces only. Cut differently from how it was trained,
# and it reads another language, without any error.
#
# <details><summary>Hint 1</summary>
#
# Two loops: the outer one moves the start, the inner one tries the ends, from `len(word)` down.
# </details>
# <details><summary>Hint 2</summary>
#
# Python's `for … else` runs the `else` when the loop was not left by `break`: that is the case in
# which nothing fits.
# </details>

# %% solution="pieces"
def word_pieces(word: str, vocabulary: dict[str, int]) -> list[str]:
    """Greedy longest match from the left; ["[UNK]"] for a word that cannot be cut so."""
    ### BEGIN SOLUTION
    pieces, start = [], 0
    while start < len(word):
        mark = "##" if pieces else ""
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                pieces.append(mark + word[start:end])
                start = end
                break
        else:
            return ["[UNK]"]
    return pieces
    ### END SOLUTION

# %% test="pieces" points=2.5
check.pieces(word_pieces)
### BEGIN HIDDEN TESTS
check.pieces(word_pieces, seed=7101)
### END HIDDEN TESTS

# %% [markdown]
# Does it cut as the library does? On 10,000 different words: all of the corpus, and the front of
# one with the back of another.

# %% tags=["training"]
cut, library = check.pieces.use(word_pieces), vocabulary(1000)
clean = " ".join(s for document in english.documents for s in document)
clean = library.normalizer.normalize_str(clean)  # lower case, no accents
words = {word for word, _ in library.pre_tokenizer.pre_tokenize_str(clean)}

# %% tags=["training"]
real, draw = sorted(word for word in words if word.isalpha()), random.Random(0)
while len(words) < 10_000:
    front, back = draw.sample(real, 2)
    words.add(front[: draw.randint(1, 6)] + back[-draw.randint(1, 6) :])
words, known = sorted(words)[:10_000], library.get_vocab()
same = [cut(word, known) == library.encode(word).tokens for word in words]
print(f"equal on {sum(same):,} of {len(same):,} words")

# %% [markdown]
# And BPE, with (nearly) the same pieces but its own rule? Only words that consist of pieces both
# have:

# %% tags=["training"]
cuts = [(cut(word, known), bpe.encode(word).tokens) for word in real]
cuts = [(a, b) for a, b in cuts if both.issuperset(a + b)]
others = [(a, b) for a, b in cuts if a != b]
print(f"cut differently: {len(others) / len(cuts):.0%} of the words; for example")
for a, b in others[:3]:
    print("  longest match:", *a, "  BPE:", *b)

# %% [markdown]
# ### How many pieces?
#
# With more pieces, fewer words are cut. **Guess before you run it**: how many tokens does a word
# become, on average, with 1,000 pieces, and how many with 8,000? Counted on the texts kept aside;
# the last column says how many numbers the table of tokens would have in BERT base, $V \cdot 768$.

# %% tags=["training"]
rows = {}
sentences = [s for document in test_part for s in document]
for size in (125, 250, 500, 1000, 2000, 4000, 8000):
    encoded = vocabulary(size).encode_batch(sentences)
    tokens_in_all = sum(len(each.ids) for each in encoded)
    words_in_all = sum(each.word_ids[-1] + 1 for each in encoded)
    V = vocabulary(size).get_vocab_size()
    rows[size] = {"pieces": V, "tokens per word": tokens_in_all / words_in_all,
                  "numbers (millions)": V * 768 / 1e6}
pd.DataFrame(rows).T.round(2)

# %% [markdown]
# Punctuation counts as words here. (Asked for 8,000 pieces, this small text may run out of pairs
# that occur twice.) Each doubling saves less than the one before, and costs twice as much. BERT has
# 30,522 pieces: $30{,}522 \cdot 768$ = 23.4 million numbers, more than a fifth of BERT base.
#
# Move the slider; your function cuts the words (or the course's, until yours is right).

# %% tags=["training"]
SHOWN = ["token", "position", "positions", "representation", "unhashable", "asynchronously"]

def draw_pieces(log2_size):
    known = vocabulary(2**log2_size).get_vocab()
    figure, ax = plt.subplots(figsize=(7, 2.6))
    total = 0
    for y, word in enumerate(SHOWN):
        x = 0
        for n, piece in enumerate(pieces := cut(word, known)):
            ax.barh(y, len(piece), left=x, color=plots.COLOURS[(0, 4)[n % 2]], edgecolor="white")
            ax.text(x + len(piece) / 2, y, piece, ha="center", va="center", family="monospace",
                    color=("white", "black")[n % 2], size=8)
            x += len(piece)
        total += len(pieces)
    ax.set(title=f"{len(known):,} pieces: {total} tokens for {len(SHOWN)} words")
    ax.set(xticks=[], yticks=range(len(SHOWN)), yticklabels=SHOWN)
    ax.invert_yaxis()
    return figure, f"Six words cut with {len(known):,} pieces: {total} tokens in all."

widgets.explore(draw_pieces, log2_size=(7, 13, 10))

# %% [markdown]
# ## 2. Two sentences in a row
#
# BERT reads a sentence, or two of them, so that one model fits many tasks: a question and a text, a
# claim and what may follow from it. Two sentences become one row of $T$ tokens (Devlin et al. 2018,
# section 3 and figure 2):
#
# | place | 0 | 1 … | | … | | … |
# | --- | --- | --- | --- | --- | --- | --- |
# | token | `[CLS]` | first sentence | `[SEP]` | second sentence | `[SEP]` | `[PAD]` … |
# | segment | 0 | 0 | 0 | 1 | 1 | 0 |
#
# `[CLS]` is where a classifier will read its answer, `[SEP]` closes a sentence, and the segment
# says which one a token belongs to. `[PAD]` fills a row up, because a tensor needs rows of equal
# length.

# %% [markdown] exercise="row" title="One row for a pair" difficulty=2 minutes=10
# Write `pair_row`: two lists of ids become one row of `length` ids, and one of as many segments,
# whole numbers all. Either sentence may be empty, and `length` is 3 at least.
#
# - Segments are as in the table: the first `[SEP]` is still 0, the second is 1, padding is 0.
# - A pair that is too long is cut **before** the row is put together. While it is too long, the
#   longer of the two sentences loses its last token; if both are equally long, the second does.
# - The lists you are given stay as they are.
#
# With `length=9`, `[7, 8]` and `[9]` give `[CLS, 7, 8, SEP, 9, SEP, PAD, PAD, PAD]` and
# `[0, 0, 0, 0, 1, 1, 0, 0, 0]`.
#
# *Why care:* everything later counts places in this row. One `[SEP]` too few, and both sentences
# are read as one.
#
# <details><summary>Hint 1</summary>
#
# Three places are taken by `[CLS]` and two `[SEP]`. How many are left for words?
# </details>
# <details><summary>Hint 2</summary>
#
# `list(first)` is a copy; `.pop()` takes the last item off a list.
# </details>

# %% solution="row"
def pair_row(first: list[int], second: list[int], length: int) -> tuple[list[int], list[int]]:
    """[CLS] first [SEP] second [SEP] [PAD] …, and the segments; `length` numbers each."""
    ### BEGIN SOLUTION
    first, second = list(first), list(second)
    while len(first) + len(second) > length - 3:
        (first if len(first) > len(second) else second).pop()
    tokens = [CLS, *first, SEP, *second, SEP]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    padding = length - len(tokens)
    return tokens + [PAD] * padding, segments + [0] * padding
    ### END SOLUTION

# %% test="row" points=1.5
check.row(pair_row)
### BEGIN HIDDEN TESTS
check.row(pair_row, seed=7202)
### END HIDDEN TESTS

# %% [markdown]
# ## 3. Is it the next sentence?
#
# BERT's second task (section 3.1, task 2): in half of the pairs, the second sentence is the one
# that follows (`IS_NEXT`, here 0); in the other half it is another one (`NOT_NEXT`, here 1). The
# model is to say which, from the row's `[CLS]`.
#
# Where does the other sentence come from? A task is only as good as its wrong answers: if they can
# be told from right ones **by themselves**, no model will bother to compare two sentences. A right
# second sentence never begins a document, and it comes from a long document more often than from a
# short one. Wrong ones should be like that too.

# %% [markdown] exercise="pairs" title="Pairs that give nothing away" difficulty=3 minutes=12
# Write `sentence_pairs(documents, draw)`. `documents` is a list of lists of sentences, and stays as
# it is; `draw` is a `random.Random`, and all chance comes from it. It returns a list of triples
# `(first, second, label)`, drawn for each pair by itself:
#
# - one for each two neighbours of each document, in their order: `first` is always the first of the
#   two;
# - with probability 1/2, `second` is its true neighbour and the label is 0;
# - else the label is 1, and `second` is drawn evenly from **all sentences of other documents that
#   have a sentence before them**.
#
# A document may have one sentence only: it makes no pair. Two documents or more have several, and
# a document may hold a sentence twice. A quick way is to draw again when the sentence turns out to
# be from the same document.
#
# *Why care:* a leak raises no error. It shows as a task learned wonderfully fast, and a model that
# has learned nothing.
#
# <details><summary>Hint 1</summary>
#
# Make one list first: `(number of the document, sentence)` for every sentence that has another one
# before it. `draw.choice(that_list)` is even over sentences.
# </details>
# <details><summary>Hint 2</summary>
#
# `pairwise(document)` gives the neighbours; `draw.random() < 0.5` is a coin.
# </details>

# %% solution="pairs"
def sentence_pairs(documents: list[list[str]], draw: random.Random) -> list[tuple[str, str, int]]:
    """(first, second, 0) for a true next sentence, (first, second, 1) for one from elsewhere."""
    ### BEGIN SOLUTION
    seconds = [(n, s) for n, document in enumerate(documents) for s in document[1:]]
    triples = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            label = int(draw.random() < 0.5)
            other = number
            while label == 1 and other == number:
                other, second = draw.choice(seconds)
            triples.append((first, second, label))
    return triples
    ### END SOLUTION

# %% test="pairs" points=1.5
check.pairs(sentence_pairs)
### BEGIN HIDDEN TESTS
check.pairs(sentence_pairs, seed=7303)
### END HIDDEN TESTS

# %% [markdown]
# Now measure a leak. A judge is allowed one look at a pair, for example at the **length of the
# second sentence and nothing else**. It learns from every other pair which label is more frequent
# with what it sees, and is asked about the rest.

# %% tags=["training"]
from collections import Counter

def judged(triples, look):
    """Fraction of right answers of a judge who sees look(first, second) only."""
    triples = random.Random(0).sample(triples, len(triples))
    seen = Counter()
    for first, second, label in triples[::2]:
        seen[look(first, second)] += 2 * label - 1
    rest = triples[1::2]
    return sum((seen[look(a, b)] > 0) == bool(label) for a, b, label in rest) / len(rest)

# %% tags=["training"]
def length_of_second(first, second):
    return min(len(second.split()), 40) // 2

make_pairs = check.pairs.use(sentence_pairs)
triples = make_pairs(english.documents, random.Random(0))
print(f"your pairs: {judged(triples, length_of_second):.2f}, {len(triples) // 2:,} judged")

# %% [markdown]
# About one half: no more than a coin (± 0.02 is chance). **Guess before you run it**: how often is
# the judge right if wrong seconds are drawn carelessly? *Any sentence* of a random document is how
# the book does it; *first sentence* takes the beginning of a random document.

# %% tags=["training"]
def careless(documents, draw, wrong):
    neighbours = [pair for d in documents for pair in pairwise(d)]
    coins = [(a, b, int(draw.random() < 0.5)) for a, b in neighbours]
    return [(a, wrong(draw.choice(documents), draw) if label else b, label)
            for a, b, label in coins]

def words_in_common(first, second):
    return min(len(set(first.lower().split()) & set(second.lower().split())), 6)

# %% tags=["training"]
any_sentence = careless(english.documents, random.Random(0), lambda d, draw: draw.choice(d))
first_sentence = careless(english.documents, random.Random(0), lambda d, draw: d[0])
ways = {"yours": triples, "any sentence": any_sentence, "first sentence": first_sentence}
pd.DataFrame({name: {"length of the second": judged(made, length_of_second),
                     "words in common": judged(made, words_in_common)}
              for name, made in ways.items()}).T.round(2)

# %% [markdown]
# The first column is the leak. In docstrings the first sentence is short, so a judge who never
# reads a word does better than a coin, and with first sentences much better. On another text it may
# be less; look, before you train.
#
# The second column is no leak: it compares both sentences. But see how far one gets by counting the
# words they share, without any idea of what **next** means. Wrong seconds are about something else,
# and to tell topics is easier than to tell order. ALBERT (Lan et al. 2020, section 3.1) therefore
# swaps the two sentences instead, and RoBERTa (Liu et al. 2019, section 4.2) drops the task.

# %% [markdown]
# ## 4. A batch, and what is only padding
#
# All pairs, as rows of 64 tokens:

# %% tags=["training"]
T, row_of, coder = 64, check.row.use(pair_row), vocabulary(4000)
ids = {}  # sentence → its ids
for a, b, _ in triples:
    ids |= {s: coder.encode(s).ids for s in (a, b) if s not in ids}
made = [row_of(ids[a], ids[b], T) for a, b, _ in triples]
tokens, segments = (torch.as_tensor([list(each[n]) for each in made]) for n in (0, 1))
labels = torch.tensor([label for *_, label in triples])

# %% tags=["training"]
print(tokens.shape, segments.shape, labels.shape)
print(coder.decode(tokens[0].tolist(), skip_special_tokens=False))

# %% [markdown]
# **Guess before you run it**: what fraction of all these places is padding?

# %% tags=["training"]
lengths = (tokens != PAD).sum(1)
figure, ax = plt.subplots()
ax.hist(lengths.numpy(), bins=range(5, T + 2), color=plots.COLOURS[0])
ax.set(xlabel="real tokens in a row of 64", ylabel="rows")
ax.set(title=f"{(tokens == PAD).double().mean():.0%} of all places are padding")
plots.show(figure, "Histogram of lengths: a broad hill below 64, and a tower at 64, the cut rows.")

# %% [markdown]
# The tower at the right is of pairs that fill their row, most of them cut. BERT's own data has less
# padding: its "sentences" are spans of text, and two of them mostly fill the row of 128 or 512
# places (appendix A.2). Rows of similar length in one batch help too, as each batch then needs
# only as many places as its longest row:

# %% tags=["training"]
def padding_fraction(lengths, rows=32):
    batches = lengths.split(rows)
    places = sum(len(each) * int(each.max()) for each in batches)
    return 1 - lengths.sum().item() / places

print(f"32 rows as they come: {padding_fraction(lengths):.0%} padding")
print(f"32 rows, sorted by length: {padding_fraction(lengths.sort().values):.0%}")

# %% [markdown]
# What is left must not be looked at. Attention takes a mask that is True where a query may look at
# a key. All queries and all heads have the same keys, so two of the four axes have length 1, and
# are broadcast: $(B, 1, 1, T)$ against scores of shape $(B, H, T, T)$.

# %% [markdown] exercise="padding" title="A mask for padding" difficulty=1 minutes=5
# Write `padding_mask(tokens)`: from ids $(B, T)$ a tensor of `torch.bool`, shape $(B, 1, 1, T)$,
# True at every token that is not `[PAD]`, wherever it stands. `tokens` stays as it is.
#
# *Why care:* forget it, and nothing breaks. Each row then depends on how much padding it happened
# to get, which depends on the other rows of its batch.
#
# <details><summary>Hint 1</summary>
#
# `tokens != PAD` compares every entry.
# </details>
# <details><summary>Hint 2</summary>
#
# `x[:, None]` adds an axis of length 1 in second place.
# </details>

# %% solution="padding"
def padding_mask(tokens: torch.Tensor) -> torch.Tensor:
    """True where there is a token; (B, T) → (B, 1, 1, T)."""
    ### BEGIN SOLUTION
    return (tokens != PAD)[:, None, None, :]
    ### END SOLUTION

# %% test="padding" points=1
check.padding(padding_mask)
### BEGIN HIDDEN TESTS
check.padding(padding_mask, seed=7404)
### END HIDDEN TESTS

# %% [markdown]
# A row of 16 tokens goes through a small BERT, untrained, with more and more padding behind it. How
# far does its `[CLS]` move, as a fraction of its length? Your mask says what is real.

# %%
from helpers.model.bert import Bert, preset

torch.manual_seed(0)
bert, real_of = Bert(preset("mini", vocab_size=1000)).eval(), check.padding.use(padding_mask)
sixteen = torch.cat([torch.tensor([CLS]), torch.randint(5, 1000, (14,)), torch.tensor([SEP])])[None]

# %%
@torch.no_grad()
def moved(padding, masked):
    padded = nn.functional.pad(sixteen, (0, padding), value=PAD)
    real = torch.as_tensor(real_of(padded)).reshape(padded.shape) if masked else None
    alone, now = bert(sixteen)[0, 0], bert(padded, real=real)[0, 0]
    return ((now - alone).norm() / alone.norm()).item()

# %%
paddings = range(0, 49, 4)
curves = {"no mask": (paddings, [moved(n, masked=False) for n in paddings]),
          "your mask": (paddings, [moved(n, masked=True) for n in paddings])}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="padding behind 16 tokens", y="change of [CLS]")
plots.show(figure, "Change of [CLS]: grows with the padding without a mask, stays 0 with it.")

# %% [markdown]
# ## 5. Three vectors, one sum
#
# What the first layer sees at place $p$ (Devlin et al. 2018, figure 2; its code adds the norm):
#
# $$h_p = \mathrm{LayerNorm}\big(E_{x_p} + S_{s_p} + P_p\big)$$
#
# | table | rows in BERT base | chosen by |
# | --- | --- | --- |
# | $E$, tokens | 30,522 | the token $x_p$ |
# | $S$, segments | 2 | the segment $s_p$, 0 or 1 |
# | $P$, positions | 512 | the place $p$ |
#
# All three are learned, positions too: no sinusoids, and no row beyond the 512th.

# %% [markdown] exercise="vectors" title="The input sum" difficulty=1 minutes=6
# Write `forward` of `InputSum`: from ids and segments, both $(B, T)$, the vectors $h_p$,
# $(B, T, D)$. The four modules are there, and they are all that is trained: gradients must reach
# all four. The result has the dtype of the tables, and what is given stays as it is. $T$ is at
# most `max_len`.
#
# *Why care:* this is all that a BERT is told. Whatever does not enter here, no layer can know.
#
# <details><summary>Hint 1</summary>
#
# An `nn.Embedding` called with whole numbers returns their rows, whatever the shape.
# </details>
# <details><summary>Hint 2</summary>
#
# `torch.arange(T)` are the places. $(T, D)$ is broadcast against $(B, T, D)$.
# </details>

# %% solution="vectors"
class InputSum(nn.Module):
    """LayerNorm(token + segment + position)."""

    def __init__(self, vocab_size: int, d_model: int, max_len: int = 512):
        super().__init__()
        self.words = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.positions = nn.Embedding(max_len, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, tokens: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """Ids (B, T) and segments (B, T) → (B, T, D)."""
        ### BEGIN SOLUTION
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.segments(segments) + self.positions(places)
        return self.norm(x)
        ### END SOLUTION

# %% test="vectors" points=1
check.vectors(InputSum)
### BEGIN HIDDEN TESTS
check.vectors(InputSum, seed=7505)
### END HIDDEN TESTS

# %% [markdown]
# A pair, and what is added at each of its places; 12 of the $D$ numbers, before any training. Your
# module's own tables:

# %%
Sum = check.vectors.use(InputSum)
torch.manual_seed(2)
summed = Sum(20, 12, max_len=32)
text = ["[CLS]", "my", "dog", "is", "cute", "[SEP]",
        "he", "likes", "play", "##ing", "[SEP]", "[PAD]", "[PAD]"]
names = sorted(set(text))
its_ids = torch.tensor([[names.index(token) for token in text]])
its_segments = torch.tensor([[0] * 6 + [1] * 5 + [0] * 2])
strips = {"token": summed.words(its_ids)[0], "segment": summed.segments(its_segments)[0],
          "position": summed.positions.weight[: len(text)],
          "LayerNorm\nof the sum": torch.as_tensor(summed(its_ids, its_segments))[0]}

# %%
figure, axes = plt.subplots(4, 1, figsize=(8, 5.4), sharex=True)
for ax, (name, strip) in zip(axes, strips.items(), strict=True):
    picture = ax.imshow(strip.detach().T, cmap=plots.DIVERGING, vmin=-2.5, vmax=2.5)
    ax.set_ylabel(name, rotation=0, ha="right", va="center")
    ax.set_yticks([])
axes[-1].set_xticks(range(len(text)), text, rotation=45)
figure.colorbar(picture, ax=axes)
plots.show(figure, "Strips by place: tokens differ, [SEP] and [PAD] repeat; segments have two "
                   "patterns; each position has its own; the sum has no two columns alike.")

# %% [markdown]
# Look at the two `[SEP]`: one token, twice the same column in the first strip; in the sum they
# differ.
#
# Is anything lost when three vectors become one? $E$, $S$ and $P$ share the same $D$ numbers.
# **Guess before you run it**: take 1,000 tokens, 2 segments and 64 places, all vectors random, add
# three of them, and then add **noise as loud as the sum itself**. Somebody who knows the tables
# looks for the nearest of all 128,000 sums. How often are all three the right ones, by $D$?

# %%
def found_again(D, V=1000, T=64, tries=50):
    torch.manual_seed(D)
    E, S, P = (torch.randn(rows, D) for rows in (V, 2, T))
    x, s, p = (torch.randint(rows, (tries,)) for rows in (V, 2, T))
    clean = E[x] + S[s] + P[p]
    heard = clean + clean.std() * torch.randn(tries, D)
    others = (S[:, None] + P).flatten(0, 1)  # (2T, D)
    distance = torch.cdist((heard[:, None] - others).flatten(0, 1), E)
    nearest = distance.view(tries, -1).argmin(1)
    return (nearest == (s * T + p) * V + x).double().mean().item()

# %%
for D in (8, 16, 32, 64, 128, 256):
    print(f"D = {D:3}: all three found in {found_again(D):.0%} of 50 sums")

# %% [markdown]
# In a few dimensions never, in a few hundred nearly always: random vectors in many dimensions are
# nearly at right angles, so a sum keeps its parts apart. To lay the three side by side instead
# would take three times the width. (Trained vectors are not random, and share what they have in
# common.)

# %% [markdown]
# ## 6. Masking words
#
# BERT's first task (section 3.1, task 1): guess hidden words from both sides.
#
# 1. **15 %** of the words are *chosen*. Only these are scored.
# 2. Of the chosen, **80 %** become `[MASK]`, **10 %** become a random word, **10 %** stay.
#
# **Guess before you go on**: what fraction of all words becomes `[MASK]`? And how often is a random
# word, by chance, the right one?

# %% [markdown] exercise="mask" title="15 %, and 80/10/10" difficulty=3 minutes=18
# Write `mask_words(tokens, vocab_size, generator, probability)`, which returns two tensors of the
# shape of `tokens`, $(B, T)$, and of its dtype, `torch.long`:
#
# - what the model **sees**: the tokens after masking;
# - the **targets**: the original token where one was chosen, −100 everywhere else (PyTorch's
#   `cross_entropy` leaves out −100).
#
# The rules:
#
# - each word is chosen with the `probability` given, from 0 to 1, independently of all others: how
#   many are chosen varies from row to row;
# - ids below 5 are special, padding among them: they are never chosen, never changed;
# - of the chosen, 80 % become `MASK`, 10 % a random word, 10 % stay; this is one draw for each,
#   independent of all others and of the choice of words;
# - a random word is any id from 5 to `vocab_size - 1`, each as likely, drawn for each place anew;
# - all chance comes from `generator` (a `torch.Generator`: `torch.rand(shape,
#   generator=generator)`), and `tokens` stays as it is. No loop over tokens is needed.
#
# *Why care:* wrong proportions give no error, only another task. Pay a model for padding, and its
# loss looks splendid.
#
# <details><summary>Hint 1</summary>
#
# Make three tensors of the shape of `tokens`: a random number that chooses, another that decides on
# the action, and random words (`torch.randint` never gives its upper end).
# </details>
# <details><summary>Hint 2</summary>
#
# `torch.where(condition, a, b)` makes a new tensor and takes numbers too. Conditions are combined
# by `&`, each in parentheses.
# </details>

# %% solution="mask"
def mask_words(
    tokens: torch.Tensor, vocab_size: int, generator: Generator, probability: float = 0.15
) -> tuple[torch.Tensor, torch.Tensor]:
    """What the model sees, and the targets (−100 where nothing was chosen); (B, T) each."""
    ### BEGIN SOLUTION
    first_word = len(SPECIAL)
    chosen = torch.rand(tokens.shape, generator=generator) < probability
    chosen = chosen & (tokens >= first_word)
    action = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(first_word, vocab_size, tokens.shape, generator=generator)
    seen = torch.where(chosen & (action < 0.8), MASK, tokens)
    seen = torch.where(chosen & (action >= 0.8) & (action < 0.9), words, seen)
    return seen, torch.where(chosen, tokens, -100)
    ### END SOLUTION

# %% test="mask" points=2.5
check.mask(mask_words)
### BEGIN HIDDEN TESTS
check.mask(mask_words, seed=7606)
### END HIDDEN TESTS

# %% [markdown]
# Your function on a made-up batch of a million words:

# %%
masker = check.mask.use(mask_words)
V = 4000
plain = torch.randint(5, V, (1000, 1000), generator=Generator().manual_seed(1))
seen, targets = map(torch.as_tensor, masker(plain, V, Generator().manual_seed(3)))
chosen, hidden = targets != -100, seen == MASK
replaced = chosen & ~hidden & (seen != plain)
print(f"[MASK]: {hidden.double().mean():.1%} of all words, {hidden[chosen].double().mean():.1%} "
      f"of the chosen")
print(f"another word: {replaced.double().mean():.1%} of all words")
print(f"a random word is the right one in one of {V - 5:,} cases")

# %% [markdown]
# 12 %, not 15 %: 0.15 · 0.8. And 1.5 % of all words are wrong, which seems not to have done BERT
# any harm (appendix A.1).
#
# The real pairs: a row of the picture is a row of the batch.

# %% tags=["training"]
from matplotlib.colors import ListedColormap

KINDS = ["special or padding", "word", "[MASK]", "random word", "chosen, kept"]
PAINTS = ListedColormap(["white", "#d9d9d9", "#0072B2", "#D55E00", "#009E73"])

def kinds_of(tokens, seen, targets):
    """0 … 4, as in KINDS; (B, T)."""
    chosen = targets != -100
    kinds = torch.where(chosen, 4, (tokens >= 5).long())
    return torch.where(chosen & (seen != tokens), torch.where(seen == MASK, 2, 3), kinds)

# %% tags=["training"]
def draw_masks(percent):
    rows, probability = tokens[:24], percent / 100
    draw = Generator().manual_seed(0)
    seen, targets = map(torch.as_tensor, masker(rows, coder.get_vocab_size(), draw, probability))
    figure, ax = plt.subplots(figsize=(8, 3.4))
    ax.imshow(kinds_of(rows, seen, targets), cmap=PAINTS, vmin=-0.5, vmax=4.5)
    for kind, name in enumerate(KINDS):
        ax.plot([], "s", color=PAINTS(kind), markeredgecolor="grey", label=name)
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    masked_fraction = (seen == MASK).sum() / (rows >= 5).sum()
    ax.set(xlabel="place", ylabel="row", title=f"{masked_fraction:.1%} of the words are [MASK]")
    return figure, f"24 rows of 64 places, {percent} % chosen: {masked_fraction:.1%} are [MASK]."

widgets.explore(draw_masks, percent=(0, 100, 15))

# %% [markdown]
# At 15 %, most places cost time and are not scored. At 50 %, two words in five of the context are
# hidden and one in twenty is a wrong one. The paper settled on 15 %.
#
# ### What are the 10 % and 10 % for?
#
# `[MASK]` never comes up when BERT is put to use. The paper wants to lessen that difference
# (section 3.1). See what a model can conclude from what it sees at a place:

# %%
def conclusions(seen, targets, plain):
    """What follows from what is seen at a place: three fractions."""
    chosen, word = targets != -100, seen != MASK
    return {"a word here is scored": chosen[word].double().mean().item(),
            "a word here is true": (seen == plain)[word].double().mean().item(),
            "a scored word here is true": (seen == plain)[word & chosen].double().mean().item()}

# %%
only_masks = torch.where(chosen, MASK, plain)
pd.DataFrame({"80/10/10": conclusions(seen, targets, plain),
              "only [MASK]": conclusions(only_masks, targets, plain)}).round(3)

# %% [markdown]
# With `[MASK]` only, a word that can be seen is never asked about: its place may forget it. (The
# last number is a mean over no word at all.) With 80/10/10, any word may be scored, and if it is,
# it is wrong in one case of two. So each place has to keep its word **and** ask the context whether
# it fits. The paper's table 8 (appendix C.2) compares such proportions; after fine-tuning, the
# differences are small.
#
# BERT's data was masked once, in ten copies with ten different masks (RoBERTa, section 4.1). Yours
# can be masked anew whenever a batch is drawn.

# %% [markdown]
# ## 7. Check against the book
#
# d2l's row (section 15.8) has its tokens as words and no padding yet. The same pair?

# %% tags=["nbval-check-output"]
from helpers.book import d2l

if d2l:
    first, second = ["my", "dog", "is", "cute"], ["he", "likes", "it"]
    their_tokens, their_segments = d2l.get_tokens_and_segments(first, second)
    index = {"<cls>": CLS, "<sep>": SEP} | {w: n for n, w in enumerate(first + second, 5)}
    ours = check.row.use(pair_row)([5, 6, 7, 8], [9, 10, 11], len(their_tokens))
    print("tokens: ", [index[token] for token in their_tokens] == list(map(int, ours[0])))
    print("segments:", their_segments == list(map(int, ours[1])))

# %% [markdown]
# The book's data (section 15.9) differ from what you have built in some ways. Three of them,
# measured on its own functions: does a "wrong" second sentence come from another document? Are
# random words always words? And what is 15 % of a short row?

# %% tags=["nbval-check-output"]
if d2l:
    random.seed(0)
    two = [["a1", "a2", "a3"], ["b1", "b2", "b3"]]  # two documents
    drawn = [d2l._get_next_sentence("a1", "a2", two) for _ in range(2000)]
    wrong = [second for _, second, is_next in drawn if not is_next]
    print("wrong seconds may be of the same document:", any(s[0] == "a" for s in wrong))
    print("and even the true next sentence:", "a2" in wrong)

# %% tags=["nbval-check-output"]
if d2l:
    vocab = d2l.Vocab([["x", "y"]], reserved_tokens=["<pad>", "<mask>", "<cls>", "<sep>"])
    row = ["<cls>", *"xyxyxyxy", "<sep>"]
    masked = [d2l._get_mlm_data_from_tokens(row, vocab) for _ in range(2000)]
    shown = {vocab.to_tokens(ids[p]) for ids, places, _ in masked for p in places}
    print("put in for a word:", sorted(shown))
    print("chosen of 8 words:", sorted({len(places) for _, places, _ in masked}))

# %% [markdown]
# With thousands of documents and of words, the first three lines hardly matter. (Google's own code
# leaves out the same document, and draws random words among all pieces, special ones included.) The
# last line is a choice: always the same number, 15 % of the row with its special tokens, and one at
# least, where yours varies around 15 % of the words. A pair that is too long the book leaves out;
# BERT cuts it.
#
# And your sum, beside that of the library `transformers`, with its weights copied into yours:

# %% tags=["nbval-check-output"]
try:
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertEmbeddings
except ImportError:
    BertEmbeddings = None
    print("transformers is not installed; this comparison is left out")

# %% tags=["nbval-check-output"]
if BertEmbeddings:
    sizes = {"vocab_size": 50, "hidden_size": 24, "num_attention_heads": 2}
    theirs = BertEmbeddings(BertConfig(**sizes)).eval()
    mine = check.vectors.use(InputSum)(50, 24)
    tables = ["word_embeddings", "token_type_embeddings", "position_embeddings", "LayerNorm"]
    parts = (mine.words, mine.segments, mine.positions, mine.norm)
    for module, name in zip(parts, tables, strict=True):
        module.load_state_dict(getattr(theirs, name).state_dict())
    some, which = torch.randint(50, (3, 16)), torch.randint(2, (3, 16))
    expected = theirs(some, token_type_ids=which)
    print("equal to 1e-5:", torch.allclose(mine(some, which), expected, atol=1e-5))
    print("rows of positions:", theirs.position_embeddings.num_embeddings)

# %% [markdown]
# And one difference in the pieces: libraries give up on very long words.

# %% tags=["nbval-check-output"]
tiny = wordpiece.train(["aa aa ab ab"], vocab_size=12, min_frequency=1)
for letters in (100, 101):
    library, yours = tiny.encode("a" * letters).tokens, check.pieces.use(word_pieces)
    same = library == yours("a" * letters, tiny.get_vocab())
    print(f"{letters} letters: equal: {same}; the library's first piece: {library[0]}")

# %% [markdown]
# ## What to keep
#
# - WordPiece cuts greedily, by the longest piece that fits; one part without a piece makes the
#   whole word `[UNK]`. A larger vocabulary shortens texts, and pays with rows.
# - A row is `[CLS]` first `[SEP]` second `[SEP]` and padding, with a segment for each place.
# - Wrong answers must be like right ones. Measure what a judge finds out who sees too little.
# - Padding is hidden from every query by one mask of keys, $(B, 1, 1, T)$.
# - The input is a sum of three learned vectors, then a norm; in many dimensions the parts stay
#   apart.
# - 15 % are scored, 12 % are `[MASK]`, 1.5 % are random, 1.5 % stay; nothing special among them.
#
# ## Further reading
#
# - Devlin et al. 2018, *BERT* (1810.04805): section 3 and figure 2 for the input, section 3.1 for
#   both tasks, appendix A.1 and A.2 for the proportions and the spans, table 8 in C.2 for others.
# - Schuster and Nakajima 2012, *Japanese and Korean Voice Search*, and Wu et al. 2016, *Google's
#   Neural Machine Translation System* (1609.08144), section 4.1: pieces of words.
# - Liu et al. 2019, *RoBERTa* (1907.11692), section 4.1: masks drawn anew, 4.2: without the second
#   task.
# - Lan et al. 2020, *ALBERT* (1909.11942), section 3.1: order instead of topic.
#
# Next, in unit 08, all of this goes into a BERT, and it learns.
