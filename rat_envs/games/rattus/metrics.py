"""What is counted about a game beyond its result: class cards and abilities."""

from __future__ import annotations

from rat_envs.games.rattus.components import FINAL, KING_LATE, MAIN, NONE, cubes_in
from rat_envs.games.rattus.notation import (
    FLIP_FIRST,
    KING_FIRST,
    MERCHANT_FIRST,
    PASS,
    PLACE_FIRST,
    PLAGUE_FIRST,
    RAT_FIRST,
    TAKE_FIRST,
)

#: What is counted for each seat, by its name.
METRICS = {
    "cards taken": "class cards taken (RT-11)",
    "cards lost": "class cards taken from it by another player",
    "abilities": "times it used Merchant, Monk, Witch or King (RT-40 to RT-47)",
    "plague on others": "moves of the plague in its turns to a region with rats and cubes, none of them its own",
}
TAKEN, LOST, ABILITIES, ON_OTHERS = range(len(METRICS))


def tally(row, action, counts):
    """Count what an action means, before it is applied."""
    if row.phase == MAIN and action < PLACE_FIRST:
        tally_card(row, action - TAKE_FIRST, counts)
    elif row.phase == MAIN and PLAGUE_FIRST <= action < RAT_FIRST:
        tally_plague(row, action - PLAGUE_FIRST, counts)
    elif row.phase == MAIN or row.phase == FINAL:
        counts[row.actor, ABILITIES] += is_ability(action)
    elif row.phase == KING_LATE:
        counts[row.actor, ABILITIES] += action != PASS


def tally_card(row, card, counts):
    """RT-11."""
    counts[row.actor, TAKEN] += 1
    if row.holder[card] != NONE:
        counts[row.holder[card], LOST] += 1


def tally_plague(row, region, counts):
    """RT-24: a ravage that can only hurt others."""
    others = cubes_in(row, region) > 0 and row.cubes[row.actor, region] == 0
    counts[row.actor, ON_OTHERS] += others and row.rats[region] > 0


def is_ability(action):
    """Whether an action begins an ability that is an action of its own."""
    return KING_FIRST <= action < PLAGUE_FIRST or MERCHANT_FIRST <= action < FLIP_FIRST
