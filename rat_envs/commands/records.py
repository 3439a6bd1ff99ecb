"""``record`` and ``replay``: games as lines of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rat_envs.api.agent_code import agents_at_work
from rat_envs.commands.arguments import GameName, GameOfRecords, Options, Players, Trust, configured, not_nan
from rat_envs.commands.csv_files import demand_csv, write_csv
from rat_envs.commands.output import counted, interruptible
from rat_envs.commands.record_files import RecordsOut, WithOptions, give_records, opened
from rat_envs.engine.archive import write_file
from rat_envs.engine.checks import MOST_SEED, checked_seed
from rat_envs.engine.errors import ConfigurationError, RecordError, shown, shown_path
from rat_envs.engine.game import EVERYTHING
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, read_records
from rat_envs.engine.records import replay as replay_record
from rat_envs.engine.registry import known_versions
from rat_envs.engine.story import Event, witness
from rat_envs.engine.wording import number_of
from rat_envs.play.seating import PERSON, Table
from rat_envs.replays.animation import Animation, write_animation
from rat_envs.replays.decisions import COLUMNS, explained
from rat_envs.replays.page import MOST_GAMES, Wish, make_page

ExplainedTable = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="With --explain: write a table with a row for each action that was possible at each decision.",
    ),
]
View = Annotated[
    list[str] | None,
    typer.Option(
        help="A view on the page: player_0 and so on, public, or all (nothing hidden); repeat the option for more. "
        "If not given, the page has every view; with one seat's view alone it holds only what that seat can know. "
        "An animated picture has one view, all if not given."
    ),
]
Width = Annotated[
    int | None,
    typer.Option(min=100, max=4000, help="Width of an animated picture in pixels; if not given, the drawing's own."),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        min=0.02, max=600, callback=not_nan, help="How long a step of an animated picture is shown; 1 if not given."
    ),
]


def record(
    game: GameName,
    options: Options = None,
    players: Players = None,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 1,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST_SEED,
            help="Seed of the first game, and of its agents; each further game has the next number.",
        ),
    ] = 0,
    with_options: WithOptions = False,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Also write with which probability each action was chosen, where known."),
    ] = False,
    agent: Annotated[
        list[str] | None, typer.Option(help="The agent at a seat: one for each seat, in order; random if not given.")
    ] = None,
    out: RecordsOut = None,
    trust: Trust = False,
) -> None:
    """Write games as JSON, one a line. `rat-envs transitions` turns them into arrays to learn from (docs/offline.md).

    Example: rat-envs record brave_rats fast=true --games 10 --seed 7 --options --out games.jsonl
    """
    chosen, configuration = configured(game, options, players)
    if PERSON in (agent or ()):
        raise ConfigurationError(f"--agent {PERSON}: nobody is asked here: name an agent, or use rat-envs play.")
    with agents_at_work():
        table = Table(chosen, configuration, agent, seed, trust)
    if seed + games - 1 > MOST_SEED:
        raise typer.BadParameter(f"the last game would have the seed {seed + games - 1}.", param_hint="--games")
    played = (
        play_recorded(table, Recorder(Position(chosen, configuration), with_options), seed + number, probabilities)
        for number in range(games)
    )
    kept, more = ("kept", ", and give another --out") if out else ("printed", "")
    with interruptible(f"Interrupted: the games that are over are {kept}. To go on, add their number to --seed{more}."):
        give_records(out, played, games)
    for remark in table.remarks():
        print(remark, file=sys.stderr)


@agents_at_work()
def play_recorded(table: Table, recorder: Recorder, seed: int, probabilities: bool = False) -> dict[str, Any]:
    """The record of a game that a table plays to its end, with the players' names; its agents begin with the seed, too.

    Args:
        probabilities: whether steps say with which probability an action was chosen.
    """
    table.seed(seed)
    stream = new_stream(recorder.position.game, checked_seed(seed))
    witnessed: list[Event] = []
    while not recorder.position.is_over:
        probability = None
        if probabilities:
            action, probability = table.choose_knowingly(recorder.position, stream, witnessed)
        else:
            action = table.choose(recorder.position, stream, witnessed)
        if table.listens:
            witnessed.append(witness(recorder.position.copy(), action))
        recorder.apply(action, probability)
    return recorder.record({"agents": table.names, "seed": seed, **table.game_ids()})


def replay(
    file: Annotated[Path, typer.Argument(help="Records, one a line; - for standard input.")],
    game: GameOfRecords = None,
    quiet: Annotated[bool, typer.Option(help="Check only.")] = False,
    html: Annotated[
        Path | None, typer.Option(help="Write a page that shows the games in a browser, without a network.")
    ] = None,
    gif: Annotated[
        Path | None, typer.Option(help="Write one game as an animated picture, .gif or .webp (needs the extra render).")
    ] = None,
    game_number: Annotated[int | None, typer.Option(min=1, help="Show only this game of the file.")] = None,
    view: View = None,
    explain: Annotated[
        str | None, typer.Option(metavar="AGENT", help="Show this agent's probabilities and values at each decision.")
    ] = None,
    table: ExplainedTable = None,
    beliefs: Annotated[bool, typer.Option("--beliefs", help="Show samples of what is hidden from a seat.")] = False,
    width: Width = None,
    seconds: Seconds = None,
    dark: Annotated[bool, typer.Option("--dark", help="Use dark colours in an animated picture.")] = False,
    trust: Trust = False,
) -> None:
    """Check records against the rules and show the games; report the line and step of the first illegal action.

    Example: rat-envs replay games.jsonl --html games.html --explain greedy

    Example: rat-envs replay games.jsonl --explain nash --table nash.csv
    """
    demand_fitting(html, gif, quiet, view, bool((explain and not table) or beliefs), bool(width or seconds or dark))
    demand_table(table, explain, gif)
    demand_another(file, {"--html": html, "--gif": gif})
    number, drawn, told = 0, list[dict[str, Any]](), list[tuple[int, dict[str, Any]]]()
    for number, (line, record, final) in enumerate(checked_records(file, game), 1):
        if game_number not in (None, number):
            continue
        if table is not None:
            told.append((number, record))
        if html is not None or gif is not None:
            demand_few(len(drawn) + 1, gif is not None)
            drawn.append(record)
        elif not quiet and table is None:
            show(line, record, final)
    demand_found(file, number, game_number)
    if table is not None and explain is not None:
        write_explained(table, told, explain, trust)
    if gif is not None:
        write_gif(gif, drawn, Animation(view[0] if view else EVERYTHING, width, seconds or 1.0, dark))
    elif html is not None:
        write_page(html, drawn, Wish(view, explain, beliefs, trust))
    else:
        print(f"{number_of(number, 'record')} {'agrees' if number == 1 else 'agree'} with the rules.")


def demand_table(table: Path | None, explain: str | None, gif: Path | None) -> None:
    """Refuse a table that nobody explains, and one beside an animated picture.

    Raises:
        ConfigurationError: it is one of these, or its name is not that of a table.
    """
    if table is None:
        return
    if explain is None:
        raise ConfigurationError("--table is for an agent's probabilities: add --explain AGENT.")
    if gif is not None:
        raise ConfigurationError("--table and --gif: write one of them at a time.")
    demand_csv(table)


def write_explained(path: Path, records: list[tuple[int, dict[str, Any]]], agent: str, trust: bool) -> None:
    """Write an agent's opinion of each decision, and print that."""
    with counted("Explaining") as progress:
        rows = list(explained(records, agent, trust, progress))
    write_csv(path, rows, COLUMNS)
    print(f"{path}: {number_of(len(rows), 'row')} of {number_of(len(records), 'game')}.")


