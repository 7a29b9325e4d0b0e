"""Claims 1 to 6 and 24: what is said in questions about BERT's and GPT's positions, and replies."""

from __future__ import annotations

from helpers.claims import order, timing, trained
from helpers.claims.claim import Claim, Part

ANSWER, QUESTION, REPLY = "a forum answer", "a question in a forum", "the reply to claim 4"

CLAIMS = (
    Claim(
        1,
        "A learned table saves much time in fine-tuning and inference, since sines and cosines "
        "have to be computed for each token.",
        ANSWER,
        "Vaswani et al. 2017, section 3.5",
        "Sinusoids are computed once and kept; after that, either table is one addition. Even if "
        "they are recomputed at each step, they cost a small part of one layer, and a BERT has 12 "
        "or 24.",
        (
            Part("cached", "reading a table saves a twentieth of a layer", "% of a layer", low=5),
            Part(
                "computed anew",
                "it does so at least where sinusoids are not kept",
                "% of a layer",
                low=5,
            ),
        ),
        timing.price_of_sinusoids,
    ),
    Claim(
        2,
        "Attention as such reaches only a certain number of tokens.",
        ANSWER,
        "Vaswani et al. 2017, section 3.2.1",
        "The weights are computed from whatever keys there are. The longest text tried was still "
        "read from end to end. What ends is a table of positions, with its last row.",
        (
            Part(
                "at least",
                "attention reaches no further than it was built for",
                "× the length built for (the longest tried)",
                high=1,
            ),
        ),
        order.span,
    ),
    Claim(
        3,
        "What a learned table adds to the pretraining is negligible beside the parameters of the "
        "encoder.",
        ANSWER,
        "Devlin et al. 2018, section 3",
        "It is a third of a percent of BERT's parameters, and learning it costs no further steps: "
        "with rows as long as the words' vectors the model needs fewer than it needs for "
        "sinusoids. Beside that: vectors by offset are learned a little sooner, and much sooner "
        "than a table whose rows begin short.",
        (
            Part("share of the parameters", "its parameters are less than 1 %", "%", high=1),
            Part("steps over sinusoids", "it takes no more steps than sinusoids", "×", high=1),
        ),
        trained.price_of_learning,
    ),
    Claim(
        4,
        "With a learned table, a model cannot tell how far apart two tokens are.",
        QUESTION,
        "Wang and Chen 2020 (2010.04903)",
        "At the positions it was trained on, it solves a task that is about nothing but an "
        "offset. The distance is not in the rows of the table but in what the attention's "
        "matrices make of them. Beyond those positions it does little better than guessing.",
        (Part("inside", "it fails at a task about an offset alone", "% right", high=50),),
        trained.offsets_from_a_table,
    ),
    Claim(
        5,
        "Learned tables are the choice because they give better results.",
        ANSWER,
        "Vaswani et al. 2017, table 3, row (E)",
        "The paper that tried both finds them nearly the same. Which one wins depends on the "
        "task: offsets suit one that is about offsets, absolute positions one that is about "
        "positions.",
        (
            Part("over sinusoids", "better than sinusoids, task of offsets", "points", low=5),
            Part("over Shaw, longer text", "better than vectors by offset there", "points", low=5),
            Part(
                "over Shaw, backwards",
                "better than vectors by offset, a text said backwards",
                "points",
                low=5,
            ),
        ),
        trained.learned_against_others,
    ),
    Claim(
        6,
        "Without positions no Transformer knows the order of its tokens; that goes for GPT as "
        "well.",
        ANSWER,
        "Haviv et al. 2022 (2203.16634)",
        "That is true where every token sees all others. Under a causal mask each token has seen "
        "a different part of the text, and the second layer can tell these parts apart.",
        (
            Part("both ways", "an encoder does not notice a shuffle", "of its size", high=1e-6),
            Part(
                "causal, 2 layers", "two causal layers do not notice it", "of its size", high=1e-6
            ),
        ),
        order.order_without_positions,
    ),
    Claim(
        24,
        "A network can approximate any function, so its learned table turns into sines and "
        "cosines on its own.",
        REPLY,
        "Wang and Chen 2020 (2010.04903)",
        "It does learn to tell offsets apart, but not by sines and cosines: a sine wave fits the "
        "columns of its table hardly better than those of random numbers, and far worse than "
        "those of sinusoids that a random matrix has mixed. In BERT's own table neighbours are "
        "alike.",
        (
            Part("inside", "it learns a task about an offset alone", "% right", low=90),
            Part("waves", "a sine wave explains each of its columns", "of the variance", low=0.6),
        ),
        trained.fourier_terms,
    ),
)
