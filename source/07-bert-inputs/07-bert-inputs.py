# %% [markdown]
# # 07 · What BERT is fed
#
# “Paris is the capital of France. Everybody knows that.” You have just read two sentences. BERT
# will never read them. It gets rows of whole numbers and has two tasks: to name hidden words, and
# to say whether the second sentence follows the first. Training rewards every way of being right,
# not only the one we had in mind. If there is a **shortcut**, training may find it first, and no
# error message warns you.
#
# So one question runs through this unit: **what can a model get right without reading?** We follow
# the pair from its letters to the first layer, and look for shortcuts on the way.
#
# By the end of this unit you can
#
# - cut words into pieces as BERT does, and say what a larger vocabulary costs and saves;
# - put two sentences into one row of tokens and segments, cut and padded to length;
# - draw pairs for the second task, and test whether their labels can be known without reading;
# - build the sum of token, segment and position vectors that the first layer sees;
# - mask words by the rule of 15 % and 80/10/10, and say what each of these numbers is for.
#
# Reading and running takes about 25 minutes besides the exercises.

# %%
import functools
import random
from collections import Counter
from itertools import pairwise

import pandas as pd
import torch
from torch import Generator, nn

from helpers import plots, widgets
from helpers.corpora import wordpiece
from helpers.checks import bert_inputs as check
from helpers.corpora.wordpiece import CLS, MASK, PAD, SEP, SPECIAL, words_of
from helpers.model import superposition
from helpers.pictures import hooks, text
from helpers.plots import bert as pictures
from helpers.predict import outcome, predict

PAIR = "Paris is the capital of France.", "Everybody knows that."

# %% [markdown]
# This unit is about the left end of the map of unit 01: the tokens, and the hook `embed`, at which
# BERT adds its positions to them.

# %% tags=["shown"]
plots.show(*hooks.hooks("embed"))

# %% [markdown]
# ## 1. From letters to tokens
#
# BERT was trained on books and Wikipedia. This unit uses real English that comes with every Python:
# the docstrings of the standard library, cut into sentences. Each docstring is a document. One
# document in ten is kept for testing; the others are for training.
#
# Your numbers may differ a little from ours: other versions of Python have other docstrings, and
# the trainer of the vocabulary chooses arbitrarily between equally frequent pieces, anew in every
# run.

# %% tags=["training"]
from helpers.corpora.english import docstrings

english = docstrings(["the standard library"])
testing = [s for document in english.documents[::10] for s in document]
training = [s for n, document in enumerate(english.documents) if n % 10 for s in document]
print(english)
print(*english.documents[0][:2], sep="\n")

# %% [markdown]
# A model reads **tokens**; its vocabulary lists all tokens that it knows. The obvious choice is one
# token per word: here the 995 most frequent words of the training documents, and five special
# tokens. Every other word becomes the special token `[UNK]`, for unknown.

# %% tags=["training"]
counted = Counter(word for sentence in training for word in words_of(sentence))
frequent = {word for word, _ in counted.most_common(995)}

def in_words(sentence):
    return [word if word in frequent else "[UNK]" for word in words_of(sentence)]

plots.show(*text.unknown({"as words": in_words(PAIR[0]) + in_words(PAIR[1])}))

# %% [markdown]
# Nothing in this row is about Paris any more. But docstrings are not about Paris. So count the
# tokens of the test part, which is all about Python.

# %%
predict("unknown", "With 995 whole words, how much of the test part is [UNK]?",
        a="about 1 % of its tokens", b="about 5 %", c="about 13 %", answer="")

# %% tags=["training"]
test_words = Counter(token for sentence in testing for token in in_words(sentence))
for token, times in test_words.most_common(3):
    print(f"{token:6} {times / test_words.total():.1%}")
unknown = test_words["[UNK]"] / test_words.total()
outcome("unknown", "a" if unknown < 0.03 else "b" if unknown < 0.09 else "c")

# %% [markdown]
# Here is a first shortcut. If any of these tokens may be masked, a model that always answers
# `[UNK]` is right in 13 % of the cases. Always answering *the* would be right in 7 %.
#
# Single letters would hardly ever be unknown. But texts would be several times as long, and a
# letter means little. **WordPiece** (Schuster and Nakajima 2012; Wu et al. 2016, section 4.1) lies
# in between: a frequent word is one piece, a rare word is several. Every piece after the first
# begins with `##`. The vocabulary of pieces below is as large as that of words, 1,000 entries:

