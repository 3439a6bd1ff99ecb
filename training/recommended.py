"""Settings that proved good for a game, where the defaults of :class:`TrainingOptions` are not; found by trying."""

from __future__ import annotations

from typing import Any

__all__ = ["recommended"]

#: By game: what differs from the defaults. Long games take larger batches and a smaller price of being decided: what
#: one of many moves is worth is less, and the noise around it is more.
SETTINGS: dict[str, dict[str, Any]] = {
    "comme_des_rats": {
        "num_games": 1024,
        "minibatch": 4096,
        "epochs": 4,
        "learning_rate": 2e-3,
        "halving_steps": 2_000_000,
        "entropy_coefficient": 0.0005,
        "random_share": 0.75,
        "greedy_share": 0.2,
        "latest_share": 0.05,
        "older_at_once": 0,
        "average_share": 0.1,
    },
}


def recommended(game: str) -> dict[str, Any]:
    """Options of training for a game by name; empty where the defaults are good."""
    return dict(SETTINGS.get(game, {}))
