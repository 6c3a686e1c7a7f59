"""Sizes as graphrun writes and reads them."""

import re
from typing import Sequence

from .errors import UsageError


def parse_bytes(text: str) -> int:
    """'8GiB', '512m' or '4096' as bytes; K, M, G and T are powers of 1024."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(?:([kmgt]?)b?|([kmgt])ib)", text, re.IGNORECASE)
    if not match:
        raise UsageError(f"'{text}' is no size, such as 8GiB or 512MiB")
    count = float(match[1]) * 1024 ** " kmgt".index((match[2] or match[3] or " ").lower())
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
    count, unit = scaled(count, 1024, ("B", "KiB", "MiB", "GiB", "TiB"), 1023.5)
    decimals = 0 if unit == "B" or count >= 99.95 else 1 if count >= 9.995 else 2
    return f"{count:,.{decimals}f} {unit}"


def scaled(value: float, step: int, units: Sequence[str], most: float) -> tuple[float, str]:
    """In the first unit, each of them `step` times the one before, in which a value is below `most`; else in the last."""
    i = 0
    while value >= most and i + 1 < len(units):
        value /= step
        i += 1
    return value, units[i]
