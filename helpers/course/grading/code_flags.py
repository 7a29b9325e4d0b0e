"""Words in a learner's code that no exercise needs, for a person to look at: they change no mark.

What can be copied is what the helpers, other packages or the lesson have; and what a kernel
measures of an answer can be made up.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode
from nbgrader.utils import is_locked

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
    """Return such words in the cells that may be the learner's, each once."""
    cells = [c for c in notebook.cells if c.cell_type == "code" and not is_locked(c)]
    text = "\n".join(cell.source for cell in cells)
    return list(dict.fromkeys(each[:80] for each in _WORDS.findall(text)))
