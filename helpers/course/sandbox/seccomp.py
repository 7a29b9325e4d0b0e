"""System calls that no notebook needs, refused by a filter that Linux runs before each call."""

from __future__ import annotations

import errno
import platform
import struct

# Shared memory, semaphores, messages and files without a name count as nobody's memory; a process
# that chooses its cores takes those of its neighbours; of files that are sent, timers, keys, and
# watches of files Linux counts those of a user, who is also the grader's, and of waiting reads
# those of the machine; attributes of files and Landlock's rules are memory of Linux that counts as
# nobody's; the others are ways into Linux.
NUMBERS = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "sched_setaffinity": 203, "add_key": 248,
        "request_key": 249, "keyctl": 250, "perf_event_open": 298, "memfd_create": 319,
        "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "memfd_secret": 447,
        "sendmsg": 46, "sendmmsg": 307, "timer_create": 222, "inotify_init": 253,
        "inotify_init1": 294, "epoll_create": 213, "epoll_create1": 291, "io_setup": 206,
        "fanotify_init": 300, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
        "setxattrat": 463, "landlock_create_ruleset": 444, "landlock_add_rule": 445,
        "landlock_restrict_self": 446,
    },
    "aarch64": {
        "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217, "request_key": 218,
        "keyctl": 219, "sched_setaffinity": 122, "perf_event_open": 241, "memfd_create": 279,
        "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425, "memfd_secret": 447,
        "sendmsg": 211, "sendmmsg": 269, "timer_create": 107, "inotify_init1": 26,
        "epoll_create1": 20, "io_setup": 0, "fanotify_init": 262, "setxattr": 5, "lsetxattr": 6,
        "fsetxattr": 7, "setxattrat": 463, "landlock_create_ruleset": 444,
        "landlock_add_rule": 445, "landlock_restrict_self": 446,
    },
}  # fmt: skip
SOCKETS = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket, socketpair
FCNTL = {"x86_64": 72, "aarch64": 25}
MAP = {"x86_64": 9, "aarch64": 222}  # mmap
F_SETLEASE = 1024  # keeps others from a file of the same user
SHARED_AND_ANONYMOUS = 0x21  # pages that stay when a process no longer sees them
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; the others lead to machine and kernel
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_… of linux/audit.h
OTHER_NUMBERS = 0x40000000  # x32: the same calls by other numbers
# Offsets in struct seccomp_data, and what the program's steps are called in linux/filter.h.
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
SECOND_ARGUMENT_AT, FLAGS_AT = FIRST_ARGUMENT_AT + 8, FIRST_ARGUMENT_AT + 3 * 8  # flags of mmap
LOAD, EQUAL, AT_LEAST, BOTH, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
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
    steps += [(EQUAL, 0, 4, FCNTL[machine]), (LOAD, 0, 0, SECOND_ARGUMENT_AT)]
    steps += [(EQUAL, 0, 1, F_SETLEASE), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    steps += [(EQUAL, 0, 5, MAP[machine]), (LOAD, 0, 0, FLAGS_AT)]
    steps += [(BOTH, 0, 0, SHARED_AND_ANONYMOUS), (EQUAL, 0, 1, SHARED_AND_ANONYMOUS)]
    steps += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    opened, paired = SOCKETS[machine]
    steps += [(EQUAL, 2, 0, opened), (EQUAL, 1, 0, paired), (RETURN, 0, 0, ALLOW)]
    steps += [(LOAD, 0, 0, FIRST_ARGUMENT_AT)]
    for family in FAMILIES:
        steps += [(EQUAL, 0, 1, family), (RETURN, 0, 0, ALLOW)]
    steps += [(RETURN, 0, 0, NO_SUCH_FAMILY)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
