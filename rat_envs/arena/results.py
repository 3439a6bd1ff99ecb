"""What agents did, as tables and as plain values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rat_envs.api.agent import Agent
from rat_envs.api.agent_code import name_of
from rat_envs.arena.estimates import Estimate, mean_estimate, rate_estimate
from rat_envs.arena.in_html import in_html
from rat_envs.arena.pairwise import least_of
from rat_envs.arena.playing import Played
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import shown, shown_path

__all__ = [
    "AgentResult",
    "MatchResult",
    "SeatResult",
    "agent_results",
    "distinct",
    "learnt_otherwise",
    "returns_by_seat",
]


@dataclass(frozen=True)
class SeatResult:
    """How an agent did from one seat.

    Attributes:
        mean_score: of the game's own points.
        win_share: part of the wins: a win that several share counts for each by its part.
        metrics: what the game counts besides, per game.
        return_estimate, score_estimate, win_share_estimate: the means with their intervals, from the spread between
            deals.
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
    return_estimate: Estimate
    score_estimate: Estimate
    win_share_estimate: Estimate


@dataclass(frozen=True)
class AgentResult:
    """How an agent did.

    Attributes:
        name: the agent's name; the second of a name is called ``name (2)``.
        mean_return: over all draws, where the chance after last decisions is drawn again; its interval comes from the
            spread between deals: the seatings of one deal are not independent.
        wins: games in which it alone had the largest return.
        draws: games in which it shared the largest return.
        win_rate: its interval is Wilson's for as many games as the spread between deals says they are worth.
        mean_score: of the game's own points, over all seats.
        metrics: what the game counts besides, per game, over all seats.
        seats: the same from each seat.
        fallbacks: how many of its decisions another agent had to make.
        decisions: how many there were, of an agent with a fallback; None for others, whose decisions are not counted.
        tokens: what these have cost, as a server counts it; None likewise.
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
    fallbacks: int = 0
    decisions: int | None = None
    tokens: int | None = None


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The outcome of :func:`play_match`.

    Attributes:
        game: its name.
        config: every option.
        seed: of the match.
        games: number of games: every deal is played once in each cyclic seating.
        deals: number of deals; each has its own chance.
        welfare: the points of all seats together, as the mean per game.
        agents: in the order in which they were given.
        seat_returns: mean return from each seat, over all agents, which sit in each equally often.
        length: decisions of all seats together, as the mean per game.
        notes: sentences on agents that learnt to play with other options of the game.
    """

    game: str
    config: dict[str, Any]
    seed: int
    games: int
    deals: int
    welfare: Estimate
    agents: tuple[AgentResult, ...]
    seat_returns: tuple[Estimate, ...]
    length: Estimate
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __repr__(self) -> str:
        """One line; :meth:`table` and :meth:`to_json` have everything."""
        means = ", ".join(f"{agent.name} {agent.mean_return.mean:+.3f}" for agent in self.agents)
        return f"<{type(self).__name__} {self.game}, {self.games:,} games: {means}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return in_html([self.table()], [*self.totals(), *self.remarks()])

    def rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each agent, as ``pandas.DataFrame(result.rows())`` takes them."""
        return [
            {
                "game": self.game,
                "agent": agent.name,
                "games": agent.games,
                **_flat("mean_return", agent.mean_return),
                "wins": agent.wins,
                "draws": agent.draws,
                "losses": agent.losses,
                **_flat("win_rate", agent.win_rate),
                **_flat("mean_score", agent.mean_score),
                **agent.metrics,
            }
            for agent in self.agents
        ]

    def table(self) -> list[list[str]]:
        """Rows of text for a table, the first one being its head."""
        rows = [["agent", "games", "mean return (95 %)", "won-drawn-lost", "win rate (95 %)", "by seat"]]
        for agent in self.agents:
            rows.append(
                [
                    agent.name,
                    f"{agent.games:,}",
                    f"{agent.mean_return:+.3f}",
                    f"{agent.wins:,}-{agent.draws:,}-{agent.losses:,}",
                    f"{agent.win_rate:.1%}",
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

    def remarks(self) -> list[str]:
        """Sentences on agents that learnt to play with other options, and on those for which a fallback may decide."""
        counted = [*self.notes] + [
            f"{agent.name}: {agent.decisions:,} decisions in {agent.games:,} games, {agent.fallbacks:,} of them by its "
            f"fallback; {agent.tokens:,} tokens."
            for agent in self.agents
            if agent.decisions is not None
        ]
        return counted + [
            f"{agent.name}: {agent.fallbacks:,} of its decisions in {agent.games:,} games were made by its fallback."
            for agent in self.agents
            if agent.decisions is None and agent.fallbacks
        ]

    def totals(self) -> list[str]:
        """Sentences on what all agents have in common: seats, points and length of the games."""
        seats = ", ".join(f"player_{seat} {mean:+.3f}" for seat, mean in enumerate(self.seat_returns))
        return [
            f"Mean return by seat, whoever sits there (95 %): {seats}.",
            f"Points of all seats together: {self.welfare.mean:.2f} a game. Decisions: {self.length:.1f} a game.",
        ]

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values, for one JSON object."""
        return asdict(self)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, the second of a name as ``name (2)``; or with a higher number, if that is somebody's name."""
    found: list[str] = []
    for number, name in enumerate(names):
        first = 1 + names[:number].count(name)
        tries = (f"{name} ({count})" if count > 1 else name for count in itertools.count(first))
        found.append(next(each for each in tries if each not in found))
    return found


