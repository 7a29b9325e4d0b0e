"""What fewer bits cost: no encoding loses more by them than attention without positions does.

Each model is compared with itself in float64, its weights as they are after rounding.
"""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from helpers.encodings import tree_offsets
from helpers.encodings.positions import WITHOUT_FLOAT64
from helpers.model.attention import MultiHeadAttention
from helpers.model.bert import Bert
from helpers.model.decoder import Decoder
from helpers.race.properties import relative_error
from tests.devices import AsOnOtherDevices
from tests.encodings.properties.subjects import (
    EVERY,
    NAMES,
    D,
    V,
    bert,
    encoding,
    loud,
    needed,
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


def _off_by(model: Bert, how: str, ids: Tensor, **given: Tensor) -> float:
    """How far the model is off in float32, in bfloat16, or under autocast with bfloat16."""
    dtype = torch.bfloat16 if how == "bfloat16" else torch.float32
    small, exact = rounded_and_exact(model, dtype)
    with torch.autocast("cpu", torch.bfloat16, enabled=how == "autocast"):
        found = run(small, ids, **given)
    assert found.dtype == dtype or how == "autocast"
    return relative_error(found, run(exact, ids, **given))


@pytest.mark.parametrize("how", ["bfloat16", "autocast"])
@EVERY
def test_a_text_of_512(name: str, how: str) -> None:
    assert _off_by(loud(name, LONG), how, tokens(1, LONG), **needed(name, LONG)) < ENOUGH


@pytest.mark.parametrize("how", ["float32", "bfloat16", "autocast"])
@pytest.mark.parametrize("name", FAR)
def test_far_from_the_beginning(name: str, how: str) -> None:
    for start in (10**4, 10**5, 10**6):
        places = torch.arange(start, start + 36, 3)
        error = _off_by(bert(name), how, tokens(1, 12), positions=places)
        assert error < (1e-5 if how == "float32" else ENOUGH), start


@pytest.mark.parametrize("name", ["rotary_2d", "fourier_2d", "rotary_3d"])
def test_neighbouring_patches_far_from_the_corner_stay_apart(name: str) -> None:
    """As at rows 300 and 301, which are one number in bfloat16."""
    places = torch.tensor([[row, 300, 7] for row in range(300, 308)])[None]
    places = places[..., : 3 if name == "rotary_3d" else 2]
    ids = tokens(1, 1).expand(1, 8)
    for how in ("bfloat16", "autocast"):
        assert _off_by(bert(name), how, ids, positions=places) < ENOUGH, how


def test_xpos_has_no_nan_in_float16() -> None:
    """Its factors were infinite 12,000 positions apart; a text that is so long is refused."""
    attention = MultiHeadAttention(encoding("xpos", 16_000)).half()
    places = torch.cat([torch.arange(5), torch.arange(12_000, 12_005)])
    model = Decoder(encoding("xpos"), V, 1)
    small, exact = rounded_and_exact(model, torch.float16)
    ids = tokens(1, 10)
    found = small(ids, positions=places)
    assert relative_error(found, exact(ids, positions=places)) < ENOUGH
    assert attention(torch.randn(1, 3_900, D).half()).isfinite().all()
    with pytest.raises(ValueError, match=r"S=4600 keys.*float16"):
        attention(torch.randn(1, 4_600, D).half())


@pytest.fixture
def _meta_without_float64() -> Iterator[None]:
    WITHOUT_FLOAT64.add("meta")
    yield
    WITHOUT_FLOAT64.remove("meta")


@EVERY
@pytest.mark.usefixtures("_meta_without_float64")
def test_what_other_devices_refuse_is_not_asked_of_them(name: str) -> None:
    """Tensors of the meta device hold no numbers, and will not be mixed with the CPU's."""
    model, ids = bert(name, max_len=8).to("meta"), tokens(1, 8).to("meta")
    told, real = torch.arange(8, device="meta"), torch.ones(1, 8, dtype=torch.bool, device="meta")
    with AsOnOtherDevices():
        run(model, ids, real, **needed(name, 8, "meta"))
        if not name.startswith("tree"):
            run(model, ids, None, told)


def test_nor_is_it_by_the_offsets_of_a_tree() -> None:
    with AsOnOtherDevices(anywhere=True):
        tree_offsets(torch.tensor([[1, -1, 1], [-1, 0, 1]]))
