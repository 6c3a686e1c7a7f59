# SPDX-License-Identifier: Apache-2.0
"""Formats numbers: three figures, separated thousands, and a dash for unknown values."""

from typing import Any

from ..measures import Measure
from ..sample import Estimate, Ratio
from ..options import format_bytes, scaled

NONE = "–"


def number(value: float | None) -> str:
    if value is None:
        return NONE
    size = abs(value)
    if size >= 100:
        return f"{value:,.0f}"
    if size == 0 or size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:#.3g}" if size >= 1e-4 else f"{value:.2e}"


def amount(value: float | None, measure: Measure) -> str:
    """Returns an amount, with its unit where that changes with the size."""
    if value is None:
        return NONE
    return format_bytes(value) if measure.unit == "bytes" else number(value)


def spread(estimate: Estimate | None, measure: Measure) -> str:
    """Returns '9.81 – 11.2'; a dash for a constant."""
    if estimate is None or not estimate.has_interval:
        return NONE
    low, high = amount(estimate.low, measure), amount(estimate.high, measure)
    return f"{low} – {high}" if low != high else f"± 0 at {low}"


def times(ratio: Ratio | None) -> str:
    return f"{_factor(ratio.value)} ×" if ratio else NONE


def interval(ratio: Ratio | None) -> str:
    if ratio is None:
        return ""
    return f"{_factor(ratio.low)} – {_factor(ratio.high)}" if ratio.has_interval else NONE


def _factor(value: float) -> str:
    """Returns a ratio: two decimals near 1, two figures for a small one."""
    return number(value) if value >= 1 else f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def percent(share: float | None, decimals: int = 1) -> str:
    return NONE if share is None else f"{share * 100:.{decimals}f} %"


def short_count(value: float) -> str:
    """Returns '1.23 M', with powers of a thousand."""
    value, unit = scaled(value, 1000, ("", "k", "M", "G", "T"), 999.5)
    return f"{value:.3g} {unit}".rstrip()


def with_unit(text: str, unit: str) -> str:
    return f"{text} {'×' if unit == 'x' else unit}"


def plain(value: Any) -> str:
    """Returns a field of a program's output as text."""
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1000):
        return number(value)
    return NONE if value is None else str(value)
