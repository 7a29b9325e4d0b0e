"""`make test` says at its end what it skipped, and what would run it."""

from pathlib import Path
from typing import Any, ClassVar

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


class _Beside:
    """Stands for what runs beside the steps: mypy, which finds a fault, and the drift."""

    killed: ClassVar[list[str]] = []

    def __init__(self, words: list[str], **_options: Any) -> None:
        self.name = words[2]

    def communicate(self) -> tuple[str, None]:
        return f"{self.name} says so\n", None

    def wait(self) -> int:
        return int(self.name == "mypy")

    def kill(self) -> None:
        self.killed.append(self.name)


@pytest.mark.parametrize(("failing", "code", "run"), [("pytest", 3, 3), ("", 1, 4)])
def test_the_first_step_that_fails_ends_all(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    failing: str,
    code: int,
    run: int,
) -> None:
    asked: list[str] = []

    def call(words: list[str], env: dict[str, str]) -> int:
        assert env["SKIPPED"] == str(everything.SKIPPED)
        asked.append(words[2])
        return 3 * (words[2] == failing)

    beside = ["mypy", "helpers.course"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(everything, "call", call)
    monkeypatch.setattr(everything, "Popen", _Beside)
    monkeypatch.setattr(_Beside, "killed", [])
    assert everything.everything() == code
    assert asked == ["ruff", "ruff", "pytest", "tests.skipped"][:run]
    assert (_Beside.killed == beside) == bool(failing)
    said = capsys.readouterr().out
    assert all((f"{each} says so" in said) != bool(failing) for each in beside)
