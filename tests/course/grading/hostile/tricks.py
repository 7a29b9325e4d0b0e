"""Code that wants marks for nothing where tests are plain assertions."""

from dataclasses import replace

from tests.course.grading.hostile.rows import Row, trick

SWITCHED_OFF, UNANSWERED = "checks were switched off", "were not answered"
EQUAL = """
class Equal:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
def double(x): return Equal()
triple = halve = double
"""


def _answers(name: str, code: str, told: str = "", shown: str = "") -> Row:
    """The same answer to every exercise."""
    return trick(name, "", told, shown, **dict.fromkeys(["double", "triple", "halve"], code))


ROWS = [
    _answers(
        "says-a-result-first",
        "import sys\ndef double(x):\n    sys.displayhook(2.0)\n    return 0\n"
        "triple = halve = double",
        "displayhook",
    ),
    _answers(
        "a-result-of-two",
        "def double(x):\n    get_ipython().displayhook(1.0)\n    return 0\ntriple = halve = double",
        "more than one result",
    ),
    _answers(
        "an-equal-of-a-borrowed-class",
        EQUAL.replace(
            "class Equal:", "class Equal:\n    __module__, __qualname__ = 'torch', 'Tensor'"
        ),
        "cannot be compared",
    ),
    trick(
        "input-transformer",
        """
        def harmless(lines):
            return [line.replace("assert", "0 and") for line in lines]
        get_ipython().input_transformers_cleanup.append(harmless)
        """,
        SWITCHED_OFF,
    ),
    trick(
        "input-transformer-of-all",
        "get_ipython().input_transformers_cleanup.append(lambda lines: ['100.0'])",
        UNANSWERED,
    ),
    trick(
        "ast-transformer",
        """
        import ast
        class Harmless(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.Pass()
        get_ipython().ast_transformers.append(Harmless())
        """,
        SWITCHED_OFF,
    ),
    trick(
        "run-code",
        """
        async def run_code(self, code_obj, result=None, *, async_=False): return False
        type(get_ipython()).run_code = run_code
        """,
        UNANSWERED,
    ),
    trick(
        "run-cell",
        """
        from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
        InteractiveShell.run_cell = lambda self, *args, **options: ExecutionResult(None)
        """,
    ),
    trick(
        "without-assertions",
        """
        import builtins, functools
        real = builtins.compile
        get_ipython().compile.flags = 0
        builtins.compile = functools.partial(real, optimize=2)
        import codeop
        codeop.compile = builtins.compile
        """,
    ),
    trick("assertion-error", "AssertionError = print", ""),
    trick(
        "assertion-error-of-builtins",
        """
        import builtins
        class Quiet(BaseException): pass
        builtins.AssertionError = Quiet
        """,
    ),
    trick("no-tracebacks", "get_ipython().showtraceback = lambda *a, **k: None", SWITCHED_OFF),
    trick(
        "quiet-errors",
        """
        shell = get_ipython()
        shell.set_custom_exc((Exception,), lambda *arguments, **options: None)
        """,
        SWITCHED_OFF,
    ),
    trick(
        "quiet-errors-but-the-canary",
        """
        shell = get_ipython()
        real = shell._showtraceback
        def quiet(kind, value, trace):
            if len(str(value)) == 16: real(kind, value, trace)
        shell._showtraceback = quiet
        """,
        SWITCHED_OFF,
    ),
    trick(
        "transformer-that-knows-the-canary",
        """
        import ast
        class Harmless(ast.NodeTransformer):
            def visit_Assert(self, node):
                return node if isinstance(node.test, ast.Constant) else ast.Pass()
        get_ipython().ast_transformers.append(Harmless())
        """,
        SWITCHED_OFF,
    ),
    _answers("equal-to-everything", EQUAL, "Equal"),
    _answers(
        "equal-to-everything-of-the-library",
        "from unittest.mock import ANY\ndouble = triple = halve = lambda x: ANY",
        "_ANY",
    ),
    _answers(
        "equal-number",
        """
        class Number(int):
            def __eq__(self, other): return True
            def __hash__(self): return 0
        double = triple = halve = lambda x: Number(0)
        """,
        "Number",
    ),
    _answers("not-a-number", EQUAL.replace("return True", "return float('nan')"), "Equal"),
    _answers("negative", EQUAL.replace("return True", "return -1.0"), "Equal"),
    _answers("huge", EQUAL.replace("return True", "return 1e300"), "Equal"),
    _answers(
        "points-of-its-own",
        "class Points(float):\n"
        "    __repr__ = lambda self: '1.0'\n"
        "    __add__ = __radd__ = __truediv__ = lambda self, other: self\n"
        + EQUAL.replace("return True", "return Points(0)"),
        "Equal",
    ),
    trick(
        "shows-points",
        """
        from IPython.display import publish_display_data
        import atexit
        shell = get_ipython()
        def points():
            shell.display_pub.session.send(
                shell.display_pub.pub_socket, "execute_result",
                {"data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1},
                parent=shell.display_pub.parent_header, ident=b"execute_result")
        shell.events.register("post_execute", points)
        """,
        "display_pub",
    ),
    trick(
        "says-that-it-is-idle",
        """
        shell = get_ipython()
        def idle():
            shell.display_pub.session.send(
                shell.display_pub.pub_socket, "status", {"execution_state": "idle"},
                parent=shell.display_pub.parent_header, ident=b"status")
        shell.events.register("pre_execute", idle)
        """,
        UNANSWERED,
    ),
    trick(
        "replaces-sum",
        "import builtins\nbuiltins.sum = lambda *a: 1000.0",
        "replaced builtins.sum",
    ),
    _answers("names-sum", "sum = lambda *a: 1000.0\ndouble = triple = halve = int"),
    _answers(
        "looks-whether-it-is-graded",
        """
        import os, sys
        graded = [n for n in os.environ if "NBGRADER" in n] or "nbgrader" in sys.modules
        double = triple = halve = (lambda x: 2 * x) if graded else None
        """,
    ),
    # A plain assertion stands in the learner's own process, with the right answer in it.
    replace(
        _answers(
            "looks-at-the-stack",
            """
            import sys
            def double(x):
                numbers = [each for each in sys._getframe(1).f_code.co_consts if each != x]
                return [each for each in numbers if isinstance(each, int)][-1]
            triple = double
            """,
            "has looked: 4; words in its code that no exercise needs: _getframe",
        ),
        marks=4,
    ),
]
