"""What processes hold counts once, and so does what no folder shows."""

import subprocess
import sys
from textwrap import dedent

import psutil

from helpers.course.sandbox.memory import use_more


def test_memory_that_processes_share_counts_once() -> None:
    """Four processes have the same 300 MB, each of them all of it."""
    code = "import os; held = b'1' * 300_000_000; os.fork(); os.fork(); print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1) as parent:
        assert parent.stdout
        for _ in range(4):
            parent.stdout.readline()
        own = psutil.Process(parent.pid)
        processes = [own, *own.children(recursive=True)]
        assert sum(each.memory_info().rss for each in processes) > 1_000_000_000
        assert use_more(processes, 250_000_000)
        assert not use_more(processes, 500_000_000)
        for each in processes:
            each.kill()


def test_memory_of_files_that_no_folder_has_counts() -> None:
    code = """
        import tempfile
        with tempfile.TemporaryFile(dir="/dev/shm") as file:
            print(flush=True)
            input()
            file.write(bytes(80_000_000))
            file.flush()
            print(flush=True)
            input()"""
    with subprocess.Popen([sys.executable, "-c", dedent(code)], stdin=-1, stdout=-1) as writer:
        assert writer.stdin
        assert writer.stdout
        own = [psutil.Process(writer.pid)]
        writer.stdout.readline()
        limit = own[0].memory_info().rss + 60_000_000  # its buffer is given back by then
        assert not use_more(own, limit)
        writer.stdin.write(b"\n")
        writer.stdin.flush()
        writer.stdout.readline()
        assert use_more(own, limit)
        writer.kill()
