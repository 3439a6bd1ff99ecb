"""The inputs of a network: the numbers of an observation that vary, and masks as the network numbers actions."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.differences import TOGETHER, subtract_together
from rat_envs.engine.game import Game
from rat_envs.engine.rows import copy_row

__all__ = ["Numbering", "note_centred", "stretches"]


class Numbering:
    """How a network numbers a game's actions: the players in them are counted from the seat that acts.

    Args:
        game: the game.
        players: seats in each game.

    Attributes:
        meanings: (P, A) int64: by acting seat, the game's action for each of the network's.
        numbers: (P, A) int64: the reverse.
        moved: (k) int64: the network's actions that do not mean the same action at every seat.
    """

    def __init__(self, game: Game, players: int) -> None:
        self.meanings = game.relative_actions[players].astype(np.int64)
        self.numbers = self.meanings.argsort(1)
        self.moved = np.flatnonzero((self.meanings != np.arange(self.meanings.shape[1])).any(0))

    def masks(self, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """(n, A) int8: masks as the network numbers actions.

        Args:
            masks: (n, A) int8.
            seats: (n) who acts.
        """
        found = np.empty(masks.shape, np.int8)
        self.note(found, np.arange(len(masks)), masks, seats)
        return found

    def note(self, found: np.ndarray, rows: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> None:
        """Write some masks as the network numbers actions.

        Args:
            found: (n, A) int8, of which these rows are written.
            rows: (k) int64.
            masks: (n, A) int8.
            seats: (n) who acts.
        """
        of_no_game(note_masks)(found, rows, masks, self.meanings, self.moved, seats.astype(np.int64))


def note_masks(found, rows, masks, meanings, moved, seats):
    """Write some masks as the network numbers the actions of the seats."""
    for row in rows:
        copy_row(masks[row], found[row])
        meant = meanings[seats[row]]
        for action in moved:
            found[row, action] = masks[row, meant[action]]


def stretches(columns: np.ndarray) -> np.ndarray:
    """(k + 1) int64: where each run of consecutive numbers among ascending columns begins, and where the last ends."""
    return np.unique(np.concatenate([[0], np.flatnonzero(np.diff(columns) != 1) + 1, [len(columns)]]))


def note_centred(found, rows, observations, columns, begins, centre):
    """Write the numbers in these columns of some rows of (n, O) int8 observations, less their centres, into the first
    places of the same rows.

    Args:
        begins: the result of :func:`stretches` for the columns.
    """
    for row in rows:
        note_stretches(found[row], observations[row], columns, begins, centre)


def note_stretches(found, seen, columns, begins, centre):
    """Write the numbers in these columns, less their centres, into the first places."""
    number, width = len(columns), len(seen)
    for k in range(len(begins) - 1):
        place, column = begins[k], columns[begins[k]]
        while place < begins[k + 1]:
            if place + TOGETHER <= number and column + TOGETHER <= width:  # its excess is overwritten later
                subtract_together(found, place, seen, column, centre)
                place += TOGETHER
                column += TOGETHER
            else:
                found[place] = seen[column] - centre[place]
                place += 1
                column += 1
