"""The game's settings for agents, learners and the ladder, found by experiment."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.settings import LONG_GAMES, LONG_SELF_PLAY, Ladder
from rat_envs.games.rattus import heuristics

HEURISTICS = {"greedy": heuristics.greedy}

TRAINING: dict[str, dict[str, Any]] = {
    "ppo": {**LONG_SELF_PLAY, "margin_weight": 0.5},
    "maskable_ppo": dict(LONG_GAMES),
}

#: Hard to tell apart, and much of their return comes from the plague after the last decision.
MOST_SEARCH = (2, "ismcts:sims=10000,rollout=greedy", "ismcts:sims=1000,rollout=greedy")

LADDER = Ladder(more_guided={4: 3}, more_of={MOST_SEARCH: (1, 16)}, final_draws={MOST_SEARCH: 64})
