"""What fewer bits cost: no encoding loses more by them than attention without positions does.

Each model is compared with itself in float64, its weights as they are after rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from helpers.encodings import tree_offsets
from helpers.model.attention import MultiHeadAttention
from helpers.model.decoder import Decoder
from tests.encodings.properties.subjects import (
    NAMES,
    D,
    V,
    bert,
    encoding,
    every,
    loud,
    needed,
    off_by,
    rounded_and_exact,
    run,
    tokens,
)

LONG = 512
ENOUGH = 0.0075  # twice what attention without positions is off by


@pytest.fixture(autouse=True)
def _plainly() -> Iterator[None]:
    torch.set_default_dtype(torch.float32)
    with torch.no_grad():
        yield


# Tables of vectors end before these positions.
TABLES = {"learned", "learned_2d", "tupe", "sinusoidal"}
FAR = [name for name in NAMES if name not in TABLES and not name.startswith("tree")]
FROM = (10**4, 10**5, 10**6)


@every("bfloat16 at 512")
def test_bfloat16_at_512(name: str) -> None:
    small, exact = rounded_and_exact(loud(name, LONG), torch.bfloat16)
    ids, given = tokens(1, LONG), needed(name, LONG)
    found = run(small, ids, **given)
    assert found.dtype == torch.bfloat16
    assert off_by(found, run(exact, ids, **given)) < ENOUGH


@every("autocast at 512")
def test_autocast_at_512(name: str) -> None:
    model, exact = rounded_and_exact(loud(name, LONG), torch.float32)
    ids, given = tokens(1, LONG), needed(name, LONG)
    with torch.autocast("cpu", torch.bfloat16):
        found = run(model, ids, **given)
    assert off_by(found, run(exact, ids, **given)) < ENOUGH


@pytest.mark.parametrize("start", FROM)
@every("float32 from 10⁴ to 10⁶", FAR)
def test_float32_far_from_the_beginning(name: str, start: int) -> None:
    small, exact = rounded_and_exact(bert(name), torch.float32)
    ids, places = tokens(1, 12), torch.arange(start, start + 36, 3)
    assert off_by(run(small, ids, None, places), run(exact, ids, None, places)) < 1e-5


@pytest.mark.parametrize("start", FROM)
@every("bfloat16 from 10⁴ to 10⁶", FAR)
def test_bfloat16_far_from_the_beginning(name: str, start: int) -> None:
    small, exact = rounded_and_exact(bert(name), torch.bfloat16)
    ids, places = tokens(1, 12), torch.arange(start, start + 36, 3)
    assert off_by(run(small, ids, None, places), run(exact, ids, None, places)) < ENOUGH


@pytest.mark.parametrize("start", FROM)
@every("autocast from 10⁴ to 10⁶", FAR)
def test_autocast_far_from_the_beginning(name: str, start: int) -> None:
    model, exact = rounded_and_exact(bert(name), torch.float32)
    ids, places = tokens(1, 12), torch.arange(start, start + 36, 3)
    with torch.autocast("cpu", torch.bfloat16):
        found = run(model, ids, None, places)
    assert off_by(found, run(exact, ids, None, places)) < ENOUGH


@pytest.mark.parametrize("name", ["rotary_2d", "fourier_2d", "rotary_3d"])
def test_neighbouring_patches_far_from_the_corner_stay_apart(name: str) -> None:
    """As at rows 300 and 301, which are one number in bfloat16."""
    places = torch.tensor([[row, 300, 7] for row in range(300, 308)])[None]
    places = places[..., : 3 if name == "rotary_3d" else 2]
    ids = tokens(1, 1).expand(1, 8)
    for how in ("bfloat16", "autocast"):
        dtype = torch.bfloat16 if how == "bfloat16" else torch.float32
        small, exact = rounded_and_exact(bert(name), dtype)
        with torch.autocast("cpu", torch.bfloat16, enabled=how == "autocast"):
            found = run(small, ids, None, places)
        assert off_by(found, run(exact, ids, None, places)) < ENOUGH, how


def test_xpos_has_no_nan_in_float16() -> None:
    """Its factors were infinite 12,000 positions apart; a text that is so long is refused."""
    attention = MultiHeadAttention(encoding("xpos", 16_000)).half()
    places = torch.cat([torch.arange(5), torch.arange(12_000, 12_005)])
    model = Decoder(encoding("xpos"), V, 1)
    small, exact = rounded_and_exact(model, torch.float16)
    ids = tokens(1, 10)
    found = small(ids, positions=places)
    assert off_by(found, exact(ids, positions=places)) < ENOUGH
    with pytest.raises(ValueError, match=r"S=8000 keys.*float16"):
        attention(torch.randn(1, 8000, D).half())


class NoDouble(TorchDispatchMode):
    """Refuses float64 on any device but the CPU, as MPS does; "cpu" too where it is told so."""

    def __init__(self, anywhere: bool = False) -> None:
        super().__init__()
        self.anywhere = anywhere

    def __torch_dispatch__(
        self,
        function: Any,
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        found = function(*args, **(kwargs or {}))
        for each in found if isinstance(found, tuple | list) else (found,):
            double = isinstance(each, Tensor) and each.dtype == torch.float64
            if double and (self.anywhere or each.device.type != "cpu"):
                raise TypeError(f"{function} makes float64 on {each.device}")
        return found


@every("float64 on the CPU only")
def test_float64_is_made_on_the_cpu_only(name: str) -> None:
    model, ids = bert(name, max_len=8).to("meta"), tokens(1, 8).to("meta")
    told = torch.arange(8, device="meta")
    with NoDouble():
        run(model, ids, **needed(name, 8, "meta"))
        if not name.startswith("tree"):
            run(model, ids, None, told)


def test_float64_is_noticed() -> None:
    with NoDouble(), pytest.raises(TypeError, match="float64 on meta"):
        torch.ones(D, device="meta").double()


def test_offsets_of_a_tree_need_no_float64() -> None:
    with NoDouble(anywhere=True):
        tree_offsets(torch.tensor([[1, -1, 1], [-1, 0, 1]]))
