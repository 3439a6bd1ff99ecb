"""Which rows are possible when a seat acts or the game is over; for states that come from outside."""

from __future__ import annotations

from rat_envs.engine.counts import total
from rat_envs.engine.game import TERMINAL
from rat_envs.games.rattus.abilities import king_can_be_used
from rat_envs.games.rattus.components import (
    BONUS,
    CUBES,
    FINAL,
    FINAL_RAVAGE,
    FINAL_ROUND,
    FLIP,
    KING_LATE,
    MAIN,
    MERCHANT_TO,
    MONK_TO,
    NONE,
    OVER,
    SEATS,
    SETTLE,
    SLOTS,
    SPREAD,
    START_PILE,
    WITCH_AGAIN,
    WITCH_SWAP,
    contains,
    has_room_beside,
    is_in_play,
    is_start_face,
    left_over,
    seats,
)
from rat_envs.games.rattus.ending import ability_is_left
from rat_envs.games.rattus.plague import can_ravage, can_spread, knight_is_asked
from rat_envs.games.rattus.set_up import FIRST_CUBES, first_supply, neighbours_of, within_two_steps
from rat_envs.games.rattus.tables import CARDS, REGIONS, START, TOKEN_IDS

LAST_REGION, EVERY_REGION, EVERY_SEAT = len(REGIONS) - 1, (1 << len(REGIONS)) - 1, (1 << SEATS) - 1
#: Start tokens among the regular ones, at most (RT-03).
MOST_LEFT_OVER = 2 * (SEATS - 2)

FLAG, PIECES, REGION, SET_OF_REGIONS = (0, 1), (0, CUBES), (NONE, LAST_REGION), (0, EVERY_REGION)
#: Minimum and maximum of every field when a seat acts or the game is over.
RANGES = {
    "phase": (SETTLE, OVER),
    "stage": (0, FINAL_RAVAGE),
    "actor": (TERMINAL, SEATS - 1),
    "in_play": FLAG,
    "neighbours": SET_OF_REGIONS,
    "two_steps": SET_OF_REGIONS,
    "with_room": SET_OF_REGIONS,
    "stock": PIECES,
    "palace": PIECES,
    "cubes": PIECES,
    "holder": (NONE, SEATS - 1),
    "plague": (0, LAST_REGION),
    "supply": (0, len(TOKEN_IDS)),
    "rats": (0, SLOTS),
    "face": (NONE, len(TOKEN_IDS) - 1),
    "pile": FLAG,
    "looked": (0, EVERY_SEAT),
    "any_looked": SET_OF_REGIONS,
    "seen": (0, EVERY_SEAT),
    "flipped": FLAG,
    "start_drawn": (0, MOST_LEFT_OVER),
    "start_seen": (0, MOST_LEFT_OVER),
    "settled": (0, 2 * SEATS),
    "active": (0, SEATS - 1),
    "card_taken": FLAG,
    "cubes_placed": FLAG,
    "used": FLAG,
    "spread_left": (0, 2),
    "neutral": REGION,
    "chosen_regions": REGION,
    "chosen_slots": (NONE, SLOTS - 1),
    "cubes_moving": (0, SLOTS),
    "seen_region": (0, LAST_REGION),
    "seen_slot": (0, SLOTS - 1),
    "seen_because": (0, 0),
    "last_active": (NONE, SEATS - 1),
    "region_ravaged": (0, len(REGIONS)),
}


def possible(row):
    """The end, or a node, with the configuration's board, and every cube and token in one place."""
    return (
        board_is_right(row)
        and pieces_are_possible(row)
        and slots_are_possible(row)
        and tokens_are_possible(row)
        and start_faces_are_possible(row)
        and stage_is_possible(row)
        and (row.phase == OVER or node_is_possible(row))
    )


def board_is_right(row):
    """RT-01: the configuration's map, and the sets of regions that follow from the rats."""
    for region in range(len(REGIONS)):
        if row.in_play[region] != row.config.map[region, region] or row.neighbours[region] != neighbours_of(
            row, region
        ):
            return False
        has_room = is_in_play(row, region) and row.rats[region] < SLOTS
        if contains(row.with_room, region) != has_room or (row.rats[region] > 0 and not is_in_play(row, region)):
            return False
    for region in range(len(REGIONS)):
        if row.two_steps[region] != within_two_steps(row, region):
            return False
    return is_in_play(row, row.plague)


def pieces_are_possible(row):
    """RT-02: twenty cubes of each colour; the seats that are named are in play."""
    for seat in range(SEATS):
        number = row.stock[seat] + row.palace[seat]
        for region in range(len(REGIONS)):
            number += row.cubes[seat, region]
            if row.cubes[seat, region] > 0 and not is_in_play(row, region):
                return False
        if number != (CUBES if seat < seats(row) else 0):
            return False
    for card in range(len(CARDS)):
        if row.holder[card] >= seats(row):
            return False
    return max(row.active, row.last_active, row.actor) < seats(row)


