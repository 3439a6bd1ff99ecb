"""Checks of the arguments of compiled code. Compiled code itself checks nothing, so it stays fast."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from rat_envs.engine.errors import ConfigurationError, IllegalActionError, shown
from rat_envs.engine.random import STREAM

__all__ = [
    "MOST_GAMES",
    "MOST_SEED",
    "as_array",
    "checked_actions",
    "checked_count",
    "checked_entropy",
    "checked_index",
    "checked_seed",
    "checked_stream",
    "checked_whole",
    "checked_within",
    "not_legal",
    "whole_number",
    "whole_or",
]

#: The largest seed.
MOST_SEED = 2**64 - 1
#: The most games at once, or in a match: their arrays take some gigabytes.
MOST_GAMES = 10_000_000


def as_array(values: Any) -> np.ndarray:
    """The values as a NumPy array; lists of different lengths, which NumPy refuses, as an array of one object."""
    try:
        return np.asarray(values)
    except ValueError:
        return np.array(None)


def checked_whole(name: str, value: Any) -> int:
    """A whole number.

    Raises:
        ConfigurationError: it is not one.
    """
    number = whole_number(value)
    if number is None:
        raise ConfigurationError(f"{name}={shown(value)}: must be a whole number.")
    return number


def checked_count(name: str, value: Any) -> int:
    """A whole number from 1 to ``MOST_GAMES``.

    Raises:
        ConfigurationError: it is not one.
    """
    number = whole_number(value)
    if number is None or not 1 <= number <= MOST_GAMES:
        raise ConfigurationError(f"{name}={shown(value)}: must be a whole number from 1 to {MOST_GAMES}.")
    return number


def checked_seed(value: Any) -> int:
    """A seed of random numbers.

    Raises:
        ConfigurationError: it is not one.
    """
    number = whole_number(value)
    if number is None or not 0 <= number <= MOST_SEED:
        raise ConfigurationError(f"seed={shown(value)}: must be a whole number from 0 to {MOST_SEED}.")
    return number


def checked_actions(actions: Any, n: int) -> np.ndarray:
    """One whole number for each of ``n`` games, or one for all, of any integer type.

    Raises:
        IllegalActionError: they are something else.
    """
    numbers = as_array(actions)
    if numbers.dtype.kind not in "iu":
        raise IllegalActionError(f"Actions must be whole numbers, not {numbers.dtype.name}.")
    if numbers.ndim and numbers.shape != (n,):
        raise IllegalActionError(f"Actions must be {n} whole numbers, one for each game, not of shape {numbers.shape}.")
    return numbers


def checked_within(name: str, values: Any, limits: Any) -> np.ndarray:
    """Whole numbers from 0, each below its limit.

    Args:
        name: of the argument.
        values: (k) or one.
        limits: (k) or one.

    Raises:
        ConfigurationError: one of them is not.
    """
    numbers = as_array(values)
    if numbers.dtype.kind not in "iu":
        if numbers.size:
            raise ConfigurationError(f"{name}: must be whole numbers, not {numbers.dtype.name}.")
        numbers = numbers.astype(np.int64)
    if numbers.ndim > 1 or (numbers.size != 1 and np.ndim(limits) and np.size(limits) != numbers.size):
        raise ConfigurationError(f"{name}: must be one number, or one for each game, not of shape {numbers.shape}.")
    wrong = (numbers < 0) | (numbers >= limits)
    if np.any(wrong):
        least = np.broadcast_to(limits, np.shape(wrong))[wrong][0]
        found = np.broadcast_to(numbers, np.shape(wrong))[wrong][0]
        raise ConfigurationError(f"{name}={found}: must be from 0 to {least - 1}.")
    return numbers


def checked_entropy(value: Any) -> Any:
    """A seed of a NumPy generator: a whole number from 0, of any size, several of them, or None for no seed.

    Raises:
        ConfigurationError: it is something else.
    """
    several = isinstance(value, (list, tuple)) and len(value) > 0
    numbers = [whole_or(each, -1) for each in (value if several else [value])]
    if value is not None and min(numbers) < 0:
        raise ConfigurationError(f"seed={shown(value)}: must be a whole number from 0, or several.")
    return value if value is None or several else numbers[0]


def checked_index(name: str, value: Any, limit: int, otherwise: str = "") -> int:
    """A whole number from 0 and below ``limit``; ``otherwise`` says in the error what else would be right.

    Raises:
        ConfigurationError: it is something else.
    """
    number = whole_number(value)
    if number is None or not 0 <= number < limit:
        right = f"must be from 0 to {limit - 1}{', ' * bool(otherwise)}{otherwise}"
        raise ConfigurationError(f"{name}={shown(value)}: {right}.")
    return number


def checked_stream(stream: Any) -> Any:
    """A random stream, as ``new_stream`` makes it.

    Raises:
        ConfigurationError: it is not one.
    """
    if getattr(stream, "dtype", None) != STREAM or np.ndim(stream) != 0:
        raise ConfigurationError(f"stream={shown(stream)}: must be a random stream, such as new_stream makes.")
    return stream


def not_legal(who: str, action: Any, words: Sequence[str], mask: np.ndarray) -> str:
    """The message that somebody cannot take an action, and which actions are legal.

    Args:
        who: the player, as the beginning of the sentence.
        action: anything.
        words: the texts of all actions.
        mask: (A) 1 for each legal action.
    """
    number = whole_or(action, -1)
    named = f"{number} ({words[number]})" if 0 <= number < len(words) else shown(action)
    legal = ", ".join(f"{number} ({words[number]})" for number in np.flatnonzero(mask).tolist())
    return f"{who} cannot take action {named}; legal are {legal}."


def whole_or(value: Any, other: int) -> int:
    """A whole number, or ``other`` if it is something else."""
    number = whole_number(value)
    return other if number is None else number


def whole_number(value: Any) -> int | None:
    """A whole number, of any integer type but ``bool``; None if it is something else."""
    try:
        return None if isinstance(value, bool) else index(value)
    except TypeError:
        return None
