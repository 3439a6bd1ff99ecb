"""Redeal what a seat cannot know (RC-76, RC-77).

The others' cards, the deck and the row cards that the seat has not seen are drawn so that everything it surely
knows holds (RC-73 to RC-75). Nothing else of the row is used. Until the deck runs out, samples agree with the truth as
often as with each other; after that only nearly, since certain knowledge does not keep the whole history.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import total
from rat_envs.engine.random import draw_weighted
from rat_envs.games.rattus_cartus.components import (
    ALL_KINDS,
    CHOOSING,
    FLUTE,
    GOLD,
    JOKER,
    KINDS,
    LAY,
    NONE,
    ONLOOKER,
    OVER,
    PASS,
    PLACES,
    PLAYABLE,
    SEATS,
    SWORD,
    own_size,
    seats,
)
from rat_envs.games.rattus_cartus.set_up import special_copies
from rat_envs.games.rattus_cartus.tables import POPULATION_COPIES, SPECIALS

#: The order in which special cards are dealt.
SPECIAL_ORDER = (GOLD, PASS, JOKER, SWORD, FLUTE)


@out_of_line
def determinize(row, seat, stream):
    """Redeal what ``seat`` cannot know; do nothing before cards are dealt and after the end."""
    if row.stage == CHOOSING or row.phase == OVER:
        return
    dealt = np.zeros((SEATS, ALL_KINDS), np.int64)
    while not deal_specials(row, seat, dealt, stream):
        pass
    left = cannot_place(row, seat, dealt)
    deal_deck_and_row(row, seat, left, stream)
    for kind in range(KINDS):
        for _ in range(left[kind]):
            place_card(row, seat, dealt, kind, stream)
    for other in range(seats(row)):
        if other != seat:
            split_cards(row, other, dealt[other], stream)
            forget(row, other)


def free_places(row, other, dealt):
    """Number of a seat's own cards that are not dealt yet."""
    return own_size(row, other) - total(dealt[other])


def has_open_cards(row, seat, other):
    """Whether what a seat has laid is known to ``seat``: revealed, or its own."""
    return other == seat or row.revealed[other]


def placed(row, seat, kind):
    """Number of cards of a kind that ``seat`` holds or has laid, or that lie revealed."""
    number = row.hand[seat, kind] + row.aside[seat, kind]
    for other in range(seats(row)):
        if has_open_cards(row, seat, other):
            number += row.laid[other, kind]
    return number


def deal_specials(row, seat, dealt, stream):
    """RC-76, steps 1 and 2; False if they have to be done again."""
    for other in range(seats(row)):
        for kind in range(ALL_KINDS):
            dealt[other, kind] = row.at_least[seat, other, kind] if other != seat else 0
    for kind in SPECIAL_ORDER:
        number = special_copies(row, kind) - row.special_deck[kind - KINDS] - placed(row, seat, kind)
        for other in range(seats(row)):
            number -= dealt[other, kind]
        for _ in range(number):
            if not place_card(row, seat, dealt, kind, stream):
                return False
    return True


def place_card(row, seat, dealt, kind, stream):
    """Deal a card uniformly to one of the others' free places that may take it; False if there is none."""
    places = np.zeros(SEATS, np.int64)
    for other in range(seats(row)):
        if other != seat and may_take(row, seat, other, dealt, kind):
            places[other] = free_places(row, other, dealt)
    if total(places) == 0:
        return False
    dealt[draw_weighted(stream, places), kind] += 1
    return True


def may_take(row, seat, other, dealt, kind):
    """RC-76, step 2: bounds of special cards; Gold and Pass are never laid (RC-23)."""
    if kind < KINDS:
        return True
    if dealt[other, kind] >= row.at_most[seat, other, kind - KINDS]:
        return False
    return (kind != GOLD and kind != PASS) or dealt[other, GOLD] + dealt[other, PASS] < room_for_unplayable(row, other)


def room_for_unplayable(row, other):
    """RC-76, step 2: own cards not laid; at its node ``lay`` a seat holds one that can be laid."""
    number = 0
    for kind in range(ALL_KINDS):
        number += row.hand[other, kind] + row.aside[other, kind]
    return number - 1 if row.phase == LAY and row.actor == other else number


def cannot_place(row, seat, dealt):
    """RC-76, step 3: (30,) int64: numbers of population cards that ``seat`` cannot place."""
    left = np.zeros(KINDS, np.int64)
    for kind in range(KINDS):
        left[kind] = POPULATION_COPIES[kind] - placed(row, seat, kind) - row.discarded[kind]
        for other in range(seats(row)):
            left[kind] -= dealt[other, kind]
    for place in range(PLACES):
        if has_seen(row, seat, place):
            left[row.nun[place]] -= 1
    return left


