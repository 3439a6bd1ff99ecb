"""Means and rates with their 95 % intervals, from deals that are independent of each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from rat_envs.engine.checks import checked_count
from rat_envs.engine.errors import ConfigurationError

__all__ = ["Estimate", "mean_estimate", "rate_estimate", "student"]

#: Half the width of a 95 % interval in standard errors.
Z = 1.959964
#: The same by Student's t distribution, for 1, 2, … degrees of freedom.
STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)


#: How often the true value is to lie below an interval; and as often above it.
MISSED = 0.025


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

    def after(self, looks: int) -> Estimate:
        """Wider, for a result that was looked at so many times while games were added: with some twenty deals or more,
        in about 95 % of such series no interval misses what it is for (Bonferroni). It may reach beyond what can be.

        Raises:
            ConfigurationError: ``looks`` is no whole number from 1.
        """
        looks = checked_count("looks", looks)
        factor = NormalDist().inv_cdf(1 - MISSED / looks) / Z
        return Estimate(
            self.mean, self.mean - factor * (self.mean - self.low), self.mean + factor * (self.high - self.mean)
        )

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


def mean_of(by_deal: np.ndarray) -> float:
    """The mean of some values.

    Raises:
        ConfigurationError: there are none.
    """
    if not len(by_deal):
        raise ConfigurationError("by_deal: must be at least one value, and there is none.")
    return float(by_deal.mean())


def mean_estimate(by_deal: np.ndarray, least: float = -math.inf, most: float = math.inf) -> Estimate:
    """The mean of (deals) independent values.

    Args:
        by_deal: the values. One alone says nothing of others: its interval has no bounds but these.
        least, most: between which every value is. If these are given, the interval does not go beyond them, and it is
            never of no width: where most values are equal, others may be so rare that none of them has occurred.

    Raises:
        ConfigurationError: there are no values.
    """
    deals, mean = len(by_deal), mean_of(by_deal)
    if deals == 1:
        return Estimate(mean, least, most)
    half = student(deals - 1) * float(by_deal.std(ddof=1)) / math.sqrt(deals)
    low, high = mean - half, mean + half
    if math.isfinite(most - least) and 2 * np.unique(by_deal, return_counts=True)[1].max() > deals:
        rare = 1 - MISSED ** (1 / deals)  # values of this share are missing from so many with a chance of MISSED
        low, high = min(low, mean - rare * (mean - least)), max(high, mean + rare * (most - mean))
    return Estimate(mean, max(low, least), min(high, most))


def rate_estimate(by_deal: np.ndarray, games: int) -> Estimate:
    """A rate, given its mean in each of (deals) deals of ``games`` games; Wilson's interval, so never of no width.

    It counts so many independent games as would vary as much as the deals do, fewer of them where this is known from
    few deals (Korn and Graubard 1998).

    Raises:
        ConfigurationError: there are no deals.
    """
    deals, rate = len(by_deal), mean_of(by_deal)
    if deals == 1:
        return Estimate(rate, 0.0, 1.0)
    variance = float(by_deal.var(ddof=1)) / deals
    worth = rate * (1 - rate) / variance if variance > 0 else deals
    worth *= (Z / student(deals - 1)) ** 2
    worth = min(max(worth, deals), deals * games)
    middle = (rate + Z**2 / (2 * worth)) / (1 + Z**2 / worth)
    half = Z * math.sqrt(rate * (1 - rate) / worth + (Z / (2 * worth)) ** 2) / (1 + Z**2 / worth)
    low, high = min(rate, middle - half), max(rate, middle + half)  # which rounding could put on the wrong side
    return Estimate(rate, max(0.0, low), min(1.0, high))
