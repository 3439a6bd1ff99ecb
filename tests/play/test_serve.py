"""Starting the server: what is printed, under which names it answers, and what is left when it stops."""

from __future__ import annotations

import os
import socket

import httpx
import pytest
import uvicorn
from playing import Running, page_of, post

from rat_envs.engine.errors import CheckpointError, ConfigurationError
from rat_envs.engine.folders import locked
from rat_envs.engine.registry import get_game
from rat_envs.play import SavedGame, Session
from rat_envs.play.browser.addresses import LOOPBACK, Names, in_link, listen, network_address, public_origin
from rat_envs.play.browser.earlier import Earlier
from rat_envs.play.browser.rooms import House
from rat_envs.play.browser.serve import MOST_LISTED, serve

BAD = """
from rat_envs.agents import Agent

class Bad(Agent):
    name = "bad"

    def act_batch(self, views):
        return views.masks.argmax(axis=1)
"""


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """What is printed when a server is started and stopped at once; ``while_open`` is called in between."""

    def start(names=("me", "greedy"), host=LOOPBACK, public_url=None, trust=False, while_open=lambda: None, **more):
        game = get_game("brave_rats")
        with monkeypatch.context() as patched:
            patched.setattr(uvicorn.Server, "run", lambda self, sockets: (while_open(), sockets[0].close()))
            serve(
                game, game.configuration.make({}), list(names), 1, tmp_path, host, 0, public_url, trust, False, **more
            )
        return capsys.readouterr().out

    return start


def keep(folder, names, cards):
    """A game in a folder that has come so far."""
    game = get_game("brave_rats")
    room = House(folder, trust=True).open(game, game.configuration.make({}), names, seed=1)
    for card in cards:
        room.session._happen(card)
    saved = SavedGame.of(room.session, room.tokens)
    if room.session.is_over:
        saved.steps[-1]["ends"] = True
    saved.write(room.path)
    return room


def test_an_address_is_one_and_stands_in_a_link_as_it_must():
    with pytest.raises(ConfigurationError, match="host='': must be a name or an address"):
        listen("", 0)
    assert [in_link(host) for host in ("::1", "127.0.0.1", "MyHost")] == ["[::1]", "127.0.0.1", "myhost"]


@pytest.mark.parametrize(
    ("host", "place", "answers"),
    [
        ("::1", "[::1]:8765", True),
        ("::1", "[0:0:0:0:0:0:0:1]", True),
        ("::1", "[::2]:8765", False),
        ("::1", "localhost:8765", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "games.example.org", True),
        ("127.0.0.1", "evil.example", False),
        ("127.0.0.1", "evil.example@127.0.0.1", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "[", False),
        ("MyHost", "myhost:80", True),
        ("0.0.0.0", "anything:80", True),
        ("0.0.0.0", "", False),
    ],
)
def test_a_server_answers_under_its_own_names(host, place, answers):
    assert Names(host, "https://games.example.org").has(place) == answers


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_a_server_at_an_ipv6_address_can_be_played_at(tmp_path):
    try:
        server = Running(tmp_path, host="::1")
    except ConfigurationError:
        pytest.skip("no IPv6 here")
    token = server.open().tokens[0]
    message = {"view": page_of(server.base, token)["view"], "action": "play spy"}
    answer = post(server.base, token, "act", message, Origin=server.base)
    server.stop()
    assert server.base.startswith("http://[::1]:") and answer.status_code == 200


@pytest.mark.parametrize("host", ["games.example.org", None])
def test_behind_a_proxy_pages_of_the_public_address_can_play(tmp_path, host):
    """A proxy that keeps the Host header, and one that writes its own."""
    server = Running(tmp_path, public="https://games.example.org")
    token = server.open().tokens[0]
    headers = {"Host": host} if host else {}
    assert httpx.get(f"{server.base}/seat/{token}", headers=headers).status_code == 200
    message = {"view": page_of(server.base, token)["view"], "action": "play spy"}
    answers = [
        post(server.base, token, "act", message, Origin=origin, **headers).status_code
        for origin in ("https://evil.example", "https://games.example.org")
    ]
    server.stop()
    assert answers == [403, 200]


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://Games.Example.org/", "https://games.example.org"),
        ("https://games.example.org:443", "https://games.example.org"),
        ("http://[::2]:81", "http://[::2]:81"),
        ("games.example.org", None),
        ("ftp://games.example.org", None),
        ("https://games.example.org/rats", None),
        ("https://ann@games.example.org", None),
        ("https://games.example.org:x", None),
        ("https://[", None),
        ("", None),
    ],
)
def test_a_public_address_is_a_scheme_and_a_name(url, origin):
    if origin:
        assert public_origin(url) == origin
    else:
        with pytest.raises(
            ConfigurationError, match=r"^--public-url '.*': must be a scheme, a name and perhaps a port"
        ):
            public_origin(url)


