"""The end: when it comes, the final round and ravage, and who wins (RT-60 to RT-66)."""

from __future__ import annotations

from rat_envs.games.rattus.abilities import king_can_be_used, legal_abilities
from rat_envs.games.rattus.components import (
    CUBES,
    FINAL_RAVAGE,
    FINAL_ROUND,
    KNIGHT,
    MERCHANT,
    MONK,
    NONE,
    PEASANT,
    WITCH,
    has_room_beside,
    is_in_play,
    may_use,
    seats,
)
from rat_envs.games.rattus.notation import PASS, PEASANT_FIRST
from rat_envs.games.rattus.tables import REGIONS
from rat_envs.games.rattus.turn import begin_turn, forget_turn, legal_plague


def end_turn(row):
    """RT-60: the end is checked when everything in the turn is done; RT-08: else the next player's turn begins."""
    if row.supply == 0 or row.stock[row.active] == 0:
        row.last_active = row.active
        row.stage = FINAL_ROUND
        pass_to_the_right(row)
    else:
        begin_turn(row, (row.active + 1) % seats(row))


def pass_to_the_right(row):
    """RT-61: pass counter-clockwise; after the last player comes the final ravage."""
    row.active = (row.active + seats(row) - 1) % seats(row)
    forget_turn(row)
    if row.active == row.last_active:
        row.stage = FINAL_RAVAGE


def legal_final(row, mask):
    """RT-61 to RT-64: the unused abilities, or pass."""
    legal_abilities(row, mask)
    if may_use(row, PEASANT) and row.stock[row.active] > 0:
        for region in range(len(REGIONS)):
            mask[PEASANT_FIRST + region] = is_in_play(row, region)
    if may_use(row, KNIGHT):
        legal_plague(row, mask)
    mask[PASS] = 1


def ability_is_left(row):
    """RT-64: whether an ability can be used; if not, there is no node."""
    peasant = may_use(row, PEASANT) and row.stock[row.active] > 0
    witch = may_use(row, WITCH) and some_region_has(row.rats)
    return peasant or witch or may_use(row, KNIGHT) or can_move_something(row) or king_can_be_used(row)


def some_region_has(numbers):
    """Whether one of twelve numbers is not 0."""
    for region in range(len(REGIONS)):
        if numbers[region] > 0:
            return True
    return False


def can_move_something(row):
    """RT-40: own cubes; RT-41: a token with room beside it."""
    for region in range(len(REGIONS)):
        if may_use(row, MERCHANT) and row.cubes[row.active, region] > 0:
            return True
        if may_use(row, MONK) and row.rats[region] > 0 and has_room_beside(row, region):
            return True
    return False


def place_last_cube(row, region):
    """RT-62."""
    row.used[PEASANT] = 1
    row.cubes[row.active, region] += 1
    row.stock[row.active] -= 1


def move_plague_last(row, region):
    """RT-63: it counts as cubes in the final ravage."""
    row.used[KNIGHT] = 1
    row.plague = region
    row.neutral = region


def score(row, seat):
    """RT-66: the cubes that are not in the stock."""
    return CUBES - row.stock[seat]


def winner(row):
    """RT-66: of those tied, the one whose turn would have come next."""
    number = seats(row)
    best = NONE
    for place in range(1, number + 1):
        seat = (row.last_active + place) % number
        if best == NONE or score(row, seat) > score(row, best):
            best = seat
    return best
