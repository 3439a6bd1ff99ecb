"""Starting the server: its folder, its links and the browser."""

from __future__ import annotations

import contextlib
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from rat_envs.api.named_agents import reason_to_trust
from rat_envs.engine.errors import CheckpointError, needing, shown_name, shown_path
from rat_envs.engine.folders import locked
from rat_envs.engine.game import Game
from rat_envs.engine.wording import number_of
from rat_envs.play.browser.addresses import ANY, Names, in_link, listen, network_address, public_origin
from rat_envs.play.browser.earlier import Earlier, in_words, unfinished
from rat_envs.play.browser.tables import LINKS, lay_tables, links_of, read_tables, write_links
from rat_envs.play.browser.threads import leave_within
from rat_envs.play.saved import SavedGame
from rat_envs.play.seating import PERSON
from rat_envs.warming import warm_searches

if TYPE_CHECKING:
    from rat_envs.engine.configuration import Configuration
    from rat_envs.play.browser.rooms import House
    from rat_envs.play.terms import Terms

__all__ = ["PAUSE", "games_folder", "serve", "serve_tables"]

#: The most older games whose links are printed; of the others only the number is printed.
MOST_LISTED = 10
#: The default number of seconds between two events that are watched.
PAUSE = 1.0
#: Seconds within which the process ends after the server, and its exit code after SIGTERM, by convention.
SECONDS_TO_LEAVE = 0.5
TERMINATED = 128 + signal.SIGTERM


def games_folder() -> Path:
    """The default folder of saved games, in the user's data folder."""
    with needing("Playing in the browser", "browser"):
        from platformdirs import user_data_path
    return user_data_path("rat_envs") / "games"


def serve(
    game: Game,
    configuration: Configuration,
    names: list[str],
    seed: int | None,
    folder: Path | None,
    host: str,
    port: int,
    public_url: str | None,
    trust: bool,
    opens: bool,
    pause: float = PAUSE,
    terms: Terms | None = None,
    earlier: Earlier | None = None,
) -> None:
    """Begin a game or go on with one, and serve it and those that the folder holds until the process is stopped.

    Args:
        names: ``PERSON`` or the name of an agent, by seat.
        folder: where games are saved; :func:`games_folder` if not given.
        host: the address to listen at.
        port: the port to listen at; 0 for any free one.
        public_url: the public address of a proxy.
        opens: whether to open the page of the first person, or of a spectator, in the user's browser.
        pause: seconds between two events in games that are only watched.
        terms: what is written down about the game, and what people are shown and may do.
        earlier: the game to go on with, in place of a new one.

    Raises:
        MissingExtraError: the server is not installed.
        ConfigurationError: the address cannot be used, or the public one is not an address.
        CheckpointError: another server uses the folder.
        ConfigurationError: there is no earlier game.
        RatEnvsError: an agent does not exist, or cannot play this.
    """
    with needing("Playing in the browser", "browser"):
        from rat_envs.play.browser.rooms import House
    public = None if public_url is None else public_origin(public_url)
    folder = folder or games_folder()
    with _alone(folder):
        house = House(folder, trust, pause)
        for sentence in house.damaged:
            print(f"Warning: {sentence}")
        listener = listen(host, port)
        here = _base(host, listener.getsockname()[1])
        base = public or here
        if earlier is None:
            warm_searches(game, configuration, names, trust)
            opened = _begun(house, game, configuration, names, seed, terms, base if opens else "")
        else:
            opened = earlier.found(house)
            print(f"Going on with {in_words(opened)}:")
        _print_all(house, opened, base)
        if host in ANY and public is None:
            others = "Others in your network can open these links"
            print(f"{others}; for those elsewhere {network_address(host)} must be another name or address.")
        print("Ctrl-C stops the server. Games in which somebody has moved are kept: --continue goes on.", flush=True)
        if opens:
            webbrowser.open(_link(here, opened.tokens[opened.seats.index(PERSON) if PERSON in opened.seats else -1]))
        _run(house, Names(host, public), listener)


