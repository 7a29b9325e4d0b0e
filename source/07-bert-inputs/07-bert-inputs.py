# %% [markdown]
# # 07 · What BERT is fed
#
# “Paris is the capital of France. Everybody knows that.” You have just read two sentences. BERT
# never will: it gets rows of whole numbers and two tasks, to name hidden words and to say whether
# the second sentence follows the first. Training then looks for the cheapest way to be right.
# Understanding English is one way. If there is a cheaper one, training finds it, and no error
# message warns you.
#
# So keep one question in mind: **what could a model get right without reading?** The pair above
# takes you from the letters to the first layer.
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
from collections import Counter
from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
import torch
from torch import Generator, nn

from helpers import plots, widgets
from helpers.corpora import wordpiece
from helpers.checks import bert_inputs as check
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL
from helpers.pictures import hooks, text
from helpers.plots import bert as pictures
from helpers.predict import outcome, predict

PAIR = "Paris is the capital of France.", "Everybody knows that."

# %% [markdown]
# ## 1. From letters to tokens
#
# BERT was trained on books and Wikipedia. This unit uses real English that comes with every
# Python: the docstrings of the standard library, cut into sentences. Another version of
# Python has other docstrings, so the numbers below differ a little from machine to machine.

# %% tags=["training"]
from helpers.corpora.english import docstrings

english = docstrings(["the standard library"])
test_part = english.documents[::10]  # every tenth document is only for testing
train_part = [each for n, each in enumerate(english.documents) if n % 10]
print(english)
print(*english.documents[0][:2], sep="\n")

# %% [markdown]
# A model reads **tokens**, and its vocabulary has an entry for each. The obvious choice is one
# token per word: take the 995 most frequent words of the training part (five of 1,000 places are
# reserved, see below). Every other word becomes `[UNK]`, for unknown.

# %% tags=["training"]
@functools.cache
def vocabulary(size):
    """A tokenizer of `size` pieces, trained on the training part."""
    return wordpiece.train((s for document in train_part for s in document), size)

def words_of(sentence):
    """Its words in lower case, and each sign of punctuation."""
    clean = vocabulary(1000).normalizer.normalize_str(sentence)
    return [word for word, _ in vocabulary(1000).pre_tokenizer.pre_tokenize_str(clean)]

# %% tags=["training"]
counted = Counter(word for document in train_part for s in document for word in words_of(s))
frequent = {word for word, _ in counted.most_common(995)}

def in_words(sentence):
    return [word if word in frequent else "[UNK]" for word in words_of(sentence)]

def unknown_in(tokens):
    return [n for n, token in enumerate(tokens) if token == "[UNK]"]

# %% tags=["training"]
read = [token for sentence in PAIR for token in in_words(sentence)]
plots.show(*text.lines({"BERT reads": read}, {"BERT reads": unknown_in(read)}, "unknown"))

# %% [markdown]
# Everybody knows that? Nothing in it is about Paris any more. Bad luck, you might say: what would
# docstrings know about Paris? So count the tokens of the test part, in which everything is about
# Python.

# %%
predict("unknown", "Which is the most frequent token of the test part, with 995 whole words?",
        a="the", b="[UNK]", c="the full stop", answer="")

# %% tags=["training"]
test_words = Counter(token for document in test_part for s in document for token in in_words(s))
for token, times in test_words.most_common(3):
    print(f"{token:6} {times / test_words.total():.1%}")

# %% tags=["training"]
most = test_words.most_common(1)[0][0]
outcome("unknown", {"the": "a", ".": "c"}.get(most, "b"))

# %% [markdown]
# And here is a first way to be right without reading: whatever word is hidden, say `[UNK]`. No real
# word is right so often.
#
# Single letters would never be unknown. But texts would be several times as long, attention pays
# for the length squared, and a letter means little. **WordPiece** (Schuster and Nakajima 2012; Wu
# et al. 2016, section 4.1) is in between: frequent words are one piece, rare ones are made of
# several. A piece inside a word begins with `##`.

# %% tags=["training"]
ways = {"words": in_words(PAIR[0]), "pieces": vocabulary(1000).encode(PAIR[0]).tokens,
        "letters": list("".join(words_of(PAIR[0])))}
unknown = {name: unknown_in(tokens) for name, tokens in ways.items()}
plots.show(*text.lines(ways, unknown, "unknown"))

# %% [markdown]
# With 1,000 pieces, a vocabulary no larger than before, the whole sentence is there, and far
# shorter than in letters. How is a word cut? **Greedily**: take the longest piece that fits at the
# beginning, then the longest that fits the rest. These pieces are all that BERT will ever see of a
# word, so you write this function first.

# %% tags=["training"]
found, rest, steps = vocabulary(1000).encode("capital").tokens, "capital", []
for n, piece in enumerate(found, 1):
    rest = rest[len(piece.removeprefix("##")):]
    steps.append([*found[:n], rest])
