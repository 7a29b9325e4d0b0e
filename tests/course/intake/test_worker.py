"""Each question to the process that reads has its own answer, or none."""

import json
import subprocess
import sys

import pytest

from helpers.course.intake import Worker
from helpers.course.settings import CourseError


def test_no_answer_is_taken_for_that_of_the_next_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    made = Worker()
    with monkeypatch.context() as patch:
        patch.setattr(json, "loads", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made.ask("repaired", content="", release={})
    assert made.process is None


def test_what_goes_on_after_no_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    talks = ["python3", "-c", "import time; print('no JSON', flush=True); time.sleep(99)"]
    made = Worker()
    process = subprocess.Popen(talks, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    monkeypatch.setattr(made, "process", process)
    with pytest.raises(CourseError, match="ended the process"):
        made.ask("repaired", content="", release={})
    assert process.returncode


def test_what_is_printed_is_no_answer() -> None:
    code = (
        "from helpers.course.intake import worker\n"
        "worker.ANSWERS['x'] = lambda *_: print('words')\nworker.main()"
    )
    command = [sys.executable, "-c", code, json.dumps({"seconds": 9, "memory": 1 << 30})]
    ended = subprocess.run(command, input='["x", {}]\n', capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ('{"answer": null}\n', "words\n")