def _flat(name: str, estimate: Estimate) -> dict[str, float]:
    """An estimate as three values by name."""
    return {name: estimate.mean, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def learnt_otherwise(agents: Iterable[Agent], configuration: Configuration) -> tuple[str, ...]:
    """A sentence on each agent that learnt to play with other options than these."""
    here, said = configuration.to_dict(), []
    for agent in agents:
        if then := agent.learnt_with(configuration):
            trained, played = (", ".join(f"{name}={shown(of[name])}" for name in then) for of in (then, here))
            said.append(f"{shown_path(name_of(agent))} was trained with {trained}, not with {played}.")
    return tuple(dict.fromkeys(said))


def returns_by_seat(played: Played) -> tuple[Estimate, ...]:
    """The mean return from each seat, over all agents."""
    by_deal, least = played.mean_returns.mean(axis=1), least_of(played)
    return tuple(mean_estimate(of_seat, least, 1.0) for of_seat in by_deal.T)


def agent_results(names: Sequence[str], metrics: Sequence[str], played: Played) -> tuple[AgentResult, ...]:
    """What each agent did; it has the same number of seats in every deal."""
    largest = played.returns.max(axis=2, keepdims=True)
    at_top = played.returns == largest
    alone = at_top & (at_top.sum(axis=2, keepdims=True) == 1)
    shares = played.winners / np.maximum(played.winners.sum(axis=2, keepdims=True), 1)
    results = []
    for number, name in enumerate(distinct(names)):
        own = _Own(played, at_top & ~alone, alone, shares, played.who == number)
        decisions, fallbacks = (int(counts[own.chosen].sum()) for counts in (played.decisions, played.fallbacks))
        is_counted = decisions > 0 and decisions >= fallbacks  # not where chunks are older than the count
        results.append(
            AgentResult(
                name=name,
                games=own.count,
                mean_return=mean_estimate(own.by_deal(played.mean_returns), least_of(played), 1.0),
                **own.counts(),
                win_rate=rate_estimate(own.by_deal(alone), own.count // len(alone)),
                mean_score=mean_estimate(own.by_deal(played.scores)),
                metrics=own.metrics(metrics),
                seats=tuple(_from_seat(seat, metrics, own) for seat in range(played.who.shape[2])),
                fallbacks=fallbacks,
                decisions=decisions if is_counted else None,
                tokens=int(played.tokens[own.chosen].sum()) if is_counted else None,
            )
        )
    return tuple(results)


@dataclass(frozen=True)
class _Own:
    """Some seats in some games, ``chosen``, and what came of them: arrays of (deals, seatings, seats)."""

    played: Played
    drawn: np.ndarray
    won: np.ndarray
    shares: np.ndarray
    chosen: np.ndarray

    @property
    def count(self) -> int:
        return int(self.chosen.sum())

    def by_deal(self, values: np.ndarray) -> np.ndarray:
        """(deals): means of what the chosen seats have in ``values``."""
        return values[self.chosen].reshape(len(values), -1).mean(axis=1)

    def mean(self, values: np.ndarray) -> float:
        return float(values[self.chosen].mean())

    def counts(self) -> dict[str, int]:
        wins, draws = int(self.won[self.chosen].sum()), int(self.drawn[self.chosen].sum())
        return {"wins": wins, "draws": draws, "losses": self.count - wins - draws}

    def metrics(self, names: Sequence[str]) -> dict[str, float]:
        """Means by name of what the game counts."""
        means = self.played.tallies[self.chosen].mean(axis=0)
        return {name: float(mean) for name, mean in zip(names, means, strict=True)}

    def from_seat(self, seat: int) -> _Own:
        """The same of one seat only."""
        there = np.zeros_like(self.chosen)
        there[:, :, seat] = self.chosen[:, :, seat]
        return _Own(self.played, self.drawn, self.won, self.shares, there)


def _from_seat(seat: int, metrics: Sequence[str], everywhere: _Own) -> SeatResult:
    """What an agent did from one seat."""
    own = everywhere.from_seat(seat)
    return SeatResult(
        seat=seat,
        games=own.count,
        mean_return=own.mean(own.played.mean_returns),
        **own.counts(),
        mean_score=own.mean(own.played.scores),
        win_share=own.mean(own.shares),
        metrics=own.metrics(metrics),
        return_estimate=mean_estimate(own.by_deal(own.played.mean_returns), least_of(own.played), 1.0),
        score_estimate=mean_estimate(own.by_deal(own.played.scores)),
        win_share_estimate=mean_estimate(own.by_deal(own.shares), 0.0, 1.0),
    )
