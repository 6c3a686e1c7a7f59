# SPDX-License-Identifier: Apache-2.0
"""Errors that end the program: one sentence and an exit code, caught once in cli.main()."""

import importlib


class BenchError(Exception):
    """Something failed, or an answer was wrong."""

    exit_code = 1


class UsageError(BenchError):
    """The command line or a configuration is invalid."""

    exit_code = 2


class Unavailable(BenchError):
    """This machine lacks something that was requested."""

    exit_code = 77


def require(who: str, packages: dict[str, str], hint: str = "") -> None:
    """Checks modules and names their Debian packages. Raises Unavailable with the missing ones."""
    missing = []
    for module, package in packages.items():
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(package)
    if missing:
        raise Unavailable(f"{who} packages that are not installed: apt-get install {' '.join(missing)}{hint}")
