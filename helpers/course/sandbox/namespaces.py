"""Inside a sandbox: namespaces of its own for one kernel, with folders that begin empty.

They end with the kernel's first process, and Linux then removes all that was in them: processes,
files, shared memory, message queues and what waits in sockets. To make them takes capabilities,
which the process gives up before it runs anything of a learner's.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import socket
import struct
from pathlib import Path

CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SYS_RESOURCE", "CAP_NET_ADMIN")  # that `isolate` needs
FOLDERS = ("/tmp", "/dev/shm")  # that can be written to
DEVICES = ("full", "null", "random", "urandom", "zero")
NAMES = 50_000  # files and folders in each, of which Linux needs about a kilobyte for one
# Where the grader is root, these would be its own inside, too.
READ_ONLY = (
    *("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/pressure"),
    *(f"/dev/{name}" for name in DEVICES),
)
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x8000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC = 1, 2, 4, 8, 32, 4096, 16384
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, CAPABILITY_VERSION = 47, 4, 0x20080522
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def fork() -> int:
    """Fork a process that is the first of a PID namespace; returns what `os.fork` does."""
    own = os.open("/proc/self/ns/pid", os.O_RDONLY)
    try:
        _call("unshare", CLONE_NEWPID)  # of the children
        child = os.fork()
        if child:
            _call("setns", own, CLONE_NEWPID)
        return child
    finally:
        os.close(own)


def isolate(files: int) -> None:
    """Enter new namespaces, then give up all capabilities.

    Args:
        files: bytes that each of FOLDERS may hold.

    Raises:
        OSError: the system refuses.
    """
    _call("unshare", CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET)
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    # A namespace in which a learner is root would be a way into Linux.
    Path("/proc/sys/user/max_user_namespaces").write_text("0")
    for path in filter(os.path.exists, READ_ONLY):
        _mount(path, path, "", MS_BIND)
        _mount("", path, "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC)
    for folder in FOLDERS:
        _empty(folder, f"size={files},nr_inodes={NAMES}")
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    _call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    _call("capset", (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)())


def _empty(folder: str, options: str) -> None:
    """Mount an empty file system in memory; what was mounted below stays visible."""
    mounts = Path("/proc/self/mounts").read_bytes().splitlines()
    paths = [re.sub(rb"\\(\d{3})", _decoded, line.split()[1]) for line in mounts]
    below = [Path(os.fsdecode(each)) for each in paths if each.startswith(f"{folder}/".encode())]
    opened = {path: os.open(path, os.O_PATH) for path in sorted(below)}
    _mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, options)
    for path, file in opened.items():
        source = Path(f"/proc/self/fd/{file}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.mkdir() if source.is_dir() else path.touch()
        _mount(str(source), str(path), "", MS_BIND | MS_REC)
        os.close(file)


def _decoded(octal: re.Match[bytes]) -> bytes:
    return bytes([int(octal[1], 8)])


def _mount(source: str, path: str, kind: str, flags: int, options: str = "") -> None:
    _call("mount", *map(os.fsencode, (source, path, kind)), flags, options.encode())


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library; Python 3.11 has none of its own for these."""
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{name}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":  # a trial
    if fork():
        raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))
    isolate(1 << 20)