def demand_another(file: Path, written: Mapping[str, Path | None]) -> None:
    """Refuse to write to the file from which the records are read.

    Args:
        written: the files to write, by option.

    Raises:
        ConfigurationError: one of them is the file of records.
    """
    for option, path in written.items():
        if path is not None and path.exists() and file.exists() and path.samefile(file):
            raise ConfigurationError(f"{option} {shown_path(path)}: that is the file of the records.")


def demand_few(number: int, is_animated: bool) -> None:
    """Refuse more games than can be drawn, as soon as there are more.

    Raises:
        RecordError: there are more.
    """
    if is_animated and number > 1:
        raise RecordError("More than one game: an animated picture shows one; choose it with --game-number N.")
    if number > MOST_GAMES:
        raise RecordError(f"More than {MOST_GAMES} games: a page shows no more; choose one with --game-number N.")


def demand_found(file: Path, number: int, game_number: int | None) -> None:
    """Refuse a file without games, and one without the game that is wanted.

    Args:
        number: the number of games in the file.
        game_number: the wanted game's, or None for all.

    Raises:
        RecordError: it is one of these; the error says which.
    """
    if not number:
        raise RecordError(f"{'Standard input' if str(file) == '-' else shown_path(file)} holds no records.")
    if game_number is not None and game_number > number:
        raise RecordError(f"--game-number {shown(game_number)}: the file has no game of that number.")


