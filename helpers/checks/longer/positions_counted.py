"""Unit 10, “Positions in a padded cache”: what is right for some masks only, dtypes and forms."""

from __future__ import annotations

import torch

from helpers.checks.engine import changed
from helpers.checks.longer.positions import CACHE, ELSEWHERE, LONG, positions


def positions_counted(mask, cached=0):
    """The right answer, of which the mistakes below change one thing."""
    counted = mask.cumsum(1) - 1
    return torch.where(mask, counted, 0)[:, cached:]


@positions.mistake(
    "You subtract the number of padding tokens of the whole row, which is right where all of them "
    "stand on the left. Count the tokens before each one instead.",
    loses=ELSEWHERE,
    breaks="Padding may stand anywhere",
)
@changed(
    positions_counted,
    "mask.cumsum(1) - 1",
    "(torch.arange(mask.shape[1]) - (~mask).sum(1, keepdim=True)).clamp(min=0)",
)
def positions_after_all_padding(): ...


@positions.mistake(
    "You count from the first real token on, and count padding that comes after it. Count real "
    "tokens only.",
    loses=ELSEWHERE,
)
@changed(
    positions_counted,
    "mask.cumsum(1) - 1",
    "torch.arange(mask.shape[1]) - mask.int().argmax(1, keepdim=True)",
)
def positions_from_the_first_token(): ...


@positions.mistake(
    "You count in bfloat16, which has eight binary digits: there 257 is 256.",
    loses=LONG,
    breaks="$S$ may be any number",
)
@changed(positions_counted, "mask.cumsum(1) - 1", "(mask.bfloat16().cumsum(1) - 1).long()")
def positions_in_bfloat16(): ...


@positions.mistake(
    "You count in float16, which has eleven binary digits: there 2,049 is 2,048.", loses=LONG
)
@changed(positions_counted, "mask.cumsum(1) - 1", "(mask.cumsum(1).half() - 1).long()")
def positions_in_float16(): ...


@positions.mistake("Your numbers go through 8-bit integers, which end at 127.", loses=LONG)
@changed(positions_counted, "mask.cumsum(1) - 1", "(mask.cumsum(1) - 1).to(torch.int8).long()")
def positions_of_8_bits(): ...


@positions.mistake(
    "Your positions stop at some length, such as 512. A longer text has more of them.", loses=LONG
)
@changed(positions_counted, "mask.cumsum(1) - 1", "(mask.cumsum(1) - 1).clamp(max=511)")
def positions_up_to_512(): ...


@positions.mistake(
    "Your positions stop shortly before the longest text. With 4,096 tokens the last one is 4,095.",
    loses=LONG,
)
@changed(positions_counted, "mask.cumsum(1) - 1", "(mask.cumsum(1) - 1).clamp(max=4000)")
def positions_up_to_4000(): ...


@positions.mistake(
    "Your positions are floating-point numbers, which a later step may round to eight binary "
    "digits. Let them be int64.",
    breaks="in int64",
)
@changed(
    positions_counted, "torch.where(mask, counted, 0)", "torch.where(mask, counted, 0).float()"
)
def positions_as_floats(): ...


@positions.mistake(
    "You return as many columns as the cache has. The new ones are the rest: all columns from "
    "`cached` on.",
    loses=(CACHE, ELSEWHERE, LONG),
)
@changed(positions_counted, "[:, cached:]", "[:, -cached:]")
def positions_as_many_as_cached(): ...


@positions.mistake(
    "Your padding is at 1, where some libraries put it. Here it gets 0.",
    breaks="padding itself gets 0",
)
@changed(positions_counted, "counted, 0)", "counted, 1)")
def positions_of_padding_at_one(): ...


@positions.mistake(
    "Your padding after a token gets the number of tokens before it. All padding gets 0.",
    loses=ELSEWHERE,
)
def positions_of_padding_counted_on(mask, cached=0):
    return (mask.cumsum(1) - mask.long())[:, cached:]
