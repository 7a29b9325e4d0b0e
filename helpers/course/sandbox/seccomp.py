"""System calls that no notebook needs, refused by a filter that Linux runs before each call."""

from __future__ import annotations

import errno
import platform
import struct

# System V's memory, semaphores and messages count as nobody's, and keys outlive who made them; a
# process that chooses its cores takes those of its neighbours; the others are ways into Linux.
NUMBERS = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "sched_setaffinity": 203, "add_key": 248,
        "request_key": 249, "keyctl": 250, "perf_event_open": 298, "bpf": 321, "userfaultfd": 323,
        "io_uring_setup": 425,
    },
    "aarch64": {
        "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217, "request_key": 218,
        "keyctl": 219, "sched_setaffinity": 122, "perf_event_open": 241, "bpf": 280,
        "userfaultfd": 282, "io_uring_setup": 425,
    },
}  # fmt: skip
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_… of linux/audit.h
OTHER_NUMBERS = 0x40000000  # x32: the same calls by other numbers
# Offsets in struct seccomp_data, and what the program's steps are called in linux/filter.h.
NUMBER_AT, ARCHITECTURE_AT = 0, 4
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM


def program() -> bytes:
    """The filter for this machine in Linux's form (struct sock_filter); empty if none is known."""
    machine = platform.machine()
    if machine not in NUMBERS:
        return b""
    refused = sorted(NUMBERS[machine].values())
    steps = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, ARCHITECTURE[machine])]
    steps += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER_AT)]
    steps += [(AT_LEAST, len(refused) + 1, 0, OTHER_NUMBERS)]
    steps += [
        (EQUAL, left, 0, number) for left, number in zip(_down(refused), refused, strict=True)
    ]
    steps += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _down(refused: list[int]) -> range:
    """For each number the steps between its own and the last, which refuses."""
    return range(len(refused), 0, -1)
