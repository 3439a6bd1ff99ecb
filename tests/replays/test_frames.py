"""What each view of a replay shows, and that its frames give nothing away."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from games_and_configurations import PAIRS, each

from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import CHANCE
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.records import Recorder
from rat_envs.engine.story import witness
from rat_envs.replays.frames import Played, checked_views, view_names

#: Nodes that may lie between two that are compared, and nodes of a game that are looked at.
DEEPEST, LOOKED_AT = 2, 12
#: Acts at a node that are tried, and how many of the nodes of a game are looked at.
MOST_WAYS, SHARE_LOOKED_AT = 4, 0.5


#: Every game in the configuration with the most secrets.
LOOKED_THROUGH = [pair for pair in PAIRS if pair[1].get("players") == 3 or pair[1].get("emperor")] + [PAIRS[-2]]


@functools.cache
def replay_of(number: int) -> Played:
    """A game of random play in one of these configurations; kept, as drawing takes its time."""
    return Played(played(*LOOKED_THROUGH[number]))


def played(game: str, config: dict, seed: int = 0) -> dict:
    """The record of a game of random play."""
    recorder, stream = Recorder(Position(game, config)), new_stream(Position(game, config).game, seed)
    while not recorder.position.is_over:
        recorder.apply(recorder.position.sample(stream))
    return recorder.record()


@each(LOOKED_THROUGH)
def test_every_view_goes_from_the_first_node_to_the_last(game, config):
    replay = replay_of(LOOKED_THROUGH.index((game, config)))
    last = len(replay.rows) - 1
    for view in view_names(replay.players):
        frames = replay.frames(view)
        assert frames[0].node == 0 and frames[-1].node == last
        for before, after in itertools.pairwise(frames):
            assert before.node < after.node
        assert all(frame.drawings and drawing.startswith("<svg") for frame in frames for drawing in frame.drawings)
    assert len(replay.frames("all")) == last + 1
    assert all(frame.notation for frame in replay.frames("all")[1:])


@each(LOOKED_THROUGH)
def test_a_seat_is_told_all_of_its_story_and_sees_all_of_its_decisions(game, config):
    replay = replay_of(LOOKED_THROUGH.index((game, config)))
    for seat in range(replay.players):
        frames = replay.frames(f"player_{seat}")
        told = [sentence for frame in frames for sentence in frame.sentences]
        assert told == [sentence for event in replay.events for sentence in event.seen_by(seat)]
        decisions = {node for node, actor in enumerate(replay.actors) if actor == seat}
        assert decisions <= {frame.node for frame in frames}
        assert not any(frame.notation for frame in frames)


@each(LOOKED_THROUGH)
def test_every_frame_says_what_has_happened_or_asks_for_a_decision(game, config):
    """Half of an act, as where cubes are taken up, is joined with the other half."""
    replay = replay_of(LOOKED_THROUGH.index((game, config)))
    for view in view_names(replay.players)[:-1]:
        for frame in replay.frames(view)[1:-1]:
            assert frame.sentences or f"player_{replay.actors[frame.node]}" == view


@each(LOOKED_THROUGH)
def test_drawings_and_frames_stay_as_they_are_when_hidden_facts_are_replaced(game, config):
    replay = replay_of(LOOKED_THROUGH.index((game, config)))
    stream = new_stream(replay.game, 3)
    nodes = np.random.default_rng(0).permutation(len(replay.rows) - 1)[:LOOKED_AT]
    for node in nodes.tolist():
        for seat in range(replay.players):
            table = np.asarray(replay.rows[node]).reshape(1).copy().view(replay.game.state)
            position = Position(replay.game, replay.configuration)
            position.program.determinize_rows(table, np.array([seat]), stream)
            assert replay.game.drawing(table[0], seat) == replay.drawing(node, seat)
            assert replay.game.asks_openly(table[0], seat) == replay.game.asks_openly(replay.rows[node], seat)


def ways_on(position: Position, seat: int, first: int, deepest: int) -> Iterator[tuple[Position, list, list]]:
    """Where ``first`` and then up to ``deepest`` acts of others lead: the table, sentences and frames of each way."""
    there = position.copy()
    told = witness(there, first).seen_by(seat)
    openly = there.game.asks_openly(there.state, seat)
    frames = [(there.observe(seat).tobytes(), tuple(told))] if openly else []  # drawings are made of observations
    yield there, told, frames
    if deepest and not there.is_over and there.actor not in (CHANCE, seat):
        for action in np.flatnonzero(there.mask())[:MOST_WAYS].tolist():
            for further, more, later in ways_on(there, seat, action, deepest - 1):
                yield further, told + more, joined(told, frames, later)


def joined(told: list, frames: list, later: list) -> list:
    """Frames one after another; sentences without a frame of their own stand in the next, and empty ones fall away."""
    if not later:
        return frames
    if not frames:
        (look, sentences), *rest = later
        return [(look, tuple(told) + sentences), *rest]
    return frames + [frame for frame in later if frame[1] or frame[0] != frames[-1][0]]


@each([pair for pair in PAIRS if pair[0] == "comme_des_rats"][2:])
def test_the_number_of_frames_does_not_tell_whether_another_was_asked(game, config):
    """From tables that look alike to a seat, the same act, further acts in between or none, to tables that look alike:
    where the seat was told the same, it saw equal frames."""
    compared = 0
    position, stream = Position(game, config), new_stream(Position(game, config).game, 2)
    random = np.random.default_rng(0)
    while not position.is_over:
        name = position.sample(stream)
        if not position.is_chance and random.random() < SHARE_LOOKED_AT:
            for seat in range(position.configuration.players):
                compared += same_frames(position, seat, position.game.action_numbers[name])
        position.apply(name)
    assert compared


def same_frames(position: Position, seat: int, action: int) -> int:
    """How many ways on were compared with others that look alike to the seat in the end."""
    found: dict[tuple, list] = {}
    number = 0
    for key in range(3):
        table = position.copy()
        if key:
            table.determinize(seat, new_stream(position.game, key))
        if table.actor != position.actor or not table.mask()[action]:
            continue
        for there, told, frames in ways_on(table, seat, action, DEEPEST):
            if there.is_over or not there.game.asks_openly(there.state, seat):
                continue
            alike = there.copy()
            alike.determinize(seat, new_stream(position.game, 7))
            look = (alike.state.tobytes(), tuple(told))
            number += look in found
            assert frames == found.setdefault(look, frames), (seat, position.game.actions[action], told)
    return number


def test_a_view_that_is_not_there():
    assert checked_views(["all", "player_1"], 2) == ["player_1", "all"]
    assert checked_views(None, 2) == ["player_0", "player_1", "public", "all"]
    with pytest.raises(ConfigurationError, match="There is no view 'player_2': the views are player_0, player_1"):
        checked_views(["player_2"], 2)