# %% tags=["training"]
@functools.cache
def vocabulary(size):
    """A tokenizer of `size` pieces, trained on the training part."""
    return wordpiece.train(training, size)

plots.show(*text.unknown({
    "words": in_words(PAIR[0]), "pieces": vocabulary(1000).encode(PAIR[0]).tokens,
    "letters": list("".join(words_of(PAIR[0])))}))

# %% [markdown]
# In pieces the whole sentence is there, and it has only half as many tokens as in letters. A word
# is cut **greedily**: always take the longest piece that fits next. BERT never sees the word
# itself, only its pieces. Your first function makes them.
#
# **Special** tokens stand for no word. In every vocabulary from this unit on, `[PAD]` has the id 0,
# `[UNK]` 1, `[CLS]` 2, `[SEP]` 3 and `[MASK]` 4.

# %% tags=["training"]
plots.show(*text.pieces("capital", vocabulary(1000).encode("capital").tokens))

# %% [markdown] exercise="pieces" title="The longest match" difficulty=3 minutes=15
# Write `word_pieces`, which cuts one word into a list (or a tuple) of pieces of `vocabulary`, a
# dictionary from piece to id:
#
# - take the longest piece that fits at the beginning of the word, then the longest that fits at the
#   beginning of what is left, and so on; a choice is never taken back;
# - every piece but the first is looked up and returned with `##` in front;
# - if nothing fits somewhere, not even a single letter, the result for the **whole word** is
#   `["[UNK]"]`.
#
# With the pieces `play`, `##ing` and `##s`, *playings* is `["play", "##ing", "##s"]`, and *plays!*
# is `["[UNK]"]`. The library `tokenizers` is not allowed here; you will compare with it later.
#
# <details><summary>Small print, which is checked too</summary>
#
# - The word may be of any length, from one character to thousands of pieces. It may consist of any
#   characters, digits and `#` among them. It is in lower case already.
# - Where, say, `##ing` is a piece, no word begins with these five characters.
# - Any piece may have id 0, and `vocabulary` stays as it is.
# </details>
#
# *Why care:* a model knows a word only by its pieces. If words are cut otherwise than in training,
# the model reads another language, without any error.
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
# Does your function cut as the library does? Here is every word of the corpus, except words of more
# than 100 letters, which the library does not cut by default:

# %% tags=["training"]
cut, library = check.pieces.use(word_pieces), vocabulary(1000)
known = library.get_vocab()
words = {word for document in english.documents for s in document for word in words_of(s)}
same = [cut(word, known) == library.encode(word).tokens for word in words if len(word) <= 100]
print(f"equal on {sum(same):,} of {len(same):,} words")

# %% [markdown]
# How many pieces should a vocabulary have? With more pieces, a text has fewer tokens. Here
# are the tokens per word, where a punctuation mark counts as a word:

# %% tags=["training"]
words_in_all = sum(len(words_of(sentence)) for sentence in testing)
for size in (125, 250, 500, 1000, 2000, 4000):
    tokens_in_all = sum(len(each.ids) for each in vocabulary(size).encode_batch(testing))
    print(f"{size:5,} pieces: {tokens_in_all / words_in_all:.2f} tokens per word")

# %% [markdown]
# Here each doubling of the vocabulary saves fewer tokens than the one before, and adds twice as
# many vectors. BERT has 30,522 pieces with 768 numbers each: $30{,}522 \cdot 768$ = 23.4
# million of the 109 million parameters of BERT base.
#
# Move the slider. Will *paris* become one piece? **Your** function cuts the words. Until it is
# right, the course's function does.

# %% tags=["training"]
def draw_pieces(log2_size):
    pieces = vocabulary(2**log2_size).get_vocab()
    shown = ["paris", "capital", "everybody", "positions", "unhashable", "asynchronously"]
    cut_up = {word: cut(word, pieces) for word in shown}
    title = f"{len(pieces):,} pieces: {sum(map(len, cut_up.values()))} tokens for 6 words"
    return pictures.pieces(cut_up, title), f"Six words cut with {title}."

