"""Claims 25 to 32: what papers and users of today's models say about RoPE and its rivals."""

from __future__ import annotations

from helpers.claims import decoders, longer
from helpers.claims.claim import Claim, Part

# Set before the first run: what counts as no loss, and as a gain.
POINTS, NATS, GAIN = 5, 0.1, 0.02  # points of % in accuracy, nats lost, nats gained

CLAIMS = (
    Claim(
        25,
        "RoPE helps because the score of two tokens decays with the distance between them.",
        "the paper on RoPE",
        "Su et al. 2021, section 3.4.3; Barbero et al. 2024 (2410.06205), section 3",
        "",
        (
            Part("same vector", "scores of equal vectors decay", "× that at one place", high=0.9),
            Part("any two", "so do those of any two vectors", "× that at one place", high=0.9),
            Part("far", "what stands far back is not found", "% right", high=50),
            Part("only decay", "a bias that only decays does the work", "% right", low=90),
        ),
        decoders.decay,
    ),
    Claim(
        26,
        "It costs nothing to turn only a quarter of the columns of each head.",
        "papers and code of GPT-J and GPT-NeoX",
        "Black et al. 2022 (2204.06745), section 2; the configuration of GPT-J",
        "",
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
        "Kazemnejad et al. 2023 (2305.19466), section 4",
        "",
        (
            Part("content", "nothing is lost where only content counts", "points", high=POINTS),
            Part("order", "nothing is lost where order counts", "points", high=POINTS),
            Part("over RoPE", "where order counts, more is right than with RoPE", "points", low=0),
        ),
        decoders.no_positions,
    ),
    Claim(
        28,
        "A larger base is enough for longer texts; the model need not be trained on them.",
        "a forum post on NTK-aware interpolation",
        "Peng et al. 2023 (2309.00071), section 3.1; Men et al. 2024 (2405.14591)",
        "",
        (
            Part("over RoPE", "texts four times as long are read better", "nats less", low=GAIN),
            Part("lost", "they are read like those of the training", "nats more", high=NATS),
        ),
        longer.larger_base,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        29,
        "Position interpolation needs no fine-tuning: divide the positions, and read.",
        "advice on running models, where a scale is set by hand",
        "Chen et al. 2023 (2306.15595), section 3",
        "",
        (
            Part(
                "lost", "longer texts are read like those of the training", "nats more", high=NATS
            ),
            Part("tuning brings", "fine-tuning brings nothing", "nats less", high=GAIN),
        ),
        longer.interpolation,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        30,
        "On longer texts, YaRN needs its temperature.",
        "the paper on YaRN",
        "Peng et al. 2023 (2309.00071), section 3.4",
        "",
        (
            Part("untuned", "it helps without fine-tuning", "nats less", low=GAIN),
            Part("tuned", "it helps after fine-tuning", "nats less", low=GAIN),
        ),
        longer.temperature,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        31,
        "Attention sinks come from absolute positions; with relative ones they go away.",
        "a guess that is often made about attention sinks",
        "Xiao et al. 2023 (2309.17453), section 3.1; Gu et al. 2024 (2410.10781)",
        "",
        (
            Part("RoPE", "the first token gets an even share: RoPE", "doublings", high=0),
            Part("T5", "the first token gets an even share: T5's bias", "doublings", high=0),
        ),
        decoders.sinks,
    ),
    Claim(
        32,
        "2-D RoPE carries over to larger pictures than those of the training.",
        "papers on vision transformers",
        "Heo et al. 2024 (2403.13298), section 4",
        "",
        (
            Part("9×9", "9×9 patches are read like 6×6", "nats more", high=NATS),
            Part("12×12", "so are 12×12", "nats more", high=NATS),
            Part("over the table", "better than a table for each axis", "nats less", low=GAIN),
        ),
        longer.larger_pictures,
        record="patches",
    ),
)
