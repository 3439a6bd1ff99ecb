"""``export``: writing records of games that were played in a tournament or at a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.commands.arguments import GameOfRecords, demand_game
from rat_envs.commands.output import interruptible
from rat_envs.commands.record_files import RecordsOut, WithOptions, give_records
from rat_envs.engine.errors import CheckpointError, RecordError, shown_path


def export(
    path: Annotated[
        Path,
        typer.Argument(help="The folder of a tournament (arena --out), or the file of a saved game."),
    ],
    game: GameOfRecords = None,
    match: Annotated[
        int | None, typer.Option(min=0, help="Only this match of a tournament; matches are counted from 0.")
    ] = None,
    with_options: WithOptions = False,
    out: RecordsOut = None,
) -> None:
    """Write games of a tournament, or one that people played, as records; nothing is played again.

    Example: rat-envs export runs/three --match 0 --out games.jsonl
    """
    if path.is_dir():
        records = of_tournament(path, game, match, with_options)
    elif match is not None:
        raise typer.BadParameter(f"{shown_path(path)} is no folder of a tournament.", param_hint="--match")
    else:
        records = of_saved_game(path, game, with_options)
    with interruptible("Interrupted: the same command begins anew."):
        give_records(out, records)


def of_tournament(path: Path, game: str | None, match: int | None, options: bool) -> Iterator[dict[str, Any]]:
    """The records of the games of a tournament played so far.

    Raises:
        ConfigurationError: the tournament is of another game than ``game``, or has no such match.
        CheckpointError: there is no tournament, or none of its games has been played.
    """
    from rat_envs.arena import Recorded
    from rat_envs.arena.changes import counted_matches

    recorded = Recorded(path)
    demand_game(path, recorded.plan.game.name, game)
    chunks, missing = recorded.chunks(match)
    if missing == chunks:
        raise CheckpointError(f"{shown_path(path)}: nothing of the tournament has been played yet.")
    if missing:
        print(f"{missing} of {chunks} chunks have not been played yet.", file=sys.stderr)
    if recorded.aside and match is None:
        print(f"Left out: {counted_matches(recorded.aside)} of agents that have changed or gone.", file=sys.stderr)
    return recorded.games(match, options)


def of_saved_game(path: Path, game: str | None, options: bool) -> Iterator[dict[str, Any]]:
    """The one record of a saved game.

    Raises:
        ConfigurationError: it is of another game than ``game``.
        RecordError: it is not over, is damaged, of another version, or not a saved game.
    """
    from rat_envs.play import SavedGame

    saved = SavedGame.read(path)
    demand_game(path, saved.game, game)
    try:
        return iter([saved.record(options)])
    except RecordError as error:
        raise RecordError(f"{shown_path(path)}: {error}") from None


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(export)
