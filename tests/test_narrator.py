"""The story of a game that is played in an environment: the same as the one its record tells."""

from __future__ import annotations

import numpy as np
import pytest
from games_and_configurations import each_pair

import rat_envs
from rat_envs import Narrator
from rat_envs.engine.story import story


@each_pair
def test_a_narrator_tells_what_happens_in_the_environment(game, config):
    env = rat_envs.make(game, **config)
    narrator, random = Narrator(env), np.random.default_rng(1)
    for seed in (3, None):
        narrator.reset(seed)
        for _ in range(60):
            if env.terminations[env.agent_selection]:
                break
            mask = env.infos[env.agent_selection]["action_mask"]
            narrator.step(int(random.choice(np.flatnonzero(mask))))
            assert narrator.events[-1].after.tobytes() == env.game_state.tobytes()
    seats = {agent: story(narrator.events, seat) for seat, agent in enumerate(env.possible_agents)}
    assert {agent: narrator.story(agent) for agent in env.possible_agents} == seats
    assert len(narrator.story()) > 3


def test_an_illegal_action_is_not_told():
    narrator = Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    with pytest.raises(rat_envs.engine.errors.IllegalActionError):
        narrator.step(15)
    assert narrator.events == []


def test_another_environment_is_refused():
    with pytest.raises(TypeError, match=r"not of RatParallelEnv\.$"):
        Narrator(rat_envs.make_parallel("brave_rats"))
