"""Search at decision time: information-set Monte Carlo tree search for every game, by the contract alone."""

from rat_envs.agents.search.agent import SearchAgent, SearchOptions

__all__ = ["SearchAgent", "SearchOptions"]
