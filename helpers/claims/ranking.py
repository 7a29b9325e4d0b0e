"""Claims 33 and 34: what papers report of longer texts, decided by the board of the race.

Every number is a difference of two distances to the limit, by the rules of the race
(docs/race.md): 0 is the lowest loss that any model can have, 1 the loss without positions.
"""

from __future__ import annotations

from helpers.claims.claim import Claim, Part
from helpers.claims.longer import excess

UNIT = "of the way from the limit to no positions"
LOST = 0.1  # up to here nothing is lost
LONG = 8  # times the training length, the longest texts of the race


def distance(encoding: str, seed: int, task: str, times: int) -> float:
    """Return (loss − limit)/(loss without positions − limit) of a recorded run, at a length."""
    mine, none = (
        excess(f"race/{name}", seed, task=task, kind="all", times=times)
        for name in (encoding, "none")
    )
    return mine / none


def nearer(encoding: str, other: str, seed: int, task: str, times: int) -> float:
    """Return how much nearer to the limit an encoding is than another one."""
    return distance(other, seed, task, times) - distance(encoding, seed, task, times)


def alibi_first(seed: int, full: bool = False) -> dict[str, float]:
    """Measure how much nearer to the limit ALiBi is than three others, at eight times the length.

    Of the grammar, whose numbers decide: *over T5's bias*, *over RoPE*, *over sinusoids*; *lost*:
    how much further it is than RoPE at the training length. The same of the lag language. The same
    in both forms. Press et al. 2022 (2108.12409), table 2.
    """
    others = {"T5's bias": "t5_bias", "RoPE": "rotary", "sinusoids": "sinusoidal"}
    found = {}
    for task, label in (("grammar", ""), ("lag", "lag, ")):
        for name, other in others.items():
            found[f"{label}over {name}"] = nearer("alibi", other, seed, task, LONG)
        found[f"{label}lost"] = nearer("rotary", "alibi", seed, task, 1)
    return found


def rope_over_sinusoids(seed: int, full: bool = False) -> dict[str, float]:
    """Measure how much nearer to the limit RoPE is than sinusoids, at 2× and 8× the length.

    Of the grammar, whose numbers decide, and of the lag language. The same in both forms. Press et
    al. 2022 (2108.12409), table 2.
    """
    return {
        f"{label}{times}×": nearer("rotary", "sinusoidal", seed, task, times)
        for task, label in (("grammar", ""), ("lag", "lag, "))
        for times in (2, LONG)
    }


CLAIMS = (
    Claim(
        33,
        "Texts longer than those of the training are read best with ALiBi, and nothing is lost at "
        "the length of the training.",
        "the paper on ALiBi",
        "Press et al. 2022 (2108.12409), table 2; Kazemnejad et al. 2023 (2305.19466), table 3",
        "On texts eight times as long it is as in the paper's table: on each seed ALiBi is nearer "
        "to the limit than its three rivals, all of which do worse than a model without positions. "
        "But at the length of the training it is far behind RoPE, unlike in both papers. "
        "Presumably that is because the race's languages ask for exact offsets and places, while "
        "ALiBi's weights only fade with the distance.",
        (
            Part("over T5's bias", "eight times the length, better than T5's bias", UNIT, low=0),
            Part("over RoPE", "better than RoPE", UNIT, low=0),
            Part("over sinusoids", "better than sinusoids", UNIT, low=0),
            Part("lost", "at the length of the training as good as RoPE", UNIT, high=LOST),
        ),
        alibi_first,
        record="race/*",
    ),
    Claim(
        34,
        "RoPE reads longer texts better than sinusoids do.",
        "the paper on ALiBi, of its rivals",
        "Press et al. 2022 (2108.12409), table 2",
        "At twice the length it does. At eight times both are worse than no positions at all, and "
        "which of them more depends on the seed: a tie. In the paper's table RoPE's perplexity is "
        "less than a fifth of that of sinusoids there.",
        (
            Part("2×", "better at twice the length", UNIT, low=0),
            Part("8×", "better at eight times the length", UNIT, low=0),
        ),
        rope_over_sinusoids,
        record="race/*",
    ),
)
