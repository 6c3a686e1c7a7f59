# SPDX-License-Identifier: Apache-2.0
"""The exceptions of graphrun. Each message is one sentence."""


class Error(Exception):
    """Base of all errors that graphrun raises on purpose."""


class UsageError(Error, ValueError):
    """An argument names something that does not exist, or conflicts with another."""


class DataError(Error):
    """A file is missing, damaged or inconsistent, or a disk is full."""


class WideIdsError(DataError):
    """A graph needs 64-bit vertex ids and cannot have them here."""


class RunError(Error):
    """The machine failed during a run: a device, a worker, a deadline."""


class Cancelled(Error):
    """Graph.cancel() ended the call."""


class TimedOut(Cancelled, TimeoutError):
    """The call took longer than its `timeout`."""


class UnavailableError(Error):
    """The request is valid, but this machine or build lacks what it needs."""


for _each in (Error, UsageError, DataError, WideIdsError, RunError, Cancelled, TimedOut, UnavailableError):
    _each.__module__ = "graphrun"
