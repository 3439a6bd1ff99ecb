"""What the notations of games are made of."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["each", "numerals"]


def each(verb: str, names: Iterable[str]) -> tuple[str, ...]:
    """``verb name`` for each name."""
    return tuple(f"{verb} {name}" for name in names)


def numerals(last: int) -> tuple[str, ...]:
    """The numbers from 1 to ``last``, as texts."""
    return tuple(str(number) for number in range(1, last + 1))
