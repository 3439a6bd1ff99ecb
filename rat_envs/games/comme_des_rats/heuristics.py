"""Comme des Rats: three policies that value dice equally, but differ in what they promise and whether they keep it.

``greedy`` promises nothing. ``loyal`` announces what it will do and does it. ``treacherous`` promises peace to all and
sends the cat at whoever believed it. All prefer keys while piles are rich, avoid piles that are likely to hold traps,
rob stocks with known cheese or else a leader's large one, and send the cat at the leader.
"""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.seats import observed_place_of
from rat_envs.games.comme_des_rats.components import (
    CHEESE1,
    CHEESE2,
    CLAW,
    CLOVER,
    KEY1,
    KEY2,
    KINDS,
    PILES,
    SEATS,
    STEAL,
    TRAP,
)
from rat_envs.games.comme_des_rats.configuration import FACES, PILE_SIZE
from rat_envs.games.comme_des_rats.notation import (
    CLAIM_ACTION,
    CLAW_FIRST,
    CLOVER_ACTION,
    DIE_FIRST,
    LOOK_FIRST,
    NO_CLAIM_ACTION,
    NO_REDIRECT_ACTION,
    PARTNER_FIRST,
    PILE_FIRST,
    PLACE_FIRST,
    REDIRECT_FIRST,
    REROLL_ACTION,
    ROB_FIRST,
    SAY_CLAW,
    SAY_DIE,
    SAY_FIRST,
    SAY_NOTHING,
    SAY_PEACE,
    THIRD_RAT_PLACE,
)

#: How a rat treats its promises.
SILENT, KEEPS_WORD, BREAKS_WORD = range(3)

#: What things are worth, in points.
WORTH_OF_CLOVER = 0.6
COST_OF_BANDAGE = (0.5, 0.9)
PER_STORED_CARD_WHEN_OUT = 1.0
WORTH_OF_CAT = 0.7
#: One card fewer for another rat and one more for the observer, without danger.
WORTH_OF_STRANGE_CARD = 2.5
PROMISE = 100.0
#: A roll is kept if its worse die, which the partner will give back, is worth at least this.
GOOD_ROLL = 0.6


def greedy(observation, mask):
    """The legal action with the highest value."""
    return best_action(observation, mask, SILENT)


def loyal(observation, mask):
    """Like ``greedy``, but says what it will do, and does it."""
    return best_action(observation, mask, KEEPS_WORD)


def treacherous(observation, mask):
    """Like ``greedy``, but promises peace, and sends the cat at the rat that chose it for that promise."""
    return best_action(observation, mask, BREAKS_WORD)


def best_action(observation, mask, manner):
    """The legal action with the highest value, the first among equals."""
    best = -1
    most = 0.0
    for action in range(len(mask)):
        if mask[action]:
            worth = worth_of(observation, action, manner)
            if best < 0 or worth > most:
                best, most = action, worth
    return best


def worth_of(observation, action, manner):
    """What an action is worth, to be compared with the other legal ones."""
    if action < CLAIM_ACTION:
        if action < SAY_FIRST:
            return worth_of_roll(observation, action)
        return worth_of_saying(observation, action - SAY_FIRST, manner)
    if action < DIE_FIRST:
        if action < PARTNER_FIRST:
            return worth_of_claim(observation, action)
        return worth_of_partner(observation, action - PARTNER_FIRST)
    if action < PILE_FIRST:
        return worth_of_keeping(observation, action - DIE_FIRST, manner)
    return worth_for_die(observation, action, manner)


def worth_for_die(observation, action, manner):
    """What an action is worth while a die is resolved, or before the first roll."""
    if action < ROB_FIRST:
        return -danger_of(observation, action - PILE_FIRST)
    if action < CLAW_FIRST:
        return worth_of_robbing(observation, place_of_rat(observation, action - ROB_FIRST))
    if action < REDIRECT_FIRST:
        return worth_of_target(observation, action - CLAW_FIRST, manner)
    if action < NO_REDIRECT_ACTION:
        return 1.0 + worth_of_target(observation, action - REDIRECT_FIRST, manner)
    if action < LOOK_FIRST:
        return 1.0 if action == CLOVER_ACTION else 0.0
    if action < PLACE_FIRST:
        return float(observation.pile_size[action - LOOK_FIRST])
    return worth_of_placing(action - PLACE_FIRST)


