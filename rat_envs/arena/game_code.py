"""The code of a game that is not one of the package's own, by its hash: such rules can change without a new version."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.own_modules import module_named
from rat_envs.engine.registry import is_installed, own_versions, reference_to

__all__ = ["GameCode", "code_of"]

#: So begin the names of this package's modules, and what makes a folder a package.
OURS, PACKAGE = "rat_envs.", "__init__.py"


class GameCode(NamedTuple):
    """What a game's rules are, as far as files say it.

    Attributes:
        name: of the file or the package, or of several.
        sha256: of the contents of all files, and of their places in a package, in hexadecimal.
    """

    name: str
    sha256: str


@functools.cache
def code_of(game: Game) -> GameCode | None:
    """The files that hold a game's rules, as they are when this is first asked; None for the package's own games, and
    for those that no file holds.

    A file that lies in a package stands for all Python files of that package, and otherwise for itself alone.
    """
    if game.name in own_versions() and is_installed(game):
        return None
    places = sorted({_unit(file) for file in _files(game)})
    digest = hashlib.sha256()
    for place in places:
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(place).as_posix()}\n{len(content)}\n".encode() + content)
    return GameCode(", ".join(place.name for place in places), digest.hexdigest()) if places else None


def _unit(file: Path) -> Path:
    """A file, or the folder of the package in which it lies."""
    return file.parent if (file.parent / PACKAGE).is_file() else file


def _files(game: Game) -> list[Path]:
    """The files of a game's own rules and options; if all of these are this package's, the file that holds the game."""
    own = [globals_.get("__file__") for globals_ in _globals(game) if not str(globals_["__name__"]).startswith(OURS)]
    found = [Path(file).resolve() for file in own or [_holder(game)] if file]
    return [file for file in found if file.is_file()]


def _globals(game: Game) -> Iterator[dict[str, Any]]:
    """The names around each rule, and around the options. (A module that lies beside a file is in no list.)"""
    for rule in fields(game.rules):
        if (names := getattr(getattr(game.rules, rule.name), "__globals__", None)) is not None:
            yield names
    if (module := sys.modules.get(game.configuration.__module__)) is not None:
        yield vars(module)


def _holder(game: Game) -> str | None:
    """The file of the module that holds a game under a name; None if there is none."""
    try:
        _, place = reference_to(game)
    except ConfigurationError:
        return None
    return None if len(place) == 1 else getattr(module_named(place[0], f"the game {game.name}"), "__file__", None)
