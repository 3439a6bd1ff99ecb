"""The one place where games are found: every package in ``rat_envs.games`` declares a ``GAME``."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game

__all__ = ["all_games", "get_game", "register", "unregister"]

_others: dict[str, Game] = {}


@functools.cache
def _own_games() -> dict[str, Game]:
    package = importlib.import_module("rat_envs.games")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return {name: importlib.import_module(f"{package.__name__}.{name}").GAME for name in names}


def all_games() -> dict[str, Game]:
    """Every registered game by name."""
    return {**_own_games(), **_others}


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
    games = all_games()
    if game not in games:
        raise UnknownNameError(f"There is no game {game!r}: the games are {', '.join(games)}.")
    return games[game]
