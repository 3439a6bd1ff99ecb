"""The story of a game that is played in an environment: the same as the one its record tells."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pettingzoo
import pytest
from games_and_configurations import each_pair

import rat_envs
from rat_envs import Narrator
from rat_envs.api.view import NotResetError
from rat_envs.engine.errors import ConfigurationError
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


def test_it_tells_only_what_it_has_seen_begin():
    env = rat_envs.make("brave_rats")
    for _ in range(2):
        with pytest.raises(NotResetError, match=r"^The narrator has not seen a game begin"):
            Narrator(env).step(0)
        with pytest.raises(NotResetError, match=r"^The narrator has not seen a game begin.* before agent_iter\(\)\.$"):
            Narrator(env).agent_iter()
        env.reset(seed=1)


def test_an_illegal_action_is_not_told():
    narrator = Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    with pytest.raises(rat_envs.engine.errors.IllegalActionError):
        narrator.step(15)
    assert narrator.events == []


@pytest.mark.parametrize("game", ["comme_des_rats", "rattus", "rattus_cartus"])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda narrator: pickle.loads(pickle.dumps(narrator))])
def test_a_copy_goes_on_as_the_narrator_itself_would(game, copied):
    narrator = Narrator(rat_envs.make(game))
    narrator.reset(seed=4)

    def go_on(narrator, moves):
        for _ in range(moves):
            agent = narrator.env.agent_selection
            narrator.step(int(narrator.env.infos[agent]["action_mask"].argmax()))

    go_on(narrator, 5)
    twin = copied(narrator)
    go_on(narrator, 20)
    before = twin.story()
    go_on(twin, 20)
    assert before == narrator.story()[: len(before)] and twin.story() == narrator.story()
    assert twin.events[-1].after.tobytes() == twin.env.game_state.tobytes() == narrator.env.game_state.tobytes()


def test_nothing_changes_behind_a_narrators_back():
    narrator = Narrator(rat_envs.make("rattus"))
    narrator.reset(seed=1)
    state, before = narrator.state_dict(), narrator.game_state.tobytes()
    with pytest.raises(ConfigurationError, match=r"^A narrator has not seen what led to a saved state"):
        narrator.load_state_dict(state)
    with pytest.raises(ConfigurationError, match=r"^A narrator tells what has happened, so nothing is replaced"):
        narrator.determinize("player_0", 1)
    assert narrator.game_state.tobytes() == before


def test_an_agent_that_is_not_there_is_told_nothing():
    narrator = Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    with pytest.raises(rat_envs.engine.errors.RatEnvsError, match="player_7") as raised:
        narrator.story("player_7")
    with pytest.raises(type(raised.value)) as own:
        narrator.env.seat_of("player_7")
    assert str(own.value) == str(raised.value)


def test_who_steps_after_all_have_left_is_told_so_by_the_environment():
    narrator = Narrator(rat_envs.make("brave_rats"))
    narrator.reset(seed=1)
    env = narrator.unwrapped
    while env.agents:
        over = env.terminations[env.agent_selection]
        narrator.step(None if over else int(env.infos[env.agent_selection]["action_mask"].argmax()))
    told = narrator.story()
    with pytest.raises(NotResetError, match=r"^No game is under way: call reset\(\) before step\(\)\.$"):
        narrator.step(None)
    assert narrator.story() == told


@pytest.mark.parametrize("illegal", ["random", "lose"])
def test_where_something_else_comes_of_illegal_actions_it_is_refused(illegal):
    with pytest.raises(rat_envs.engine.errors.ConfigurationError, match=f"illegal='{illegal}': a narrator"):
        Narrator(rat_envs.make("brave_rats", illegal=illegal))


def test_another_environment_is_refused():
    with pytest.raises(rat_envs.engine.errors.ConfigurationError, match=r"not of RatParallelEnv\.$"):
        Narrator(rat_envs.make_parallel("brave_rats"))


@each_pair
def test_it_is_a_wrapper_like_pettingzoos_own(game, config):
    narrator, bare = Narrator(rat_envs.make(game, **config)), rat_envs.make(game, **config)
    random = np.random.default_rng(3)
    for env in (narrator, bare):
        env.reset(seed=4)
    for agent in narrator.agent_iter():
        seen, *outcome = narrator.last()
        expected, *others = bare.last()
        assert agent == bare.agent_selection and outcome[:3] == others[:3]
        for name, array in seen.items():
            assert (array == expected[name]).all()
        assert (outcome[3]["action_mask"] == others[3]["action_mask"]).all()
        action = None if narrator.terminations[agent] else random.choice(np.flatnonzero(seen["action_mask"]))
        narrator.step(action)
        bare.step(action)
    assert not bare.agents and narrator.events
    assert isinstance(narrator, pettingzoo.AECEnv)
    assert narrator.action_space("player_0") == bare.action_space("player_0")
