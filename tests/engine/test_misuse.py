"""What Python hands to compiled code: nonsense gets a sentence, and a forked process goes on."""

from __future__ import annotations

import json
import multiprocessing
import os
from typing import Any

import numpy as np
import pytest

import rat_envs
from rat_envs.agents import make_agent
from rat_envs.agents.random import RandomAgent
from rat_envs.api.learner import LearnerGames
from rat_envs.api.single import RatSingleEnv
from rat_envs.api.view import NotResetError
from rat_envs.arena import gather, make_plan, mean_estimate, play_match, play_on, rate_estimate
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError, IllegalActionError, UnknownNameError, UnknownOptionError
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game
from rat_envs.engine.story import story, witness
from rat_envs.testing import check_agent, leak_test

EVENTS = [witness(Position("brave_rats", compiled=False), "play spy")]


def begin_at_what_is_seen(env: Any) -> None:
    """What a critic is given, in place of the whole game."""
    env.reset(seed=0)
    env.reset(options={"state": env.state()})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Batch("brave_rats", 0), "n=0: must be a whole number from 1 to 10000000"),
        (lambda: Batch("brave_rats", -3), "n=-3: must be a whole number from 1 to 10000000"),
        (lambda: Batch("brave_rats", 2.5), "n=2.5: must be a whole number from 1 to 10000000"),
        (lambda: Batch("brave_rats", 2, threads=-1), "threads=-1: must be a whole number from 1 to 10000000"),
        (lambda: Batch("brave_rats", 2, seed=-1), "seed=-1: must be a whole number from 0 to 18446744073709551615"),
        (lambda: Batch("brave_rats", 2, seed=2**64), "seed=18446744073709551616: must be a whole number"),
        (lambda: Batch("brave_rats", 2, seed=[1, -1]), "seed=-1: must be a whole number from 0"),
        (lambda: Batch("brave_rats", 2, seed=0.5), "seed=0.5: must be a whole number from 0"),
        (lambda: Batch("brave_rats", 2).observe(0, np.array([10**6])), "games=1000000: must be from 0 to 1"),
        (lambda: Batch("brave_rats", 2).observe(0, np.array([-1])), "games=-1: must be from 0 to 1"),
        (lambda: make_plan("brave_rats", "random"), "agents='random': must be a list of two or more"),
        (lambda: play_match("brave_rats", [RandomAgent] * 2), "<class 'rat_envs.agents.random.RandomAgent'> cannot"),
        (lambda: play_match("brave_rats", [None, "random"]), "None cannot play: name an agent, or give an object of a"),
        (lambda: play_match("brave_rats", ["random"] * 2, games="4"), "games='4': must be a whole number"),
        (lambda: play_match("brave_rats", ["random"] * 2, games=5.5), "games=5.5: must be a whole number"),
        (lambda: check_agent(RandomAgent, "brave_rats"), "<class 'rat_envs.agents.random.RandomAgent'> cannot"),
        (lambda: gather("brave_rats", "random", lambda batch: batch.actors == 0, games=0), "games=0: must be a whole"),
        (lambda: play_on("brave_rats", Batch("brave_rats").states[:0], "random"), "rows: must be one or more records"),
        (lambda: play_on("brave_rats", [1], "random"), "rows: must be one or more records of BraveRats"),
        (lambda: LearnerGames("brave_rats", ["random"], 2, [{}, {}]), "config=[{}, {}]: must be one configuration"),
        (lambda: Batch("brave_rats", 1).observe([0, 1, 0]), "seats: must be one number, or one for each game"),
        (lambda: Batch("brave_rats", 2).observe(99), "seats=99: must be from 0 to 1"),
        (lambda: Batch("rattus", 2, {"players": 3}).observe([0, 3]), "seats=3: must be from 0 to 2"),
        (lambda: Batch("brave_rats", 2).observe(0, np.array([0.5])), "games: must be whole numbers, not float64"),
        (lambda: Batch("brave_rats", 2).observe_one(10**7, 0), "i=10000000: must be from 0 to 1"),
        (lambda: Batch("brave_rats", 2).observe_one(0, 2), "seat=2: must be from 0 to 1"),
        (lambda: Batch("brave_rats", 2).observe_one(-1, 0), "i=-1: must be from 0 to 1"),
        (
            lambda: Batch("brave_rats", 2).begin_at(
                Position(get_game("brave_rats"), get_game("brave_rats").configuration.make({"fast": True})).state
            ),
            "state: is of another configuration than game 0.",
        ),
        (
            lambda: Batch("brave_rats", 3, [{}, {"fast": True}, {}]).begin_at(Position("brave_rats").state),
            "state: is of another configuration than game 1.",
        ),
        (lambda: rat_envs.Narrator(rat_envs.make("brave_rats")).reset(options=5), "options=5: must be options by name"),
        (lambda: rat_envs.make("brave_rats").reset(options=5), "options=5: must be options by name"),
        (lambda: rat_envs.Narrator(rat_envs.make("brave_rats")).reset(seed=-1), "seed=-1: must be a whole number"),
        (lambda: rat_envs.Narrator(rat_envs.make_parallel("brave_rats")), "A narrator tells of AEC environments"),
        (lambda: rat_envs.Narrator("brave_rats"), "A narrator tells of AEC environments of rat games, not of str"),
        (lambda: rat_envs.make("brave_rats").reset(seed=-1), "seed=-1: must be a whole number from 0"),
        (lambda: rat_envs.make_vec("brave_rats").reset(seed=True), "seed=True: must be a whole number from 0"),
        (lambda: rat_envs.make_vec("brave_rats", 2).reset(seed=[1, 2]), "seed=[1, 2]: must be a whole number from 0"),
        (lambda: rat_envs.make("brave_rats", flat=2), "flat=2: must be True or False."),
        (lambda: rat_envs.make_vec("brave_rats", flat=None), "flat=None: must be True or False."),
        (lambda: RatSingleEnv("brave_rats", flat="no"), "flat='no': must be True or False."),
        (lambda: rat_envs.make("brave_rats").reset(options={"state": 5}), "state=5: must be a record of BraveRats"),
        (lambda: rat_envs.make_parallel("rattus").reset(options={"state": []}), "state=[]: must be a record of Rattus"),
        (lambda: begin_at_what_is_seen(rat_envs.make("rattus")), "state: env.state() is what all seats see together, "),
        (lambda: leak_test(rat_envs.make("brave_rats"), positions=0), "positions=0: must be a whole number from 1"),
        (lambda: check_agent("random", "brave_rats", positions=-5), "positions=-5: must be a whole number from 1"),
        (lambda: mean_estimate(np.array([])), "by_deal: must be at least one value, and there is none."),
        (lambda: rate_estimate(np.array([]), 2), "by_deal: must be at least one value, and there is none."),
        (lambda: make_agent("ismcts:ms=10,sims=5", "brave_rats"), "sims and ms: give one of them"),
        (lambda: story(EVENTS, "player_0"), "seat='player_0': must be from 0 to 1, or None for a spectator."),
        (lambda: story(EVENTS, 5), "seat=5: must be from 0 to 1, or None for a spectator."),
        (lambda: setattr(Position("brave_rats"), "state", None), "state=None: must be a record of BraveRats"),
        (
            lambda: setattr(Position("brave_rats"), "state", Position("brave_rats", {"fast": True}).state),
            "state: is of another configuration.",
        ),
        (lambda: rat_envs.make("brave_rats").reset(seed=2**64), "seed=18446744073709551616: must be"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(call, sentence):
    with pytest.raises(ConfigurationError) as error:
        call()
    assert str(error.value).startswith(sentence) and "\n" not in str(error.value)


def test_options_that_are_numbers_of_numpy_can_be_written_down():
    game = get_game("rattus_cartus")
    made = game.configuration.make({"players": np.int64(3), "fewest_rats_survive": np.bool_(True)})
    assert (
        json.loads(json.dumps(made.to_dict()))
        == game.configuration.make({"players": 3, "fewest_rats_survive": True}).to_dict()
    )


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int64])
def test_actions_that_32_bits_cannot_hold_are_illegal(dtype):
    batch = Batch("brave_rats", 2, seed=0)
    with pytest.raises(IllegalActionError, match=r"^Game 0: player_0 cannot take action"):
        batch.step(np.array([2**31 + 5, 2**31 + 5]).astype(dtype))