def has_seen(row, seat, place):
    """Whether ``seat`` has looked at a row card."""
    return (row.looked[place] >> seat) & 1


def deal_deck_and_row(row, seat, left, stream):
    """RC-76, step 3: deal deck and row, and take the cards out of ``left``."""
    stock = np.zeros(KINDS, np.int64)
    for kind in range(KINDS):
        stock[kind] = min(left[kind], row.fresh[seat, kind])
    unseen = 0
    by_others = 0
    for place in range(PLACES):
        unseen += not has_seen(row, seat, place)
        by_others += row.nun[place] != NONE and not has_seen(row, seat, place)
    drawn = np.zeros(KINDS, np.int64)
    if row.ran_out:
        deal_deck(row, seat, stock, left, unseen, stream)
        deal_row(row, seat, left, drawn, unseen, stream)
    else:
        for _ in range(total(row.pool) + by_others):
            take(stock, left, drawn, draw_weighted(stream, stock))
    deal_seen_by_others(row, seat, drawn, stream)
    for kind in range(KINDS):
        if row.ran_out:
            row.sleeping[kind] = drawn[kind]
        else:
            row.pool[kind] = drawn[kind]


def take(stock, left, drawn, kind):
    """Take one card from the stock."""
    stock[kind] -= 1
    left[kind] -= 1
    drawn[kind] += 1


def deal_deck(row, seat, stock, left, unseen, stream):
    """RC-76, step 3, after the deck ran out: deal it so that the row can still be dealt afterwards."""
    pool = np.zeros(KINDS, np.int64)
    weights = np.zeros(KINDS, np.int64)
    for _ in range(row.deck_size):
        slack = -unseen
        for kind in range(KINDS):
            slack += min(row.row_most[seat, kind], left[kind])
        for kind in range(KINDS):
            weights[kind] = stock[kind] if slack > 0 or left[kind] > row.row_most[seat, kind] else 0
        take(stock, left, pool, draw_weighted(stream, weights))
    for kind in range(KINDS):
        row.pool[kind] = pool[kind]


def deal_row(row, seat, left, drawn, unseen, stream):
    """RC-76, step 3: row cards that ``seat`` has not seen, no kind more often than its bound."""
    weights = np.zeros(KINDS, np.int64)
    for _ in range(unseen):
        for kind in range(KINDS):
            weights[kind] = left[kind] if drawn[kind] < row.row_most[seat, kind] else 0
        kind = draw_weighted(stream, weights)
        left[kind] -= 1
        drawn[kind] += 1


def deal_seen_by_others(row, seat, drawn, stream):
    """RC-76, step 3: row cards that only others have seen, drawn uniformly from ``drawn``."""
    for place in range(PLACES):
        if row.nun[place] != NONE and not has_seen(row, seat, place):
            kind = draw_weighted(stream, drawn)
            drawn[kind] -= 1
            row.nun[place] = kind


def split_cards(row, other, cards, stream):
    """RC-76, step 5: which of a seat's own cards are laid, and which lie aside."""
    laid = 0
    aside = 0
    for kind in range(ALL_KINDS):
        aside += row.aside[other, kind]
        row.aside[other, kind] = 0
        if not row.revealed[other]:
            laid += row.laid[other, kind]
            row.laid[other, kind] = 0
    for _ in range(laid):
        kind = draw_weighted(stream, cards[:PLAYABLE])
        cards[kind] -= 1
        row.laid[other, kind] += 1
    for _ in range(aside):
        kind = draw_weighted(stream, cards)
        cards[kind] -= 1
        row.aside[other, kind] += 1
    for kind in range(ALL_KINDS):
        row.hand[other, kind] = cards[kind]


def forget(row, other):
    """RC-77: another seat now knows what an onlooker does, and the row cards that it has seen."""
    for owner in range(seats(row)):
        if owner != other:
            for kind in range(ALL_KINDS):
                row.at_least[other, owner, kind] = row.at_least[ONLOOKER, owner, kind]
            for special in range(len(SPECIALS)):
                row.at_most[other, owner, special] = row.at_most[ONLOOKER, owner, special]
    for kind in range(KINDS):
        row.fresh[other, kind] = row.fresh[ONLOOKER, kind]
        row.row_most[other, kind] = row.row_most[ONLOOKER, kind]
    for place in range(PLACES):
        if has_seen(row, other, place):
            row.row_most[other, row.nun[place]] -= 1
            if not row.ran_out:
                row.fresh[other, row.nun[place]] -= 1
