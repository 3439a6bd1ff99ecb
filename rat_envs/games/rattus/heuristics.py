"""Rattus: place cubes where there are many rats, keep own cubes out of the plague's way, and steer it at others.

The danger in a region is the mean loss of each player to one flipped token, over the faces that the observer has not
seen, times the number of rats. ``greedy`` looks one action ahead.
"""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.memory import blank
from rat_envs.games.rattus.components import NEUTRAL_CUBES, NONE, SEATS, SLOTS
from rat_envs.games.rattus.configuration import CLASSES, EVERY, FACE, LARGEST_LIMIT, LIMIT, MOST
from rat_envs.games.rattus.notation import (
    BONUS_ACTION,
    FLIP_FIRST,
    KING_FIRST,
    MERCHANT_FIRST,
    MONK_FIRST,
    PASS,
    PEASANT_FIRST,
    PLACE_FIRST,
    PLAGUE_FIRST,
    RAT_FIRST,
    STOP,
    SWAP,
    TAKE_FIRST,
    TO_FIRST,
    WITCH_FIRST,
)
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS

#: Value of a class card in cubes, before the cost of being struck by its class.
WORTH_OF_CARD = (1.2, 0.6, 0.6, 0.9, 0.1, 0.8)
#: By how much each card already held reduces the value of another.
COST_OF_CARD = 0.4
#: Weight of a cube that another player loses, relative to one of its own.
OTHERS = 0.3
#: Weight of the danger in a region that the plague has not reached.
LATER = 0.5
#: Abilities are used for a gain of more than this.
WORTH_THE_TROUBLE = 0.2

#: Priorities of actions in a turn: abilities and a card if they are worth it, then cubes, then the plague.
FIRST, SECOND, NEVER, STOPPING = 100.0, 50.0, -1000.0, -500.0

STRIKES = np.dtype((np.record, [("by_limit", "f8", (LARGEST_LIMIT + 1, FACE))]))


def greedy(observation, mask):
    """The legal action with the highest value, the first among equals."""
    strikes = blank(STRIKES).by_limit
    expect_strikes(observation, strikes)
    best = -1
    most = 0.0
    for action in range(len(mask)):
        if mask[action]:
            worth = worth_of(observation, strikes, action)
            if best < 0 or worth > most:
                best, most = action, worth
    return best


@out_of_line
def expect_strikes(observation, strikes):
    """By number of cubes counted (9: or more), the mean number of each symbol on an unseen token, 0 if it does not act.

    Args:
        strikes: (10, 9) float64 zeros, to be written. The columns are those of a face: M, A and classes; the first is
            not used.
    """
    number = 0
    for token in range(len(TOKEN_IDS)):
        if observation.unseen[token]:
            number += 1
            for column in range(MOST, FACE):
                strikes[observation.tokens[token, LIMIT], column] += observation.tokens[token, column]
    for limit in range(1, LARGEST_LIMIT + 1):
        for column in range(MOST, FACE):
            strikes[limit, column] += strikes[limit - 1, column]
    for limit in range(1, LARGEST_LIMIT + 1):
        for column in range(MOST, FACE):
            strikes[limit, column] /= max(number, 1)


def worth_of(observation, strikes, action):
    """What an action is worth, to be compared with the other legal ones."""
    if action < TO_FIRST:
        if action < PLACE_FIRST:
            return worth_of_taking(observation, action - TAKE_FIRST)
        if action < PEASANT_FIRST:
            return SECOND + worth_of_placing(observation, strikes, action - PLACE_FIRST, 0)
        return SECOND + worth_of_placing(observation, strikes, action - PEASANT_FIRST, 1)
    if action < RAT_FIRST:
        if action < KING_FIRST:
            return worth_of_goal(observation, strikes, action - TO_FIRST)
        if action < PLAGUE_FIRST:
            return worth_of_king(observation)
        return worth_of_plague(observation, strikes, action - PLAGUE_FIRST)
    return worth_of_the_rest(observation, strikes, action)


