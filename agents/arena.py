"""Who beats whom: agents play each other from every seat with the same chance, and the results have intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

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

#: The bound game's own, in what is compiled.
tally = scores = winners = None


@dataclass(frozen=True)
class Estimate:
    """A mean, and the 95 % interval for what it estimates."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class SeatResult:
    """How an agent did from one seat.

    Attributes:
        mean_score: of the game's own points.
        win_share: part of the wins: a win that several share counts for each by its part.
        metrics: what the game counts besides, per game.
    """

    seat: int
    games: int
    mean_return: float
    wins: int
    draws: int
    losses: int
    mean_score: float
    win_share: float
    metrics: dict[str, float]


@dataclass(frozen=True)
class AgentResult:
    """How an agent did.

    Attributes:
        name: the agent's name; the second of a name is called ``name (2)``.
        mean_return: its interval comes from the spread between deals: the seatings of one deal are not independent.
        wins: games in which it alone had the largest return.
        draws: games in which it shared the largest return.
        win_rate: its interval is Wilson's for as many games as the spread between deals says they are worth.
        mean_score: of the game's own points, over all seats.
        metrics: what the game counts besides, per game, over all seats.
        seats: the same from each seat.
    """

    name: str
    games: int
    mean_return: Estimate
    wins: int
    draws: int
    losses: int
    win_rate: Estimate
    mean_score: Estimate
    metrics: dict[str, float]
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
        welfare: the sum of all seats' points.
        agents: in the order in which they were given.
    """

    game: str
    config: dict[str, Any]
    seed: int
    games: int
    deals: int
    welfare: Estimate
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

    def metrics_table(self) -> list[list[str]]:
        """The game's own points and what it counts besides, per game, over all seats and from each seat."""
        names = list(self.agents[0].metrics)
        rows = [["agent", "seat", "points", "win share", *names]]
        for agent in self.agents:
            for seat in agent.seats:
                counted = [f"{seat.metrics[name]:.2f}" for name in names]
                rows.append([agent.name, str(seat.seat), f"{seat.mean_score:.2f}", f"{seat.win_share:.1%}", *counted])
            share = sum(seat.win_share for seat in agent.seats) / len(agent.seats)
            counted = [f"{agent.metrics[name]:.2f}" for name in names]
            rows.append([agent.name, "all", f"{agent.mean_score.mean:.2f}", f"{share:.1%}", *counted])
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
    parts = []
    with _seeded(agents, seed):
        for start in range(0, deals, per_batch):
            part = seeds[start : start + per_batch]
            parts.append(_play_deals(game, agents, configuration, part))
            if progress is not None:
                progress((start + len(part)) * players, deals * players)
    played = _Played(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    results = _results([agent.name for agent in agents], list(game.metrics), played)
    welfare = mean_estimate(played.scores.sum(axis=2).mean(axis=1))
    return MatchResult(game.name, configuration.to_dict(), seed, deals * players, deals, welfare, results)


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


class _Played(NamedTuple):
    """What came of some games: arrays of (deals, seatings, agents); ``tallies`` also by metric."""

    returns: np.ndarray
    scores: np.ndarray
    winners: np.ndarray
    tallies: np.ndarray


def tally_actions(rows, actions, counts):
    """Count what the actions mean, where they are not negative."""
    for i in range(len(rows)):
        if actions[i] >= 0:
            tally(rows[i], actions[i], counts[i])


def settle(rows, score_table, winner_table):
    """Write the points of every seat, and 1 for those that have won."""
    for i in range(len(rows)):
        scores(rows[i], score_table[i])
        winners(rows[i], winner_table[i])


def _play_deals(game: Game, agents: Sequence[Agent], configuration: Configuration, seeds: np.ndarray) -> _Played:
    """Every deal in every seating: in seating ``s``, seat ``j`` is agent ``(j + s) % players``'s."""
    players = len(agents)
    batch = Batch(game, len(seeds) * players, configuration, np.repeat(seeds, players).tolist(), auto_reset=False)
    seatings = np.tile(np.arange(players), len(seeds))
    returns = np.zeros((batch.n, game.seats))
    tallies = np.zeros((batch.n, game.seats, len(game.metrics)), np.int32)
    count = batch.program.bind(tally_actions)
    while (under_way := batch.actors >= 0).any():
        owners = np.where(under_way, (batch.actors + seatings) % players, -1)
        actions = np.full(batch.n, -1, np.int64)
        for number, agent in enumerate(agents):
            its_turn = np.flatnonzero(owners == number)
            if len(its_turn):
                actions[its_turn] = agent.act_batch(SeatViews(batch, its_turn))
        if game.metrics:
            count(batch.rows, actions, tallies)
        batch.step(actions)
        ended = batch.dones == 1
        returns[ended] = batch.rewards[ended]
    points, won = np.zeros((batch.n, game.seats), np.int32), np.zeros((batch.n, game.seats), np.int8)
    batch.program.bind(settle)(batch.rows, points, won)
    seat_of = (np.arange(players) - seatings[:, None]) % players
    shape = (len(seeds), players, players)
    return _Played(
        returns=np.take_along_axis(returns, seat_of, 1).reshape(shape),
        scores=np.take_along_axis(points, seat_of, 1).reshape(shape),
        winners=np.take_along_axis(won, seat_of, 1).reshape(shape),
        tallies=np.take_along_axis(tallies, seat_of[:, :, None], 1).reshape(*shape, len(game.metrics)),
    )


def _results(names: Sequence[str], metrics: Sequence[str], played: _Played) -> tuple[AgentResult, ...]:
    """What each agent did."""
    returns, players = played.returns, len(names)
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
                mean_score=mean_estimate(played.scores[:, :, number].mean(axis=1)),
                metrics=_per_game(metrics, played.tallies[:, :, number]),
                seats=tuple(_from_seat(seat, number, metrics, played, won, drawn) for seat in range(players)),
            )
        )
    return tuple(results)


def _per_game(metrics: Sequence[str], tallies: np.ndarray) -> dict[str, float]:
    """Means over everything but the metric, which is the last axis."""
    means = tallies.reshape(-1, len(metrics)).mean(axis=0) if metrics else []
    return {name: float(mean) for name, mean in zip(metrics, means, strict=True)}


def _counts(won: np.ndarray, drawn: np.ndarray) -> dict[str, int]:
    wins, draws = int(won.sum()), int(drawn.sum())
    return {"wins": wins, "draws": draws, "losses": won.size - wins - draws}


def _from_seat(
    seat: int, number: int, metrics: Sequence[str], played: _Played, won: np.ndarray, drawn: np.ndarray
) -> SeatResult:
    """What agent ``number`` did from one seat."""
    seating = (number - seat) % won.shape[1]
    winning = played.winners[:, seating]
    shares = winning[:, number] / np.maximum(winning.sum(axis=1), 1)
    return SeatResult(
        seat=seat,
        games=len(won),
        mean_return=float(played.returns[:, seating, number].mean()),
        **_counts(won[:, seating], drawn[:, seating]),
        mean_score=float(played.scores[:, seating, number].mean()),
        win_share=float(shares.mean()),
        metrics=_per_game(metrics, played.tallies[:, seating, number]),
    )


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
