"""Claims 7 to 15: what lecture slides say about positions and about BERT."""

from __future__ import annotations

from helpers.claims import order, sizes, trained
from helpers.claims.claim import PARTLY, Claim, Part

SLIDES = "lecture slides"

CLAIMS = (
    Claim(
        7,
        "With a learned table, a model cannot handle longer texts at test than in training.",
        SLIDES,
        "Devlin et al. 2018, section 3",
        "True of what the model can do, and no error says so: if the table has more rows, a "
        "longer text goes through, and a row that was never trained is noise.",
        (
            Part(
                "answered",
                "the longest text answered to its end is as long as those of the training",
                "× that length",
                high=1.05,
            ),
            Part("beyond", "untrained rows lead to little but guesses", "% right", high=50),
        ),
        trained.rows_beyond,
    ),
    Claim(
        8,
        "Relative embeddings have the same limit of context length.",
        SLIDES,
        "Shaw et al. 2018, section 3.2; Huang et al. 2018, section 3.4",
        "Clipped offsets have no such limit: all distances beyond k share a vector, and it was "
        "trained. A table with a vector for every single offset does end.",
        (
            Part("clipped", "clipped offsets fail on longer text", "% right", high=50),
            Part(
                "unclipped",
                "unclipped ones end at the length that they were built for",
                "× that length",
                high=1.01,
            ),
        ),
        trained.offsets_beyond,
    ),
    Claim(
        9,
        "The later the position, the worse its learned vector.",
        SLIDES,
        "Devlin et al. 2018, appendix A.2",
        "That depends on the lengths of the training texts and on the number of steps. With one "
        "length, all rows are trained alike. With mostly short texts, as in 90 % of BERT's steps, "
        "late rows are trained less often: after a short training they are behind. In the full "
        "form, a larger model with five times the steps, they have caught up.",
        (
            Part("one length", "late positions do worse, one length", "points lost", low=10),
            Part("mixed lengths", "late positions do worse, short texts", "points lost", low=10),
        ),
        trained.quality_by_row,
    ),
    Claim(
        10,
        "Relative positions turn T tokens into (T − 1)² inputs, which a trick brings down to 2T − "
        "1.",
        SLIDES,
        "Shaw et al. 2018, section 3.2",
        "There are T² pairs, T(T − 1) without the pairs of a token with itself. Between them "
        "they have 2T − 1 different offsets: that number is right.",
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
        "The dot product of two rows depends on the offset alone, and not on its sign. But "
        "attention puts matrices between the two rows. With a random matrix little of it is "
        "left. Of relative encodings the sentence is true.",
        (
            Part(
                "bare", "products of rows depend on the offset alone", "of the spread, r", high=0.01
            ),
            Part("projected", "so they do behind a matrix", "of the spread, r", high=0.01),
        ),
        order.offsets_in_products,
    ),
    Claim(
        12,
        "BERT reads up to 1,024 tokens.",
        SLIDES,
        "Devlin et al. 2018, appendix A.2",
        "It has 512 rows. 1,024 is the width D of the large model.",
        (Part("rows", "the table has 1,024 rows", "rows", low=1024, high=1024),),
        sizes.longest_bert,
        seeds=(0,),
    ),
    Claim(
        13,
        "BERT predicts a masked word with four layers of ReLUs that are 4,096 wide.",
        SLIDES,
        "Devlin et al. 2018, section 3.1; google-research/bert, run_pretraining.py",
        "The head is one dense layer of width D, a GELU, a LayerNorm, and a decoder that shares "
        "the word embedding. 4,096 = 4D is the inner width of the MLP in each layer of the "
        "encoder.",
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
        "Four days is right. 64 is right too, but it counts chips: the paper names 16 Cloud TPUs, "
        "64 chips in all, for the large model. A chip is not a core; a TPU chip of that time has "
        "two. We can read this, but not repeat it here.",
        read=PARTLY,
    ),
    Claim(
        15,
        "The large BERT has 340 million parameters.",
        SLIDES,
        "Devlin et al. 2018, section 3 and table 6",
        "It is 336 million with both heads, rounded up in the paper.",
        (Part("parameters", "within 2 % of 340 million", "million", low=333.2, high=346.8),),
        sizes.parameters_of_large,
        seeds=(0,),
    ),
)
