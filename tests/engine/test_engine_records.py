"""Positions and records of any game, and everything that can be wrong with a record."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from stones import STONES

from rat_envs.engine import register
from rat_envs.engine.errors import IllegalActionError, RecordError
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder, read_records, replay
from rat_envs.engine.registry import unregister


@pytest.fixture
def record():
    register(STONES)
    recorder = Recorder(Position(STONES, {"players": 2}), options=True)
    for action in ("lay 5", "whisper 2", "take 2", "take 2", "take 1"):
        recorder.apply(action)
    yield recorder.record()
    unregister("stones")


def test_a_record_says_everything(record):
    assert record["format"] == "rat-record/1"
    assert (record["game"], record["version"]) == ("stones", 3)
    assert record["config"] == {"players": 2, "lose": False, "pile": "small"}
    assert record["steps"][0] == {"actor": "chance", "action": "lay 5", "options": {"lay 5": 1, "lay 6": 2, "lay 7": 3}}
    assert record["steps"][2] == {"actor": 0, "action": "take 2", "options": ["take 1", "take 2"]}
    assert (record["returns"], record["scores"], record["winners"]) == ([1, -1], [1, 0], [0])
    assert replay(json.loads(json.dumps(record))).is_over


def test_a_record_says_who_played_and_how_the_game_is_found(record):
    recorder = Recorder(Position(STONES, {"players": 2}), options=True)
    for step in record["steps"]:
        recorder.apply(step["action"])
    about = {"agents": ["greedy", "me"], "match": 2, "deal": 0}
    said = recorder.record(about)
    assert said == {**record, **about} and replay(json.loads(json.dumps(said))).is_over


def broken(record, **changes):
    other = copy.deepcopy(record)
    other.update(changes)
    return other


def with_step(record, number, **changes):
    other = copy.deepcopy(record)
    other["steps"][number].update(changes)
    return other


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda r: broken(r, game="bones"), "There is no game 'bones'"),
        (lambda r: broken(r, version=2), r"The record is of version 2 of stones, not of 3\."),
        (lambda r: broken(r, config={"players": 9}), "players=9: must be a whole number from 2 to 4"),
        (lambda r: broken(r, config=[1]), "must be a mapping"),
        (lambda r: broken(r, steps=None), "The record has no list of steps"),
        (lambda r: broken(r, steps=r["steps"][:-1]), "not over after its 4 steps: player_0 is to act"),
        (lambda r: broken(r, steps=[*r["steps"], r["steps"][-1]]), "Step 6: the game is over before this step"),
        (lambda r: broken(r, steps=["take 1"]), "Step 1: must be an object with an actor and an action"),
        (lambda r: with_step(r, 0, actor=0), "Step 1: the actor is 0, but chance is to act"),
        (lambda r: with_step(r, 1, actor=False), "Step 2: the actor is False, but player_0 is to act"),
        (lambda r: with_step(r, 2, actor=1), "Step 3: the actor is 1, but player_0 is to act"),
        (
            lambda r: with_step(r, 2, action="take 3"),
            "Step 3: player_0 cannot do 'take 3' here; possible",
        ),
        (lambda r: with_step(r, 2, options=["take 1"]), r"Step 3: the options are \[\"take 1\"\], but the rules say"),
        (lambda r: with_step(r, 0, options={"lay 5": 1}), "Step 1: the options are"),
        (
            lambda r: broken(r, returns=[-1, 1]),
            r"The record's returns are \[-1, 1\], but the game ends with",
        ),
        (lambda r: broken(r, scores=[0, 0]), "The record's scores are"),
        (lambda r: broken(r, winners=[]), "The record's winners are"),
        (lambda r: broken(r, winners=[False]), "The record's winners are"),
        (lambda r: broken(r, returns=[True, -1]), "The record's returns are"),
        (lambda r: broken(r, scores={"0": 1, "1": 0}), "The record's scores are"),
        (lambda r: broken(r, version=True), "The record is of version True of stones"),
        (lambda r: with_step(r, 0, options={"lay 5": True, "lay 6": 2, "lay 7": 3}), "Step 1: the options are"),
        (lambda r: broken(r, format="rat-game/1"), r"The record is of format 'rat-game/1': 'rat-record/1' is needed\."),
        (
            lambda r: broken(r, agents=["greedy"]),
            r"The record's agents are \['greedy'\]: they must be 2 names, one for",
        ),
        (lambda r: broken(r, agents="ab"), "The record's agents are 'ab'"),
        (lambda r: broken(r, agents=["greedy", None]), "The record's agents are"),
        (lambda r: broken(r, seed=True), "The record's seed is True: it must be a whole number from 0"),
        (lambda r: broken(r, deal=-1), "The record's deal is -1"),
        (lambda r: broken(r, match="0"), "The record's match is '0'"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_in_a_sentence(record, change, sentence):
    with pytest.raises(RecordError, match=sentence):
        replay(change(record))


def test_lines_that_are_no_records(record):
    good = json.dumps(record)
    assert [number for number, _ in read_records([good, "\n", good])] == [1, 3]
    with pytest.raises(RecordError, match=r"Line 2: not JSON .* is it cut off\?"):
        list(read_records([good, good[:50]]))
    with pytest.raises(RecordError, match="Line 1: not a record of the format 'rat-record/1'"):
        list(read_records(['{"format": "other"}']))


def test_actions_by_number_are_recorded_in_notation(record):
    recorder = Recorder(Position(STONES, {"players": 2}), options=True)
    for step in record["steps"]:
        numbers = STONES.outcome_numbers if step["actor"] == "chance" else STONES.action_numbers
        recorder.apply(np.int64(numbers[step["action"]]))
    assert recorder.record() == record
    assert replay(json.loads(json.dumps(recorder.record()))).is_over


def test_what_cannot_happen_is_not_recorded(record):
    recorder = Recorder(Position(STONES, {"players": 2}))
    for wrong in (17, -1, "take 1"):
        with pytest.raises(IllegalActionError, match="chance cannot do"):
            recorder.apply(wrong)
    assert recorder.steps == []


def test_a_game_that_is_not_over_has_no_record():
    recorder = Recorder(Position(STONES, {"players": 2}))
    with pytest.raises(RecordError, match=r"^The game is not over after its 0 steps: chance is to act\.$"):
        recorder.record()
    recorder.apply("lay 5")
    with pytest.raises(RecordError, match=r"^The game is not over after its 1 steps: player_0 is to act\.$"):
        recorder.record()


@pytest.mark.parametrize(
    "twin_of", [Position.copy, copy.copy, copy.deepcopy, lambda position: pickle.loads(pickle.dumps(position))]
)
def test_a_state_that_is_assigned_is_copied_and_goes_with_copies(twin_of):
    there, here = Position("brave_rats"), Position("brave_rats")
    there.apply("play spy")
    here.state = there.state
    before = here.state.tobytes()
    assert before == there.state.tobytes() and here.actor == 1
    there.apply("play prince")
    assert here.state.tobytes() == before == twin_of(here).state.tobytes()
    twin_of(here).apply("play prince")
    assert here.state.tobytes() == before


def test_a_position_says_whose_turn_it_is():
    position = Position(STONES, {"players": 2})
    said = [repr(position)]
    for action in ("lay 5", "whisper 2", "take 2", "take 2", "take 1"):
        position.apply(action)
        said.append(repr(position))
    assert said[:2] == [f"<Position of {STONES.title}: {who} is to act>" for who in ("chance", "player_0")]
    assert said[-1] == f"<Position of {STONES.title}: it is over>"


def test_positions_check_refuse_and_copy():
    position = Position(STONES, {"players": 2})
    with pytest.raises(IllegalActionError, match="chance cannot do 'take 1' here; possible are lay 5, lay 6, lay 7"):
        position.apply("take 1")
    position.apply("lay 6")
    other = position.copy()
    other.apply("whisper 1")
    assert position.legal() == ["whisper 1", "whisper 2", "whisper 3"]
    assert other.legal() == ["take 1", "take 2"]
    before = other.state.tobytes()
    for wrong in (17, -1, "whisper 1"):
        with pytest.raises(IllegalActionError, match=f"player_0 cannot do {wrong!r} here; possible are take 1, take 2"):
            other.apply(wrong)
        assert other.state.tobytes() == before


def test_equal_seeds_sample_equal_games_compiled_or_not():
    def play(compiled):
        position, stream, moves = Position(STONES, None, compiled), new_stream(STONES, 11, compiled), []
        while not position.is_over:
            moves.append(position.sample(stream))
            position.apply(moves[-1])
        return moves

    assert play(True) == play(True) == play(False)
