# SPDX-License-Identifier: Apache-2.0
"""Objects with native threads, and their holders."""

import atexit
import contextlib
import os
import threading
import time
import weakref

from . import _core
from ._errors import RunError

_holders = weakref.WeakSet()


class CallWithinCall(RunError):
    """Raised for a call within a call on the same object."""


CallWithinCall.__name__ = CallWithinCall.__qualname__ = RunError.__name__
CallWithinCall.__module__ = RunError.__module__


def will_hold(holder):
    """Gives `holder` a lock, and room for an engine: None until it is needed."""
    holder._engine = None
    _unlock(holder)
    _holders.add(holder)


class held:
    """Holds the lock for one call at a time. Other threads wait, at most until the deadline of `call`. Rejects signal handlers,
    because the interrupted call waits for them."""

    def __init__(self, holder, call=None):
        self._holder, self._call = holder, call

    def __enter__(self):
        holder, call = self._holder, self._call
        self._lock = holder._lock  # a child process gets another one meanwhile
        while not self._lock.acquire(True, -1 if call is None else call.seconds_left()):
            call()  # raises past its deadline
        try:
            if call is not None:
                call()
            if holder._in_call:
                raise CallWithinCall(
                    "this call came within another one on the same object, as from a signal handler: wait until that has ended"
                )
            holder._in_call = True
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, *_):
        self._holder._in_call = False
        self._lock.release()


def _unlock(holder):
    holder._lock = threading.RLock()
    holder._in_call = False


def _end_jobs_of_daemon_threads():
    """Ends jobs of other threads at Python's end, which would not wait for them. A stuck job delays it by a minute, also after
    Ctrl-C."""
    _core.end_jobs_of_other_threads()
    deadline = time.monotonic() + 60
    while _core.jobs_run() and time.monotonic() < deadline:
        with contextlib.suppress(KeyboardInterrupt):
            time.sleep(0.01)


def _begin_anew_after_fork():
    """Drops the parent's engines in a child process, which has none of their threads: closing them would never end."""
    _core.forget_jobs()
    for holder in _holders:
        if holder._engine is not None:
            _core.keep_for_ever(holder._engine)
        holder._engine = None
        _unlock(holder)


os.register_at_fork(after_in_child=_begin_anew_after_fork)
atexit.register(_end_jobs_of_daemon_threads)
