"""A turn up to the move of the plague: cards, cubes, and what may be done when (RT-10 to RT-16, RT-42, RT-43)."""

from __future__ import annotations

from rat_envs.games.rattus.abilities import legal_abilities
from rat_envs.games.rattus.components import (
    GO_ON,
    KNIGHT,
    MAIN,
    PEASANT,
    SPREADING,
    allow_regions,
    holds,
    is_in_play,
    may_use,
)
from rat_envs.games.rattus.notation import PEASANT_FIRST, PLACE_FIRST, PLAGUE_FIRST, TAKE_FIRST
from rat_envs.games.rattus.tables import CARDS, REGIONS

#: New tokens by the number of rats in the infected region (RT-20).
NEW_TOKENS = (0, 1, 2, 2)


def begin_turn(row, seat):
    """RT-08."""
    row.active = seat
    forget_turn(row)
    row.phase = MAIN
    row.actor = seat


def forget_turn(row):
    """RT-16: nothing has been done yet."""
    row.card_taken = 0
    row.cubes_placed = 0
    for card in range(len(CARDS)):
        row.used[card] = 0


def legal_turn(row, mask):
    """RT-10, RT-16: actions 1 and 2 and abilities in any order; the plague last."""
    if not row.card_taken:
        for card in range(len(CARDS)):
            mask[TAKE_FIRST + card] = not holds(row, row.active, card)
    if not row.cubes_placed:
        legal_placing(row, mask)
    else:
        legal_plague(row, mask)
    legal_abilities(row, mask)


def legal_placing(row, mask):
    """RT-12; RT-42: with the Peasant one more, if the stock holds them all."""
    stock = row.stock[row.active] if holds(row, row.active, PEASANT) else 0
    for region in range(len(REGIONS)):
        rats = row.rats[region]
        mask[PLACE_FIRST + region] = rats > 0
        mask[PEASANT_FIRST + region] = rats < stock and is_in_play(row, region)


def legal_plague(row, mask):
    """RT-15: a neighbour; RT-43: with the Knight also two steps away."""
    goals = row.two_steps[row.plague] if may_use(row, KNIGHT) else row.neighbours[row.plague]
    allow_regions(mask, PLAGUE_FIRST, goals)


def take_card(row, card):
    """RT-11."""
    row.holder[card] = row.active
    row.card_taken = 1


def place_cubes(row, region, extra):
    """RT-12, RT-14: as many as there are rats, or all that are left; RT-42: with the Peasant one extra."""
    number = min(row.rats[region] + extra, row.stock[row.active])
    row.cubes[row.active, region] += number
    row.stock[row.active] -= number
    row.cubes_placed = 1
    if extra:
        row.used[PEASANT] = 1


def move_plague(row, region):
    """RT-15; RT-20: the tokens due are counted on arrival."""
    row.plague = region
    row.used[KNIGHT] = holds(row, row.active, KNIGHT)
    row.spread_left = NEW_TOKENS[row.rats[region]]
    row.stage = SPREADING
    row.phase = GO_ON
