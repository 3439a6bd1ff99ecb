"""One agent for every seat, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import naming_agent
from rat_envs.api.named_agents import take_seat
from rat_envs.arena.estimates import mean_estimate
from rat_envs.arena.jobs import decisions_of
from rat_envs.arena.pairing import deal_seeds, number_of_deals, rotations
from rat_envs.arena.plan import deals_at_once
from rat_envs.arena.playing import joined, play_deals
from rat_envs.arena.results import AgentResult, MatchResult, agent_results, distinct, learnt_otherwise, returns_by_seat
from rat_envs.engine.checks import checked_whole
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["play_match", "play_opponents", "seed_searches", "seeded"]

#: At most this many games are stepped together.
GAMES_AT_ONCE = 4096


def play_match(
    game: str | Game,
    agents: Sequence[str | Agent],
    config: Mapping[str, Any] | Configuration | None = None,
    games: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    trust: bool = False,
) -> MatchResult:
    """Let agents play each other; every deal is played in all cyclic seatings with the same chance.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        agents: one for every seat, by name or as an object; the same object may have several seats.
        config: options by name.
        games: number of games, rounded up to whole deals; a deal is played once in each cyclic seating.
        seed: seed of chance and of the agents' random numbers in this match. A search is seeded again every few deals.
            Afterwards the agents have their own random numbers again.
        progress: called with the number of games played so far, and the number of all games.
        trust: load agents given by name even from files that can execute code.

    Returns:
        The results; the same arguments always give the same results.

    Raises:
        ConfigurationError: an option is wrong, there are not as many agents as seats, or fewer than two deals.
        RatEnvsError: an agent is not there, or cannot play this.
    """
    game = get_game(game)
    configuration = game.configuration.make(config)
    players = configuration.players
    if len(agents) != players:
        raise ConfigurationError(f"{len(agents)} agents for {players} seats: name one for each seat.")
    seated = [take_seat(agent, game, configuration, seed, trust=trust) for agent in agents]
    deals = number_of_deals(checked_whole("games", games), players)
    seeds = deal_seeds(seed, 0, deals)
    per_batch = deals_at_once(seated, max(1, GAMES_AT_ONCE // players))
    parts, lengths = [], []
    with seeded(seated, seed):
        for number, start in enumerate(range(0, deals, per_batch)):
            if number:
                seed_searches(seated, seed, number)
            part = seeds[start : start + per_batch]
            who = rotations(np.tile(np.arange(players), (len(part), 1)))
            taken: list[np.ndarray] = []
            parts.append(play_deals(game, dict(enumerate(seated)), configuration, part, who, taken))
            lengths.append(decisions_of(np.array(taken).T).reshape(len(part), -1).mean(axis=1))
            if progress is not None:
                progress((start + len(part)) * players, deals * players)
    played = joined(parts)
    results = agent_results([agent.name for agent in seated], list(game.metrics), played)
    welfare = mean_estimate(played.scores.sum(axis=2).mean(axis=1))
    seats, length = returns_by_seat(played), mean_estimate(np.concatenate(lengths))
    about = game.name, configuration.to_dict(), seed, deals * players, deals
    notes = learnt_otherwise(seated, configuration)
    return MatchResult(*about, welfare, results, seats, length, notes=notes)


def play_opponents(
    game: str | Game,
    agent: str | Agent,
    opponents: Sequence[str | Agent],
    config: Mapping[str, Any] | Configuration | None = None,
    games: int = 1000,
    seed: int = 0,
    trust: bool = False,
) -> dict[str, AgentResult]:
    """How ``agent`` does against each of ``opponents``, who fills all other seats; by the opponent's name, which is
    followed by a number where there are several of that name.

    Args and errors are those of :func:`play_match`; ``games`` are played against each.
    """
    others = get_game(game).configuration.make(config).players - 1
    names = distinct([each if isinstance(each, str) else each.name for each in opponents])
    matches = [
        play_match(game, [agent, *[opponent] * others], config, games, seed, trust=trust) for opponent in opponents
    ]
    return {name: match.agents[0] for name, match in zip(names, matches, strict=True)}


def seed_searches(agents: Sequence[Agent], seed: int, part: int) -> None:
    """Give new random numbers to those whose decisions are one draw of them."""
    for number, agent in enumerate(distinct_objects(agents)):
        if agent.decides_by_seed:
            with naming_agent(agent):
                agent.seed([seed, number, part])


def distinct_objects(agents: Sequence[Agent]) -> list[Agent]:
    """Every object once, in the order of the first seats that they have."""
    return list({id(agent): agent for agent in agents}.values())


@contextmanager
def seeded(agents: Sequence[Agent], seed: int) -> Iterator[None]:
    """Give every agent random numbers that ``seed`` decides, and afterwards its own again."""
    different, before = distinct_objects(agents), []
    for number, agent in enumerate(different):
        with naming_agent(agent):
            before.append(agent.get_state())
            agent.seed([seed, number])
    try:
        yield
    finally:
        for agent, state in zip(different, before, strict=True):
            agent.set_state(state)
