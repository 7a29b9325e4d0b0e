"""The full profile is really asked for, and times and losses are those of the notebook."""

from pathlib import Path

import pytest
from nbformat import v4

from benchmarks import full_profile


def test_cells_are_timed_in_the_full_profile_and_losses_are_read(tmp_path: Path) -> None:
    cells = [
        "import os, time, torch\nassert os.environ['ORDER_MATTERS_PROFILE'] == 'full'",
        "def smooth(losses):\n    return torch.arange(2), torch.tensor(losses)",
        "learned_curve, none_curve = [2.5, 0.25], [3.0, 3.00001]\ntime.sleep(0.5)",
    ]
    notebook = v4.new_notebook(cells=[v4.new_code_cell(text) for text in cells])
    done = full_profile.run(notebook, tmp_path)
    seconds = full_profile.seconds(done).set_index("cell")["seconds"]
    assert 0.5 <= seconds["learned_curve, none_curve = [2.5, 0.25], [3.0, 3.00001]"] < 5
    points = full_profile.curves(done)
    assert points.to_dict("list") == {
        "run": ["learned"] * 2 + ["none"] * 2,
        "step": [0, 1, 0, 1],
        "loss": [2.5, 0.25, 3.0, 3.0],
    }


def test_a_notebook_without_its_curves_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="learned_curve"):
        full_profile.run(v4.new_notebook(), tmp_path)
