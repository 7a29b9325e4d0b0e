"""Words in a learner's code that no exercise needs, for a person to look at: they change no mark.

The kernel holds no right answer that an exercise asks for. What is left to borrow is what other
packages have, or the lesson has shown; and what a kernel measures of an answer it can make up.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

_WORDS = re.compile(
    # speaks for the grader
    r"helpers\.course|checks\.engine(?!\.earlier)|vnd\.order-matters\S*|\b(?:display_pub|pub_socket)\b"
    # goes where calls cannot be followed
    r"|\b(?:setprofile|_getframe|currentframe|ctypes|FunctionType|CodeType)\b"
    r"|\b(?:_thread|threading|concurrent|greenlet|multiprocessing|to_thread|run_in_executor)\b"
    # takes the text or the code of others, or writes down what they do
    r"|\btorch\.(?:jit|fx|export|compile)\b|\b(?:symbolic_trace|make_fx)\b"
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
