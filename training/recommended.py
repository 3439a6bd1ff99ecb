"""Settings that proved good for a game, where the defaults of the learners are not; found by trying."""

from __future__ import annotations

from typing import Any

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.training.fitted_values import LookaheadOptions
from rat_envs.training.run import RunOptions
from rat_envs.training.self_play import TrainingOptions

__all__ = ["recommended", "recommended_learner", "recommended_options"]

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
    # Who plays badly dies, however many points it has: no margin, and first of all imitation. Larger steps of self-play
    # than these lose again what was learnt so.
    "rattus_cartus": {
        **LONG_GAMES,
        "imitation_steps": 900_000,
        "learning_rate": 3e-4,
        "margin_weight": 0.0,
        "gae_lambda": 0.95,
    },
}


#: Likewise for learning values, with all games that are learnt so unless somebody asks for something else.
LOOKAHEAD_SETTINGS: dict[str, dict[str, Any]] = {
    "brave_rats": {"crossed": ("own_hand", "opponent_cards")},
}


def recommended(game: str) -> dict[str, Any]:
    """Options of self-play for a game by name; empty where the defaults are good."""
    return dict(SETTINGS.get(game, {}))


def recommended_learner(game: Game, configuration: Configuration) -> str:
    """Values, where a round can be looked ahead and settings are known; else self-play."""
    return "lookahead" if configuration.is_public and game.name in LOOKAHEAD_SETTINGS else "ppo"


def recommended_options(learner: str, game: str, **changes: Any) -> RunOptions:
    """Options of training for a game.

    Args:
        learner: ``ppo`` or ``lookahead``.
        game: registered name.
        changes: options that are to differ.

    Raises:
        ConfigurationError: there is no such learner, or none for the game.
    """
    if learner == "ppo":
        return TrainingOptions(**{**recommended(game), "game": game, **changes})
    if learner != "lookahead":
        raise ConfigurationError(f"learner={learner!r}: must be ppo or lookahead.")
    if game not in LOOKAHEAD_SETTINGS:
        raise ConfigurationError(f"learner='lookahead': only for {', '.join(LOOKAHEAD_SETTINGS)}, not for {game}.")
    return LookaheadOptions(**{**LOOKAHEAD_SETTINGS[game], "game": game, **changes})
