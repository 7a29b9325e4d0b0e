"""What a message says of wrong numbers beside the first: what holds of them all."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from helpers.checks import after_bert, relative
from helpers.checks.engine.compare import difference
from helpers.checks.engine.exercise import Exercise
from helpers.checks.engine.hints import Written, edited

draw = torch.Generator().manual_seed(1)
X = torch.randn(2, 6, 6, generator=draw, dtype=torch.float64)
CAUSAL = torch.ones(6, 6).tril().bool().expand(2, 6, 6)
LOWER, SECOND = torch.ones(6, 6).tril(-1), torch.tensor([0, 1]).reshape(2, 1, 1)
COUNTED = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)

# The sentence, what is found in the place of what is expected, and that.
RELATIONS: dict[str, tuple[Callable[[Tensor], Tensor], Tensor]] = {
    "Each has the opposite sign.": (lambda x: -x, X),
    "Each is 1/2 times the expected one.": (lambda x: x / 2, X),
    "Each is √8 times the expected one.": (lambda x: x * 8**0.5, X),
    "Each is 1/√6 times the expected one.": (lambda x: x / 6**0.5, X),
    "Each is −2π times the expected one.": (lambda x: -2 * math.pi * x, X),
    "Each is 1/ln 2 times the expected one.": (lambda x: x / math.log(2), X),
    "Each is 1.41 times the expected one.": (lambda x: 1.41 * x, X),
    "Each is 1 more than the expected one.": (lambda x: x + 1, COUNTED),
    "Each is 0.5 less than the expected one.": (lambda x: x - 0.5, X),
    "Each is the square of the expected one.": (torch.square, X),
    "Each is 1 divided by the expected one.": (torch.reciprocal, X),
    "Each is the expected one rounded to a whole number.": (torch.round, X),
    "Each is the expected one to 2 decimals.": (lambda x: x.round(decimals=2), X),
    "None is off by more than 1 %.": (lambda x: x.bfloat16().double(), X),
    "Axes 1 and 2 are exchanged.": (lambda x: x.transpose(1, 2), X),
    "Along axis 1, they stand in reverse order.": (lambda x: x.flip(1), X),
    "Along axis 0, each is the one expected just after it.": (lambda x: x.roll(-1, 0), COUNTED**2),
    "Along axis 1, each is the one expected just before it.": (lambda x: x.roll(1, 1), X),
    "Along axis 1, those expected at even indices come first, then those at odd ones.": (
        lambda x: torch.cat([x[:, ::2], x[:, 1::2]], 1), COUNTED,
    ),
    "Along axis 1, those expected in the two halves take turns.": (
        lambda x: x[..., [0, 3, 1, 4, 2, 5], :], X,
    ),
    "Along axis 2, even and odd indices are exchanged.": (lambda x: x[..., [1, 0, 3, 2, 5, 4]], X),
    "Along axis 0, the two halves are exchanged.": (lambda x: x.roll(2, 0), X.reshape(4, 18)),
    "Along axis 1, yours are all the same.": (lambda x: x[:, :1].expand_as(x), X),
    "Along axis 2, they are the expected ones in another order.": (lambda x: x.sort(2).values, X),
    "They are the expected ones in another order.": (
        lambda x: x.flatten()[torch.randperm(12, generator=draw)].reshape(x.shape), COUNTED**2,
    ),
    "The two values are exchanged.": (torch.logical_not, CAUSAL),
    "All of them differ in this way. All stand above the diagonal.": (torch.ones_like, CAUSAL),
    "Each of yours is 0. All stand on the diagonal.": (lambda x: x * (1 - torch.eye(6)), X),
    "Each should be 0. All stand below the diagonal.": (lambda x: x + LOWER * X.exp(), X.triu()),
    "All stand at index 1 of axis 0.": (lambda x: x + x.square() * SECOND, X),
    "All stand at odd indices of axis 2.": (lambda x: x + x.square() * (torch.arange(6) % 2), X),
    "All stand in the second half of axis 2.": (lambda x: x + x.exp() * (torch.arange(6) > 2), X),
    "Those on the diagonal alone are right.": (lambda x: x + x.exp() * (1 - torch.eye(6)), X),
    "Those at index 0 of axis 1 alone are right.": (
        lambda x: x + x.exp() * (torch.arange(6) > 0)[:, None], X,
    ),
    # What is more or less trivial is not said.
    "": (lambda x: x + x.square() * torch.tensor([1.0, 2, 3, 4, 5, 6]).roll(2), X),
    " ": (lambda x: x + 1e-4 * (1.2 + x / 10), torch.linspace(0, 1, 9, dtype=torch.float64)),
    "  ": (lambda x: 1 - x, (torch.arange(9) % 2).double() * 0.999 + 1e-3),
}  # fmt: skip


@pytest.mark.parametrize(("said", "found", "expected"), [(k, *v) for k, v in RELATIONS.items()])
def test_what_holds_of_all_that_differ_is_said(
    said: str, found: Callable[[Tensor], Tensor], expected: Tensor
) -> None:
    message = difference(found(expected).double(), expected, 1e-4)
    assert message.partition("expected ")[2].partition(". ")[2] == said.strip()


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        (X.permute(2, 0, 1), X, "The numbers are right; the axes stand in another order."),
        (X[None], X, "The numbers are right; only the shape is another one."),
        (X[:, :5], X, "The first 5 along axis 1 are right."),
        (X, X[:, 1:], "The last 5 along axis 1 are right."),
        (X[:, :5] + 1, X, ""),
    ],
)
def test_right_numbers_in_another_shape_are_told(
    found: Tensor, expected: Tensor, said: str
) -> None:
    shapes = f"expected the shape {tuple(expected.shape)}, found {tuple(found.shape)}."
    assert difference(found, expected, 1e-4) == f"{shapes} {said}".strip()


def test_where_numbers_are_infinite_is_told() -> None:
    found = X.masked_fill(torch.ones(6, 6).triu(1).bool(), -math.inf)
    assert difference(found, X, 1e-4).endswith("(not a number). All stand above the diagonal.")


def _hints(exercise: Exercise, *edits: tuple[str, str]) -> list[str]:
    return exercise(
        Written("two at once", edited(exercise.right_answers[0].text, edits)).answer
    ).hints


@pytest.mark.parametrize(
    ("exercise", "first", "second"),
    [
        (after_bert.hooks, ('"A": "rotate"', '"A": "bias"'), ('"bias"', '"embed"')),
        (relative.memory, ('"batched": pairs', '"batched": B * H * pairs'), ("T * size", "T * T")),
    ],
)
def test_two_known_mistakes_at_once_get_both_hints(
    exercise: Exercise, first: tuple[str, str], second: tuple[str, str]
) -> None:
    hints = [_hints(exercise, second)[0], _hints(exercise, first)[0]]
    assert len({*hints}) == 2
    assert {*_hints(exercise, second, first)} == {*hints}


def test_of_two_mistakes_in_one_part_none_is_told() -> None:
    edits = ('"batched": pairs', '"batched": B * H * pairs'), ("B * H * pairs * d", "B * H * pairs")
    assert _hints(relative.memory, edits[1], edits[0]) == []
