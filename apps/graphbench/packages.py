"""Packages of Python that a machine may lack. What needs one imports it after require() has looked for it."""

import importlib

from .errors import Unavailable


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