def place_of_rat(observation, number):
    """The place in the observation of the rat that an action names."""
    return number if number == THIRD_RAT_PLACE else observed_place_of(observation, number)


def unseen_traps(observation):
    """Traps that are neither beside a pile nor on the discard pile nor in the observer's stock."""
    traps = observation.doors[TRAP] - observation.discard[TRAP] - observation.own_stock[TRAP]
    for pile in range(PILES):
        traps -= observation.traps_beside[pile]
    return traps


@out_of_line
def chance_of_trap(observation, pile):
    """Probability that the top card is a trap: every pile without a trap beside it holds at least one."""
    left = observation.pile_size[pile]
    top = PILE_SIZE - left
    for card in range(KINDS):
        if observation.known_piles[pile, top, card]:
            return 1.0 if card == TRAP else 0.0
    guaranteed = 0
    cards = 0
    for other in range(PILES):
        if observation.pile_size[other] > 0:
            guaranteed += observation.traps_beside[other] == 0
            cards += observation.pile_size[other]
    spread = max(unseen_traps(observation) - guaranteed, 0) / max(cards, 1)
    own = 1.0 / left if observation.traps_beside[pile] == 0 else 0.0
    return min(own + spread, 1.0)


def cost_of_bandage(observation):
    """What a bandage costs the observer, in points: a clover, some safety, or the whole stock."""
    if observation.own_stock[CLOVER] > 0:
        return WORTH_OF_CLOVER
    if observation.bandages[0] < len(COST_OF_BANDAGE):
        return COST_OF_BANDAGE[observation.bandages[0]]
    return COST_OF_BANDAGE[1] + PER_STORED_CARD_WHEN_OUT * observation.stock_size[0]


def danger_of(observation, pile):
    """Probability of a trap on top of a pile; among equals, the smaller pile is more dangerous."""
    return chance_of_trap(observation, pile) - 0.001 * observation.pile_size[pile]


@out_of_line
def safest_chance(observation):
    """Probability that the top card of the safest pile is a trap."""
    least = 1.0
    for pile in range(PILES):
        if observation.pile_size[pile] > 0:
            least = min(least, chance_of_trap(observation, pile))
    return least


def mean_card(observation):
    """Mean value of a card other than a trap."""
    cards = observation.doors[CHEESE1] + observation.doors[CHEESE2] + observation.doors[CLOVER]
    points = observation.doors[CHEESE1] + 2.0 * observation.doors[CHEESE2]
    return (points + WORTH_OF_CLOVER * observation.doors[CLOVER]) / max(cards, 1)


@out_of_line
def worth_of_face(observation, face):
    """What a die is worth to the observer."""
    if face == KEY1 or face == KEY2:
        trap = safest_chance(observation)
        draws = 1.0 if face == KEY1 else 1.8
        return draws * ((1.0 - trap) * mean_card(observation) - trap * cost_of_bandage(observation))
    if face == STEAL:
        return most_worth_robbing(observation)
    if face == CLAW:
        return most_worth_clawing(observation)
    return 0.5 * observation.bandages[0] * observation.bandages[0]


def most_worth_robbing(observation):
    """The value of a theft: the same from every stock, and 0 if there is none."""
    for place in range(1, SEATS + 1):
        if observation.stock_size[place] > 0:
            return WORTH_OF_STRANGE_CARD
    return 0.0


def most_worth_clawing(observation):
    """What the best target of the cat is worth."""
    most = 0.0
    for place in range(1, SEATS + 1):
        if not observation.out[place] and not observation.visited[place]:
            most = max(most, worth_of_hurting(observation, place))
    return most


