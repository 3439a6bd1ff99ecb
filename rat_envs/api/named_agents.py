"""Agents by name: built-in agents, a game's heuristics, agents of installed packages, saved policies, and any class.

A name is written ``NAME`` or ``NAME:key=value,key=value``. To make an agent named ``module:Class`` or
``file.py:Class``, the code of that module or file is run. Writing such a name counts as permission.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rat_envs.api.agent import Agent, refuse_unknown_options
from rat_envs.api.agent_code import called, let_agent_check, naming_agent
from rat_envs.engine.configuration import Configuration, parse_options
from rat_envs.engine.errors import CheckpointError, ConfigurationError, UnknownNameError, shown, shown_path
from rat_envs.engine.game import Game
from rat_envs.engine.own_modules import module_named, own_modules
from rat_envs.engine.plugins import load_plugin, plugins
from rat_envs.engine.registry import all_games, get_game

__all__ = [
    "AGENTS",
    "GROUP",
    "POLICY_SUFFIXES",
    "REACHING_OUT",
    "SEARCHES",
    "AgentName",
    "agent_file",
    "agent_names",
    "demand_trust",
    "make_agent",
    "names_code",
    "reason_to_trust",
    "take_seat",
]

#: Module and class of every built-in agent that is not a game's own, imported when it is asked for.
AGENTS = {
    "random": "rat_envs.agents.random:RandomAgent",
    "nash": "rat_envs.agents.nash:NashAgent",
    "ismcts": "rat_envs.agents.search:SearchAgent",
    "learnt": "rat_envs.agents.shipped:ShippedAgent",
    "llm": "rat_envs.agents.language_model:LanguageModelAgent",
}
#: Agents whose policy depends on their seed (``Agent.decides_by_seed``).
SEARCHES = ("ismcts",)
#: Agents that ask a server with a user's key, or write to a file, as their options say (``Agent.reaches_out``).
REACHING_OUT = ("llm",)
#: The agent that plays by a heuristic of the game, and the function that loads a saved policy.
HEURISTIC = "rat_envs.agents.heuristics:HeuristicAgent"
LOAD_POLICY = "rat_envs.agents.learnt:load_policy"
#: The name of the package's policies, as agent and as a search's option, and the function that finds their file.
SHIPPED, SHIPPED_FILE = "learnt", "rat_envs.agents.shipped:deciding_file"
#: The suffixes of saved policies.
POLICY_SUFFIXES = (".safetensors", ".zip")
#: The group of entry points: ``careful = "package.module:CarefulAgent"`` adds the agent ``careful``.
GROUP = "rat_envs.agents"


class AgentName(NamedTuple):
    """The parts of an agent's written name: who it is, and the text of the options after it."""

    who: str
    options: str

    @classmethod
    def of(cls, text: str) -> AgentName:
        """Split a name. Options begin at the first colon that is followed by ``key=``, because a file may have any
        name.

        Raises:
            UnknownNameError: it is not text.
        """
        if not isinstance(text, str):
            raise UnknownNameError(f"There is no agent {shown(text)}: the name of an agent is a text.")
        if os.path.isfile(text):
            return cls(text, "")
        parts = re.split(r":(?=\w+=)", text, maxsplit=1)
        return cls(parts[0], "".join(parts[1:]))

    def values(self) -> dict[str, Any]:
        """The options by name; a comma separates them if ``key=`` follows."""
        return parse_options(re.split(r",(?=\w+=)", self.options) if self.options else [])


def agent_names(game: str | Game | None = None) -> list[str]:
    """The names that :func:`make_agent` accepts for a game; for None, those of all games.

    Paths of saved policies and names of classes are accepted, too, but not listed.

    Raises:
        UnknownNameError: there is no such game.
    """
    games = all_games().values() if game is None else [get_game(game)]
    heuristics = dict.fromkeys(name for each in games for name in each.heuristics)
    return list(dict.fromkeys([*AGENTS, *heuristics, *plugins(GROUP)]))


def make_agent(name: str, game: str | Game, seed: int | None = None, *, trust: bool = False) -> Agent:
    """The agent of that name for a game.

    Args:
        name: one of :func:`agent_names`, the path of a saved policy, ``module:Class`` or ``file.py:Class``; options of
            the agent may follow, as in ``ismcts:sims=1000,rollout=greedy``.
        game: the game that the agent will play.
        seed: seed of the agent's own random numbers; None for one from the operating system.
        trust: load a saved policy even if loading it can execute code.

    Raises:
        UnknownNameError: there is no such game, agent, class or file; the message lists the agents.
        ConfigurationError: an option is wrong.
        CheckpointError: the file is not a policy for this game, or needs ``trust``.
        PluginError: another package adds the agent, but it cannot be used.
        AgentError: foreign code that makes the agent raises an error that is not one of ours.
    """
    with called(AgentName.of(name).who):
        agent = _made(name, get_game(game), seed, trust)
    agent.written_as = name
    return agent


def _made(name: str, game: Game, seed: int | None, trust: bool) -> Agent:
    """:func:`make_agent` without setting ``written_as``."""
    written = AgentName.of(name)
    who = written.who
    for option in ("game", "seed"):
        if option in written.values():
            raise ConfigurationError(f"{shown(name)}: an agent has no option {option}; the program that plays sets it.")
    if who in AGENTS:
        return _object_at(AGENTS[who]).make(game, seed, **written.values())
    if who in game.heuristics:
        refuse_unknown_options(who, written.values(), [])
        return _object_at(HEURISTIC)(who, seed)
    if who in plugins(GROUP):
        with naming_agent(name):
            kind = _agent_class(load_plugin(plugins(GROUP)[who], type, "class"), who)
            return kind.make(game, seed, **written.values())
    if os.path.isfile(who):
        if who.endswith(".py"):
            raise UnknownNameError(f"{shown_path(who)} is code: name a class in it, as in {shown_path(who)}:MyAgent.")
        refuse_unknown_options(who, written.values(), [])
        return _object_at(LOAD_POLICY)(who, game, seed, trust=trust)
    if names_code(who):
        with naming_agent(name):
            return _named_class(who).make(game, seed, **written.values())
    raise _no_agent(who, game)


