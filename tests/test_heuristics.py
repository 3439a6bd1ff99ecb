"""Heuristics: better than chance in every game, the same compiled and interpreted, and true to their names."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from games_and_configurations import PAIRS, choose, each, each_pair

from rat_envs.agents.heuristics import HeuristicAgent, choose_all, heuristic
from rat_envs.agents.heuristics import choose as chosen_rule
from rat_envs.agents.random import RandomAgent
from rat_envs.api.agent import Agent
from rat_envs.api.named_agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game

#: Every rule of every game, in every configuration of the short list.
RULES = [(game, rule, config) for game, config in PAIRS for rule in get_game(game).heuristics]
each_rule = pytest.mark.parametrize(
    ("game", "rule", "config"), RULES, ids=[f"{game}-{rule}-{number}" for number, (game, rule, _) in enumerate(RULES)]
)


@each_rule
def test_a_rule_beats_random_play_clearly(game: str, rule: str, config: dict[str, Any]) -> None:
    """The interval of its mean return does not reach par, which is 0 with any number of players."""
    agents: list[Agent] = [make_agent(rule, game, 0)]
    while len(agents) < get_game(game).configuration.make(config).players:
        agents.append(RandomAgent(len(agents)))
    result = play_match(game, agents, config, games=1200, seed=3).agents[0]
    assert result.mean_return.low > 0.05


def some_seats(game: str, config: dict[str, Any], games: int = 64, steps: int = 25) -> list[SeatViews]:
    """What seats know in random games, in positions of all sorts."""
    batch = Batch(game, games, config, seed=5)
    views = []
    for _ in range(steps):
        for _ in range(7):
            batch.step_random()
        views.append(SeatViews(batch))
    return views


@each_rule
def test_a_rule_is_legal_and_always_the_same(game: str, rule: str, config: dict[str, Any]) -> None:
    agent, other = (HeuristicAgent(rule, seed) for seed in (1, 2))
    for views in some_seats(game, config):
        actions = agent.act_batch(views)
        assert np.take_along_axis(views.masks, actions[:, None], 1).all()
        assert (other.act_batch(views) == actions).all()
        assert (agent.policy_batch(views) == np.eye(views.masks.shape[1])[actions]).all()


@pytest.mark.skipif(not compiling(), reason="needs compiled mode to compare with")
@each_rule
def test_a_rule_is_compiled_and_gives_the_same_interpreted(game: str, rule: str, config: dict[str, Any]) -> None:
    from numba.core.dispatcher import Dispatcher

    function = heuristic(rule, get_game(game))
    modes = (program(get_game(game), mode) for mode in (True, False))
    compiled, interpreted = (bound.bind(choose_all, {chosen_rule: function}) for bound in modes)
    for views in some_seats(game, config, games=24, steps=4):
        expected = HeuristicAgent(rule).act_batch(views)
        observations = np.ascontiguousarray(views.observations).view(views.game.observation)[:, 0]
        actions = np.zeros(len(views), np.int64)
        interpreted(observations, views.masks, actions)
        assert actions.tolist() == expected.tolist()
    assert isinstance(compiled, Dispatcher)
    assert compiled.signatures, "it is what the agent has called"
    assert not isinstance(interpreted, Dispatcher)


@pytest.mark.parametrize(
    ("rule", "game"), [("loyal", "brave_rats"), ("treacherous", "brave_rats"), ("cautious", "comme_des_rats")]
)
def test_a_rule_that_a_game_does_not_have_is_named_in_one_sentence(rule: str, game: str) -> None:
    batch, chosen, agent = Batch(game, 1, seed=0), get_game(game), HeuristicAgent(rule)
    asks = (
        lambda: heuristic(rule, chosen),
        lambda: agent.act(batch),
        lambda: agent.check(chosen, batch.configurations[0]),
    )
    for ask in asks:
        with pytest.raises(UnknownNameError) as caught:
            ask()
        assert str(caught.value) == f"{game} has no heuristic {rule!r}: it has {', '.join(chosen.heuristics)}."
    with pytest.raises(UnknownNameError, match=rf"^There is no agent {rule!r}: the agents for {game} are .*greedy"):
        make_agent(rule, game)


def test_a_game_without_rules_is_named_in_one_sentence() -> None:
    other = dataclasses.replace(get_game("brave_rats"), name="mouse_trap", heuristics={}, ladder=None)
    with pytest.raises(UnknownNameError, match=r"^There is no agent 'greedy': the agents for mouse_trap are random, "):
        make_agent("greedy", other)
    with pytest.raises(UnknownNameError, match=r"^mouse_trap has no heuristic 'greedy': it has none\.$"):
        HeuristicAgent("greedy").check(other, other.configuration.make())


# Comme des Rats: a word, kept or broken

TALK = [("comme_des_rats", {"players": players, "talk": True}) for players in (2, 3, 4, 5)]


@each(TALK)
def test_loyal_keeps_its_word_treacherous_breaks_it_and_greedy_gives_none(game: str, config: dict[str, Any]) -> None:
    names = ["loyal", "treacherous", "greedy", "loyal", "treacherous"][: config["players"]]
    for turn in range(2):  # with two players also greedy
        turned = [*names, "greedy"][turn : turn + config["players"]]
        match = play_match(game, [make_agent(name, game) for name in turned], config, games=300, seed=turn)
        for name, agent in zip(turned, match.agents, strict=True):
            said, tested, kept = (agent.metrics[f"promises{word}"] for word in ("", " tested", " kept"))
            if name == "greedy":
                assert said == tested == kept == 0
            else:
                assert said > tested > 0.1
                assert kept == (tested if name == "loyal" else 0)


@each(TALK)
def test_with_roles_too_loyal_keeps_every_promise(game: str, config: dict[str, Any]) -> None:
    names = ["loyal", "random", "loyal", "random", "loyal"][: config["players"]]
    match = play_match(game, [make_agent(name, game, 1) for name in names], {**config, "roles": True}, games=600)
    for name, agent in zip(names, match.agents, strict=True):
        tested, kept = agent.metrics["promises tested"], agent.metrics["promises kept"]
        assert (kept == tested) == (name == "loyal")
        assert tested > 0.1


@pytest.mark.parametrize("rule", ["greedy", "loyal", "treacherous"])
def test_what_they_say(rule: str) -> None:
    """Greedy nothing; treacherous always peace; loyal the die it would keep, or peace if that is the claw."""
    game = get_game("comme_des_rats")
    batch, random = Batch(game, 200, {"players": 4, "talk": True}, seed=1), np.random.default_rng(0)
    agent, said = HeuristicAgent(rule), dict.fromkeys(["nothing", "peace", "die", "claw"], 0)
    for _ in range(60):
        views = SeatViews(batch)
        actions = choose(views.masks, random)
        own = agent.act_batch(views)
        for i, action in enumerate(own):
            words = game.actions[action].split()
            if words[0] == "say":
                said[words[1]] += 1
                actions[i] = action
        batch.step(actions)
    spoken = {kind for kind, number in said.items() if number > 20}
    assert spoken == {"greedy": {"nothing"}, "treacherous": {"peace"}, "loyal": {"peace", "die"}}[rule]
    assert sum(said[kind] for kind in said.keys() - spoken) == 0


@each_pair
def test_a_rule_never_meets_a_situation_without_an_answer(game: str, config: dict[str, Any]) -> None:
    """Games of a rule against itself come to an end, too."""
    players = get_game(game).configuration.make(config).players
    for rule in get_game(game).heuristics:
        match = play_match(game, [HeuristicAgent(rule)] * players, config, games=10 * players)
        assert sum(agent.mean_return.mean for agent in match.agents) == pytest.approx(0, abs=1e-6)
