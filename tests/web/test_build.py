"""The command that builds the site takes no folder that holds something else."""

from pathlib import Path

import pytest

from web.__main__ import build


@pytest.mark.parametrize("own", ["a folder", "a file"])
def test_what_is_no_site_is_not_emptied(tmp_path: Path, own: str) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    with pytest.raises(SystemExit, match="holds something else than the site"):
        build(tmp_path if own == "a folder" else path)
    assert path.read_text() == "years of work"
