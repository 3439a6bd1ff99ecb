"""Settings that proved good for a game, where the defaults of :class:`TrainingOptions` are not; found by trying."""

from __future__ import annotations

from typing import Any

__all__ = ["recommended"]

#: By game: what differs from the defaults. In a long game one of many moves is worth less: the price of being decided
#: has to be lower too.
SETTINGS: dict[str, dict[str, Any]] = {
    "comme_des_rats": {
        "epochs": 4,
        "halving_steps": 1_500_000,
        "entropy_coefficient": 0.001,
        "random_share": 0.8,
        "greedy_share": 0.15,
        "latest_share": 0.05,
        "older_at_once": 0,
        "average_share": 0.1,
    },
}


def recommended(game: str) -> dict[str, Any]:
    """Options of training for a game by name; empty where the defaults are good."""
    return dict(SETTINGS.get(game, {}))
