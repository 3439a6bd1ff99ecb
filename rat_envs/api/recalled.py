"""What seats have decided earlier in their games: kept while many games are played, or rebuilt from what happened.

Both say the same, byte for byte. A seat is told only of its own decisions, and of each only what it saw at the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rat_envs.engine.batch import Batch
from rat_envs.engine.program import Program
from rat_envs.engine.story import Event

__all__ = ["NO_DECISION", "Recalled", "Recollection", "recalled_from"]

#: In place of an action where a seat has not decided so often.
NO_DECISION = -1


class Recalled(NamedTuple):
    """The last decisions of some seats, each in a game of its own, the latest first.

    Attributes:
        observations: (n, K, O) int8: what the seat saw when it decided; 0 where it has not decided so often.
        actions: (n, K) int64: what it did then, by the game's numbers; ``NO_DECISION`` where it has not.
    """

    observations: np.ndarray
    actions: np.ndarray

    @staticmethod
    def room(shape: tuple[int, ...], numbers: int) -> Recalled:
        """Nothing decided yet.

        Args:
            shape: of ``actions``.
            numbers: O.
        """
        return Recalled(np.zeros((*shape, numbers), np.int8), np.full(shape, NO_DECISION, np.int64))


class Recollection:
    """The last decisions of every seat in the games of a batch, for whoever plays them.

    Args:
        batch: the games.
        number: K, how many decisions of each seat are kept.

    Attributes:
        kept: arrays of (n, P, K, ...), of seat P in game n.
    """

    def __init__(self, batch: Batch, number: int) -> None:
        self.number = number
        shape = (batch.n, batch.game.seats, number)
        self.kept = Recalled.room(shape, batch.observations.shape[1])

    def note(self, batch: Batch, actions: np.ndarray) -> None:
        """Keep what the seat to act in each game sees, and does now.

        Args:
            batch: the games before the step; none of them is over.
            actions: (n) whole numbers, the game's.
        """
        place = np.arange(batch.n), batch.actors
        for room, latest in zip(self.kept, (batch.observations, actions), strict=True):
            room[(*place, slice(1, None))] = room[(*place, slice(None, -1))]
            room[(*place, 0)] = latest

    def clear(self, games: np.ndarray) -> None:
        """Forget games that begin anew."""
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
        """What is kept, by name."""
        return dict(self.kept._asdict())

    def set_state(self, arrays: Mapping[str, np.ndarray], actions: int) -> None:
        """Go on from :meth:`get_state`.

        Args:
            arrays: of the same shapes and types.
            actions: how many the game has.

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
    """The last decisions of one seat in each of some games, rebuilt from all that has happened there.

    Args:
        program: of the game.
        witnessed: (n) what has happened in each game, in order.
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
