"""System calls that no notebook needs, refused by a filter that Linux runs before each call."""

from __future__ import annotations

import errno
import platform
import struct

# Shared memory, semaphores, messages, files without a name and Landlock's rules count as nobody's
# memory; a process that chooses its cores takes those of its neighbours; keys are those of a user,
# who is also the grader; the others are ways into Linux.
NUMBERS = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "sched_setaffinity": 203, "add_key": 248,
        "request_key": 249, "keyctl": 250, "perf_event_open": 298, "memfd_create": 319,
        "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "memfd_secret": 447,
        "landlock_create_ruleset": 444,
    },
    "aarch64": {
        "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217, "request_key": 218,
        "keyctl": 219, "sched_setaffinity": 122, "perf_event_open": 241, "memfd_create": 279,
        "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425, "memfd_secret": 447,
        "landlock_create_ruleset": 444,
    },
}  # fmt: skip
# Of some calls a form is refused: which argument, the bits of it that count, and their value.
# A lease (F_SETLEASE) keeps others from a file of the same user for 45 s, as from Python's own;
# shared pages without a name (MAP_SHARED | MAP_ANONYMOUS) stay when no process sees them any more.
LEASE, SHARED = (1, 0xFFFFFFFF, 1024), (3, 0x21, 0x21)
FORMS = {"x86_64": {72: LEASE, 9: SHARED}, "aarch64": {25: LEASE, 222: SHARED}}  # fcntl, mmap
SOCKETS = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket, socketpair
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; the others lead to machine and kernel
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_… of linux/audit.h
OTHER_NUMBERS = 0x40000000  # x32: the same calls by other numbers
# Offsets in struct seccomp_data, and what the program's steps are called in linux/filter.h.
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
LOAD, EQUAL, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
NO_SUCH_FAMILY = 0x00050000 | errno.EAFNOSUPPORT


def program() -> bytes:
    """Return the filter in Linux's form (struct sock_filter); empty if none is known for here."""
    machine = platform.machine()
    if machine not in NUMBERS:
        return b""
    checks = [(AT_LEAST, OTHER_NUMBERS), *((EQUAL, n) for n in NUMBERS[machine].values())]
    steps = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, ARCHITECTURE[machine])]
    steps += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER_AT)]
    for how, number in checks:
        steps += [(how, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    for number, (argument, bits, value) in FORMS[machine].items():
        steps += [(EQUAL, 0, 5, number), (LOAD, 0, 0, FIRST_ARGUMENT_AT + 8 * argument)]
        steps += [(AND, 0, 0, bits), (EQUAL, 0, 1, value)]
        steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    opened, paired = SOCKETS[machine]
    steps += [(EQUAL, 2, 0, opened), (EQUAL, 1, 0, paired), (RETURN, 0, 0, ALLOW)]
    steps += [(LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    for family in FAMILIES:
        steps += [(EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    steps += [(RETURN, 0, 0, NO_SUCH_FAMILY)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
