"""The game's settings for agents, learners and the ladder, found by experiment."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.settings import Ladder
from rat_envs.games.brave_rats import heuristics

HEURISTICS = {"greedy": heuristics.greedy}

#: Games are short: more games at a time, with fewer decisions of each between updates, take less time and teach as
#: much.
TRAINING: dict[str, dict[str, Any]] = {
    "lookahead": {"crossed": ("own_hand", "opponent_cards")},
    "ppo": {"num_games": 1024, "steps_per_update": 32},
}

NASH_AND_MOST_SEARCH = (2, "nash", "ismcts:sims=10000,rollout=greedy")
LADDER = Ladder(
    more_games={2: 5},
    more_of={NASH_AND_MOST_SEARCH: (20,)},
    seeds={NASH_AND_MOST_SEARCH: 2},
    variants=({"fast": True},),
)