widgets.explore(draw_pieces, log2_size=("log₂ of the vocabulary size", 7, 12, 10))

# %% [markdown]
# A word gets a piece of its own by being frequent in the training text, and docstrings say little
# about Paris. Remember that when you reach the end.
#
# ## 2. Two sentences in a row
#
# Many tasks come as two texts, such as a question and a passage. So BERT reads one sentence or two.
# Two sentences become one row. The **segment** of a token says to which sentence it belongs: A or B
# in the figure, 0 or 1 in code. For each token, the vectors of token, segment and position are
# added. At the end the model has two questions to answer:

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
# From the output vector at `[CLS]`, a small map will say whether the second sentence follows the
# first (section 3). Each `[SEP]` closes a sentence. All rows of a tensor have equal length, so
# `[PAD]` fills up the shorter ones.

# %% [markdown] exercise="row" title="One row for a pair" difficulty=2 minutes=10
# Write `pair_row`: two lists of ids become one row of `length` ids and one row of `length`
# segments, all whole numbers (`int`). Either sentence may be empty, neither holds `[PAD]`, `[CLS]`
# or `[SEP]`, and `length` is at least 3.
#
# - Segments are as in the table: the first `[SEP]` is still 0, the second is 1, padding is 0.
# - A pair that is too long is cut **before** the row is put together. Until the pair fits, tokens
#   go one by one: the longer of the two sentences loses its last token; if both are equally long,
#   the second one does.
# - The lists you are given stay as they are.
#
# With `length=9`, `[7, 8]` and `[9]` give `[CLS, 7, 8, SEP, 9, SEP, PAD, PAD, PAD]` and
# `[0, 0, 0, 0, 1, 1, 0, 0, 0]`.
#
# *Why care:* everything later counts positions in this row. If one `[SEP]` is missing, every token
# after it is off by one position.
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
# Our pair, made into a row by your two functions, with 4,000 pieces and three positions of padding:

# %% tags=["training"]
coder, row_of = vocabulary(4000), check.row.use(pair_row)
pieces = coder.get_vocab()
pair_ids = [[pieces[piece] for word in words_of(sentence) for piece in cut(word, pieces)]
            for sentence in PAIR]
room = sum(map(len, pair_ids)) + 3 + 3
pair_tokens, pair_segments = (list(map(int, each)) for each in row_of(*pair_ids, room))
print(*map(coder.id_to_token, pair_tokens))
print(pair_tokens, pair_segments, sep="\n")

# %% [markdown]
# ## 3. Is it the next sentence?
#
# “Is it the next sentence?” is BERT's second task (Devlin et al. 2018, section 3.1). In half of the
# pairs, the second sentence is the true next sentence (label 0). In the other half it is a wrong
# one (label 1). The model has to find the label from the vector at `[CLS]`. Where do the wrong
# sentences come from? An easy choice is the first sentence of a random document.
#
# Can this task be solved without reading? Let us ask a judge that sees only **the first word of the
# second sentence**. The pairs are shuffled. The judge learns from every second pair, with its
# label, and is tested on the others.

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

def judged(triples, look):
    """Count labels by what `look` sees in half of the pairs; fraction right on the others."""
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
for label, name in enumerate(["the true next sentence", "a beginning"]):
    begun = Counter(first_word(a, b) for a, b, of_pair in beginnings if of_pair == label)
    print(f"{name:22}", *(f"{word} {begun[word]}" for word in ("the", "if", "return", "create")))
outcome("leak", "c" if right < 0.55 else "a" if right < 0.7 else "b")

# %% [markdown]
# The judge never sees the first sentence of the pair, and is right about eight times in ten.
# Beginnings more often start with *return* or *create*, later sentences with *the* or *if*. So one
# word gives the label away: this is **label leakage**. A BERT can find this shortcut as well. Its
# loss could then fall although it never compares two sentences.
#
# So a task is only as good as its **negative examples**, here the wrong second sentences. Draw them
# from the same pool as the right ones: all sentences but the first of each document, each equally
# likely.

