# SPDX-License-Identifier: Apache-2.0
"""What several files of tests use."""

import os
import signal

import pytest


@pytest.fixture
def in_child():
    """Whether check() holds in a child process that fork() makes; one that hangs is ended."""

    def run(check):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            held = False
            try:
                held = bool(check())
            finally:
                os._exit(0 if held else 1)
        return os.waitpid(child, 0)[1] == 0

    return run
