"""The pieces, and the row that holds a whole game."""

from __future__ import annotations

import numpy as np

from rat_envs.games.comme_des_rats.configuration import (
    CARDS,
    FACES,
    PILE_SIZE,
    ROLES,
    THIRD_RAT_CARDS,
    CommeDesRatsConfiguration,
)

KEY1, KEY2, STEAL, CLAW, HEAL = range(len(FACES))
TRAP, CHEESE1, CHEESE2, CLOVER = range(len(CARDS))
KINDS = len(CARDS)
MANIPULATOR, AL_RATONE, HYPNOTIST, FOOL, ALCHEMIST = range(len(ROLES))

SEATS = 5
PILES = 5
DICE = 2
BANDAGES_TO_BE_OUT = 3
NONE = -1

#: What the next node is about; ``GO_ON`` when nobody is asked yet.
GO_ON, TRAPS, DEAL, DEAL_ROLES, LOOK, PLACE, ROLL, KEEP_DICE, REROLL, TALK, CLAIM, PARTNER, REVEAL = range(13)
CHOOSE_DIE, CHOOSE_PILE, ROB, LOSE, CHOOSE_TARGET, REDIRECT, BANDAGE, OVER = range(13, 21)

#: ``die``: which die is being resolved.
NO_DIE, PARTNERS_DIE, ACTIVE_DIE = range(3)

STATE = np.dtype(
    (
        np.record,
        [
            ("config", CommeDesRatsConfiguration.dtype()),
            ("phase", "i1"),
            ("actor", "i1"),
            ("rounds_played", "i1"),
            ("extra_rounds_played", "i1"),
            ("active", "i1"),
            ("points", "i2", (SEATS,)),  # by rat: seats, and with two seats the third rat
            # The round (CR-04, CR-05): door cards as counts by kind, piles from the top, NONE where no card is yet
            ("undealt", "i1", (len(CARDS),)),
            ("pile_dealt", "i1"),
            ("place_dealt", "i1"),
            ("pile", "i1", (PILES, PILE_SIZE)),
            ("drawn", "i1", (PILES,)),
            ("traps_beside", "i1", (PILES,)),
            ("stock", "i1", (SEATS, len(CARDS))),
            ("discard", "i1", (len(CARDS),)),
            ("bandages", "i1", (SEATS,)),
            ("out", "i1", (SEATS,)),
            # Roles (CR-50 to CR-56); a shown role is spent
            ("role", "i1", (SEATS,)),
            ("role_shown", "i1", (SEATS,)),
            ("trap_shown", "i1", (SEATS,)),
            ("looked_at", "i1", (2,)),
            ("ordering", "i1"),
            ("placed", "i1"),
            ("left_to_place", "i1", (len(CARDS),)),
            ("fool_drew", "i1", (PILES,)),  # traps, until he shows them
            ("stored_from", "i1", (SEATS, PILES)),  # cards, as the rat may be the Fool
            # What seats surely know of others' stocks (CR-74): by observer and owner
            ("sure", "i1", (SEATS, SEATS, len(CARDS))),
            # The turn
            ("first_roll", "i1", (DICE,)),
            ("dice", "i1", (DICE,)),
            ("rerolled", "i1"),
            ("statement", "i1", (SEATS,)),
            ("partner", "i1"),
            ("kept", "i1", (DICE,)),  # the partner's face, the active seat's
            ("third_rat_shown", "i1", (THIRD_RAT_CARDS,)),
            ("third_rat_card", "i1"),
            ("visited", "i1", (SEATS,)),
            # The die being resolved
            ("die", "i1"),
            ("rat", "i1"),
            ("decider", "i1"),
            ("pile_searched", "i1"),
            ("draws_left", "i1"),
            ("robbed", "i1"),
            ("aimed_at", "i1"),
            ("bandaged", "i1"),
            ("thief_is_due", "i1"),  # a bandage for having stolen a Fool's trap
            ("fool_is_due", "i1"),  # then he shows his traps
            ("fool_bandages", "i1"),  # still to be taken
        ],
    )
)


def seats(row):
    """Number of seats."""
    return row.config.players


def rats(row):
    """Number of rats: with two seats the third rat takes part (CR-60)."""
    return 3 if row.config.players == 2 else row.config.players


def piles(row):
    """Number of piles (CR-02)."""
    return rats(row)


def is_third_rat(row, rat):
    """Whether ``rat`` is the third rat, which is not a seat."""
    return rat >= row.config.players


def next_seat(row, seat):
    """The left neighbour (CR-11)."""
    return seat + 1 if seat + 1 < row.config.players else 0


def stock_size(row, rat):
    """Cards in a rat's stock."""
    number = 0
    for card in range(KINDS):
        number += row.stock[rat, card]
    return number


def cards_left(row, pile):
    """Face-down cards in a pile."""
    return PILE_SIZE - row.drawn[pile]


def has_role(row, rat, role):
    """Whether ``rat`` holds ``role`` and has not shown it."""
    return row.role[rat] == role and not row.role_shown[rat]
