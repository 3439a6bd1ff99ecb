"""The beginning of a round: piles, roles and the Manipulator's look (CR-04, CR-05, CR-50, CR-51)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.games.comme_des_rats.components import (
    DEAL,
    DEAL_ROLES,
    KINDS,
    LOOK,
    MANIPULATOR,
    NONE,
    PILE_SIZE,
    PLACE,
    TRAP,
    TRAPS,
    piles,
    rats,
    seats,
)
from rat_envs.games.comme_des_rats.configuration import THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.knowledge import forget_all, forget_looks
from rat_envs.games.comme_des_rats.turn import begin_turn, clear_turn


@out_of_line
def begin_round(row):
    """CR-04, CR-05: reset everything but points and the rat figure."""
    for card in range(KINDS):
        row.undealt[card] = row.config.doors[card]
        row.discard[card] = 0
        row.left_to_place[card] = 0
    row.undealt[TRAP] -= piles(row)
    clear_turn(row)
    for pile in range(piles(row)):
        clear_pile(row, pile)
    for rat in range(rats(row)):
        clear_rat(row, rat)
    for card in range(THIRD_RAT_CARDS):
        row.third_rat_shown[card] = 0
    forget_all(row)
    forget_looks(row)
    row.pile_dealt = 0
    row.phase = TRAPS
    row.actor = CHANCE


def clear_pile(row, pile):
    """No cards in a pile or beside it."""
    for place in range(PILE_SIZE):
        row.pile[pile, place] = NONE
    row.drawn[pile] = 0
    row.traps_beside[pile] = 0
    row.fool_drew[pile] = 0


def clear_rat(row, rat):
    """CR-05: an empty stock, no bandages, not out; CR-50: no role."""
    for card in range(KINDS):
        row.stock[rat, card] = 0
    for pile in range(piles(row)):
        row.stored_from[rat, pile] = 0
    row.bandages[rat] = 0
    row.out[rat] = 0
    row.role[rat] = NONE
    row.role_shown[rat] = 0
    row.trap_shown[rat] = 0


def put_trap(row, place):
    """CR-04: put a pile's guaranteed trap in its place."""
    row.pile[row.pile_dealt, place] = TRAP
    row.place_dealt = 0
    pass_over_trap(row)
    row.phase = DEAL


def pass_over_trap(row):
    """The next place dealt to is the topmost one without a card."""
    if row.place_dealt < PILE_SIZE and row.pile[row.pile_dealt, row.place_dealt] != NONE:
        row.place_dealt += 1


def deal_card(row, card):
    """CR-04: deal to the next free place of the pile; then the next pile, and after the last pile the roles."""
    row.pile[row.pile_dealt, row.place_dealt] = card
    row.undealt[card] -= 1
    row.place_dealt += 1
    pass_over_trap(row)
    if row.place_dealt < PILE_SIZE:
        return
    row.pile_dealt += 1
    if row.pile_dealt < piles(row):
        row.phase = TRAPS
    elif row.config.roles:
        row.phase = DEAL_ROLES
    else:
        begin_turn(row)


def deal_role(row, role):
    """CR-50: to the next seat; then CR-51."""
    seat = 0
    while row.role[seat] != NONE:
        seat += 1
    row.role[seat] = role
    if seat + 1 < seats(row):
        return
    manipulator = holder(row, MANIPULATOR)
    if manipulator == NONE:
        begin_turn(row)
        return
    row.role_shown[manipulator] = 1
    row.phase = LOOK
    row.actor = manipulator


def holder(row, role):
    """The seat that was dealt ``role``, NONE if it was not dealt."""
    for seat in range(seats(row)):
        if row.role[seat] == role:
            return seat
    return NONE


def look_through(row, pile):
    """CR-51: the first pile, then the second; then both are ordered."""
    if row.looked_at[0] == NONE:
        row.looked_at[0] = pile
        return
    row.looked_at[1] = pile
    row.phase = PLACE
    take_up_pile(row, 0)


def take_up_pile(row, number):
    """CR-51: the cards of the pile looked at first (0) or second (1) are to be put in order."""
    row.ordering = number
    row.placed = 0
    pile = row.looked_at[number]
    for place in range(PILE_SIZE):
        row.left_to_place[row.pile[pile, place]] += 1
        row.pile[pile, place] = NONE


def place_card(row, card):
    """CR-51: place the next card from the top; the fifth is automatic."""
    put_next(row, card)
    if row.placed < PILE_SIZE - 1:
        return
    for last in range(KINDS):
        if row.left_to_place[last] > 0:
            put_next(row, last)
    if row.ordering == 0:
        take_up_pile(row, 1)
    else:
        begin_turn(row)


def put_next(row, card):
    """Put one of the cards left into the pile."""
    row.pile[row.looked_at[row.ordering], row.placed] = card
    row.left_to_place[card] -= 1
    row.placed += 1
