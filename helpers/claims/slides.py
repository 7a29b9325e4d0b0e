"""Claims 7 to 15: what lecture slides say about positions and about BERT."""

from __future__ import annotations

from helpers.claims import order, sizes, trained
from helpers.claims.claim import PARTLY, Claim, Part

SLIDES = "lecture slides"

CLAIMS = (
    Claim(
        7,
        "With a learned table, a model can read no longer text than those it was trained on.",
        SLIDES,
        "Devlin et al. 2018, section 3",
        "True of a plain table. There is no row behind the last one, and a row that exists but was "
        "never trained is noise.",
        (
            Part("rows", "no text goes beyond the last row", "× the rows", high=1.01),
            Part("beyond", "untrained rows lead to little but guesses", "% right", high=50),
        ),
        trained.rows_beyond,
    ),
    Claim(
        8,
        "Relative embeddings have the same limit of length.",
        SLIDES,
        "Shaw et al. 2018, section 3.2; Huang et al. 2018, section 3.4",
        "Clipped offsets have no limit: every distance beyond k shares a vector that was trained. "
        "A vector for every single offset does end.",
        (
            Part("clipped", "clipped offsets fail on longer text", "% right", high=50),
            Part(
                "unclipped", "unclipped ones let none through", "× the length built for", high=1.01
            ),
        ),
        trained.offsets_beyond,
    ),
    Claim(
        9,
        "The later the position, the worse its learned vector.",
        SLIDES,
        "Devlin et al. 2018, appendix A.2",
        "That depends on the lengths of the training texts, and on how long it lasts. With one "
        "length all rows are trained alike. Where most texts are short, as in nine of ten of "
        "BERT's steps, late rows come later: after a short training they are behind, and in the "
        "full form, a larger model with five times the steps, they have caught up.",
        (
            Part("one length", "late places do worse, one length", "points lost", low=10),
            Part(
                "mixed lengths", "late places do worse, mostly short texts", "points lost", low=10
            ),
        ),
        trained.quality_by_row,
    ),
    Claim(
        10,
        "Relative positions turn T tokens into (T − 1)² inputs, which a trick brings down to "
        "2T − 1.",
        SLIDES,
        "Shaw et al. 2018, section 3.2",
        "There are T² pairs, T(T − 1) without those of a token and itself. Between them they have "
        "2T − 1 different offsets: that number is right.",
        (
            Part("pairs", "(T − 1)² pairs", "× (T − 1)²", low=1, high=1),
            Part("offsets", "2T − 1 offsets", "× (2T − 1)", low=1, high=1),
        ),
        sizes.inputs_of_relative,
        seeds=(0,),
    ),
    Claim(
        11,
        "Sinusoidal encodings make attention see only how far apart two tokens are, wherever the "
        "pair stands.",
        SLIDES,
        "Vaswani et al. 2017, section 3.5; Yan et al. 2019 (1911.04474)",
        "The bare product of two rows depends on the offset alone, and not on its sign. But "
        "attention puts matrices between the two; with a random one nearly nothing of it is left, "
        "and nothing makes training find one that keeps it. What the slide says is true of "
        "relative encodings.",
        (
            Part("bare", "products of rows depend on the offset alone", "of the spread", high=0.01),
            Part("projected", "so they do behind a matrix", "of the spread", high=0.01),
        ),
        order.offsets_in_products,
    ),
    Claim(
        12,
        "BERT reads up to 1,024 tokens.",
        SLIDES,
        "Devlin et al. 2018, appendix A.2",
        "512. The slide's number is the width D of the large model.",
        (Part("rows", "the table has 1,024 rows", "rows", low=1024, high=1024),),
        sizes.longest_bert,
        seeds=(0,),
    ),
    Claim(
        13,
        "BERT predicts a hidden word through four layers of ReLUs that are 4,096 wide.",
        SLIDES,
        "Devlin et al. 2018, section 3.1; google-research/bert, run_pretraining.py",
        "One dense layer of width D, a GELU, a LayerNorm, and a decoder that is the word embedding "
        "once more. 4,096 = 4D is the inner width of the MLP in each layer of the encoder.",
        (
            Part("ReLUs", "there are four ReLUs", "ReLUs", low=4, high=4),
            Part("width of the head", "the head is 4,096 wide", "wide", low=4096, high=4096),
        ),
        sizes.word_head,
        seeds=(0,),
    ),
    Claim(
        14,
        "The pretraining of BERT took four days on 64 TPU cores.",
        SLIDES,
        "Devlin et al. 2018, appendix A.2; Google's description of TPU v2 and v3",
        "Four days is right. 64 is right as well, but it counts chips: the paper names 16 Cloud "
        "TPUs, 64 chips in all, for the large model. A chip is not a core; one of that time has "
        "two. This can be read but not repeated here.",
        read=PARTLY,
    ),
    Claim(
        15,
        "The large BERT has 340 million parameters.",
        SLIDES,
        "Devlin et al. 2018, section 3 and table 6",
        "Rounded, with both heads. The table of sizes and perplexities on the slide is the "
        "paper's table 6.",
        (Part("parameters", "within 2 % of 340 million", "million", low=333.2, high=346.8),),
        sizes.parameters_of_large,
        seeds=(0,),
    ),
)
