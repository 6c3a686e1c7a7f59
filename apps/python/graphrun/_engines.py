"""What has threads of its own, and its holders."""

import os
import threading
import weakref

from . import _core

_holders = weakref.WeakSet()


def will_hold(holder):
    """Gives `holder` a lock, and room for an engine: what is None is made when it is needed."""
    holder._engine = None
    holder._lock = threading.Lock()
    _holders.add(holder)


def _begin_anew_after_fork():
    """A child process has no threads of its parent's engines: not even closing them would end."""
    for holder in _holders:
        if holder._engine is not None:
            _core.keep_for_ever(holder._engine)
        holder._engine = None
        holder._lock = threading.Lock()


os.register_at_fork(after_in_child=_begin_anew_after_fork)
