"""Who beats whom: agents play each other from every seat with the same chance, and the results have intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents.protocol import Agent
from rat_envs.api.seats import SeatViews
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import Game
from rat_envs.engine.registry import get_game

__all__ = ["AgentResult", "Estimate", "MatchResult", "SeatResult", "play_match", "play_opponents"]

#: Half the width of a 95 % interval in standard errors.
Z = 1.959964
#: At most this many games are stepped together.
GAMES_AT_ONCE = 4096


@dataclass(frozen=True)
class Estimate:
    """A mean, and the 95 % interval for what it estimates."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SeatResult:
    """How an agent did from one seat."""

    seat: int
    games: int
    mean_return: float
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True)
class AgentResult:
    """How an agent did.

    Attributes:
        name: the agent's name; the second of a name is called ``name (2)``.
        mean_return: its interval comes from the spread between deals: the seatings of one deal are not independent.
        wins: games in which it alone had the largest return.
        draws: games in which it shared the largest return.
        win_rate: its interval is Wilson's for as many games as the spread between deals says they are worth.
        seats: the same from each seat.
    """

    name: str
    games: int
    mean_return: Estimate
    wins: int
    draws: int
    losses: int
    win_rate: Estimate
    seats: tuple[SeatResult, ...]


@dataclass(frozen=True)
class MatchResult:
    """The outcome of :func:`play_match`.

    Attributes:
        game: its name.
        config: every option.
        seed: of the match.
        games: number of games: ``deals`` in each of the cyclic seatings.
        deals: number of different chances.
        agents: in the order in which they were given.
    """

    game: str
    config: dict[str, Any]
    seed: int
    games: int
    deals: int
    agents: tuple[AgentResult, ...]

    def table(self) -> list[list[str]]:
        """Rows of text for a table, the first one being its head."""
        rows = [["agent", "games", "mean return (95 %)", "won-drawn-lost", "win rate (95 %)", "by seat"]]
        for agent in self.agents:
            result, rate = agent.mean_return, agent.win_rate
            rows.append(
                [
                    agent.name,
                    f"{agent.games:,}",
                    f"{result.mean:+.3f} ({result.low:+.3f} … {result.high:+.3f})",
                    f"{agent.wins:,}-{agent.draws:,}-{agent.losses:,}",
                    f"{rate.mean:.1%} ({rate.low:.1%} … {rate.high:.1%})",
                    " ".join(f"{seat.mean_return:+.2f}" for seat in agent.seats),
                ]
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values, for one JSON object."""
        return asdict(self)


def play_match(
    game: str | Game,
    agents: Sequence[Agent],
    config: Mapping[str, Any] | Configuration | None = None,
    games: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResult:
    """Let agents play each other; every deal is played in all cyclic seatings with the same chance.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        agents: one for every seat; one agent may be there more than once.
        config: options by name.
        games: how many games, rounded up to whole deals.
        seed: of chance and of the agents' random numbers for this match; the agents are afterwards as they were.
        progress: called with the numbers of games done and of all.

    Returns:
        The same result whenever it is called with the same arguments.

    Raises:
        ConfigurationError: an option is wrong, there are not as many agents as seats, or fewer than two deals.
    """
    game = get_game(game)
    configuration = game.configuration.make(config)
    players = configuration.players
    if len(agents) != players:
        raise ConfigurationError(f"{len(agents)} agents for {players} seats: name one for each seat.")
    deals = -(-int(games) // players)
    if deals < 2:
        raise ConfigurationError(f"games={games!r}: must be more than {players}, for an interval takes two deals.")
    seeds = np.random.SeedSequence(seed).generate_state(deals, np.uint64)
    per_batch = max(1, GAMES_AT_ONCE // players)
    returns = np.zeros((deals, players, players))
    with _seeded(agents, seed):
        for start in range(0, deals, per_batch):
            part = seeds[start : start + per_batch]
            returns[start : start + len(part)] = _play_deals(game, agents, configuration, part)
            if progress is not None:
                progress((start + len(part)) * players, deals * players)
    results = _results([agent.name for agent in agents], returns)
    return MatchResult(game.name, configuration.to_dict(), seed, deals * players, deals, results)


def play_opponents(
    game: str | Game,
    agent: Agent,
    opponents: Sequence[Agent],
    config: Mapping[str, Any] | Configuration | None = None,
    games: int = 1000,
    seed: int = 0,
) -> dict[str, AgentResult]:
    """How ``agent`` does against each of ``opponents``, who fills all other seats; by the opponent's name.

    Args and errors are those of :func:`play_match`; ``games`` are played against each.
    """
    others = get_game(game).configuration.make(config).players - 1
    matches = {
        opponent.name: play_match(game, [agent, *[opponent] * others], config, games, seed) for opponent in opponents
    }
    return {name: match.agents[0] for name, match in matches.items()}


@contextmanager
def _seeded(agents: Sequence[Agent], seed: int) -> Iterator[None]:
    """Give every agent random numbers that ``seed`` decides, and afterwards its own again."""
    different = list({id(agent): agent for agent in agents}.values())
    own = [agent.random for agent in different]
    for number, agent in enumerate(different):
        agent.random = np.random.default_rng([seed, number])
    try:
        yield
    finally:
        for agent, random in zip(different, own, strict=True):
            agent.random = random


def _play_deals(game: Game, agents: Sequence[Agent], configuration: Configuration, seeds: np.ndarray) -> np.ndarray:
    """(deals, seatings, agents) float64: the returns. In seating ``s``, seat ``j`` is agent ``(j + s) % players``'s."""
    players = len(agents)
    batch = Batch(game, len(seeds) * players, configuration, np.repeat(seeds, players).tolist(), auto_reset=False)
    seatings = np.tile(np.arange(players), len(seeds))
    by_seat = np.zeros((batch.n, players))
    while (under_way := batch.actors >= 0).any():
        owners = np.where(under_way, (batch.actors + seatings) % players, -1)
        actions = np.full(batch.n, -1, np.int64)
        for number, agent in enumerate(agents):
            its_turn = np.flatnonzero(owners == number)
            if len(its_turn):
                actions[its_turn] = agent.act_batch(SeatViews(batch, its_turn))
        batch.step(actions)
        ended = batch.dones == 1
        by_seat[ended] = batch.rewards[ended, :players]
    by_agent = np.zeros_like(by_seat)
    for number in range(players):
        by_agent[:, number] = by_seat[np.arange(batch.n), (number - seatings) % players]
    return by_agent.reshape(len(seeds), players, players)


def _results(names: Sequence[str], returns: np.ndarray) -> tuple[AgentResult, ...]:
    """From (deals, seatings, agents) returns."""
    players = len(names)
    largest = returns.max(axis=2, keepdims=True)
    at_top = returns == largest
    alone = at_top & (at_top.sum(axis=2, keepdims=True) == 1)
    results = []
    for number, name in enumerate(names):
        own, won = returns[:, :, number], alone[:, :, number]
        drawn = at_top[:, :, number] & ~won
        before = names[:number].count(name)
        results.append(
            AgentResult(
                name=f"{name} ({before + 1})" if before else name,
                games=own.size,
                mean_return=mean_estimate(own.mean(axis=1)),
                **_counts(won, drawn),
                win_rate=rate_estimate(won.mean(axis=1), players),
                seats=tuple(_from_seat(seat, (number - seat) % players, own, won, drawn) for seat in range(players)),
            )
        )
    return tuple(results)


def _counts(won: np.ndarray, drawn: np.ndarray) -> dict[str, int]:
    wins, draws = int(won.sum()), int(drawn.sum())
    return {"wins": wins, "draws": draws, "losses": won.size - wins - draws}


def _from_seat(seat: int, seating: int, own: np.ndarray, won: np.ndarray, drawn: np.ndarray) -> SeatResult:
    counts = _counts(won[:, seating], drawn[:, seating])
    return SeatResult(seat=seat, games=len(own), mean_return=float(own[:, seating].mean()), **counts)


def mean_estimate(by_deal: np.ndarray) -> Estimate:
    """The mean of (deals) independent values."""
    mean = float(by_deal.mean())
    half = Z * float(by_deal.std(ddof=1)) / math.sqrt(len(by_deal))
    return Estimate(mean, mean - half, mean + half)


def rate_estimate(by_deal: np.ndarray, players: int) -> Estimate:
    """A rate, given its mean in each of (deals) deals of ``players`` games; Wilson's interval, so never of no width."""
    rate, deals = float(by_deal.mean()), len(by_deal)
    variance = float(by_deal.var(ddof=1)) / deals
    worth = rate * (1 - rate) / variance if variance > 0 else deals
    worth = min(max(worth, deals), deals * players)
    middle = (rate + Z**2 / (2 * worth)) / (1 + Z**2 / worth)
    half = Z * math.sqrt(rate * (1 - rate) / worth + (Z / (2 * worth)) ** 2) / (1 + Z**2 / worth)
    return Estimate(rate, max(0.0, middle - half), min(1.0, middle + half))
