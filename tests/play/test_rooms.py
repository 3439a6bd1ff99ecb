"""Rooms of the table in the browser: what is shown while an agent thinks, and when it fails."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rat_envs.agents import Agent
from rat_envs.agents.random import RandomAgent
from rat_envs.engine.errors import IllegalActionError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.play.browser.app import Server
from rat_envs.play.browser.invitations import invitations, qr_code
from rat_envs.play.browser.rooms import House, NotKeptError, NotOpenedError, OutOfDateError
from rat_envs.play.browser.shown import replay_command
from rat_envs.play.saved import MOST_BYTES, SavedGame
from rat_envs.play.session import Session


class Stubborn(Agent):
    """Plays the Princess again and again."""

    name = "stubborn"

    def act_batch(self, views):
        return np.array([get_game("brave_rats").action_numbers["play princess"]])


class Slow(Agent):
    """Plays the first card that it may, when it is let go."""

    name = "slow"

    def __init__(self, seed=None):
        super().__init__(seed)
        self.may_act = threading.Event()

    def act_batch(self, views):
        assert self.may_act.wait(60)
        return views.masks.argmax(axis=1)


def run(work):
    """A browser's tests may have left a loop running in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def open_room(folder, names, agents, **config):
    """A room with agents of our own in place of those that are named."""
    game = get_game("brave_rats")
    room = House(folder).open(game, game.configuration.make(config), names, seed=1)
    for seat, agent in agents.items():
        room.session.table.agents[seat] = agent
    return room


def shown(room, place):
    return json.loads(room.shown(room.tokens[place]).text)


async def moved_on(room):
    room.move_on()
    await room._moving


def test_an_agent_that_fails_shows_nobody_its_hand(tmp_path, capsys):
    async def fail():
        room = open_room(tmp_path, ["random", "me"], {0: Stubborn()})
        await moved_on(room)
        room.act(room.tokens[1], room.shown(room.tokens[1]).view, "play ambassador")
        await room._moving
        pages = [shown(room, place) for place in (1, 2)]
        problems = [page["problem"] for page in pages]
        await moved_on(room)
        assert [shown(room, place)["problem"] for place in (1, 2)] == problems
        assert shown(room, 1)["can_undo"]
        room.undo(room.tokens[1], room.shown(room.tokens[1]).view)
        assert shown(room, 1)["problem"] == ""
        return problems

    problems = run(fail())
    said = "The agent of player_0 cannot act; the server's terminal says why. Load this page again to let it try again."
    assert problems == [said, said]
    told = capsys.readouterr().err
    assert "player_0 (random) cannot act: The agent stubborn takes action 1 (play princess)" in told


def test_a_saved_game_cannot_write_to_the_terminal_as_it_likes(tmp_path, capsys):
    async def fail():
        room = open_room(tmp_path, ["random", "me"], {0: Stubborn()})
        room.path = room.path.rename(room.path.with_name("\x1b[2J.rat-game"))
        room.session.names[0] = "\x1b[3J"
        await moved_on(room)
        room.act(room.tokens[1], room.shown(room.tokens[1]).view, "play ambassador")
        await room._moving
        saved = SavedGame.read(room.path)
        saved.version = 99
        saved.write(room.path)
        with pytest.raises(NotOpenedError):
            await House(tmp_path).room(room.tokens[1])

    run(fail())
    told = capsys.readouterr().err
    assert "[2J.rat-game: player_0 ( [3J) cannot act: " in told and "[2J.rat-game: This game cannot go on now: " in told
    assert "\x1b" not in told


def test_while_an_agent_thinks_all_are_shown_the_table_as_it_is(tmp_path):
    async def think():
        slow = Slow()
        room = open_room(tmp_path, ["me", "random"], {1: slow})
        token, view = room.tokens[0], room.shown(room.tokens[0]).view
        room.act(token, view, "play ambassador")
        await asyncio.sleep(0.2)
        page = shown(room, 0)
        assert page["log"] == ["You choose Ambassador."] and page["waiting"] == "The agent is thinking …"
        assert page["choices"] == [] and shown(room, 2)["log"] == []
        with pytest.raises(OutOfDateError, match="The table has changed since you chose"):
            room.act(token, view, "play general")
        with pytest.raises(IllegalActionError, match="It is not your turn"):
            room.act(token, page["view"], "play general")
        with pytest.raises(OutOfDateError, match=r"An agent is thinking: nothing was done\. Wait"):
            room.undo(token, page["view"])
        slow.may_act.set()
        await room._moving
        assert len(shown(room, 0)["choices"]) == 7 and len(room.session.steps) == 2

    run(think())


