"""Observations as people read them: places and counts in place of arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["expand", "number_of_seats", "one_place", "whole_numbers"]


def one_place(one_hot: Any) -> int | None:
    """Where the one of a one-hot array stands; None if there is none."""
    return int(one_hot.argmax()) if one_hot.any() else None


def whole_numbers(numbers: Iterable[int]) -> tuple[int, ...]:
    """An array as a tuple of Python's integers."""
    return tuple(int(number) for number in numbers)


def expand(counts: Iterable[int]) -> tuple[int, ...]:
    """Counts by kind as a sorted list of kinds."""
    return tuple(kind for kind, number in enumerate(counts) for _ in range(number))


def number_of_seats(seen: Any) -> int:
    """The number of players, if ``players`` of an observation is one-hot, from two on."""
    return 2 + int(seen["players"].argmax())
