"""What grading runs in a learner's kernel: questions to an answer.

Nothing that comes from here is believed: answers are judged in another process. Nothing that is
here says what is right.
"""

from __future__ import annotations

import builtins
import json
import pickle
import sys
from collections.abc import Callable, Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import publish_display_data
from jupyter_client.jsonutil import json_clean, json_default
from jupyter_client.session import json_packer
from torch import Tensor

from helpers.checks.engine.plain import decode, encode
from helpers.checks.engine.questions import Answers, Questions
from helpers.course.sandbox import lent

ANSWERS = "application/vnd.order-matters.answers+json"


def unpacked() -> Any:
    """What the grader has sent beside the code that is running."""
    request = InteractiveShell.instance().kernel.get_parent("shell")  # type: ignore[attr-defined]
    return pickle.loads(request["buffers"][0])


def function(code: CodeType, outside: dict[str, Any], name: str) -> FunctionType:
    """A function that was sent; `fill` adds what it knows, itself perhaps."""
    outside["__builtins__"] = builtins  # PyTorch looks for it, as in detect_anomaly
    return FunctionType(code, outside, name, None, tuple(CellType() for _ in code.co_freevars))


def fill(made: FunctionType, known: tuple[dict[str, Any], list[Any], dict[str, Any]]) -> None:
    """Give a function the names outside of it that it uses, and what it had of its own."""
    outside, cells, own = known
    made.__globals__.update(outside)
    for cell, value in zip(made.__closure__ or (), cells, strict=True):
        cell.cell_contents = value
    for name, value in own.items():
        setattr(made, name, value)


def tensor(
    data: bytes,
    dtype: torch.dtype,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    start: int,
    gradient: bool,
) -> Tensor:
    """A tensor that was sent, in the same order in memory."""
    numbers = torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0)
    made = torch.empty(0, dtype=dtype).set_(numbers.untyped_storage(), start, shape, strides)
    return made.requires_grad_(gradient)


def operator(name: str, overload: str) -> Any:
    """A compiled function of PyTorch's that has no other name."""
    packet = getattr(torch.ops.aten, name)
    return (getattr(packet, overload) if overload else packet)._op


def ask(answer: Callable[..., Any]) -> None:
    """Publish what `answer` says to the questions that were sent."""
    questions: Questions = unpacked()
    publish_display_data({ANSWERS: to_json(questions.ask(answer))})


def give() -> None:
    """Take what need be withheld no longer, and the course's answer to an exercise."""
    given, ours = unpacked()
    for name, codes in given.items():
        lent.give(name, codes)
    for (module, exercise), reference in ours.items():
        __import__(module)
        getattr(sys.modules[module], exercise).ours = reference


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


def go_on_without() -> None:
    """Let a cell go on after a line that uses what is withheld: what follows may be an answer."""
    run = InteractiveShell.run_code

    async def run_code(self: Any, code: Any, result: Any = None, **options: Any) -> bool:
        failed = await run(self, code, result, **options)
        if isinstance(getattr(result, "error_in_exec", None), lent.WithheldError | NameError):
            result.goes_on = True  # what comes of it may be missing in the next line
        return bool(failed) and not getattr(result, "goes_on", False)

    InteractiveShell.run_code = run_code  # type: ignore[assignment, method-assign]


def packed(message: Any) -> bytes:
    """A message of the kernel's, with ? for half a character, which UTF-8 has no bytes for.

    What cannot be sent would hold up each later output for 10 s (`OutStream.flush_timeout`).
    """
    try:
        return json_packer(message)
    except UnicodeEncodeError:
        text = json.dumps(json_clean(message), default=json_default, ensure_ascii=False)
        return text.encode(errors="replace")
