"""One game walked node by node, with chance in the caller's hands: for records, solvers, the terminal and tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rat_envs.engine.attributes import copied
from rat_envs.engine.checks import checked_index, checked_seed, checked_stream, whole_or
from rat_envs.engine.configuration import Configuration
from rat_envs.engine.errors import IllegalActionError, shown
from rat_envs.engine.game import CHANCE, EVERYTHING, TERMINAL, Game, PointOfView
from rat_envs.engine.program import program
from rat_envs.engine.random import OWN_STREAM, STREAM
from rat_envs.engine.registry import get_game
from rat_envs.engine.states import demand_row

__all__ = ["Position", "new_stream"]


def new_stream(game: str | Game, seed: int, compiled: bool | None = None) -> Any:
    """A separate random stream, for :meth:`Position.sample` and ``determinize``: one record of ``STREAM``.

    Raises:
        UnknownNameError: there is no such game.
        ConfigurationError: ``seed`` is not a whole number from 0 to 2**64 - 1.
    """
    streams = np.zeros(1, STREAM)
    program(get_game(game), compiled).seed_stream(streams[0], np.uint64(checked_seed(seed)), OWN_STREAM)
    return streams[0]


class Position:
    """A game at one node.

    Args:
        game: a registered name or a :class:`Game`.
        config: options by name, or a configuration.
        compiled: as for :class:`~rat_envs.engine.batch.Batch`.

    Raises:
        ConfigurationError: an option is wrong.
        UnknownNameError: there is no such game.
    """

    def __init__(
        self, game: str | Game, config: Mapping[str, Any] | Configuration | None = None, compiled: bool | None = None
    ) -> None:
        self.game = get_game(game)
        self.program = program(self.game, compiled)
        self.configuration = self.game.configuration.make(config)
        self._rows = self.game.new_row(self.configuration)
        self._state: Any = self._rows[0]
        self.program.setup(self._state)

    @property
    def state(self) -> Any:
        """The record of the game's ``STATE``. It may be changed in place; one that is assigned is copied.

        Raises:
            ConfigurationError: what is assigned is not such a record, or no game with this configuration can be in it.
        """
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        demand_row(self.game, state, self._state["config"])
        self._rows[0] = state

    def __repr__(self) -> str:
        who = "it is over" if self.is_over else f"{'chance' if self.is_chance else f'player_{self.actor}'} is to act"
        return f"<Position of {self.game.title}: {who}>"

    def copy(self) -> Position:
        """The same node, to be played on independently."""
        other = object.__new__(Position)
        other.game, other.program, other.configuration = self.game, self.program, self.configuration
        other._rows = copied(self._rows)
        other._state = other._rows[0]
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        twin = memo[id(self)] = self.copy()  # in which the state is a part of the row, as here
        return twin

    def __getstate__(self) -> dict[str, Any]:
        shared = {"game": self.game, "configuration": self.configuration, "compiled": self.program.compiled}
        return {**shared, "rows": copied(self._rows)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.game, self.configuration = state["game"], state["configuration"]
        self.program = program(self.game, state["compiled"])
        self._rows = state["rows"]
        self._state = self._rows[0]

    @property
    def actor(self) -> int:
        """The seat to act, ``CHANCE`` or ``TERMINAL``."""
        return int(self.program.actor(self.state))

    @property
    def is_chance(self) -> bool:
        """Whether an outcome, not a player's action, comes next."""
        return self.actor == CHANCE

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.actor == TERMINAL

    def mask(self) -> np.ndarray:
        """(A,) int8: 1 for every action the actor may take."""
        mask = np.zeros(len(self.game.actions), np.int8)
        self.program.legal(self.state, mask)
        return mask

    def weights(self) -> np.ndarray:
        """(C,) int32: the weight of every outcome at a chance node."""
        weights = np.zeros(len(self.game.outcomes), np.int32)
        self.program.chance(self.state, weights)
        return weights

    def legal(self) -> list[str]:
        """The sorted notation of every legal action."""
        return sorted(self.game.actions[a] for a in np.flatnonzero(self.mask()))

    def chances(self) -> dict[str, int]:
        """The notation of every possible outcome, with its integer weight."""
        weights = self.weights()
        return {self.game.outcomes[a]: int(weights[a]) for a in np.flatnonzero(weights)}

    def apply(self, action: int | str) -> None:
        """Apply a legal action, or an outcome at a chance node.

        Raises:
            IllegalActionError: it cannot happen here; the position is left as it was.
        """
        numbers = self.game.outcome_numbers if self.is_chance else self.game.action_numbers
        if self.is_over:
            raise IllegalActionError(f"{shown(action)} comes after the game is over.")
        number = numbers.get(action, -1) if isinstance(action, str) else whole_or(action, -1)
        possible = self.weights() if self.is_chance else self.mask()
        if not 0 <= number < len(possible) or not possible[number]:
            who = "chance" if self.is_chance else f"player_{self.actor}"
            right = ", ".join(self.chances() if self.is_chance else self.legal())
            raise IllegalActionError(f"{who} cannot do {shown(action)} here; possible are {right}.")
        self.program.apply(self.state, number)

    def sample(self, stream: Any) -> str:
        """Draw an outcome at a chance node, or a uniform legal action: its notation. The position does not change.

        Args:
            stream: a random stream, as :func:`new_stream` makes it.

        Raises:
            ConfigurationError: it is not a random stream.
            IllegalActionError: the game is over.
        """
        checked_stream(stream)
        if self.is_over:
            raise IllegalActionError("Nothing comes after the game is over.")
        if self.is_chance:
            return self.game.outcomes[int(self.program.draw_weighted(stream, self.weights()))]
        return self.game.actions[int(self.program.draw_weighted(stream, self.mask().astype(np.int32)))]

    def drawing(self, point_of_view: PointOfView) -> str:
        """The table as SVG.

        Args:
            point_of_view: a seat, None for what everybody knows, or ``"all"`` for the table with nothing hidden.

        Raises:
            ConfigurationError: the game has no view in which nothing is hidden.
        """
        if isinstance(point_of_view, str) and point_of_view == EVERYTHING:
            self.game.demand_everything()
        elif point_of_view is not None:
            point_of_view = checked_index("seat", point_of_view, self.configuration.players)
        return self.game.drawing(self.state, point_of_view)

    def _repr_svg_(self) -> str:
        """What a notebook shows: the table as the seat to act sees it, or as everybody does if there is none."""
        return self.game.drawing(self.state, self.actor if self.actor >= 0 else None)

    def observe(self, seat: int) -> np.ndarray:
        """What ``seat`` knows: a record array of shape (1,) of the game's ``OBSERVATION``.

        Raises:
            ConfigurationError: there is no such seat.
        """
        seat = checked_index("seat", seat, self.configuration.players)
        records = np.zeros(1, self.game.observation)
        self.program.observe_whole(self.state, seat, records[0])
        return records

    def determinize(self, seat: int, stream: Any) -> None:
        """Replace, in place, what ``seat`` cannot know by a sample of what it could be.

        Args:
            seat: the number of a seat.
            stream: a random stream, as :func:`new_stream` makes it.

        Raises:
            ConfigurationError: there is no such seat, or it is not a random stream.
        """
        seat = checked_index("seat", seat, self.configuration.players)
        self.program.determinize(self.state, seat, checked_stream(stream))

    def returns(self) -> list[float]:
        """The zero-sum result by seat, when the game is over."""
        out = np.zeros(self.game.seats)
        self.program.returns(self.state, out)
        return [float(value) for value in out[: self.configuration.players]]

    def scores(self) -> list[int]:
        """The game's own points by seat."""
        out = np.zeros(self.game.seats, np.int32)
        self.program.scores(self.state, out)
        return [int(value) for value in out[: self.configuration.players]]

    def winners(self) -> list[int]:
        """The seats that have won, when the game is over."""
        out = np.zeros(self.game.seats, np.int8)
        self.program.winners(self.state, out)
        return np.flatnonzero(out).tolist()
