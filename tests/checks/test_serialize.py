"""What an answer said survives the way to another process, and nothing else gets through."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from helpers.checks.engine import compare
from helpers.checks.engine.compare import Other
from helpers.checks.engine.serialize import CapturedException, decode, encode, sanitize

SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.text(max_size=20) | st.floats()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers(0, 9), inner, max_size=4)
    ),
    max_leaves=12,
)


def _sent(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(sanitize(value)))))


@given(VALUES)
def test_values_come_back_to_the_last_bit(value: Any) -> None:
    assert repr(_sent(value)) == repr(value)  # so that nan is nan, and −0.0 is not 0.0


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.int32])
def test_tensors_come_back_as_float64(dtype: torch.dtype) -> None:
    tensor = (torch.randn(3, 4) * 9).to(dtype)
    found = _sent({"a": [tensor.T]})["a"][0]
    assert found.dtype == torch.float64
    assert torch.equal(found, tensor.T.double())
    assert torch.equal(_sent(np.asarray(tensor.tolist())), tensor.double())
    assert _sent(torch.zeros(3, 0, 2)).shape == (3, 0, 2)


class _Everything:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class _Mute:
    def __repr__(self) -> str:
        raise RuntimeError


class _MyTensor(torch.Tensor):
    pass


def test_anything_else_is_only_named() -> None:
    assert sanitize(_Everything()).kind == "_Everything"
    assert not compare.same(sanitize(_Everything()), torch.zeros(2), 1e-4)
    assert not compare.same(sanitize(_Everything()), True, 1e-4)
    assert sanitize(_Mute()) == Other("_Mute", "?")
    assert sanitize(torch.zeros(2).as_subclass(_MyTensor)).kind == "_MyTensor"
    assert sanitize(torch.zeros(2, dtype=torch.complex64)).kind == "Tensor of complex64"
    assert sanitize(np.float64(0.5)).kind == "float64"
    assert sanitize(10**400).kind == "int"
    assert sanitize("x" * 20_000).kind == "str"
    endless: list[Any] = []
    endless.append(endless)
    assert "Other" not in repr(encode(sanitize(endless)))
    assert _sent(Other("a", "b")).kind == "Other"  # a learner's own class of that name
    error = CapturedException("ValueError", "no")
    assert decode(encode(error)) == error


@pytest.mark.parametrize(
    "data",
    [
        {"tensor": "AAAA", "shape": [1]},
        {"tensor": "not base64", "shape": [1]},
        {"tensor": "", "shape": [-1, 0]},
        {"tensor": "", "shape": [10**9, 10**9]},  # and costs nothing
        {"tensor": "", "shape": ["a"]},
        {"tensor": "", "shape": [False]},
        {"tensor": "", "shape": [0.0]},
        {"tensor": "", "shape": [0] * 65},
        {"tensor": "", "shape": [10**4000 + 7] * 40 + [0]},
        {"list": [1 << 1024]},
        {"float": "x"},
        {"list": 3},
        {"dict": [["a"]]},
        {"dict": [[["a"], 1]]},
        {"other": [1, 2]},
        {"run": "import os"},
        [1, 2],
        1.5,
    ],
)
def test_what_encode_never_writes_is_refused(data: Any) -> None:
    with pytest.raises(ValueError) as told:
        decode(data)
    assert len(str(told.value)) < 300  # an instructor's table has it


@pytest.mark.parametrize("key", [2**61 - 1, -(2**61), 2**1000])
def test_keys_cannot_be_chosen_to_have_one_hash(key: int) -> None:
    """A dictionary of such keys takes the square of their number in time."""
    with pytest.raises(ValueError, match="a key of"):
        decode({"dict": [[key, None]]})
    assert sanitize({key: 1}) == {repr(key): 1}  # what is honest is read all the same
    assert decode(encode(sanitize({2**59: 1, -3: 2, "a": 3}))) == {2**59: 1, -3: 2, "a": 3}
