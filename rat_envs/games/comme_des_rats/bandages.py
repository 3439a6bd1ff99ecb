"""Bandages, clovers that avert them, and being out (CR-19, CR-20, CR-54, CR-67)."""

from __future__ import annotations

from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    BANDAGES_TO_BE_OUT,
    CLOVER,
    KINDS,
    TRAP,
    is_third_rat,
)
from rat_envs.games.comme_des_rats.knowledge import note_discard, note_lost_stock


def threaten(row, rat):
    """CR-19: ``rat`` is about to get a bandage; a seat with a clover is asked, the third rat uses it (CR-67)."""
    if row.out[rat]:
        return
    row.bandaged = rat
    if row.stock[rat, CLOVER] == 0:
        hurt(row)
    elif is_third_rat(row, rat):
        use_clover(row)
    else:
        row.phase = BANDAGE
        row.actor = rat


def use_clover(row):
    """CR-19: one clover averts one bandage."""
    rat = row.bandaged
    note_discard(row, rat, CLOVER)
    row.stock[rat, CLOVER] -= 1
    row.discard[CLOVER] += 1


def hurt(row):
    """CR-20: a bandage; the third puts a rat out, and it loses its whole stock."""
    rat = row.bandaged
    row.bandages[rat] += 1
    if row.bandages[rat] < BANDAGES_TO_BE_OUT:
        return
    row.out[rat] = 1
    note_lost_stock(row, rat)
    for card in range(KINDS):
        row.discard[card] += row.stock[rat, card]
        row.stock[rat, card] = 0


def show_fool(row):
    """CR-54: the Fool shows and discards his traps and his role; a bandage for each trap is due."""
    rat = row.robbed
    row.fool_is_due = 0
    row.role_shown[rat] = 1
    row.fool_bandages = row.stock[rat, TRAP]
    row.discard[TRAP] += row.stock[rat, TRAP]
    row.stock[rat, TRAP] = 0
    for observer in range(row.config.players):
        row.sure[observer, rat, TRAP] = 0
