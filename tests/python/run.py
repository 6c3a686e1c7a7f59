# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests by pytest; exit code 77 where pytest or NumPy is missing."""

import sys

try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
