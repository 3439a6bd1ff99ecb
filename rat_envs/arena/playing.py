"""Plays every deal in each of its seatings, and collects the results by seat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rat_envs.api.agent import Agent, chosen_actions
from rat_envs.api.narrator import Follower
from rat_envs.api.seats import SeatViews
from rat_envs.arena.pairing import Purpose, made_seed
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.contract import tally
from rat_envs.engine.final_chance import FinalChance
from rat_envs.engine.game import Game
from rat_envs.engine.results import results_of

__all__ = ["Ask", "LastDecisions", "Played", "joined", "play_deals", "play_out"]

#: Asks an agent for its actions, as :func:`~rat_envs.api.agent.chosen_actions` does.
Ask = Callable[[Agent, SeatViews], np.ndarray]


class Played(NamedTuple):
    """What came of some games: arrays of (deals, seatings, seats).

    Attributes:
        who: which agent had the seat, by number.
        returns: float64, the zero-sum results.
        mean_returns: float64, their mean where the chance after a game's last decision is drawn again; the same where
            it is drawn once.
        scores: int32, the game's own points.
        winners: int8, 1 for a seat that has won.
        tallies: int32 (deals, seatings, seats, metrics), what the game counts besides.
        fallbacks: int32, how often another agent decided in the place of the one in the seat.
        decisions: int32, how often either of them decided; 0 for an agent that decides everything itself.
        tokens: int64, what these decisions have cost.
    """

    who: np.ndarray
    returns: np.ndarray
    mean_returns: np.ndarray
    scores: np.ndarray
    winners: np.ndarray
    tallies: np.ndarray
    fallbacks: np.ndarray
    decisions: np.ndarray
    tokens: np.ndarray


class Answered(NamedTuple):
    """What is counted of agents for which another one may decide: (n, seats) as in :class:`Played`."""

    fallbacks: np.ndarray
    decisions: np.ndarray
    tokens: np.ndarray

    @classmethod
    def begin(cls, n: int, seats: int) -> Answered:
        """Nothing yet."""
        return cls(*(np.zeros((n, seats), dtype) for dtype in (np.int32, np.int32, np.int64)))

    def add(self, agent: Agent, games: np.ndarray, seats: np.ndarray) -> None:
        """Add what an agent has just decided at the seats of some games."""
        if agent.fell_back is not None:
            self.fallbacks[games, seats] += agent.fell_back
            self.decisions[games, seats] += 1
            self.tokens[games, seats] += 0 if agent.spent is None else agent.spent


def joined(parts: Iterable[Played], axis: int = 0) -> Played:
    """Games played one after another as one: more deals, or along axis 1 more seatings of each."""
    return Played(*(np.concatenate(arrays, axis) for arrays in zip(*parts, strict=True)))


class LastDecisions(NamedTuple):
    """The last decision of each of n games, once they have been played.

    Attributes:
        states: (n) records of ``STATE``, before it.
        actions: (n) int64.
    """

    states: np.ndarray
    actions: np.ndarray


def tally_actions(rows, actions, counts):
    """Count what the actions mean, where they are not negative."""
    for i in range(len(rows)):
        if actions[i] >= 0:
            tally(rows[i], actions[i], counts[i])


def play_deals(
    game: Game,
    agents: Mapping[int, Agent],
    configuration: Configuration,
    seeds: np.ndarray,
    who: np.ndarray,
    taken: list[np.ndarray] | None = None,
    final_draws: int = 1,
    ask: Ask | None = None,
) -> Played:
    """Play every deal in each of its seatings.

    Args:
        agents: by number.
        seeds: (deals) uint64, of chance.
        who: (deals, seatings, seats): which agent has the seat, by number.
        taken: where for every step the (deals · seatings) int32 actions are appended, −1 where a game was over.
        final_draws: how many times the chance after a game's last decision is drawn, for ``mean_returns``; in all
            seatings of a deal with the same chance.
        ask: asks an agent for its actions, if it is not to be ``chosen_actions``.
    """
    deals, seatings, players = who.shape
    batch = Batch(game, deals * seatings, configuration, np.repeat(seeds, seatings).tolist(), auto_reset=False)
    at_seat = who.reshape(-1, players)
    listeners = [number for number, agent in agents.items() if agent.listens]
    followed = np.flatnonzero(np.isin(at_seat, listeners).any(axis=1))
    followers = _followers(batch, followed, seeds, seatings)
    last = LastDecisions(batch.states.copy(), np.zeros(batch.n, np.int64)) if final_draws > 1 else None
    returns, *others = play_out(batch, agents, at_seat, taken=taken, followers=followers, last=last, ask=ask)
    means = returns
    if last is not None:
        means = mean_returns(FinalChance(game, configuration, final_draws), last, returns, np.repeat(seeds, seatings))
    ended = returns, means, *others
    return Played(who, *(values[:, :players].reshape(*who.shape, *values.shape[2:]) for values in ended))


def mean_returns(chance: FinalChance, last: LastDecisions, returns: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """(n, P) float64: the means of games' returns, (n, P), when the chance after their last decisions is drawn again.

    Args:
        seeds: (n) uint64, of chance in the games.
    """
    again = [made_seed(Purpose.FINAL_CHANCE, seed) for seed in seeds.tolist()]
    return np.array([chance.mean_returns(*each) for each in zip(returns, *last, again, strict=True)])


def _followers(batch: Batch, games: np.ndarray, seeds: np.ndarray, seatings: int) -> dict[int, Follower]:
    """What has happened in these games, by number: kept only where somebody reads it."""
    followers = {i: Follower(batch, i) for i in games.tolist()}
    for i, follower in followers.items():
        follower.begin(follower.stream(int(seeds[i // seatings])))
    return followers


def play_out(
    batch: Batch,
    agents: Mapping[int, Agent],
    at_seat: np.ndarray,
    first: np.ndarray | None = None,
    taken: list[np.ndarray] | None = None,
    followers: Mapping[int, Follower] = MappingProxyType({}),
    last: LastDecisions | None = None,
    ask: Ask | None = None,
) -> tuple[np.ndarray, ...]:
    """Play the games of a batch from where they are to their end.

    Args:
        batch: without automatic reset.
        agents: by number.
        at_seat: (n, P): which agent has the seat, by number.
        first: (n) what is done first in each game, whatever its agent would do; −1 leaves it to the agent.
        taken: where for every step the (n) int32 actions are appended, −1 where a game was over.
        followers: of games whose past agents want to read, by number.
        last: where their last decisions are written, which each game must have.
        ask: asks an agent for its actions, if it is not to be ``chosen_actions``.

    Returns:
        Returns, points, winners, tallies, fallbacks, decisions and tokens, arrays of (n, seats) as in :class:`Played`.
    """
    games = np.arange(batch.n)
    returns = np.zeros((batch.n, batch.game.seats))
    tallies = np.zeros((batch.n, batch.game.seats, len(batch.game.metrics)), np.int32)
    answered = Answered.begin(batch.n, batch.game.seats)
    count, asked = batch.program.bind(tally_actions), ask or chosen_actions
    forced = np.full(batch.n, -1) if first is None else first
    while (under_way := batch.actors >= 0).any():
        owners = np.where(under_way & (forced < 0), at_seat[games, batch.actors.clip(0)], -1)
        actions = np.where(under_way, forced, -1).astype(np.int64)
        for number, agent in agents.items():
            its_turn = np.flatnonzero(owners == number)
            if len(its_turn):
                witnessed = {i: followers[i].events for i in its_turn.tolist() if i in followers}
                actions[its_turn] = asked(agent, SeatViews(batch, its_turn, witnessed or None))
                answered.add(agent, its_turn, batch.actors[its_turn])
        if batch.game.metrics:
            count(batch.states, actions, tallies)
        if last is not None:
            last.states[under_way], last.actions[under_way] = batch.states[under_way], actions[under_way]
        streams = {i: follower.stream() for i, follower in followers.items() if under_way[i]}
        batch.step(actions)
        for i, stream in streams.items():
            followers[i].follow(int(actions[i]), stream)
        if taken is not None:
            taken.append(batch.actions.copy())
        ended = batch.dones == 1
        returns[ended] = batch.rewards[ended]
        forced = np.full(batch.n, -1)
    return returns, *results_of(batch.program, batch.states), tallies, *answered
