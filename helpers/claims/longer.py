"""Claims 29 to 32, which recorded studies decide: RoPE on longer texts, and on larger pictures.

Every number rests on a loss less the lowest one possible on the same texts, in nats per token.
"""

from __future__ import annotations

from helpers import results
from helpers.claims.claim import Claim, Part

TRAINED, LONGER, FACTOR, TUNED = 24, 96, 4, 30  # tokens, tokens, s = 96/24, steps
NATS, GAIN = 0.1, 0.02  # up to here nothing is lost; from here on there is a gain; set before
PICTURES = {"6×6": 36, "9×9": 81, "12×12": 144}  # patches


def excess(study: str, seed: int, **chosen: float | str) -> float:
    """Loss over the limit (nats) of the one run in a record that has these entries.

    Raises:
        ValueError: no run has them, or several have.
    """
    table = results.load(study).table
    for column, value in {"seed": seed, **chosen}.items():
        table = table[table[column] == value]
    if len(table) != 1:
        raise ValueError(
            f"{len(table)} runs of {study} have seed={seed} and {chosen}; it must be 1"
        )
    return float(table["loss"].iloc[0] - table["limit"].iloc[0])


def _longer(seed: int, encoding: str, tuned: int = 0, length: int = LONGER) -> float:
    """Of a text four times as long; with s = 4, except for RoPE as it was trained."""
    factor = 0 if encoding == "RoPE" else FACTOR
    return excess("longer", seed, encoding=encoding, factor=factor, tuned=tuned, length=length)


def _as_trained(seed: int) -> float:
    return _longer(seed, "RoPE", length=TRAINED)


def larger_base(seed: int, full: bool = False) -> dict[str, float]:
    """What NTK-aware interpolation does to texts four times as long, without fine-tuning.

    *lost*: loss over the limit, less that of RoPE at the trained length; *over RoPE*: how much
    lower it is than with the base of the training; *tuned*: *lost* behind 30 steps of fine-tuning.
    The same in both forms. Peng et al. 2023 (2309.00071), section 3.1.
    """
    return {
        "lost": _longer(seed, "NTK") - _as_trained(seed),
        "over RoPE": _longer(seed, "RoPE") - _longer(seed, "NTK"),
        "tuned": _longer(seed, "NTK", TUNED) - _as_trained(seed),
    }


def interpolation(seed: int, full: bool = False) -> dict[str, float]:
    """What position interpolation does to texts four times as long, and what fine-tuning adds.

    *lost* as in `larger_base`, without fine-tuning; *tuning brings*: how much lower the loss is
    behind 30 steps of it. The same in both forms. Chen et al. 2023 (2306.15595), section 3.
    """
    untuned = _longer(seed, "interpolation")
    return {
        "lost": untuned - _as_trained(seed),
        "tuning brings": untuned - _longer(seed, "interpolation", TUNED),
    }


def temperature(seed: int, full: bool = False) -> dict[str, float]:
    """Loss (nats) of YaRN without its temperature, less that with it; no fine-tuning.

    *long*: texts four times as long, which its factor is made for; *short*: the trained length,
    where the seeds lie too far apart to decide.
    The same in both forms. Peng et al. 2023 (2309.00071), section 3.4.
    """

    def brings(length: int) -> float:
        without = _longer(seed, "YaRN, no temperature", length=length)
        return without - _longer(seed, "YaRN", length=length)

    return {"long": brings(LONGER), "short": brings(TRAINED)}


def larger_pictures(seed: int, full: bool = False) -> dict[str, float]:
    """Loss over the limit of 2-D RoPE on larger pictures, less that on those of the training.

    *over the table*: how much lower it is on 12×12 patches than with a learned table for each axis.
    The same in both forms. Heo et al. 2024 (2403.13298), section 4; Simeoni et al. 2025.
    """

    def on(picture: str, encoding: str = "2-D RoPE") -> float:
        return excess("patches", seed, encoding=encoding, length=PICTURES[picture])

    return {
        "9×9": on("9×9") - on("6×6"),
        "12×12": on("12×12") - on("6×6"),
        "over the table": on("12×12", "learned per axis") - on("12×12"),
    }


CLAIMS = (
    Claim(
        29,
        "A larger base is enough for longer texts; the model need not be trained on them.",
        "a forum post on NTK-aware interpolation",
        "Peng et al. 2023 (2309.00071), section 3.1; Men et al. 2024 (2405.14591)",
        "In most seeds, texts four times as long are read better with the larger base than with "
        "the old one, and in all they stay far from what the model can do on short ones. A few "
        "steps of fine-tuning bring most of that back.",
        (
            Part("over RoPE", "texts four times as long are read better", "nats less", low=GAIN),
            Part("lost", "they are read like those of the training", "nats more", high=NATS),
        ),
        larger_base,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        30,
        "Position interpolation needs no fine-tuning: divide the positions, and read.",
        "advice on running models, where a scale is set by hand",
        "Chen et al. 2023 (2306.15595), section 3",
        "The fastest pair, too, is slowed, by which the model tells neighbours apart: it looks "
        "twelve positions back where it should look three, and does worse than by guessing. The "
        "paper fine-tunes.",
        (
            Part(
                "lost", "longer texts are read like those of the training", "nats more", high=NATS
            ),
            Part("tuning brings", "fine-tuning brings nothing", "nats less", high=GAIN),
        ),
        interpolation,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        31,
        "YaRN's temperature makes for a lower loss on longer texts.",
        "the paper on YaRN",
        "Peng et al. 2023 (2309.00071), section 3.4",
        "Here the loss is a few hundredths of a nat higher with it, in most seeds and also on "
        "short texts. The paper measures large models on real text after fine-tuning, which this "
        "does not.",
        (Part("long", "it helps on texts four times as long", "nats less", low=GAIN),),
        temperature,
        seeds=tuple(range(20)),
        record="longer",
    ),
    Claim(
        32,
        "2-D RoPE carries over to larger pictures than those of the training.",
        "papers on vision transformers",
        "Heo et al. 2024 (2403.13298), section 4",
        "Larger pictures have new offsets on two axes. At twice the side the loss is above that of "
        "guessing, and a learned table for each axis loses less. With offsets clipped on each axis "
        "the same weights stay near the limit (unit 10).",
        (
            Part("9×9", "9×9 patches are read like 6×6", "nats more", high=NATS),
            Part("12×12", "so are 12×12", "nats more", high=NATS),
            Part("over the table", "better than a table for each axis", "nats less", low=GAIN),
        ),
        larger_pictures,
        seeds=tuple(range(5)),
        record="patches",
    ),
)
