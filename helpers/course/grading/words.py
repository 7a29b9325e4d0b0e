"""Words in a learner's code that no exercise needs, for an instructor to look at.

Code in a process can, with enough effort, make that process say anything: it can say what the
library says and hide where it has that from. What it can hardly do is to look like an exercise.
"""

from __future__ import annotations

import ast
import re
import unicodedata

from nbformat import NotebookNode

_WORDS = re.compile(
    # the course's own way to ask and to mark
    r"helpers\.course|helpers\.checks\.\w+|import course\b|vnd\.order-matters\S*"
    r"|\.(?:reference|mistakes|variants|judge|ask)\b|(?<!canvas)\.draw\b"
    # what runs cells and shows what comes of them
    r"|\b(?:ast_transformers|input_transformers\w*|run_code|run_cell\w*|set_custom_exc|linecache"
    r"|_?showtraceback|display_pub|pub_socket|displayhook|(?:pre|post)_(?:execute|run_cell))\b"
    # the inside of the interpreter, and other people's source
    r"|\b(?:setprofile|settrace|_getframe|currentframe|get_objects|get_referrers|meta_path|ctypes"
    r"|__code__|__mro__|__subclasses__|__globals__|__closure__|__import__|import_module"
    r"|FunctionType|CodeType|getsource\w*|builtins|SystemExit|BaseException)\b"
    r"|(?<![.\w])(?:exec|eval|compile|open)(?=\()|\b(?:read_text|read_bytes|shutil)\b"
    # a command of the shell, but for what people in Colab begin with
    r"|^[ \t]*!(?![ \t]*(?:pip3? install [\w \t.=\[\]-]+|(?:nvidia-smi|ls|pwd)[ \t]*)$).*"
    # where no check can follow
    r"|\b(?:_?threading|_thread|concurrent|asyncio|fork|multiprocessing|subprocess|posix_spawn"
    r"|Popen)\b"
    # what is equal to what
    r"|\b(?:__eq__|__ne__|__torch_function__|unittest\.mock)\b",
    re.MULTILINE,
)
# Only who means to speak for the grader has these.
GRADERS = ("helpers.course", "vnd.order-matters")
LONGEST = (
    20_000  # characters of a cell that are worth Python's time, which can grow as their square
)


def strange(notebook: NotebookNode) -> list[str]:
    """Such words in the cells that may be the learner's, each once; a cell too long to look at."""
    texts = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("locked")
    ]
    found = _WORDS.findall("\n".join(map(_plain, texts)))
    found += [f"a cell of {len(text):,} characters" for text in texts if len(text) > LONGEST]
    return list(dict.fromkeys(each[:80] for each in found))


def _plain(text: str) -> str:
    """The code as Python reads it: usual letters, usual spaces, texts in pieces put together."""
    if len(text) > LONGEST:
        return text
    text = unicodedata.normalize("NFKC", text)
    try:
        return ast.unparse(_Joined().visit(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # Jupyter's own commands, say
        return re.sub(r"(?<![ \t])[ \t]*\.[ \t]*", ".", text)  # from the first space alone


class _Joined(ast.NodeTransformer):
    """ "refer" + "ence" is "reference"."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.Constant(str(left)), ast.Add(), ast.Constant(str(right))):
                return ast.Constant(left + right)
        return node