# %% [markdown] exercise="pairs" title="Pairs that give nothing away" difficulty=3 minutes=12
# Write `sentence_pairs(documents, draw)`. `documents` is a list of lists of sentences, and stays as
# it is; `draw` is a `random.Random`, and all chance comes from it. The function returns a list of
# triples `(first, second, label)`: one for each pair of neighbouring sentences in a document, in
# the order of the text. `first` is always the first of the two. Label and `second` depend on an
# independent fair coin for each pair:
#
# - with probability 1/2, `second` is the true next sentence and the label is 0;
# - otherwise the label is 1, and `second` is drawn evenly from **all sentences of other documents
#   except the first sentence of each**.
#
# A document may have one sentence only; it then makes no pair. At least two documents have more
# than one sentence, and a document may hold a sentence twice. A quick way is to draw again when the
# sentence drawn is from the same document.
#
# *Why care:* a leak raises no error. The loss may fall although the model never compares two
# sentences.
#
# <details><summary>Hint 1</summary>
#
# Make one list first: `(number of the document, sentence)` for every sentence that has another one
# before it. `draw.choice(that_list)` gives all sentences the same probability.
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
# Now test your pairs and two careless sets. One set takes beginnings of documents. The other takes
# any sentence of a random document, as the book d2l does. In each column, the judge sees one thing
# only: the first word of the second sentence, its length, or how many words the two sentences
# share.

# %% tags=["training"]
triples = check.pairs.use(sentence_pairs)(english.documents, random.Random(0))
any_sentence = careless(english.documents, random.Random(0), lambda d, draw: draw.choice(d))
looks = {
    "first word of the second": first_word,
    "length of the second": lambda a, b: min(len(b.split()), 40) // 2,
    "words in common": lambda a, b: min(len({*a.lower().split()} & {*b.lower().split()}), 6)}
ways = {"yours": triples, "any sentence": any_sentence, "beginnings": beginnings}
pd.DataFrame({name: {look: judged(made, see) for look, see in looks.items()}
              for name, made in ways.items()}).T.round(2)

# %% [markdown]
# In the first two columns, the judge sees only the second sentence. On your pairs this judge is no
# better than a coin; on both careless sets the judge is right more often. How large the leak is
# depends on the texts: measure it before you train.
#
# The last column is no leak, because the judge compares both sentences. But it only counts shared
# words, and is still right six times in ten on your pairs. A wrong second sentence is usually about
# something else. So ALBERT (Lan et al. 2020, section 3.1) swaps the two sentences instead. RoBERTa
# (Liu et al. 2019, section 4.2) dropped the task, and its results were no worse.
#
# ## 4. What is only padding
#
# Put all pairs into rows of 64 tokens. How much of them is padding?

# %% tags=["training"]
ids = {s: coder.encode(s).ids for a, b, _ in triples for s in (a, b)}
made = [row_of(ids[a], ids[b], 64) for a, b, _ in triples]
tokens = torch.tensor([list(map(int, row)) for row, _ in made])
print(tuple(tokens.shape), f"{(tokens == PAD).double().mean():.0%} of all positions are padding")

# %% [markdown]
# BERT's own data has less padding. Its “sentences” are spans of text, and two spans mostly fill the
# row of 128 or 512 positions (Devlin et al., appendix A.2).
#
# Does padding do any harm? Put 16 tokens through a small, untrained BERT without any mask, then
# again with 48 padding tokens behind them. Compare the two vectors at `[CLS]`:

# %%
from helpers.model.bert import Bert, preset
from helpers.model.probes import moved_by_padding

torch.manual_seed(0)
bert = Bert(preset("mini", vocab_size=1000)).eval()
sixteen = torch.cat([torch.tensor([CLS]), torch.randint(5, 1000, (14,)), torch.tensor([SEP])])[None]
print(f"[CLS] has moved by {moved_by_padding(bert, sixteen, 48):.0%} of its norm")

# %% [markdown]
# Attention gives weight to padding, too. Usually the rows of a batch are padded to the length of
# the longest row (unit 01). Without a mask, the vectors of a row would depend on how long the
# *other* rows are. So no query may look at padding.
#
# Attention scores have shape $(B, H, T, T)$. A mask is True where a query may look at a key. (This
# is not the masking of words in section 6.) Which keys are padding does not depend on the head or
# the query. So these two axes have length 1 and are broadcast: $(B, 1, 1, T)$. The mask takes one
# line:

