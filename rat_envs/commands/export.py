"""``export``: writing records of games that were played in a tournament or at a table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.commands.arguments import GameOfRecords, demand_game
from rat_envs.commands.csv_files import demand_csv, write_csv
from rat_envs.commands.output import interruptible
from rat_envs.commands.record_files import RecordsOut, WithOptions, give_records
from rat_envs.engine.errors import CheckpointError, ConfigurationError, RecordError, shown_path
from rat_envs.engine.wording import number_of
from rat_envs.play.decisions import COLUMNS, decisions
from rat_envs.play.saved import SUFFIX, SavedGame


def export(
    path: Annotated[
        Path,
        typer.Argument(
            help="The folder of a tournament (arena --out); or a folder of saved games (play --folder), or one of them."
        ),
    ],
    game: GameOfRecords = None,
    match: Annotated[
        int | None, typer.Option(min=0, help="Only this match of a tournament; matches are counted from 0.")
    ] = None,
    with_options: WithOptions = False,
    undone: Annotated[bool, typer.Option("--undone", help="Also write what people took back.")] = False,
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="With --table: also games of a folder that are not over.")
    ] = False,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write a table of the decisions in saved games, with times and labels; records only with --out.",
        ),
    ] = None,
    out: RecordsOut = None,
) -> None:
    """Write games of a tournament, or games that people played, as records or as a table; nothing is played again.

    Example: rat-envs export runs/three --match 0 --out games.jsonl

    Example: rat-envs export study --unfinished --table decisions.csv
    """
    is_tournament = path.is_dir() and not any(path.glob(f"*{SUFFIX}"))
    demand_fitting(is_tournament, undone or unfinished or table is not None, unfinished, table)
    if match is not None and not is_tournament:
        raise typer.BadParameter(f"{shown_path(path)} is no folder of a tournament.", param_hint="--match")
    with interruptible("Interrupted: the same command begins anew."):
        if is_tournament:
            give_records(out, of_tournament(path, game, match, with_options))
            return
        games = games_at(path, game, unfinished)
        if table is not None:
            write_decisions(table, path, games, undone)
        if table is None or out is not None:
            give_records(out, records_of(path, games, with_options, undone))


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


def games_at(path: Path, game: str | None, table: bool) -> list[tuple[str, SavedGame]]:
    """The saved games in a folder, or the one in a file, each with its name; those of a folder that cannot be read are
    left out, which is said.

    Args:
        path: the folder or file.
        game: the only game that is wanted, or None for all.
        table: whether games that are not over are wanted, too.

    Raises:
        ConfigurationError: the one game is of another game than ``game``.
        RecordError: the one game is damaged, of another version, or not a saved game.
    """
    if not path.is_dir():
        saved = SavedGame.read(path)
        demand_game(path, saved.game, game)
        return [(path.stem, saved)]
    found, unfinished = [], 0
    for file in sorted(path.glob(f"*{SUFFIX}")):
        try:
            saved = SavedGame.read(file)
            is_over = game in (None, saved.game) and saved.position().is_over
        except (RecordError, OSError) as error:
            reason = str(error) if shown_path(file) in str(error) else f"{shown_path(file)}: {error}"
            print(f"Left out: {reason}", file=sys.stderr)
            continue
        if game in (None, saved.game):
            unfinished += not is_over
            found += [(file.stem, saved)] if is_over or table else []
    if unfinished and not table:
        how = "add --unfinished and --table FILE.csv for what has happened in them"
        print(f"Left out: {number_of(unfinished, 'game')} not over yet; {how}.", file=sys.stderr)
    return found


def records_of(path: Path, games: list[tuple[str, SavedGame]], options: bool, undone: bool) -> Iterator[dict[str, Any]]:
    """The records of saved games, those of a folder that are not over left out.

    Raises:
        RecordError: the one game of a file is not over, is of another version, or breaks a rule.
    """
    for name, saved in games:
        try:
            if not path.is_dir() or saved.position().is_over:
                yield {**saved.record(options, undone), "game_id": name}
        except RecordError as error:
            raise RecordError(f"{shown_path(path)}: {error}") from None


def write_decisions(table: Path, path: Path, games: list[tuple[str, SavedGame]], undone: bool) -> None:
    """Write a row for each decision, and print that.

    Raises:
        RecordError: a game is damaged, of another version, or breaks a rule.
        OSError: the file cannot be written.
    """
    rows = []
    for name, saved in games:
        try:
            rows += decisions(saved, name, undone)
        except RecordError as error:
            raise RecordError(f"{shown_path(path)}: {error}") from None
    labels = list(dict.fromkeys(f"label_{name}" for _, saved in games for name in saved.terms.labels))
    write_csv(table, rows, [*COLUMNS[:3], *labels, *COLUMNS[3:]])
    print(f"{table}: {number_of(len(rows), 'decision')} of {number_of(len(games), 'game')}.", file=sys.stderr)


def demand_fitting(is_tournament: bool, of_games: bool, unfinished: bool, table: Path | None) -> None:
    """Refuse options that do not fit together.

    Raises:
        ConfigurationError: there are some.
    """
    if is_tournament and of_games:
        raise ConfigurationError("--unfinished, --undone and --table are for games that people played: leave them out.")
    if unfinished and table is None:
        raise ConfigurationError(
            "--unfinished is for the table, because records are of whole games: add --table FILE.csv."
        )
    if table is not None:
        demand_csv(table)


def add_to(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(export)
