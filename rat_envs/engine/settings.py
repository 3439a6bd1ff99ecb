"""What a game says of learning it and of its place on the ladder, so that nothing else has to name the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LONG_GAMES", "Ladder"]

#: Self-play in games of about fifty moves a seat: half of them against chance, half against ``greedy``. In a long game
#: one of many moves is worth less: the price of being decided has to be lower too. Two threads wherever they are
#: learnt, so that a seed gives the same policy on every machine.
LONG_GAMES: Mapping[str, Any] = {
    "threads": 2,
    "epochs": 4,
    "hidden": (128, 128),
    "scaled": True,
    "margin_weight": 0.5,
    "halving_steps": 1_500_000,
    "entropy_coefficient": 0.001,
    "gae_lambda": 0.9,
    "opponents": {"random": 0.5, "greedy": 0.5},
    "latest_share": 0.0,
    "older_at_once": 0,
    "average_share": 0.1,
}


@dataclass(frozen=True)
class Ladder:
    """How a game stands on the ladder.

    Attributes:
        steps: of the learner whose policy plays there; they should take about two minutes.
        more_games: by number of players, so many times as many games of search as elsewhere, where luck and others'
            choices hide its skill.
    """

    steps: int
    more_games: Mapping[int, int] = field(default_factory=dict)
