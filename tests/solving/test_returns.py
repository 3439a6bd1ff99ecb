"""What two agents return against each other: the exact number is that of plain recursion, and of played games."""

from __future__ import annotations

import re

import numpy as np
import pytest

from rat_envs.agents import make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.engine.batch import Batch
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game
from rat_envs.solving.exploitability import exploitability
from rat_envs.solving.returns import exact_returns


@pytest.mark.parametrize("other", ["greedy", len, SeatViews])
def test_what_is_no_agent_is_refused(other):
    agent = make_agent("greedy", "brave_rats")
    for measure in (
        lambda: exploitability("brave_rats", other, preset="small"),
        lambda: exact_returns("brave_rats", agent, other, preset="small"),
    ):
        with pytest.raises(ConfigurationError, match=r"is not an agent: make one with make_agent\(name, game\), or"):
            measure()


GAME = get_game("brave_rats")
FAST = {"fast": True}


def policy_at(position: Position, agent) -> dict[str, float]:
    """An agent's probabilities of what it may do, asked for this position alone."""
    batch = Batch(position.game, 1, position.configuration, seed=0)
    batch.states[:] = position.state
    batch.refresh()
    policy = agent.policy_batch(SeatViews(batch))[0]
    return {position.game.actions[action]: policy[action] for action in np.flatnonzero(batch.masks[0])}


def mean_return(position: Position, agents) -> float:
    """To player_0, by going through all that can happen."""
    if position.is_over:
        return position.returns()[0]
    if position.is_chance:
        chances = position.chances()
    else:
        chances = policy_at(position, agents[position.actor])
    total = 0.0
    for action, chance in chances.items():
        if chance > 0:
            after = position.copy()
            after.apply(action)
            total += chance * mean_return(after, agents)
    return total / sum(chances.values())


@pytest.mark.parametrize("game", ["rattus", "rattus_cartus"])
@pytest.mark.parametrize("names", [("greedy", "random"), ("random", "random")])
def test_in_a_preset_it_is_what_plain_recursion_finds(game, names):
    chosen = get_game(game)
    one, other = (make_agent(name, chosen, 0) for name in names)
    position = chosen.preset("small").position(chosen)
    found = exact_returns(chosen, one, other, preset="small")
    assert found[0] == pytest.approx(mean_return(position, (one, other)), abs=1e-6)
    assert found[1] == pytest.approx(-mean_return(position, (other, one)), abs=1e-6)


def test_a_preset_takes_no_other_options():
    agents = [make_agent(name, "brave_rats", 0) for name in ("greedy", "random")]
    message = re.escape("Preset small of brave_rats has its own options: leave out config.")
    with pytest.raises(ConfigurationError, match=message):
        exact_returns("brave_rats", *agents, {"fast": True}, preset="small")
    with pytest.raises(ConfigurationError, match=message):
        exploitability("brave_rats", agents[0], {"fast": True}, preset="small")


@pytest.mark.parametrize(("one", "other"), [("greedy", "random"), ("nash", "greedy")])
def test_in_a_whole_game_it_is_what_games_come_to(one, other):
    agents = [make_agent(name, GAME, 0) for name in (one, other)]
    found = exact_returns(GAME, *agents, FAST)
    played = play_match(GAME, agents, FAST, 4000, 1).to_json()["agents"][0]["mean_return"]
    assert played["low"] - 0.02 < sum(found) / 2 < played["high"] + 0.02
    back = exact_returns(GAME, *agents[::-1], FAST)
    assert back == pytest.approx((-found[1], -found[0]), abs=1e-9)


def test_against_itself_an_agent_returns_nothing_and_against_nash_at_most_that():
    greedy, nash = (make_agent(name, GAME, 0) for name in ("greedy", "nash"))
    assert sum(exact_returns(GAME, greedy, greedy, FAST)) == pytest.approx(0, abs=1e-9)
    best = exploitability(GAME, greedy, FAST).best_response_returns
    against_greedy = exact_returns(GAME, nash, greedy, FAST)
    assert all(0 < one < most for one, most in zip(against_greedy, best, strict=True))


def test_what_cannot_be_known_exactly_is_refused():
    random = make_agent("random", "rattus", 0)
    with pytest.raises(ConfigurationError, match="rattus"):
        exact_returns("rattus", random, random)
    with pytest.raises(ConfigurationError, match="has no policy"):
        exact_returns(GAME, make_agent("nash", GAME, 0), make_agent("ismcts:ms=5", GAME, 0), FAST)
