"""``record`` and ``replay``: games as lines of JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from rat_envs.commands.arguments import GameName, Options, Players, Seed, Trust, configured
from rat_envs.engine.checks import checked_seed
from rat_envs.engine.errors import RecordError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, read_records
from rat_envs.engine.records import replay as replay_record
from rat_envs.play.seating import Table


def record(
    game: GameName,
    options: Options = None,
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    seed: Seed = 0,
    with_options: Annotated[bool, typer.Option("--options", help="Write what was possible at every node.")] = False,
    agent: Annotated[list[str] | None, typer.Option(help="Who plays, seat by seat; random play if none.")] = None,
    trust: Trust = False,
) -> None:
    """Write games as JSON, one a line, to standard output.

    Example: rat-envs record brave_rats --games 10 --seed 7 --options fast=true
    """
    chosen, configuration = configured(game, options, players)
    table = Table(chosen, configuration, agent, seed, trust)
    for number in range(games):
        recorder = Recorder(Position(chosen, configuration), with_options)
        stream = new_stream(chosen, checked_seed(seed + number))
        while not recorder.position.is_over:
            recorder.apply(table.choose(recorder.position, stream))
        print(json.dumps(recorder.record()))


def replay(
    file: Annotated[Path, typer.Argument(help="Records, one a line; - for standard input.")],
    quiet: Annotated[bool, typer.Option(help="Check only.")] = False,
) -> None:
    """Check records against the rules and show the games; name the first line and step that breaks one.

    Example: rat-envs replay games.jsonl
    """
    checked = 0
    with sys.stdin if str(file) == "-" else file.open(encoding="utf-8") as lines:
        for line, record in read_records(lines):
            try:
                final = replay_record(record)
            except RecordError as error:
                raise RecordError(f"Line {line}: {error}") from error
            checked += 1
            if not quiet:
                show(line, record, final)
    print(f"{checked} records agree with the rules.")


def show(line: int, record: dict, final: Position) -> None:
    """A game in a few lines: options, moves, the last table and the result."""
    options = " ".join(f"{name}={json.dumps(value)}" for name, value in record["config"].items())
    print(f"Line {line}: {record['game']} {options}")
    print("; ".join(f"{step['actor']} {step['action']}" for step in record["steps"]))
    print(final.game.text(final.state, None))
    print(f"returns {record['returns']}, scores {record['scores']}, winners {record['winners']}\n")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(record)
    app.command()(replay)
