"""Agents by name."""

from __future__ import annotations

from pathlib import Path

from rat_envs.api.agent import Agent
from rat_envs.engine.errors import UnknownNameError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["agent_file", "agent_names", "make_agent"]

#: Module and class of every agent, imported when it is asked for.
AGENTS = {"random": ("rat_envs.agents.random", "RandomAgent"), "nash": ("rat_envs.agents.nash", "NashAgent")}
#: Agents that follow a rule of thumb of the game at hand, where it has one.
RULES_OF_THUMB = ("greedy", "loyal", "treacherous")
#: The agent that searches; options follow, as in ``ismcts:sims=1000,rollout=greedy``.
SEARCH = "ismcts"


def agent_names() -> list[str]:
    """What :func:`make_agent` takes, besides the path of a saved policy."""
    return [*AGENTS, *RULES_OF_THUMB, SEARCH]


def make_agent(name: str, game: str | Game, seed: int | None = None, *, trust: bool = False) -> Agent:
    """The agent of that name for a game; or a saved policy, by the path of its file.

    Args:
        name: one of :func:`agent_names`, or a path.
        game: what it will play.
        seed: of its own random numbers.
        trust: load a file even if it may execute code of whoever wrote it.

    Raises:
        UnknownNameError: there is no such agent or file, or none of that name for the game.
        ConfigurationError: an option of the search is wrong.
        CheckpointError: the file is no policy for this game, or would have to be trusted.
    """
    import importlib

    game = get_game(game)
    if name in AGENTS:
        module, class_name = AGENTS[name]
        return getattr(importlib.import_module(module), class_name)(seed)
    if name in RULES_OF_THUMB:
        from rat_envs.agents.heuristics import RuleOfThumbAgent, rule_of_thumb

        rule_of_thumb(name, game)  # complain at once
        return RuleOfThumbAgent(name, seed)
    if name.partition(":")[0] == SEARCH:
        from rat_envs.agents.search import SearchAgent, SearchOptions

        return SearchAgent(SearchOptions.parse(name.partition(":")[2]), seed)
    if Path(name).is_file():
        from rat_envs.agents.learnt import load_policy

        return load_policy(name, game, seed, trust=trust)
    names = ", ".join(agent_names())
    raise UnknownNameError(f"There is no agent {name!r}: the agents are {names}, or the path of a saved policy.")


def agent_file(name: str) -> Path | None:
    """The file of a saved policy, if that is what :func:`make_agent` takes the name for."""
    return Path(name) if name.partition(":")[0] not in agent_names() and Path(name).is_file() else None
