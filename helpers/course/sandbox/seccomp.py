"""System calls that no notebook needs, refused by a filter that Linux runs before each call."""

from __future__ import annotations

import errno
import platform
import struct

# Shared memory, semaphores, messages and files without a name count as nobody's, and keys and
# messages outlive who made them; a process that chooses its cores takes those of its neighbours;
# attributes of a folder and the first process's turn on the disk stay for the next learner; of
# files that are sent, timers, and watches of files Linux counts those of a user, who is the
# grader's, too, and of waiting reads those of the machine; the others are ways into Linux.
NUMBERS = {
    "x86_64": {
        "shmget": 29, "semget": 64, "msgget": 68, "sched_setaffinity": 203, "add_key": 248,
        "request_key": 249, "keyctl": 250, "perf_event_open": 298, "memfd_create": 319,
        "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "memfd_secret": 447,
        "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190, "setxattrat": 463,
        "ioprio_set": 251, "sched_setattr": 314, "sendmsg": 46, "sendmmsg": 307, "mq_open": 240,
        "timer_create": 222, "inotify_init": 253, "inotify_init1": 294, "io_setup": 206,
    },
    "aarch64": {
        "msgget": 186, "semget": 190, "shmget": 194, "add_key": 217, "request_key": 218,
        "keyctl": 219, "sched_setaffinity": 122, "perf_event_open": 241, "memfd_create": 279,
        "bpf": 280, "userfaultfd": 282, "io_uring_setup": 425, "memfd_secret": 447,
        "setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "setxattrat": 463,
        "ioprio_set": 30, "sched_setattr": 274, "sendmsg": 211, "sendmmsg": 269, "mq_open": 180,
        "timer_create": 107, "inotify_init1": 26, "io_setup": 0,
    },
}  # fmt: skip
SOCKETS = {"x86_64": (41, 53), "aarch64": (198, 199)}  # socket, socketpair
MAP = {"x86_64": 9, "aarch64": 222}  # mmap
SHARED_AND_ANONYMOUS = 0x21  # pages that stay when a process no longer sees them
# By the second argument: F_SETLEASE and F_NOTIFY keep others from a file of the same user;
# FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR leave traces on a folder.
SECOND = {
    "x86_64": {72: (1024, 1026), 16: (0x40086602, 0x401C5820)},  # fcntl, ioctl
    "aarch64": {25: (1024, 1026), 29: (0x40086602, 0x401C5820)},
}
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6; the others lead to machine and kernel
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_… of linux/audit.h
OTHER_NUMBERS = 0x40000000  # x32: the same calls by other numbers
# Offsets in struct seccomp_data, and what the program's steps are called in linux/filter.h.
NUMBER_AT, ARCHITECTURE_AT, FIRST_ARGUMENT_AT = 0, 4, 16
SECOND_ARGUMENT_AT = FIRST_ARGUMENT_AT + 8
FLAGS_AT = FIRST_ARGUMENT_AT + 3 * 8  # of mmap
LOAD, EQUAL, AT_LEAST, BOTH, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
NO_SUCH_FAMILY = 0x00050000 | errno.EINVAL  # libzmq ends its process at any other answer


def program() -> bytes:
    """The filter for this machine in Linux's form (struct sock_filter); empty if none is known."""
    machine = platform.machine()
    if machine not in NUMBERS:
        return b""
    checks = [(AT_LEAST, OTHER_NUMBERS), *((EQUAL, n) for n in NUMBERS[machine].values())]
    steps = [(LOAD, 0, 0, ARCHITECTURE_AT), (EQUAL, 1, 0, ARCHITECTURE[machine])]
    steps += [(RETURN, 0, 0, REFUSE), (LOAD, 0, 0, NUMBER_AT)]
    for how, number in checks:
        steps += [(how, 0, 1, number), (RETURN, 0, 0, REFUSE)]
    for number, values in SECOND[machine].items():
        block = [(LOAD, 0, 0, SECOND_ARGUMENT_AT)]
        for value in values:
            block += [(EQUAL, 0, 1, value), (RETURN, 0, 0, REFUSE)]
        steps += [(EQUAL, 0, len(block) + 1, number), *block, (RETURN, 0, 0, ALLOW)]
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
