"""Code that wants marks for nothing where an answer is asked questions by a check.

All are about `wavelengths`, the first exercise, unless they need another.
"""

from __future__ import annotations

from textwrap import dedent

from tests.course.grading.hostile.rows import REAL, Row, trick

OWN_LINES = "the points are for your own code"
HIDDEN = "which a check cannot see into"
STOPPED = "took more than 2 s"  # what was to come from there does not
IMPORT = "from helpers import encodings\n"


def _called(name: str, answer: str, shown: str = OWN_LINES, **answers: str) -> Row:
    """The course's own answer, fetched in some way: no marks, and kindly told why."""
    return trick(name, "", shown=shown, unit=REAL, wavelengths=IMPORT + dedent(answer), **answers)


def _replaced(name: str, code: str, answer: str = "wavelengths = lambda *a, **k: 0") -> Row:
    """What is replaced stands in the learner's own process, where nothing is judged."""
    return trick(name, code, unit=REAL, wavelengths=answer)


def _returned(name: str, value: str, before: str = "") -> Row:
    """An answer that is no answer: nothing of it is believed."""
    answer = f"{before}\ndef wavelengths(d_model, base=1e4): return {value}"
    return trick(name, "", unit=REAL, wavelengths=answer)


ROWS = [
    _called("imports-it", "from helpers.encodings import wavelengths"),
    _called("gives-it-another-name", "mine = encodings.wavelengths\nwavelengths = mine"),
    _called("calls-it", "def wavelengths(*a, **k): return encodings.wavelengths(*a, **k) + 0"),
    _called(
        "finds-it-among-modules",
        "import sys\nwavelengths = sys.modules['helpers.encodings'].wavelengths",
    ),
    _called(
        "finds-it-in-memory",
        """
        import gc
        gc.unfreeze()
        named = [f for f in gc.get_objects() if isinstance(f, type(encodings.wavelengths))]
        wavelengths = next(f for f in named if f.__qualname__ == "wavelengths")
        """,
    ),
    _called(
        "unpickles-it",
        "import pickle\nwavelengths = pickle.loads(pickle.dumps(encodings.wavelengths))",
    ),
    _called("wraps-it", "import functools\nwavelengths = functools.partial(encodings.wavelengths)"),
    _called(
        "subclasses-it",
        "def wavelengths(d_model, base=1e4): return 0",
        module=IMPORT + "class SinusoidalEncoding(encodings.Sinusoidal): pass",
    ),
    _called(
        "copies-its-code",
        """
        import types
        f = encodings.wavelengths
        code = f.__code__.replace(co_name="mine")
        wavelengths = types.FunctionType(code, f.__globals__, "mine", f.__defaults__)
        """,
    ),
    _called(
        "calls-it-in-a-thread",
        """
        import _thread, time
        def wavelengths(*a, **k):
            done = []
            _thread.start_new_thread(lambda: done.append(encodings.wavelengths(*a, **k)), ())
            while not done: time.sleep(0.01)
            return done[0]
        """,
        HIDDEN,
    ),
    _called(
        "calls-it-in-another-process",
        """
        import os, pickle
        def wavelengths(*a, **k):
            read, write = os.pipe()
            if os.fork() == 0:
                os.write(write, pickle.dumps(encodings.wavelengths(*a, **k)))
                os._exit(0)
            os.wait()
            return pickle.loads(os.read(read, 1 << 20))
        """,
        HIDDEN,
    ),
    _called(
        "calls-it-unseen",
        """
        import sys
        def wavelengths(*a, **k):
            before = sys.getprofile()
            sys.setprofile(None)
            try:
                return encodings.wavelengths(*a, **k)
            finally:
                sys.setprofile(before)
        """,
        HIDDEN,
    ),
    _replaced(
        "replaces-isclose",
        "import math\nmath.isclose = lambda *a, **k: True",
    ),
    _replaced(
        "replaces-allclose",
        "import torch\ntorch.allclose = lambda *a: True",
    ),
    _replaced(
        "replaces-the-comparison",
        "from helpers.checks.engine import compare\ncompare.same = lambda *a: True",
    ),
    _replaced(
        "replaces-the-check",
        """
        from helpers.checks.engine.exercise import Exercise
        Exercise.judge = Exercise.__call__ = lambda *a, **k: 1.0
        """,
    ),
    _replaced(
        "replaces-the-questions",
        """
        from helpers.checks.engine.exercise import Exercise
        real = Exercise.ask
        Exercise.ask = lambda self, answer, seed: real(self, self.reference, seed)
        """,
    ),
    _replaced(
        "replaces-the-points",
        "from helpers.checks.engine import Report\nReport.earned = property(lambda self: 100.0)",
    ),
    _replaced(
        "replaces-the-look-at-the-library",
        """
        import contextlib, helpers.checks.engine.exercise as e
        @contextlib.contextmanager
        def library_calls(answers): yield set()
        e.library_calls = library_calls
        """,
        IMPORT + "wavelengths = encodings.wavelengths",
    ),
    _replaced(
        "empties-the-reference",
        "import helpers.encodings\nhelpers.encodings.sinusoidal_table = lambda *a, **k: 0",
    ),
    _replaced(
        "replaces-the-reference",
        """
        import helpers.checks.sinusoidal as s
        object.__setattr__(s.wavelengths, "reference", lambda *a, **k: 0)
        """,
    ),
    _replaced(
        "replaces-import",
        """
        import builtins
        real = builtins.__import__
        builtins.__import__ = lambda *a, **k: real(*a, **k)
        """,
    ),
    _replaced(
        "puts-a-module-in-its-place",
        """
        import sys, types
        fake = types.ModuleType("helpers.checks.sinusoidal")
        fake.__getattr__ = lambda name: types.SimpleNamespace(ask=lambda *a: 1.0)
        sys.modules["helpers.checks.sinusoidal"] = fake
        """,
    ),
    _replaced(
        "hooks-imports",
        """
        import sys, types
        class Finder:
            def find_spec(self, *a): raise ImportError
        sys.meta_path.insert(0, Finder())
        del sys.modules["helpers.checks.sinusoidal"]
        """,
    ),
    _returned(
        "equal-to-all",
        "Equal()",
        "class Equal:\n    __eq__ = lambda self, other: True\n    __hash__ = None",
    ),
    _returned(
        "answers-for-torch",
        "torch.ones(4).as_subclass(Mine)",
        "class Mine(torch.Tensor):\n    @classmethod\n"
        "    def __torch_function__(cls, function, types, a=(), k=None): return True",
    ),
    _returned(
        "a-float-of-its-own",
        "Float(1)",
        "class Float(float):\n    __eq__ = lambda s, o: True\n    __hash__ = None",
    ),
    _returned("lies-about-its-class", "Liar()", "class Liar:\n    __class__ = torch.Tensor"),
    _returned("nan", "torch.full((d_model // 2,), float('nan'))"),
    _returned("negative-numbers", "torch.full((d_model // 2,), -1.0)"),
    _returned("infinite", "torch.full((d_model // 2,), float('inf'))"),
    _returned("holds-itself", "x", "x = []; x.append(x)"),
    _returned("a-dictionary-that-holds-itself", "x", "x = {}; x['x'] = x"),
    _returned("a-list-of-10-million", "[0] * 10**7"),
    _returned("a-huge-integer", "1 << 10**7"),
    _returned("a-tensor-of-100-MB", "torch.zeros(25 << 20)"),
    _returned("cannot-be-named", "X()", "class X:\n    def __repr__(self): raise BaseException"),
    _returned("a-tensor-without-numbers", "torch.empty(d_model // 2, device='meta')"),
]