def take_seat(agent: str | Agent, game: Game, configuration: Configuration, seed: int, *, trust: bool = False) -> Agent:
    """An agent by name or as an object, if it can play this.

    Raises:
        ConfigurationError: it is neither a name nor an agent, or it does not play this configuration.
        UnknownNameError, CheckpointError, PluginError, AgentError: see :func:`make_agent`.
    """
    player = make_agent(agent, game, seed, trust=trust) if isinstance(agent, str) else agent
    if not isinstance(player, Agent):
        raise ConfigurationError(
            f"{shown(agent)} cannot play: name an agent, or give an object of a class derived from "
            "rat_envs.agents.Agent."
        )
    let_agent_check(player, game, configuration)
    return player


def agent_file(name: str, game: Game | None = None, players: int = 2) -> Path | None:
    """The file that defines an agent with this name; None if there is none.

    It is a saved policy, also one that a search uses, or the code of a class without its imports. For the trained
    policies that come with the package it is the one for ``game`` and ``players``, if a game is given.
    """
    written = AgentName.of(name)
    who = written.who
    if who in agent_names():
        policy = who if who == SHIPPED else written.values().get("policy")
        if policy == SHIPPED:
            return None if game is None else _object_at(SHIPPED_FILE)(game, players)
        file = Path(policy) if isinstance(policy, str) else None
    elif names_code(who) and not _is_code_in_file(who):
        file = _module_file(who.rpartition(":")[0])
    else:
        file = Path(who.rpartition(":")[0] if _is_code_in_file(who) else who)
    return file if file is not None and os.path.isfile(file) else None


def names_code(name: str) -> bool:
    """Whether :func:`make_agent` reads the name as that of a class, and so runs the module or the file that holds
    it."""
    who = AgentName.of(name).who
    place, _, kind = who.rpartition(":")
    return kind.isidentifier() and not os.path.isfile(who) and bool(place) and place not in agent_names()


def reason_to_trust(name: str) -> str:
    """What using a name written by somebody else would do besides playing, in words; empty if nothing."""
    if names_code(name):
        return "which is code that would be run"
    if AgentName.of(name).who in REACHING_OUT:
        return "which names a server that would be sent questions and your key, and files that would be written"
    return ""


def demand_trust(names: Iterable[str], trust: bool, holder: str, how: str = "--trust") -> None:
    """Refuse names written by somebody else, unless using them only plays, or they are trusted.

    Args:
        names: names of agents in a file.
        holder: the file that names them, as the beginning of a sentence.
        how: how the user can say that it is trusted.

    Raises:
        CheckpointError: they need ``trust``.
    """
    for name in names:
        if (reason := reason_to_trust(name)) and not trust:
            raise CheckpointError(f"{holder} names {shown_path(name)}, {reason}: pass {how} if you trust it.")


def _no_agent(who: str, game: Game) -> Exception:
    """The error for an unknown name, with the nearest names first."""
    known, _, option = who.partition(":")
    names = agent_names(game)
    if option and known in names:
        return ConfigurationError(
            f"{shown(option)} is not an option of the agent {known}: write {known}:KEY=VALUE,KEY=VALUE."
        )
    if Path(who).suffix in POLICY_SUFFIXES:
        return UnknownNameError(f"There is no file {shown_path(who)}.")
    near = difflib.get_close_matches(known, names)
    ordered = ", ".join([*near, *(name for name in names if name not in near)])
    return UnknownNameError(
        f"There is no agent {shown(who)}: the agents for {game.name} are {ordered}, the path of a saved policy, and "
        "module:Class or file.py:Class."
    )


def _object_at(reference: str) -> Any:
    """The object ``module:name`` of one of our modules."""
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


def _module_file(module: str) -> Path | None:
    """The file of a module, found without running it (the packages around it are run); None if there is none."""
    try:
        with own_modules():
            found = importlib.util.find_spec(module)
    except (ImportError, AttributeError, TypeError, ValueError):  # the last three: not a module's name
        return None
    return Path(found.origin) if found is not None and found.origin is not None else None


def _is_code_in_file(who: str) -> bool:
    return who.rpartition(":")[0].endswith(".py")


def _named_class(who: str) -> type[Agent]:
    """The class of ``module:Class`` or ``file.py:Class``; the module is run.

    Raises:
        UnknownNameError: there is no such module, file or class.
        ConfigurationError: it is not an agent.
    """
    place, _, name = who.rpartition(":")
    module = module_named(place, f"the agent {shown(who)}")
    if not hasattr(module, name):
        agents = [key for key, value in vars(module).items() if _is_agent(value) and value is not Agent]
        having = f"its agents are {', '.join(agents)}" if agents else "it has no agents"
        raise UnknownNameError(f"There is no {shown(name)} in {shown_path(place)}: {having}.")
    return _agent_class(getattr(module, name), who)


def _is_agent(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Agent)


def _agent_class(value: Any, who: str) -> type[Agent]:
    """The object found under a name, if it is a class of agents.

    Raises:
        ConfigurationError: it is something else.
    """
    if not _is_agent(value):
        raise ConfigurationError(
            f"{shown_path(who)} is not an agent: it must be a class derived from rat_envs.agents.Agent."
        )
    kind: type[Agent] = value
    return kind
