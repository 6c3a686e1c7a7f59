# SPDX-License-Identifier: Apache-2.0
"""One process under a deadline. Its whole group ends with it, and with graphbench itself."""

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Sequence

from .errors import BenchError

# Above the output of a million trials; a process that prints more is killed before it fills the disk.
MOST_OUTPUT_BYTES = 256 << 20
_LOOK_EVERY_S = 0.25
MOST_ERROR_BYTES = 64 << 10
_DEATH_DEADLINE_S = 20
_PR_SET_PDEATHSIG = 1
_INTERRUPTS = {signal.SIGINT, signal.SIGTERM}
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Finished:
    exit_code: int | None  # None: ended by a signal
    signal: int | None
    timed_out: bool
    wall_s: float
    user_s: float
    system_s: float
    max_rss_bytes: int
    out_of_memory_kills: int  # by the kernel, on the whole machine, meanwhile
    printed_too_much: bool
    output: str
    errors: str


def run_process(command: Sequence[str], time_limit_s: float, memory_limit_bytes: int | None = None) -> Finished:
    """Runs a command to its end or its deadline. Raises OSError when it cannot be started."""
    parent = os.getpid()

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before prctl() took effect
            os._exit(1)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_DATA, (memory_limit_bytes, memory_limit_bytes))

    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        kills_before = _out_of_memory_kills()
        started = time.monotonic()
        # An interrupt between the start of a process and the try block would leave its group alive.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True, preexec_fn=prepare
            )
        except BaseException:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            raise
        descriptor = os.pidfd_open(process.pid)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            in_time = _wait(descriptor, time_limit_s, (output, errors))
            wall_s = time.monotonic() - started
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # the leader is not reaped yet, so the number is still its group's
            if not _wait(descriptor, _DEATH_DEADLINE_S):
                raise BenchError(
                    f"process {process.pid} did not end within {_DEATH_DEADLINE_S} s of SIGKILL: the kernel holds it, and "
                    "what runs beside it cannot be timed"
                )
            os.close(descriptor)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return Finished(
            exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            timed_out=not in_time,
            wall_s=wall_s,
            user_s=usage.ru_utime,
            system_s=usage.ru_stime,
            max_rss_bytes=usage.ru_maxrss * 1024,
            out_of_memory_kills=_out_of_memory_kills() - kills_before,
            printed_too_much=any(map(_is_too_long, (output, errors))),
            output=_read(output, MOST_OUTPUT_BYTES),
            errors=_read(errors, MOST_ERROR_BYTES, from_end=True),
        )


def _wait(descriptor: int, seconds: float, files: Sequence[IO[bytes]] = ()) -> bool:
    """Returns whether a child, which is not reaped, ended in time, or must end because it printed too much."""
    deadline = time.monotonic() + seconds
    while not any(map(_is_too_long, files)):
        left = deadline - time.monotonic()
        if select.select([descriptor], [], [], max(0, min(left, _LOOK_EVERY_S)))[0]:
            return True
        if left <= 0:
            return False
    return True


def _is_too_long(file: IO[bytes]) -> bool:
    return os.fstat(file.fileno()).st_size > MOST_OUTPUT_BYTES


def _read(file: IO[bytes], most: int, from_end: bool = False) -> str:
    size = os.fstat(file.fileno()).st_size
    file.seek(max(0, size - most) if from_end else 0)
    # A row cannot hold zero bytes (schema.py): with one, its whole file could not be read again.
    return file.read(most).decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _out_of_memory_kills() -> int:
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)