def slots_are_possible(row):
    """RT-23: tokens lie in the first slots; RT-71: whoever looked at one has seen its face."""
    for region in range(len(REGIONS)):
        for slot in range(SLOTS):
            face = row.face[slot, region]
            looked = row.looked[slot, region]
            if (looked != 0) != contains(row.any_looked[slot], region) or looked >> seats(row) != 0:
                return False
            if slot >= row.rats[region] and (face != NONE or row.pile[slot, region] != 0 or looked != 0):
                return False
            if (face == NONE and looked != 0) or (face != NONE and looked & ~row.seen[face] != 0):
                return False
            if face != NONE and row.pile[slot, region] == START_PILE and not is_start_face(face):
                return False
    return True


def tokens_are_possible(row):
    """RT-03, RT-05: a face that was seen is on the board once, or was flipped; RT-80: the rest are unseen."""
    flipped = 0
    in_play = 0
    for token in range(len(TOKEN_IDS)):
        on_board = 0
        for region in range(len(REGIONS)):
            for slot in range(SLOTS):
                on_board += row.face[slot, region] == token
        if on_board + row.flipped[token] != (row.seen[token] != 0) or row.seen[token] >> seats(row) != 0:
            return False
        flipped += row.flipped[token]
    for region in range(len(REGIONS)):
        in_play += is_in_play(row, region)
    return flipped + total(row.rats) == in_play + first_supply(row) - row.supply and row.supply <= first_supply(row)


def start_faces_are_possible(row):
    """RT-03: start faces on the board from the beginning, and those left over, in the supply."""
    unseen = 0
    for token in range(START):
        unseen += row.seen[token] == 0
    hidden = 0
    drawn = 0
    for region in range(len(REGIONS)):
        for slot in range(row.rats[region]):
            face = row.face[slot, region]
            of_start_pile = row.pile[slot, region] == START_PILE
            hidden += of_start_pile and face == NONE
            drawn += not of_start_pile and face != NONE and is_start_face(face)
    for seat in range(SEATS):
        if row.start_seen[seat] > row.start_drawn or (seat >= seats(row) and row.start_seen[seat] > 0):
            return False
    return drawn <= row.start_drawn <= left_over(row) and unseen == hidden + left_over(row) - row.start_drawn


def stage_is_possible(row):
    """RT-60, RT-65: the final round has a last active player; the end comes after the last region."""
    if row.phase == OVER:
        return row.actor == TERMINAL and row.stage == FINAL_RAVAGE and row.last_active != NONE
    is_last_round = row.stage == FINAL_ROUND
    return (
        row.actor >= 0
        and row.stage <= FINAL_ROUND
        and is_last_round == (row.last_active != NONE)
        and (not is_last_round or row.active != row.last_active)
        and row.region_ravaged == 0
        and (row.neutral == NONE or is_in_play(row, row.neutral))
    )


def node_is_possible(row):
    """RT-07, then a turn, an ability or the final round."""
    if row.phase == SETTLE:
        return settling_is_possible(row) and nothing_is_half_made(row)
    if row.settled != 2 * seats(row) or row.actor != row.active:
        return False
    if MERCHANT_TO <= row.phase <= WITCH_SWAP:
        return ability_is_possible(row)
    if not nothing_is_half_made(row):
        return False
    if row.phase == FINAL:
        return row.stage == FINAL_ROUND and ability_is_left(row)
    return row.stage != FINAL_ROUND and node_in_turn_is_possible(row)


def nothing_is_half_made(row):
    """RT-16: no ability is in progress."""
    regions = row.chosen_regions[0] == NONE and row.chosen_regions[1] == NONE
    return regions and row.chosen_slots[0] == NONE and row.chosen_slots[1] == NONE and row.cubes_moving == 0


def settling_is_possible(row):
    """RT-07: from player_0 to the last player, then back; nothing else has happened."""
    number = seats(row)
    for seat in range(number):
        placed = (row.settled > seat) + (row.settled > 2 * number - 1 - seat)
        if row.stock[seat] != CUBES - FIRST_CUBES * placed or row.palace[seat] != 0:
            return False
    right = row.settled if row.settled < number else 2 * number - 1 - row.settled
    return row.settled < 2 * number and row.actor == right and row.stage == 0 and total(row.holder) == len(CARDS) * NONE


def ability_is_possible(row):
    """RT-40, RT-41, RT-45: what was chosen exists."""
    first, second = row.chosen_regions
    first_slot, second_slot = row.chosen_slots
    if first == NONE or (second == NONE and second_slot != NONE):
        return False
    if row.phase == MERCHANT_TO:
        return second == NONE and 1 <= row.cubes_moving <= row.cubes[row.active, first]
    if row.cubes_moving != 0 or not 0 <= first_slot < row.rats[first]:
        return False
    if row.phase == MONK_TO:
        return second == NONE and has_room_beside(row, first)
    if row.phase == WITCH_AGAIN:
        return second == NONE
    return row.phase == WITCH_SWAP and second != NONE and first != second and 0 <= second_slot < row.rats[second]


def node_in_turn_is_possible(row):
    """RT-10 to RT-15, RT-20, RT-25, RT-44, RT-47."""
    if row.phase == MAIN:
        return True
    if row.phase == SPREAD:
        return can_spread(row)
    if row.phase == BONUS:
        return knight_is_asked(row)
    if row.phase == FLIP:
        return can_ravage(row, row.plague) and row.rats[row.plague] > 1
    return row.phase == KING_LATE and king_can_be_used(row)
