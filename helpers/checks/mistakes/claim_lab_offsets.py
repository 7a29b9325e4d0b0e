"""Unit 09: what people write instead of the spread along the diagonals."""

from __future__ import annotations

import torch

from helpers.checks.exercise import Mistake
from helpers.claims import settle


def offsets_without_the_matrix(table, matrices):
    share = []
    for _ in matrices:
        s = table @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_along_the_rows(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        along = ((s - s.mean(1, keepdim=True)) ** 2).sum()
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_along_the_other_diagonals(table, matrices):
    share = []
    for matrix in matrices:
        s = (table @ matrix @ table.T).flip(1)
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_on_one_diagonal(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        share.append(float(s.diagonal(1).std(correction=0) / s.std(correction=0)))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_to_the_right_only(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_not_relative(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        share.append(float(sum(((line - line.mean()) ** 2).sum() for line in lines) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_without_the_root(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float(along / ((s - s.mean()) ** 2).sum()))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_without_the_means(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / (s**2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_each_diagonal_alike(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = torch.stack([line.var(correction=0) for line in lines]).mean()
        share.append(float((along / s.var(correction=0)) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, high=0.01)}


def offsets_upside_down(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share, low=0.01)}


def offsets_settled_by_one_matrix(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": settle(share[:1], high=0.01)}


def offsets_by_heart(table, matrices):
    share = []
    for matrix in matrices:
        s = table @ matrix @ table.T
        lines = [s.diagonal(k) for k in range(1 - len(s), len(s))]
        along = sum(((line - line.mean()) ** 2).sum() for line in lines)
        share.append(float((along / ((s - s.mean()) ** 2).sum()) ** 0.5))
    return {"share": torch.tensor(share), "verdict": "does not hold"}


_SHARE, _VERDICT = "the spread along the diagonals", "the verdict, whatever was measured"
OFFSETS = (
    Mistake(
        offsets_without_the_matrix,
        "The matrices change nothing in your result: these are the products of the bare rows.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        offsets_along_the_rows,
        "This is the spread along the rows. The pairs of one offset stand on a diagonal.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        offsets_along_the_other_diagonals,
        "Your diagonals run from the lower left to the upper right. There i + j is the same, not "
        "j − i.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        offsets_on_one_diagonal,
        "You look at one offset only. Go over all diagonals, from 1 − T to T − 1.",
        (_SHARE,),
    ),
    Mistake(
        offsets_to_the_right_only,
        "Your diagonals begin with offset 0. With a matrix in between, those to the left are not "
        "the same.",
        (_SHARE,),
    ),
    Mistake(
        offsets_not_relative,
        "You have not divided by the spread of the whole matrix, so larger numbers look more "
        "spread out.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        offsets_without_the_root,
        "These are ratios of squares. Take the root.",
        (_SHARE, _VERDICT),
    ),
    Mistake(
        offsets_without_the_means,
        "Below the line you sum the squares of the numbers themselves. Their mean belongs "
        "subtracted first.",
        (_SHARE,),
    ),
    Mistake(
        offsets_each_diagonal_alike,
        "You take the mean over diagonals, so the corner with its single pair weighs as much as "
        "the longest. Sum over pairs.",
        (_SHARE,),
    ),
    Mistake(
        offsets_upside_down,
        "Your verdict is on the opposite claim. This one says that the spread is at most 0.01.",
        (_VERDICT,),
    ),
    Mistake(
        offsets_settled_by_one_matrix,
        "Your verdict rests on the first matrix alone. Another may say something else.",
        (_VERDICT,),
    ),
    Mistake(
        offsets_by_heart,
        "Your verdict is the same whatever was measured. Some matrices keep offsets: let it "
        "follow from the shares.",
        (_VERDICT,),
    ),
)
