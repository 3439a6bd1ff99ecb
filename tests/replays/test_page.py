"""The page of a replay: what it holds, what it must not hold, how large it is, and the command that writes it."""

from __future__ import annotations

import base64
import dataclasses
import functools
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from games_and_configurations import FIRST, each
from typer.testing import CliRunner

import rat_envs
from rat_envs.api.agent import Agent
from rat_envs.commands.main import app
from rat_envs.engine.errors import IllegalActionError, RatEnvsError, RecordError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, replay
from rat_envs.engine.story import events
from rat_envs.replays import Wish, make_page, show
from rat_envs.replays.beliefs import beliefs
from rat_envs.replays.explain import Explainer
from rat_envs.replays.page import MOST_GAMES, page_data

#: What a replay of a long game may have.
MOST_BYTES = 3_000_000
#: Games in which something happens that a seat may never see.
WITH_SECRETS_TO_THE_END: list[tuple[str, dict]] = [
    ("brave_rats", {"hands": "random", "draw_pile": True}),
    ("comme_des_rats", {"players": 3, "roles": True}),
]
#: Steps of a game that are tried with something else, and pages that are compared.
MOST_CHANGED, ENOUGH = 60, 3
NASTY = '</script><script>alert(1)</script><img src="https://example.org/x" onerror="alert(2)">'


@functools.cache
def record_of(game: str, options: str = "{}", seed: int = 0) -> dict:
    """The record of a game of random play."""
    recorder = Recorder(Position(game, json.loads(options)))
    stream = new_stream(recorder.position.game, seed)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return recorder.record()


def data_in(page: str) -> dict:
    """What a page holds, read as its script reads it."""
    (text,) = re.findall(r'<script type="application/octet-stream" id="data">([^<]*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(text)))


def drawings_in(data: dict) -> list[str]:
    """The drawings of a page, put together."""
    return ["".join(data["pieces"][piece] for piece in pieces) for pieces in data["drawings"]]


@each(FIRST)
def test_a_page_of_every_game_holds_all_views_and_stays_small(game, config):
    page = make_page([record_of(game)])
    data = data_in(page)
    (one,) = data["games"]
    players = Position(game).configuration.players
    assert [view["name"] for view in one["views"]] == [*(f"player_{seat}" for seat in range(players)), "public", "all"]
    assert len(page.encode()) < MOST_BYTES
    assert len(one["views"][-1]["frames"]) == len(record_of(game)["steps"]) + 1
    assert all(text.startswith("<svg") and text.endswith("</svg>\n") for text in drawings_in(data))


def test_a_page_asks_for_nothing_and_runs_nothing_but_its_own_script():
    page = make_page([record_of("brave_rats")])
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy and "http" not in policy
    outside = re.sub(r"http://www\.w3\.org/2000/svg", "", page)
    assert not re.findall(r"https?://|src=|@import|url\(|href=", outside)


def test_a_page_is_the_same_bytes_each_time():
    wish = Wish(explain="random", beliefs=True)
    assert make_page([record_of("brave_rats")], wish) == make_page([record_of("brave_rats")], wish)


def test_the_page_of_one_seat_holds_that_view_alone():
    record = record_of("comme_des_rats", '{"players": 3, "roles": true, "talk": true}')
    whole = page_data([record], Wish(explain="greedy", beliefs=True))
    (game,) = page_data([record], Wish(["player_1"], "greedy", True))["games"]
    (view,) = game["views"]
    assert view["name"] == "player_1"
    for frame, same in zip(view["frames"], whole["games"][0]["views"][1]["frames"], strict=True):
        assert not {"moment", "notation"} & set(frame)
        assert frame.get("decides", "player_1") == "player_1"
        assert {**frame, "drawings": 0} == {name: part for name, part in same.items() if name != "moment"} | {
            "drawings": 0
        }


def finish(recorder: Recorder) -> None:
    """Play a game to its end at random."""
    stream = new_stream(recorder.position.game, 5)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))


def test_a_choice_that_is_not_laid_open_yet_is_nowhere_in_the_page_of_the_other():
    """BraveRats: until player_1 chooses, the page for player_1 is the same whatever player_0 has chosen."""
    beginnings = []
    for card in ("prince", "wizard", "musician"):
        recorder = Recorder(Position("brave_rats"))
        recorder.apply(f"play {card}")
        recorder.apply("play general")
        finish(recorder)
        data = page_data([recorder.record()], Wish(["player_1"], "random", True))
        (view,) = data["games"][0]["views"]
        assert f"play {card}" not in json.dumps([frame["sentences"] for frame in view["frames"]])
        frames = view["frames"][: 1 + next(n for n, frame in enumerate(view["frames"]) if "decides" in frame)]
        drawings = drawings_in(data)
        pictures = [drawings[number] for frame in frames for number in frame["drawings"]]
        beginnings.append(json.dumps([frames, pictures]))
    assert len(set(beginnings)) == 1


