"""Options of a game as OpenSpiel's game parameters: whole numbers, true or false, and texts.

An option that is a table is a text of JSON. OpenSpiel splits the parameters in a game's name at commas, so texts have
semicolons instead: ``die=[2;1;1;1;1]``. In a mapping of parameters, commas work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rat_envs.engine.configuration import as_json, parse_options
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.presets import Preset

__all__ = ["as_parameter", "chosen", "normal", "specification"]

#: The parameter that names a preset of the game; without one a game begins at its first node.
PRESET = "preset"


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
    options = {name: as_parameter(option.default) for name, option in game.configuration.options().items()}
    return {**options, PRESET: ""}


def normal(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from their defaults, in a form that can stand in a game's name."""
    defaults = specification(game)
    written = {name: as_parameter(value) for name, value in parameters.items()}
    return {name: value for name, value in written.items() if value != defaults.get(name)}


def chosen(game: Game, parameters: Mapping[str, Any]) -> Preset:
    """The beginning of a game with these parameters: one of its presets, or its first node in a configuration.

    Raises:
        ConfigurationError: options are given beside a preset, which has its own.
        UnknownNameError: the game has no preset of that name.
    """
    given = normal(game, parameters)
    name = given.pop(PRESET, "")
    if not name:
        return Preset("", "", {option: as_value(option, value) for option, value in given.items()})
    if given:
        raise ConfigurationError(f"{', '.join(given)}: cannot be set beside {PRESET}={name}, which fixes all options.")
    return game.preset(name)
