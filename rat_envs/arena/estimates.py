"""Means and rates with their 95 % intervals, from deals that are independent of each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rat_envs.engine.errors import ConfigurationError

__all__ = ["Estimate", "mean_estimate", "rate_estimate", "student"]

#: Half the width of a 95 % interval in standard errors.
Z = 1.959964
#: The same by Student's t distribution, for 1, 2, … degrees of freedom.
STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)


#: The chance that all deals are alike, if others are as frequent as an end of the interval says.
ALIKE = 0.025


@dataclass(frozen=True)
class Estimate:
    """A mean, and the 95 % interval for what it estimates."""

    mean: float
    low: float
    high: float

    @staticmethod
    def of(values: Mapping[str, float]) -> Estimate:
        """An estimate as JSON has it, by the names of its numbers."""
        return Estimate(values["mean"], values["low"], values["high"])

    @property
    def reach(self) -> float:
        """How far the interval reaches from the mean, on its longer side."""
        return max(self.high - self.mean, self.mean - self.low)

    def __format__(self, form: str) -> str:
        """With a form for numbers, as ``+.2f``, the mean and its interval in brackets."""
        if not form:
            return repr(self)
        return f"{self.mean:{form}} ({self.low:{form}} … {self.high:{form}})"


def student(degrees: int) -> float:
    """Half the width of a 95 % interval in standard errors, where these are estimated with so many degrees of freedom.

    For more than are in the table, by Fisher's expansion (Abramowitz and Stegun 1964, 26.7.5), right to 10^-3 there.
    """
    if degrees <= len(STUDENT):
        return STUDENT[degrees - 1]
    return Z + (Z**3 + Z) / (4 * degrees) + (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * degrees**2)


def mean_estimate(by_deal: np.ndarray, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """The mean of (deals) independent values.

    Args:
        by_deal: the values.
        least, most: between which every value is. If these are given, the interval does not go beyond them, and it is
            never of no width: where all values are equal, others may be so rare that none has occurred.

    Raises:
        ConfigurationError: there are no values.
    """
    if not len(by_deal):
        raise ConfigurationError("by_deal: must be at least one value, and there is none.")
    mean = float(by_deal.mean())
    if math.isfinite(most - least) and not np.ptp(by_deal):
        rare = 1 - ALIKE ** (1 / len(by_deal))
        return Estimate(mean, mean - rare * (mean - least), mean + rare * (most - mean))
    half = student(len(by_deal) - 1) * float(by_deal.std(ddof=1)) / math.sqrt(len(by_deal))
    return Estimate(mean, max(mean - half, least), min(mean + half, most))


def rate_estimate(by_deal: np.ndarray, games: int) -> Estimate:
    """A rate, given its mean in each of (deals) deals of ``games`` games; Wilson's interval, so never of no width."""
    rate, deals = float(by_deal.mean()), len(by_deal)
    variance = float(by_deal.var(ddof=1)) / deals
    worth = rate * (1 - rate) / variance if variance > 0 else deals
    worth = min(max(worth, deals), deals * games)
    middle = (rate + Z**2 / (2 * worth)) / (1 + Z**2 / worth)
    half = Z * math.sqrt(rate * (1 - rate) / worth + (Z / (2 * worth)) ** 2) / (1 + Z**2 / worth)
    return Estimate(rate, max(0.0, middle - half), min(1.0, middle + half))
