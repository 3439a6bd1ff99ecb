"""The pieces, and the row that holds a whole game."""

from __future__ import annotations

import numpy as np

from rat_envs.games.rattus.configuration import RattusConfiguration
from rat_envs.games.rattus.tables import CARDS, REGIONS, START, TOKEN_IDS

PEASANT, MERCHANT, MONK, KNIGHT, WITCH, KING = range(len(CARDS))

SEATS = 4
CUBES = 20
SLOTS = 3
NONE = -1
#: Cubes that the plague piece counts for with the Knight (RT-44).
NEUTRAL_CUBES = 2
#: Piles of tokens: from the supply, or laid out at set-up (RT-05).
SUPPLY_PILE, START_PILE = 0, 1

#: What the next node is about; ``GO_ON`` when nobody is asked yet.
GO_ON, PLAGUE_BEGINS, SETTLE, MAIN, MERCHANT_TO, MONK_TO, WITCH_AGAIN, WITCH_SWAP, SEE = range(9)
SPREAD, BONUS, FLIP, KING_LATE, FINAL, DRAW_LOTS, OVER = range(9, 16)

#: Steps taken when nobody is asked: those at the end of a turn, then those at the end of the game.
SPREADING, ASKING_KNIGHT, RAVAGING, ASKING_KING, ENDING_TURN, FINAL_ROUND, FINAL_RAVAGE = range(7)
#: Why a token is being seen.
NOTHING_SEEN, LOOKED_AT, FLIPPED = range(3)

#: The first region of each set: a table, because trying regions one by one is slow.
FIRST_REGION = np.array(
    [0, *((regions & -regions).bit_length() - 1 for regions in range(1, 1 << len(REGIONS)))], np.int8
)

STATE = np.dtype(
    (
        np.record,
        [
            ("config", RattusConfiguration.dtype()),
            ("phase", "i1"),
            ("stage", "i1"),
            ("actor", "i1"),
            # The board; sets of regions hold bit r for region r
            ("in_play", "i1", (len(REGIONS),)),
            ("neighbours", "i2", (len(REGIONS),)),
            ("two_steps", "i2", (len(REGIONS),)),  # regions one or two steps away (RT-43)
            ("with_room", "i2"),  # fewer than three rats (RT-21)
            # Pieces
            ("stock", "i1", (SEATS,)),
            ("palace", "i1", (SEATS,)),
            ("cubes", "i1", (SEATS, len(REGIONS))),
            ("holder", "i1", (len(CARDS),)),
            ("plague", "i1"),
            ("supply", "i1"),
            # Tokens on the board, by slot and region (RT-23); 0 or NONE where none lies
            ("rats", "i1", (len(REGIONS),)),
            ("face", "i1", (SLOTS, len(REGIONS))),  # NONE while nobody has seen it (RT-73)
            ("pile", "i1", (SLOTS, len(REGIONS))),
            ("looked", "i1", (SLOTS, len(REGIONS))),  # seats that have looked at it, one bit each
            ("any_looked", "i2", (SLOTS,)),  # regions where that is not 0
            # Faces, by token
            ("seen", "i1", (len(TOKEN_IDS),)),  # seats that have seen it, one bit each
            ("flipped", "i1", (len(TOKEN_IDS),)),
            # Start faces seen on tokens of the supply pile: by anybody (RT-80), and by each seat (RT-72)
            ("start_drawn", "i1"),
            ("start_seen", "i1", (SEATS,)),
            # The turn
            ("settled", "i1"),  # placements made at set-up (RT-07)
            ("active", "i1"),
            ("card_taken", "i1"),
            ("cubes_placed", "i1"),
            ("used", "i1", (len(CARDS),)),
            ("spread_left", "i1"),
            ("neutral", "i1"),  # the region where the plague piece counts as cubes
            # An ability in progress (RT-40, RT-41, RT-45)
            ("chosen_regions", "i1", (2,)),
            ("chosen_slots", "i1", (2,)),
            ("cubes_moving", "i1"),
            # A token being seen
            ("seen_region", "i1"),
            ("seen_slot", "i1"),
            ("seen_because", "i1"),
            # The end
            ("last_active", "i1"),  # NONE before the final round
            ("region_ravaged", "i1"),
        ],
    )
)


def seats(row):
    """Number of seats."""
    return row.config.players


def holds(row, seat, card):
    """Whether a class card lies before ``seat``."""
    return row.holder[card] == seat


def may_use(row, card):
    """RT-16: the active player holds the card and has not used it this turn."""
    return row.holder[card] == row.active and not row.used[card]


def contains(regions, region):
    """Whether a set of regions holds ``region``."""
    return (regions >> region) & 1


def first_of(regions):
    """The first region of a set that is not empty."""
    return FIRST_REGION[regions]


def allow_regions(mask, first, regions):
    """Allow the actions of a block that name a region of a set."""
    for region in range(len(REGIONS)):
        mask[first + region] = contains(regions, region)


def is_in_play(row, region):
    """RT-01."""
    return row.in_play[region]


def has_room_beside(row, region):
    """Whether a neighbour has fewer than three rats (RT-21, RT-41)."""
    return row.neighbours[region] & row.with_room != 0


def cubes_in(row, region):
    """Cubes in a region, of all colours."""
    number = 0
    for seat in range(SEATS):
        number += row.cubes[seat, region]
    return number


def is_start_face(token):
    """Whether a token has the purple ring."""
    return token < START


def left_over(row):
    """RT-03: start tokens that were mixed into the regular ones."""
    return 2 * (SEATS - seats(row))
