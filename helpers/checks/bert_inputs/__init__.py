"""Unit 07, what BERT is fed: pieces of words, and two sentences in a row."""

from helpers.checks.bert_inputs.mask import mask
from helpers.checks.bert_inputs.padding import padding
from helpers.checks.bert_inputs.pairs import pairs
from helpers.checks.bert_inputs.pieces import pieces
from helpers.checks.bert_inputs.row import row
from helpers.checks.bert_inputs.vectors import vectors

__all__ = ["mask", "padding", "pairs", "pieces", "row", "vectors"]
