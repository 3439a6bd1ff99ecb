"""Building blocks of the notations of games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["each", "first", "numerals"]


def each(verb: str, names: Iterable[str]) -> tuple[str, ...]:
    """``verb name`` for each name."""
    return tuple(f"{verb} {name}" for name in names)


def first(verb: str, texts: Sequence[str]) -> int:
    """The number of the first text with this verb.

    Raises:
        StopIteration: there is none.
    """
    return next(number for number, text in enumerate(texts) if text.partition(" ")[0] == verb)


def numerals(last: int) -> tuple[str, ...]:
    """The numbers from 1 to ``last``, as texts."""
    return tuple(str(number) for number in range(1, last + 1))