plots.show(*text.pieces("capital", *steps))

# %% [markdown]
# Five tokens are **special**. They stand for no word, and have the same ids in every vocabulary of
# this course:

# %% tags=["nbval-check-output"]
print(dict(zip(SPECIAL, (PAD, wordpiece.UNK, CLS, SEP, MASK), strict=True)))

# %% [markdown] exercise="pieces" title="The longest match" difficulty=3 minutes=15
# Write `word_pieces`, which cuts one word into a list (or a tuple) of pieces of `vocabulary` (a
# dictionary, piece → id; any piece may have id 0), which stays as it is:
#
# - take the longest piece that fits at the beginning of the word, then the longest that fits at the
#   beginning of what is left, and so on; a choice is never taken back;
# - every piece but the first is looked up, and returned, with `##` in front;
# - if nothing fits somewhere, not even a single letter, the **whole word** is `["[UNK]"]`;
# - the word may be of any length, from one character to thousands of pieces, and of any characters,
#   digits and `#` among them. It is in lower case already.
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
# Does your function cut as the library does? Try 10,000 different words: all of the corpus, and the
# beginning of one joined to the end of another.

# %% tags=["training"]
cut, library = check.pieces.use(word_pieces), vocabulary(1000)
known = library.get_vocab()
words = {word for document in english.documents for s in document for word in words_of(s)}
real, draw = sorted(word for word in words if word.isalpha()), random.Random(0)
while len(words) < 10_000:
    front, back = draw.sample(real, 2)
    words.add(front[: draw.randint(1, 6)] + back[-draw.randint(1, 6) :])

# %% tags=["training"]
same = [cut(word, known) == library.encode(word).tokens for word in sorted(words)[:10_000]]
print(f"equal on {sum(same):,} of {len(same):,} words")
for letters in (100, 101):  # the library gives up on very long words
    print(f"{letters} letters: the library's first piece is "
          f"{library.encode('a' * letters).tokens[0]}, yours {cut('a' * letters, known)[0]}")

# %% [markdown]
# ### Where do the pieces come from?
#
# Training begins with single letters and joins two neighbouring pieces into one, again and again.
# For Schuster and Nakajima the next pair is the one that makes the text most likely. Byte-pair
# encoding (**BPE**), which GPT uses, joins the pair that is most frequent. The library
# `tokenizers` offers both. Train each on the same text:

# %%
predict("bpe", "1,000 pieces by WordPiece, 1,000 by BPE. How many do the two have in common?",
        a="practically all", b="about three quarters", c="about half", answer="")

# %% tags=["training"]
from tokenizers import Tokenizer, models, trainers

bpe = Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
bpe.normalizer, bpe.pre_tokenizer = library.normalizer, library.pre_tokenizer
options = {"vocab_size": 1000, "min_frequency": 2, "special_tokens": list(SPECIAL)}
trainer = trainers.BpeTrainer(continuing_subword_prefix="##", show_progress=False, **options)
bpe.train_from_iterator((s for document in train_part for s in document), trainer)
both = bpe.get_vocab().keys() & known.keys()
print(f"{len(both):,} of 1,000 pieces are in both vocabularies")

# %% tags=["training"]
outcome("bpe", "a" if len(both) > 950 else "b" if len(both) > 620 else "c")

# %% [markdown]
# The library trains its WordPiece by the rule of BPE (a piece or two may still differ from run to
# run). What makes it WordPiece is how it **cuts**:
# by the longest piece that fits. BPE repeats the joins that it has learned, in their order. So the
# same pieces give different tokens (counted on words whose pieces are in both):

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
# With more pieces, a text has fewer tokens. Punctuation is counted as words here:

# %% tags=["training"]
sentences = [s for document in test_part for s in document]
for size in (125, 250, 500, 1000, 2000, 4000):
    encoded = vocabulary(size).encode_batch(sentences)
    tokens_in_all = sum(len(each.ids) for each in encoded)
    words_in_all = sum(each.word_ids[-1] + 1 for each in encoded)
    print(f"{size:5,} pieces: {tokens_in_all / words_in_all:.2f} tokens per word")

# %% [markdown]
# Each doubling saves less than the one before, and costs twice as much: BERT has 30,522 pieces, and
# $30{,}522 \cdot 768$ = 23.4 million parameters for them, more than a fifth of BERT base.
#
# Move the slider. Will *paris* become one piece? **Your** function cuts the words (or the course's,
# until yours is right).

# %% tags=["training"]
SHOWN = ["paris", "capital", "everybody", "positions", "unhashable", "asynchronously"]

