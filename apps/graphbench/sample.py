# SPDX-License-Identifier: Apache-2.0
"""Medians, spreads, and differences of samples, without assumptions on the distribution of times.

What is independent between two values of a sample is a process: trials within one share its memory layout and its moment. So
the unit is the process, and its value the median of its trials; of a single process the trials are all there is.
"""

import math
import random
import statistics
from dataclasses import dataclass
from typing import Sequence

CONFIDENCE = 0.95
RESAMPLES = 4000
_SEED = 27491095  # the same rows give the same report


@dataclass(frozen=True)
class Estimate:
    """A median, and an interval that contains the true one with the probability `coverage`."""

    value: float
    low: float
    high: float
    count: int
    coverage: float

    @property
    def has_interval(self) -> bool:
        return self.count > 1


def estimate(values: Sequence[float]) -> Estimate:
    """By order statistics: of n values the interval from the k-th lowest to the k-th highest contains the median of what they
    were drawn from with the probability that a fair coin shows from k to n-k heads (David and Nagaraja, Order Statistics,
    7.1). The narrowest that reaches CONFIDENCE is taken; fewer than 6 values have none, and give their whole range."""
    ordered = sorted(values)
    count = len(ordered)
    cut, coverage = 0, _coverage(count, 0)
    while 2 * (cut + 1) < count and _coverage(count, cut + 1) >= CONFIDENCE:
        cut += 1
        coverage = _coverage(count, cut)
    return Estimate(statistics.median(ordered), ordered[cut], ordered[count - 1 - cut], count, coverage)


def _coverage(count: int, cut: int) -> float:
    outside = sum(math.comb(count, heads) for heads in range(cut + 1)) / 2**count
    return 1 - 2 * outside


@dataclass(frozen=True)
class Ratio:
    """A ratio of two medians and its bootstrap interval, which is meaningless where one side is a single value."""

    value: float
    low: float
    high: float
    has_interval: bool


def ratio_of_medians(above: Sequence[float], below: Sequence[float], confidence: float = CONFIDENCE) -> Ratio:
    """Returns median(above) / median(below), with each side resampled RESAMPLES times (Efron 1979, percentiles)."""
    draw = random.Random(_SEED)
    ratios = sorted(
        statistics.median(draw.choices(above, k=len(above))) / statistics.median(draw.choices(below, k=len(below)))
        for _ in range(RESAMPLES)
    )
    tail = int((1 - confidence) / 2 * RESAMPLES)
    has_interval = min(len(above), len(below)) > 1
    return Ratio(statistics.median(above) / statistics.median(below), ratios[tail], ratios[-1 - tail], has_interval)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Returns the first and third; twice the value of a single one."""
    first, _, third = statistics.quantiles([*values, *values] if len(values) == 1 else values, n=4, method="inclusive")
    return first, third


def harmonic_error(values: Sequence[float]) -> float | None:
    """Returns the standard error of the harmonic mean, as Graph500 (specification 2.0, sections 9 and 10): that of the
    reciprocals' mean, carried over to first order. None for a single value."""
    if len(values) < 2:
        return None
    reciprocals = [1 / value for value in values]
    return statistics.stdev(reciprocals) / statistics.fmean(reciprocals) ** 2 / math.sqrt(len(values) - 1)
