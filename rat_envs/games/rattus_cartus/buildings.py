"""Phases A to C: the row of buildings, supplies, and who enters where (RC-10 to RC-23)."""

from __future__ import annotations

from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus_cartus.cards import begin_draws, begin_looks, discard_from_hand, drop_rats
from rat_envs.games.rattus_cartus.components import (
    ENTER,
    ENTERING,
    GO_ON,
    LAY,
    NONE,
    OPEN,
    OPENING,
    PASS,
    PLAYABLE,
    RESOLVING,
    SUPPLY,
    SUPPLYING,
    building_of,
    seat_after,
    seats,
    slots,
)
from rat_envs.games.rattus_cartus.configuration import DRAW, DROP, LOOK
from rat_envs.games.rattus_cartus.notation import ENTER_FIRST, LAY_FIRST, PASS_ACTION


def begin_round(row):
    """RC-10, RC-50."""
    for slot in range(len(row.slot)):
        row.slot[slot] = NONE
    for seat in range(seats(row)):
        row.slot_of[seat] = NONE
        row.played[seat] = 0
        row.revealed[seat] = 0
    row.slots_filled = 0
    row.entries = 0
    row.turns = 0
    row.resolved = NONE
    row.stage = OPENING


def all_the_same(row):
    """RC-12: the same building, by name, in every slot."""
    for slot in range(1, slots(row)):
        if building_of(row.slot[slot]) != building_of(row.slot[0]):
            return False
    return True


def go_on_opening(row):
    """RC-11; RC-12: while all are the same, the last is replaced."""
    if row.slots_filled < slots(row):
        row.phase = OPEN
        row.actor = CHANCE
    elif not all_the_same(row):
        row.stage = SUPPLYING
    elif row.replacements_unknown > 0:
        row.phase = OPEN
        row.actor = CHANCE
    else:
        card = row.replacement[0]
        for place in range(1, row.replacements_known):
            row.replacement[place - 1] = row.replacement[place]
        row.replacements_known -= 1
        replace_last(row, card)


def replace_last(row, card):
    """RC-12: the card replaced goes to the bottom of the replacement deck."""
    last = slots(row) - 1
    row.replacement[row.replacements_known] = row.slot[last]
    row.replacements_known += 1
    row.slot[last] = card


def open_building(row, card):
    """RC-11, RC-12: a building card that nobody has seen."""
    row.unknown[card] = 0
    if row.slots_filled < slots(row):
        row.slot[row.slots_filled] = card
        row.slots_filled += 1
    else:
        row.replacements_unknown -= 1
        replace_last(row, card)
    row.phase = GO_ON


def go_on_supplying(row):
    """RC-15: in turn order."""
    if row.turns < seats(row):
        row.phase = SUPPLY
        row.actor = seat_after(row, row.starting, row.turns)
    else:
        begin_entering(row)


def legal_slots(row, mask, first):
    """RC-15, RC-20: every building of the row."""
    for slot in range(slots(row)):
        mask[first + slot] = 1


def supply(row, slot):
    """RC-15: draw, drop, look."""
    seat = row.actor
    card = row.slot[slot]
    row.turns += 1
    begin_draws(row, seat, row.config.supply[card, DRAW])
    drop_rats(row, seat, row.config.supply[card, DROP])
    begin_looks(row, seat, row.config.supply[card, LOOK])
    row.phase = GO_ON


def begin_entering(row):
    """RC-20: clockwise from the starting player."""
    for number in range(seats(row)):
        row.queue[number] = seat_after(row, row.starting, number)
    row.waiting = seats(row)
    row.stage = ENTERING


def go_on_entering(row):
    """RC-20, RC-22."""
    if row.waiting > 0:
        row.phase = ENTER
        row.actor = row.queue[0]
    else:
        row.stage = RESOLVING


def legal_entering(row, mask):
    """RC-20; RC-22."""
    legal_slots(row, mask, ENTER_FIRST)
    mask[PASS_ACTION] = row.hand[row.actor, PASS] > 0


def leave_queue(row):
    """The first in the queue has entered, or passes."""
    row.waiting -= 1
    for number in range(row.waiting):
        row.queue[number] = row.queue[number + 1]


def pass_turn(row):
    """RC-22: move to the end of the queue; the Pass goes back to its deck."""
    seat = row.actor
    leave_queue(row)
    row.queue[row.waiting] = seat
    row.waiting += 1
    discard_from_hand(row, seat, PASS)
    row.phase = GO_ON


def enter(row, slot):
    """RC-20: enter a building; then cards are laid."""
    seat = row.actor
    leave_queue(row)
    row.slot_of[seat] = slot
    row.entered[row.entries] = seat
    row.entries += 1
    ask_for_cards(row, seat)


def ask_for_cards(row, seat):
    """RC-23: while there is a card that can be laid."""
    row.phase = GO_ON
    for kind in range(PLAYABLE):
        if row.hand[seat, kind] > 0:
            row.phase = LAY
            return


def legal_laying(row, mask):
    """RC-21, RC-23."""
    for kind in range(PLAYABLE):
        mask[LAY_FIRST + kind] = row.hand[row.actor, kind] > 0


def lay(row, kind):
    """RC-21: lay a card face down."""
    seat = row.actor
    row.hand[seat, kind] -= 1
    row.cards_held[seat] -= 1
    row.laid[seat, kind] += 1
    row.cards_laid[seat] += 1
    ask_for_cards(row, seat)
