"""Unit 09: what people write instead of what happens beyond the places trained on."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.claims import settle


def beyond_and_inside(right, trained):
    share = right.nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_is_inside(right, trained):
    share = right[:, :, :trained].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_one_too_early(right, trained):
    share = right[:, :, trained - 1 :].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_one_too_late(right, trained):
    share = right[:, :, trained + 1 :].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_unasked_counted_as_wrong(right, trained):
    share = right[:, :, trained:].nan_to_num().mean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_unasked_counted_as_right(right, trained):
    share = right[:, :, trained:].nan_to_num(nan=1.0).mean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_mean_of_the_texts_means(right, trained):
    share = right[:, :, trained:].nanmean(2).nanmean(1)
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_in_percent(right, trained):
    share = 100 * right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), high=0.5)}


def beyond_one_number(right, trained):
    share = right[:, :, trained:].nanmean()
    return {"share": share, "verdict": settle([float(share)], high=0.5)}


def beyond_upside_down(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": settle(share.tolist(), low=0.5)}


def beyond_by_the_mean(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": "holds" if share.mean() <= 0.5 else "does not hold"}


def beyond_by_heart(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    return {"share": share, "verdict": "does not hold"}


def beyond_with_every_text_a_seed(right, trained):
    share = right[:, :, trained:].nanmean((1, 2))
    texts = torch.nan_to_num(right[:, :, trained:].nanmean(2), 0.5).flatten()
    return {"share": share, "verdict": settle(texts.tolist(), high=0.5)}


_SHARE = "the share of right answers, by seed"
_VERDICT = "the verdict, whatever was measured"
BEYOND = (
    Mistake(
        beyond_and_inside,
        "Your share is that of all places. Those trained on are nearly all right and hide what "
        "comes after them.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_is_inside,
        "These are the places that the model was trained on. Asked are those behind them.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_one_too_early,
        "You begin one place too early: places are counted from 0, and the last one trained on is "
        "trained − 1.",
        (_SHARE,),
    ),
    Mistake(
        beyond_one_too_late,
        "You begin one place too late: the first place that was not trained on is number trained.",
        (_SHARE,),
    ),
    Mistake(
        beyond_unasked_counted_as_wrong,
        "You count a NaN as a wrong answer. Nothing was asked there: leave it out.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_unasked_counted_as_right,
        "You count a NaN as a right answer. Nothing was asked there: leave it out.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_mean_of_the_texts_means,
        "You take a mean for each text and then the mean of these. A text that was asked once then "
        "weighs as much as one that was asked ten times.",
        (_SHARE,),
    ),
    Mistake(
        beyond_in_percent,
        "Your shares are percentages, and the claim's 0.5 is not. Keep them between 0 and 1.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_one_number,
        "One number for all seeds cannot say how far they are apart. Take the mean over texts and "
        "places only.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        beyond_upside_down,
        "Your verdict is on the opposite claim. This one says that at most half is right.",
        (_VERDICT,),
    ),
    Mistake(
        beyond_by_the_mean,
        "Your verdict goes by the mean alone. Where the seeds disagree, nothing is settled; settle "
        "knows when.",
        (_VERDICT,),
    ),
    Mistake(
        beyond_by_heart,
        "Your verdict is the same whatever was measured. Another model may come out otherwise: let "
        "it follow from the shares.",
        (_VERDICT,),
    ),
    Mistake(
        beyond_with_every_text_a_seed,
        "You take the spread between texts. A new text is soon had; what may come out otherwise is "
        "the training, so the spread is that between seeds.",
        (_VERDICT,),
    ),
)