def draw_pieces(log2_size):
    pieces = vocabulary(2**log2_size).get_vocab()
    cut_up = {word: cut(word, pieces) for word in SHOWN}
    total = sum(len(each) for each in cut_up.values())
    title = f"{len(pieces):,} pieces: {total} tokens for {len(SHOWN)} words"
    return pictures.pieces(cut_up, title), f"Six words cut with {title}."

widgets.explore(draw_pieces, log2_size=("log₂ of the vocabulary size", 7, 12, 10))

# %% [markdown]
# A word earns a piece of its own by being frequent in the training text, and docstrings have little
# to say about Paris. Keep that in mind for the end.

# %% [markdown]
# ## 2. Two sentences in a row
#
# BERT reads a sentence, or two of them, so that one model fits many tasks: a question and a text, a
# claim and what may follow from it. Here is the map of this unit. Two sentences become one row,
# three vectors are added for each token, and at the end the model must answer two questions:

# %% tags=["training"]
hidden = ["[MASK]" if word == "capital" else word for word in words_of(PAIR[0])]
plots.show(*text.row(hidden, words_of(PAIR[1])))

# %% [markdown]
# The row has $T$ tokens (Devlin et al. 2018, section 3 and figure 2):
#
# | position | 0 | 1 … | | … | | … |
# | --- | --- | --- | --- | --- | --- | --- |
# | token | `[CLS]` | first sentence | `[SEP]` | second sentence | `[SEP]` | `[PAD]` … |
# | segment | 0 | 0 | 0 | 1 | 1 | 0 |
#
# `[CLS]` is where a classifier will read its answer. `[SEP]` closes a sentence. The **segment**
# says which sentence a token belongs to (A and B in the figure, 0 and 1 in code). `[PAD]` fills a
# row up, because a tensor needs rows of equal length. From here on, every text is stored in such a
# row.

# %% [markdown] exercise="row" title="One row for a pair" difficulty=2 minutes=10
# Write `pair_row`: two lists of ids become one row of `length` ids, and one of as many segments,
# all whole numbers. Either sentence may be empty, neither holds `[PAD]`, `[CLS]` or `[SEP]`, and
# `length` is 3 at least.
#
# - Segments are as in the table: the first `[SEP]` is still 0, the second is 1, padding is 0.
# - A pair that is too long is cut **before** the row is put together. While it is too long, the
#   longer of the two sentences loses its last token; if both are equally long, the second does.
# - The lists you are given stay as they are.
#
# With `length=9`, `[7, 8]` and `[9]` give `[CLS, 7, 8, SEP, 9, SEP, PAD, PAD, PAD]` and
# `[0, 0, 0, 0, 1, 1, 0, 0, 0]`.
#
# *Why care:* everything later counts positions in this row. One `[SEP]` too few, and both sentences
# are read as one.
#
# <details><summary>Hint 1</summary>
#
# Three positions are taken by `[CLS]` and two `[SEP]`. How many are left for words?
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
# Our pair through your two functions, in a row with room for three more tokens, and with 4,000
# pieces:

# %% tags=["training"]
coder, row_of = vocabulary(4000), check.row.use(pair_row)
pieces = coder.get_vocab()
pair_ids = [[pieces[piece] for word in words_of(sentence) for piece in cut(word, pieces)]
            for sentence in PAIR]
room = sum(map(len, pair_ids)) + 3 + 3
pair_tokens, pair_segments = (list(map(int, each)) for each in row_of(*pair_ids, room))
print(*map(coder.id_to_token, pair_tokens))
print(pair_tokens)
print(pair_segments)

# %% [markdown]
# ## 3. Is it the next sentence?
#
# That is BERT's second task (section 3.1, task 2). In half of the pairs, the second sentence is the
# one that follows (`IS_NEXT`, here 0). In the other half it is another one (`NOT_NEXT`, here 1).
# The model has to say which, from the vector of `[CLS]`.
#
# Where does the other sentence come from? The first sentence of some other document is an easy
# choice. Another document, another topic: surely a fair question. Let us test it with a judge who
# may look at **the first word of the second sentence**, and at nothing else. It never sees the
# first sentence at all.

# %%
predict("leak", "How often is this judge right about whether the second sentence follows?",
        a="about six times in ten", b="about eight times in ten",
        c="half of the time: a single word cannot tell", answer="")

# %% tags=["training"]
def careless(documents, draw, wrong):
    """Triples (first, second, label); a wrong second is `wrong` of a random document."""
    neighbours = [pair for d in documents for pair in pairwise(d)]
    coins = [(a, b, int(draw.random() < 0.5)) for a, b in neighbours]
    return [(a, wrong(draw.choice(documents), draw) if label else b, label)
            for a, b, label in coins]

def first_word(first, second):
    return second.lower().split()[0]

# %% [markdown]
# The judge learns from half of the pairs which label is more frequent with what it sees, and is
# asked about the others:

