"""`make quick` tries the checks of the units that have changed."""

import pytest

from tests import changed
from tests.common import UNITS


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("source/02-sinusoidal/02-sinusoidal.py", "02-sinusoidal"),
        ("helpers/checks/learned/table_start.py", "03-learned"),
        ("tests/checks/variants/relative_terms.py", "04-relative"),
        ("tests/saboteurs/harmless/stacking.toml", "06-stacking"),
        ("README.md", "00-start-here"),
    ],
)
def test_a_file_belongs_to_a_unit(path: str, unit: str) -> None:
    assert changed.units([path]) == [unit]


def test_two_units_and_the_engine() -> None:
    paths = ["source/09-claim-lab/09-claim-lab.py", "helpers/checks/learned/table.py"]
    assert changed.units(paths) == ["03-learned", "09-claim-lab"]
    assert changed.units([*paths, "helpers/checks/engine/case.py"]) == UNITS