def looks(record: dict, seat: int) -> list:
    """What a seat observes at every node, and what it is told of every step."""
    seen: list[bytes] = []
    final = replay(record, lambda position, _: seen.append(position.observe(seat).tobytes()))
    told = [event.seen_by(seat) for event in events(record)]
    return [seen, final.observe(seat).tobytes(), told, [step["actor"] == seat for step in record["steps"]]]


def changed(record: dict, number: int, action: str) -> dict | None:
    """The record with something else at one step, if all that follows can still happen and ends in the same way."""
    steps = [dict(step) for step in record["steps"]]
    steps[number]["action"] = action
    try:
        replay({**record, "steps": steps})
    except RecordError:
        return None
    return {**record, "steps": steps}


def unlike(record: dict, seed: int) -> Iterator[dict]:
    """The record with something else at one step, at many steps in turn."""
    possible: list[list[str]] = []
    replay(record, lambda at, _: possible.append([*at.chances()] if at.is_chance else at.legal()))
    for number in np.random.default_rng(seed).permutation(len(possible))[:MOST_CHANGED].tolist():
        others = [action for action in possible[number] if action != record["steps"][number]["action"]]
        yield from filter(None, (changed(record, number, action) for action in others[:2]))


@each(WITH_SECRETS_TO_THE_END)
def test_the_page_of_one_seat_is_the_same_whatever_that_seat_did_not_see(game, config):
    """Another thing happens somewhere in a whole game, unseen by one seat to the end: its page keeps every byte."""
    record = record_of(game, json.dumps(config))
    seats = range(len(record["scores"]))
    seen, pages = [looks(record, seat) for seat in seats], {}
    compared = 0
    for other in unlike(record, seed=0):
        for seat in seats:
            if compared < ENOUGH and looks(other, seat) == seen[seat]:
                wish = Wish([f"player_{seat}"], "random", True)
                pages[seat] = pages.get(seat) or make_page([record], wish)
                assert make_page([other], wish) == pages[seat]
                compared += 1
        if compared == ENOUGH:
            break
    assert compared == ENOUGH


def page_of_unfinished(recorder: Recorder, seat: int) -> tuple:
    """Drawing, beliefs and what an agent thinks, of a table in the eyes of a seat."""
    position = recorder.position
    game = position.game
    thought = None
    if position.actor == seat:
        explainer = Explainer(game, position.configuration, "random")
        thought = explainer.choice(position.state, int(np.flatnonzero(position.mask())[0]))
    return game.drawing(position.state, seat), beliefs(game, position.state, seat), thought


@each(FIRST)
def test_notes_of_a_seat_are_the_same_when_hidden_facts_are_replaced(game, config):
    recorder = Recorder(Position(game, config))
    stream = new_stream(recorder.position.game, 4)
    for _ in range(40):
        if recorder.position.is_over:
            break
        recorder.apply(recorder.position.sample(stream))
        if len(recorder.steps) % 8 == 0 and not recorder.position.is_over:
            for seat in range(recorder.position.configuration.players):
                other = Recorder(recorder.position.copy())
                other.position.determinize(seat, new_stream(recorder.position.game, 11))
                assert page_of_unfinished(recorder, seat) == page_of_unfinished(other, seat)


@pytest.mark.parametrize("agent", ["greedy", "random", "learnt"])
def test_what_an_agent_thinks_of_every_decision(agent):
    record = record_of("brave_rats")
    everything = page_data([record], Wish(["all"], agent))["games"][0]["views"][0]["frames"]
    choices = [frame["choice"] for frame in everything if "choice" in frame]
    assert len(choices) == sum(step["actor"] != "chance" for step in record["steps"])
    played = [step["action"] for step in record["steps"] if step["actor"] != "chance"]
    for choice, action in zip(choices, played, strict=True):
        assert choice["options"][choice["played"]][0] == action
        assert sum(share for _, share in choice["options"]) == pytest.approx(1, abs=0.01)
        assert choice["would"] is None
        assert (choice["value"] is None) == (agent in ("greedy", "random"))
        assert choice["value"] is None or -1 <= choice["value"] <= 1