@out_of_line
def worth_of_hurting(observation, place):
    """Value of the cat at a rat: higher for a leader, highest for a rat that goes out and loses its stock."""
    wealth = 0.15 * observation.points[place] + 0.25 * observation.stock_size[place]
    if observation.bandages[place] == 2:
        return WORTH_OF_CAT + wealth + 0.5 * observation.stock_size[place]
    return 0.5 * WORTH_OF_CAT + wealth + 0.1 * observation.bandages[place]


def worth_of_roll(observation, action):
    """Keep the dice if the worse die, which the partner gives back, is still good."""
    if action == REROLL_ACTION:
        return GOOD_ROLL
    worst = 1000.0
    for face in range(len(FACES)):
        if observation.dice[face] > 0:
            worst = min(worst, worth_of_face(observation, face))
    return worst


@out_of_line
def best_face(observation):
    """The die that the observer would keep."""
    best = -1
    for face in range(len(FACES)):
        better = best < 0 or worth_of_face(observation, face) > worth_of_face(observation, best)
        if observation.dice[face] > 0 and better:
            best = face
    return best


def worth_of_saying(observation, statement, manner):
    """Silent: nothing; loyal: the die it would keep, or peace if that is the cat; treacherous: always peace."""
    if manner == SILENT:
        return 1.0 if statement == SAY_NOTHING else 0.0
    if manner == KEEPS_WORD and best_face(observation) != CLAW:
        return 1.0 if statement == SAY_DIE + best_face(observation) else 0.0
    return 1.0 if statement == SAY_PEACE else 0.0


def worth_of_claim(observation, action):
    """Al Ratone takes the dice when one of them is worth it."""
    if action == NO_CLAIM_ACTION:
        return 1.0
    return worth_of_face(observation, best_face(observation))


def worth_of_partner(observation, number):
    """Prefer a rat with few points and cards, and one that promised peace or to leave the better die."""
    place = place_of_rat(observation, number)
    worth = -0.2 * observation.points[place] - 0.1 * observation.stock_size[place]
    if place == THIRD_RAT_PLACE:
        return worth + 0.2
    worth += 0.5 * observation.statements[place, SAY_PEACE]
    for face in range(len(FACES)):
        if observation.statements[place, SAY_DIE + face] and face != best_face(observation):
            worth += 0.5
    if observation.statements[place, SAY_CLAW]:
        worth -= 1.0
    return worth


def worth_of_keeping(observation, face, manner):
    """Prefer the better die; for a loyal rat a promised die comes first."""
    worth = worth_of_face(observation, face)
    if manner == KEEPS_WORD and observation.statements[0, SAY_DIE + face]:
        worth += PROMISE
    return worth


def worth_of_robbing(observation, place):
    """Prefer a stock with known cheese, then a large stock of a leader."""
    worth = 0.2 * observation.points[place] + 0.1 * observation.stock_size[place]
    if place == THIRD_RAT_PLACE:
        cheese = observation.third_rat_stock[CHEESE1] + 2.0 * observation.third_rat_stock[CHEESE2]
        return worth + cheese / max(observation.stock_size[place], 1)
    cheese = observation.sure[place, CHEESE1] + 2.0 * observation.sure[place, CHEESE2]
    traps = 2.0 * observation.sure[place, TRAP]
    return worth + (cheese - traps) / max(observation.stock_size[place], 1)


def worth_of_target(observation, number, manner):
    """Prefer the leader; the rat's own promise, kept or broken, comes first."""
    place = place_of_rat(observation, number)
    worth = worth_of_hurting(observation, place)
    is_active = place != THIRD_RAT_PLACE and observation.active[place]
    if observation.statements[0, SAY_PEACE] and is_active:
        if manner == KEEPS_WORD:
            worth -= PROMISE
        elif manner == BREAKS_WORD:
            worth += PROMISE
    if manner == KEEPS_WORD and observation.statements[0, SAY_CLAW + place]:
        worth += PROMISE
    return worth


def worth_of_placing(card):
    """The Manipulator puts traps on top, where the others will find them."""
    return 1.0 if card == TRAP else 0.1 * card


__all__ = ["greedy", "loyal", "treacherous"]
