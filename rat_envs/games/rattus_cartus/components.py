"""The pieces, and the row that holds a whole game."""

from __future__ import annotations

import numpy as np

from rat_envs.games.rattus_cartus.configuration import RattusCartusConfiguration
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    CARDS,
    CLASSES,
    COPIES,
    KINDS_OF_CLASS,
    LARGEST_TOKEN,
    POPULATION,
    REPLACEMENTS,
    ROUNDS,
    ROW,
    SPECIALS,
)

SEATS = 5
KINDS = len(POPULATION)
ALL_KINDS = len(CARDS)
JOKER, SWORD, FLUTE, PASS, GOLD = range(KINDS, ALL_KINDS)
#: Kinds that can be laid: all but Pass and Gold (RC-23).
PLAYABLE = PASS
SLOTS = 3
PLACES = 5
FIRST_HAND = 5
FIRST_RATS = 10
MOST_REPLACEMENTS = max(REPLACEMENTS.values())
NONE = -1
#: The observer who sees only what is public (RC-72).
ONLOOKER = SEATS
OBSERVERS = SEATS + 1

#: By number of players.
ROUNDS_OF = np.array([0, 0, *(ROUNDS[players] for players in range(2, SEATS + 1))], np.int8)
ROW_OF = np.array([0, 0, *(ROW[players] for players in range(2, SEATS + 1))], np.int8)
REPLACEMENTS_OF = np.array([0, 0, *(REPLACEMENTS[players] for players in range(2, SEATS + 1))], np.int8)

#: What the next node is about; ``GO_ON`` when nobody is asked yet.
GO_ON, CHOOSE, DRAW, OPEN, SUPPLY, LOOK, NUN, ENTER, LAY = range(9)
TAKE_FROM, RAT_TO, GIVE, ACT, TOKEN, DISCARD, OVER = range(9, 16)

#: Stages of the game, which continue when nothing smaller is due.
CHOOSING, DEALING, OPENING, SUPPLYING, ENTERING, RESOLVING, ACTING, REVEALING = range(8)

STATE = np.dtype(
    (
        np.record,
        [
            ("config", RattusCartusConfiguration.dtype()),
            ("phase", "i1"),
            ("stage", "i1"),
            ("actor", "i1"),
            ("rounds_played", "i1"),
            ("starting", "i1"),
            # Building cards (RC-02, RC-08, RC-12)
            ("in_use", "i1", (len(BUILDING_CARDS),)),
            ("chosen", "i1"),  # number chosen by lot
            ("unknown", "i1", (len(BUILDING_CARDS),)),
            ("slots_filled", "i1"),
            ("slot", "i1", (SLOTS,)),
            ("replacements_unknown", "i1"),
            ("replacements_known", "i1"),
            ("replacement", "i1", (MOST_REPLACEMENTS,)),  # the known ones, the next in front
            # Cards
            ("hand", "i1", (SEATS, ALL_KINDS)),
            ("laid", "i1", (SEATS, ALL_KINDS)),
            ("aside", "i1", (SEATS, ALL_KINDS)),
            ("cards_held", "i2", (SEATS,)),  # in hand or aside
            ("cards_laid", "i2", (SEATS,)),
            ("revealed", "i1", (SEATS,)),
            ("special_deck", "i1", (len(SPECIALS),)),
            ("deck_size", "i1"),
            ("ran_out", "i1"),
            ("pool", "i1", (KINDS,)),  # what a draw can bring
            ("sleeping", "i1", (KINDS,)),  # what the unseen row can hold once the deck has run out
            ("discarded", "i1", (KINDS,)),
            ("nun", "i1", (PLACES,)),  # NONE while nobody has looked
            ("looked", "i1", (PLACES,)),  # seats that have, one bit each
            # Standing
            ("rats", "i2", (SEATS,)),
            ("points", "i1", (SEATS,)),  # of victory point tokens
            ("tokens", "i1", (LARGEST_TOKEN,)),
            ("influence", "i2", (len(CLASSES), SEATS)),
            ("rank", "i1", (len(CLASSES), SEATS)),  # among equals the smaller is below, and better (RC-32)
            # The round
            ("waiting", "i1"),
            ("queue", "i1", (SEATS,)),  # seats still to enter
            ("entries", "i1"),
            ("entered", "i1", (SEATS,)),  # seats in order of entry
            ("slot_of", "i1", (SEATS,)),
            ("played", "i1", (SEATS,)),  # population cards and jokers revealed this round
            ("turns", "i1"),  # deals or supplies done
            # A building being resolved
            ("resolved", "i1"),  # slot
            ("premium", "i1"),  # the premium player (RC-39)
            ("visit", "i1"),  # which of its visitors, in the order of this step
            ("step", "i1"),
            ("scored_here", "i1", (SEATS,)),
            ("giver", "i1"),
            ("taker", "i1"),
            ("gives_left", "i1"),
            ("givers", "i1"),  # still to come, one bit each (RC-44)
            # Smaller steps in progress
            ("doer", "i1"),
            ("draws_left", "i1"),
            ("looks_left", "i1"),
            ("looked_now", "i1"),  # places of this action, one bit each
            ("place", "i1"),
            ("discards_left", "i1"),
            ("tokens_due", "i1"),
            # Certain knowledge, by observer (RC-73 to RC-75)
            ("at_least", "i1", (OBSERVERS, SEATS, ALL_KINDS)),
            ("at_most", "i1", (OBSERVERS, SEATS, len(SPECIALS))),
            ("fresh", "i1", (OBSERVERS, KINDS)),
            ("row_most", "i1", (OBSERVERS, KINDS)),
        ],
    )
)


def seats(row):
    """Number of seats."""
    return row.config.players


def slots(row):
    """Building cards in the row."""
    return ROW_OF[row.config.players]


def rounds(row):
    """Rounds of a game."""
    return ROUNDS_OF[row.config.players]


def is_last_round(row):
    """RC-45."""
    return row.rounds_played == rounds(row) - 1


def seat_after(row, seat, steps):
    """The seat ``steps`` places to the left."""
    return (seat + steps) % row.config.players


def building_of(card):
    """The building that a building card shows."""
    return card // COPIES


def class_of(building):
    """A building's class."""
    return building // 2


def class_of_card(kind):
    """A population card's class."""
    return kind // KINDS_OF_CLASS


def nuns_on(kind):
    """The nuns on a population card."""
    return kind % KINDS_OF_CLASS


def own_size(row, seat):
    """RC-72: cards in hand, lying aside, and laid but not revealed."""
    return row.cards_held[seat] + (0 if row.revealed[seat] else row.cards_laid[seat])


def popular(cards):
    """Population cards and jokers among counts by kind."""
    number = 0
    for kind in range(KINDS):
        number += cards[kind]
    return number + cards[JOKER]
