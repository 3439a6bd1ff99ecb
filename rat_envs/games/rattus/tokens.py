"""Rat tokens: laid, taken away, exchanged, and seen (RT-05, RT-21, RT-23, RT-71, RT-80)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus.components import (
    GO_ON,
    NONE,
    SEE,
    SLOTS,
    START_PILE,
    SUPPLY_PILE,
    is_start_face,
    left_over,
    seats,
)
from rat_envs.games.rattus.tables import START, TOKEN_IDS


def lay_token(row, region, face, pile, looked):
    """RT-23: lay a token into the next free slot."""
    slot = row.rats[region]
    row.face[slot, region] = face
    row.pile[slot, region] = pile
    row.looked[slot, region] = looked
    note_looks(row, region)
    row.rats[region] += 1
    if row.rats[region] == SLOTS:
        row.with_room &= ~(1 << int(region))


def remove_token(row, region, slot):
    """RT-23: the tokens behind it move up."""
    row.rats[region] -= 1
    last = row.rats[region]
    for place in range(slot, last):
        row.face[place, region] = row.face[place + 1, region]
        row.pile[place, region] = row.pile[place + 1, region]
        row.looked[place, region] = row.looked[place + 1, region]
    row.face[last, region] = NONE
    row.pile[last, region] = 0
    row.looked[last, region] = 0
    note_looks(row, region)
    row.with_room |= 1 << int(region)


def note_looks(row, region):
    """Update ``any_looked`` after ``looked`` has changed in a region."""
    bit = 1 << int(region)
    for slot in range(SLOTS):
        row.any_looked[slot] = (row.any_looked[slot] & ~bit) | (bit if row.looked[slot, region] else 0)


def exchange(values, region, slot, other_region, other_slot):
    """Swap two entries of a table by slot and region."""
    value = values[slot, region]
    values[slot, region] = values[other_slot, other_region]
    values[other_slot, other_region] = value


def see_token(row, region, slot, because):
    """RT-80: chance draws the face, unless somebody has seen it before; then the game goes on."""
    row.seen_region = region
    row.seen_slot = slot
    row.seen_because = because
    if row.face[slot, region] == NONE:
        row.phase = SEE
        row.actor = CHANCE
    else:
        row.phase = GO_ON


def token_is_drawn(row, token):
    """RT-73: only now does the face enter the row."""
    row.face[row.seen_slot, row.seen_region] = token
    if is_start_face(token) and row.pile[row.seen_slot, row.seen_region] == SUPPLY_PILE:
        row.start_drawn += 1
    row.phase = GO_ON


def note_seen(row, seat):
    """RT-71, RT-72: ``seat`` knows the face of the token being seen, and counts it if it had not seen it before."""
    region = row.seen_region
    slot = row.seen_slot
    token = row.face[slot, region]
    if not (row.seen[token] >> seat) & 1:
        row.seen[token] |= 1 << seat
        if is_start_face(token) and row.pile[slot, region] == SUPPLY_PILE:
            row.start_seen[seat] += 1


def note_looked(row):
    """RT-71: the active player has looked; everybody sees which token."""
    note_seen(row, row.active)
    row.looked[row.seen_slot, row.seen_region] |= 1 << row.active
    note_looks(row, row.seen_region)


def note_flipped(row):
    """RT-70: everybody has seen the token."""
    for seat in range(seats(row)):
        note_seen(row, seat)
    row.flipped[row.face[row.seen_slot, row.seen_region]] = 1


@out_of_line
def weigh_tokens(row, pile, weights):
    """RT-80: weights of the faces that nobody has seen, for a token of ``pile``."""
    left = left_over(row) - row.start_drawn
    undrawn_start = 0
    for token in range(START):
        if row.seen[token] == 0:
            undrawn_start += 1
            weights[token] = 1 if pile == START_PILE else left
    if pile == SUPPLY_PILE:
        for token in range(START, len(TOKEN_IDS)):
            if row.seen[token] == 0:
                weights[token] = undrawn_start if left > 0 else 1