def test_nothing_is_shown_of_what_an_agent_does_until_it_is_kept(tmp_path):
    """The step has happened in the agent's thread, and the loop has not come back to it yet."""

    async def look():
        room = open_room(tmp_path, ["me", "random"], {})
        room.act(room.tokens[0], room.shown(room.tokens[0]).view, "play spy")
        before = room.shown(room.tokens[0])
        room.seen = room.session.as_it_is()
        room.session.advance_once()
        room._pages.clear()
        assert room.shown(room.tokens[0]) == before
        room.seen = room.session
        room._keep_last()
        assert room.shown(room.tokens[0]) != before
        await room._moving

    run(look())


def test_a_full_file_takes_no_more_than_can_be_read_again(tmp_path):
    async def fill():
        room = open_room(tmp_path, ["me", "me"], {})
        room.path.write_text(room.path.read_text() + " " * (MOST_BYTES - room.path.stat().st_size))
        with pytest.raises(NotKeptError, match=r"cannot be kept \(File too large\)"):
            room.act(room.tokens[0], room.shown(room.tokens[0]).view, "play spy")
        assert room.path.stat().st_size == MOST_BYTES and room.session.steps == []

    run(fill())


def test_a_file_says_whether_its_game_is_begun_and_over(tmp_path):
    async def play():
        room = open_room(tmp_path, ["me", "me"], {})
        kept = [SavedGame.read(room.path)]
        for seat, card in ((0, "princess"), (1, "prince")):
            room.act(room.tokens[seat], room.shown(room.tokens[seat]).view, f"play {card}")
            kept.append(SavedGame.read(room.path))
        return kept

    kept = run(play())
    assert [(one.has_begun, one.is_over) for one in kept] == [(False, False), (True, False), (True, True)]
    assert kept[-1].session().is_over
    kept[0].seats, kept[0].steps = ["greedy", "greedy"], kept[1].steps
    assert kept[0].has_begun


class Hoarding(RandomAgent):
    """Keeps much while it plays."""

    keeps = True

    def release(self):
        self.keeps = False


def test_when_a_game_is_over_its_agents_give_back_what_they_keep(tmp_path):
    async def play():
        agents = {0: Hoarding(0), 1: Hoarding(1)}
        room = open_room(tmp_path, ["random", "random"], agents)
        while not room.session.is_over:
            assert all(agent.keeps for agent in agents.values())
            await moved_on(room)
        assert not any(agent.keeps for agent in agents.values())

    run(play())


def test_links_cannot_be_guessed(tmp_path):
    rooms = [open_room(tmp_path, ["random", "me"], {}) for _ in range(20)]
    tokens = [token for room in rooms for token in room.tokens]
    assert len(set(tokens)) == len(tokens) == 60
    assert all(len(base64.urlsafe_b64decode(f"{token}==")) == 16 for token in tokens), "128 bits (SECURITY.md)"


def is_secret(room, seat):
    """Whether a seat cannot tell that the game stands where it does."""
    position = room.session.position
    return not (position.is_over or position.game.asks_openly(position.state, seat))


async def everything_sent(house, room, token):
    """The pages that somebody gets who listens all the time."""
    stream = Server(house, None)._stream(room, token)
    return [json.loads(event.removeprefix("data: ")) async for event in stream if event.startswith("data: ")]


def test_no_page_tells_whether_somebody_was_asked_in_secret(tmp_path):
    """CR-76: a window that is not used leaves no trace, in the order of what pages show either."""

    async def play():
        game = get_game("comme_des_rats")
        configuration = game.configuration.make({"players": 3, "roles": True})
        house = House(tmp_path)
        room = house.open(game, configuration, ["me"] * 3, seed=5)
        random, secrets, waits = np.random.default_rng(5), 0, 0
        await moved_on(room)
        sent = [asyncio.create_task(everything_sent(house, room, token)) for token in room.tokens]
        while not room.session.is_over:
            asked = room.session.asked
            before = [room.shown(token) for token in room.tokens]
            choices = shown(room, asked)["choices"]
            action = choices[random.integers(len(choices))]["action"]
            room.act(room.tokens[asked], before[asked].view, action)
            for place, token in enumerate(room.tokens):
                pages, seat = room.shown_in_turn(token), room.seat_of(token)
                if place == asked:
                    first, was = json.loads(pages[0].text), json.loads(before[place].text)
                    assert first["choices"] == [] and first["question"] == ""
                    assert [first[part] for part in ("picture", "log")] == [was[part] for part in ("picture", "log")]
                    assert (len(pages) == 1) == is_secret(room, seat)
                    waits += len(pages) == 1
                elif is_secret(room, seat):
                    assert pages[-1] == before[place]
                    secrets += 1
            await room._moving
            await asyncio.sleep(0.002)  # so that pages are sent
        assert secrets > 50 and waits > 0
        house.hang_up()
        for pages in await asyncio.gather(*sent):
            assert pages[-1]["is_over"]
            for page, after in itertools.pairwise(pages):
                assert page != after
                if page["choices"]:  # whatever comes of the answer
                    assert {**after, "view": ""} == {**page, "view": "", "question": "", "choices": []}

    run(play())


