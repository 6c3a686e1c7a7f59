"""What ends the program: one sentence and an exit code, caught once in cli.main()."""

import importlib


class BenchError(Exception):
    """Something failed, or an answer was wrong."""

    exit_code = 1


class UsageError(BenchError):
    """The command line or a configuration asks for what cannot be."""

    exit_code = 2


class Unavailable(BenchError):
    """This machine lacks what was asked for."""

    exit_code = 77


def require(who: str, packages: dict[str, str], hint: str = "") -> None:
    """Of modules and the Debian packages that have them. Raises Unavailable with those that are missing."""
    missing = []
    for module, package in packages.items():
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(package)
    if missing:
        raise Unavailable(f"{who} packages that are not installed: apt-get install {' '.join(missing)}{hint}")
