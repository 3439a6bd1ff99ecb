"""The server of the browser's table: who may do what, what is refused, and what survives."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from playing import Running, page_of, post
from starlette.requests import Request

from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.records import replay
from rat_envs.engine.registry import get_game
from rat_envs.play import SavedGame
from rat_envs.play.browser.addresses import Names
from rat_envs.play.browser.app import MOST_PAGES, RefusedError, Server
from rat_envs.play.browser.rooms import House, NotKeptError
from rat_envs.play.terms import Terms

#: Messages of nonsense in one test; RAT_ENVS_FUZZ=10000 for the whole thing.
MESSAGES = int(os.environ.get("RAT_ENVS_FUZZ", "150"))


@pytest.fixture
def running(tmp_path):
    server = Running(tmp_path)
    yield server
    server.stop()


def act(base, token, action):
    return post(base, token, "act", {"view": page_of(base, token)["view"], "action": action})


def test_each_seat_sees_its_own_side_and_plays_with_its_own_token_alone(running):
    first, second, watching = running.open().tokens
    assert [page_of(running.base, token)["seat"] for token in (first, second, watching)] == [0, 1, None]
    assert act(running.base, second, "play spy").json() == {"error": "It is not your turn."}
    assert act(running.base, watching, "play spy").json() == {"error": "You look on: only players can act."}
    assert act(running.base, first, "play spy").status_code == 200
    assert "You choose Spy." in page_of(running.base, first)["log"]
    assert page_of(running.base, second)["log"] == page_of(running.base, watching)["log"] == []


def test_a_wrong_token_opens_nothing(running):
    running.open()
    for address in ("", "/events", "/hint", "/record"):
        answer = httpx.get(f"{running.base}/seat/nobody{address}")
        assert answer.status_code == 404 and answer.json()["error"].startswith("This link opens no game")
    for what in ("act", "undo", "again"):
        assert post(running.base, "nobody", what, {"view": "", "action": ""}).status_code == 404
    for address in ("/", "/seat/", "/table.py", "/../pyproject.toml", "/%2e%2e/%2e%2e/etc/passwd"):
        assert httpx.get(running.base + address).status_code == 404


def test_an_illegal_action_says_why_and_changes_nothing(running):
    first, _, _ = running.open().tokens
    before = page_of(running.base, first)
    answer = act(running.base, first, "play rat")
    assert answer.status_code == 422 and "cannot do 'play rat' here; possible are" in answer.json()["error"]
    assert page_of(running.base, first) == before


def test_a_message_twice_is_done_once(running):
    first = running.open("comme_des_rats", ["me", "greedy", "greedy"], players=3).tokens[0]
    page = page_of(running.base, first, is_asked=True)
    message = {"view": page["view"], "action": page["choices"][0]["action"]}
    assert post(running.base, first, "act", message).status_code == 200
    answer = post(running.base, first, "act", message)
    assert answer.status_code == 409 and answer.json()["error"].startswith("The table has changed since you chose")
    assert page_of(running.base, first)["acted"] == 1


def test_who_looks_on_does_nothing_when_chance_is_to_act_either(tmp_path):
    async def look_on():
        game = get_game("comme_des_rats")
        room = House(tmp_path).open(game, game.configuration.make({"players": 3}), ["me", "greedy", "greedy"], seed=1)
        watching, view = room.tokens[-1], room.shown(room.tokens[-1]).view
        chance = next(iter(room.session.position.chances()))
        for attempt in (lambda: room.act(watching, view, chance), lambda: room.undo(watching, view)):
            with pytest.raises(IllegalActionError, match=r"^You look on"):
                attempt()
        assert room.session.steps == []
        return room.path

    with ThreadPoolExecutor(1) as pool:
        path = pool.submit(asyncio.run, look_on()).result()
    assert path.stat().st_mode & 0o077 == 0, "it holds the links"


def test_a_game_that_was_kept_is_opened_once_however_many_come(tmp_path):
    async def come_together():
        game = get_game("brave_rats")
        tokens = House(tmp_path).open(game, game.configuration.make({}), ["me", "me"], seed=1).tokens
        house = House(tmp_path)
        rooms = await asyncio.gather(*(house.room(token) for token in (*tokens, *tokens)))
        assert len(set(map(id, rooms))) == 1 and rooms[0].tokens == tokens
        await asyncio.gather(*(house.again(rooms[0]) for _ in range(3)))
        assert len(set(map(id, house.rooms.values()))) == 2

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, come_together()).result()


def test_the_way_to_the_next_game_outlives_the_server_as_long_as_that_game_does(tmp_path):
    async def come_back():
        game = get_game("brave_rats")
        house = House(tmp_path)
        room = house.open(game, game.configuration.make({}), ["me", "me"], seed=1)
        await house.again(room)
        after = room.next_tokens
        kept = await House(tmp_path).room(room.tokens[1])
        assert kept.next_tokens == after and kept.next_for(room.tokens[1]) == after[1]
        house.rooms[after[0]].path.unlink()  # as when the server ends and nobody has moved
        house = House(tmp_path)
        kept = await house.room(room.tokens[0])
        assert kept.next_tokens is None
        await house.again(kept)
        assert (await House(tmp_path).room(room.tokens[0])).next_tokens == kept.next_tokens not in (None, after)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, come_back()).result()


def test_a_next_game_whose_link_cannot_be_kept_begins_all_the_same(tmp_path):
    async def lose_the_file():
        game = get_game("brave_rats")
        house = House(tmp_path)
        room = house.open(game, game.configuration.make({}), ["me", "me"], seed=1)
        room.path.unlink()
        await house.again(room)
        assert room.next_tokens[0] in house.rooms

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, lose_the_file()).result()


def test_what_cannot_be_kept_has_not_happened(tmp_path):
    async def lose_the_disk():
        game = get_game("brave_rats")
        room = House(tmp_path).open(game, game.configuration.make({}), ["me", "greedy"], seed=1)
        token, content = room.tokens[0], room.path.read_bytes()
        folder = room.path.rename(tmp_path / "elsewhere")
        for _ in range(2):
            with pytest.raises(NotKeptError, match=r"The game cannot be kept \(No such file .*nothing was done"):
                room.act(token, room.shown(token).view, "play spy")
            assert room.session.steps == [] and room.session.asked == 0
        folder.rename(room.path)
        room.act(token, room.shown(token).view, "play spy")
        await room._moving  # greedy acts in a thread, and what it has done is kept afterwards
        assert room.session.asked == 0
        room.path.rename(folder)
        steps = len(room.session.steps)
        with pytest.raises(NotKeptError):
            room.undo(token, room.shown(token).view)
        assert len(room.session.steps) == steps
        assert folder.read_bytes().startswith(content) and len(SavedGame.read(folder).steps) == steps

    with ThreadPoolExecutor(1) as pool:  # a browser's tests may have left a loop running in this thread
        pool.submit(asyncio.run, lose_the_disk()).result()


def test_pages_of_other_sites_cannot_play(running):
    first, _, _ = running.open().tokens
    message = {"view": page_of(running.base, first)["view"], "action": "play spy"}
    assert post(running.base, first, "act", message, Origin="http://evil.example").status_code == 403
    assert post(running.base, first, "act", message, Origin="null").status_code == 403
    assert post(running.base, first, "act", message, Origin="http://[x").status_code == 403
    form = httpx.post(f"{running.base}/seat/{first}/act", content=json.dumps(message), timeout=60)
    assert form.status_code == 415
    assert httpx.get(f"{running.base}/seat/{first}", headers={"Host": "evil.example"}).status_code == 400
    assert page_of(running.base, first)["acted"] == 0
    assert post(running.base, first, "act", message, Origin=running.base).status_code == 200


def test_nonsense_is_answered_with_a_sentence_and_changes_nothing(running):
    room = running.open()
    first, random = room.tokens[0], np.random.default_rng(1)
    view = page_of(running.base, first)["view"]
    kinds = [
        lambda: random.bytes(int(random.integers(200))),
        lambda: b"[" * int(random.integers(1, 3000)),
        lambda: json.dumps({"view": view, "action": "x" * int(random.integers(3000))}).encode(),
        lambda: json.dumps({"view": view, "action": int(random.integers(9))}).encode(),
        lambda: json.dumps({"view": "other", "action": "play spy"}).encode(),
        lambda: json.dumps([view, "play spy"]).encode(),
        lambda: b'{"view": ' + b"9" * int(random.integers(1, 6000)) + b"}",
        lambda: b" " * 5000,
        lambda: json.dumps({"view": view, "action": "play spy"}).encode()[: int(random.integers(40))],
    ]
    with httpx.Client(timeout=60) as client:
        for number in range(MESSAGES):
            where = f"{running.base}/seat/{room.tokens[number % 3]}/{['act', 'undo', 'again'][number // 3 % 3]}"
            content = kinds[number % len(kinds)]()
            answer = client.post(where, content=content, headers={"Content-Type": "application/json"})
            assert 400 <= answer.status_code < 500, content
            assert 0 < len(answer.json()["error"]) < 400
    assert room.session.steps == []


def test_the_record_is_given_when_the_game_is_over_and_not_before(running):
    room = running.open()
    first, second, _ = room.tokens
    assert httpx.get(f"{running.base}/seat/{first}/record").status_code == 409
    act(running.base, first, "play princess")
    act(running.base, second, "play prince")
    page = page_of(running.base, first)
    assert page["is_over"] and page["result"] == "You win."
    assert replay(httpx.get(f"{running.base}/seat/{first}/record").json()).winners() == [0]
    begun = post(running.base, first, "again", {})
    after = [page_of(running.base, token)["next"] for token in (first, second)]
    assert post(running.base, second, "again", {}).status_code == 200
    assert [page_of(running.base, token)["next"] for token in (first, second)] == after
    assert begun.json() == {"next": after[0]} and page_of(running.base, after[0])["acted"] == 0


def test_undo_and_hint(running):
    first = running.open(names=["me", "random"]).tokens[0]
    hint = httpx.get(f"{running.base}/seat/{first}/hint", timeout=120).json()
    assert hint["source"] == "equilibrium" and len(hint["choices"]) == 8
    act(running.base, first, "play spy")
    page = page_of(running.base, first)
    assert page["can_undo"]
    assert post(running.base, first, "undo", {"view": page["view"]}).status_code == 200
    assert page_of(running.base, first)["acted"] == 0


def test_a_hint_is_written_down(running):
    room = running.open(names=["me", "random"])
    assert httpx.get(f"{running.base}/seat/{room.tokens[0]}/hint", timeout=120).status_code == 200
    (hint,) = SavedGame.read(room.path).hints
    assert hint["hint"] == 0 and hint["steps"] == 0


def test_undo_hints_and_new_games_that_the_terms_exclude_are_refused(running):
    terms = Terms(names=["me", "them"], undo=False, hints=False, table="1")
    room = running.open(names=["me", "random"], terms=terms, fast=True)
    first, watching = room.tokens[0], room.tokens[2]
    answer = httpx.get(f"{running.base}/seat/{first}/hint")
    assert answer.status_code == 403 and answer.json() == {"error": "In this game no hints are given."}
    act(running.base, first, "play princess")
    page = page_of(running.base, first, is_asked=True)
    answer = post(running.base, first, "undo", {"view": page["view"]})
    assert answer.status_code == 422 and answer.json() == {"error": "In this game nothing can be taken back."}
    while not page["is_over"]:
        post(running.base, first, "act", {"view": page["view"], "action": page["choices"][0]["action"]})
        page = page_of(running.base, first)
        while not page["choices"] and not page["is_over"]:
            assert page["waiting"] == "Please wait for the others."
            page = page_of(running.base, first)
    answer = post(running.base, first, "again", {})
    assert answer.status_code == 422 and answer.json() == {"error": "No other game begins at this table."}
    for token in (first, watching):
        sent = httpx.get(f"{running.base}/seat/{token}/record").text
        assert "random" not in sent and json.loads(sent)["agents"] == ["me", "them"]
    assert "random" not in json.dumps(page)


def test_a_new_game_is_on_the_terms_of_the_one_before(running):
    room = running.open(terms=Terms({"a": "b"}, hints=False))
    for token, card in zip(room.tokens, ("princess", "prince"), strict=False):
        act(running.base, token, f"play {card}")
    other = post(running.base, room.tokens[0], "again", {}).json()["next"]
    assert running.house.rooms[other].session.terms == room.session.terms


def test_the_times_of_an_answer_are_kept(running):
    room = running.open()
    first, second, _ = room.tokens
    view = page_of(running.base, first)["view"]
    for wrong in (-1, 1.5, "1", True):
        answer = post(running.base, first, "act", {"view": view, "action": "play spy", "milliseconds": wrong})
        assert answer.status_code == 400 and "must be a whole number from 0" in answer.json()["error"]
    post(running.base, first, "act", {"view": view, "action": "play spy", "milliseconds": 1234})
    view = page_of(running.base, second)["view"]
    post(running.base, second, "act", {"view": view, "action": "play spy", "milliseconds": 10**12})
    one, other = SavedGame.read(room.path).steps
    assert one["page_ms"] == 1234 and "page_ms" not in other
    assert one["asked"] < one["answered"] <= other["asked"] < other["answered"]


def test_a_seat_is_asked_when_the_question_is_first_sent(running):
    room = running.open()
    page_of(running.base, room.tokens[1])
    assert room._asked_since is None  # who waits is not asked
    page_of(running.base, room.tokens[0])
    since = room._asked_since
    page_of(running.base, room.tokens[0])
    assert since is not None and room._asked_since == since


def test_pages_carry_no_address_of_another_host(running):
    first = running.open().tokens[0]
    for address in (f"/seat/{first}", "/table.js", "/table.css"):
        answer = httpx.get(running.base + address)
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert not re.search(r"https?://", answer.text)
    sizes = [
        len(httpx.get(running.base + address).content) for address in (f"/seat/{first}", "/table.js", "/table.css")
    ]
    assert sum(sizes) + len(json.dumps(page_of(running.base, first))) < 150_000


async def play_together(base, token, lost):
    """Play a seat to the end, by the first choice, whenever it is asked."""
    address = f"{base}/seat/{token}"
    async with httpx.AsyncClient(timeout=120) as client, client.stream("GET", f"{address}/events") as events:
        async for line in events.aiter_lines():
            page = json.loads(line[6:]) if line.startswith("data: ") else {"is_over": False, "choices": []}
            if page["is_over"]:
                return page["acted"]
            if page["choices"]:
                choice = page["choices"][page["acted"] % len(page["choices"])]
                message = {"view": page["view"], "action": choice["action"]}
                answer = await client.post(f"{address}/act", json=message)
                if answer.status_code != 200:
                    lost.append(answer.text)


def test_many_games_at_once_lose_double_and_confuse_no_move(running, tmp_path):
    rooms = [running.open(game) for game in ("brave_rats", "brave_rats") for _ in range(5)]
    lost: list[str] = []

    async def play_all():
        tokens = [token for room in rooms for token in room.tokens[:2]]
        return await asyncio.gather(*(play_together(running.base, token, lost) for token in tokens))

    with ThreadPoolExecutor(1) as elsewhere:  # Playwright's loop may be running in this thread
        acted = elsewhere.submit(asyncio.run, play_all()).result()
    assert not lost
    for number, room in enumerate(rooms):
        saved = SavedGame.read(room.path)
        assert sum(acted[2 * number : 2 * number + 2]) == len(saved.steps) == len(room.session.steps)
        assert saved.session().record() == room.session.record()


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit")
def test_connections_without_a_request_keep_nobody_out(tmp_path):
    import resource

    server = started(tmp_path, stderr=subprocess.PIPE)
    base, token = link_of(server)
    resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (128, 128))
    host, port = base.removeprefix("http://").split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(200)]
    try:
        assert act(base, token, "play spy").status_code == 200
        assert page_of(base, token)["acted"] == 1
    finally:
        server.send_signal(signal.SIGINT)
        told = server.communicate(timeout=60)[1]
        for connection in idle:
            connection.close()
    assert re.fullmatch(r"(Warning: connections have to wait: Too many open files\.\n)?Interrupted\.\n", told)


def test_a_connection_is_closed_when_no_whole_request_comes_in_time(running, monkeypatch):
    monkeypatch.setattr("rat_envs.play.browser.connections.SECONDS_TO_ASK", 0.2)
    monkeypatch.setattr("rat_envs.play.browser.app.SECONDS_TO_SAY", 0.2)
    address = ("127.0.0.1", int(running.base.rpartition(":")[2]))
    token = running.open().tokens[0]
    head = f"POST /seat/{token}/act HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    cut_off = f"{head}Content-Length: 9\r\n\r\n".encode()
    for sent, answer in (
        (b"", b""),
        (b"GET / HT", b""),
        (cut_off, b"HTTP/1.1 408"),
    ):
        with socket.create_connection(address, timeout=20) as connection:
            connection.sendall(sent)
            assert connection.recv(4096)[:12] == answer
    with httpx.stream("GET", f"{running.base}/seat/{token}/events") as events:
        lines = events.iter_lines()
        assert next(lines).startswith("data: ")
        time.sleep(1)
        act(running.base, token, "play spy")
        assert any(line.startswith("data: ") for line in lines), "who listens is not cut off"


def reads_nothing(base):
    """A connection on which many answers are asked for and none is read."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", int(base.rpartition(":")[2])))
    connection.settimeout(1)
    with contextlib.suppress(TimeoutError, ConnectionError):
        connection.sendall(b"GET /table.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
    return connection


def until(condition):
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < 30
        time.sleep(0.05)


def test_a_connection_whose_answers_are_not_read_is_closed_in_time(running, monkeypatch):
    monkeypatch.setattr("rat_envs.play.browser.connections.SECONDS_TO_ASK", 1.0)
    token, connections = running.open().tokens[0], running.server.server_state.connections
    with httpx.stream("GET", f"{running.base}/seat/{token}/events") as events:
        lines = events.iter_lines()
        assert next(lines).startswith("data: ")
        with reads_nothing(running.base):
            until(lambda: len(connections) == 2)
            until(lambda: len(connections) == 1)
        time.sleep(2)
        assert len(connections) == 1, "who listens is not cut off, though nothing happens"


def test_a_connection_that_is_to_be_closed_when_all_is_sent_is_closed_in_time(running, monkeypatch):
    """As after an answer with ``Connection: close``."""
    monkeypatch.setattr("rat_envs.play.browser.connections.SECONDS_TO_ASK", 0.5)
    connections = running.server.server_state.connections
    with reads_nothing(running.base):
        until(lambda: any(one.unread_since is not None for one in connections))
        for one in list(connections):
            one.loop.call_soon_threadsafe(one.transport.close)
        until(lambda: not connections)


def test_connections_whose_answers_are_not_read_keep_nobody_out(running, monkeypatch):
    monkeypatch.setattr("rat_envs.play.browser.connections.MOST_CONNECTIONS", 4)
    unread = [reads_nothing(running.base) for _ in range(6)]
    try:
        connections = running.server.server_state.connections
        until(lambda: len(connections) == 4 and all(one.unread_since is not None for one in list(connections)))
        assert act(running.base, running.open().tokens[0], "play spy").status_code == 200
    finally:
        for connection in unread:
            connection.close()


def test_a_seat_is_open_on_so_many_pages_and_no_more_however_many_come_at_once(tmp_path):
    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        pass

    async def come_together():
        game = get_game("brave_rats")
        house = House(tmp_path)
        token = house.open(game, game.configuration.make({}), ["me", "me"], seed=1).tokens[0]
        server = Server(house, Names("localhost", None))
        scope = {"type": "http", "path_params": {"token": token}}
        for _ in range(2):  # the second time all places are free again, although no page was sent a word
            asked = (server.events(Request(scope)) for _ in range(60))
            answers = await asyncio.gather(*asked, return_exceptions=True)
            accepted = [answer for answer in answers if not isinstance(answer, Exception)]
            assert len(accepted) == MOST_PAGES
            assert all(isinstance(answer, RefusedError) for answer in answers if answer not in accepted)
            await asyncio.gather(*(answer(scope, gone, send) for answer in accepted))

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, come_together()).result()


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_games_go_on_after_the_server_was_killed(tmp_path):
    first = started(tmp_path)
    base, token = link_of(first)
    assert act(base, token, "play spy").status_code == 200
    page = page_of(base, token)
    first.send_signal(signal.SIGKILL)
    first.communicate()
    second = started(tmp_path)
    base, other = link_of(second)
    try:
        again = page_of(base, token)
        assert again["log"][: len(page["log"])] == page["log"] and again["acted"] == 1 and other != token
        view = page_of(base, token, is_asked=True)["view"]
        assert post(base, token, "act", {"view": view, "action": "play prince"}).status_code == 200
    finally:
        second.send_signal(signal.SIGINT)
        second.communicate()


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_the_server_is_stopped_without_a_traceback_while_pages_are_open(tmp_path):
    server = started(tmp_path, stderr=subprocess.PIPE)
    base, token = link_of(server)
    with httpx.stream("GET", f"{base}/seat/{token}/events", timeout=60) as answer:
        lines = answer.iter_lines()
        assert next(lines).startswith("data: ") and answer.headers["X-Accel-Buffering"] == "no"
        server.send_signal(signal.SIGINT)
        assert list(lines) == [""]
    assert server.communicate(timeout=60)[1] == "Interrupted.\n"
    assert list(tmp_path.glob("*.rat-game")) == [], "nobody has moved"