# %% [markdown] exercise="padding" title="A mask for padding" difficulty=1 minutes=5
# Write `padding_mask(tokens)`, which makes from ids $(B, T)$ a tensor of `torch.bool` of shape
# $(B, 1, 1, T)$. The mask is True at every token that is not `[PAD]`, wherever it stands. `tokens`
# stays as it is.
#
# *Why care:* without this mask nothing breaks. But each row then depends on how much padding it
# got, and so on the other rows of its batch.
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
masks = {"no mask": None, "your mask": check.padding.use(padding_mask)}
pd.DataFrame({f"{n} behind": {name: moved_by_padding(bert, sixteen, n, mask)
                              for name, mask in masks.items()} for n in (0, 16, 32, 48)}).round(2)

# %% [markdown]
# With your mask, the vector at `[CLS]` stays the same, however much padding follows.
#
# ## 5. Three vectors, one sum
#
# Ids are only names; the first layer needs vectors. Here the positions come in, at the hook
# `embed`.
#
# Three learned tables give one vector each, and the three vectors are added (Devlin et al. 2018,
# figure 2). The published code then applies a LayerNorm, which that figure does not show. At
# position $p$:
#
# $$h_p = \mathrm{LayerNorm}\big(E_{x_p} + S_{s_p} + P_p\big)$$
#
# | table | rows in BERT base | chosen by |
# | --- | --- | --- |
# | $E$, tokens | 30,522 | the token $x_p$ |
# | $S$, segments | 2 | the segment $s_p$, 0 or 1 |
# | $P$, positions | 512 | the position $p$ |
#
# There are no sinusoids, and no rows beyond the 512th (unit 03).

# %% [markdown] exercise="vectors" title="The input sum" difficulty=1 minutes=6
# Write `forward` of `InputSum`, which turns ids and segments, both of shape $(B, T)$, into the
# vectors $h_p$, of shape $(B, T, D)$. The four modules are there already, and they are all that is
# trained: gradients must reach all four. The result has the dtype of the tables, and the arguments
# must not be modified. $T$ is at most `max_len`.
#
# *Why care:* this sum is all that BERT is told of words, segments and positions. What does not
# enter here, no layer can know.
#
# <details><summary>Hint 1</summary>
#
# An `nn.Embedding` called with whole numbers returns their rows, whatever the shape.
# </details>
# <details><summary>Hint 2</summary>
#
# `torch.arange(T)` gives the positions. $(T, D)$ is broadcast against $(B, T, D)$.
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
# Here is our pair as the first layer sees it before any training, with 12 numbers at each position:

# %% tags=["training"]
torch.manual_seed(2)
pair_sum = check.vectors.use(InputSum)(len(pieces), 12, max_len=64)
row_ids, row_segments = torch.tensor([pair_tokens]), torch.tensor([pair_segments])
strips = {"token": pair_sum.words(row_ids)[0], "segment": pair_sum.segments(row_segments)[0],
          "position": pair_sum.positions.weight[:room],
          "LayerNorm\nof the sum": torch.as_tensor(pair_sum(row_ids, row_segments))[0]}
plots.show(*pictures.strips(strips, [coder.id_to_token(each) for each in pair_tokens]))

# %% [markdown]
# Look at the two framed columns, both `[SEP]`. In the first strip they are equal. In the sum they
# differ.
#
# ### Can the three be told apart again?
#
# Adding could mix the three vectors up, and then the positions would be lost at the very first
# step. Let noise stand for all that the layers may do to the sum. A test with random tables for
# 1,000 tokens, 2 segments and 64 positions:
#
# 1. Add one vector of each table.
# 2. Add **Gaussian noise as large as the sum**: its standard deviation is that of the sum's
#    numbers.
# 3. Of all 1,000 · 2 · 64 = 128,000 possible sums, find the nearest one.
#
# Here is how often token, segment **and** position are all right, by width $D$:

# %% tags=["shown"]
WIDTHS = 8, 16, 32, 64, 128, 256
by_sum = {D: [superposition.summed(D, seed) for seed in range(3)] for D in WIDTHS}
pd.DataFrame(by_sum, index=["seed 0", "seed 1", "seed 2"]).round(2)

# %% [markdown]
# Now read our first sentence back. A box is coloured where token, segment or position is wrong.
# There are 4,000 tokens instead of 1,000, so more goes wrong than in the table. Turn the noise up
# and down.

