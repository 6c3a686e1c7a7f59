# SPDX-License-Identifier: Apache-2.0
"""A long call: its progress bar, its deadline, and its end by another thread."""

import math
import sys
import time

from ._errors import Cancelled, TimedOut, UsageError


class Call:
    """Passed to a job, which calls it about ten times a second: without arguments, or with its stage, the fraction done (0:
    unknown) and a text of the same. Raises to end the job."""

    def __init__(self, timeout=None):
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + _seconds(timeout)
        self._cancelled = False
        self._bar = None

    def cancel(self):
        self._cancelled = True

    def seconds_left(self):
        """Returns the seconds left, for a lock: -1 without a deadline."""
        return -1 if self._deadline is None else min(max(0, self._deadline - time.monotonic()), 1e6)

    def __call__(self, stage=None, fraction=0, text=""):
        if self._cancelled:
            raise Cancelled("the call was cancelled")
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise TimedOut(f"the call took longer than its timeout of {self._timeout} s")
        if stage is not None:
            if self._bar is None:
                self._bar = _Bar() if _is_watched() else _no_bar
            self._bar(stage, fraction, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if isinstance(self._bar, _Bar):
            self._bar.close()


def _seconds(timeout):
    if isinstance(timeout, bool) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout is a number of seconds, or None, not {timeout!r}")
    if not float(timeout) >= 0 or math.isinf(timeout):
        raise UsageError(f"timeout is a number of seconds from 0, not {timeout}")
    return float(timeout)


def _is_watched():
    """Returns True on a terminal and in a notebook, where a bar is seen."""
    return "ipykernel" in sys.modules or sys.stderr is not None and sys.stderr.isatty()


def _no_bar(*_):
    pass


class _Bar:
    """A bar of tqdm, if installed, for jobs that last over a second."""

    def __init__(self):
        self._stage = None
        self._bar = None

    def __call__(self, stage, fraction, text):
        if stage != self._stage:
            self.close()
            self._stage = stage
            known = {"total": 100, "bar_format": "{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"}
            try:
                from tqdm.auto import tqdm  # not before: it takes a fifth of a second

                self._bar = tqdm(leave=False, **(known if fraction > 0 else {"bar_format": "{desc}"}))
            except ImportError:  # no tqdm, or a notebook without widgets
                return
        if self._bar is None:
            return
        if self._bar.total:
            self._bar.n = round(100 * fraction, 1)
        self._bar.set_description_str(stage if self._bar.total else text, refresh=True)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        self._bar = self._stage = None
