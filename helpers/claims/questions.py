"""docs/questions.md: the two questions asked most often, answered from the recorded runs.

Run `python -m helpers.claims.questions`; it writes the page and trains a few small models for its
two figures. A test compares the page's numbers with what this would write.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import torch
from torch import Tensor

from helpers import plots, results
from helpers.claims import figures, sizes, study
from helpers.claims.small import TASKS, form, fresh
from helpers.encodings import create, offset_profile, shift_matrix, sinusoidal_table

DOCS = Path(__file__).parent.parent.parent / "docs"

PAGE = """\
# Two questions

Written by `python -m helpers.claims.questions`, with the numbers of the recorded study of 20
seeds ([claims.md](claims.md) has all of them). {note}

## Why did BERT learn its positions instead of computing them?

The paper does not say. It names the parts of the input and learns them all, as GPT had done
before it (Radford et al. 2018, section 4.1). What we can do is go through the reasons that people
give, and see which of them a measurement supports.

**Not because it saves time.** Sinusoids are computed once and kept. After that, either table is
one addition; the difference is {cached} % of the time of one layer of BERT base. Sinusoids computed
anew at every step would cost {anew} % of a layer, and there are twelve.

**Not because it does better in general.** The paper that tried both found nearly the same: Vaswani
et al. 2017, table 3, row (E), 25.7 BLEU with a learned table and 25.8 with sinusoids. In our small
task of offsets both make no error. Where there is a difference, it comes from the task: compared
with vectors by offset, the learned table is {back} points of accuracy ahead when a text has to be
said backwards, and {far} points behind when the symbol three positions back is asked for beyond the
trained length.

**What speaks for it: it is simple, and costs next to nothing.** {share} % of BERT base's
parameters are in the table: 512 · 768 of 109,482,240. It needs no formula, and training can make of
it what the first layers need. In our runs it was learned in {sinusoids} times the steps that the
same model needed for sinusoids, if the rows of both began as long as the words' vectors. With both
as long as the formula makes sinusoids it was {long}: the table is ahead either way. It is behind
Shaw's vectors by offset, of which there are few, and which every pair of every text trains. How far
depends on the length of its rows: it took {shaw} times their steps with rows as long as the words',
and {short} times with the short rows that a standard deviation of 0.02 gives beside words of length
1. In BERT the words begin with that deviation too, so the first comparison is the fairer one.

![Left: loss by step of three encodings, three seeds each, rows of the tables as long as the words'
vectors. Vectors by offset fall first, then the learned table, then the sinusoids. Right: accuracy
by position. Vectors by offset stay right in a text twice as long as those trained on; both tables
fall to guessing beyond the trained length, the sinusoids a little before
it.](questions-learning.png)

**What speaks against it mattered little to BERT.** A table ends with its last row, and a row that
no text has reached is noise: beyond the trained length, {beyond} % of the answers were right,
where guessing gives 12.5 %. BERT reads 512 tokens and was never meant to read more. It even took
90 % of its steps on texts of 128. When we do the same at a small scale, the last quarter of the
positions is {mixed} points of accuracy behind the first; with one length, {fixed}.

**Not settled here:** whether a BERT of full size would have been better with sinusoids, or with
relative vectors. To settle it, one would have to train it more than once. Later models of its size
moved to relative positions (T5, DeBERTa), but they changed other things as well.

## What is the mathematical difference between the fixed and the learned encoding?

Both add a vector to each token, $x_p + e_p$, and both keep the vectors in a table $E$ with a row
for each position. In the model they are the same function: a learned table that is **set** to the
sinusoids gives the same outputs (largest difference {same}). The difference is where $E$ comes
from, and what follows from it.

**Fixed:** $e_p = f(p)$ with one $f$ that nobody trains, a sine and a cosine for each of $D/2$
frequencies. No numbers are free. $f$ is defined for every $p$, and it has a structure: $f(p + k)
= M_k f(p)$ with a rotation $M_k$ that is the same at every $p$ (largest error {shift} for $D$ =
64 and 512 positions). So $f(p) \\cdot f(q)$ depends on $p - q$ only: the products vary along a
diagonal by {bare} of their spread. It says nothing about the sign of $p - q$. And attention
puts a matrix between the two rows: with a random one little of it is left, and the products
vary along a diagonal by {projected} of their spread.

**Learned:** $e_p = E_p$, and all $T \\cdot D$ numbers are free: {free} for BERT base. They begin
as noise, so no row knows which one is its neighbour, and row $p$ changes only with the gradient
from tokens that stood at $p$. Nothing ties $E_{{p+k}}$ to $E_p$ except what the task
asks for. Beyond the last row there is nothing at all.