# %% tags=["training"]
asked = torch.stack([row_ids[0], row_segments[0], torch.arange(room)])[:, 1 : len(pair_ids[0]) + 1]

def draw_heard(noise):
    texts, wrong = {}, {}
    for D in (16, 32, 64, 128, 256):
        found = superposition.read_again(asked, (len(pieces), 2, 64), D, noise)  # (3, tokens)
        texts[f"D = {D}"] = [coder.id_to_token(each) for each in found[0].tolist()]
        wrong[f"D = {D}"] = (found != asked).any(0).nonzero()[:, 0].tolist()
    return text.lines(texts, wrong, "wrong")

widgets.explore(draw_heard, noise=("noise, relative to the sum", 0.0, 2.0, 1.0))

# %% [markdown]
# In the table, most answers up to $D = 32$ are wrong, at 64 most are right, and from 128 on nearly
# all. With enough numbers, the 128,000 sums lie so far apart that the noise does not confuse them.
#
# Would it be better to put the three vectors **side by side** in the same $D$ numbers? Each gets a
# third of them. The noise is again as large as what it is added to:

# %%
predict("beside", "All three side by side in the same 64 numbers: how often are they read back "
        "correctly?",
        a="less often than from the sum", b="as often as from the sum",
        c="more often: nothing is mixed up any more", answer="")