# %% tags=["training"]
def judged(triples, look):
    """Fraction of right answers of a judge who sees look(first, second) only."""
    triples = random.Random(0).sample(triples, len(triples))
    seen = Counter()
    for first, second, label in triples[::2]:
        seen[look(first, second)] += 2 * label - 1
    rest = triples[1::2]
    return sum((seen[look(a, b)] > 0) == bool(label) for a, b, label in rest) / len(rest)

# %% tags=["training"]
beginnings = careless(english.documents, random.Random(0), lambda d, draw: d[0])
right = judged(beginnings, first_word)
print(f"right in {right:.0%} of {len(beginnings) // 2:,} pairs")
outcome("leak", "c" if right < 0.55 else "a" if right < 0.7 else "b")
for label, name in enumerate(["the true next sentence", "a beginning"]):
    begun = Counter(first_word(a, b) for a, b, of_pair in beginnings if of_pair == label)
    print(f"{name:22}", *(f"{word} {begun[word]}" for word in ("the", "if", "return", "create")))

# %% [markdown]
# All of that without having seen the first sentence! Beginnings of docstrings look alike, and a
# sentence that truly follows another one never **is** a beginning. What one word gives away, a BERT
# can find as well. Its loss could fall beautifully, and it may never have compared two sentences.
#
# So a task is only as good as its wrong answers: they must look like the right ones. A right second
# sentence never begins a document, and it comes from a long document more often than from a short
# one. Wrong ones should be like that too, so that the judge has nothing to go by.

# %% [markdown] exercise="pairs" title="Pairs that give nothing away" difficulty=3 minutes=12
# Write `sentence_pairs(documents, draw)`. `documents` is a list of lists of sentences, and stays as
# it is; `draw` is a `random.Random`, and all chance comes from it. It returns a list of triples
# `(first, second, label)`: one for each two neighbours in a document, in the order of the text,
# with a coin for each pair by itself; `first` is always the first of the two:
#
# - with probability 1/2, `second` is its true neighbour and the label is 0;
# - else the label is 1, and `second` is drawn evenly from **all sentences of other documents that
#   have a sentence before them**.
#
# A document may have one sentence only: it makes no pair. At least two documents have more than one
# sentence, and a document may hold a sentence twice. A quick way is to draw again when the sentence
# turns out to be from the same document.
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
# The same judge, on your pairs, and on pairs drawn in two careless ways: beginnings, and any
# sentence of a random document, which is how the book draws. It may look at the first word of the
# second sentence, at its length, or at how many words the two sentences share.

# %% tags=["training"]
def length_of_second(first, second):
    return min(len(second.split()), 40) // 2

def words_in_common(first, second):
    return min(len(set(first.lower().split()) & set(second.lower().split())), 6)

# %% tags=["training"]
triples = check.pairs.use(sentence_pairs)(english.documents, random.Random(0))
any_sentence = careless(english.documents, random.Random(0), lambda d, draw: draw.choice(d))
looks = {"first word of the second": first_word, "length of the second": length_of_second,
         "words in common": words_in_common}
ways = {"yours": triples, "any sentence": any_sentence, "beginnings": beginnings}
pd.DataFrame({name: {look: judged(made, see) for look, see in looks.items()}
              for name, made in ways.items()}).T.round(2)

# %% [markdown]
# In the first two columns the judge sees one sentence only. On your pairs it does no better than
# a coin, on the careless ones it does. In another text the leak may be smaller: measure it before
# you train.
#
# The last column is no leak, since it compares both sentences. But counting shared words, without
# any idea of what *next* means, is right six times in ten on your pairs: a wrong second is about
# something else. ALBERT (Lan et al. 2020, section 3.1) therefore swaps the two sentences instead.
# RoBERTa (Liu et al. 2019, section 4.2) dropped the task because results were no worse without it.

# %% [markdown]
# ## 4. A batch, and what is only padding
#
# All pairs, as rows of 64 tokens:

# %% tags=["training"]
ids, T = {}, 64  # sentence → its ids
for a, b, _ in triples:
    ids |= {s: coder.encode(s).ids for s in (a, b) if s not in ids}
made = [row_of(ids[a], ids[b], T) for a, b, _ in triples]
tokens, segments = (torch.as_tensor([list(each[n]) for each in made]) for n in (0, 1))
labels = torch.tensor([label for *_, label in triples])
print(tokens.shape, segments.shape, labels.shape)
print(sum(len(ids[a]) + len(ids[b]) + 3 > T for a, b, _ in triples), "pairs were too long and cut")

# %% tags=["training"]
lengths = (tokens != PAD).sum(1)
figure, ax = plt.subplots()
ax.hist(lengths.numpy(), bins=range(5, T + 2), color=plots.COLOURS[0])
ax.set(xlabel="real tokens in a row of 64", ylabel="rows")
ax.set(title=f"{(tokens == PAD).double().mean():.0%} of all positions are padding")
plots.show(figure, "Histogram of lengths: a broad hill below 64, and a tower at 64, the cut rows.")

