"""Claims 25 to 28: what is said of RoPE, of its rivals and of attention sinks in today's models."""

from __future__ import annotations

from helpers.claims import decoders
from helpers.claims.claim import Claim, Part

POINTS = 5  # of % in accuracy: up to here nothing is lost; set before the first run

CLAIMS = (
    Claim(
        25,
        "RoPE helps because the score of two tokens decays with the distance between them.",
        "the paper on RoPE",
        "Su et al. 2021, section 3.4.3; Barbero et al. 2024 (2410.06205), section 3",
        "The score of a vector with one like it falls with the distance; that of two independent "
        "vectors does not. A decoder with RoPE finds what stands 24 positions back, and a bias "
        "that does nothing but decay does not lead it to what stands three positions back. What "
        "RoPE gives is an angle for each distance, so that a query can ask for any of them.",
        (
            Part("same vector", "scores of equal vectors decay", "× that at distance 0", high=0.9),
            Part("any two", "so do those of any two vectors", "× that at distance 0", high=0.9),
            Part("far", "what stands far back is not found", "% right", high=50),
            Part("only decay", "a bias that only decays does the work", "% right", low=90),
        ),
        decoders.decay,
    ),
    Claim(
        26,
        "It costs nothing to turn only a quarter of the columns of each head.",
        "papers and code of GPT-J and GPT-NeoX",
        "Black et al. 2022 (2204.06745), section 2",
        "At the length of the training nothing is lost. Far beyond it much is: four pairs are left "
        "of sixteen, and presumably they tell far distances from the one asked for less well.",
        (
            Part(
                "as trained", "nothing is lost at the length of the training", "points", high=POINTS
            ),
            Part(
                "four times", "nothing is lost on texts four times as long", "points", high=POINTS
            ),
        ),
        decoders.part_of_rope,
    ),
    Claim(
        27,
        "A decoder without positions reads longer texts than those it was trained on, and better "
        "than one with RoPE.",
        "the paper on NoPE",
        "Kazemnejad et al. 2023 (2305.19466)",
        "Where only content counts, nothing changes with the length. Order it has to work out from "
        "the causal mask: three layers learn it, and beyond the trained length one answer in nine "
        "is wrong, while one layer with RoPE and a third of the steps is hardly ever wrong. The "
        "paper compares larger models on other tasks.",
        (
            Part("content", "nothing is lost where only content counts", "points", high=POINTS),
            Part("order", "nothing is lost where order counts", "points", high=POINTS),
            Part("over RoPE", "where order counts, more is right than with RoPE", "points", low=0),
        ),
        decoders.no_positions,
    ),
    Claim(
        28,
        "Attention sinks come from absolute positions; with relative ones they go away.",
        "talk about attention sinks",
        "Xiao et al. 2023 (2309.17453), section 3.1; Gu et al. 2024 (2410.10781)",
        "A softmax has to put its weight somewhere, however positions are encoded. With "
        "T5's bias the first token draws several times the uniform weight. With RoPE it does in "
        "some seeds and not in others; that is left open here. In language models with RoPE the "
        "papers find sinks throughout.",
        (
            Part(
                "RoPE",
                "with RoPE, the first token gets no more than the uniform weight",
                "doublings",
                high=0,
            ),
            Part("T5", "so it is with T5's bias", "doublings", high=0),
        ),
        decoders.sinks,
    ),
)