class Silent(Agent):
    """An agent that gives no probabilities."""

    name = "silent"

    def act_batch(self, views):
        return views.masks.argmax(axis=1)


def test_an_agent_that_says_no_probabilities_is_asked_what_it_would_do(monkeypatch):
    monkeypatch.setattr("rat_envs.replays.explain.make_agent", lambda *_, **__: Silent(0))
    position = Position("brave_rats")
    choice = Explainer(position.game, position.configuration, "silent").choice(position.state, 3)
    assert choice["would"] == position.game.actions[int(position.mask().argmax())]
    assert choice["value"] is None and all(share is None for _, share in choice["options"])


def answering(policy, values=None):
    """An agent that gives these as probabilities and as returns, each a function of the views."""

    class Odd(Agent):
        name = "odd"
        policy_batch = staticmethod(policy)
        value_batch = staticmethod(values or (lambda views: None))

    return Odd(0)


@pytest.mark.parametrize(
    ("odd", "wrong"),
    [
        (
            answering(lambda views: views.masks * np.nan),
            r"no probabilities, but \[\[nan, .*: it must give finite numbers",
        ),
        (answering(lambda views: views.masks[:, :-1]), r"no probabilities, .*: it must .* of the shape \(1, 16\)\.$"),
        (answering(lambda views: None), r"no probabilities, but None: it must give finite numbers of the shape"),
        (
            answering(lambda views: -views.masks.astype(float)),
            r"no probabilities, but .*: it must give a number from 0 for each action, not 0 for all\.$",
        ),
        (
            answering(lambda views: views.masks, lambda views: [np.nan]),
            r"the return nan: it must be a finite number, or",
        ),
        (
            answering(lambda views: views.masks, lambda views: [0.5, 1]),
            r"the return \[0\.5, 1\.0\]: it must be one num",
        ),
    ],
)
def test_an_agent_whose_answers_no_page_could_show_is_named(monkeypatch, odd, wrong):
    monkeypatch.setattr("rat_envs.replays.explain.make_agent", lambda *_, **__: odd)
    with pytest.raises(IllegalActionError, match="^The agent odd (gives|expects) " + wrong):
        make_page([record_of("brave_rats")], Wish(explain="odd"))


def test_beliefs_are_shares_of_what_is_hidden():
    position = Position("brave_rats")
    position.apply("play prince")
    found = dict(beliefs(position.game, position.state, 1))
    assert list(found) == ["Yarg has chosen"]
    assert len(found["Yarg has chosen"]) == 6 and found["Yarg has chosen"][-1][0] == "others"
    assert sum(share for _, share in found["Yarg has chosen"]) == pytest.approx(1)
    assert beliefs(position.game, position.state, 0) == []


def test_beliefs_of_rattus_cartus_are_about_the_row_and_the_hands_of_others():
    position, about = Position("rattus_cartus"), set()
    stream = new_stream(position.game, 0)
    while not position.is_over:
        for name, shares in beliefs(position.game, position.state, 0):
            about.add(name)
            assert "player_0" not in name
            assert sum(share for _, share in shares) == pytest.approx(1, abs=0.01)
        position.apply(position.sample(stream))
    assert about >= {"row card 1", "player_1 has laid", "church cards in player_1's hand", "jokers in player_2's hand"}


def test_beliefs_of_a_game_that_says_nothing_are_fields_of_its_state():
    position = Position("brave_rats")
    position.apply("play prince")
    silent = dataclasses.replace(position.game, hidden_facts=None)
    ((name, shares),) = beliefs(silent, position.state, 1)
    assert name == "chosen [0]"
    assert sum(share for _, share in shares) == pytest.approx(1)


def test_nothing_in_a_record_becomes_part_of_the_page_as_html():
    record = json.loads(json.dumps(record_of("brave_rats")))
    record.update(title=NASTY, note=NASTY)
    record["steps"][0]["comment"] = NASTY
    assert make_page([record]) == make_page([record_of("brave_rats")])
    for change in (
        {"game": NASTY},
        {"config": {NASTY: 1}},
        {"scores": NASTY},
        {"winners": [NASTY]},
        {"steps": [NASTY]},
    ):
        with pytest.raises(RecordError):
            make_page([{**record, **change}])
    record["steps"][0]["action"] = NASTY
    with pytest.raises(RecordError, match="Step 1"):
        make_page([record])


