"""What a choice or a piece of knowledge is worth: the same positions are played on with it and without it.

Records of games cannot say it, because who is ahead chooses differently. Here positions come from games of strong play
(:func:`gather`), all choices are made in each of them, and the same agents play on with the same chance
(:func:`play_on`). An agent that has to forget something (:class:`Forgetful`) shows what it is worth to know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rat_envs.api.agent import Agent, chosen_actions
from rat_envs.api.named_agents import take_seat
from rat_envs.api.seats import SeatViews
from rat_envs.arena.match import seed_searches, seeded
from rat_envs.arena.pairing import Purpose, deal_seeds, made_seed
from rat_envs.arena.plan import deals_at_once
from rat_envs.arena.playing import play_out
from rat_envs.engine.batch import Batch
from rat_envs.engine.checks import checked_actions, checked_count
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, IllegalActionError
from rat_envs.engine.game import Game
from rat_envs.engine.program import program
from rat_envs.engine.registry import get_game
from rat_envs.engine.states import demand_possible

__all__ = ["Continued", "Forgetful", "gather", "play_on"]

ConfigLike = Mapping[str, Any] | Configuration | None


class Continued(NamedTuple):
    """How games ended that were played on from n positions; arrays of (n, P).

    Attributes:
        seats: (n) int32, who was to act in the position.
        returns: float64, the zero-sum results.
        scores: int32, the game's own points.
        winners: int8, 1 for a seat that has won.
    """

    seats: np.ndarray
    returns: np.ndarray
    scores: np.ndarray
    winners: np.ndarray

    def own(self, values: np.ndarray) -> np.ndarray:
        """(n): of (n, P) values that of the seat that was to act."""
        return values[np.arange(len(values)), self.seats]

    def leads(self) -> np.ndarray:
        """(n) int: the points of the seat that was to act, less those of the best of the others."""
        others = self.scores.astype(int)
        others[np.arange(len(others)), self.seats] = np.iinfo(np.int32).min
        return self.own(self.scores) - others.max(axis=1)


def gather(
    game: str | Game,
    agent: str | Agent,
    wanted: Callable[[Batch], np.ndarray],
    config: ConfigLike = None,
    games: int = 1000,
    seed: int = 0,
) -> np.ndarray:
    """Positions of games in which all seats have the same agent: at most one of each game, so they are independent.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        agent: by name or as an object.
        wanted: for a batch of games, (n) bool: where it is at a position of the kind in question. Of all of these in
            a game one is drawn, each with the same chance.
        config: options by name.
        games: how many are played.
        seed: of chance, of the agent's random numbers, and of what is drawn.

    Returns:
        (k) records of ``STATE``, in each of which a seat is to act; equal arguments give equal records.
    """
    game = get_game(game)
    configuration = game.configuration.make(config)
    player = take_seat(agent, game, configuration, seed)
    games = checked_count("games", games)
    seeds, random = deal_seeds(seed, 0, games).tolist(), np.random.default_rng([seed, games])
    gathered = []
    with seeded([player], seed):
        for part in parts_of(games, [player], seed):
            batch = Batch(game, len(seeds[part]), configuration, seeds[part], auto_reset=False)
            gathered.append(gather_from(batch, player, wanted, random))
    return np.concatenate(gathered)


def gather_from(
    batch: Batch, player: Agent, wanted: Callable[[Batch], np.ndarray], random: np.random.Generator
) -> np.ndarray:
    """Positions of the games of a batch, which are played to their ends."""
    kept, met = batch.states.copy(), np.zeros(batch.n, int)
    while len(going_on := np.flatnonzero(batch.actors >= 0)):
        here = (batch.actors >= 0) & np.asarray(wanted(batch), bool)
        met += here
        drawn = here & (random.random(batch.n) * met < 1)
        kept[drawn] = batch.states[drawn]
        actions = np.full(batch.n, -1)
        actions[going_on] = chosen_actions(player, SeatViews(batch, going_on))
        batch.step(actions)
    return kept[met > 0]


def parts_of(games: int, players: Sequence[Agent], seed: int) -> Iterator[slice]:
    """The games that are played at the same time; for each part searches have random numbers of its own."""
    at_once = deals_at_once(players, games)
    for number, start in enumerate(range(0, games, at_once)):
        if number:
            seed_searches(players, seed, number)
        yield slice(start, start + at_once)


def play_on(
    game: str | Game,
    rows: np.ndarray,
    agent: str | Agent,
    others: str | Agent | None = None,
    first: int | np.ndarray = -1,
    config: ConfigLike = None,
    seed: int = 0,
) -> Continued:
    """Play on from positions to the end of the game, with the same chance whenever it is called with the same seed.

    Args:
        game: a registered name or a :class:`~rat_envs.engine.game.Game`.
        rows: (n) records of ``STATE``, in each of which a seat is to act: from :func:`gather`, from ``determinize``, or
            changed by hand.
        agent: who plays for the seat that is to act, by name or as an object.
        others: who plays for all other seats; the same, if not given.
        first: the action, or (n) of them, with which the seat to act begins, whatever its agent would do; −1 leaves it
            to the agent.
        config: the options of all rows, by name.
        seed: of chance and of the agents' random numbers.

    Raises:
        CheckpointError: one of the rows breaks the rules, as far as saved states are checked.
        ConfigurationError: nobody is to act in one of them.
        IllegalActionError: ``first`` is not legal in one of them.
    """
    game = get_game(game)
    named = [agent, agent if others is None else others]
    configuration = game.configuration.make(config)
    players = {number: take_seat(one, game, configuration, seed) for number, one in enumerate(named)}
    demand_rows(game, rows)
    first = checked_actions(first, len(rows)).reshape(-1)
    first = np.broadcast_to(first, len(rows))
    if (first < -1).any():
        raise IllegalActionError(f"first={first.min()}: must be an action, or -1 to leave it to the agent.")
    seeds = deal_seeds(made_seed(Purpose.PLAYED_ON, seed), 0, len(rows)).tolist()  # not those that gather played with
    ended = []
    with seeded(list(players.values()), seed):
        for part in parts_of(len(rows), list(players.values()), seed):
            batch = Batch(game, len(rows[part]), configuration, seeds[part], auto_reset=False)
            demand_possible(program(game), rows[part], batch.states["config"])
            batch.states[:] = rows[part]
            batch.refresh()
            seats = batch.actors.copy()
            if (seats < 0).any():
                number = part.start + int(seats.argmin())
                raise ConfigurationError(f"rows: in row {number} nobody is to act, so leave it out.")
            at_seat = np.where(np.arange(configuration.players) == seats[:, None], 0, 1)
            results = play_out(batch, players, at_seat, first[part])
            ended.append((seats, *(values[:, : configuration.players] for values in results[:3])))
    return Continued(*map(np.concatenate, zip(*ended, strict=True)))


def demand_rows(game: Game, rows: Any) -> None:
    """Refuse what are no positions to play on from.

    Raises:
        ConfigurationError: they are no records of ``STATE``, or there is none.
    """
    if getattr(rows, "dtype", None) != game.state or np.ndim(rows) != 1 or not len(rows):
        raise ConfigurationError(f"rows: must be one or more records of {game.title}, such as gather finds.")


class Forgetful(Agent):
    """An agent that does not know something that it saw.

    Args:
        agent: who plays; no agent that searches, because that asks the game itself what could be.
        forget: changes, in place, (n) records of the game's ``OBSERVATION`` into what they would be had it not seen it.
    """

    def __init__(self, agent: Agent, forget: Callable[[np.ndarray], None]) -> None:
        self.agent, self.forget = agent, forget  # whose random numbers stay as they are
        self.name, self.has_policy = f"{agent.name}, forgetful", agent.has_policy

    def check(self, game: Game, configuration: Configuration) -> None:
        """What the agent can play."""
        self.agent.check(game, configuration)

    def seed(self, seed: Any) -> None:
        """Start the agent's random numbers anew."""
        self.agent.seed(seed)

    def get_state(self) -> Any:
        """The agent's."""
        return self.agent.get_state()

    def set_state(self, state: Any) -> None:
        """The agent's."""
        self.agent.set_state(state)

    def policy_batch(self, views: SeatViews) -> np.ndarray:
        """(n, A) float64: the agent's probabilities, as far as it remembers."""
        return self.agent.policy_batch(self._remembered(views))

    def act_batch(self, views: SeatViews) -> np.ndarray:
        """(n) int64: the agent's actions, as far as it remembers."""
        actions = self.agent.act_batch(self._remembered(views))
        self.fell_back, self.spent = self.agent.fell_back, self.agent.spent
        return actions

    def value_batch(self, views: SeatViews) -> np.ndarray | None:
        """(n) float64: what the agent expects, as far as it remembers."""
        return self.agent.value_batch(self._remembered(views))

    def _remembered(self, views: SeatViews) -> SeatViews:
        observations = views.observations.copy()
        self.forget(observations.view(views.game.observation)[:, 0])
        return views.showing(observations)
