"""Words in a learner's code that no exercise needs, for an instructor to look at.

Code in a process can, with enough effort, make that process say anything: it can say what the
library says and hide where it has that from. What it can hardly do is to look like an exercise.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

_WORDS = re.compile(
    # the course's own way to ask and to mark
    r"helpers\.course|helpers\.checks\.\w+|import course\b|vnd\.order-matters\S*|\.reference\b"
    # what runs cells and shows what comes of them
    r"|\b(?:ast_transformers|input_transformers\w*|run_code|run_cell\w*|set_custom_exc"
    r"|_?showtraceback|display_pub|pub_socket|(?:pre|post)_(?:execute|run_cell))\b"
    # the inside of the interpreter, and other people's source
    r"|\b(?:setprofile|settrace|_getframe|currentframe|get_objects|get_referrers|meta_path|ctypes"
    r"|__code__|FunctionType|CodeType|getsource\w*|exec(?=\()|builtins)\b"
    # where no check can follow
    r"|\b(?:_thread|fork|multiprocessing|subprocess|posix_spawn|Popen)\b"
    # what is equal to what
    r"|\b(?:__eq__|__ne__|__torch_function__|unittest\.mock)\b"
)
# Only who means to speak for the grader has these.
GRADERS = ("helpers.course", "vnd.order-matters")


def strange(notebook: NotebookNode) -> list[str]:
    """Such words in the cells that may be the learner's, each once."""
    texts = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("locked")
    ]
    return list(dict.fromkeys(_WORDS.findall("\n".join(texts))))
