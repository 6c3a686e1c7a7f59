"""Sizes as graphrun writes and reads them."""

import re

from .errors import UsageError

_UNITS = {
    "": 1,
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "TiB": 1 << 40,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
}


def parse_bytes(text: str) -> int:
    """'8GiB' or '512' as bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", text)
    if not match or match[2] not in _UNITS:
        raise UsageError(f"'{text}' is no size, such as 8GiB or 512MiB")
    count = float(match[1]) * _UNITS[match[2]]
    if count >= 2**63:
        raise UsageError(f"'{text}' is more than any machine has")
    return int(count)


def edge_share(text: str) -> float | None:
    """1 of 'edges', 0.2 of 'edges/5': a size as a share of a graph's edges. None when the text is no such share."""
    match = re.fullmatch(r"edges(?:/(\d+(?:\.\d+)?))?", text)
    if not match or (match[1] and float(match[1]) == 0):
        return None
    return 1 / float(match[1] or 1)


def format_bytes(count: float) -> str:
    """1536 as '1.50 KiB': three figures, four from 1000 on."""
    unit = 0
    while count >= 1023.5 and unit < 4:
        count /= 1024
        unit += 1
    if unit == 0:
        return f"{count:.0f} B"
    decimals = 0 if count >= 99.95 else 1 if count >= 9.995 else 2
    return f"{count:,.{decimals}f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"
