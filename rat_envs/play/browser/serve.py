"""Starting the server: addresses, links and the browser."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

from rat_envs.engine.errors import ConfigurationError, needing, shown
from rat_envs.engine.folders import locked
from rat_envs.engine.game import Game

if TYPE_CHECKING:
    from rat_envs.engine.configuration import Configuration
    from rat_envs.play.browser.rooms import Room

__all__ = ["DEFAULT_PORT", "LOOPBACK", "games_folder", "listen", "serve"]

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8765
#: Addresses that stand for all of this computer's, and what to open in their place.
ANY = {"0.0.0.0": LOOPBACK, "::": "::1"}


def games_folder() -> Path:
    """Where games are kept if no folder is named: a place of the user's own for the data of programs."""
    with needing("Playing in the browser", "browser"):
        from platformdirs import user_data_path
    return user_data_path("rat_envs") / "games"


def serve(
    game: Game,
    configuration: Configuration,
    names: list[str],
    seed: int | None = None,
    folder: Path | None = None,
    host: str = LOOPBACK,
    port: int = DEFAULT_PORT,
    trust: bool = False,
    opens: bool = True,
) -> None:
    """Begin a game, and serve it and those that the folder holds until the process is stopped.

    Args:
        names: ``PERSON`` or the name of an agent, by seat.
        folder: where games are kept.
        host: the address to listen at; by default only this computer can connect.
        opens: whether to open the page of the first person, or of a spectator, in the user's browser.

    Raises:
        MissingExtraError: the server is not installed.
        ConfigurationError: the address cannot be had.
        CheckpointError: another server has the folder.
        RatEnvsError: an agent is not there, or cannot play this.
    """
    with needing("Playing in the browser", "browser"):
        import uvicorn

        from rat_envs.play.browser.app import make_app
        from rat_envs.play.browser.rooms import House
    folder = folder or games_folder()
    with locked(folder):
        house = House(folder, trust)
        for sentence in house.damaged:
            print(f"Warning: {sentence}")
        listener = listen(host, port)
        room = house.open(game, configuration, names, seed)
        base = f"http://{in_link(ANY.get(host, host))}:{listener.getsockname()[1]}"
        _print_links(room, base)
        if house.unfinished():
            print(f"{len(house.unfinished())} older games in {folder} go on under their old links.")
        print("Ctrl-C stops the server; games are kept.", flush=True)
        if opens:
            webbrowser.open(f"{base}/seat/{room.tokens[(room.session.people or (-1,))[0]]}")
        hosts = ["*"] if host in ANY else sorted({host.lower(), in_link(host), LOOPBACK, "localhost"})
        app = make_app(house, hosts)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
        uvicorn.Server(config).run(sockets=[listener])


def in_link(host: str) -> str:
    """A name or an address as it stands in a link."""
    return f"[{host}]" if ":" in host else host.lower()


def listen(host: str, port: int) -> socket.socket:
    """A socket at the address; at a free port if the usual one is taken.

    What is sent leaves at once: else the end of an answer would wait some 40 ms until its beginning is acknowledged.

    Raises:
        ConfigurationError: the address cannot be had.
    """
    if not host:  # which would be all addresses
        raise ConfigurationError("host='': must be a name or an address, as 127.0.0.1.")
    for number in (port, 0) if port == DEFAULT_PORT else (port,):
        try:
            listener = socket.create_server((host, number), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # its connections have the same
            return listener
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
    raise ConfigurationError(f"Nothing can listen at {shown(host)}, port {port}: {reason}.")


def _print_links(room: Room, base: str) -> None:
    for seat in room.session.people:
        print(f"player_{seat}: {base}/seat/{room.tokens[seat]}")
    print(f"to watch: {base}/seat/{room.tokens[-1]}")
