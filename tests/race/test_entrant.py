"""Who may take part in a race: a class in a file or a notebook, built as it will be trained."""

from pathlib import Path
from typing import Any

import pytest

from helpers.course import cli
from helpers.encodings import Encoding, Rotary
from helpers.race import EntrantError, race
from helpers.race.entrant import entrant
from tests.race.test_race import TINY

MINE = "from helpers.encodings import Encoding\nclass Mine(Encoding):\n "


@pytest.mark.parametrize(
    ("written", "asked", "says"),
    [
        ("", "mine.py", "must be FILE.py:Class"),
        ("", "other.py:Mine", "other.py is no file"),
        ("", "mine.py:Mine", "mine.py has no class Mine"),
        (
            "Mine = 3",
            "mine.py:Mine",
            "Mine must be a class derived from helpers.encodings.Encoding",
        ),
        ("import sys\nsys.exit()", "mine.py:Mine", "cannot be imported: SystemExit"),
        ("import nothing_of_that_name", "mine.py:Mine", "cannot be imported: ModuleNotFoundError"),
        ("def Mine(:", "mine.py:Mine", "cannot be imported: SyntaxError"),
        (
            f"{MINE}def __init__(self, d): super().__init__(d)",
            "mine.py:Mine",
            "Mine(d_model=48, num_heads=4, max_len=512) cannot be built, or breaks on 16 tokens: "
            "TypeError",
        ),
        (
            f"{MINE}def __init__(self, max_len, **rest): raise ValueError('too many heads')",
            "mine.py:Mine",
            "ValueError: too many heads",
        ),
        (f"{MINE}def embed(self, x, positions): return x @ x", "mine.py:Mine", "RuntimeError"),
    ],
)
def test_a_class_that_cannot_take_part_is_told_why(
    written: str, asked: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(written)
    assert cli.main(["race", str(tmp_path / asked), "--out", str(tmp_path)]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("given", [3, None, Rotary(8)], ids=repr)
def test_what_is_no_class_is_told_what_to_pass(given: Any) -> None:
    with pytest.raises(EntrantError, match=r"^this .* must be a class .*pass the class itself"):
        race(given, TINY)


def test_a_file_is_run_once_however_often_its_class_is_built(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    counts = f"with open({str(tmp_path / 'runs')!r}, 'a') as runs: runs.write('.')"
    file.write_text(f"{counts}\n{MINE}pass")
    mine = entrant(f"{file}:Mine")
    assert type(mine.build(8)) is type(mine.build(16))
    assert (tmp_path / "runs").read_text() == "."


def test_a_file_that_changes_while_it_races_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"{MINE}size = 1")
    mine = entrant(f"{file}:Mine")
    assert vars(mine.kind())["size"] == 1
    file.write_text(f"{MINE}size = 2")
    with pytest.raises(EntrantError, match="has changed"):
        mine.kind()
    again = entrant(f"{file}:Mine")
    assert vars(again.kind())["size"] == 2 and again.code != mine.code


def test_a_registered_encoding_may_take_part() -> None:
    assert type(entrant("rotary").build(8)) is Rotary


def test_a_rivals_name_is_left_to_the_rival() -> None:
    assert entrant(type("RoPE", (Encoding,), {})).name == "RoPE, yours"