# %% [markdown]
# The tower at the right is made of pairs that fill their row, most of them cut. BERT's own data has
# less padding: its "sentences" are spans of text, and two of them mostly fill the row of 128 or 512
# positions (appendix A.2). Rows of similar length in one batch help too, since a batch only has to
# be as long as its longest row:

# %% tags=["training"]
def padding_fraction(lengths, rows=32):
    batches = lengths.split(rows)
    positions = sum(len(each) * int(each.max()) for each in batches)
    return 1 - lengths.sum().item() / positions

print(f"32 rows as they come: {padding_fraction(lengths):.0%} padding")
print(f"32 rows, sorted by length: {padding_fraction(lengths.sort().values):.0%}")

# %% [markdown]
# Does the padding that remains do any harm? `[PAD]` means nothing, after all. Put 16 tokens through
# a small, untrained BERT without any mask, then again with 48 padding tokens behind them, and
# compare the two vectors of `[CLS]`:

# %%
from helpers.model.bert import Bert, preset

torch.manual_seed(0)
bert = Bert(preset("mini", vocab_size=1000)).eval()
sixteen = torch.cat([torch.tensor([CLS]), torch.randint(5, 1000, (14,)), torch.tensor([SEP])])[None]

@torch.no_grad()
def moved(padding, real_of=None):
    """Change of the vector of [CLS], as a fraction of its norm."""
    padded = nn.functional.pad(sixteen, (0, padding), value=PAD)
    real = None if real_of is None else torch.as_tensor(real_of(padded)).reshape(padded.shape)
    alone, now = bert(sixteen)[0, 0], bert(padded, real=real)[0, 0]
    return ((now - alone).norm() / alone.norm()).item()

# %%
print(f"[CLS] has moved by {moved(48):.0%} of its norm")

# %% [markdown]
# Attention spends its weights on whatever is there. So what a row means would depend on how long
# the *other* rows of its batch are. No query may look at padding.
#
# Attention takes a mask that is True where a query may look at a key. All queries and all heads
# have the same keys, so two of the four axes have length 1, and are broadcast: $(B, 1, 1, T)$
# against scores of shape $(B, H, T, T)$. It takes one line:

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
# `x[:, None]` puts an axis of length 1 after the first.
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

# %%
real_of, paddings = check.padding.use(padding_mask), range(0, 49, 4)
curves = {"no mask": (paddings, [moved(n) for n in paddings]),
          "your mask": (paddings, [moved(n, real_of) for n in paddings])}
figure, ax = plt.subplots()
plots.lines(ax, curves, x="padding behind 16 tokens", y="change of [CLS]")
plots.show(figure, "Change of [CLS]: grows with the padding without a mask, stays 0 with it.")

# %% [markdown]
# With your mask `[CLS]` stays where it was, however much padding follows.

# %% [markdown]
# ## 5. Three vectors, one sum
#
# Ids are only names. The first layer needs vectors, and this is where position enters a BERT: at
# the hook `embed`, once, at the input.

# %%
plots.show(*hooks.hooks("embed"))

# %% [markdown]
# Three learned tables give a vector each, and the three are added (Devlin et al. 2018, figure 2;
# its code adds the norm). At position $p$:
#
# $$h_p = \mathrm{LayerNorm}\big(E_{x_p} + S_{s_p} + P_p\big)$$
#
# | table | rows in BERT base | chosen by |
# | --- | --- | --- |
# | $E$, tokens | 30,522 | the token $x_p$ |
# | $S$, segments | 2 | the segment $s_p$, 0 or 1 |
# | $P$, positions | 512 | the position $p$ |
#
# No sinusoids, and no row beyond the 512th (unit 03). With this sum our pair becomes numbers that
# can be learned.

# %% [markdown] exercise="vectors" title="The input sum" difficulty=1 minutes=6
# Write `forward` of `InputSum`, which turns ids and segments, both $(B, T)$, into the vectors
# $h_p$, of shape $(B, T, D)$. The four modules are there, and they are all that is trained:
# gradients must reach all four. The result has the dtype of the tables, and what is given stays as
# it is. $T$ is at most `max_len`.
#
# *Why care:* this is all that a BERT is told. Whatever does not enter here, no layer can know.
#
# <details><summary>Hint 1</summary>
#
# An `nn.Embedding` called with whole numbers returns their rows, whatever the shape.
# </details>
# <details><summary>Hint 2</summary>
#
# `torch.arange(T)` are the positions. $(T, D)$ is broadcast against $(B, T, D)$.
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
        p = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.segments(segments) + self.positions(p)
        return self.norm(x)
        ### END SOLUTION

# %% test="vectors" points=1
check.vectors(InputSum)
### BEGIN HIDDEN TESTS
check.vectors(InputSum, seed=7505)
### END HIDDEN TESTS

