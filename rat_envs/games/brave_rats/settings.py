"""What agents, learners and the ladder take from the game; settings were found by trying."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.settings import Ladder
from rat_envs.games.brave_rats import heuristics

HEURISTICS = {"greedy": heuristics.greedy}

TRAINING: dict[str, dict[str, Any]] = {"lookahead": {"crossed": ("own_hand", "opponent_cards")}}

LADDER = Ladder(more_games={2: 5}, more_of={(2, "nash", "ismcts:sims=10000,rollout=greedy"): 4})
