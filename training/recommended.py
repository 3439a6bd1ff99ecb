"""Recommended settings of learners for each game, where their defaults are not good."""

from __future__ import annotations

import dataclasses
from typing import Any

from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games, get_game
from rat_envs.training.fitted_values import LookaheadOptions
from rat_envs.training.maskable_ppo import MaskablePPOOptions
from rat_envs.training.ppo import PPOOptions
from rat_envs.training.run import RunOptions
from rat_envs.training.search_learner import SearchLearnerOptions

__all__ = ["LEARNERS", "options_of", "recommended", "recommended_learner", "recommended_options"]

#: The options of every learner, by its name. Add a line here for a new one.
LEARNERS: dict[str, type[RunOptions]] = {
    kind.LEARNER: kind
    for kind in (
        PPOOptions,
        MaskablePPOOptions,
        LookaheadOptions,
        SearchLearnerOptions,
    )
}


def options_of(learner: str) -> type[RunOptions]:
    """The options of a learner.

    Raises:
        ConfigurationError: there is no such learner.
    """
    if learner not in LEARNERS:
        raise ConfigurationError(f"learner={shown(learner)}: must be {' or '.join(LEARNERS)}.")
    return LEARNERS[learner]


def recommended(game: str, learner: str) -> dict[str, Any]:
    """The settings that a game recommends in place of a learner's defaults; empty where the defaults are good.

    Raises:
        ConfigurationError: the game names an option that the learner does not have.
    """
    settings = dict(get_game(game).training.get(learner, {}))
    known = [field.name for field in dataclasses.fields(options_of(learner))]
    for name in settings:
        if name not in known:
            raise ConfigurationError(f"{game} has a setting {shown(name)} that the learner {learner} does not have.")
    return settings


def recommended_learner(game: Game, configuration: Configuration) -> str:
    """``lookahead`` where it can be used and the game has settings for it; otherwise self-play."""
    looks_ahead = configuration.is_public and LookaheadOptions.LEARNER in game.training
    return LookaheadOptions.LEARNER if looks_ahead else PPOOptions.LEARNER


def recommended_options(learner: str, game: str, **changes: Any) -> RunOptions:
    """Options of training for a game.

    A run that begins with a saved policy imitates nobody, unless the changes give a teacher or its number of steps.

    Args:
        learner: one of :data:`LEARNERS`.
        game: registered name.
        changes: options with other values.

    Raises:
        ConfigurationError: there is no such learner, or none for the game.
    """
    kind = options_of(learner)
    if learner == LookaheadOptions.LEARNER and learner not in get_game(game).training:
        having = ", ".join(name for name, other in all_games().items() if learner in other.training)
        raise ConfigurationError(f"learner={shown(learner)}: only for {having}, not for {game}.")
    settings = recommended(game, learner)
    if changes.get("begin_with") and "teacher" not in changes:
        settings.pop("teacher_steps", None)  # imitation would overwrite the policy it begins with
    return kind(**{**settings, "game": game, **changes})
