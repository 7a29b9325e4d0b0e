"""`make test` says at its end what it skipped, and what would run it."""

from pathlib import Path
from typing import Any

import pytest

from tests import everything
from tests.skipped import NOTHING, told

pytest_plugins = ["pytester"]


def test_nothing_skipped_is_said() -> None:
    assert told([]) == NOTHING


def test_each_reason_is_counted_and_one_command_installs_all() -> None:
    lines = told(["needs bubblewrap"] * 40 + ["needs Chromium"] * 2).splitlines()
    assert lines[:3] == ["Skipped: 42 tests.", "  40 × needs bubblewrap", "  2 × needs Chromium"]
    assert lines[3].endswith("sudo apt install bubblewrap chromium && make test")
    assert len(lines) == 4


def test_an_unknown_reason_is_told_without_a_command() -> None:
    assert "install" not in told(["no GPU"]) and "1 × no GPU" in told(["no GPU"])


def test_a_run_in_two_processes_notes_each_skip_once(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = pytester.path / "skipped"
    monkeypatch.setenv("SKIPPED", str(place))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test may run in one
    hooks = Path(__file__).parents[1] / "conftest.py"
    pytester.makeconftest(hooks.read_text(encoding="utf-8"))
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.skipif(True, reason="needs bubblewrap")
        def test_marked(): ...
        def test_called(): pytest.skip("needs Chromium")
        def test_run(): ...
        """
    )
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=1, skipped=2)
    assert sorted(place.read_text().splitlines()) == ["needs Chromium", "needs bubblewrap"]


class _Types:
    """Stands for mypy, which runs beside the steps and finds a fault."""

    returncode, killed = 1, False

    def __init__(self, words: list[str], **_options: Any) -> None:
        assert words[2:] == [everything.TYPES]

    def communicate(self) -> tuple[str, None]:
        return "a fault\n", None

    def kill(self) -> None:
        _Types.killed = True


@pytest.mark.parametrize(("failing", "code", "run"), [("helpers.course", 3, 3), ("", 1, 5)])
def test_the_first_step_that_fails_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str, code: int, run: int
) -> None:
    asked: list[str] = []

    def call(words: list[str], env: dict[str, str]) -> int:
        assert env["SKIPPED"] == str(everything.SKIPPED)
        asked.append(words[2])
        return 3 * (words[2] == failing)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("subprocess.call", call)
    monkeypatch.setattr("subprocess.Popen", _Types)
    assert everything.main() == code
    assert asked == ["ruff", "ruff", "helpers.course", "pytest", "tests.skipped"][:run]
    assert _Types.killed == bool(failing)
    _Types.killed = False
