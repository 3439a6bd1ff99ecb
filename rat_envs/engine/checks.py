"""What Python hands to compiled code is checked here, and nowhere behind: what is inside stays unchecked and fast."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from rat_envs.engine.errors import ConfigurationError, shown

__all__ = ["MOST_GAMES", "MOST_SEED", "checked_count", "checked_seed", "checked_within"]

#: The largest seed.
MOST_SEED = 2**64 - 1
#: The most games of a match: the arrays of so many are some gigabytes.
MOST_GAMES = 10_000_000


def checked_count(name: str, value: Any) -> int:
    """A whole number from 1.

    Raises:
        ConfigurationError: it is none.
    """
    number = _whole(value)
    if number is None or number < 1:
        raise ConfigurationError(f"{name}={shown(value)}: must be a whole number from 1.")
    return number


def checked_seed(value: Any) -> int:
    """A seed of random numbers.

    Raises:
        ConfigurationError: it is none.
    """
    number = _whole(value)
    if number is None or not 0 <= number <= MOST_SEED:
        raise ConfigurationError(f"seed={shown(value)}: must be a whole number from 0 to {MOST_SEED}.")
    return number


def checked_within(name: str, values: Any, limits: Any) -> np.ndarray:
    """Whole numbers from 0, each below its limit.

    Args:
        name: of the argument.
        values: (k) or one.
        limits: (k) or one.

    Raises:
        ConfigurationError: one is not.
    """
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise ConfigurationError(f"{name}: must be whole numbers, not {numbers.dtype.name}.")
    wrong = (numbers < 0) | (numbers >= limits)
    if np.any(wrong):
        least = np.broadcast_to(limits, np.shape(wrong))[wrong][0]
        found = np.broadcast_to(numbers, np.shape(wrong))[wrong][0]
        raise ConfigurationError(f"{name}={found}: must be from 0 to {least - 1}.")
    return numbers


def _whole(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None
