"""The one place where games are found: ours, those that installed packages add, and those registered at run time.

Every package in ``rat_envs.games`` is one of ours: it holds its ``VERSION``, and its module ``declaration`` the
``GAME``, which is imported when it is first needed. So is a game that an entry point of the group ``rat_envs.games``
names: importing ``rat_envs`` imports no game.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

from rat_envs.engine.errors import ConfigurationError, PluginError, PluginWarning, UnknownNameError, shown, shown_name
from rat_envs.engine.game import Game
from rat_envs.engine.own_modules import module_named, place_of
from rat_envs.engine.plugins import load_plugin, plugins

__all__ = [
    "GROUP",
    "all_games",
    "command_name",
    "get_game",
    "is_installed",
    "known_versions",
    "note_command_name",
    "own_versions",
    "reference_to",
    "register",
    "unregister",
]

PACKAGE = "rat_envs.games"
#: The group of entry points: ``kuhn_poker = "package.module:GAME"`` adds version 0 of the game, ``kuhn_poker-v3``
#: version 3.
GROUP = "rat_envs.games"

_registered: dict[str, Game] = {}
#: The name of a game on a command line: ``module:GAME`` or ``file.py:GAME``.
_command_names: dict[Game, str] = {}
#: The module in which a game was found, and its name there; the search takes a while.
_places: dict[Game, tuple[str, str]] = {}


@functools.cache
def own_versions() -> dict[str, int]:
    """The games of ``rat_envs.games`` by name, and their versions."""
    package = importlib.import_module(PACKAGE)
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__) if module.ispkg)
    return {name: importlib.import_module(f"{PACKAGE}.{name}").VERSION for name in names}


def known_versions() -> dict[str, int]:
    """Every game by name, and its version; none is imported for it."""
    added = {name: version for name, (version, _) in _added().items()}
    return {**added, **own_versions(), **{name: game.version for name, game in _registered.items()}}


@functools.cache
def _own_game(name: str) -> Game:
    game: Game = importlib.import_module(f"{PACKAGE}.{name}.declaration").GAME
    return game


def _added() -> dict[str, tuple[int, tuple[EntryPoint, ...]]]:
    """The games of other packages by name: the version, and the entry points."""
    found: dict[str, tuple[int, tuple[EntryPoint, ...]]] = {}
    for label, entries in plugins(GROUP).items():
        name, _, version = label.partition("-v")
        found[name] = int(version) if version.isdecimal() else 0, (*found.get(name, (0, ()))[1], *entries)
    return found


@functools.cache
def _added_game(entries: tuple[EntryPoint, ...]) -> Game:
    """The game behind the entry points of one name.

    Raises:
        PluginError: it cannot be loaded, or has another name.
    """
    game: Game = load_plugin(entries, Game, "Game")
    right = {f"{game.name}-v{game.version}", *([game.name] if game.version == 0 else [])}
    if entries[0].name not in right:
        raise PluginError(
            f"The entry point {entries[0].name!r} of {entries[0].value} adds version {game.version} of {game.name}: "
            f"it must be named {min(right, key=len)!r}."
        )
    return game


def all_games() -> dict[str, Game]:
    """Every game by name; an unusable one of another package is left out with a warning that names the package."""
    games = {name: _own_game(name) for name in own_versions()}
    for name, (_, entries) in _added().items():
        try:
            if name in games:
                raise PluginError(f"{entries[0].value} adds a game {name!r}: that name is taken by one of rat_envs.")
            games[name] = _added_game(entries)
        except PluginError as error:
            warnings.warn(str(error), PluginWarning, stacklevel=2)
    return {**games, **_registered}


def register(game: Game) -> None:
    """Make a game known by its name in this process.

    Raises:
        ConfigurationError: another game has the name.
    """
    if not isinstance(game, Game):
        raise ConfigurationError(f"Only a Game can be registered, not {shown(game)}.")
    if _is_registered(game):
        return
    if game.name in known_versions():
        again = ", or register it with replace=True" if game.name in _registered else ""
        is_added = game.name in _added() and game.name not in own_versions()
        added = f", which {_added()[game.name][1][0].value} adds" if is_added else ""
        raise ConfigurationError(f"There is a game {game.name!r} already{added}: give yours another name{again}.")
    _registered[game.name] = game


def unregister(name: str) -> Game:
    """Forget a game that :func:`register` has added, and return it.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name not in _registered:
        known = ", ".join(_registered) or "none"
        raise UnknownNameError(
            f"No game {shown(name)} has been registered in this process: those registered are {known}."
        )
    return _registered.pop(name)


def note_command_name(game: Game, name: str) -> None:
    """Remember the name that a command line has for a game in code."""
    _command_names[game] = name


def command_name(game: Game) -> str:
    """The name of a game in commands: its own, or the one that the command line of this process has for it."""
    return _command_names.get(game, game.name)


def get_game(game: str | Game) -> Game:
    """The game of that name; a :class:`Game` is returned as it is.

    Raises:
        UnknownNameError: no game has the name.
        PluginError: another package adds the game, but it cannot be used.
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise UnknownNameError(f"A game is named by a text, not by {shown(game)}.")
    if game in _registered:
        return _registered[game]
    if game in own_versions():
        return _own_game(game)
    if game in _added():
        return _added_game(_added()[game][1])
    hint = f" Of a file, name the game, too: {shown_name(game)}:GAME." if str(game).endswith(".py") else ""
    raise UnknownNameError(f"There is no game {shown(game)}: the games are {', '.join(known_versions())}.{hint}")


def reference_to(game: Game) -> tuple[Callable[..., Game], tuple[str, ...]]:
    """What pickle writes for a game, so that any process finds it: its name, or the module that holds it.

    A game that is registered when it is written is registered where it is read.

    Raises:
        ConfigurationError: no other process could find it.
    """
    if is_installed(game):
        return get_game, (game.name,)
    if place := _place_of(game):
        module, name = place
        return _registered_at if _is_registered(game) else _game_at, (place_of(module), name)
    if _is_registered(game):
        return get_game, (game.name,)
    raise ConfigurationError(
        f"No other process can find the game {game.name!r}: assign it to a name at the top of a module."
    )


def _is_registered(game: Game) -> bool:
    return _registered.get(game.name) is game


def is_installed(game: Game) -> bool:
    """Whether every process knows the game by its name."""
    if game.name in own_versions():
        return _own_game(game.name) is game
    return game.name in _added() and _added_game(_added()[game.name][1]) is game


def _place_of(game: Game) -> tuple[str, str] | None:
    """The module that holds a game, and its name there; None if none does."""
    if game in _places:
        module, name = _places[game]
        if getattr(sys.modules.get(module), name, None) is game:
            return module, name
    likely = [game.configuration.__module__, game.rules.setup.__module__]
    for module in dict.fromkeys([*likely, *sys.modules]):
        for name, value in list(getattr(sys.modules.get(module), "__dict__", {}).items()):
            if value is game:
                _places[game] = module, name
                return module, name
    return None


def _game_at(place: str, name: str) -> Game:
    """The game that a module or a file holds under a name."""
    game: Any = getattr(module_named(place, f"the game {name}"), name)
    return get_game(game)


def _registered_at(place: str, name: str) -> Game:
    """The same for a game that is registered in the process that sent it."""
    game = _game_at(place, name)
    if game.name not in known_versions():
        register(game)
    return game
