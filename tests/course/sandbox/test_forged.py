"""What a kernel sends is checked: forms, numbers and sizes."""

import json
import time
from contextlib import closing
from typing import Any

import nbformat
import psutil
import pytest
from nbformat import v4
from nbgrader.preprocessors import LimitOutput

from helpers.course.pages.sanitize import sanitize
from helpers.course.sandbox import session
from helpers.course.sandbox.process import Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.common import ISOLATED
from tests.course.sandbox.conftest import LIMITS

# What a kernel may send in place of an answer.
FORGED = {
    "no JSON": "no JSON",
    "no list": "3",
    "deep": "[" * 50_000,
    "another kind": '[{"output_type": "other"}]',
    "another form": '[{"output_type": "stream", "name": "stdout", "text": 3}]',
    "no data": '[{"output_type": "display_data", "data": [], "metadata": {}}]',
    "a long number": "[" + "1" * 5000 + "]",
}
EMPTY = '{"output_type": "stream", "name": "stdout", "text": ""}'


@pytest.mark.parametrize("name", FORGED)
def test_an_answer_of_no_known_form_ends_the_kernel(kernel: Session, name: str) -> None:
    with pytest.raises(SandboxError, match="no output"):
        kernel.run(f"import os; os.write(3, {FORGED[name]!r}.encode() + b'\\n')", 10)


@pytest.mark.parametrize(
    "code",
    [
        "import os\nwhile True: os.write(3, bytes(1 << 20))",
        f"import os; os.write(3, ('[' + ','.join([{EMPTY!r}] * 100) + ']\\n').encode())",
    ],
    ids=["one without end", "many outputs"],
)
def test_an_answer_that_is_too_long_is_read_no_further(kernel: Session, code: str) -> None:
    with pytest.raises(SandboxError, match="more than it may"):
        kernel.run(code, 10)


@pytest.mark.parametrize("each", [r"\x1b", r"\n", "é", r"\udcff"])
def test_what_json_writes_longer_is_an_answer_still(kernel: Session, each: str) -> None:
    for write in (f"print('{each}' * 100)", f"import sys; sys.stderr.write('{each}' * 99)"):
        shown = kernel.run(f"for _ in range(1000): {write}", 10)
        assert "more was shown" in shown[-1].text
    shown = kernel.run(f"print('x' * 10**6)\nraise ValueError('{each}' * 10**6)", 10)
    assert "ValueError" in {each.get("ename") for each in shown}


def test_an_output_has_no_more_than_its_parts(kernel: Session) -> None:
    sent = '[{"output_type": "error", "ename": "E", "evalue": "", "traceback": [], "more": 1}]'
    [output] = kernel.run(f"import os, time; os.write(3, b'{sent}\\n'); time.sleep(1)", 10)
    assert "more" not in output


def test_whatever_is_within_an_output_is_text_on_the_page() -> None:
    """Of no kernel's answer nbformat's own check is asked before that."""
    odd: list[object] = [3, None, [3], {"text/html": 3}]
    sent: list[dict[str, Any]] = [
        {"output_type": "error", "ename": "", "evalue": "", "traceback": odd}
    ]
    sent += [
        {"output_type": "display_data", "metadata": {"x": each}} | {"data": {kind: each}}
        for each in odd
        for kind in ("text/plain", "text/html", "image/png", "a/b+json")
    ]
    cell = v4.new_code_cell("")
    cell.outputs = session._outputs(json.dumps(sent).encode(), 1 << 20)
    notebook = v4.new_notebook()
    notebook.cells = [cell]
    made, _ = sanitize(LimitOutput().preprocess(notebook, {})[0], {})
    nbformat.validate(made)
    assert "text/html" not in str(made.cells[0].outputs[1:5])


def test_an_answer_is_checked_in_moments() -> None:
    """While one thread of the grader does so the others wait."""
    data: dict[str, dict[str, str]] = {f"{number}+json": {} for number in range(20_000)}
    sent = [{"output_type": "display_data", "data": data, "metadata": data}]
    start = time.thread_time()
    [output] = session._outputs(json.dumps(sent).encode(), 1 << 20)
    assert output.metadata == data and time.thread_time() - start < 5


def test_a_kernel_ends_with_its_sandbox() -> None:
    own = Sandbox(LIMITS, ISOLATED)
    with closing(Session(own)) as session:
        session.run("import subprocess; subprocess.Popen(['sleep', '1000'])", 10)
        kernels = psutil.Process(own.process.pid).children(recursive=True)
        own.close()
        assert kernels and psutil.wait_procs(kernels, timeout=10)[1] == []
