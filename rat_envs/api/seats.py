"""The views of seats to act, which an agent gets; it never gets the games themselves."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rat_envs.api.recalled import Recalled, Recollection, recalled_from
from rat_envs.engine.batch import Batch
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import ConfigurationError, IllegalActionError
from rat_envs.engine.position import Position
from rat_envs.engine.story import Event, news, story

__all__ = ["Playable", "SeatViews", "batch_of"]

#: A batch, a position, a PettingZoo AEC environment of a rat game or gymnasium's of one seat (in wrappers or not), a
#: narrator, or views of seats.
Playable = Any


def batch_of(env: Playable) -> Batch:
    """The games behind an environment, or a position as a batch of one.

    Raises:
        ConfigurationError: it is not an environment of a rat game in which one agent acts at a time.
        IllegalActionError: no seat is to act at the position.
    """
    if isinstance(env, Position):
        return _batch_at(env)
    batch = env if isinstance(env, Batch) else getattr(getattr(env, "unwrapped", None), "batch", None)
    if not isinstance(batch, Batch):
        raise ConfigurationError(
            "Agents see the seats of a Batch, of a Position, of a PettingZoo AEC environment of a rat game, or of "
            f"gymnasium's of one seat, not of {env!r:.80}: make one with rat_envs.make or rat_envs.single; if another "
            "library has wrapped it, give what is inside, the wrapper's .env."
        )
    return batch


def _batch_at(position: Position) -> Batch:
    if position.actor < 0:
        now = "the game is over" if position.is_over else "chance is to act"
        raise IllegalActionError(f"No seat is to act at this position: {now}.")
    batch = Batch(position.game, 1, position.configuration, seed=0, compiled=position.program.compiled)
    batch.states[0] = position.state
    batch.refresh()
    return batch


def refuse_to_determinize(rows: np.ndarray, seats: np.ndarray, stream: Any) -> None:
    """Refuse to determinize views that do not show the true observations.

    Raises:
        ConfigurationError: always.
    """
    raise ConfigurationError(
        "These views show something other than their games, so no game can be drawn that fits them: an agent that "
        "searches cannot be asked here."
    )


class SeatViews:
    """Some seats, each to act in a game of its own, and everything that they know.

    Args:
        env: the games: a batch, or a position, a PettingZoo AEC environment or gymnasium's of one seat, in wrappers or
            not, which are batches of one. Actions are the game's: of gymnasium's environment ``Agent.act`` gives the
            number that its ``step`` takes.
        games: (n) the numbers of the games to view; all, if not given. Observations and masks are copied.
        witnessed: for each game by number, all its events so far, if the caller records them; a narrator does.
        recollection: the seats' last decisions, if the caller records only these.
        at_once: whether the views are used only until the games go on. The games' states, which few agents need, are
            then not copied.

    Attributes:
        game: the game.
        seats: (n) int32, the seat to act in each game.
        players: (n) int32, the number of seats in each game.
        observations: (n, O) int8, what each seat observes.
        masks: (n, A) int8, 1 for each legal action.

    Raises:
        ConfigurationError: there are no such games in ``env``.
    """

    def __init__(
        self,
        env: Playable,
        games: np.ndarray | None = None,
        witnessed: Mapping[int, Sequence[Event]] | None = None,
        recollection: Recollection | None = None,
        at_once: bool = False,
    ) -> None:
        batch = batch_of(env)
        self.__witnessed = getattr(env, "witnessed", {}) if witnessed is None else witnessed
        self.__recollection = recollection
        self.__program = batch.program
        self.__games = np.arange(batch.n) if games is None else np.asarray(games)
        self.__states, self.__rows = batch.states, self.__games
        if not at_once:
            self.__states, self.__rows = batch.states.take(self.__games), np.arange(len(self.__games))
        self.__configurations = batch.configurations
        self.__determinize = batch.program.determinize_rows
        self.game = batch.game
        self.seats = batch.actors.take(self.__games)
        self.players = batch.players.take(self.__games)
        self.observations = batch.observations.take(self.__games, 0)
        self.masks = batch.masks.take(self.__games, 0)

    def configuration(self, i: int) -> Configuration:
        """The options of seat ``i``'s game."""
        return self.__configurations[self.__games[i]]

    def configurations(self) -> list[Configuration]:
        """The options of all the games, without repetitions of the same object."""
        theirs = map(self.__configurations.__getitem__, self.__games.tolist())
        return list({id(each): each for each in theirs}.values())

    def __len__(self) -> int:
        return len(self.seats)

    def story(self, i: int) -> list[str] | None:
        """The sentences that seat ``i`` has been told since the game began; None if no events are recorded."""
        events = self.__witnessed.get(int(self.__games[i]))
        return None if events is None else story(events, int(self.seats[i]))

    def news(self, i: int) -> list[str] | None:
        """The sentences of :meth:`story` since the last decision of seat ``i``, including its outcome."""
        events = self.__witnessed.get(int(self.__games[i]))
        return None if events is None else news(events, int(self.seats[i]))

    def decisions(self, i: int) -> int | None:
        """The number of decisions of seat ``i`` in its game so far; None if no events are recorded."""
        events = self.__witnessed.get(int(self.__games[i]))
        return None if events is None else sum(event.actor == int(self.seats[i]) for event in events)

    def number(self, i: int) -> int:
        """The number of seat ``i``'s game among those played together. It only distinguishes them."""
        return int(self.__games[i])

    def recalled(self, number: int) -> Recalled | None:
        """The last decisions of each seat in its game: what it saw and what it did; None if they are not recorded.

        Args:
            number: the most decisions of each seat.
        """
        if self.__recollection is not None:
            return self.__recollection.of(self.__games, self.seats, number)
        kept = [self.__witnessed.get(game) for game in self.__games.tolist()]
        events = [each for each in kept if each is not None]
        return recalled_from(self.__program, events, self.seats, number) if len(events) == len(kept) else None

    def only(self, chosen: np.ndarray) -> SeatViews:
        """Some of the seats, by their numbers here."""
        part = copy.copy(self)
        part.__games, part.__rows = self.__games[chosen], self.__rows[chosen]
        for name in ("seats", "players", "observations", "masks"):
            setattr(part, name, getattr(self, name)[chosen])
        return part

    def showing(self, observations: np.ndarray, masks: np.ndarray | None = None) -> SeatViews:
        """The same seats with other observations, to ask what an agent would do if it knew less, or something else.

        The new views cannot be determinized, because a sampled game would fit the true observations. They have no
        story, no news and no earlier decisions.

        Args:
            observations: (n, O) int8.
            masks: (n, A) int8, the legal actions; those of these views, if not given.
        """
        part = copy.copy(self)
        part.observations = observations
        part.masks = self.masks if masks is None else masks
        part.__determinize = refuse_to_determinize
        part.__witnessed, part.__recollection = {}, None
        return part

    def determinize(self, stream: Any) -> np.ndarray:
        """(n) records of ``STATE``: for each seat a whole game that fits its knowledge, drawn at random.

        Args:
            stream: a random stream, as ``new_stream`` makes it.

        Raises:
            ConfigurationError: these views were made by :meth:`showing`.
        """
        return self.__determinized(slice(None), stream)

    def determinize_one(self, i: int, stream: Any) -> np.ndarray:
        """(1,) records of ``STATE``: the same as :meth:`determinize`, for seat ``i`` alone, with the same errors."""
        return self.__determinized(slice(i, i + 1), stream)

    def __determinized(self, part: slice, stream: Any) -> np.ndarray:
        rows = self.__states.take(self.__rows[part])
        self.__determinize(rows, self.seats[part], stream)
        return rows
