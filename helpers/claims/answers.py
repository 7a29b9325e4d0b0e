"""Claims 16 to 23: what published answers to the book's exercises say (d2l, section 11.6)."""

from __future__ import annotations

from helpers.claims import order, sizes, timing, trained
from helpers.claims.claim import FAILS, OPEN, Claim, Part

ANSWERS = "published answers to the book's exercises"

CLAIMS = (
    Claim(
        16,
        "Stacked self-attention misses what is far apart, because its positions are fixed.",
        ANSWERS,
        "Dong et al. 2021 (2103.03404); Vaswani et al. 2017, table 1",
        "One layer connects all pairs, with fixed positions too. What does go wrong without skip "
        "connections, that all rows become one, is as bad with rows drawn at random, as those of a "
        "learned table begin.",
        (
            Part("reach", "distant tokens are out of reach", "of the tokens felt", high=0.9),
            Part("learned", "positions not fixed keep rows apart", "rank residual", low=0.1),
        ),
        order.stack,
    ),
    Claim(
        17,
        "Self-attention connects every pair of tokens, so it has very many parameters and over- or "
        "underfits.",
        ANSWERS,
        "Vaswani et al. 2017, section 3.2.2",
        "Its 4D² parameters do not know how long the text is; the pairs cost time, not parameters. "
        "It holds the smaller part of a layer. Whether a model overfits depends on the data.",
        (
            Part("512 over 32", "longer texts take more parameters", "×", low=1.1),
            Part("share of a layer", "attention is most of a layer", "% of a layer", low=50),
        ),
        sizes.parameters_of_attention,
        seeds=(0,),
    ),
    Claim(
        18,
        "Convolutional self-attention by Shen et al. leads in many tasks of language.",
        ANSWERS,
        "Yang et al. 2019 (1904.03107)",
        "The paper of that name is by Yang et al. and is about machine translation. A window like "
        "theirs is measured in unit 06.",
        read=FAILS,
    ),
    Claim(
        19,
        "An MLP that computes each position's vector takes more parameters than a table.",
        ANSWERS,
        "Li et al. 2021 (2106.02795), section 1",
        "Its size is its own choice and does not grow with the text, that of a table does. With a "
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
        "Theirs are learned, and skewing reads the same numbers as one does pair by pair. "
        "Sinusoids of the offset are Transformer-XL's. Both are counted in our own implementation, "
        "which was written after the papers.",
        (Part("Huang", "none of their vectors is trained", "trained numbers", low=0, high=0),),
        order.trained_offsets,
        seeds=(0,),
    ),
    Claim(
        21,
        "Relative embeddings save compute and memory, since no position has to be kept.",
        ANSWERS,
        "Huang et al. 2018, section 3.4 and table 1",
        "Only the table is smaller, and it was small already. The scores need a second term for "
        "every pair. What Huang et al. save is memory against a naive form of the same.",
        (
            Part("table", "the table is smaller", "× absolute", high=0.95),
            Part("memory", "a step keeps less memory", "× absolute", high=0.95),
            Part("operations", "a step takes fewer operations", "× absolute", high=0.95),
        ),
        timing.price_of_offsets,
    ),
    Claim(
        22,
        "Relative positions have improved translation, summaries and inference.",
        ANSWERS,
        "Shaw et al. 2018, table 1; Ke et al. 2021 (2006.15595), its table of GLUE scores",
        "Translation, yes: Shaw et al. report 0.3 to 1.3 BLEU more, by model and languages. What "
        "the answers cite for the other two was not verified here. Later work bears on inference: "
        "Ke et al. compare absolute and relative positions on GLUE, of which inference is a part.",
        read=OPEN,
    ),
    Claim(
        23,
        "Positions in a tree do better than positions in a line.",
        ANSWERS,
        "Wang et al. 2019 (1909.00383), section 3",
        "They do where the structure carries the text, and somebody has to know it. Where the line "
        "carries it, they do worse.",
        (
            Part("tree text", "lower loss, words follow the tree", "nats less", low=0.1),
            Part("line text", "lower loss, words follow the line", "nats less", low=0.1),
        ),
        trained.tree_against_line,
    ),
)