def test_no_table_of_options_brings_a_text_of_its_own_into_the_page():
    from rat_envs.games.rattus.tables import default_map, default_tokens

    record = record_of("rattus", '{"players": 2}')
    tokens, board = default_tokens(), default_map()
    tokens[0]["id"] = board["tiers"]["light"][0] = NASTY
    for change in ({"tokens": tokens}, {"map": board}):
        with pytest.raises(RecordError):
            make_page([{**record, "config": {**record["config"], **change}}])


def test_how_many_games_a_page_shows():
    record = record_of("brave_rats")
    assert len(data_in(make_page([record] * 3))["games"]) == 3
    for number in (0, MOST_GAMES + 1):
        with pytest.raises(RecordError, match="a page shows from 1 to"):
            make_page([record] * number)


def test_a_notebook_shows_the_page_in_a_frame_that_may_only_run_its_script(tmp_path):
    shown_replay = show(record_of("brave_rats"), views=["public"])
    shown = shown_replay._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ')
    assert "<script" not in shown and shown.count("<") == 2
    shown_replay.save(tmp_path / "replay.html")
    assert (tmp_path / "replay.html").read_text() == shown_replay.html


def test_positions_and_environments_show_themselves():
    position = Position("brave_rats")
    position.apply("play prince")
    assert position._repr_svg_() == position.game.drawing(position.state, 1)
    env = rat_envs.make("brave_rats")
    assert env.unwrapped._repr_svg_().startswith("<svg")
    env.reset(seed=1)
    inner = env.unwrapped
    assert inner._repr_svg_() == inner.game.drawing(inner.game_state, 0)
    public = rat_envs.make("brave_rats", point_of_view="public").unwrapped
    public.reset(seed=1)
    assert public._repr_svg_() == public.game.drawing(public.game_state, None)
    parallel = rat_envs.make_parallel("brave_rats", point_of_view="player_1").unwrapped
    parallel.reset(seed=1)
    assert parallel._repr_svg_() == parallel.game.drawing(parallel.game_state, 1)


# The command


@pytest.fixture
def games(tmp_path):
    """A file with two games."""
    path = tmp_path / "games.jsonl"
    path.write_text("".join(json.dumps(record_of("brave_rats", seed=seed)) + "\n" for seed in (0, 1)))
    return path


def run(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_writes_a_page(games, tmp_path):
    out = tmp_path / "out.html"
    result = run("replay", games, "--html", out, "--explain", "random", "--beliefs")
    assert result.exit_code == 0 and str(out) in result.output
    data = data_in(out.read_text())
    assert len(data["games"]) == 2 and data["agent"] == "random"
    run("replay", games, "--html", out, "--game-number", 2, "--view", "player_1")
    (game,) = data_in(out.read_text())["games"]
    assert [view["name"] for view in game["views"]] == ["player_1"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("--view", "player_0"), "add --html FILE"),
        (("--quiet", "--html", "x.html"), "--quiet checks and writes nothing: leave it out beside --html and --gif."),
        (("--quiet", "--gif", "x.gif", "--game-number", "1"), "--quiet checks and writes nothing"),
        (("--html", "x.html", "--view", "player_7"), "There is no view 'player_7'"),
        (("--html", "x.html", "--game-number", "5"), "no game of that number"),
        (("--html", "x.html", "--explain", "clever"), "There is no agent 'clever'"),
    ],
)
def test_the_command_says_what_is_wrong(words, error, games, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("replay", games, *words)
    assert result.exit_code == 1 and isinstance(result.exception, RatEnvsError)
    assert error in str(result.exception)
    assert not (tmp_path / "x.html").exists()


def test_the_command_says_how_one_game_of_many_is_chosen(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text((json.dumps(record_of("brave_rats")) + "\n") * (MOST_GAMES + 1))
    error = str(run("replay", path, "--html", tmp_path / "x.html").exception)
    assert error == "More than 50 games: a page shows no more; choose one with --game-number N."
    one = run("replay", path, "--html", tmp_path / "x.html", "--game-number", 51)
    assert re.search(r"x.html: 1 game, 0\.0[1-9] MB\.", one.output)


def test_rounds_won_are_shown_up_to_those_needed():
    position = Position("brave_rats", {"fast": True})
    position.state.rounds_won[0] = 5
    for seat in (0, 1, None):
        assert "rounds won 3 of 3 [###]" in position.game.text(position.state, seat)
        assert "rounds won: 5" not in position.game.drawing(position.state, seat)
