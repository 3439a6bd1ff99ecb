"""Going on with an earlier game in the browser: which one is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rat_envs.api.named_agents import demand_trust
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.wording import number_of
from rat_envs.play.saved import SavedGame

if TYPE_CHECKING:
    from rat_envs.play.browser.rooms import House

__all__ = ["Earlier", "demand_game", "in_words", "unfinished"]


@dataclass(frozen=True)
class Earlier:
    """The game to go on with: one from a file, or the latest unfinished one that the folder holds.

    Attributes:
        game: the game.
        path: the file; None for the latest.
        configuration: the options of which the latest has to be; None for any.
        names: the seats of which the latest has to be; None for any.
    """

    game: Game
    path: Path | None = None
    configuration: Configuration | None = None
    names: Sequence[str] | None = None

    def found(self, house: House) -> SavedGame:
        """The game, with the tokens that open it.

        Raises:
            ConfigurationError: there is none, or the file holds another game.
            RecordError: the file is damaged, no saved game, or of another version.
            RatEnvsError: an agent does not exist, cannot play this, or needs trust.
        """
        if self.path is not None:
            demand_game(SavedGame.read(self.path), self.path, self.game)
            return house.go_on(self.path)
        latest = next(unfinished(house, self.game.name, self.configuration, self.names), None)
        if latest is None:
            alike = "" if self.configuration is None else " with these options and seats"
            where = f"{shown_path(house.folder)} holds no unfinished game of {self.game.name}{alike}"
            raise ConfigurationError(f"--continue: {where}: leave it out to begin one.")
        demand_trust(latest.seats, house.trust, "The saved game")
        return latest


def demand_game(saved: SavedGame, path: Path, game: Game) -> None:
    """Refuse a file that holds another game.

    Raises:
        ConfigurationError: it does.
    """
    if saved.game != game.name:
        raise ConfigurationError(f"{shown_path(path)} holds a game of {shown(saved.game)}, not of {game.name}.")


def unfinished(
    house: House, game: str, configuration: Configuration | None = None, names: Sequence[str] | None = None
) -> Iterator[SavedGame]:
    """Earlier games of this name that have begun and are not finished, the latest first; only those with these options
    and seats, if given."""
    for saved in house.unfinished():
        is_alike = configuration is None or _as_text(saved.config) == _as_text(configuration.to_dict())
        if saved.game == game and is_alike and (names is None or saved.seats == list(names)):
            yield saved


def in_words(saved: SavedGame) -> str:
    """A game with its players, and how far it has come."""
    moves = sum(step["actor"] != "chance" for step in saved.steps)
    people = ", ".join(map(shown_path, saved.seats))
    return f"{shown_path(saved.game)} with {people}, {number_of(moves, 'move')} so far"


def _as_text(config: dict) -> str:
    return json.dumps(config, sort_keys=True)
