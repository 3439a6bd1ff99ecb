"""Compiling ahead: everything that a game's users will run is run once, so that its code is in the cache."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures.process import BrokenProcessPool

import numpy as np

import rat_envs
from rat_envs.api.named_agents import SEARCHES, AgentName, agent_names, make_agent
from rat_envs.api.seats import SeatViews
from rat_envs.arena import play_match
from rat_envs.arena.workers import as_they_end, processes, signals_held_back
from rat_envs.engine.batch import Batch, available_cores
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import RatEnvsError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game, is_installed
from rat_envs.solving.exploitability import exploitability, why_not_unasked

__all__ = ["warm", "warm_one", "warm_searches"]

#: The kinds of search that have code of their own.
WAYS = ("", ",rollout=greedy", ",policy=learnt", ",policy=learnt,rollout=policy")
#: Agents with which something is measured, and the learner whose policies are measured exactly.
RANDOM, NASH, LOOKAHEAD = "random", "nash", "lookahead"
#: Agents that would take long, and what is used in their place: nothing, for one that solves a game first.
INSTEAD = {"ismcts": [f"ismcts:sims=2{way}" for way in WAYS], NASH: []}


def warm_one(game: str | Game) -> float:
    """Compile everything needed to play a game: batches, the environments, views of seats, its agents and its search.

    Returns:
        The seconds it took.

    Raises:
        UnknownNameError: there is no such game.
    """
    started = time.monotonic()
    game = get_game(game)
    batch = Batch(game, 2, seed=0)
    batch.step_random()
    batch.step((batch.masks * 1.0).argmax(axis=1))
    batch.observe(0)
    batch.reset_done()
    batch.set_state(batch.get_state())
    env = rat_envs.make(game)
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.determinize(env.agent_selection, 0)
    parallel = rat_envs.make_parallel(game)
    _, infos = parallel.reset(seed=0)
    parallel.step({agent: int(np.argmax(info["action_mask"])) for agent, info in infos.items()})
    views = SeatViews(Batch(game, 1, seed=0))
    for agent in _agents(game):
        try:
            make_agent(agent, game, 0).act_batch(views)
        except (RatEnvsError, NotImplementedError):  # not for this configuration, or not installed
            continue
    _measure(game)
    return time.monotonic() - started


def _measure(game: Game) -> None:
    """Measure a little of what ``rat-envs train`` measures: games, and the exploitability where the learner of the game
    looks ahead."""
    configuration = game.configuration.make()
    play_match(game, [RANDOM] * configuration.players, configuration, 2 * configuration.players)
    if LOOKAHEAD in game.training and configuration.is_public and why_not_unasked(game, configuration) is None:
        exploitability(game, make_agent(RANDOM, game, 0), configuration)
        play_match(game, [NASH, RANDOM], configuration, 4)


def warm_searches(game: Game, configuration: Configuration, names: Sequence[str], trust: bool = False) -> None:
    """Compile the searches among some agents, by one decision of each: other threads stand still during compilation.

    Raises:
        RatEnvsError: an agent does not exist, or cannot play this.
    """
    views = SeatViews(Batch(game, 1, configuration, seed=0))
    for name in dict.fromkeys(names):
        if AgentName.of(name).who in SEARCHES:
            make_agent(name, game, 0, trust=trust).act_batch(views)


def _agents(game: Game) -> list[str]:
    """The agents that play a game, in a form that takes little time."""
    return [asked for name in agent_names(game) for asked in INSTEAD.get(name, [name])]


def _sent(name: str) -> str | Game:
    """How a game is passed to another process: by its name, or by its place if only this process knows the name."""
    game = get_game(name)
    return name if is_installed(game) else game


def warm(names: Sequence[str], progress: Callable[[str, float], None]) -> None:
    """Compile games in processes of their own, at most one for each core that may be used.

    Args:
        names: games.
        progress: called with the name of each game when it is done, and with the seconds it took.

    Raises:
        UnknownNameError: there is no such game; nothing has been compiled.
        RatEnvsError: a process has been killed.
    """
    longest_first = sorted(names, key=lambda name: get_game(name).compile_seconds or 0, reverse=True)
    try:
        with processes(min(len(names), available_cores())) as pool:
            with signals_held_back():
                tasks = {pool.submit(warm_one, _sent(name)): name for name in longest_first}
            for task in as_they_end(tasks):
                progress(tasks[task], task.result())
    except BrokenProcessPool:
        raise RatEnvsError(
            "A process that compiled has been killed, for want of memory perhaps. Run the same again: what was "
            "compiled is kept. With RAT_ENVS_THREADS=1 one game is compiled at a time."
        ) from None
