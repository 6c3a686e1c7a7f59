# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests by pytest; exit code 77 where pytest, NumPy or what the whole file needs is missing."""

import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
ended = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]])
sys.exit(77 if ended == pytest.ExitCode.NO_TESTS_COLLECTED else ended)
