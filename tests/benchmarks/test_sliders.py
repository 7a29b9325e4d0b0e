"""A slider's targets can be missed; that it is timed, the browser's tests see."""

import pandas as pd

from benchmarks import sliders as bench
from tests.common import UNITS


def test_a_target_is_met_or_missed() -> None:
    def told(milliseconds: float, pictures: float) -> list[str]:
        rows = [{"unit": UNITS[1], "median": 10.0, "pictures": 60.0}]
        rows.append({"unit": UNITS[2], "median": milliseconds, "pictures": pictures})
        return [line[:6].strip() for line in bench.targets(pd.DataFrame(rows))]

    assert told(149, 8.1) == ["met", "met"]
    assert told(151, 7.9) == ["missed", "missed"]


def test_every_slider_is_in_its_unit() -> None:
    for unit, label in bench.SLIDERS.items():
        assert f'("{label}"' in bench.upto(unit, label).cells[-1].source
