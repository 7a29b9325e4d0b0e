"""Claims 16 to 23: what published answers to the book's exercises say (d2l, section 11.6)."""

from __future__ import annotations

from helpers.claims import order, sizes, stacks, timing, trained
from helpers.claims.claim import FAILS, OPEN, Claim, Part

ANSWERS = "published answers to the book's exercises"

CLAIMS = (
    Claim(
        16,
        "Stacked self-attention misses what depends on far tokens and on the structure of the "
        "sentence, because a position always has the same vector.",
        ANSWERS,
        "Dong et al. 2021 (2103.03404); Vaswani et al. 2017, table 1",
        "Each layer connects all pairs, so that a far token is one step away. A structure that "
        "the order of the words does not show is missed, by a trained table as much as by fixed "
        "positions. What helps is to be told the structure (claim 23).",
        (
            Part("far", "a symbol far back is missed", "% right", high=50),
            Part(
                "tree",
                "it misses a tree that it is not told",
                "nats above a model told the tree",
                low=0.1,
            ),
            Part("table", "a learned table would see it", "nats gained over fixed ones", low=0.1),
        ),
        stacks.far_and_structure,
    ),
    Claim(
        17,
        "Every token can look at every other, which takes so many parameters that self-attention "
        "overfits small data and underfits large data.",
        ANSWERS,
        "Vaswani et al. 2017, section 3.2.2",
        "Pairs cost time, not parameters: those are 4D² at any length. But our model of one layer "
        "does overfit eight texts of the lag language, and looking everywhere is a reason: with a "
        "window of ±3, into which the rule of that language fits, and as many parameters, it "
        "overfits less on every seed. Other windows, rules and sizes were not measured. With new "
        "texts in each step, it learns the task *shift*.",
        (
            Part("512 over 32", "more pairs take more parameters", "×", low=1.1),
            Part("few texts", "it overfits a few texts", "nats", low=0.1),
            Part("pairs", "with fewer pairs it overfits less", "% less", low=10),
            Part("endless text", "it underfits endless text", "% right", high=90),
        ),
        stacks.fitting,
    ),
    Claim(
        18,
        "Convolutional self-attention, by Shen et al., is state of the art in many language tasks.",
        ANSWERS,
        "Yang et al. 2019 (1904.03107)",
        "The paper of that name is by Yang et al., and it is about machine translation. Unit 06 "
        "measures a window like theirs.",
        read=FAILS,
    ),
    Claim(
        19,
        "An MLP that computes each position's vector takes more parameters than a table.",
        ANSWERS,
        "Li et al. 2021 (2106.02795), section 1",
        "Its size does not depend on the length of the text; the size of a table does. With a "
        "hidden width of 4D it is larger than BERT's table and smaller than one for long texts.",
        (
            Part("at 512", "more for texts of 512 tokens", "× a table", low=1),
            Part("at 8,192", "more for texts of 8,192 tokens", "× a table", low=1),
        ),
        sizes.index_mlp,
        seeds=(0,),
    ),
    Claim(
        20,
        "Huang et al. compute their relative vectors from sines and cosines.",
        ANSWERS,
        "Huang et al. 2018, section 3.4; Dai et al. 2019, section 3.3",
        "Theirs are learned. Sinusoids of the offset are Transformer-XL's. We counted the "
        "parameters of both in our own code. Their skew only rearranges the scores.",
        (Part("Huang", "none of their vectors is trained", "parameters", low=0, high=0),),
        order.trained_offsets,
        seeds=(0,),
    ),
    Claim(
        21,
        "Relative embeddings save compute and memory, since no absolute positions have to be "
        "stored.",
        ANSWERS,
        "Huang et al. 2018, section 3.4 and table 1",
        "Only the table is smaller, and it was small already. The scores need a second term for "
        "every pair. Huang et al. save memory compared with a naive form of the same attention.",
        (
            Part("table", "the table is smaller", "× absolute", high=0.95),
            Part("memory", "the attention keeps less memory", "× absolute", high=0.95),
            Part("operations", "the attention takes fewer operations", "× absolute", high=0.95),
        ),
        timing.price_of_offsets,
    ),
    Claim(
        22,
        "Relative positions have improved translation, summarisation and natural language "
        "inference.",
        ANSWERS,
        "Shaw et al. 2018, table 1; Ke et al. 2021 (2006.15595), its table of GLUE scores",
        "We have not verified what the answers cite for summarisation and inference. Translation, "
        "yes: Shaw et al. report 0.3 to 1.3 BLEU more, by model and languages. On inference there "
        "is later work: Ke et al. compare absolute and relative positions on GLUE, which includes "
        "it.",
        read=OPEN,
    ),
    Claim(
        23,
        "Positions in a tree do better than positions in a sequence.",
        ANSWERS,
        "Wang et al. 2019 (1909.00383), section 3",
        "A tree does better where the words depend on one, and somebody has to provide it. Where "
        "the words depend on the sequence, it does worse.",
        (
            Part("tree text", "lower loss, words follow the tree", "nats gained", low=0.1),
            Part("line text", "lower loss, words follow the sequence", "nats gained", low=0.1),
        ),
        trained.tree_against_line,
    ),
)
