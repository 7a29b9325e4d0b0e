"""What grading runs in a learner's kernel: questions to an answer.

Nothing that comes from here is believed: answers are judged in another process.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.display import publish_display_data
from jupyter_client.jsonutil import json_clean, json_default
from jupyter_client.session import json_packer
from traitlets import Type

from helpers.checks.engine import Exercise
from helpers.checks.engine.plain import decode, encode
from helpers.checks.engine.questions import Answers

ANSWERS = "application/vnd.order-matters.answers+json"


class Shell(ZMQInteractiveShell):
    """Goes on where a notebook at home would stop: what follows may be an answer."""

    async def run_code(self, code_obj: Any, result: Any = None, **options: Any) -> bool:
        """Run one statement; whatever it raises is shown, and the next one runs."""
        await super().run_code(code_obj, result, **options)
        return False

    def run_cell_magic(self, magic_name: str, line: str, cell: str) -> Any:
        """Run the cell below a magic that is not installed here, and below `%%time`.

        The latter would stop at a line that raises.
        """
        if magic_name != "time":
            if self.find_cell_magic(magic_name) is not None:
                return super().run_cell_magic(magic_name, line, cell)
            print(f"%%{magic_name} is not installed here; the cell below it is run as it is.")
        self.run_cell(cell, store_history=False)
        return None

    def ask_exit(self) -> None:
        """Stay, where a cell calls `exit()` or `quit()`: the cells after it count as well."""
        print("exit() does not end the notebook here: the cells after it are run.")


class Kernel(IPythonKernel):
    """IPython's kernel with that shell."""

    shell_class = Type(Shell)


def ask(module: str, exercise: str, seed: int, answer: Callable[..., Any]) -> None:
    """Publish what `answer` says to the questions of an exercise.

    Args:
        module: of the unit's checks.
        seed: draws the questions.
    """
    asked: Exercise = getattr(importlib.import_module(module), exercise)
    publish_display_data({ANSWERS: to_json(asked.ask(answer, seed))})


def to_json(answers: Answers) -> dict[str, Any]:
    """Answers as JSON; `from_json` reads them."""
    found = {part: [encode(each) for each in said] for part, said in answers.found.items()}
    return {"name": str(answers.name)[:200], "found": found, "used": answers.used}


def from_json(data: Any, asked: Mapping[str, int]) -> Answers:
    """The answers in `data`, which a learner may have made up.

    Args:
        asked: how many questions, by part.

    Raises:
        ValueError: they are not answers to so many questions.
    """
    try:
        found = {part: [decode(each) for each in said] for part, said in data["found"].items()}
        used = {part: [str(each)[:200] for each in data["used"][part]] for part in found}
        name = str(data["name"])[:200]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not the form of an answer: {error}") from error
    if {part: len(said) for part, said in found.items()} != asked:
        raise ValueError("not an answer to each question")
    return Answers(name, found, used)


def packed(message: Any) -> bytes:
    """A message of the kernel's, with ? for half a character, which UTF-8 has no bytes for.

    What cannot be sent would hold up each later output for 10 s (`OutStream.flush_timeout`).
    """
    try:
        return json_packer(message)
    except UnicodeEncodeError:
        text = json.dumps(json_clean(message), default=json_default, ensure_ascii=False)
        return text.encode(errors="replace")
