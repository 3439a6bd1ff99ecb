"""What a network is given of games: the numbers of an observation that vary, and masks as it numbers actions."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import of_no_game
from rat_envs.engine.game import Game

__all__ = ["Numbering", "centred"]


class Numbering:
    """How a network numbers a game's actions: players whom they name are counted from the seat that acts.

    Args:
        game: whose.
        players: seats in each game.

    Attributes:
        meanings: (P, A) int64: by acting seat, the action of the game that each of the network's stands for.
        numbers: (P, A) int64: the reverse.
    """

    def __init__(self, game: Game, players: int) -> None:
        self.meanings = game.relative_actions[players].astype(np.int64)
        self.numbers = self.meanings.argsort(1)

    def masks(self, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """(n, A) int8: masks as the network numbers actions.

        Args:
            masks: (n, A) int8.
            seats: (n) who acts.
        """
        found = np.empty(masks.shape, np.int8)
        of_no_game(renumber)(masks, self.meanings, seats.astype(np.int64), found)
        return found


def renumber(masks, meanings, seats, found):
    """Write each mask as the network numbers the actions of its seat."""
    for i in range(len(found)):
        meant = meanings[seats[i]]
        for action in range(len(meant)):
            found[i, action] = masks[i, meant[action]]


def centred(observations: np.ndarray, columns: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """(n, F) int8: some numbers of (n, O) int8 observations, less ``centre`` (F)."""
    found = np.empty((len(observations), len(columns)), np.int8)
    of_no_game(take_centred)(np.ascontiguousarray(observations), columns, centre, found)
    return found


def take_centred(observations, columns, centre, found):
    """Write the numbers in these columns, less their centres."""
    for i in range(len(found)):
        for place in range(len(columns)):
            found[i, place] = observations[i, columns[place]] - centre[place]
