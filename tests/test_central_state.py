"""``state()``, what all seats know together, as PettingZoo has it for centralised critics."""

from __future__ import annotations

import numpy as np
import pytest
from games_and_configurations import each_pair

import rat_envs
from rat_envs.api.view import NotResetError


def vectors(env) -> list[np.ndarray]:
    """What every seat observes."""
    return [env.observe(agent)["observation"] for agent in env.possible_agents]


@each_pair
def test_it_is_the_observations_of_all_seats(game, config):
    env = rat_envs.make(game, **config)
    env.reset(seed=3)
    for step, agent in enumerate(env.agent_iter()):
        state = env.state()
        assert state.dtype == np.int8 and env.state_space.contains(state)
        assert np.array_equal(state, np.concatenate(vectors(env)))
        if env.terminations[agent] or step == 30:
            break
        env.step(env.action_space(agent).sample())


@each_pair
def test_both_interfaces_have_it(game, config):
    alone, together = rat_envs.make(game, **config), rat_envs.make_parallel(game, **config)
    alone.reset(seed=5)
    observations, _ = together.reset(seed=5)
    assert alone.state_space == together.state_space
    assert np.array_equal(alone.state(), together.state())
    assert np.array_equal(together.state(), np.concatenate([each["observation"] for each in observations.values()]))


def test_it_tells_more_than_any_seat_knows():
    env = rat_envs.make("brave_rats")
    env.reset(seed=0)
    before, seen = env.state(), env.observe("player_1")["observation"]
    env.step(env.action_space("player_0").sample())
    assert np.array_equal(env.observe("player_1")["observation"], seen), "the choice is hidden from the other seat"
    assert not np.array_equal(env.state(), before)


def test_it_can_be_kept():
    env = rat_envs.make("rattus", players=2)
    env.reset(seed=0)
    kept = env.state()
    copied = kept.copy()
    env.step(env.action_space(env.agent_selection).sample())
    assert np.array_equal(kept, copied)


def test_there_is_none_before_the_first_game():
    with pytest.raises(NotResetError, match=r"call reset\(\) before state\(\)"):
        rat_envs.make("brave_rats").state()
