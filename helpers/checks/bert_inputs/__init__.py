"""Unit 07-bert-inputs: what its exercises ask and look at. `make build` writes this file."""

from helpers.checks.bert_inputs.mask import mask
from helpers.checks.bert_inputs.padding import padding
from helpers.checks.bert_inputs.pairs import pairs
from helpers.checks.bert_inputs.pieces import pieces
from helpers.checks.bert_inputs.row import row
from helpers.checks.bert_inputs.vectors import vectors

__all__ = [
    "mask",
    "padding",
    "pairs",
    "pieces",
    "row",
    "vectors",
]
