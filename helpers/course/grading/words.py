"""Words in a learner's code that no exercise needs, for a person to look at: they change no mark.

The kernel holds no right answer that an exercise asks for. What is left to borrow is what other
packages have, or the lesson has shown; and what a kernel measures of an answer it can make up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import isbuiltin

from nbformat import NotebookNode

from helpers.checks.engine import Exercise

_WORDS = re.compile(
    # speaks for the grader
    r"helpers\.course|checks\.engine(?!\.earlier)|vnd\.order-matters\S*|\b(?:display_pub|pub_socket)\b"
    # goes where calls cannot be followed
    r"|\b(?:setprofile|_getframe|currentframe|ctypes|FunctionType|CodeType)\b"
    r"|\b(?:_thread|threading|concurrent|greenlet|multiprocessing|to_thread|run_in_executor)\b"
    # takes the text or the code of others, or writes down what they do, or what they are made of
    r"|\btorch\.(?:jit|fx|export|compile|ops|_C)\b|\b(?:symbolic_trace|make_fx)\b"
    r"|\b(?:getsource\w*|get_objects|get_referrers|__code__|__closure__|__subclasses__)\b"
    r"|\bexec(?=\()"
)


def strange(notebook: NotebookNode) -> list[str]:
    """Such words in the cells that may be the learner's, each once."""
    texts = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("locked")
    ]
    return list(dict.fromkeys(each[:80] for each in _WORDS.findall("\n".join(texts))))


def named(notebook: NotebookNode, exercises: Mapping[str, Exercise]) -> list[str]:
    """Answers that name a compiled function which they may not call.

    The check sees a call by Python's code; one by other compiled code, as of `map`, it cannot see.

    Args:
        exercises: by the name of the cell with the answer.
    """
    return [
        f"the answer to {name} names {function}, which it may not call"
        for cell in notebook.cells
        if (name := cell.metadata.get("nbgrader", {}).get("grade_id")) in exercises
        for function in sorted({e.__name__ for e in exercises[name].forbidden if isbuiltin(e)})
        if function and re.search(rf"\b{function}\b", cell.source)
    ]
