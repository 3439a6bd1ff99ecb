"""Phase D, actions: what a building lets its visitors do (RC-41 to RC-45, RC-47)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import total
from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus_cartus.cards import begin_draws, begin_looks, discard_from_hand, drop_rats, take_special
from rat_envs.games.rattus_cartus.components import (
    ACT,
    ALL_KINDS,
    DISCARD,
    FLUTE,
    GIVE,
    GO_ON,
    GOLD,
    JOKER,
    KINDS,
    PASS,
    SWORD,
    TOKEN,
    building_of,
    seat_after,
    seats,
)
from rat_envs.games.rattus_cartus.notation import DISCARD_FIRST, DONE, TOKEN_FIRST
from rat_envs.games.rattus_cartus.tables import (
    BREWERY,
    BUILDINGS,
    CASTLE,
    FARM,
    GUARD_TOWER,
    HOSPITAL,
    HUT,
    MARKETPLACE,
    MONASTERY,
    OFFICE,
    PALACE,
    TENT,
    TREASURY,
)
from rat_envs.games.rattus_cartus.visits import building, hand_over

#: For each building the special card it gives; 0 for none.
GIVES = tuple(
    {MARKETPLACE: JOKER, OFFICE: PASS, CASTLE: SWORD, HUT: FLUTE, TREASURY: GOLD}.get(number, 0)
    for number in range(len(BUILDINGS))
)
#: The Hospital: cards that may be discarded (RC-43); the Guard Tower: cards each giver gives (RC-44).
DISCARDS_OF_PREMIUM, DISCARDS_OF_STANDARD = 3, 2
GIFT = 3


def tokens_left(row):
    """Number of victory point tokens left."""
    return total(row.tokens)


def due(row, seat):
    """How many cards, looks, tokens or rats the action brings at most."""
    here = building(row)
    premium = seat == row.premium
    if here == FARM:
        return 4 if premium else 2
    if here == BREWERY:
        return row.scored_here[seat] if premium else row.scored_here[seat] // 2
    if here == HOSPITAL:
        return 1
    return 2 if premium else 1


@out_of_line
def begin_action(row, seat):
    """RC-41: ask the visitor unless nothing could change; RC-43: the Hospital's standard action is never asked."""
    here = building(row)
    premium = seat == row.premium
    if here == HOSPITAL and not premium:
        row.doer = seat
        row.discards_left = DISCARDS_OF_STANDARD
    elif can_change(row, seat, here, premium):
        row.phase = ACT
        row.actor = seat


def can_change(row, seat, here, premium):
    """RC-41."""
    if here == FARM or here == BREWERY:
        return row.deck_size > 0 and due(row, seat) > 0
    if here == MONASTERY or here == HOSPITAL:
        return row.rats[seat] > 0
    if here == PALACE:
        return tokens_left(row) > 0
    if here == GUARD_TOWER:
        return premium and givers_to(row, seat) != 0
    return here == TENT or row.special_deck[GIVES[here] - KINDS] > 0


@out_of_line
def act(row):
    """RC-41: do the action in full."""
    seat = row.actor
    here = building(row)
    number = due(row, seat)
    row.phase = GO_ON
    if here == FARM or here == BREWERY:
        begin_draws(row, seat, number)
    elif here == MONASTERY:
        drop_rats(row, seat, number)
    elif here == HOSPITAL:
        drop_rats(row, seat, 1)
        row.doer = seat
        row.discards_left = DISCARDS_OF_PREMIUM
    elif here == TENT:
        begin_looks(row, seat, number)
    elif here == PALACE:
        row.doer = seat
        row.tokens_due = min(number, tokens_left(row))
    elif here == GUARD_TOWER:
        row.taker = seat
        row.givers = givers_to(row, seat)
    else:
        take_special(row, seat, GIVES[here], number)


def entered_guard_tower(row, seat):
    """RC-44: any Guard Tower protects."""
    return building_of(row.slot[row.slot_of[seat]]) == GUARD_TOWER


@out_of_line
def givers_to(row, taker):
    """RC-44: the givers, as a set of seats."""
    number = row.cards_held[taker]
    givers = 0
    for seat in range(seats(row)):
        size = row.cards_held[seat]
        if seat != taker and size > 0 and size >= number and not entered_guard_tower(row, seat):
            givers |= 1 << seat
    return givers


def next_giver(row):
    """RC-44: clockwise; a hand of three cards or fewer is given without a node."""
    seat = seat_after(row, row.taker, 1)
    while not (row.givers >> seat) & 1:
        seat = seat_after(row, seat, 1)
    row.givers &= ~(1 << int(seat))
    row.giver = seat
    if row.cards_held[seat] > GIFT:
        row.gives_left = GIFT
        return
    for kind in range(ALL_KINDS):
        row.aside[seat, kind] = row.hand[seat, kind]
        row.hand[seat, kind] = 0
    hand_over(row)


def ask_gift(row):
    """RC-37, RC-44."""
    row.phase = GIVE
    row.actor = row.giver


def ask_discard(row):
    """RC-43: while a rat and a card are left."""
    if row.rats[row.doer] > 0 and row.cards_held[row.doer] > 0:
        row.phase = DISCARD
        row.actor = row.doer
    else:
        row.discards_left = 0


def legal_discards(row, mask):
    """RC-43."""
    mask[DONE] = 1
    legal_hand(row, mask, DISCARD_FIRST)


def legal_hand(row, mask, first):
    """Each kind in hand."""
    for kind in range(ALL_KINDS):
        mask[first + kind] = row.hand[row.actor, kind] > 0


def discard(row, kind):
    """RC-43: discard a card to drop a rat."""
    row.discards_left -= 1
    discard_from_hand(row, row.doer, kind)
    drop_rats(row, row.doer, 1)
    row.phase = GO_ON


def ask_token(row):
    """RC-64: by lot if the configured values differ."""
    for value in range(len(row.tokens)):
        if row.config.vp_tokens[value] > 0 and row.config.vp_tokens[value] < total(row.config.vp_tokens):
            row.phase = TOKEN
            row.actor = CHANCE
            return
        if row.config.vp_tokens[value] > 0:
            take_token(row, value)
            return


def weigh_tokens(row, weights):
    """RC-64."""
    for value in range(len(row.tokens)):
        weights[TOKEN_FIRST + value] = row.tokens[value]


def take_token(row, value):
    """RC-64: its value is public."""
    row.tokens_due -= 1
    row.tokens[value] -= 1
    row.points[row.doer] += value + 1
    row.phase = GO_ON