# %% [markdown]
# Our pair as the first layer sees it, 12 of the $D$ numbers at each position, before any training:

# %% tags=["training"]
torch.manual_seed(2)
pair_sum = check.vectors.use(InputSum)(len(pieces), 12, max_len=64)
row_ids, row_segments = torch.tensor([pair_tokens]), torch.tensor([pair_segments])
strips = {"token": pair_sum.words(row_ids)[0], "segment": pair_sum.segments(row_segments)[0],
          "position": pair_sum.positions.weight[:room],
          "LayerNorm\nof the sum": torch.as_tensor(pair_sum(row_ids, row_segments))[0]}

# %% tags=["training"]
figure = pictures.strips(strips, [coder.id_to_token(each) for each in pair_tokens])
plots.show(figure, "Strips by position: tokens differ, [SEP] and [PAD] repeat; segments have two "
                   "patterns; each position has its own; the sum has no two columns alike. "
                   "The two [SEP] are framed.")

# %% [markdown]
# Look at the two `[SEP]`, framed: twice the same column in the first strip. In the sum they differ.
#
# ### Can the three be told apart again?
#
# $E$, $S$ and $P$ share the same $D$ numbers. Is anything lost when three vectors become one? Try
# to read them back. Take random tables for 1,000 tokens, 2 segments and 64 positions, add three
# vectors, then add **noise as loud as the sum itself**. Somebody who knows the tables looks for the
# nearest of all 128,000 sums. It counts only if token, segment **and** position are right.

# %%
from helpers.model import readback

WIDTHS = 8, 16, 32, 64, 128, 256
by_sum = {}
for D in WIDTHS:
    found = by_sum[D] = [readback.summed(D, seed) for seed in range(3)]
    print(f"D = {D:3}: all three read correctly in {sum(found) / 3:.0%} of the sums, "
          f"by seed {min(found):.0%} to {max(found):.0%}")

# %% [markdown]
# And so our sentence comes out of the noise. A coloured box had its token, segment or position read
# wrongly, so even a right word can be coloured. Here the token is one of 4,000, not of 1,000, so
# more goes wrong than above. Turn the noise up and down.

# %% tags=["training"]
def draw_heard(noise):
    texts, wrong = {}, {}
    first = slice(1, len(pair_ids[0]) + 1)
    asked = torch.stack([row_ids[0], row_segments[0], torch.arange(room)])[:, first]
    for D in (16, 32, 64, 128, 256):
        draw = Generator().manual_seed(1)
        tables = [torch.randn(rows, D, generator=draw) for rows in (len(pieces), 2, 64)]
        clean = sum(table[each] for table, each in zip(tables, asked, strict=True))
        heard = readback.noisy(clean, draw, noise)
        found = torch.stack(readback.read_sum(heard, *tables))  # (3, tokens)
        texts[f"D = {D}"] = [coder.id_to_token(each) for each in found[0].tolist()]
        wrong[f"D = {D}"] = (found != asked).any(0).nonzero()[:, 0].tolist()
    return text.lines(texts, wrong, "wrong")

widgets.explore(draw_heard, noise=("noise, relative to the sum", 0.0, 2.0, 1.0))

# %% [markdown]
# In 16 dimensions it is another text, in 256 it is ours. Random vectors in many dimensions are
# nearly at right angles, so a sum keeps its parts apart. Still, mixing three things up in one
# vector looks untidy. Let us put them **side by side** instead, in the same $D$ numbers: a third
# for the token, a third for the segment, a third for the position, with the same relative noise.

# %%
predict("beside", "Side by side in the same D numbers, all three are read back correctly",
        a="less often than from the sum", b="as often",
        c="more often: nothing is mixed up any more", answer="")