def test_the_action_that_was_given_is_named():
    batch = Batch("brave_rats", 2, seed=0)
    for actions in (99, [0, 99], np.array([2**40, 0])):
        with pytest.raises(IllegalActionError, match=f"cannot take action {np.max(actions)};"):
            batch.step(actions)


def test_of_a_game_that_is_over_no_action_is_drawn():
    batch = Batch("brave_rats", 1, seed=0, auto_reset=False)
    while batch.actors[0] >= 0:
        batch.step_random()
    with pytest.raises(IllegalActionError, match=r"^Game 0: there is no legal action to draw\.$"):
        batch.draw_legal(0)


@pytest.mark.parametrize("maker", [rat_envs.make, rat_envs.make_parallel, rat_envs.make_vec])
def test_a_keyword_that_is_no_option_is_one_error_everywhere(maker):
    with pytest.raises(UnknownOptionError, match=r"^Unknown option "):
        maker("brave_rats", speed=3)


def test_the_package_lists_what_it_has():
    assert set(rat_envs.__all__) <= set(dir(rat_envs))
    assert all(getattr(rat_envs, name).__name__ == name for name in rat_envs.__all__)


def step_in_child(sender):
    batch = Batch("brave_rats", 4096, seed=1)
    batch.step_random()
    sender.send(int(batch.actions.sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_has_threads_of_its_own():
    here = Batch("brave_rats", 4096, seed=1, threads=2)
    here.step_random()
    receiver, sender = multiprocessing.Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=step_in_child, args=(sender,))
    child.start()
    assert receiver.poll(60), "it waits for ever"
    assert receiver.recv() == int(here.actions.sum())
    child.join()


def ended(env):
    """The environment after its last agent has left."""
    env.reset(seed=1)
    while env.agents:
        mask = env.last()[4]["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]) if mask.any() else None)
    return env


#: What asks for a game under way.
BEFORE_RESET = {
    "observe": lambda env: env.observe("player_0"),
    "agent_iter": lambda env: env.agent_iter(),
    "last": lambda env: env.last(),
    "step": lambda env: env.step(0),
    "render": lambda env: env.render(),
    "legal_for": lambda env: env.legal_for("player_0"),
    "state_dict": lambda env: env.state_dict(),
    "determinize": lambda env: env.determinize("player_0", 1),
}


@pytest.mark.parametrize("name", BEFORE_RESET)
def test_before_the_first_reset_it_is_asked_for(name):
    with pytest.raises(NotResetError, match=rf"^No game is under way: call reset\(\) before {name}\(\)\.$"):
        BEFORE_RESET[name](rat_envs.make("brave_rats", render_mode="ansi"))


@pytest.mark.parametrize("name", ["render", "legal_for", "state_dict", "determinize"])
def test_before_the_first_reset_a_parallel_environment_asks_for_it_too(name):
    with pytest.raises(NotResetError, match=rf"^No game is under way: call reset\(\) before {name}\(\)\.$"):
        BEFORE_RESET[name](rat_envs.make_parallel("brave_rats", render_mode="ansi"))


def test_before_the_first_reset_nobody_plays():
    env = rat_envs.make("brave_rats")
    assert (env.agents, env.rewards, env.infos, env.terminations) == ([], {}, {}, {})
    with pytest.raises(IllegalActionError, match=r"^No seat is to act: the game is over, or none has begun\. Call"):
        make_agent("greedy", "brave_rats").act(env)


def test_after_a_game_that_an_illegal_action_ended_nobody_plays():
    env = rat_envs.make("brave_rats", illegal="lose")
    env.reset(seed=1)
    env.step(15)
    with pytest.raises(IllegalActionError, match=r"^No seat is to act: the game is over, or none has begun\. Call"):
        make_agent("greedy", "brave_rats").act(env)


def test_a_leak_test_is_of_agents_that_act_by_turns():
    env = rat_envs.make_parallel("brave_rats")
    with pytest.raises(ConfigurationError, match="it must be a PettingZoo AEC environment with determinize"):
        leak_test(env, positions=1)


@pytest.mark.parametrize("name", ["last", "step"])
def test_after_the_end_a_reset_is_asked_for(name):
    with pytest.raises(NotResetError, match=rf"^No game is under way: call reset\(\) before {name}\(\)\.$"):
        BEFORE_RESET[name](ended(rat_envs.make("brave_rats")))


def test_after_the_end_all_can_still_be_seen():
    env = ended(rat_envs.make("brave_rats", render_mode="ansi"))
    assert env.observe("player_1")["observation"].any()
    assert not env.legal_for("player_1").any()
    assert "player_0" in env.render() or env.render()


@pytest.mark.parametrize("agent", ["player_2", "player_-1", "", 0, None, [1], "x" * 10_000])
@pytest.mark.parametrize(
    "ask",
    [
        lambda env, agent: env.observe(agent),
        lambda env, agent: env.observation_space(agent),
        lambda env, agent: env.action_space(agent),
        lambda env, agent: env.legal_for(agent),
        lambda env, agent: env.determinize(agent, 1),
        lambda env, agent: env.render_for(agent, "ansi"),
    ],
)
def test_an_unknown_agent_is_named(agent, ask):
    env = rat_envs.make("brave_rats")
    env.reset(seed=1)
    with pytest.raises(UnknownNameError) as error:
        ask(env, agent)
    assert str(error.value).endswith("the agents are player_0, player_1.") and len(str(error.value)) < 200


@pytest.mark.parametrize("actions", [None, 3, "player_0", {}, {"player_0": "x", "player_1": 0}, {"player_0": 10**30}])
def test_nonsense_for_the_parallel_environment_is_illegal(actions):
    env = rat_envs.make_parallel("brave_rats")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.step(actions)


def test_the_parallel_environment_asks_for_a_reset():
    with pytest.raises(NotResetError, match="call reset"):
        rat_envs.make_parallel("brave_rats").step({})
