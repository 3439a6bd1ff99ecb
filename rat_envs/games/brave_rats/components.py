"""The cards, and the row that holds a whole game."""

from __future__ import annotations

import numpy as np

from rat_envs.games.brave_rats.configuration import BraveRatsConfiguration

#: Notation of the cards, by value.
CARDS = ("musician", "princess", "spy", "assassin", "ambassador", "wizard", "general", "prince")
MUSICIAN, PRINCESS, SPY, ASSASSIN, AMBASSADOR, WIZARD, GENERAL, PRINCE = range(8)
KINDS = len(CARDS)
NO_CARD = -1
NO_SEAT = -1

#: What the next node is about.
DEAL, PRINCES, REVEAL, KEEP, GIVE, DRAW, PLAY, OVER = range(8)

HELD_FROM_PILE = 3
PACKET_SIZE = 4
HAND_SIZE = 8

#: Cards are counts by kind (BR-28). A chosen card stays in the hand until both are revealed (BR-30).
STATE = np.dtype(
    (
        np.record,
        [
            ("config", BraveRatsConfiguration.dtype()),
            ("phase", "i1"),
            ("actor", "i1"),
            ("undealt", "i1", (KINDS,)),
            ("hand", "i1", (2, KINDS)),
            ("pile", "i1", (2, KINDS)),
            ("packet", "i1", (KINDS,)),
            ("packets_done", "i1"),
            ("kept_unseen", "i1", (2, KINDS)),  # by each opener, until the draft is over (BR-32)
            ("given", "i1"),  # player_0's card on its way to player_1 (BR-20)
            ("chosen", "i1", (2,)),
            ("rounds_won", "i1", (2,)),
            ("rounds_on_hold", "i1", (2,)),  # what they are worth to each player (BR-10)
            ("plus_two", "i1", (2,)),
            ("spied", "i1"),  # the seat that reveals first in this round
            ("games_won", "i1", (2,)),
            ("games_played", "i1"),
        ],
    )
)
