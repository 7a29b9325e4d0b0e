"""Claims 1 to 6: what is said in answers to questions about BERT's and GPT's positions."""

from __future__ import annotations

from helpers.claims import order, timing, trained
from helpers.claims.claim import Claim, Part

ANSWER, QUESTION = "a forum answer", "a question in a forum and its answer"

CLAIMS = (
    Claim(
        1,
        "A learned table saves much time when a model is tuned and used, since sines and cosines "
        "have to be worked out for each token.",
        ANSWER,
        "Vaswani et al. 2017, section 3.5",
        "Sinusoids are computed once and kept; both are then one addition. Even computed anew at "
        "each step they are a small part of one layer, and a BERT has 12 or 24.",
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
        "Attention by itself can only look over a fixed number of tokens.",
        ANSWER,
        "Vaswani et al. 2017, section 3.2.1",
        "The weights are computed from whatever keys there are; the search for an end was given "
        "up with the longest text tried. What ends is a table of positions, with its last row.",
        (
            Part(
                "at least",
                "attention reaches no further than it was built for",
                "× the length built for, or more",
                high=1,
            ),
        ),
        order.span,
    ),
    Claim(
        3,
        "What a learned table adds to the training is next to nothing.",
        ANSWER,
        "Devlin et al. 2018, section 3",
        "It is a third of a percent of BERT's parameters. It was learned in fewer steps than the "
        "same model needs for sinusoids of the same length, be it that of the words' vectors or "
        "their own. Vectors by offset, which are few and are trained by every pair, were learned a "
        "little sooner; and much sooner where the table's rows begin short beside the words.",
        (
            Part("share of the parameters", "its parameters are less than 1 %", "%", high=1),
            Part("steps over sinusoids", "it takes no more steps than sinusoids", "×", high=1),
            Part("steps over Shaw", "nor more than vectors by offset", "×", high=1),
        ),
        trained.price_of_learning,
    ),
    Claim(
        4,
        "A learned table cannot express how far two tokens are apart; or, as the reply has it, a "
        "network can learn to do so as it can learn anything.",
        QUESTION,
        "Wang and Chen 2020 (2010.04903)",
        "At the places it was trained on, a table solves a task that is about nothing but an "
        "offset. Beyond them there is no reason why it should, and it does not.",
        (
            Part("inside", "a table fails where only the offset counts", "% right", high=50),
            Part("beyond", "what is learned holds at any place", "% right", low=90),
        ),
        trained.offsets_from_a_table,
    ),
    Claim(
        5,
        "Learned tables are the choice because they give better results.",
        ANSWER,
        "Vaswani et al. 2017, table 3, row (E)",
        "The paper that tried both finds them nearly the same. Which one wins depends on the task: "
        "offsets suit one that is about offsets, absolute places one that is about places.",
        (
            Part("over sinusoids", "better than sinusoids, task of offsets", "points", low=5),
            Part("over Shaw, longer text", "better than vectors by offset there", "points", low=5),
            Part(
                "over Shaw, backwards",
                "better than vectors by offset, text said backwards",
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
        "It is so where every token sees all others. Under a causal mask the second layer sees "
        "tokens that have each seen a different part of the text, and these differ by their order.",
        (
            Part("both ways", "an encoder does not notice a shuffle", "relative", high=1e-6),
            Part("causal, 2 layers", "two causal layers do not notice it", "relative", high=1e-6),
        ),
        order.order_without_positions,
    ),
)
