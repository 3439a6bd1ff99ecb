"""The game's settings for agents, learners and the ladder, found by experiment."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.settings import LONG_GAMES, LONG_SELF_PLAY, Ladder
from rat_envs.games.rattus_cartus import heuristics

HEURISTICS = {"greedy": heuristics.greedy}

#: A weak player dies, however many points it has: so no margin, and imitation comes first. Larger steps of self-play
#: than these lose again what imitation taught.
TRAINING: dict[str, dict[str, Any]] = {
    "ppo": {**LONG_SELF_PLAY, "learning_rate": 3e-4, "opponents": {"greedy": 0.7}},
    "maskable_ppo": {
        **LONG_GAMES,
        "imitation_steps": 900_000,
        "imitation_share": 0.6,
        "learning_rate": 3e-4,
        "margin_weight": 0.0,
        "gae_lambda": 0.95,
    },
}

#: With four players, much happens between a choice and the end of the game: values estimated on the way vary less than
#: the result. The second search takes about as long as a thousand simulations with the heuristic.
OF_FOUR = tuple(
    f"ismcts:sims={sims},policy=learnt,rollout=policy,exploration=0.1,trace_decay=0.95" for sims in (100, 900)
)

LADDER = Ladder(
    more_guided={2: 4},
    more_searches={4: OF_FOUR},
    more_of={
        (2, "ismcts:sims=100,policy=learnt,rollout=policy", "ismcts:sims=1000,rollout=greedy"): (1, 2),
        (4, "ismcts:sims=100,policy=learnt,rollout=policy", "ismcts:sims=1000,rollout=greedy"): (1, 2),
        (4, OF_FOUR[0], "ismcts:sims=1000,rollout=greedy"): (3, 8, 14),
        (4, OF_FOUR[1], "ismcts:sims=1000,rollout=greedy"): (2, 4),
    },
)
