"""Ordinary notebooks of all units, as learners and instructors have reported them in public.

Each comment names where the case was learned from: a project and an issue, or a test of it. The
code is our own; a case without a comment is from no report in particular.

These are of units 06 to 10.
"""

from __future__ import annotations

# ruff: noqa: E501
from tests.course.everyday.rows import row
from tests.course.everyday.snippets import (
    BARS,
    HANDLE,
    KAGGLE,
    NETWORK,
    SLIDER,
    STOP,
    essay_as_code,
    large_outputs,
    named_by_editor,
    without,
)
from tests.course.everyday.work import (
    above,
    before,
    below,
    beside,
    called,
    each_cell,
    in_zip,
    inside,
    merged,
    metadata,
    swapped,
    written,
)

ROWS = [
    # nbgrader 1941
    row("the essay made code", "06", essay_as_code, says="another kind of cell"),
    # nbclient's own test of display ids
    row("a display that is written over", "06", before(1, HANDLE)),
    # sam3 593
    row(
        "inference mode entered and not left",
        "06",
        before(2, "guard = torch.inference_mode()\nguard.__enter__()"),
    ),
    row(
        "autocast entered and not left",
        "06",
        above(2, "halved = torch.autocast('cpu', dtype=torch.bfloat16)\nhalved.__enter__()"),
    ),
    row(
        "no garbage collection, another handler of Ctrl-C",
        "06",
        before(
            1,
            "import gc, signal\ngc.disable()\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nsignal.signal(signal.SIGALRM, lambda *_: print('ring'))",
        ),
    ),
    # nbgrader 1876 and 879
    row(
        "modules in a folder and data, in the zip",
        "06",
        above(
            4,
            "from trees.roots import at_root\nparent = [int(n) for n in open('trees/tree.txt').read().split()]\nassert at_root(parent[0])",
        ),
        beside("trees/roots.py", "def at_root(parent):\n    return parent < 0\n"),
        beside("trees/tree.txt", "-1 0 0"),
        in_zip(),
    ),
    row("an exception of their own that is none", "06", before(6, STOP)),
    # nbgrader's own test of environment variables
    row(
        "environment variables",
        "07",
        before(
            1,
            "import locale, os\nos.environ.update(HOME='/', PATH='', OMP_NUM_THREADS='64', CUDA_VISIBLE_DEVICES='0')\nos.environ.pop('PYTHONPATH', None)\nlocale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')",
        ),
    ),
    # RobertsLab/resources 233
    row(
        "another folder", "07", before(2, "%cd /tmp\nimport os\nos.chdir('/content/drive/MyDrive')")
    ),
    # nbgrader 902, abc-classroom 88
    row(
        "umlauts, blanks and a number in the file's name",
        "07",
        called("{who}/Übung 7 – Jörg Müller (1).ipynb"),
    ),
    # nbgrader's own test of a header
    row(
        "names and comments in other languages",
        "07",
        above(
            4, "größe_größer = 3  # Größe, storleken på åäö, 大きさ, размер\nπ = 3.14\n名前 = 'é☃'"
        ),
    ),
    # otter-grader 524 and 928
    row("saved in UTF-16", "07", written(lambda text: text.encode("utf-16")), says="utf-16"),
    # ipython 8354
    row(
        "sys loaded again",
        "07",
        before(3, "import importlib, sys\nimportlib.reload(sys)\nprint('here?')"),
    ),
    # tqdm 1092
    row(
        "bars of tqdm",
        "07",
        before(6, BARS),
        inside(6, "from tqdm.notebook import tqdm; [None for _ in tqdm(range(3))]"),
    ),
    # cocalc 4951
    row(
        "a thread ends the kernel",
        "08",
        before(
            2,
            "import os, threading\nthreading.Timer(0.1, os._exit, [1]).start()\nimport time; time.sleep(0.5)",
        ),
    ),
    # nbgrader 1429
    row("too much memory asked for", "08", before(1, "whole = bytearray(10**14)")),
    row(
        "a process that fails",
        "08",
        above(4, "import subprocess\nsubprocess.run('exit 3', shell=True, check=True)"),
    ),
    # colab-vscode 215
    row(
        "Kaggle's data, metadata and secrets",
        "08",
        before(
            1,
            KAGGLE,
            "from kaggle_secrets import UserSecretsClient\nUserSecretsClient().get_secret('key')",
        ),
        metadata(kaggle={"accelerator": "gpu", "dataSources": [], "isGpuEnabled": True}),
    ),
    row("no network", "08", before(3, NETWORK), above(3, "!wget -q http://example.com/runs.csv")),
    # colabtools 5288
    row(
        "widgets without a state in the metadata",
        "08",
        before(1, SLIDER),
        metadata(
            widgets={
                "application/vnd.jupyter.widget-state+json": {
                    "abc": {"model_name": "IntSliderModel"}
                }
            }
        ),
    ),
    # notebook 6507
    row("cells without outputs and counters", "08", without("outputs", "execution_count")),
    # ipykernel 111
    row(
        "logging of their own",
        "09",
        before(
            1,
            "import logging, sys\nlogging.basicConfig(level=0, stream=sys.stdout, force=True)\nlogging.captureWarnings(True)\nlogging.debug('look')\nlogging.disable()",
        ),
    ),
    # nbclient's own test of errors
    row(
        "NumPy raises",
        "09",
        before(
            1,
            "import numpy as np\nnp.seterr(all='raise')\nnp.set_printoptions(precision=1, legacy='1.13')\nnp.random.seed(1)\nnp.zeros(1) / 0",
        ),
    ),
    row("two exercises exchanged", "09", swapped(2, 3)),
    # notebook 7706
    row("two answers in one cell", "09", merged(2, 3)),
    # otter-grader 380
    row(
        "a mark of the encoding, line ends of Windows",
        "09",
        written(
            lambda text: text.replace("\\n", "\\r\\n").replace("\n", "\r\n").encode("utf-8-sig")
        ),
    ),
    # nbgrader 526
    row("a name given by Canvas", "09", called("{who}_LATE_123_456_{unit}-2.ipynb")),
    # vscode 143396
    row("all cells with the same id", "09", each_cell(named_by_editor)),
    # colabtools 581
    row("named as a copy by a drive", "10", called("{who}/Copy of Kopie von {unit}.ipynb")),
    # DO2021 3
    row("a browser that adds an ending", "10", called("{who}/{unit}.ipynb.json")),
    row(
        "print options, anomalies and other defaults of PyTorch",
        "10",
        before(
            1,
            "torch.set_printoptions(profile='full', sci_mode=True)\ntorch.autograd.set_detect_anomaly(True)\ntorch.set_float32_matmul_precision('medium')\ntorch.set_default_dtype(torch.float16)\ntorch.set_flush_denormal(True)",
        ),
    ),
    # otter-grader 269
    row(
        "styles and backends of matplotlib",
        "10",
        before(
            1,
            "import matplotlib\nplt.style.use('ggplot'); plt.ion(); plt.xkcd()\nfor n in range(25): plt.figure()\nmatplotlib.use('TkAgg')",
        ),
    ),
    # Syllabus-2022-2 174
    row(
        "a zip with what a Mac adds",
        "10",
        lambda work: work.beside.update(
            {"{who}/__MACOSX/._{unit}.ipynb": b"\0\5\26\7", "{who}/.DS_Store": b"\0"}
        ),
        in_zip(),
    ),
    # colabtools 4390
    row(
        "cell magics above answers, and a line that fails",
        "10",
        above(1, "%%time"),
        below(1, "turns('no number', 3)"),
        above(3, "%%capture"),
    ),
    row(
        "getpass() above an answer",
        "10",
        above(2, "from getpass import getpass\ntoken = getpass('Token: ')"),
        before(4, "from google.colab import userdata\nuserdata.get('HF_TOKEN')"),
    ),
    # nbgrader 138
    row("outputs of thousands of lines", "10", each_cell(large_outputs)),
    row(
        "a GPU that is asked for above an answer",
        "10",
        above(
            5,
            "assert torch.cuda.is_available(), 'Runtime > Change runtime type'\ndevice = torch.device('cuda')\ntorch.zeros(1, device=device)\n!nvidia-smi",
        ),
    ),
]
