"""A game's settings for learning it, for the ladder and for the benchmark: nothing else there names the game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["LONG_GAMES", "LONG_SELF_PLAY", "Ladder"]

#: For the learner ``ppo`` in games of about fifty moves per seat. In a long game one of many moves matters less, so the
#: entropy bonus must be lower too. The policy begins as ``greedy``, which plays the other seats in half of the games:
#: with several players, self-play alone leads to habits that lose to it.
LONG_SELF_PLAY: Mapping[str, Any] = {
    "learning_rate": 5e-4,
    "annealing_steps": 60_000_000,
    "entropy_coefficient": 0.004,
    "final_entropy": 0.1,
    "teacher_steps": 2_000_000,
    "opponents": {"greedy": 0.5},
}

#: The same for ``maskable_ppo``: half of the games against ``random``, half against ``greedy``. Two threads everywhere,
#: so that a seed gives the same policy on every machine.
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
    """A game's settings for the ladder and the benchmark.

    Attributes:
        more_games: by number of players, the factor by which a search plays more games than in other games, if luck and
            the choices of others hide its skill.
        more_guided: by number of players, a further factor for searches with a trained policy, if they are hardly
            stronger than their opponents.
        more_searches: by number of players, searches with a trained policy on the ladder, besides those that every game
            has.
        more_of: by number of players, upper and lower agent, further factors for this pairing alone, if par was just
            inside the interval of the first games. The last counts; those before it tell how many games there were when
            the result was examined and more were requested.
        seeds: by number of players, upper and lower agent, the seed of a pairing that was played anew on other deals,
            because the number of its first games depended on their results.
        final_draws: by number of players, upper and lower agent, how many times the chance after a game's last decision
            is drawn, if it decides much; the mean return counts.
        variants: options for which the benchmark of algorithms also has a task.
    """

    more_games: Mapping[int, int] = field(default_factory=dict)
    more_guided: Mapping[int, int] = field(default_factory=dict)
    more_searches: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    more_of: Mapping[tuple[int, str, str], tuple[int, ...]] = field(default_factory=dict)
    seeds: Mapping[tuple[int, str, str], int] = field(default_factory=dict)
    final_draws: Mapping[tuple[int, str, str], int] = field(default_factory=dict)
    variants: tuple[Mapping[str, Any], ...] = ()