#: What comes from scanners, from browsers that want TLS, and from tools of other kinds.
GARBAGE = [
    b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + bytes(range(150)),
    b"nonsense\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /\xff\xfe%ff%00 HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000,
    b"POST /seat/x/act HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
def test_garbage_writes_nothing_on_the_terminal_of_who_plays(tmp_path):
    with started(tmp_path, stderr=subprocess.PIPE) as server:
        base, token = link_of(server)
        host, port = base.removeprefix("http://").split(":")
        try:
            for sent in GARBAGE:
                send_all(host, int(port), sent)
            address = f"/seat/{token}".encode()
            head = b" HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            send_all(host, int(port), b"GET " + address + b"/events" + head + b"\r\n", b"zz\r\n")
            for body in (b"zz\r\n", b""):
                posted = b"POST " + address + b"/act" + head + b"Content-Type: application/json\r\n\r\n1\r\n{\r\n"
                send_all(host, int(port), posted + body)
            assert httpx.get(f"{base}/seat/{token}").status_code == 200
        finally:
            server.send_signal(signal.SIGINT)
        assert server.communicate(timeout=60)[1] == "Interrupted.\n"


def send_all(host: str, port: int, *parts: bytes) -> None:
    """Send this alone, each further part after an answer, and wait until the server has nothing more to say."""
    with contextlib.suppress(ConnectionError), socket.create_connection((host, port), timeout=20) as connection:
        for number, part in enumerate(parts):
            assert number == 0 or connection.recv(1000)
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1000):
            pass


