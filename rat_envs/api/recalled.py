"""The earlier decisions of seats in their games: recorded while many games are played, or rebuilt from events.

Both give the same, byte for byte. A seat gets only its own decisions, each with what it saw at the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rat_envs.engine.batch import Batch
from rat_envs.engine.program import Program
from rat_envs.engine.story import Event

__all__ = ["NO_DECISION", "Recalled", "Recollection", "recalled_from"]

#: Stands in place of an action if a seat has made fewer decisions.
NO_DECISION = -1


class Recalled(NamedTuple):
    """The last decisions of some seats, each in a game of its own, the latest first.

    Attributes:
        observations: (n, K, O) int8: the seat's observation when it decided; 0 where it has made fewer decisions.
        actions: (n, K) int64: the action it took, by the game's numbers; ``NO_DECISION`` where there is none.
    """

    observations: np.ndarray
    actions: np.ndarray

    @staticmethod
    def room(shape: tuple[int, ...], numbers: int) -> Recalled:
        """Arrays for decisions, none of them made yet.

        Args:
            shape: that of ``actions``.
            numbers: O.
        """
        return Recalled(np.zeros((*shape, numbers), np.int8), np.full(shape, NO_DECISION, np.int64))


class Recollection:
    """The last decisions of every seat in the games of a batch, recorded by the code that plays them.

    Args:
        batch: the games.
        number: K, the number of decisions of each seat that are kept.

    Attributes:
        kept: arrays (n, P, K, ...), by game, seat and decision.
    """

    def __init__(self, batch: Batch, number: int) -> None:
        self.number = number
        shape = (batch.n, batch.game.seats, number)
        self.kept = Recalled.room(shape, batch.observations.shape[1])

    def note(self, batch: Batch, actions: np.ndarray) -> None:
        """Keep the observation and the action of the seat to act in each game.

        Args:
            batch: the games before the step; none of them is over.
            actions: (n) whole numbers, the game's.
        """
        place = np.arange(batch.n), batch.actors
        for room, latest in zip(self.kept, (batch.observations, actions), strict=True):
            room[(*place, slice(1, None))] = room[(*place, slice(None, -1))]
            room[(*place, 0)] = latest

    def clear(self, games: np.ndarray) -> None:
        """Forget the decisions in games that begin anew."""
        self.kept.observations[games] = 0
        self.kept.actions[games] = NO_DECISION

    def of(self, games: np.ndarray, seats: np.ndarray, number: int) -> Recalled | None:
        """The last decisions of one seat in each of some games; None if fewer are kept.

        Args:
            games, seats: (n).
            number: K.
        """
        if number > self.number:
            return None
        return Recalled(*(room[games, seats, :number] for room in self.kept))

    def get_state(self) -> dict[str, np.ndarray]:
        """The arrays that are kept, by name."""
        return dict(self.kept._asdict())

    def set_state(self, arrays: Mapping[str, np.ndarray], actions: int) -> None:
        """Restore what :meth:`get_state` returned.

        Args:
            arrays: arrays of the same shapes and types.
            actions: the number of the game's actions.

        Raises:
            ValueError: they do not fit together.
        """
        there = arrays["actions"] != NO_DECISION
        if ((arrays["actions"] < NO_DECISION) | (arrays["actions"] >= actions)).any():
            raise ValueError("a seat has decided something that is not an action")
        if (there[..., 1:] & ~there[..., :-1]).any() or arrays["observations"][~there].any():
            raise ValueError("a seat recalls what it has not decided")
        for name, room in self.kept._asdict().items():
            room[:] = arrays[name]


def recalled_from(program: Program, witnessed: Sequence[Sequence[Event]], seats: np.ndarray, number: int) -> Recalled:
    """The last decisions of one seat in each of some games, rebuilt from their events.

    Args:
        program: the game's program.
        witnessed: (n) the events of each game, in order.
        seats: (n).
        number: K.
    """
    game = program.game
    found = Recalled.room((len(seats), number), game.observation.itemsize)
    records = found.observations.view(game.observation)[..., 0]
    for i, (events, seat) in enumerate(zip(witnessed, seats.tolist(), strict=True)):
        own = (event for event in reversed(events) if event.actor == seat)
        for k, event in zip(range(number), own, strict=False):
            program.observe_whole(event.before, seat, records[i, k])
            found.actions[i, k] = event.action
    return found
