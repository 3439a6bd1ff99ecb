"""The one place where games are found: every package in ``rat_envs.games`` is one.

A package holds its ``VERSION``, and its module ``declaration`` the ``GAME``, which is imported when it is first asked
for: importing ``rat_envs`` imports no game.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil

from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game

__all__ = ["all_games", "get_game", "own_versions", "register", "unregister"]

PACKAGE = "rat_envs.games"

_others: dict[str, Game] = {}


@functools.cache
def own_versions() -> dict[str, int]:
    """The games of ``rat_envs.games`` by name, and their versions."""
    package = importlib.import_module(PACKAGE)
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return {name: importlib.import_module(f"{PACKAGE}.{name}").VERSION for name in names}


@functools.cache
def _own_game(name: str) -> Game:
    game: Game = importlib.import_module(f"{PACKAGE}.{name}.declaration").GAME
    return game


def all_games() -> dict[str, Game]:
    """Every registered game by name."""
    return {**{name: _own_game(name) for name in own_versions()}, **_others}


def register(game: Game) -> None:
    """Add a game that does not live in ``rat_envs.games``."""
    _others[game.name] = game


def unregister(name: str) -> None:
    """Forget a game that :func:`register` has added."""
    del _others[name]


def get_game(game: str | Game) -> Game:
    """The game of that name; a :class:`Game` is returned as it is.

    Raises:
        UnknownNameError: no game has the name.
    """
    if isinstance(game, Game):
        return game
    if game in _others:
        return _others[game]
    if game in own_versions():
        return _own_game(game)
    raise UnknownNameError(f"There is no game {game!r}: the games are {', '.join([*own_versions(), *_others])}.")