def test_agents_that_are_watched_pause_between_events_that_are_seen(tmp_path, monkeypatch):
    """Not after a card that is still hidden, nor where people play."""
    game, paused = get_game("brave_rats"), []

    async def watch(names):
        house = House(tmp_path, pause=7.0)
        room = house.open(game, game.configuration.make({}), names, seed=1)

        async def pause(seconds):
            paused.append((seconds, len(room.session.told(None))))

        with monkeypatch.context() as patched:
            patched.setattr(asyncio, "sleep", pause)
            await moved_on(room)
            return room.session

    session = run(watch(["random", "random"]))
    moments = np.cumsum([len(step.told(None)) for step in session.steps[:-1]])
    assert session.is_over and paused == [(7.0, told) for told in np.unique(moments) if told]
    paused.clear()
    assert run(watch(["random", "me"])).asked == 1 and paused == []


def test_odd_files_in_the_folder_keep_no_server_from_starting(tmp_path, monkeypatch):
    def opened(path, mode="r", *args, **more):
        if mode == "rb+":
            raise PermissionError(1, "Operation not permitted")
        return plain(path, mode, *args, **more)

    open_room(tmp_path, ["me", "greedy"], {})
    (kept,) = tmp_path.glob("*.rat-game")
    content = kept.read_bytes()
    (tmp_path / "a.rat-game").symlink_to(tmp_path / "nothing")
    (tmp_path / "cut.rat-game").write_bytes(content + b'{"actor"')
    plain = type(kept).open
    monkeypatch.setattr(type(kept), "open", opened)
    house = House(tmp_path)
    assert len(house.damaged) == 2
    assert any("no saved game file" in one and "/a.rat-game: it is left alone." in one for one in house.damaged)
    assert any("cut.rat-game: Operation not permitted: it is left alone." in one for one in house.damaged)
    tokens = SavedGame.read(kept).tokens
    assert run(house.room(tokens[0])).path == kept


@pytest.mark.parametrize("end", [b"\r", b"\r\n"])
def test_a_saved_game_with_other_line_ends_is_not_cut(end, tmp_path):
    open_room(tmp_path, ["me", "greedy"], {})
    (kept,) = tmp_path.glob("*.rat-game")
    whole = kept.read_bytes().replace(b"\n", end)
    kept.write_bytes(whole)
    assert not House(tmp_path).damaged and kept.read_bytes() == whole
    kept.write_bytes(whole + b'{"actor"')
    assert not House(tmp_path).damaged and kept.read_bytes() == whole


def test_who_waits_for_a_thread_is_told_when_the_server_ends(tmp_path):
    async def end():
        house, never = House(tmp_path), threading.Event()
        waiting = asyncio.create_task(house.done(never.wait, 60))
        await asyncio.sleep(0.05)
        house.hang_up()
        with pytest.raises(NotOpenedError, match="The server ends"):
            await asyncio.wait_for(waiting, 20)
        never.set()

    run(end())


# Whom a page waits for


def test_a_page_names_the_person_it_waits_for(tmp_path):
    async def play():
        room = open_room(tmp_path, ["me", "me"], {})
        said = [[shown(room, place)["waiting"] for place in range(3)]]
        room.act(room.tokens[0], room.shown(room.tokens[0]).view, "play spy")
        said.append([shown(room, place)["waiting"] for place in range(3)])
        return said

    first, second = run(play())
    assert first[1:] == ["Please wait for player_0.", "You are watching."]
    assert second[0] == "Please wait for player_1."


