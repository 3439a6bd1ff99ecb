"""Options of a game as OpenSpiel's game parameters: whole numbers, true or false, and texts.

An option that is a table is a text of JSON. OpenSpiel parts the parameters in a game's name at commas, so that texts
have semicolons instead: ``die=[2;1;1;1;1]``. Commas are understood where a mapping of parameters is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rat_envs.engine.configuration import Configuration, as_json, parse_options
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game

__all__ = ["chosen", "normal", "specification"]


def as_parameter(value: Any) -> Any:
    """An option's value as a parameter."""
    if isinstance(value, (bool, int)):
        return value
    text = value if isinstance(value, str) else as_json(value)
    return text.replace(",", ";")


def as_value(name: str, parameter: Any) -> Any:
    """A parameter as an option's value."""
    if not isinstance(parameter, str):
        return parameter
    return parse_options([f"{name}={parameter.replace(';', ',')}"])[name]


def specification(game: Game) -> dict[str, Any]:
    """The parameters of a game, with their defaults."""
    return {name: as_parameter(option.default) for name, option in game.configuration.options().items()}


def normal(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults, in a form that can stand in a game's name."""
    defaults = specification(game)
    written = {name: as_parameter(value) for name, value in parameters.items()}
    return {name: value for name, value in written.items() if value != defaults.get(name)}


def chosen(game: Game, parameters: Mapping[str, Any]) -> tuple[Configuration, tuple[str, ...]]:
    """The configuration that parameters ask for, and the opening.

    Raises:
        ConfigurationError: a value is not admissible.
    """
    options = {name: as_value(name, value) for name, value in normal(game, parameters).items()}
    return game.configuration.make(options), ()