So, on $T$ positions, the fixed encoding is **one point** in the space of the learned ones. The
learned encoding can become it, or anything else; the fixed one says more before training
(neighbours are alike) and beyond the table (there is a vector). That the vector exists does not
mean that a model understands it: it was trained on none of those.

![Cosine of every two rows as three heatmaps. The sinusoids show even bands along the diagonal. A
table as drawn at first shows a diagonal and noise. After training it still shows a diagonal and
noise: no bands.](questions-tables.png)

The rightmost of these tables has learned a task of offsets without an error, and still looks like
noise: the similarity of two neighbouring rows is {neighbours} over 20 seeds; for sinusoids of that
size it is {sinusoidal}. The distance is in the attention, not in the rows: the token three
positions back, which the task asks for, has an attention weight of {weight}. Nor has the table
become sines and cosines: the sine wave that fits a column best explains {waves} of its variance,
hardly more than before training ({drawn}); where a random matrix has mixed the columns of
sinusoids, it is {mixed_waves}. In BERT's own table neighbouring rows are alike (Wang and Chen 2020,
2010.04903); a task of offsets alone does not need that.

**Not settled here:** what structure a table takes on in long training on real text, and how much
of it comes from the initialisation. The small runs show only that a task can be solved without any.
"""


@torch.no_grad()
def set_to_sinusoids(seed: int = 0) -> float:
    """Largest difference of the outputs of two encoders, equal but for the kind of their table."""
    size, task = form(False), TASKS["shift"]
    fixed, learned = (
        fresh(kind, task, seed, size, size.length).eval() for kind in ("sinusoidal", "learned")
    )
    table = fixed.position.get_buffer("table")
    learned.load_state_dict(fixed.state_dict(), strict=False)
    learned.position.get_parameter("table").copy_(table)
    text = torch.randint(task.vocab_size, (8, size.length))
    return (fixed(text) - learned(text)).abs().max().item()


def _sinusoids() -> Tensor:
    return sinusoidal_table(form(False).length, form(False).width)


def error_of_shift(k: int = 7) -> float:
    """Largest error of PE(p + k) = M_k·PE(p) over 512 positions, D = 64."""
    table = sinusoidal_table(512, 64)
    return (table[:-k] @ shift_matrix(k, 64).T - table[k:]).abs().max().item()


def page() -> str:
    """The text with its numbers."""
    behind = study.mean(5, "over Shaw, longer text")
    numbers = {
        "cached": study.mean(1, "cached"),
        "anew": study.mean(1, "computed anew"),
        "back": study.mean(5, "over Shaw, backwards"),
        "far": study.Mean(-behind.mean, behind.std),
        "share": study.mean(3, "share of the parameters"),
        "sinusoids": study.mean(3, "steps over sinusoids"),
        "shaw": study.mean(3, "steps over Shaw"),
        "long": study.mean(3, "long rows"),
        "short": study.mean(3, "short rows over Shaw"),
        "beyond": study.mean(7, "beyond"),
        "mixed": study.mean(9, "mixed lengths"),
        "fixed": study.mean(9, "one length"),
        "bare": study.mean(11, "bare"),
        "projected": study.mean(11, "projected"),
        "neighbours": study.mean(4, "neighbours"),
        "weight": study.mean(4, "weight three back"),
        "waves": study.mean(24, "waves"),
        "drawn": study.mean(24, "as drawn"),
        "mixed_waves": study.mean(24, "mixed sinusoids"),
        "sinusoidal": study.short(offset_profile(_sinusoids())[1].item()),
        "same": study.short(set_to_sinusoids()),
        "shift": study.short(error_of_shift()),
        "free": study.short(sizes.count_parameters(create("learned", d_model=768))),
        "note": results.load("claims").note,
    }
    paragraphs = PAGE.format_map(numbers).strip().split("\n\n")
    filled = [textwrap.fill(each, 100, break_on_hyphens=False) for each in paragraphs]
    return "\n\n".join(filled) + "\n"


def main() -> None:
    """Write the page and its figures."""
    (DOCS / "questions.md").write_text(page(), encoding="utf-8")
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.4))
    figures.learning(axes[0])
    figures.places(axes[1])
    (DOCS / "questions-learning.png").write_bytes(plots.png(figure))
    (DOCS / "questions-tables.png").write_bytes(plots.png(figures.tables()))
    print(DOCS / "questions.md")


if __name__ == "__main__":
    main()
