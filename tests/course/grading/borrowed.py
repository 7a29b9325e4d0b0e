"""Ways to hand in the course's own answer: a table of code for the cell of an exercise.

LIBRARYS, EXERCISE and MINE stand for the library's name of it, the exercise's and the learner's.
"""

from __future__ import annotations

# Of unit 02: exercise, the library's name of what it asks for, the learner's.
ASKED = [
    ("wavelengths", "wavelengths", "wavelengths"),
    ("table", "sinusoidal_table", "sinusoidal_table"),
    ("any_width", "sinusoidal_table", "table_of_any_width"),
    ("shift", "shift_matrix", "shift_matrix"),
    ("similarity", "offset_profile", "similarity_by_offset"),
    ("module", "Sinusoidal", "SinusoidalEncoding"),
]
WAYS = {
    "imports it": "from helpers.encodings import LIBRARYS as MINE",
    "calls it": """
        from helpers import encodings
        def MINE(*given, **named): return encodings.LIBRARYS(*given, **named)
    """,
    "finds it among the modules": """
        import sys
        MINE = getattr(sys.modules["helpers.encodings.sinusoidal"], "LIBRARYS")
    """,
    "takes it from the check": "MINE = check.EXERCISE.reference",
    "lets the check give it": "MINE = check.EXERCISE.use(None) or check.EXERCISE.ours",
    "imports the inside of the check": """
        import importlib
        MINE = importlib.import_module("helpers.checks.sinusoidal.EXERCISE").EXERCISE.reference
    """,
    "unpickles it": """
        import pickle
        from helpers import encodings
        MINE = pickle.loads(pickle.dumps(encodings.LIBRARYS))
    """,
    "unwraps it": """
        import functools, inspect
        from helpers import encodings
        MINE = functools.partial(inspect.unwrap(encodings.LIBRARYS))
    """,
    "runs its text": """
        import inspect, sys
        exec(inspect.getsource(sys.modules["helpers.encodings.sinusoidal"]))
        MINE = LIBRARYS
    """,
    "runs its file": """
        import pathlib, sys
        from helpers import encodings
        found = [encodings.__file__, *sys.path, *sys.prefix]
        files = [f for p in found for f in pathlib.Path(p or ".").parent.rglob("sinusoidal*.py*")]
        exec(next(t for t in map(pathlib.Path.read_text, files) if "def LIBRARYS(" in t))
        MINE = LIBRARYS
    """,
    "asks another Python": """
        import pickle, subprocess, sys
        def MINE(*given):
            code = "import pickle, sys; from helpers import encodings as e; "
            code += f"sys.stdout.buffer.write(pickle.dumps(e.LIBRARYS(*{given!r})))"
            return pickle.loads(subprocess.check_output([sys.executable, "-c", code]))
    """,
    "finds it in memory": """
        import gc, types
        gc.unfreeze()
        found = [f for f in gc.get_objects() if isinstance(f, types.FunctionType)]
        found += [f for each in found for f in gc.get_referents(each)]
        MINE = [f for f in found if getattr(f, "__qualname__", "") == "LIBRARYS"][0]
    """,
    "copies its code": """
        import types
        from helpers import encodings
        f = encodings.LIBRARYS
        code = f.__code__.replace(co_filename="mine.py", co_firstlineno=1)
        MINE = types.FunctionType(code, f.__globals__, "mine", f.__defaults__)
    """,
    "takes its code by ctypes": """
        import ctypes, types
        from helpers import encodings
        take = ctypes.pythonapi.PyFunction_GetCode
        take.restype, take.argtypes = ctypes.py_object, [ctypes.py_object]
        MINE = types.FunctionType(take(encodings.LIBRARYS), encodings.LIBRARYS.__globals__)
    """,
    "reads its own memory": """
        def texts():
            with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
                for line in maps:
                    start, end = (int(each, 16) for each in line.split()[0].split("-"))
                    if "rw" in line and end - start < 1 << 28:
                        memory.seek(start)
                        yield memory.read(end - start)
        wanted = b"def " + b"LIBRARYS(num_positions"
        text = next(t[t.index(wanted):] for t in texts() if wanted in t)
        exec(text[:text.index(b"\\n\\n\\n")])
        MINE = LIBRARYS
    """,
    "looks at who asks": """
        import sys
        def MINE(*given, **named):
            frame = sys._getframe()
            while frame := frame.f_back:
                for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
                    for name in ("reference", "right", "expected", "LIBRARYS"):
                        if callable(found := getattr(value, name, None)):
                            return found(*given, **named)
    """,
    "replaces what asks": """
        import helpers.course.sandbox.kernel as kernel
        def ask(answer, real=kernel.ask):
            real(getattr(kernel.unpacked(), "reference", None) or encodings.LIBRARYS)
        kernel.ask = ask
        MINE = None
    """,
    "loads it again": """
        import importlib, sys
        importlib.reload(sys.modules["helpers.encodings.sinusoidal"])
        MINE = sys.modules["helpers.encodings.sinusoidal"].LIBRARYS
    """,
    "imports it anew": """
        import sys
        mine = {n: sys.modules.pop(n) for n in [*sys.modules] if n.startswith("helpers.enc")}
        try:
            MINE = __import__("helpers.encodings", fromlist=["LIBRARYS"]).LIBRARYS
        finally:
            sys.modules.update(mine)
    """,
    "asks what loads it": """
        import types
        from helpers import encodings
        code = encodings.__spec__.loader.found["helpers.encodings.sinusoidal"][0]
        code = [c for c in code.co_consts if getattr(c, "co_name", "") == "LIBRARYS"][0]
        MINE = types.FunctionType(code, encodings.LIBRARYS.__globals__)
    """,
    "keeps what is given": """
        import helpers.course.sandbox.lent as lent
        kept = globals().setdefault("kept", {})
        def give(name, codes, real=lent.give):
            kept[name] = codes
            real(name, codes)
        lent.give = give
        def MINE(*given, **named):
            from helpers import encodings
            lent.give("helpers.encodings.sinusoidal:LIBRARYS", [*kept.values()][-1])
            return encodings.LIBRARYS(*given, **named)
    """,
    "waits in a thread": """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        from helpers import encodings
        pool = ThreadPoolExecutor(1)
        pool.submit(int).result()
        def MINE(*given, **named):
            return pool.submit(encodings.LIBRARYS, *given, **named).result()
    """,
    "stops the watch": """
        import sys
        from helpers import encodings
        def MINE(*given, **named):
            sys.setprofile(None)
            return encodings.LIBRARYS(*given, **named)
    """,
    "works them out beforehand": """
        from helpers import encodings
        known = {(d,): encodings.LIBRARYS(d) for d in range(1, 800)}
        def MINE(*given): return known[given]
    """,
    "subclasses it": """
        from helpers import encodings
        class Mine(encodings.Sinusoidal): pass
        def MINE(*given): return Mine(given[-1], max_len=given[0]).table
    """,
    "through a class that uses it": """
        from helpers import encodings
        def MINE(num_positions, d_model, base=10_000.0):
            made = encodings.create("sinusoidal", d_model=d_model, max_len=num_positions)
            return next(made.buffers())
    """,
}
# Of unit 08, where the lesson itself uses the library's encodings.
OWN = {
    "calls one": """
        from helpers import encodings
        class OwnEncoding(encodings.Shaw): pass
    """,
    "calls it where nobody follows": """
        from concurrent.futures import ThreadPoolExecutor
        from helpers import encodings
        pool = ThreadPoolExecutor(1)
        pool.submit(int).result()
        class OwnEncoding(encodings.Encoding):
            def __init__(self, *given, **named):
                super().__init__(*given, **named)
                self.inner = pool.submit(encodings.Shaw, *given, **named).result()
            def score(self, *given):
                return pool.submit(self.inner.score, *given).result()
    """,
}
# Of unit 01: a wrong answer, so that the lesson goes on with the course's, which answers the next.
HANDED_ON = {
    "attention": "def attention(q, k, v): return check.masked",
    "masked": "def masked_attention(q, k, v, mask):\n"
    "    return check.attention.use(None)(q, k, v, mask)",
}