def test_who_is_asked_in_secret_is_named_to_nobody(tmp_path):
    """Where players of Comme des Rats are asked in secret (CR-76), pages of others stay as they are."""

    async def play():
        game = get_game("comme_des_rats")
        room = House(tmp_path).open(game, game.configuration.make({"players": 3}), ["me"] * 3, seed=1)
        secrets = 0
        for _ in range(300):
            await moved_on(room)
            if room.session.is_over:
                break
            seat, state = room.session.asked, room.session.position.state
            for place in {0, 1, 2} - {seat}:
                page = shown(room, place)
                assert page["question"] == ""
                if not game.asks_openly(state, place):
                    secrets += 1
                    left = room.session.after_steps(room.session.steps_seen(place))
                    known = left.asked if left.asked != place else None
                    assert page["waiting"] == f"Please wait for {'the others' if known is None else f'player_{known}'}."
                else:
                    assert page["waiting"] == f"Please wait for player_{seat}."
            choices = room.session.offer().choices
            room.act(room.tokens[seat], room.shown(room.tokens[seat]).view, game.actions[choices[0].action])
        return secrets

    assert run(play())


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("brave_rats", {"hands": "draft"}),
        ("comme_des_rats", {"players": 3}),
        ("rattus", {"players": 3}),
        ("rattus_cartus", {"players": 3}),
    ],
)
def test_whom_a_page_waits_for_does_not_depend_on_what_is_hidden(name, config):
    """Where a seat can tell where the game stands, the same player is asked at every table that looks alike to it."""
    position = Position(name, config)
    stream, others = (new_stream(position.game, seed) for seed in (1, 2))
    compared = 0
    while not position.is_over:
        for seat in range(position.configuration.players) if not position.is_chance else ():
            if seat != position.actor and position.game.asks_openly(position.state, seat):
                alike = position.copy()
                alike.determinize(seat, others)
                assert alike.actor == position.actor
                compared += 1
        position.apply(position.sample(stream))
    assert compared > 10


def test_the_command_for_a_record_names_an_agent_that_can_explain_it():
    game = get_game("brave_rats")
    said = {
        agent: replay_command(Session(game, game.configuration.make(config), ["me", "random"], 1))
        for agent, config in (("learnt", {}), ("greedy", {"draw_pile": True}))
    }
    assert said == {
        agent: f"rat-envs replay brave_rats.jsonl --html brave_rats.html --explain {agent}" for agent in said
    }


# Whom the person who has opened the game may invite


def test_links_of_seats_are_shown_to_the_host_until_they_have_been_opened(tmp_path):
    async def invite():
        game = get_game("rattus")
        room = House(tmp_path).open(game, game.configuration.make({"players": 3}), ["me"] * 3, seed=1)
        assert room.invitations(room.tokens[0]) == "", "nobody has opened the game here"
        room.host, room.links = 0, {token: f"http://192.0.2.1:8765/seat/{token}" for token in room.tokens[1:3]}
        assert [room.invitations(token) for token in room.tokens[1:]] == ["", "", ""]
        told = [json.loads(room.invitations(room.tokens[0]))]
        for token in room.tokens[1:3]:
            change = room.next_change
            room.opened(token)
            assert change.is_set(), "the host is told at once"
            told.append(json.loads(room.invitations(room.tokens[0])))
        change = room.next_change
        for token in room.tokens:
            room.opened(token)
        assert not change.is_set()
        assert not any(token in room.shown(room.tokens[0]).text for token in room.tokens)
        return told

    told = run(invite())
    assert [[one["seat"] for one in each["links"]] for each in told] == [[1, 2], [2], []]
    assert not told[0]["is_near"] and told[0]["links"][0]["link"].startswith("http://192.0.2.1:8765/seat/")


@pytest.mark.parametrize(
    ("link", "near"),
    [
        ("http://127.0.0.1:8765/seat/x", True),
        ("http://[::1]:8765/seat/x", True),
        ("http://localhost/seat/x", True),
        ("http://192.168.1.5:8765/seat/x", False),
        ("https://games.example.org/seat/x", False),
    ],
)
def test_what_only_this_computer_can_open_gets_no_code(link, near, monkeypatch):
    monkeypatch.setattr("rat_envs.play.browser.invitations.qr_code", lambda link: "data:image/svg+xml,x")
    told = json.loads(invitations({"x": link}, {"x": 1}, set()))
    assert told == {
        "links": [{"seat": 1, "link": link, "code": "" if near else "data:image/svg+xml,x"}],
        "is_near": near,
    }


def test_a_link_is_drawn_where_segno_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "segno", None)
    assert qr_code("http://192.168.1.5:8765/seat/x") == ""
    monkeypatch.undo()
    pytest.importorskip("segno")
    assert qr_code("http://192.168.1.5:8765/seat/x").startswith("data:image/svg+xml")
