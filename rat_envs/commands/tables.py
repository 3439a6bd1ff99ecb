"""``games`` and ``describe``: what there is."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from rat_envs.commands.arguments import AsJson, GameName
from rat_envs.describe import describe as describe_game
from rat_envs.engine.registry import all_games, get_game


def games(as_json: AsJson = False) -> None:
    """List the games.

    Example: rat-envs games
    """
    if as_json:
        print(
            json.dumps([{"name": g.name, "id": g.environment_id, "summary": g.summary} for g in all_games().values()])
        )
        return
    table = Table("game", "environment", "players", "actions", "observation", "what it is")
    for game in all_games().values():
        size = str(game.observation.itemsize)
        table.add_row(game.name, game.environment_id, str(game.seats), str(len(game.actions)), size, game.summary)
    Console().print(table)


def describe(game: GameName) -> None:
    """Show a game's options, observation, actions and order of nodes.

    Example: rat-envs describe brave_rats
    """
    print(describe_game(get_game(game)))


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(games)
    app.command()(describe)
