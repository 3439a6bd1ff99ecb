"""Counting seats round the table, and nodes in a list: what every game's observation does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["clockwise", "places_in"]


def clockwise(seat, other, players):
    """How many seats ``other`` sits clockwise from ``seat``, of so many players: its place in that seat's eyes."""
    place = other - seat
    return place if place >= 0 else place + players


def places_in(numbers: Sequence[int], length: int) -> np.ndarray:
    """(length) int8: where each number below ``length`` stands in ``numbers``; -1 if it does not."""
    places = np.full(length, -1, np.int8)
    places[list(numbers)] = np.arange(len(numbers))
    return places
