"""``games`` and ``describe``: listing the games, and describing one."""

from __future__ import annotations

import json

import typer

from rat_envs.commands.arguments import AsJson, GameName, Options, Players, configured
from rat_envs.commands.output import print_table
from rat_envs.describe import describe as describe_game
from rat_envs.engine.game import Game
from rat_envs.engine.registry import all_games, get_game


def games(as_json: AsJson = False) -> None:
    """List the games.

    Example: rat-envs games
    """
    found = all_games().values()
    if as_json:
        print(json.dumps([{"name": g.name, "id": g.environment_id, "summary": g.summary} for g in found]))
        return
    rows = [
        (g.name, g.environment_id, players_in_words(g), str(len(g.actions)), str(g.observation.itemsize), g.summary)
        for g in found
    ]
    print_table(("game", "environment", "players", "actions", "observation", "what it is"), rows)


def players_in_words(game: Game) -> str:
    """The possible numbers of players, in words."""
    option = game.configuration.options().get("players")
    return str(game.seats) if option is None else option.values().replace(" … ", "–")


def describe(game: GameName, options: Options = None, players: Players = None) -> None:
    """Show a game's options, observation, actions and order of nodes; after options also what differs with them.

    Example: rat-envs describe brave_rats fast=true
    """
    if options or players is not None:
        print(describe_game(*configured(game, options, players)))
    else:
        print(describe_game(get_game(game)))


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(games)
    app.command()(describe)
