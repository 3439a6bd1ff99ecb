"""The beginning (RT-01 to RT-08)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus.abilities import forget_choices
from rat_envs.games.rattus.components import (
    CUBES,
    NONE,
    PLAGUE_BEGINS,
    SETTLE,
    SLOTS,
    START_PILE,
    contains,
    is_in_play,
    left_over,
    seats,
)
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS
from rat_envs.games.rattus.tokens import lay_token
from rat_envs.games.rattus.turn import begin_turn

#: Cubes in one placement at set-up.
FIRST_CUBES = 2


@out_of_line
def set_up(row):
    """RT-01 to RT-06: everything but the first cubes."""
    set_up_board(row)
    for card in range(len(CARDS)):
        row.holder[card] = NONE
    for seat in range(seats(row)):
        row.stock[seat] = CUBES
    row.supply = first_supply(row)
    row.neutral = NONE
    row.last_active = NONE
    forget_choices(row)
    row.phase = PLAGUE_BEGINS
    row.actor = CHANCE


def first_supply(row):
    """RT-03 to RT-05: the regular tokens and the start tokens left over, minus those removed."""
    removed = 6 * (4 - seats(row))
    return len(TOKEN_IDS) - len(REGIONS) + left_over(row) - removed


def set_up_board(row):
    """RT-01: the regions in play as sets; RT-03: a start token on each."""
    for region in range(len(REGIONS)):
        for slot in range(SLOTS):
            row.face[slot, region] = NONE
        row.neighbours[region] = neighbours_of(row, region)
        row.in_play[region] = row.config.map[region, region]
    for region in range(len(REGIONS)):
        row.two_steps[region] = within_two_steps(row, region)
        if is_in_play(row, region):
            row.with_room |= 1 << region
            lay_token(row, region, NONE, START_PILE, 0)


def neighbours_of(row, region):
    """A region's neighbours as a set."""
    neighbours = 0
    for other in range(len(REGIONS)):
        if other != region and row.config.map[region, other]:
            neighbours |= 1 << other
    return neighbours


def within_two_steps(row, region):
    """RT-43: the neighbours and theirs, but not the region itself."""
    near = row.neighbours[region]
    for between in range(len(REGIONS)):
        if contains(row.neighbours[region], between):
            near |= row.neighbours[between]
    return near & ~(1 << region)


def begin_plague(row, region):
    """RT-06."""
    row.plague = region
    row.phase = SETTLE
    row.actor = 0


def settle(row, region):
    """RT-07: from player_0 to the last player, then back; RT-08: then the first turn."""
    row.cubes[row.actor, region] += FIRST_CUBES
    row.stock[row.actor] -= FIRST_CUBES
    row.settled += 1
    number = seats(row)
    if row.settled == 2 * number:
        begin_turn(row, 0)
    else:
        row.actor = row.settled if row.settled < number else 2 * number - 1 - row.settled
