"""`make quick` looks at what has changed."""

import pytest

from tests import changed
from tests.common import ROOT, UNITS


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("source/02-sinusoidal/02-sinusoidal.py", "02-sinusoidal"),
        ("helpers/checks/learned/table_start.py", "03-learned"),
        ("tests/checks/variants/relative_terms.py", "04-relative"),
        ("tests/saboteurs/harmless/stacking.toml", "06-stacking"),
    ],
)
def test_a_file_belongs_to_a_unit(path: str, unit: str) -> None:
    assert changed.units([path]) == [unit]


def test_two_units_and_the_engine() -> None:
    paths = ["source/09-claim-lab/09-claim-lab.py", "helpers/checks/learned/table.py"]
    assert changed.units(paths) == ["03-learned", "09-claim-lab"]
    assert changed.units([*paths, "helpers/checks/engine/case.py"]) == UNITS


def test_what_is_tested_for_a_unit_an_encoding_and_a_text() -> None:
    unit, encoding = "source/09-claim-lab/09-claim-lab.py", "helpers/encodings/rotary.py"
    assert changed.tests(["README.md"]) == ["tests/project"]
    assert "tests/saboteurs" in changed.tests([unit])
    assert changed.tests([encoding]) == ["tests/project", "tests/encodings", "tests/model"]
    both = {*changed.tests([unit]), *changed.tests([encoding])}
    assert both == {*changed.tests([unit, encoding])}
    assert all((ROOT / folder).is_dir() for folder in changed.tests([unit, encoding]))
