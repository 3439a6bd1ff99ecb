"""Hints: what an agent would do in a person's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rat_envs.agents import make_agent
from rat_envs.agents.nash import NashAgent
from rat_envs.agents.search.agent import SearchAgent, SearchOptions
from rat_envs.agents.shipped import can_guide
from rat_envs.api.seats import SeatViews
from rat_envs.engine.choices import Choice, offer
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.position import Position
from rat_envs.solving.public_tree import MOST_SOON, build_tree

__all__ = ["Hint", "HintedChoice", "hint"]

#: The number of simulations of a search for a hint.
SIMULATIONS = 2000
#: The seed of that search: the same position gets the same hint.
SEED = 0


@dataclass(frozen=True)
class HintedChoice:
    """A choice, the agent's probability of it, and the return that the agent then expects, if it gives one."""

    choice: Choice
    probability: float
    estimate: float | None


@dataclass(frozen=True)
class Hint:
    """What an agent would do.

    Attributes:
        source: the agent, in words.
        value: the return that it expects, from −1 to 1.
        choices: its choices, the best first.
    """

    source: str
    value: float
    choices: tuple[HintedChoice, ...]


def hint(position: Position) -> Hint:
    """A hint for the seat to act, from what it knows: by the equilibrium if that is found quickly, otherwise by a
    search."""
    views = SeatViews(position)
    policy: np.ndarray
    estimates: np.ndarray | None = None
    try:
        agent = make_agent(NashAgent.name, position.game)
        build_tree(position.game, position.configuration, MOST_SOON)  # which refuses what nash cannot play, too
        policies, values = agent.policy_batch(views), agent.value_batch(views)
        assert policies is not None and values is not None, "an equilibrium has both"
        policy, value = policies[0], float(values[0])
        source = "equilibrium"
    except ConfigurationError:
        found = _search_agent(position).search_batch(views)
        policy, value, estimates = found.shares[0], float(found.values[0]), found.means[0]
        source = f"search with {SIMULATIONS:,} simulations"
    rows = [
        HintedChoice(one, float(policy[one.action]), None if estimates is None else float(estimates[one.action]))
        for one in offer(position).choices
    ]
    rows.sort(key=lambda row: -row.probability)
    return Hint(source, value, tuple(rows))


def _search_agent(position: Position) -> SearchAgent:
    """The strongest search there is for this game."""
    game, players = position.game, position.configuration.players
    if can_guide(game, players):
        return SearchAgent.make(game, SEED, sims=SIMULATIONS, policy="learnt")
    rollout = "greedy" if "greedy" in game.heuristics else "random"
    return SearchAgent(SearchOptions(SIMULATIONS, rollout=rollout), SEED)
