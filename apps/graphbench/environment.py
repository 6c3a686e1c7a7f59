"""The machine a sweep runs on, as far as it bears on times. graphrun's rows say more about the GPU and its link."""

import datetime
import os
import platform
from pathlib import Path
from typing import Any


def describe() -> dict[str, Any]:
    return {
        "cpu": _field_of("/proc/cpuinfo", "model name"),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "distribution": _distribution(),
        "governor": _text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "huge_pages": _chosen(_text("/sys/kernel/mm/transparent_hugepage/enabled")),
        "load": load(),
        "python": platform.python_version(),
    }


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")


def load() -> float:
    """Processes that ran or wanted to, averaged over the last minute: what else the machine did."""
    return round(os.getloadavg()[0], 2)


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _field_of(path: str, name: str) -> str | None:
    for line in (_text(path) or "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return None


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _chosen(text: str | None) -> str | None:
    """'madvise' of 'always [madvise] never'."""
    return text.partition("[")[2].partition("]")[0] or None if text else None


def processor(machine: dict[str, Any]) -> str:
    """Of what describe() says, what makes times those of another machine."""
    return f"{machine['cpu'] or 'unknown processor'}, {machine['cores']} cores"
