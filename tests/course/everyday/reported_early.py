"""Ordinary notebooks of all units, as learners and instructors have reported them in public.

Each comment names where the case was learned from: a project and an issue, or a test of it. The
code is our own; a case without a comment is from no report in particular.

These are of units 00 to 05.
"""

from __future__ import annotations

# ruff: noqa: E501
from tests.course.everyday.rows import row
from tests.course.everyday.snippets import (
    DEEPER,
    LATE,
    OUTPUT,
    THREAD,
    of_colab,
    of_kind,
    old_format,
    without,
    without_marker,
    without_metadata,
)
from tests.course.everyday.work import (
    above,
    after,
    answers,
    before,
    below,
    checks,
    copied,
    each_cell,
    edited,
    in_cell_below,
    inside,
    metadata,
    on_top,
    split,
    written,
)

ROWS = [
    # MXNet-GluonCV-AWS-Coursera 1
    row(
        "a disk mounted above the imports",
        "00",
        on_top("from google.colab import drive\ndrive.mount('/content/drive')"),
        says="google",
    ),
    # swift-colab 19
    row(
        "the kernel killed to restart it after an installation",
        "00",
        before(1, "!pip install --quiet wget\nimport os\nos.kill(os.getpid(), 9)"),
    ),
    # nbgrader 1844
    row(
        "input() above an answer",
        "00",
        above(1, "name = input('Your name: ')\nprint('Hello', name)"),
    ),
    # vscode-jupyter 2325 and 5933
    row("an editor took metadata and ids away", "00", each_cell(without_metadata)),
    # nbdev 206
    row(
        "saved by Colab",
        "00",
        each_cell(of_colab),
        metadata(colab={"provenance": [], "toc_visible": True}, accelerator="GPU"),
    ),
    # resonance 109
    row("answered in a new cell below the given one", "00", in_cell_below(1)),
    # otter-grader 346
    row(
        "seeds of all libraries",
        "00",
        on_top("import os, random\nimport numpy as np"),
        before(
            1,
            "random.seed(0); np.random.seed(0); torch.manual_seed(0); torch.cuda.manual_seed_all(0)\nos.environ['PYTHONHASHSEED'] = '0'",
        ),
    ),
    # otter-grader 906
    row(
        "a missing package above matplotlib",
        "01",
        on_top("import seaborn as sns\nimport matplotlib.pyplot as plt\nsns.set_theme()"),
        says="seaborn",
    ),
    # blackcellmagic 9
    row("an unknown cell magic above an answer", "01", above(1, "%%black")),
    # nbgrader 915
    row("KeyboardInterrupt between exercises", "01", before(3, "raise KeyboardInterrupt")),
    # torchrec 2484
    row(
        "the default device is meta in a cell of its own",
        "01",
        before(1, "torch.set_default_device('meta')"),
    ),
    # ananke 12, jupyterlab 11140
    row("a cell cut in two, both with its metadata", "01", split(6, "def best_without_order")),
    # notebook 1452
    row("quit() ends the kernel behind the last exercise", "01", after(7, "quit()")),
    # jupyter-collaboration 594
    row("a cell's text doubled", "01", edited(2, lambda source: source + source)),
    # notebook 5757, colabtools 4911
    row(
        "warnings are errors",
        "02",
        before(1, "import warnings\nwarnings.filterwarnings('error')", "warnings.warn('look')"),
    ),
    # notebook 3300
    row(
        "sys.stdout is another",
        "02",
        before(2, "import io, sys\nsys.stdout = sys.stderr = io.StringIO()\nprint('lost')"),
    ),
    # nbclient's own test Autokill
    row(
        "SIGTERM ends the kernel",
        "02",
        before(4, "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"),
    ),
    # nbclient's own test of tagged exceptions
    row(
        "a failing line in the middle of an answer's cell",
        "02",
        above(3, "first = 1 / 0"),
        below(3, "assert table_of_any_width(2, 3).shape == (3, 2), 'oh'\nlast = 3"),
    ),
    # otter-grader 35
    row("display() without an import", "02", below(2, "display(sinusoidal_table(2, 4))")),
    row(
        "names of the given imports taken",
        "02",
        after(1, "plots = [1, 2]\nplt = None\nmath_ = math"),
    ),
    # nbgrader's own test of infinite recursion
    row("a function that calls itself for ever", "03", before(1, DEEPER)),
    # ipympl 71 and 587
    row(
        "a backend that has to be installed first",
        "03",
        on_top("!pip install --quiet ipympl\n%matplotlib ipympl"),
    ),
    # pytorch 58545
    row(
        "the default tensor is a double one",
        "03",
        above(2, "torch.set_default_tensor_type(torch.DoubleTensor)"),
    ),
    # nbgrader 1083
    row("an answer and its check copied with their ids", "03", copied(2)),
    # nbgrader 92
    row(
        "a check made text",
        "03",
        lambda work: of_kind("markdown", work.check(1)),
        says="another kind of cell",
    ),
    # nbgrader's own test of changed kinds of cells
    row(
        "an answer made raw",
        "03",
        lambda work: of_kind("raw", work.answer(4)),
        says="another kind of cell",
    ),
    row(
        "options of pandas",
        "03",
        before(
            5,
            "pd.set_option('display.precision', 1, 'display.max_rows', 3)\npd.options.mode.chained_assignment = 'raise'\npd.options.mode.copy_on_write = True",
        ),
    ),
    # colabtools 2164
    row(
        "breakpoint() in an answer that is called below it",
        "04",
        inside(1, "breakpoint()"),
        below(1, "offset_rows(4, 2)"),
    ),
    # ipython 10516
    row("set_trace() in an answer", "04", inside(4, "import pdb; pdb.set_trace()")),
    # ipython 9969, jupyterlab 14925
    row("a thread prints while other cells run", "04", before(2, THREAD)),
    # ipywidgets 2358, nbclient's own test Output
    row("an output widget filled by a thread", "04", before(3, OUTPUT)),
    # nbgrader's own tests of older versions of its metadata
    row("saved in format 3", "04", written(old_format), says="old notebook format"),
    # cocalc 4951
    row("os._exit(0) ends the kernel", "04", before(5, "import os\nos._exit(0)")),
    # nbgrader's own test of changed locked cells
    row(
        "checks made comments",
        "04",
        checks(lambda cell: cell.update(source=cell["source"].replace("\ncheck", "\n# check"))),
        says="edited",
    ),
    # notebook 4312
    row("coroutines, awaited and run", "05", before(1, LATE, "await late()")),
    row(
        "all that is deterministic",
        "05",
        before(
            1,
            "import os\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'\ntorch.backends.cudnn.benchmark = False\ntorch.use_deterministic_algorithms(True)\ntorch.set_num_threads(1)\ntorch.set_num_interop_threads(1)\ntorch.utils.deterministic.fill_uninitialized_memory = True",
        ),
    ),
    # papermill 536
    row(
        "sys.exit() where there is no GPU",
        "05",
        before(
            3,
            "import sys\nif not torch.cuda.is_available():\n    sys.exit('choose a GPU')\nprint('fine')",
        ),
    ),
    # nbgrader 424
    row(
        "answers without metadata, ids and first lines",
        "05",
        answers(without_metadata),
        answers(without_marker),
    ),
    # nbgrader's own test of cells without a type
    row("cells without a type", "05", without("cell_type")),
    # nbviewer 799
    row(
        "an answer as a form",
        "05",
        above(3, '#@title Exercise 3 { display-mode: "form" }\nheads = 8 #@param {type:"integer"}'),
        each_cell(lambda cell: cell["metadata"].update(cellView="form")),
        metadata(kernelspec={}),
    ),
    # mystmd 1978
    row(
        "the debugger asked for below an answer",
        "05",
        below(5, "%pdb on\nbuckets('no tensor')\n%debug"),
    ),
]
