"""Batches of any game: what fills the arrays, automatic reset, seeds, threads, saving, errors."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from stones import STONES

from rat_envs.engine import TERMINAL, Batch, register
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, UnknownNameError
from rat_envs.engine.registry import unregister


def test_every_row_can_have_its_own_configuration_and_number_of_players():
    configs = [{"players": 2 + i % 3, "pile": ("small", "large")[i % 2]} for i in range(60)]
    batch = Batch(STONES, 60, configs, seed=1)
    assert set(batch.states["stones"][1::2]) == {12}
    assert set(batch.states["stones"][::2]) <= {5, 6, 7}
    seen = np.zeros((60, 4), int)
    for _ in range(40):
        seen[np.arange(60), batch.actors] += 1
        batch.step_random()
    for i, config in enumerate(configs):
        assert (seen[i] > 0).sum() == config["players"]


def test_chance_has_its_weights():
    laid = Batch(STONES, 6000, seed=3).states["stones"]
    counts = np.array([(laid == stones).sum() for stones in (5, 6, 7)])
    expected = np.array([1000, 2000, 3000])
    assert ((counts - expected) ** 2 / expected).sum() < 13.8  # chi-squared, 2 degrees of freedom, 0.1 %


def test_automatic_reset_shows_the_new_game_and_pays_the_old_one():
    batch = Batch(STONES, 1, {"players": 2}, seed=5)
    batch.step([2])
    while not batch.dones[0]:
        batch.step([0])
    assert sorted(batch.rewards[0, :2]) == [-1, 1]
    assert batch.rewards[0, 2:].tolist() == [0, 0]
    assert batch.states["whisper"][0] == 0  # nothing is left of the old game
    assert batch.masks[0].tolist() == [0, 0, 1, 1, 1]
    batch.step([2])
    assert batch.dones[0] == 0
    assert not batch.rewards.any()


def test_without_automatic_reset_a_game_ends_and_waits():
    batch = Batch(STONES, 2, {"players": 2}, seed=5, auto_reset=False)
    for _ in range(20):
        batch.step_random()
    assert batch.actors.tolist() == [TERMINAL, TERMINAL]
    assert not batch.masks.any()
    assert not batch.observations.any()
    assert batch.actions.tolist() == [-1, -1]
    with pytest.raises(IllegalActionError, match=r"Game 1: action 0 comes after the game is over: reset first\."):
        batch.step([-1, 0])


def test_nobody_has_won_what_is_not_over():
    """After an automatic reset a new game stands there, in which somebody may already be ahead."""
    for auto_reset in (True, False):
        batch = Batch("rattus", 64, {"players": 2}, seed=0, auto_reset=auto_reset)
        for _ in range(400):
            batch.step_random()
            won = batch.winners()
            if auto_reset:
                assert not won.any()
            else:
                assert not won[batch.actors != TERMINAL].any()
                ended = batch.dones.astype(bool)
                assert np.array_equal(won[ended, :2] > 0, batch.rewards[ended, :2] >= 0)
        assert auto_reset or (batch.actors == TERMINAL).all()


@pytest.mark.parametrize("number", [-1, 4, 0.5])
def test_an_action_is_drawn_in_a_game_that_is_there(number):
    batch = Batch("brave_rats", 4, seed=0)
    with pytest.raises(ConfigurationError, match=f"^i={number}: must be"):
        batch.draw_legal(number)


def test_a_negative_action_leaves_its_game_alone():
    batch = Batch(STONES, 3, seed=2)
    before = batch.states.copy()
    batch.step([-1, 2, -1])
    assert before[0].tobytes() == batch.states[0].tobytes()
    assert before[2].tobytes() == batch.states[2].tobytes()
    assert batch.states["whisper"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("actions", [[2, 0, 2], [2, 5, 2], [2, 99, 2]])
def test_an_illegal_action_changes_no_game_and_is_explained(actions):
    batch = Batch(STONES, 3, seed=2)
    before = batch.states.tobytes()
    with pytest.raises(IllegalActionError) as caught:
        batch.step(actions)
    assert batch.states.tobytes() == before
    assert "Game 1: player_0 cannot take action" in str(caught.value)
    assert "legal are 2 (whisper 1), 3 (whisper 2), 4 (whisper 3)." in str(caught.value)


def test_nobody_else_says_what_is_legal():
    batch = Batch(STONES, 3, seed=0)
    for twin in (batch, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        with pytest.raises(ValueError, match="read-only"):
            twin.masks[:] = 1
        twin.step_random()
        assert twin.masks.any()


def test_game_i_of_a_batch_is_the_single_game_of_seed_plus_i():
    batch = Batch(STONES, 20, seed=100)
    singles = [Batch(STONES, 1, seed=100 + i) for i in range(20)]
    for _ in range(50):
        assert batch.states.tobytes() == b"".join(single.states.tobytes() for single in singles)
        for each in (batch, *singles):
            each.step_random()


def test_a_list_of_seeds_and_a_seed_from_the_operating_system():
    assert Batch(STONES, 2, seed=[7, 7]).streams[0] == Batch(STONES, 1, seed=7).streams[0]
    assert Batch(STONES, 1).streams[0]["key"] != Batch(STONES, 1).streams[0]["key"]
    with pytest.raises(ValueError, match="3 seeds for 2 games"):
        Batch(STONES, 2, seed=[1, 2, 3])


def test_reset_without_a_seed_goes_on_and_with_one_begins_again():
    batch = Batch(STONES, 50, seed=1)
    first = batch.states.tobytes()
    batch.reset()
    assert batch.states.tobytes() != first
    batch.reset(seed=1)
    assert batch.states.tobytes() == first


def test_one_thread_and_many_give_the_same_bytes():
    one, many = Batch(STONES, 5000, seed=1, threads=1), Batch(STONES, 5000, seed=1, threads=4)
    for _ in range(30):
        one.step_random()
        many.step_random()
    assert (
        one.get_state()[: one.n * one.program.bytes_per_game] == many.get_state()[: one.n * one.program.bytes_per_game]
    )


def test_compiled_and_interpreted_give_the_same_bytes():
    configs = [{"players": 2 + i % 3, "lose": bool(i % 2)} for i in range(30)]
    compiled, interpreted = Batch(STONES, 30, configs, seed=9), Batch(STONES, 30, configs, seed=9, compiled=False)
    for _ in range(40):
        assert compiled.get_state() == interpreted.get_state()
        compiled.step_random()
        interpreted.step_random()


def test_state_copies_and_pickles_go_on_alike():
    register(STONES)
    batch = Batch(STONES, 10, seed=4)
    for _ in range(3):
        batch.step_random()
    saved = batch.get_state()
    others = [copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(20):
        batch.step_random()
    end = batch.get_state()
    batch.set_state(saved)
    for each in (batch, *others):
        for _ in range(20):
            each.step_random()
        assert each.get_state() == end
    with pytest.raises(ValueError, match="does not fit this batch"):
        batch.set_state(saved[:-1])
    unregister("stones")


def test_observe_gives_any_seat_its_view():
    batch = Batch(STONES, 4, {"players": 2}, seed=4)
    batch.step([2, 3, 4, 2])
    assert batch.observe(0)[:, 2].tolist() == [1, 2, 3, 1]
    assert batch.observe(1)[:, 2].tolist() == [0, 0, 0, 0]
    assert batch.observe([0, 1, 0, 1])[:, 2].tolist() == [1, 0, 3, 0]
    assert batch.observe_one(2, 0).tolist() == batch.observe(0)[2].tolist()


def test_wrong_names_and_options_are_one_sentence():
    with pytest.raises(UnknownNameError, match=r"There is no game 'bones': the games are .*brave_rats"):
        Batch("bones")
    with pytest.raises(ConfigurationError, match=r"players=7: must be a whole number from 2 to 4\."):
        Batch(STONES, 1, {"players": 7})
    with pytest.raises(ConfigurationError, match=r"lose=1: must be true or false\."):
        Batch(STONES, 1, {"lose": 1})
    with pytest.raises(ConfigurationError, match=r"pile=\"huge\": must be one of small, large\."):
        Batch(STONES, 1, {"pile": "huge"})
    with pytest.raises(ConfigurationError, match="Unknown option colour: the options are players, lose, pile"):
        Batch(STONES, 1, {"colour": 1})
    with pytest.raises(ValueError, match="2 configurations for 3 games"):
        Batch(STONES, 3, [{}, {}])


def test_what_steps_one_game_keeps_its_memory():
    batch = Batch("brave_rats", 1, seed=0)
    memory, step_one = weakref.ref(batch._arena), batch.step_one
    del batch
    gc.collect()
    assert memory() is not None and step_one is not None
    del step_one
    gc.collect()
    assert memory() is None