# %% tags=["shown"]
thirds = {D: (D - 2 * (D // 3), D // 3, D // 3) for D in WIDTHS}
read = {"sum": by_sum, "beside, thirds": {
    D: [superposition.beside(split, seed) for seed in range(3)] for D, split in thirds.items()}}
table = pd.DataFrame({name: pd.DataFrame(each).mean() for name, each in read.items()})
table.T.round(2)  # means of three seeds

# %%
ahead = table["beside, thirds"][64] - table["sum"][64]
outcome("beside", "c" if ahead > 0.03 else "a" if ahead < -0.03 else "b")

# %% [markdown]
# Of course thirds waste room: 2 segments get as many numbers as 1,000 tokens. But side by side
# **is** a sum: fill each of the three vectors with zeros up to length $D$, each in its own part,
# and add them. So a learned sum can do whatever side by side can, and training decides how much
# room each part gets. (Trained vectors are not random, and may overlap more than these.)
#
# ## 6. Masking words
#
# BERT's first task is **masked language modelling** (Devlin et al., section 3.1, task 1): to name
# masked words from the words on both sides. In this section, a *word* is any token that is not
# special. First you write the rule, then you see what each of its numbers is for.
#
# 1. **15 %** of the words are *chosen*. Only these are scored.
# 2. Of the chosen words, **80 %** become `[MASK]`, **10 %** become a random word, and **10 %**
#    stay.

# %% tags=["shown"]
after = ["[MASK]", "is", "the", "tree", "of", "france", "."]
plots.show(*text.fates(words_of(PAIR[0]), after, chosen=[0, 3, 5]))

# %% [markdown] exercise="mask" title="15 %, and 80/10/10" difficulty=3 minutes=18
# Write `mask_words(tokens, vocab_size, generator, probability)`, which returns two tensors of the
# shape of `tokens`, $(B, T)$, and of its dtype, `torch.long`:
#
# - what the model **sees**: the tokens after masking;
# - the **targets**: the original token where one was chosen, and −100 everywhere else (PyTorch's
#   `cross_entropy` ignores −100).
#
# The rules:
#
# - each word is chosen with the `probability` given, a number from 0 to 1;
# - ids below 5 are special, padding among them: they are never chosen and never changed;
# - of the chosen words, 80 % become `MASK`, 10 % become a random word, 10 % stay;
# - a random word is any id from 5 to `vocab_size - 1`, all equally likely however large
#   `vocab_size` is, and it is drawn anew for each position;
# - all chance comes from `generator`, a `torch.Generator`, as in `torch.rand(shape,
#   generator=generator)`;
# - `tokens` stays as it is.
#
# No loop over tokens is needed.
#
# <details><summary>Small print, which is checked too</summary>
#
# - Each word is chosen independently of all others: how many are chosen varies from row to row.
# - What a chosen word becomes is drawn for each word by itself, independently of all others and of
#   the choice.
# </details>
#
# *Why care:* wrong proportions raise no error; the model just learns another task. If padding is
# scored as well, the loss looks splendid, because padding is easy to name.
#
# <details><summary>Hint 1</summary>
#
# Make three tensors of the shape of `tokens`: random numbers that choose, random numbers that
# decide what a chosen word becomes, and random words. `torch.randint` never gives its upper end.
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
# What are the 10 % and 10 % for? Think of the scored positions at which the model sees an ordinary
# word, not `[MASK]`.

# %%
predict("trust", "At a scored position the model sees a word. How often is it the right one?",
        a="every other time", b="nine times in ten",
        c="nearly always: few of all words are replaced by another", answer="")

# %% [markdown]
# First, your function on a million random words:

# %% tags=["shown"]
masker, V = check.mask.use(mask_words), 4000
plain = torch.randint(5, V, (1000, 1000), generator=Generator().manual_seed(1))
seen, targets = map(torch.as_tensor, masker(plain, V, Generator().manual_seed(3)))
chosen, stays = targets != -100, seen == plain
for name, which in {"[MASK]": seen == MASK, "random word": ~stays & (seen != MASK),
                    "chosen but kept": chosen & stays}.items():
    of_all, of_chosen = which.double().mean(), which[chosen].double().mean()
    print(f"{name:16} {of_all:.1%} of all words, {of_chosen:.1%} of the chosen")

# %% [markdown]
# So 1.5 % of all words are wrong. According to the paper, this does not seem to harm the model
# (appendix A.1). Now to your prediction: see the left column. The right column shows what follows
# if every chosen word becomes `[MASK]`:

# %%
def conclusions(seen, targets, plain):
    """What follows from seeing a word at a position: three fractions."""
    chosen, word, same = targets != -100, seen != MASK, seen == plain
    return {"a word here is scored": chosen[word].double().mean().item(),
            "a word here is the right one": same[word].double().mean().item(),
            "a scored word here is the right one": same[word & chosen].double().mean().item()}

by_rule = conclusions(seen, targets, plain)
only_masks = conclusions(torch.where(chosen, MASK, plain), targets, plain)
pd.DataFrame({"80/10/10": by_rule, "only [MASK]": only_masks}).round(3)

# %%
right = by_rule["a scored word here is the right one"]
outcome("trust", "c" if right > 0.95 else "b" if right > 0.7 else "a")

# %% [markdown]
# In the right column, a visible word is never scored. (The last fraction is 0 of 0, hence `NaN`.)
# At a visible word, the loss asks for nothing. Other positions may read the word as context, but
# the vector at its own position may forget it, and the loss would not tell. Yet a BERT that is
# *fine-tuned*, trained further for another task as at the end of unit 08, sees only visible words,
# and needs these vectors.
#
# With 80/10/10, any visible word may be scored, and half of the scored visible words are wrong.
# (With 80/20/0 all of them would be wrong, with 80/0/20 all right; either way, the context would
# not be needed to tell.) So each position has to keep its word **and** ask the context whether the
# word fits. The paper's own reason is that later use knows no `[MASK]` (section 3.1). Its table 8
# (appendix C.2) compares several proportions: after fine-tuning, the differences are small.
#
# And why 15 %? Here are 24 of our rows. Move the slider:

# %% tags=["training"]
def draw_masks(percent):
    rows, draw = tokens[:24], Generator().manual_seed(0)
    return pictures.masks(rows, *masker(rows, len(pieces), draw, percent / 100))

widgets.explore(draw_masks, percent=("chosen words (%)", 0, 100, 15))

# %% [markdown]
# At 15 %, most positions cost time and are not scored. At 50 %, the context suffers: two words in
# five are masked, and one in twenty is a random word. The paper settled on 15 %.
#
# ## 7. The pair, ready to be read
#
# Here is our pair after three of your functions. BERT's masks were drawn before training: ten
# copies of the data, each with its own masks (RoBERTa, section 4.1). Your masks can be drawn anew
# in every batch. Move the slider:

# %% tags=["training"]
words = [[coder.id_to_token(each) for each in ids] for ids in pair_ids]

def draw_fed(drawing, percent):
    draw = Generator().manual_seed(drawing)
    seen, targets = map(torch.as_tensor, masker(row_ids, len(pieces), draw, percent / 100))
    shown = [coder.id_to_token(each) for each in seen[0, : room - 3].tolist()]
    chosen = (targets[0] != -100).nonzero()[:, 0].tolist()
    return text.row(*words, shown, chosen, label="0: it follows")

widgets.explore(draw_fed, drawing=("number of the draw", 0, 50, 16),
                percent=("chosen words (%)", 0, 100, 15))

# %% [markdown]
# In section 1, as words, the first sentence was `[UNK] is the [UNK] of [UNK]`. On the way from
# there to this row, four things could have gone wrong, and none of them raises an error:
#
# | a model could have | what you built against it |
# | --- | --- |
# | been right in 13 % of the cases by always answering `[UNK]` | pieces, no mask on `[UNK]` |
# | found the label in the second sentence alone | negative examples drawn like the right ones |
# | returned other vectors for the same row as soon as more padding follows | a mask for padding |
# | lost a visible word at its own position, unnoticed by the loss | 80/10/10 |
#
# ## 8. Check against the book
#
# Do your functions agree with other code? First compare rows with d2l (section 15.8), where tokens
# are words and padding comes later:

# %% tags=["nbval-check-output", "shown"]
from helpers.book import d2l

if d2l:
    first, second = map(words_of, PAIR)
    their_tokens, their_segments = d2l.get_tokens_and_segments(first, second)
    index = {"<cls>": CLS, "<sep>": SEP} | {w: n for n, w in enumerate(first + second, 5)}
    ours = row_of([index[w] for w in first], [index[w] for w in second], len(their_tokens))
    print("tokens: ", [index[token] for token in their_tokens] == list(map(int, ours[0])))
    print("segments:", their_segments == list(map(int, ours[1])))

# %% [markdown]
# The training data of d2l (section 15.9) differs from ours:
#
# - A wrong second sentence is any sentence of a random document. On our docstrings, a judge that
#   sees one word is then right in 59 % of the pairs (section 3).
# - A random word may be a special token.
# - Rows of the same length always have the same number of chosen words.
#
# Now compare your input sum with that of the library `transformers`, whose weights are copied into
# yours:

# %% tags=["nbval-check-output", "shown"]
try:
    from transformers import BertConfig
    from transformers.models.bert.modeling_bert import BertEmbeddings
except ImportError:
    print("transformers is not installed; this comparison is left out")
else:
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
# - A model learns shortcuts. Look for them before you train: measure how often a judge that sees
#   too little is right.
# - WordPiece cuts greedily, by the longest piece that fits. If some part fits no piece, the whole
#   word is `[UNK]`. A larger vocabulary shortens texts but needs more parameters.
# - A row is `[CLS]` first `[SEP]` second `[SEP]` and padding, with a segment for each position.
# - Padding is hidden from every query by one mask of keys, $(B, 1, 1, T)$.
# - The input is a sum of three learned vectors, then a LayerNorm. With 128 numbers, random vectors
#   were nearly always read back from the sum.
# - 15 % of the words are scored. Of all words, 12 % become `[MASK]`, 1.5 % a random word, and 1.5 %
#   are scored as they are. Special tokens are never chosen.
#
# ## Further reading
#
# - Devlin et al. 2018, *BERT* (1810.04805): section 3 and figure 2 for the input, section 3.1 for
#   both tasks, appendix A.1 for the proportions, A.2 for the spans, C.2 (table 8) for others.
# - Schuster and Nakajima 2012, *Japanese and Korean Voice Search*, and Wu et al. 2016, *Google's
#   Neural Machine Translation System* (1609.08144), section 4.1: pieces chosen so that the text
#   becomes most likely. Our library learns its pieces by byte-pair encoding instead (Sennrich et
#   al. 2016, 1508.07909), which joins the most frequent pair. It cuts words as WordPiece does.
# - Liu et al. 2019, *RoBERTa* (1907.11692), section 4.1: masks drawn anew, 4.2: without the second
#   task. Lan et al. 2020, *ALBERT* (1909.11942), section 3.1: the order of two sentences instead of
#   their topic.
#
# You now have everything to train a BERT: pieces, rows, pairs and masks. Unit 08 trains one on
# docstrings like these, and then asks
#
# > paris is the capital of `[MASK]`
#
# Everybody knows that. What will a BERT say if it has read nothing but docstrings?