def serve_tables(
    file: Path,
    folder: Path,
    host: str,
    port: int,
    public_url: str | None,
    trust: bool,
) -> None:
    """Open a table for each line of a file that the folder has none for, print all links as lines of JSON, and serve
    the tables until the process is stopped.

    Args are those of :func:`serve`, and ``file``, the file of tables.

    Raises:
        MissingExtraError: the server is not installed.
        ConfigurationError: a line is wrong, the address cannot be used, or the public one is not an address.
        CheckpointError: another server uses the folder.
        OSError: the file cannot be read, or the folder cannot be written.
    """
    with needing("Playing in the browser", "browser"):
        from rat_envs.play.browser.rooms import House
    public = None if public_url is None else public_origin(public_url)
    lines = read_tables(file, trust)
    with _alone(folder):
        listener = listen(host, port, exactly=True)
        games = lay_tables(lines, folder)
        base = public or _base(host, listener.getsockname()[1])
        house = House(folder, trust)
        for sentence in house.damaged:
            print(f"Warning: {sentence}", file=sys.stderr)
        for line in {(line.game.name, tuple(line.seats)): line for line in lines}.values():
            warm_searches(line.game, line.configuration, line.seats, trust)
        links = list(links_of(lines, games, partial(_link, base)))
        print(write_links(folder, links), end="", flush=True)
        told = f"{number_of(len(lines), 'table')}, with {number_of(len(links), 'link')}"
        print(f"{told} in {shown_path(folder / LINKS)}. Ctrl-C stops the server; all is kept.", file=sys.stderr)
        _run(house, Names(host, public), listener)


def _run(house: House, names: Names, listener: socket.socket) -> None:
    """Serve a house until the process is stopped."""
    from rat_envs.play.browser.app import make_server

    with _closing(house):
        make_server(house, names).run(sockets=[listener])


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other servers out of the folder.

    Raises:
        CheckpointError: another one uses it.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except CheckpointError:
            raise CheckpointError(
                f"A table is open already with the games of {shown_path(folder)}: use its links, stop it, or give "
                "another --folder."
            ) from None
        yield


@contextmanager
def _closing(house: House) -> Iterator[None]:
    """Close the house when the server ends, by Ctrl-C and SIGTERM too, and the process soon after."""
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, _terminate) if is_main else None
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stopped:
        leave_within(SECONDS_TO_LEAVE, TERMINATED if isinstance(stopped, SystemExit) else 1)
        raise
    finally:
        if is_main:
            signal.signal(signal.SIGTERM, before)
        house.close()


def _terminate(number: int, frame: FrameType | None) -> None:
    """Turn SIGTERM into an exception: without a handler it would end the process before the house is closed."""
    sys.exit(TERMINATED)


def _base(host: str, port: int) -> str:
    """The beginning of links on this computer."""
    return f"http://{in_link(network_address(host) if host in ANY else host)}:{port}"


def _link(base: str, token: str) -> str:
    return f"{base}/seat/{shown_name(token)}"  # one in an older file may come from anybody


def _begun(
    house: House,
    game: Game,
    configuration: Configuration,
    names: Sequence[str],
    seed: int | None,
    terms: Terms | None,
    base: str,
) -> SavedGame:
    """A new game. Its first person is its host, and is shown links that begin with ``base``; if that is empty, nobody
    is, because no page is opened for the person who starts the server."""
    before = next(unfinished(house, game.name, configuration, names), None)
    room = house.open(game, configuration, names, seed, terms)
    people = room.session.people
    if base and people:
        room.host = people[0]
        room.earlier = before.tokens[room.host] if before else None
        room.links = {room.tokens[seat]: _link(base, room.tokens[seat]) for seat in people[1:]}
    return SavedGame.of(room.session, room.tokens)


def _print_all(house: House, opened: SavedGame, base: str) -> None:
    """Print the links of the game that is opened, and of earlier ones."""
    _print_links(opened.seats, opened.tokens, base)
    older = [saved for saved in house.unfinished() if saved.tokens != opened.tokens]
    if older:
        what = "1 older game goes" if len(older) == 1 else f"{len(older)} older games go"
        print(f"{what} on, from {house.folder}:")
    for saved in older[:MOST_LISTED]:
        print(f"{in_words(saved)}{_wants(house, saved)}:")
        _print_links(saved.seats, saved.tokens, base, "  ")
    if len(older) > MOST_LISTED:
        more = len(older) - MOST_LISTED
        print("1 more goes on under its old links." if more == 1 else f"{more} more go on under their old links.")


def _wants(house: House, saved: SavedGame) -> str:
    """What an earlier game needs to go on, in words."""
    found = [f"{shown_path(name)}, {reason}" for name in saved.seats if (reason := reason_to_trust(name))]
    return f"; it goes on with --trust only, because it names {found[0]}" if found and not house.trust else ""


def _print_links(names: Sequence[str], tokens: Sequence[str], base: str, margin: str = "") -> None:
    for seat, name in enumerate(names):
        if name == PERSON:
            print(f"{margin}player_{seat}: {_link(base, tokens[seat])}")
    print(f"{margin}to watch: {_link(base, tokens[-1])}")
