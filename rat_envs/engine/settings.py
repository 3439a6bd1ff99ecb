"""What a game says of its place on the ladder and in the benchmark, so that nothing else has to name the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Ladder"]


@dataclass(frozen=True)
class Ladder:
    """How a game stands on the ladder and in the benchmark.

    Attributes:
        more_games: by number of players, so many times as many games of search as elsewhere, where luck and others'
            choices hide its skill.
        more_guided: likewise of search with a trained policy, where it is near to what it meets.
        more_searches: by number of players, searches with a trained policy that stand there beside those that every
            game has.
        more_of: by number of players, upper and lower agent, so many times as many games again, where par was just
            within the interval.
        variants: options of which the benchmark of algorithms has a task, too.
    """

    more_games: Mapping[int, int] = field(default_factory=dict)
    more_guided: Mapping[int, int] = field(default_factory=dict)
    more_searches: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    more_of: Mapping[tuple[int, str, str], int] = field(default_factory=dict)
    variants: tuple[Mapping[str, Any], ...] = ()
