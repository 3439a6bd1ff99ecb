"""The game's settings for agents, learners and the ladder, found by experiment."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.settings import LONG_GAMES, LONG_SELF_PLAY, Ladder
from rat_envs.games.comme_des_rats import heuristics

HEURISTICS = {
    "greedy": heuristics.greedy,
    "loyal": heuristics.loyal,
    "treacherous": heuristics.treacherous,
}

TRAINING: dict[str, dict[str, Any]] = {
    "ppo": dict(LONG_SELF_PLAY),
    "maskable_ppo": {
        **LONG_GAMES,
        "epochs": 3,
        "halving_steps": 2_500_000,
        "gae_lambda": 0.8,
        "opponents": {"random": 0.75, "greedy": 0.25},
    },
}

NEAR = (4, "ismcts:sims=100,policy=learnt", "ismcts:sims=1000,rollout=greedy")
LADDER = Ladder(
    more_games={4: 3},
    more_guided={2: 4},
    more_of={
        NEAR: (14,),
        (4, "ismcts:sims=300,policy=learnt,rollout=policy", "ismcts:sims=1000,rollout=greedy"): (1, 4),
    },
    seeds={NEAR: 2},
)
