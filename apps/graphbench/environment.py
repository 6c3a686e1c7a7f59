# SPDX-License-Identifier: Apache-2.0
"""The facts of a sweep's machine that affect times. graphrun's rows say more about the GPU and its link."""

import datetime
import os
import platform
import re
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    return {
        "cpu": _found("/proc/cpuinfo", r"^model name\s*:\s*(.+?)\s*$"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "distribution": _found("/etc/os-release", r'^PRETTY_NAME="?(.+?)"?$'),
        "governor": _found("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", r"^(\S+)"),
        "huge_pages": _found(
            "/sys/kernel/mm/transparent_hugepage/enabled", r"\[(\w+)\]"
        ),  # 'madvise' of 'always [madvise] never'
        "gpus": gpus(),
        "load": load(),
        "python": platform.python_version(),
    }


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


def load() -> float:
    """Returns the number of running or waiting processes, averaged over the last minute."""
    return round(os.getloadavg()[0], 2)


def gpus() -> list[str]:
    """Returns the models that NVIDIA's driver names; empty without a driver."""
    files = sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))
    found = (_found(str(path), r"^Model:\s*(.+?)\s*$") for path in files)
    return [model for model in found if model]


def _found(path: str, pattern: str) -> str | None:
    """Returns the first group's match in a file."""
    try:
        with open(path, encoding="utf-8") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None


def processor(machine: dict[str, Any]) -> str:
    """Returns the part of describe() that distinguishes machines by their times."""
    return f"{machine['cpu'] or 'unknown processor'}, {machine['cores']} cores"
