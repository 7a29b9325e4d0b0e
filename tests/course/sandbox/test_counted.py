"""What Linux counts of a user is counted of a sandbox: neighbours and grader are the same user."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from textwrap import dedent

import psutil
import pytest

from helpers.course import drop
from helpers.course.sandbox import memory, seccomp
from helpers.course.sandbox.process import WATCHES, Sandbox, SandboxError
from helpers.course.sandbox.session import Session
from tests.common import ROOT, needs_sandbox
from tests.course.sandbox.shown import LIMITS, begun, text_of

# A file counts anew under each number that it has had, also when that is closed.
WATCH = """
    import ctypes, os, select, threading, time
    def watch():
        asking = [select.epoll() for _ in range(40)]
        for file in os.pipe():
            for number in range(150, 250):
                os.dup2(file, number)
                for each in asking:
                    each.register(number, 0)
                os.close(number)
        time.sleep(20)
    def apart():
        ctypes.CDLL(None).unshare(0x400)  # CLONE_FILES: what it opens is not the process's
        watch()
"""
HIDDEN = """
    import ctypes, os, sys, time
    import psutil
    from helpers.course.sandbox import memory
    def child(what):
        process = os.fork()
        if process == 0:
            what()
            os._exit(0)
        time.sleep(0.2)
        return psutil.Process(process)
    def hide():
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        time.sleep(9)
    for what in (hide, lambda: time.sleep(9), lambda: None):  # the last has ended
        print(memory.hide([child(what)]))
"""


@pytest.fixture
def session() -> Iterator[Session]:
    with begun() as made:
        yield made


@needs_sandbox
@pytest.mark.rotating
@pytest.mark.parametrize(
    "how", ["watch()", "threading.Thread(target=apart).start(); time.sleep(9)"]
)
def test_files_are_not_watched_without_end(session: Session, how: str) -> None:
    honest = psutil.Process(session.sandbox.process.pid).children(recursive=True)
    assert 0 < memory.watches(honest[1:], WATCHES) < WATCHES / 20
    with pytest.raises(SandboxError, match=f"watched more than {WATCHES} files"):
        session.run(f"{dedent(WATCH)}\n{how}", 20)


@pytest.mark.rotating
def test_who_hides_what_it_has_open_is_seen() -> None:
    """As an ordinary user sees it: root would see all the same."""
    words = [*drop.words([sys.prefix, sys.base_prefix, str(ROOT / "helpers")]), sys.executable]
    done = subprocess.run([*words, "-c", dedent(HIDDEN)], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False", "False"], done.stderr


@needs_sandbox
def test_who_hides_it_is_ended(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter([True, False, *[True] * 9])
    monkeypatch.setattr(memory, "hide", lambda _processes: next(looks))
    with pytest.raises(SandboxError, match="hid what it had open"):
        session.run("import time; time.sleep(20)", 20)
    assert len(list(looks)) == 5  # one alone is a process that begins


def test_tables_of_pages_count_as_memory() -> None:
    """A page is read here and there, which takes a table each and no memory of the process's."""
    code = """
        import ctypes, mmap
        made = mmap.mmap(-1, 1 << 36, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
        made.madvise(15)  # MADV_NOHUGEPAGE
        print(sum(made[place] for place in range(0, 1 << 36, 1 << 21)), flush=True)
        input()"""
    with subprocess.Popen([sys.executable, "-c", dedent(code)], stdin=-1, stdout=-1) as reader:
        assert reader.stdout
        reader.stdout.readline()
        own = [psutil.Process(reader.pid)]
        assert own[0].memory_info().rss < 60_000_000
        assert memory.use_more(own, 130_000_000)
        assert not memory.use_more(own, 300_000_000)
        reader.kill()


LEASE = """
    import ctypes, errno, fcntl, os
    libc = ctypes.CDLL(None, use_errno=True)
    file = os.open("/tmp/mine", os.O_CREAT | os.O_RDONLY)
    folder = os.open("/tmp", os.O_RDONLY)
    def refused(call, *arguments):
        return call(*arguments) == -1 and ctypes.get_errno() == errno.EPERM
    flags = ctypes.create_string_buffer(64)
    asked = [(libc.fcntl, file, 1024, 1), (libc.fcntl, folder, 1026, 1)]
    asked += [(libc.ioctl, folder, number, flags) for number in (0x40086602, 0x401C5820)]
    [*(refused(*each) for each in asked), fcntl.fcntl(file, fcntl.F_GETFL) >= 0]
"""


@needs_sandbox
@pytest.mark.rotating
def test_leases_and_flags_of_files_are_refused(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ast.literal_eval(text_of(session, dedent(LEASE))) == [True] * 5
    monkeypatch.setattr(seccomp, "program", lambda: b"")
    with begun() as leaky:
        assert ast.literal_eval(text_of(leaky, dedent(LEASE)))[0] is False


LEAVE = """
    import os
    for folder in ("/tmp", "/dev/shm", "/tmp/.cache"):
        if os.path.exists(folder):
            os.chmod(folder, 0o711)
            os.utime(folder, (7, 7))
"""
FIND = """
    import os
    told = [os.stat(each) for each in ("/tmp", "/dev/shm", "/tmp/.cache") if os.path.exists(each)]
    [(each.st_mode & 0o777 == 0o711, each.st_mtime == 7) for each in told]
"""


@needs_sandbox
def test_no_folder_tells_what_the_last_one_wrote_on_it() -> None:
    warm = Sandbox(LIMITS)
    try:
        session = Session(warm)
        text_of(session, dedent(LEAVE))
        assert set(ast.literal_eval(text_of(session, dedent(FIND)))) == {(True, True)}
        assert session.close()
        session = Session(warm)
        assert set(ast.literal_eval(text_of(session, dedent(FIND)))) == {(False, False)}
        session.close()
    finally:
        warm.close()


@needs_sandbox
def test_data_can_be_loaded_by_processes(session: Session) -> None:
    """Though files that are sent are refused, which they would send each other."""
    code = """
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        loader = DataLoader(TensorDataset(torch.arange(64.0)), batch_size=4, num_workers=2)
        sum(float(each[0].sum()) for each in loader)"""
    assert text_of(session, dedent(code)) == "2016.0"
