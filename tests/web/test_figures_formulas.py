"""What figures draw is what helpers compute, to 1e-6, for sizes drawn at random."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from playwright.sync_api import Page
from torch import Tensor

from helpers import results
from helpers.encodings import (
    Alibi,
    Ntk,
    Positions,
    Rotary,
    Yarn,
    shift_matrix,
    sinusoidal_table,
    sinusoids,
    wavelengths,
)
from helpers.encodings.distance import alibi_slopes
from helpers.explorable import data
from helpers.model.attention import MultiHeadAttention
from tests.common import needs_browser

CALL = """async ([module, name, all]) => {
    const {[name]: asked} = await import(`/modules/${module}`);
    return all.map((args) => {
        const found = asked(...args);
        return found instanceof Float64Array ? [...found] : found;
    });
}"""


@dataclass(frozen=True)
class Ask:
    """A page that answers for the figures' modules."""

    page: Page

    def __call__(self, module: str, name: str, *args: Any) -> Any:
        """What a function of a module makes of its arguments."""
        return self.all(module, name, [args])[0]

    def all(self, module: str, name: str, all_args: Sequence[Sequence[Any]]) -> Any:
        """The same for several arguments at once."""
        return self.page.evaluate(CALL, [f"{module}.js", name, all_args])


def same(found: Any, expected: Any, within: float = 1e-6) -> None:
    """Both as numbers, none further apart than `within`."""
    found, expected = (torch.as_tensor(each, dtype=torch.float64) for each in (found, expected))
    torch.testing.assert_close(found, expected, rtol=0, atol=within)


def base_of(draw: random.Random) -> float:
    return 10 ** draw.uniform(1, 6)


def frequencies(ask: Ask, draw: random.Random) -> None:
    width, base, position = draw.randint(1, 65), base_of(draw), draw.randint(0, 5000)
    theirs = 2 * math.pi / wavelengths(width, base)
    same(ask("formulas", "frequencies", width, base), theirs)
    theirs = sinusoids(torch.tensor(position), width, base)
    same(ask("formulas", "sinusoids", position, width, base), theirs)