SLOW = """
import time
from concurrent.futures import ThreadPoolExecutor
from rat_envs.agents import Agent

class Slow(Agent):
    name = "slow"

    def act_batch(self, views):
        print("thinking", flush=True)
        ThreadPoolExecutor(1).submit(time.sleep, 60).result()
        return views.masks.argmax(axis=1)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGINT")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 1), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_the_server_ends_while_an_agent_thinks(tmp_path, number, code):
    (tmp_path / "slow.py").write_text(SLOW)
    agent = f"{tmp_path}/slow.py:Slow"
    server = started(tmp_path, "--seats", f"me,{agent}", "--trust", stderr=subprocess.PIPE)
    base, token = link_of(server)
    assert act(base, token, "play spy").status_code == 200
    while server.stdout.readline() != "thinking\n":
        pass
    begun = time.monotonic()
    server.send_signal(number)
    told = server.communicate(timeout=60)[1]
    assert time.monotonic() - begun < 5, "busy machines included"
    assert server.returncode == code and told == ("Interrupted.\n" if code == 1 else "")
    (path,) = tmp_path.glob("*.rat-game")
    assert [step["action"] for step in SavedGame.read(path).steps] == ["play spy"]


def test_a_damaged_file_stops_nothing_and_is_left_alone(tmp_path):
    (tmp_path / "broken.rat-game").write_text("not a game")
    house = House(tmp_path)
    assert len(house.damaged) == 1
    assert re.match(r".*broken\.rat-game: no saved game: .*'rat-game/1': it is left alone\.", house.damaged[0])
    assert (tmp_path / "broken.rat-game").read_text() == "not a game"


def started(folder, *more, **streams):
    command = [sys.executable, "-m", "rat_envs", "play", "brave_rats", "--browser", "--no-open", "--port", "0"]
    return subprocess.Popen(
        [*command, "--folder", str(folder), *more],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # it may be ignored here
        **streams,
    )


def link_of(process):
    found = re.match(r"player_0: (http://[^/]*)/seat/(\S+)", process.stdout.readline())
    assert found
    return found[1], found[2]
