"""Unit 02's module: right only mostly is not right."""

from typing import Any

import pytest
from torch import Tensor

from helpers import encodings
from helpers.checks import sinusoidal as check
from helpers.checks.sinusoidal.common import RightModule


def _paired(module: Any, positions: Tensor) -> Tensor:
    batch, length = positions.shape  # (T,) is not allowed for
    return module.table[positions].view(batch, length, -1)


def _again(module: Any, x: Tensor, positions: Tensor | None) -> Tensor:
    rows = encodings.sinusoidal_table(module.max_len, module.d_model).to(x.dtype)
    return rows[: x.shape[1]] if positions is None else rows[positions]


def _module(**changes: Any) -> type:
    return type("Changed", (RightModule,), changes)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (_module(rows=lambda s, x, p: s.table[: x.shape[1]] if p is None else _paired(s, p)), 1),
        (
            _module(
                embed=lambda s, x, p=None: x + s.rows(x, p) if p is None else x.add_(s.table[p])
            ),
            2,
        ),
        (_module(rows=_again), 2),
        (_module(embed=lambda s, x, p=None: (_ for _ in ()).throw(ValueError("oops"))), 3),
    ],
)
def test_a_module_that_is_right_only_mostly(answer: type, part: int) -> None:
    report = check.module(answer)
    assert not report.findings[part].right


def test_a_subclass_of_value_error_is_one() -> None:
    class TooLongError(ValueError):
        pass

    def raising(self: Any, length: int) -> None:
        if length > self.max_len:
            raise TooLongError(f"{length} tokens, but only {self.max_len} rows")

    assert check.module(_module(check=raising)).complete