def test_links_can_be_opened_by_those_they_are_for(printed):
    here = printed()
    assert here.startswith("player_0: http://127.0.0.1:") and "Others" not in here
    everywhere = printed(host="0.0.0.0")
    assert everywhere.startswith(f"player_0: http://{network_address('0.0.0.0')}:")
    assert "Others in your network can open these links" in everywhere
    assert printed(public_url="https://games.example.org").startswith("player_0: https://games.example.org/seat/")


def test_a_second_server_in_a_folder_is_told_so(printed, tmp_path):
    with (
        locked(tmp_path),
        pytest.raises(CheckpointError, match=r"^A table is open already with the games of .*--folder"),
    ):
        printed()


def test_unfinished_games_are_counted_and_their_links_printed(printed, tmp_path):
    keep(tmp_path, ["me", "me"], ["play princess", "play prince"])  # is over
    older = keep(tmp_path, ["me", "me"], ["play spy"])
    told = printed()
    assert f"1 older game goes on, from {tmp_path}:\nbrave_rats with me, me, 1 move so far:\n  player_0: http" in told
    assert all(f"/seat/{token}\n" in told for token in older.tokens)
    for _ in range(MOST_LISTED):
        keep(tmp_path, ["me", "me"], ["play spy", "play general"])
    told = printed()
    assert f"{MOST_LISTED + 1} older games go on" in told and "2 moves so far:" in told
    assert "1 more goes on under its old links." in told


def test_an_older_game_cannot_write_to_the_terminal_as_it_likes(printed, tmp_path):
    room = keep(tmp_path, ["me", "me"], ["play spy"])
    saved = SavedGame.read(room.path)
    saved.game, saved.seats = "\x1b[2Jrats", ["me", "\x1b[2J"]
    saved.write(room.path)
    told = printed()
    assert "1 older game goes on" in told and "\x1b" not in told


def test_a_game_in_which_nobody_has_moved_is_not_kept(printed, tmp_path):
    assert "older" not in printed()
    kept = keep(tmp_path, ["me", "me"], ["play spy"]).path
    House(tmp_path).open(get_game("brave_rats"), get_game("brave_rats").configuration.make({}), ["me", "me"])
    seen = []
    printed(while_open=lambda: seen.extend(tmp_path.glob("*.rat-game")))
    assert len(seen) == 3 and list(tmp_path.glob("*.rat-game")) == [kept]


def continued(names=None, **config):
    """What goes on with the latest game of any options and seats, or of these."""
    game = get_game("brave_rats")
    return Earlier(game, None, *(() if names is None else (game.configuration.make(config), names)))


def test_the_latest_unfinished_game_goes_on_under_its_old_links(printed, tmp_path):
    first, second = keep(tmp_path, ["me", "greedy"], ["play spy"]), keep(tmp_path, ["me", "me"], ["play spy"])
    keep(tmp_path, ["me", "me"], ["play princess", "play prince"])  # is over
    for number, room in enumerate((first, second)):
        os.utime(room.path, (number, number))
    for earlier, room in ((continued(), second), (continued(["me", "greedy"]), first)):
        told = printed(earlier=earlier)
        assert told.startswith(
            f"Going on with brave_rats with {', '.join(room.session.names)}, 1 move so far:\nplayer_0"
        )
        assert f"/seat/{room.tokens[0]}" in told.splitlines()[1] and told.count(room.tokens[0]) == 1
    assert len(list(tmp_path.glob("*.rat-game"))) == 3


@pytest.mark.parametrize(("names", "config"), [(["me", "nash"], {}), (["me", "me"], {"fast": True})])
def test_no_other_game_goes_on_than_was_asked_for(names, config, printed, tmp_path):
    keep(tmp_path, ["me", "me"], ["play spy"])
    wrong = (
        r"^--continue: .* holds no unfinished game of brave_rats with these options and seats: leave it out to begin"
    )
    with pytest.raises(ConfigurationError, match=wrong):
        printed(earlier=continued(names, **config))


