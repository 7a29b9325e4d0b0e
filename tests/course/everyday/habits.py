"""What honest learners do beside their answers, a row each where one could feel the other."""

from __future__ import annotations

# ruff: noqa: E501
import copy
from itertools import count

from tests.course.everyday.rows import Row, row
from tests.course.everyday.work import (
    Work,
    above,
    after,
    before,
    below,
    edited,
    without_checks,
)

# Cells in front of the first exercise, none of which means anything to the others.
CELLS = {
    "a file of their own": "with open('notes.txt', 'w') as f: f.write('x')\nopen('notes.txt').read()",
    "pathlib": "from pathlib import Path\nPath('more.txt').write_text('y'); Path('more.txt').read_text()",
    "!ls": "!ls",
    "!pwd and more": "!pwd; echo $HOME > place.txt\nfiles = !ls",
    "%timeit": "%timeit -n 2 -r 1 sum(range(10))",
    "%%time": "%%time\nlist(range(10))",
    "%matplotlib": "%matplotlib inline",
    "%autoreload": "%load_ext autoreload\n%autoreload 2",
    "%who and %whos": "%who\n%whos",
    "%config": "%config InlineBackend.figure_format = 'retina'",
    "%%writefile": "%%writefile mine.py\ndef twice(x): return 2 * x",
    "a module of their own": "import mine\nassert mine.twice(2) == 4",
    "%run": "%run mine.py",
    "%env": "%env MINE=1",
    "help": "help(len)\nlen?",
    "eval": "eval('1+1')",
    "compile": "compile('1', 'x', 'eval')",
    "a dataclass": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 0\nP() == P()",
    "__eq__": "class V:\n    def __eq__(self, other): return True\n    __hash__ = None\nV() == 1",
    "__getattr__": "class G:\n    def __getattr__(self, name): return name\nG().anything",
    "set_num_threads": "torch.set_num_threads(1)",
    "set_printoptions": "torch.set_printoptions(precision=2, sci_mode=False)",
    "plots": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
    "pandas": "import pandas as pd\npd.DataFrame({'a': [1, 2]})",
    "the library's plots": "encodings.sinusoidal_table(4, 8)",
    "the library's class": "shown = encodings.Sinusoidal(8, max_len=4)\nshown.table",
    "the library's text": "import inspect\nprint(inspect.signature(encodings.Sinusoidal))",
    "the checks' list": "[name for name in dir(check) if not name.startswith('_')]",
    "a check that fails": "try:\n    print(check.wavelengths(lambda d_model, base=1e4: None))\nexcept Exception as error:\n    print(error)",
    "try and except": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)",
    "an error": "1 / 0",
    "a syntax error": "def broken(:",
    "thousands of lines": "for number in range(20_000): print('line', number)",
    "logging": "import logging\nlogging.basicConfig(level=logging.DEBUG)\nlogging.warning('look')",
    "widgets": "import ipywidgets\nipywidgets.interact(lambda x: x, x=(0, 3))",
    "tqdm": "from tqdm.auto import tqdm\nfor _ in tqdm(range(3)): pass",
    "HTML": "from IPython.display import HTML, Markdown, clear_output, display\ndisplay(HTML('<b>x</b>'))",
    "input": "name = input('Your name? ')",
    "sleep": "import time\ntime.sleep(0.2)",
    "threads": "import threading\nt = threading.Thread(target=print, args=('hello',))\nt.start(); t.join()",
    "processes": "import subprocess\nsubprocess.run(['echo', 'hello'])",
    "asyncio": "import asyncio\nawait asyncio.sleep(0.01)",
    "names deleted": "x = 1\ndel x\n%reset_selective -f x",
    "globals": "globals()['made'] = 1\nlocals(); vars()",
    "pickle": "import pickle\npickle.dump({'a': 1}, open('a.pkl', 'wb'))\npickle.load(open('a.pkl', 'rb'))",
    "shutil": "import os, shutil\nos.makedirs('out', exist_ok=True)\nshutil.rmtree('out')",
    "mock": "from unittest import mock\nmock.Mock()(1)",
    "pip": "!pip install --quiet --no-deps d2l",
}
# The same, where others could come to feel it.
SETTINGS = {
    "set_default_dtype": "torch.set_default_dtype(torch.float64)",
    "set_grad_enabled": "torch.set_grad_enabled(False)",
    "a seed": "torch.manual_seed(42)\nimport random; random.seed(1)",
    "deterministic": "torch.use_deterministic_algorithms(True)",
    "detect_anomaly": "torch.autograd.set_detect_anomaly(True)",
    "numpy": "import numpy as np\nnp.seterr(all='raise'); np.set_printoptions(suppress=True)",
    "reload": "import importlib\nimportlib.reload(encodings)",
    "reload of a part": "import helpers.encodings.sinusoidal as s\nimportlib.reload(s)",
    "other names": "import helpers.encodings as enc\nfrom helpers.checks import sinusoidal as c2",
    "modules forgotten": "import sys\nsys.modules.pop('helpers.plots', None)\nfrom helpers import plots",
    "warnings": "import warnings\nwarnings.filterwarnings('error')\nwarnings.simplefilter('ignore')",
    "print replaced": "import builtins\nshout = builtins.print\nbuiltins.print = lambda *a, **k: shout('>>', *a, **k)",
    "names of Python's taken": "sum = 3\nlist = [1]\nid = 7\ninput = None",
    "recursion": "import sys\nsys.setrecursionlimit(5000)",
}
TOGETHER = 8  # cells of those that mean nothing to each other