def worth_of_the_rest(observation, strikes, action):
    """The value of actions with tokens and abilities."""
    if action < MERCHANT_FIRST:
        return change_by_rats(observation, strikes, action - RAT_FIRST, 1)
    if action < MONK_FIRST:
        place = action - MERCHANT_FIRST
        return optional(worth_of_merchant(observation, strikes, place // SLOTS, place % SLOTS + 1))
    if action < WITCH_FIRST:
        return optional(worth_of_monk(observation, strikes, (action - MONK_FIRST) // SLOTS))
    if action < FLIP_FIRST:
        return NEVER
    if action < STOP:
        return worth_of_flip(observation, strikes, action - FLIP_FIRST)
    if action == BONUS_ACTION:
        return outlook(observation, strikes, plague(observation), 0, 0, NEUTRAL_CUBES)
    if action < PASS and action != SWAP and action != STOP:
        return outlook(observation, strikes, plague(observation), 0, 0, 0)
    return STOPPING


def optional(worth):
    """The value of an ability: used before anything else, or not at all."""
    return FIRST + worth if worth > WORTH_THE_TROUBLE else NEVER


def plague(observation):
    """The region of the plague piece."""
    for region in range(len(REGIONS)):
        if observation.plague[region]:
            return region
    return NONE


def cubes_in(observation, region):
    """Cubes in a region, of all colours."""
    number = 0
    for place in range(SEATS):
        number += observation.cubes[place, region]
    return number


def cards_held(observation, place):
    """How many class cards a player holds."""
    number = 0
    for card in range(len(CARDS)):
        number += observation.holders[card, place]
    return number


def outlook(observation, strikes, region, more_cubes, more_rats, neutral):
    """Expected value of a ravage: cubes lost by the others, discounted, minus own cubes lost."""
    rats = observation.rats[region] + more_rats
    cubes = cubes_in(observation, region) + more_cubes
    if rats <= 0 or cubes <= 0:
        return 0.0
    counted = min(cubes + neutral, LARGEST_LIMIT)
    most = 0
    for place in range(SEATS):
        most = max(most, observation.cubes[place, region] + (more_cubes if place == 0 else 0))
    worth = 0.0
    for place in range(SEATS):
        own = observation.cubes[place, region] + (more_cubes if place == 0 else 0)
        if own > 0:
            struck = strikes[counted, EVERY] + (strikes[counted, MOST] if own == most else 0.0)
            for card in range(len(CARDS)):
                struck += strikes[counted, CLASSES + card] * observation.holders[card, place]
            lost = min(float(own), struck * rats)
            worth += -lost if place == 0 else OTHERS * lost
    return worth


def change_by_rats(observation, strikes, region, number):
    """Change in the outlook with ``number`` more rats in a region."""
    return outlook(observation, strikes, region, 0, number, 0) - outlook(observation, strikes, region, 0, 0, 0)


def change_by_cubes(observation, strikes, region, number):
    """Change in the outlook with ``number`` more own cubes in a region."""
    return outlook(observation, strikes, region, number, 0, 0) - outlook(observation, strikes, region, 0, 0, 0)


def worth_of_taking(observation, card):
    """The value of taking a card, reduced by the cards already held."""
    return optional(WORTH_OF_CARD[card] - COST_OF_CARD * cards_held(observation, 0))


def worth_of_placing(observation, strikes, region, extra):
    """The cubes placed, minus their danger; at set-up the safest region."""
    if observation.stock[0] == 0:
        return 0.0
    number = min(observation.rats[region] + extra, observation.stock[0])
    return number + LATER * change_by_cubes(observation, strikes, region, number)


def worth_of_goal(observation, strikes, region):
    """The value of a region to which cubes or a token are moved."""
    for origin in range(len(REGIONS)):
        if observation.cubes_moving[origin]:
            return change_by_cubes(observation, strikes, region, observation.cubes_moving[origin])
    return change_by_rats(observation, strikes, region, 1)


def worth_of_king(observation):
    """At the end of the turn if that is allowed; regions without rats are not in danger, so all are equal."""
    in_turn = observation.node[1] > 0
    return NEVER if in_turn and observation.king_after_plague else FIRST


def worth_of_plague(observation, strikes, region):
    """The value of the ravage that follows."""
    return outlook(observation, strikes, region, 0, 0, 0)


def worth_of_merchant(observation, strikes, origin, number):
    """The value of moving cubes out of danger, to the best neighbour."""
    best = -10.0
    for goal in range(len(REGIONS)):
        if goal != origin and observation.adjacency[origin, goal]:
            best = max(best, change_by_cubes(observation, strikes, goal, number))
    return LATER * (best + change_by_cubes(observation, strikes, origin, -number))


def worth_of_monk(observation, strikes, origin):
    """The value of moving a token away from own cubes, towards the others'."""
    best = -10.0
    for goal in range(len(REGIONS)):
        if goal != origin and observation.adjacency[origin, goal] and observation.rats[goal] < SLOTS:
            best = max(best, change_by_rats(observation, strikes, goal, 1))
    return LATER * (best + change_by_rats(observation, strikes, origin, -1))


def worth_of_flip(observation, strikes, slot):
    """The effect of a known token; for any other, the mean effect of unseen tokens."""
    region = plague(observation)
    neutral = observation.neutral_cubes[region]
    if observation.faces[slot, LIMIT, region] == 0:
        rats = observation.rats[region]
        return outlook(observation, strikes, region, 0, 1 - rats, neutral)
    if observation.faces[slot, LIMIT, region] > cubes_in(observation, region) + neutral:
        return 0.0
    return struck_by(observation, slot, region)


def struck_by(observation, slot, region):
    """Cubes that the others lose to a known token, discounted, minus own cubes lost."""
    most = 0
    for place in range(SEATS):
        most = max(most, observation.cubes[place, region])
    worth = 0.0
    for place in range(SEATS):
        own = observation.cubes[place, region]
        struck = observation.faces[slot, EVERY, region] + (observation.faces[slot, MOST, region] if own == most else 0)
        for card in range(len(CARDS)):
            struck += observation.faces[slot, CLASSES + card, region] * observation.holders[card, place]
        lost = min(own, struck)
        worth += -float(lost) if place == 0 else OTHERS * lost
    return worth
