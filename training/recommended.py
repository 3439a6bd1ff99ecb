"""Settings that proved good for a game, where the defaults of :class:`TrainingOptions` are not; found by trying."""

from __future__ import annotations

from typing import Any

__all__ = ["recommended"]

#: Games of about fifty moves a seat: half of them against chance, half against the rule of thumb. Two threads wherever
#: they are learnt, so that a seed gives the same policy on every machine.
LONG_GAMES: dict[str, Any] = {
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

#: By game: what differs from the defaults. In a long game one of many moves is worth less: the price of being decided
#: has to be lower too.
SETTINGS: dict[str, dict[str, Any]] = {
    "comme_des_rats": {
        **LONG_GAMES,
        "epochs": 3,
        "halving_steps": 2_500_000,
        "gae_lambda": 0.8,
        "opponents": {"random": 0.75, "greedy": 0.25},
    },
    "rattus": LONG_GAMES,
    "rattus_cartus": {  # the dead can lead in points: no margin
        **LONG_GAMES,
        "margin_weight": 0.0,
        "gae_lambda": 0.95,
        "opponents": {"random": 0.75, "greedy": 0.25},
    },
}


def recommended(game: str) -> dict[str, Any]:
    """Options of training for a game by name; empty where the defaults are good."""
    return dict(SETTINGS.get(game, {}))
