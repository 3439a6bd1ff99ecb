"""Merchant, Monk, Witch and King: in a turn, at its end, and in the final round (RT-40, RT-41, RT-45 to RT-47)."""

from __future__ import annotations

from rat_envs.games.rattus.components import (
    GO_ON,
    KING,
    LOOKED_AT,
    MAIN,
    MERCHANT,
    MERCHANT_TO,
    MONK,
    MONK_TO,
    NONE,
    SLOTS,
    WITCH,
    WITCH_AGAIN,
    WITCH_SWAP,
    allow_regions,
    has_room_beside,
    may_use,
)
from rat_envs.games.rattus.notation import (
    KEEP,
    KING_FIRST,
    MERCHANT_FIRST,
    MONK_FIRST,
    STOP,
    SWAP,
    TO_FIRST,
    WITCH_FIRST,
)
from rat_envs.games.rattus.tables import REGIONS
from rat_envs.games.rattus.tokens import exchange, lay_token, note_looked, note_looks, remove_token, see_token


def legal_abilities(row, mask):
    """RT-16: the active player's unused abilities."""
    if may_use(row, MERCHANT):
        legal_merchant(row, mask)
    if may_use(row, MONK):
        legal_monk(row, mask)
    if may_use(row, WITCH):
        legal_looks(row, mask)
    if may_use(row, KING):
        legal_king(row, mask)


def legal_merchant(row, mask):
    """RT-40: one to three own cubes of a region."""
    for region in range(len(REGIONS)):
        cubes = row.cubes[row.active, region]
        for number in range(min(cubes, SLOTS)):
            mask[MERCHANT_FIRST + region * SLOTS + number] = 1


def legal_monk(row, mask):
    """RT-41: tokens of regions that have a neighbour with room."""
    for region in range(len(REGIONS)):
        if has_room_beside(row, region):
            for slot in range(row.rats[region]):
                mask[MONK_FIRST + region * SLOTS + slot] = 1


def legal_looks(row, mask):
    """RT-45: any token, but none twice."""
    for region in range(len(REGIONS)):
        for slot in range(row.rats[region]):
            mask[WITCH_FIRST + region * SLOTS + slot] = 1
    if row.chosen_regions[0] != NONE:
        mask[WITCH_FIRST + int(row.chosen_regions[0]) * SLOTS + int(row.chosen_slots[0])] = 0


def legal_king(row, mask):
    """RT-46: own cubes in regions without rats."""
    for region in range(len(REGIONS)):
        mask[KING_FIRST + region] = row.cubes[row.active, region] > 0 and row.rats[region] == 0


def king_can_be_used(row):
    """RT-47: the King is held, unused, and has a cube to move."""
    if not may_use(row, KING):
        return False
    for region in range(len(REGIONS)):
        if row.cubes[row.active, region] > 0 and row.rats[region] == 0:
            return True
    return False


def legal_goals(row, mask):
    """RT-40: any neighbour; RT-41: one with room."""
    goals = row.neighbours[row.chosen_regions[0]]
    if row.phase == MONK_TO:
        goals = goals & row.with_room
    allow_regions(mask, TO_FIRST, goals)


def legal_second_look(row, mask):
    """RT-45: another token, or no more."""
    legal_looks(row, mask)
    mask[STOP] = 1


def legal_swap(row, mask):
    """RT-45."""
    mask[SWAP] = 1
    mask[KEEP] = 1


def choose(row, number, place):
    """Note the region and the slot (or number of cubes) that an action names."""
    row.chosen_regions[number] = place // SLOTS
    row.chosen_slots[number] = place % SLOTS


def begin_merchant(row, place):
    """RT-40: choose the region and the number of cubes."""
    row.used[MERCHANT] = 1
    row.chosen_regions[0] = place // SLOTS
    row.cubes_moving = place % SLOTS + 1
    row.phase = MERCHANT_TO


def begin_monk(row, place):
    """RT-41: choose the token."""
    row.used[MONK] = 1
    choose(row, 0, place)
    row.phase = MONK_TO


def end_ability(row):
    """RT-16: finish an ability; the next action can be chosen."""
    forget_choices(row)
    resume(row)


def forget_choices(row):
    """Clear the ability in progress."""
    for number in range(2):
        row.chosen_regions[number] = NONE
        row.chosen_slots[number] = NONE
    row.cubes_moving = 0


def resume(row):
    """Return to the turn; in the final round, first check whether an ability is left."""
    if row.last_active == NONE:
        row.phase = MAIN
        row.actor = row.active
    else:
        row.phase = GO_ON


def move_cubes(row, goal):
    """RT-40."""
    row.cubes[row.active, row.chosen_regions[0]] -= row.cubes_moving
    row.cubes[row.active, goal] += row.cubes_moving
    end_ability(row)


def move_token(row, goal):
    """RT-41: a token moves unseen; RT-71: what is known of it moves with it."""
    region = row.chosen_regions[0]
    slot = row.chosen_slots[0]
    face = row.face[slot, region]
    pile = row.pile[slot, region]
    looked = row.looked[slot, region]
    remove_token(row, region, slot)
    lay_token(row, goal, face, pile, looked)
    end_ability(row)


def look(row, place):
    """RT-45: look at a first or a second token."""
    row.used[WITCH] = 1
    choose(row, 0 if row.chosen_regions[0] == NONE else 1, place)
    see_token(row, place // SLOTS, place % SLOTS, LOOKED_AT)


def after_look(row):
    """RT-45: a second look, then a swap of tokens in different regions."""
    note_looked(row)
    row.actor = row.active
    if row.chosen_regions[1] == NONE:
        row.phase = WITCH_AGAIN
    elif row.chosen_regions[0] != row.chosen_regions[1]:
        row.phase = WITCH_SWAP
    else:
        end_ability(row)


def end_witch(row, swapped):
    """RT-45: the tokens exchange their slots, or stay."""
    if swapped:
        region = row.chosen_regions[0]
        slot = row.chosen_slots[0]
        other = row.chosen_regions[1]
        other_slot = row.chosen_slots[1]
        exchange(row.face, region, slot, other, other_slot)
        exchange(row.pile, region, slot, other, other_slot)
        exchange(row.looked, region, slot, other, other_slot)
        note_looks(row, region)
        note_looks(row, other)
    end_ability(row)


def crown_cube(row, region):
    """RT-46: move a cube to the palace."""
    row.used[KING] = 1
    row.cubes[row.active, region] -= 1
    row.palace[row.active] += 1