def checked_records(file: Path, game: str | None = None) -> Iterator[tuple[int, dict[str, Any], Position]]:
    """The line number, the record and the final position of each game in a file, checked against the rules.

    Args:
        game: the game that all records must be of; any, if not given.

    Raises:
        RecordError: one is damaged, of another game, or breaks a rule; the error gives its line and step.
    """
    with opened(file) as lines:
        for line, record in read_records(lines):
            if game not in (None, record.get("game")):
                raise RecordError(f"Line {line}: The record is of the game {shown(record.get('game'))}, not of {game}.")
            try:
                final = replay_record(record)
            except RecordError as error:
                raise RecordError(f"Line {line}: {error}{_how_to_name(record)}") from error
            yield line, record, final


def _how_to_name(record: Any) -> str:
    """What names a record's game, if no game of that name is known."""
    name = record.get("game") if isinstance(record, dict) else None
    unknown = isinstance(name, str) and name not in known_versions()
    return " --game FILE.py:GAME names a game in code." if unknown else ""


def write_page(path: Path, records: list[dict[str, Any]], wish: Wish) -> None:
    """Write a page, and print that."""
    page = make_page(records, wish).encode()
    write_file(path, page)
    print(f"{path}: {number_of(len(records), 'game')}, {len(page) / 1e6:.2f} MB. Open it in a browser.")


def demand_fitting(
    html: Path | None, gif: Path | None, quiet: bool, view: list[str] | None, explains: bool, styles: bool
) -> None:
    """Refuse options of outputs that are not written.

    Raises:
        ConfigurationError: there are some; the error names them and says what they are for.
    """
    if html is not None and gif is not None:
        raise ConfigurationError("--html and --gif: write one of them at a time.")
    if quiet and (html is not None or gif is not None):
        raise ConfigurationError("--quiet checks and writes nothing: leave it out beside --html and --gif.")
    if html is None and explains:
        raise ConfigurationError(
            "--explain and --beliefs are for a page: add --html FILE; or, for --explain alone, --table FILE.csv."
        )
    if gif is None and styles:
        raise ConfigurationError("--width, --seconds and --dark are for an animated picture: add --gif FILE.")
    if html is None and gif is None and view:
        raise ConfigurationError("--view is for a page or an animated picture: add --html FILE or --gif FILE.")
    if gif is not None and view and len(view) > 1:
        raise ConfigurationError("An animated picture has one view: give --view once.")


def write_gif(path: Path, records: list[dict[str, Any]], how: Animation) -> None:
    """Write the one game as an animated picture, and print that."""
    with counted("Drawing") as progress:
        frames, size = write_animation(path, records[0], how, progress)
    print(f"{path}: {frames} pictures, {size / 1e6:.2f} MB.")


def show(line: int, record: dict, final: Position) -> None:
    """Print a game in a few lines: options, moves, the last table and the result."""
    options = " ".join(f"{name}={json.dumps(value)}" for name, value in record["config"].items())
    print(f"Line {line}: {record['game']} {options}")
    if "agents" in record:
        print("; ".join(f"player_{seat}: {name}" for seat, name in enumerate(record["agents"])))
    print("; ".join(f"{step['actor']} {step['action']}" for step in record["steps"]))
    print(final.game.text(final.state, None))
    print(f"returns {record['returns']}, scores {record['scores']}, winners {record['winners']}\n")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(record)
    app.command()(replay)
