"""What a kernel sends is checked: forms, numbers and sizes."""

from contextlib import closing

import nbformat
import psutil
import pytest
from nbformat import v4

from helpers.course.sandbox.outputs import EACH
from helpers.course.sandbox.process import Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.course.sandbox.shown import LIMITS

# What a kernel may send in place of an answer.
FORGED = {
    "no JSON": "no JSON",
    "no list": "3",
    "deep": "[" * 50_000,
    "another form": '[{"output_type": "stream", "name": "out", "text": "x"}]',
    "no text": '[{"output_type": "error", "ename": "E", "evalue": "", "traceback": [1]}]',
    "no data": '[{"output_type": "display_data", "data": [], "metadata": {}}]',
    "a long number": "[" + "1" * 5000 + "]",
}


@pytest.mark.parametrize("name", FORGED)
def test_an_answer_of_no_known_form_ends_the_kernel(warm: Sandbox, name: str) -> None:
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="no output"):
        session.run(f"import os; os.write(3, {FORGED[name]!r}.encode() + b'\\n')", 10)


def test_an_answer_that_is_too_long_is_read_no_further(warm: Sandbox) -> None:
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="more than it may"):
        session.run("import os\nwhile True: os.write(3, bytes(1 << 20))", 10)


def test_more_outputs_than_have_room_are_refused_unread(warm: Sandbox) -> None:
    one = '{"output_type": "stream", "name": "stdout", "text": ""}'
    code = f"import os; os.write(3, ('[' + ','.join([{one!r}] * 100) + ']\\n').encode())"
    with closing(Session(warm)) as session, pytest.raises(SandboxError, match="more than it may"):
        session.run(code, 10)


def test_each_output_counts_for_all_cells_together(warm: Sandbox) -> None:
    with closing(Session(warm)) as session:
        before = session.left
        assert len(session.run("for _ in range(20): display(1)", 10)) == 20
        assert session.left < before - 20 * EACH


@pytest.mark.parametrize("each", [r"\x1b", '"', r"\n", r"\0", "é", r"\udcff"])
def test_what_json_writes_longer_is_an_answer_still(warm: Sandbox, each: str) -> None:
    with closing(Session(warm)) as session:
        for write in (f"print('{each}' * 100)", f"import sys; sys.stderr.write('{each}' * 99);"):
            shown = session.run(f"for _ in range(1000):\n    {write}\n    1 / 0", 10)
            shown = session.run(f"for _ in range(1000): {write}", 10)
            assert "more was shown" in shown[-1].text
        shown = session.run(f"print('x' * 10**6)\nraise ValueError('{each}' * 10**6)", 10)
        assert shown[0].ename == "ValueError"


def test_an_end_with_a_long_number_is_told_in_short(warm: Sandbox) -> None:
    sent = '{"exited": 1' + "0" * 300 + "}"
    with closing(Session(warm)) as session, pytest.raises(SandboxError) as raised:
        session.run(f"import os; os.write(3, b'{sent}\\n')", 10)
    assert len(str(raised.value)) <= 200


def test_an_error_has_no_more_than_its_parts(warm: Sandbox) -> None:
    sent = '[{"output_type": "error", "ename": "E", "evalue": "", "traceback": [], "more": 1}]'
    with closing(Session(warm)) as session:
        [output] = session.run(f"import os, time; os.write(3, b'{sent}\\n'); time.sleep(1)", 10)
        assert "more" not in output


def test_only_json_may_be_no_text(warm: Sandbox) -> None:
    data = {"text/plain": "x", "application/json": [3], "application/a+json": {"b": 3}}
    code = f"display({data | {'text/html': 3, 'text/x-json': {'a': 3}}}, raw=True)"
    with closing(Session(warm)) as session:
        [output] = session.run(code, 10)
        assert output.data == data
        nbformat.validate(v4.new_notebook(cells=[v4.new_code_cell(outputs=[output])]))


def test_a_kernel_ends_with_its_sandbox(warm: Sandbox) -> None:
    own = Sandbox(LIMITS, warm.isolated)
    session = Session(own)
    session.run("import subprocess; subprocess.Popen(['sleep', '1000'])", 10)
    kernels = psutil.Process(own.process.pid).children(recursive=True)
    own.close()
    assert not session.close()
    assert kernels
    assert psutil.wait_procs(kernels, timeout=10)[1] == []
