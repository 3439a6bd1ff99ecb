"""What the sentences of games are made of."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed", "number_of"]


def number_of(number: int, thing: str, things: str = "") -> str:
    """So many of a thing, whose plural is ``things``, or ``thing`` with an s."""
    return f"{number} {thing}" if number == 1 else f"{number} {things or thing + 's'}"


def listed(words: Iterable[str]) -> str:
    """Words with commas and an "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
