"""What every seat, and an onlooker, surely knows of the others' cards, the deck and the row (RC-72 to RC-75)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.games.rattus_cartus.components import ALL_KINDS, KINDS, OBSERVERS, ONLOOKER, own_size, seats
from rat_envs.games.rattus_cartus.tables import POPULATION_COPIES, SPECIALS

COPIES = POPULATION_COPIES


def watches(row, observer):
    """Whether an observer takes part: a seat in play, or the onlooker."""
    return observer < seats(row) or observer == ONLOOKER


@out_of_line
def begin_ledgers(row):
    """RC-73, RC-74: at first, only the set of all cards is known."""
    for observer in range(OBSERVERS):
        for kind in range(KINDS):
            row.fresh[observer, kind] = COPIES[kind]
            row.row_most[observer, kind] = COPIES[kind]


@out_of_line
def cap(row, owner):
    """RC-73: nobody holds more cards of a kind than cards in all."""
    number = own_size(row, owner)
    for observer in range(OBSERVERS):
        for special in range(len(SPECIALS)):
            row.at_most[observer, owner, special] = min(row.at_most[observer, owner, special], number)


@out_of_line
def note_special(row, owner, kind, number):
    """RC-73: ``owner`` takes special cards from a deck."""
    for observer in range(OBSERVERS):
        if observer != owner:
            row.at_least[observer, owner, kind] += number
            row.at_most[observer, owner, kind - KINDS] += number
    cap(row, owner)


@out_of_line
def note_open(row, owner, kind, number):
    """RC-73: cards leave ``owner`` openly; they are no longer among its own."""
    for observer in range(OBSERVERS):
        if observer != owner:
            leave(row, observer, owner, kind, number)


def leave(row, observer, owner, kind, number):
    """RC-73: ``observer`` sees cards leave ``owner``."""
    row.at_least[observer, owner, kind] = max(0, row.at_least[observer, owner, kind] - number)
    if kind >= KINDS:
        row.at_most[observer, owner, kind - KINDS] -= number


@out_of_line
def note_gift(row, giver, taker):
    """RC-73: the cards aside change hands; they still lie in ``aside`` of the giver."""
    number = 0
    for kind in range(ALL_KINDS):
        number += row.aside[giver, kind]
    kept = own_size(row, giver) - number
    for observer in range(OBSERVERS):
        if observer == giver:
            note_given(row, giver, taker)
        elif observer == taker:
            for kind in range(ALL_KINDS):
                leave(row, observer, giver, kind, row.aside[giver, kind])
        else:
            note_unseen_gift(row, observer, giver, taker, number, kept)


def note_given(row, giver, taker):
    """RC-73: the giver knows what it has given."""
    for kind in range(ALL_KINDS):
        row.at_least[giver, taker, kind] += row.aside[giver, kind]
        if kind >= KINDS:
            row.at_most[giver, taker, kind - KINDS] += row.aside[giver, kind]


def note_unseen_gift(row, observer, giver, taker, number, kept):
    """RC-73: ``number`` cards change hands unseen, and ``kept`` stay."""
    for kind in range(ALL_KINDS):
        least = row.at_least[observer, giver, kind]
        row.at_least[observer, taker, kind] += max(0, least - kept)
        row.at_least[observer, giver, kind] = max(0, least - number)
        if kind >= KINDS:
            most = row.at_most[observer, giver, kind - KINDS]
            row.at_most[observer, taker, kind - KINDS] += min(number, most)
            row.at_most[observer, giver, kind - KINDS] = min(most, kept)


def note_draw(row, seat, kind):
    """RC-74: a seat's own draws."""
    row.fresh[seat, kind] -= 1
    if not row.ran_out:
        row.row_most[seat, kind] -= 1


def note_nun(row, seat, kind):
    """RC-74, RC-75: a seat sees a row card for the first time."""
    row.row_most[seat, kind] -= 1
    if not row.ran_out:
        row.fresh[seat, kind] -= 1


@out_of_line
def note_empty_deck(row):
    """RC-74: an empty deck holds nothing."""
    for observer in range(OBSERVERS):
        for kind in range(KINDS):
            row.fresh[observer, kind] = 0


@out_of_line
def note_new_deck(row):
    """RC-74, RC-75: the new deck is known, and bounds what can lie in the row."""
    for observer in range(OBSERVERS):
        if watches(row, observer):
            for kind in range(KINDS):
                row.fresh[observer, kind] = row.pool[kind]
                placed = can_place(row, observer, kind) + row.pool[kind]
                row.row_most[observer, kind] = min(row.row_most[observer, kind], COPIES[kind] - placed)


def can_place(row, observer, kind):
    """RC-75: population cards of a kind that an observer can place, apart from the deck and the discard pile."""
    number = 0
    for seat in range(seats(row)):
        if seat == observer:
            number += row.hand[seat, kind] + row.aside[seat, kind] + row.laid[seat, kind]
        else:
            number += row.at_least[observer, seat, kind]
            if row.revealed[seat]:
                number += row.laid[seat, kind]
    for place in range(len(row.nun)):
        if row.nun[place] == kind and observer != ONLOOKER and (row.looked[place] >> observer) & 1:
            number += 1
    return number