def similarity(ask: Ask, draw: random.Random) -> None:
    length, width, k = draw.randint(2, 30), 2 * draw.randint(1, 16), draw.randint(0, 12)
    base, matrix = base_of(draw), [draw.uniform(-1.5, 1.5) for _ in range(4)]
    table = sinusoidal_table(length, width, base)
    block = torch.tensor(matrix, dtype=torch.float64).view(2, 2)
    between = torch.block_diag(*[block] * (width // 2)) @ shift_matrix(k, width, base)
    found = ask("formulas", "similarity", length, width, matrix, k, base)
    same(found, (table @ between @ table.T * 2 / width).flatten())


def turned(x: Tensor, base: float) -> Tensor:
    """(T, d), each row turned as RoPE does."""
    rows, at = x[None, None], Positions.upto(len(x))
    return Rotary(x.shape[-1], base=base).rotate(rows, rows, at)[0][0, 0]


def rotary(ask: Ask, draw: random.Random) -> None:
    width, position, base = 2 * draw.randint(1, 20), draw.randint(0, 300), base_of(draw)
    vector = [draw.uniform(-2, 2) for _ in range(width)]
    row = torch.tensor(vector, dtype=torch.float64).expand(position + 1, -1)
    same(ask("formulas", "rotary", vector, position, base), turned(row, base)[-1])


def thetas(encoding: Rotary) -> Tensor:
    """θ of each pair, in float64."""
    pair = torch.arange(encoding.rotary_dim // 2, dtype=torch.float64)
    return encoding.frequencies(pair, Positions.upto(1))


def yarn(ask: Ask, draw: random.Random) -> None:
    width, base, factor = 2 * draw.randint(4, 64), draw.choice([1e4, 5e5]), draw.uniform(1, 32)
    length, fast, slow = 2 ** draw.randint(9, 15), draw.randint(17, 64), draw.randint(1, 16)
    options: dict[str, Any] = {"base": base, "fast": fast, "slow": slow}
    encoding = Yarn(width, factor=factor, original_max_len=length, **options)
    found = ask("formulas", "yarn", width, length, factor, options)
    same(torch.tensor(found["after"]) / thetas(encoding), torch.ones(width // 2))
    same(found["temperature"], encoding.attention_factor)


def ntk(ask: Ask, draw: random.Random) -> None:
    longer = draw.uniform(1, 32)
    plain = torch.tensor(ask("formulas", "frequencies", 128, 1e4), dtype=torch.float64)
    slowed = torch.tensor(ask.all("yarn", "ntk", [(n, longer) for n in range(64)]))
    same(plain / slowed / thetas(Ntk(128, factor=longer)), torch.ones(64))
    pair, many = draw.randint(0, 63), draw.randint(512, 2**15)
    same(ask("yarn", "turns", pair, many), many / wavelengths(128)[pair])


def alibi(ask: Ask, draw: random.Random) -> None:
    heads, length = draw.randint(1, 40), draw.randint(1, 40)
    form = draw.choice(["symmetric", "directional", "causal"])
    slopes = ask("formulas", "slopes", heads)
    same(slopes, alibi_slopes(heads))
    encoding = Alibi(heads, heads, form=form).double()
    bias = encoding.by_offset(torch.arange(-length, length + 1))
    head = draw.randrange(heads)
    each = range(-length, length + 1)
    found = ask.all("formulas", "alibi", [(slopes[head], offset, form) for offset in each])
    same(found, bias[head])
    query = draw.randrange(33)
    looks = encoding.by_offset(torch.arange(33) - query).softmax(-1)
    same(ask("slopes", "looks", heads, query, form), looks)


def patches(ask: Ask, draw: random.Random) -> None:
    side, base = draw.randint(2, 12), base_of(draw)
    width = 4 * draw.randint(1, 16)
    query, wish = [draw.randrange(side) for _ in "ij"], [draw.randint(-4, 4) for _ in "ij"]
    ones = torch.ones(width // 2, dtype=torch.float64)  # RoPE's columns of one axis

    def axis(offset: int, columns: Tensor) -> Tensor:
        """A vector, turned by two positions that lie so far apart, times itself."""
        row = columns.expand(abs(offset) + 1, -1)
        rows = turned(row, base)
        return rows[0] @ rows[-1]

    places = [(i, j) for i in range(side) for j in range(side)]
    grid = [(i - query[0] - wish[0], j - query[1] - wish[1]) for i, j in places]
    expected = [(axis(down, ones) + axis(right, ones)) / width for down, right in grid]
    same(ask("formulas", "patchScores", side, width, query, wish, "axes", base), expected)
    line = [axis(side * down + right, torch.cat([ones, ones])) / width for down, right in grid]
    same(ask("formulas", "patchScores", side, width, query, wish, "line", base), line)


def attention(ask: Ask, draw: random.Random) -> None:
    stored = data.attention()
    order, start = draw.sample(range(5), 5), draw.randint(0, 20)
    names = [*data.NOTICING, data.CAUSAL]
    found = ask.all("attention", "attend", [(stored, name, order, start) for name in names])
    for name, outputs in zip(names, found, strict=True):
        same(outputs, by_pytorch(stored, name, order, start))


def by_pytorch(stored: dict[str, Any], name: str, order: list[int], start: int) -> Tensor:
    """Outputs of the words, which stand behind `start` tokens that nobody may look at."""
    encoding = data.encoding("No positions" if name == data.CAUSAL else name).double()
    layer = MultiHeadAttention(encoding).double()
    with torch.no_grad():
        for key, values in stored["weights"].items():
            layer.get_parameter(key).copy_(torch.tensor(values))
        for key, parameter in (("learned", "table"), ("shaw", "keys")):
            if parameter in dict(encoding.named_parameters()):
                encoding.get_parameter(parameter).copy_(torch.tensor(stored[key]))
        x = torch.tensor(stored["x"], dtype=torch.float64)[order]
        x = torch.cat([torch.zeros(start, x.shape[1], dtype=x.dtype), x])[None]
        length = x.shape[1]
        mask = (torch.arange(length) >= start).expand(length, -1)
        if name == data.CAUSAL:
            mask = mask & torch.ones(length, length, dtype=torch.bool).tril()
        return layer(encoding.embed(x, Positions.upto(x.shape[1])), mask)[0, start:]


@needs_browser
@pytest.mark.parametrize(
    "compared",
    [frequencies, similarity, rotary, yarn, ntk, alibi, patches, attention],
)
def test_the_page_computes_what_helpers_do(
    compared: Callable[[Ask, random.Random], None], blank: Page
) -> None:
    for seed in range(4):
        compared(Ask(blank), random.Random(seed))


def test_data_are_the_recorded_ones() -> None:
    found = data.losses()
    assert set(found) == set(data.TASKS)
    for task, each in found.items():
        table = results.load(task).table
        assert sum(len(seeds) for by in each["runs"].values() for seeds in by) == len(table)
        for row in table.itertuples():
            at = each["lengths"].index(row.length)
            assert round(row.loss, 4) in each["runs"][row.encoding][at]
    assert set(data.clip()["runs"]) == {"RoPE", "RoPE, clipped"}
