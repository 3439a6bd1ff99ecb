"""States that come from outside as bytes: what a game can be at is taken, and nothing else, whatever the bytes are."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from games_and_configurations import EVERY, FIRST, PAIRS, each, each_pair

import rat_envs
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import CheckpointError
from rat_envs.engine.game import Game
from rat_envs.engine.position import new_stream
from rat_envs.engine.registry import get_game
from rat_envs.engine.states import demand_possible

#: Games at once, and steps, of walks through all that a game can be at.
GAMES, STEPS = (64, 400) if compiling() else (2, 25)
ALL = [(game, config) for game, configs in EVERY.items() for config in configs]


@each(ALL if compiling() else PAIRS)
def test_what_a_game_comes_to_is_possible_and_so_is_what_it_is_replaced_by(game, config):
    batch = Batch(game, GAMES, config, seed=7, auto_reset=False)
    program, stream = batch.program, new_stream(batch.game, 7)
    for step in range(STEPS):
        demand_possible(program, batch.states, batch.states["config"])
        playing = batch.actors >= 0
        if not playing.any():
            break
        if step % 5 == 0:
            rows = batch.states[playing].copy()  # resampled for one seat after the other
            for seat in range(batch.players[0]):
                program.determinize_rows(rows, np.full(len(rows), seat, np.int32), stream)
                demand_possible(program, rows, rows["config"])
        batch.step_random()


@each_pair
def test_a_state_comes_back_as_it_was(game, config):
    batch = Batch(game, 3, config, seed=3)
    for _ in range(30):
        batch.step_random()
        state = batch.get_state()
        other = Batch(game, 3, config, seed=4)
        other.set_state(state)
        assert other.get_state() == state


@each_pair
def test_random_bytes_are_refused_and_change_nothing(game, config):
    batch = Batch(game, 2, config, seed=1)
    before, random = batch.get_state(), np.random.default_rng(5)
    for _ in range(100):
        with pytest.raises(CheckpointError, match=r"^The saved state of .* is damaged"):
            batch.set_state(random.bytes(len(before)))
    assert batch.get_state() == before


@each(FIRST)
def test_a_field_out_of_its_range_is_named(game, config):
    batch = Batch(game, 2, config, seed=1)
    for name, (least, most) in batch.game.ranges.items():
        for wrong in (least - 1, most + 1):
            twin = copy.deepcopy(batch)
            if wrong == np.array(wrong).astype(twin.states[name].dtype):
                twin.states[name][1] = wrong
                with pytest.raises(CheckpointError, match=f"in game 1 the field '{name}' holds {wrong}"):
                    batch.set_state(twin.get_state())


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (b"", "A saved state of 0 bytes does not fit this batch of"),
        (b"x" * 10, "A saved state of 10 bytes does not fit"),
        (None, "A saved state must be bytes, not NoneType"),
        ("text", "A saved state must be bytes, not str"),
        ([1, 2], "A saved state must be bytes, not list"),
    ],
)
def test_what_is_no_state_is_refused(state, sentence):
    with pytest.raises(CheckpointError, match=f"^{sentence}"):
        Batch("brave_rats", 2, seed=1).set_state(state)


def test_a_state_of_another_configuration_is_refused():
    state = Batch("rattus", 1, {"players": 3}, seed=1).get_state()
    with pytest.raises(CheckpointError, match=r"^The saved state of Rattus is damaged, or of another configuration"):
        Batch("rattus", 1, {"players": 4}, seed=1).set_state(state)


def test_rewards_that_no_step_has_are_refused():
    for wrong in (np.nan, np.inf, -2):
        batch = Batch("brave_rats", 2, seed=1)
        batch.rewards[1, 0] = wrong
        with pytest.raises(CheckpointError, match="its rewards or its dones cannot be"):
            Batch("brave_rats", 2, seed=1).set_state(batch.get_state())


def test_masks_are_not_taken_from_bytes():
    """An action that only damaged bytes call legal could lead anywhere."""
    batch, right = Batch("rattus", 2, seed=1), Batch("rattus", 2, seed=1)
    batch.masks.flags.writeable = True  # as bytes are that somebody has damaged
    batch.masks[:] = 1
    batch.actors[:] = 0
    batch.observations[:] = 77
    right.set_state(batch.get_state())
    for name in ("masks", "actors", "observations"):
        assert (getattr(right, name) == getattr(Batch("rattus", 2, seed=1), name)).all()


def under_way(game: str, steps: int = 3):
    env = rat_envs.make(game)
    env.reset(seed=1)
    for _ in range(steps):
        env.step(int(np.flatnonzero(env.last()[4]["action_mask"])[0]))
    return env


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("agents", ["player_1", "player_0"]),
        ("agents", ["player_0"]),
        ("agents", ["player_0", "player_0"]),
        ("agents", "player_0"),
        ("agents", None),
        ("agent_selection", "player_9"),
        ("agent_selection", None),
        ("rewards", {}),
        ("rewards", {"player_0": 7.0, "player_1": 0.0}),
        ("rewards", {"player_0": "1", "player_1": 0.0}),
        ("_cumulative_rewards", {"player_0": float("nan"), "player_1": 0.0}),
        ("terminations", {"player_0": True, "player_1": True}),
        ("terminations", 3),
        ("truncations", {"player_0": True, "player_1": False}),
    ],
)
def test_what_does_not_fit_the_game_in_a_saved_environment_is_refused(name, wrong):
    env = under_way("brave_rats")
    state = env.state_dict()
    with pytest.raises(CheckpointError, match=f"its '{name}' are not those of its game"):
        env.load_state_dict({**state, name: wrong})
    assert env.state_dict() == state


def test_a_saved_environment_goes_on_after_its_end_too():
    env = under_way("brave_rats", 0)
    while env.agents:
        state = env.state_dict()
        again = rat_envs.make("brave_rats")
        again.load_state_dict(state)
        assert again.state_dict() == state and again.infos.keys() == env.infos.keys()
        mask = env.last()[4]["action_mask"]
        action = int(np.flatnonzero(mask)[0]) if mask.any() else None
        env.step(action)
        again.step(action)
        assert again.agents == env.agents


def test_every_game_of_ours_says_what_is_possible():
    for game in EVERY:
        declared: Game = get_game(game)
        assert list(declared.ranges) == list(declared.state.names[1:])
