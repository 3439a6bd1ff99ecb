"""``play``: playing against agents and other people, at the terminal or in the browser; or watching agents."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from rat_envs.commands.arguments import (
    GameNameOrNone,
    Options,
    Players,
    TrustGame,
    configured,
    not_nan,
    options_given,
)
from rat_envs.commands.output import leave_interrupted
from rat_envs.engine.checks import MOST_SEED
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, shown
from rat_envs.engine.game import Game
from rat_envs.play.browser.addresses import DEFAULT_PORT, LOOPBACK
from rat_envs.play.browser.earlier import Earlier, demand_game
from rat_envs.play.saved import SavedGame
from rat_envs.play.seating import PERSON
from rat_envs.play.session import Session, drawn_seed
from rat_envs.play.terminal import Terminal
from rat_envs.play.terms import Terms, parse_labels

#: Parameters only for the browser, those that say who sits where and what a new game is like, which a saved game
#: determines, and those that a file of tables determines.
OF_BROWSER = ("host", "port", "public_url", "folder", "opens", "goes_on")
SEATING = ("options", "players", "seats", "against", "seat", "watch")
OF_NEW_GAME = ("seed", "label", "shown_names", "undo", "hints")
SAID_BY_GAME = (*SEATING, *OF_NEW_GAME)
SAID_BY_TABLES = ("game", *SAID_BY_GAME, "saved", "pause", "goes_on")

Pause = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=60,
        callback=not_nan,
        help="Seconds between two events that you watch; if not given, 1 in the browser and 0 at the terminal.",
    ),
]
Tables = Annotated[
    Path | None,
    typer.Option(
        help="With --browser and --folder: open a table for each line of this file, and print the links; see "
        "docs/studies.md."
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=VALUE", help="Write this down about the game; repeat the option for more."),
]
ShownNames = Annotated[
    str | None,
    typer.Option(help="What people read in place of who sits there, seat by seat: you,opponent."),
]
Undo = Annotated[bool, typer.Option("--undo/--no-undo", help="Whether choices can be taken back.")]
Hints = Annotated[bool, typer.Option("--hints/--no-hints", help="Whether hints are given.")]
Seats = Annotated[
    str | None, typer.Option(help=f"Who plays, seat by seat: {PERSON} for a person, else an agent: me,me,greedy.")
]
PublicUrl = Annotated[
    str | None, typer.Option(help="With --browser: the public address of a proxy, as in https://games.example.org.")
]
Folder = Annotated[
    Path | None,
    typer.Option(help="With --browser: the folder of saved games; if not given, one in your user data folder."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="With --browser: the port; 0 for any free one.")]
Against = Annotated[
    str | None,
    typer.Option(help="The agent at the other seats; greedy if not given, or random if the game has no greedy."),
]
SeedOrNone = Annotated[
    int | None, typer.Option(min=0, max=MOST_SEED, help="Equal seeds give equal games; drawn if not given.")
]
GoesOn = Annotated[
    bool,
    typer.Option(
        "--continue",
        help="With --browser: go on with the latest unfinished game, of these options and seats if any is given.",
    ),
]


def play(
    context: typer.Context,
    game: GameNameOrNone = None,
    options: Options = None,
    players: Players = None,
    seats: Seats = None,
    against: Against = None,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat; 0 if not given.")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Watch agents play; no person may have a seat.")] = False,
    pause: Pause = None,
    seed: SeedOrNone = None,
    saved: Annotated[Path | None, typer.Option("--from", help="Go on with a saved game.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Play on a page in the browser.")] = False,
    goes_on: GoesOn = False,
    host: Annotated[str, typer.Option(help="With --browser: the address to listen at.")] = LOOPBACK,
    port: Port = DEFAULT_PORT,
    public_url: PublicUrl = None,
    folder: Folder = None,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="With --browser: open the page.")] = True,
    tables: Tables = None,
    label: Labels = None,
    shown_names: ShownNames = None,
    undo: Undo = True,
    hints: Hints = True,
    trust: TrustGame = False,
) -> None:
    """Play a game yourself, alone against agents or with others, or watch agents play.

    Example: rat-envs play brave_rats --against nash

    Example: rat-envs play rattus --players 3 --seats me,me,greedy --browser

    Example: rat-envs play rattus --browser --continue

    Example: rat-envs play brave_rats --seats nash,greedy --watch
    """
    read_any_letter()
    demand_fitting(context, browser, saved, goes_on)
    if tables is not None or game is None:
        play_tables(context, tables, folder, browser, host, port, public_url, trust)
        return
    chosen, configuration = configured(game, options, players)
    terms, names = terms_of(label, shown_names, undo, hints), seated(chosen, configuration, seats, against, seat, watch)
    if browser:
        from rat_envs.play.browser.serve import PAUSE, serve

        earlier = None
        if saved is not None or goes_on:
            is_any = not options_given(context, SEATING)
            earlier = Earlier(chosen, saved, *(() if is_any else (configuration, names)))
        demand_watching(pause, watch or earlier is not None)
        between = PAUSE if pause is None else pause
        serve(chosen, configuration, names, seed, folder, host, port, public_url, trust, opens, between, terms, earlier)
        return
    if saved is not None:
        session = resumed(chosen, saved, trust)
    else:
        session = Session(chosen, configuration, names, drawn_seed() if seed is None else seed, trust, terms=terms)
    demand_watching(pause, not session.people)
    play_here(Terminal(session, pause or 0.0, ask, saved))


def play_tables(
    context: typer.Context,
    tables: Path | None,
    folder: Path | None,
    browser: bool,
    host: str,
    port: int,
    public_url: str | None,
    trust: bool,
) -> None:
    """Serve the tables of a file.

    Raises:
        ConfigurationError: there is no file, or the options do not fit together.
    """
    if tables is None:
        raise ConfigurationError("Missing argument GAME: name a game; `rat-envs games` lists them.")
    if given := options_given(context, SAID_BY_TABLES):
        raise ConfigurationError(f"{given}: a file of tables says all that: leave it out.")
    if not browser or folder is None:
        raise ConfigurationError("--tables is for the browser: add --browser, and --folder DIR for the games.")
    from rat_envs.play.browser.serve import serve_tables

    serve_tables(tables, folder, host, port, public_url, trust)


def terms_of(label: list[str] | None, shown_names: str | None, undo: bool, hints: bool) -> Terms:
    """The terms of a game.

    Raises:
        typer.BadParameter: a label or a name is wrong.
    """
    try:
        labels = parse_labels(label or ())
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--label") from None
    names = [] if shown_names is None else [name.strip() for name in shown_names.split(",")]
    try:
        return Terms.of({"labels": labels, "names": names, "undo": undo, "hints": hints})
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--shown-names") from None


def play_here(terminal: Terminal) -> None:
    """Play to the end; after a signal, leave with its exit code."""
    try:
        terminal.run()
    except KeyboardInterrupt:
        leave_interrupted("Interrupted.", terminal.closed.signal or signal.SIGINT)


def demand_fitting(context: typer.Context, browser: bool, saved: Path | None, goes_on: bool) -> None:
    """Refuse options of the browser at the terminal, and options that a saved game determines.

    Raises:
        ConfigurationError: there is one; the error names it.
    """
    if goes_on and saved is not None:
        raise ConfigurationError("--from names the game to go on with: leave --continue out.")
    if goes_on and (given := options_given(context, OF_NEW_GAME)):
        raise ConfigurationError(f"{given}: for a new game only: leave it or --continue out.")
    if not browser and (given := options_given(context, OF_BROWSER)):
        raise ConfigurationError(f"{given}: for a page in the browser only: add --browser, or leave it out.")
    if saved is not None and (given := options_given(context, SAID_BY_GAME)):
        raise ConfigurationError(f"{given}: a saved game says all that: leave it out.")


def seated(
    game: Game, configuration: Configuration, seats: str | None, against: str | None, seat: int | None, watch: bool
) -> list[str]:
    """``PERSON`` or the name of an agent, by seat.

    Raises:
        ConfigurationError: the options do not fit together.
    """
    players = configuration.players
    if seat is not None and seat >= players:
        raise ConfigurationError(f"--seat {shown(seat)}: must be a number from 0 to {players - 1}.")
    if seat is not None and watch:
        raise ConfigurationError("--watch: nobody watches who sits at the table: leave --seat out.")
    for option, given in (("--against", against), ("--seat", seat)):
        if seats is not None and given is not None:
            raise ConfigurationError(f"--seats names everybody: leave {option} out.")
    other = against or ("greedy" if "greedy" in game.heuristics else "random")
    own = None if watch else seat or 0
    names = [PERSON if place == own else other for place in range(players)] if seats is None else split_names(seats)
    if len(names) != players:
        raise ConfigurationError(f"--seats names {len(names)} for {players} seats: name one for each, as in me,greedy.")
    if watch == (PERSON in names):
        wrong = f"--watch: nobody watches who sits at the table: put an agent in place of {PERSON}"
        raise ConfigurationError(f"{wrong}." if watch else f"--seats has no {PERSON}: add --watch to see agents play.")
    return names


def demand_watching(pause: float | None, watches: bool) -> None:
    """Refuse a pause if nobody watches.

    Raises:
        ConfigurationError: there is one.
    """
    if pause and not watches:
        raise ConfigurationError("--pause is for agents that are watched: leave it out.")


def split_names(seats: str) -> list[str]:
    """Split names at commas, but not the options of an agent: ``me,ismcts:sims=10,rollout=greedy,me``."""
    names: list[str] = []
    for word in seats.split(","):
        is_option = names and ":" in names[-1] and "=" in word and ":" not in word.partition("=")[0]
        if is_option:
            names[-1] += f",{word}"
        else:
            names.append(word.strip())
    return names


def resumed(game: Game, path: Path, trust: bool) -> Session:
    """A saved game, which must be of this game."""
    kept = SavedGame.read(path)
    demand_game(kept, path, game)
    return kept.session(trust)


def read_any_letter() -> None:
    """Replace bytes that are not text in the input, so that they do not end the game."""
    with contextlib.suppress(AttributeError, io.UnsupportedOperation):  # not a real stream, or one that has been read
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]


def ask(prompt: str) -> str:
    """Print the prompt, and read a line from the keyboard."""
    print(prompt, end="", flush=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():
        print()
    return line.rstrip("\n")


def add_to(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(play)