# %%
splits = {"beside, thirds": lambda D: (D - 2 * (D // 3), D // 3, D // 3),
          "beside, 1/2, 1/8, 3/8": lambda D: (D // 2, D // 8, D - D // 2 - D // 8)}
read = {"sum": by_sum} | {
    name: {D: [readback.beside(split(D), seed) for seed in range(3)] for D in WIDTHS}
    for name, split in splits.items()}
table = pd.DataFrame({name: {D: sum(found) / 3 for D, found in each.items()}
                      for name, each in read.items()})

# %%
figure, ax = plt.subplots()
plots.lines(ax, {name: (WIDTHS, table[name]) for name in table}, x="width D",
            y="all three read correctly")
ax.set_xscale("log", base=2)
ax.set_xticks(WIDTHS, WIDTHS)
plots.show(figure, "Fraction read back by width: the sum above the thirds side by side, and close "
                   "to the other division; all near 1 at 128.")
table.T.round(2)

# %%
ahead = table["beside, thirds"][64] - table["sum"][64]
outcome("beside", "c" if ahead > 0.03 else "a" if ahead < -0.03 else "b")

# %% [markdown]
# Thirds waste room: the segment has as many numbers to tell two things apart as the token has for a
# thousand. Divide more cleverly, half for the token and an eighth for the segment, and side by side
# does about as well as the sum, or a little better. So a sum loses hardly anything at the same $D$.
# And nobody has to decide who gets how much, because training can: side by side **is** a sum,
# of vectors that are zero outside their own part. (Trained vectors are not random, and may overlap
# more than these.)

# %% [markdown]
# ## 6. Masking words
#
# BERT's first task (section 3.1, task 1) is to name hidden words from the words on both sides,
# **masked language modelling** (a *word* here is any token that is not special):
#
# 1. **15 %** of the words are *chosen*. Only these are scored.
# 2. Of the chosen, **80 %** become `[MASK]`, **10 %** become a random word, **10 %** stay.
#
# This makes a task out of any text, and nobody has to label it.

# %%
before = words_of(PAIR[0])
after = ["[MASK]", "is", "the", "tree", "of", "france", "."]
plots.show(*text.fates(before, after, chosen=[0, 3, 5]))

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
# - a random word is any id from 5 to `vocab_size - 1`, however large that is, each as likely, drawn
#   anew for each position;
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
# Your function on a batch of a million random words:

# %%
masker, V = check.mask.use(mask_words), 4000
plain = torch.randint(5, V, (1000, 1000), generator=Generator().manual_seed(1))
seen, targets = map(torch.as_tensor, masker(plain, V, Generator().manual_seed(3)))
chosen, hidden = targets != -100, seen == MASK
replaced = chosen & ~hidden & (seen != plain)
print(f"[MASK]: {hidden.double().mean():.1%} of all words, {hidden[chosen].double().mean():.1%} "
      f"of the chosen")
print(f"random word: {replaced.double().mean():.1%} of all words, chosen but kept: "
      f"{(chosen & (seen == plain)).double().mean():.1%}")
print(f"a random word is the right one in one of {V - 5:,} cases")

# %% [markdown]
# 1.5 % of all words are wrong, which seems not to have done BERT any harm (appendix A.1).
#
# Here are 24 rows of the real batch. Move the slider:

# %% tags=["training"]
KINDS = ["special or padding", "word", "[MASK]", "random word", "chosen, kept"]

def kinds_of(tokens, seen, targets):
    """0 … 4, as in KINDS; (B, T)."""
    chosen = targets != -100
    kinds = torch.where(chosen, 4, (tokens >= 5).long())
    return torch.where(chosen & (seen != tokens), torch.where(seen == MASK, 2, 3), kinds)

# %% tags=["training"]
def draw_masks(percent):
    rows, draw = tokens[:24], Generator().manual_seed(0)
    seen, targets = map(torch.as_tensor, masker(rows, len(pieces), draw, percent / 100))
    masked = f"{(seen == MASK).sum() / (rows >= 5).sum():.1%} of the words are [MASK]"
    figure = pictures.kinds(kinds_of(rows, seen, targets), KINDS, masked)
    return figure, f"24 rows of 64 tokens, {percent} % of the words chosen: {masked}."

widgets.explore(draw_masks, percent=("chosen words (%)", 0, 100, 15))

# %% [markdown]
# At 15 %, most positions cost time and are not scored. At 50 %, two words in five of the context
# are hidden and one in twenty is a random word. The paper settled on 15 %.
#
# ### What are the 10 % and 10 % for?
#
# Look at the positions that are scored and show an ordinary word, not `[MASK]`.

# %%
predict("trust", "At a scored position the model sees a word. How often is it the right one?",
        a="every other time", b="nine times in ten",
        c="nearly always: only 1.5 % of all words are wrong", answer="")

# %%
def conclusions(seen, targets, plain):
    """What follows from seeing a word at a position: three fractions."""
    chosen, word = targets != -100, seen != MASK
    return {"a word here is scored": chosen[word].double().mean().item(),
            "a word here is the right one": (seen == plain)[word].double().mean().item(),
            "a scored word here is the right one":
                (seen == plain)[word & chosen].double().mean().item()}

# %%
by_rule = conclusions(seen, targets, plain)
only_masks = conclusions(torch.where(chosen, MASK, plain), targets, plain)
pd.DataFrame({"80/10/10": by_rule, "only [MASK]": only_masks}).round(3)

# %%
right = by_rule["a scored word here is the right one"]
outcome("trust", "c" if right > 0.95 else "b" if right > 0.7 else "a")

# %% [markdown]
# Now compare the columns. With `[MASK]` only, a word that can be seen is never scored (so the last
# number is a mean over nothing). This is the last cheap way in this unit: at a visible position the
# output need not keep the word, and no loss will notice. But when BERT is put to use, there is no
# `[MASK]` at all.
#
# With 80/10/10 any word may be scored, and then it is wrong every other time. So each position has
# to keep its word **and** ask the context whether it fits. That is the paper's aim, to make
# pretraining more like later use (section 3.1). Its table 8 (appendix C.2) compares such
# proportions; after fine-tuning the differences are small.

# %% [markdown]
# ## 7. The pair, ready to be read
#
# Here is our pair again, after all that you have built: cut into pieces, in one row, with segments
# and positions, words chosen and masked, and a label. BERT's masks were drawn before training: ten
# copies of the data, each with its own mask (RoBERTa, section 4.1). Yours can be drawn anew in
# every batch: move the slider.

# %% tags=["training"]
def draw_fed(drawing, percent):
    draw = Generator().manual_seed(drawing)
    seen, targets = map(torch.as_tensor, masker(row_ids, len(pieces), draw, percent / 100))
    real = int((row_ids != PAD).sum())
    shown = [coder.id_to_token(each) for each in seen[0, :real].tolist()]
    chosen = (targets[0] != -100).nonzero()[:, 0].tolist()
    words = [[coder.id_to_token(each) for each in ids] for ids in pair_ids]
    return text.row(*words, shown, chosen, label="0: it follows")

widgets.explore(draw_fed, drawing=("number of the draw", 0, 50, 16),
                percent=("chosen words (%)", 0, 100, 15))

# %% [markdown]
# At the beginning, the top row was `[UNK] is the [UNK] of [UNK]`. What could have gone wrong on the
# way, without any error:
#
# | a model could have | what you built against it |
# | --- | --- |
# | been right by answering `[UNK]`, more often than with any real word | pieces of words |
# | read the label off the second sentence | wrong seconds that are drawn like right ones |
# | given a row another meaning in another batch | a mask for padding |
# | not kept a visible word at its own position | 80/10/10 |

# %% [markdown]
# ## 8. Check against the book
#
# d2l's row (section 15.8) has its tokens as words and no padding yet. Our pair in both:

# %% tags=["nbval-check-output"]
from helpers.book import d2l

if d2l:
    first, second = map(words_of, PAIR)
    their_tokens, their_segments = d2l.get_tokens_and_segments(first, second)
    index = {"<cls>": CLS, "<sep>": SEP} | {w: n for n, w in enumerate(first + second, 5)}
    ours = row_of([index[w] for w in first], [index[w] for w in second], len(their_tokens))
    print("tokens: ", [index[token] for token in their_tokens] == list(map(int, ours[0])))
    print("segments:", their_segments == list(map(int, ours[1])))

# %% [markdown]
# The book's data (section 15.9) differs. You measured the largest difference in section 3: with its
# way of drawing, a judge of one word is right in 59 % of the pairs. Two more, by its own functions:
# are random words always words? And how many of 8 words are chosen?

# %% tags=["nbval-check-output"]
if d2l:
    random.seed(0)
    vocab = d2l.Vocab([["x", "y"]], reserved_tokens=["<pad>", "<mask>", "<cls>", "<sep>"])
    row = ["<cls>", *"xyxyxyxy", "<sep>"]
    masked = [d2l._get_mlm_data_from_tokens(row, vocab) for _ in range(2000)]
    shown = {vocab.to_tokens(ids[p]) for ids, places, _ in masked for p in places}
    print("put in for a word:", sorted(shown))
    print("chosen of 8 words:", sorted({len(places) for _, places, _ in masked}))

# %% [markdown]
# Random words may be special tokens; with thousands of words they hardly ever are. The second line
# is a choice: the book always takes the same number, 15 % of the row including its special tokens,
# and at least one. Yours varies around 15 % of the words. The book leaves out a pair that is too
# long; BERT cuts it.
#
# And your sum, beside that of the library `transformers`, with its weights copied into yours:

# %% tags=["nbval-check-output"]
try:
    print("importing transformers, which takes some seconds")
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

# %% [markdown]
# ## What to keep
#
# - A model learns the cheapest way to be right. Look for it before you train: measure what a judge
#   who sees too little can find out.
# - WordPiece cuts greedily, by the longest piece that fits; one part without a piece makes the
#   whole word `[UNK]`. A larger vocabulary shortens texts, and pays with parameters.
# - A row is `[CLS]` first `[SEP]` second `[SEP]` and padding, with a segment for each position.
# - Padding is hidden from every query by one mask of keys, $(B, 1, 1, T)$.
# - The input is a sum of three learned vectors, then a norm. With 128 numbers, random parts were
#   read back nearly always, from the sum and side by side.
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
# Everything is there to train a BERT: pieces, rows, pairs, masks. Unit 08 does it, on docstrings
# like these, and then asks
#
# > paris is the capital of `[MASK]`
#
# Everybody knows that. What will a BERT say if it has read nothing but docstrings?