def test_a_game_that_names_code_goes_on_with_trust_only(printed, tmp_path):
    (tmp_path / "bad.py").write_text(BAD)
    keep(tmp_path, ["me", f"{tmp_path}/bad.py:Bad"], ["play spy"])
    with pytest.raises(CheckpointError, match="trust"):
        printed(earlier=continued())
    assert "Going on with" in printed(earlier=continued(), trust=True)


def test_a_game_of_the_terminal_goes_on_in_the_browser(printed, tmp_path):
    """It is copied, and then has links of its own; the file stays as it is."""
    game, path = get_game("brave_rats"), tmp_path / "kept"
    session = Session(game, game.configuration.make({}), ["me", "greedy"], 1)
    session.act(0, "play spy")
    SavedGame.of(session).write(path)
    before = path.read_bytes()
    told = printed(earlier=Earlier(game, path))
    assert told.startswith("Going on with brave_rats with me, greedy, 1 move so far:\nplayer_0: http")
    (copied,) = tmp_path.glob("*.rat-game")
    assert [step["action"] for step in SavedGame.read(copied).steps] == ["play spy"] and path.read_bytes() == before
    assert f"/seat/{SavedGame.read(copied).tokens[0]}\n" in printed(earlier=Earlier(game, copied))
    assert list(tmp_path.glob("*.rat-game")) == [copied], "a game of the folder is not copied"
    with pytest.raises(ConfigurationError, match="kept holds a game of 'brave_rats', not of rattus"):
        printed(earlier=Earlier(get_game("rattus"), path))


@pytest.mark.parametrize("opens", [True, False])
def test_who_opens_a_page_here_is_the_host(opens, tmp_path, monkeypatch):
    """Where the server opens no page, the first seat may be anybody's."""
    game, begun, opened = get_game("brave_rats"), [], []
    before = keep(tmp_path, ["me", "me"], ["play spy"])
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: (begun.append(self.house), sockets[0].close()))
    monkeypatch.setattr("webbrowser.open", opened.append)
    serve(game, game.configuration.make({}), ["me", "me"], 1, tmp_path, "0.0.0.0", 0, None, False, opens)
    (room,) = {id(room): room for room in begun[0].rooms.values()}.values()
    assert room.host == (0 if opens else None) and room.earlier == (before.tokens[0] if opens else None)
    assert list(room.links) == ([room.tokens[1]] if opens else [])
    assert all(link.startswith(f"http://{network_address('0.0.0.0')}:") for link in room.links.values())
    assert [link.endswith(room.tokens[0]) for link in opened] == ([True] if opens else [])


def test_what_a_game_needs_to_go_on_is_said_at_the_start_and_on_its_page(printed, tmp_path, capsys):
    (tmp_path / "bad.py").write_text(BAD)
    room = keep(tmp_path, ["me", f"{tmp_path}/bad.py:Bad"], ["play spy"])
    wanted = f"it goes on with --trust only, because it names {tmp_path}/bad.py:Bad, which is code that would be run:"
    assert wanted in printed() and wanted not in printed(trust=True)
    server = Running(tmp_path)
    address = f"{server.base}/seat/{room.tokens[0]}"
    page = httpx.get(address, headers={"Accept": "text/html,*/*;q=0.8"})
    for_pages = httpx.get(f"{address}/events")
    server.stop()
    assert page.status_code == for_pages.status_code == 503
    sentence = "This game cannot go on now: the server's terminal says why."
    assert page.headers["content-type"].startswith("text/html")
    assert (
        '<p id="problem" role="alert">This game cannot go on now: the server&#x27;s terminal says why.</p>' in page.text
    )
    assert for_pages.json() == {"error": sentence}
    assert capsys.readouterr().err.count("pass --trust if you trust it") == 1


def test_a_wrong_link_is_answered_with_a_page(tmp_path):
    server = Running(tmp_path)
    for address, sentence in (("/seat/nobody", "This link opens no game"), ("/x", "There is nothing at this address")):
        answer = httpx.get(server.base + address, headers={"Accept": "text/html"})
        assert answer.status_code == 404 and answer.text.startswith("<!doctype html>") and sentence in answer.text
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    server.stop()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="TCP_USER_TIMEOUT: Linux")
def test_connections_that_die_in_silence_end_soon():
    """Else those of a phone that changes its network often would be pages, of which a seat may have only so many."""
    with listen(LOOPBACK, 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