def _habits() -> list[Row]:
    names = list(CELLS)
    groups = [names[n : n + TOGETHER] for n in range(0, len(names), TOGETHER)]
    cells = [
        row(", ".join(each), "02", before(1, *map(CELLS.__getitem__, each))) for each in groups
    ]
    return cells + [row(name, "02", before(1, lines)) for name, lines in SETTINGS.items()]


HABITS = [
    *_habits(),
    row(
        "looks at the library's, imports and marks above an answer",
        "02",
        above(
            1,
            "expected = encodings.wavelengths(8)\nprint(expected)\nimport math, torch, numpy as np\nfrom torch import nn\n# EXERCISE done by me, see above",
        ),
    ),
    row(
        "a reload above an answer", "02", above(1, "import importlib; importlib.reload(encodings)")
    ),
    row("settings above an answer", "02", above(1, "torch.set_default_dtype(torch.float64)")),
    row(
        "compares with the library's below an answer",
        "02",
        below(1, "assert torch.allclose(wavelengths(8), encodings.wavelengths(8))"),
    ),
    row(
        "asks the check below an answer",
        "02",
        below(1, "report = check.wavelengths(wavelengths)\nprint(report, report.hints)\nreport"),
    ),
    row(
        "asserts the check, plots and times below an answer",
        "02",
        below(
            1,
            "assert check.wavelengths(wavelengths).earned == 1\nimport matplotlib.pyplot as plt\nplt.semilogy(wavelengths(64)); plt.show()\n%timeit -n 2 -r 1 wavelengths(64)",
        ),
    ),
    row("deletes the check below an answer", "02", below(1, "del check")),
    row(
        "a part of an answer in a cell of its own",
        "02",
        before(
            1,
            "def my_exponents(d_model):\n    return torch.arange(0, d_model, 2, dtype=torch.float64)",
        ),
        edited(
            1,
            lambda source: source.replace(
                "torch.arange(0, d_model, 2, dtype=torch.float64)", "my_exponents(d_model)"
            ),
        ),
    ),
    row(
        "the imports come twice, once at the end",
        "02",
        lambda work: work.cells.append(copy.deepcopy(work.imports)),
    ),
    row(
        "notes of their own",
        "02",
        lambda work: work.cells.insert(
            9,
            {
                "cell_type": "markdown",
                "metadata": {},
                "id": "notes",
                "source": "# My *notes*\n<b>and</b> $x$",
            },
        ),
    ),
    row("run in another order", "02", lambda work: _counted(work)),
    row("no checks", "02", without_checks),
    row("an empty cell at the end", "02", after(6, "", "   ")),
]


def _counted(work: Work) -> None:
    """Give the cells counters that fall."""
    counter = count(100, -1)
    for cell in work.cells:
        if "execution_count" in cell:
            cell["execution_count"] = next(counter)
