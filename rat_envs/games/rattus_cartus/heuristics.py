"""Rattus Cartus: take tracks that it can lead, and keep fewer rats than the expected nuns.

``greedy`` enters where its cards bring the most points at once, and lays cards that bring points without rats; it lays
others only while it has fewer rats than the expected nuns in the row, with some to spare.
"""

from __future__ import annotations

from rat_envs.engine.seats import observed_place_of
from rat_envs.games.rattus_cartus.components import (
    FLUTE,
    GOLD,
    JOKER,
    KINDS,
    PASS,
    PLACES,
    SEATS,
    SLOTS,
    SWORD,
    class_of,
    class_of_card,
    nuns_on,
)
from rat_envs.games.rattus_cartus.configuration import DRAW, DROP, LOOK
from rat_envs.games.rattus_cartus.ending import PRIZES
from rat_envs.games.rattus_cartus.notation import (
    ACT_ACTION,
    DISCARD_FIRST,
    DONE,
    ENTER_FIRST,
    GIVE_FIRST,
    LAY_FIRST,
    LOOK_FIRST,
    PASS_ACTION,
    RAT_TO_FIRST,
    SUPPLY_FIRST,
    TAKE_FROM_FIRST,
)
from rat_envs.games.rattus_cartus.tables import (
    BREWERY,
    BUILDINGS,
    CLASSES,
    FARM,
    GUARD_TOWER,
    HOSPITAL,
    KINDS_OF_CLASS,
    MONASTERY,
    PALACE,
    TENT,
)

#: How many fewer rats than nuns to aim for.
TO_SPARE = 3.0
#: What things are worth, in points.
WORTH_OF_CARD = 1.0
WORTH_OF_LOOK = 0.3
WORTH_OF_SPECIAL = 0.7
#: Cost of a dangerous rat, and of any other rat.
DANGEROUS_RAT, RAT = 2.5, 0.15
#: Values of a point of influence, and of a point of the prize that it brings now.
INFLUENCE = 0.5
PRIZE = 0.35


def greedy(observation, mask):
    """The legal action with the highest value, the first among equals."""
    spare = expected_nuns(observation) - observation.rats[0]
    best = -1
    most = 0.0
    for action in range(len(mask)):
        if mask[action]:
            worth = worth_of(observation, spare, action)
            if best < 0 or worth > most:
                best, most = action, worth
    return best


def worth_of(observation, spare, action):
    """What an action is worth, to be compared with the other legal ones."""
    if action < LAY_FIRST:
        if action < LOOK_FIRST:
            return worth_of_supply(observation, spare, action - SUPPLY_FIRST)
        if action < ENTER_FIRST:
            return worth_of_looking(observation, action - LOOK_FIRST)
        return worth_of_entering(observation, spare, action - ENTER_FIRST) if action < PASS_ACTION else 0.0
    if action < TAKE_FROM_FIRST:
        if action < DONE:
            return worth_of_laying(observation, spare, action - LAY_FIRST)
        return 1.0 if action == ACT_ACTION else 0.0
    if action < GIVE_FIRST:
        number = action - (TAKE_FROM_FIRST if action < RAT_TO_FIRST else RAT_TO_FIRST)
        return float(strength(observation, observed_place_of(observation, number)))
    if action < DISCARD_FIRST:
        return -worth_of_keeping(observation, action - GIVE_FIRST)
    return worth_of_dropping(spare, 1) - worth_of_keeping(observation, action - DISCARD_FIRST)


def expected_nuns(observation):
    """Expected nuns in the row: those seen, and for every other card the mean over what it can be."""
    seen = 0
    nuns = 0.0
    for place in range(PLACES):
        for number in range(KINDS_OF_CLASS):
            if observation.nuns[place, len(CLASSES) + number]:
                seen += 1
                nuns += number
    cards = 0
    sum_of_nuns = 0.0
    for kind in range(KINDS):
        cards += observation.row_most[kind]
        sum_of_nuns += observation.row_most[kind] * nuns_on(kind)
    return nuns + (PLACES - seen) * sum_of_nuns / max(cards, 1)


def worth_of_dropping(spare, number):
    """The value of dropping rats: high while there are too many."""
    worth = 0.0
    for dropped in range(number):
        worth += DANGEROUS_RAT if spare + dropped < TO_SPARE else RAT
    return worth


def cost_of_rats(spare, number):
    """The cost of getting rats."""
    return worth_of_dropping(spare - number, number)


def worth_of_supply(observation, spare, slot):
    """The value of a supply: cards, fewer rats, looks."""
    drop = min(observation.row_supply[slot, DROP], observation.rats[0])
    cards = min(observation.row_supply[slot, DRAW], observation.deck_size)
    return cards * WORTH_OF_CARD + worth_of_dropping(spare, drop) + observation.row_supply[slot, LOOK] * WORTH_OF_LOOK


def worth_of_looking(observation, place):
    """Prefer a row card that the observer has not seen."""
    return 0.0 if observation.looked[place, 0] else 1.0


def building_in(observation, slot):
    """The building of a slot."""
    for building in range(len(BUILDINGS)):
        if observation.row[slot, building]:
            return building
    return 0


def cards_of_class(observation, number):
    """Population cards of a class in hand."""
    cards = 0
    for kind in range(KINDS):
        if class_of_card(kind) == number:
            cards += observation.hand[kind]
    return cards


def worth_of_track(observation, track, more):
    """The value of ``more`` points on a track: their own value, and the prize they bring as things stand."""
    own = observation.influence[track, 0] + more
    ahead = 0
    for place in range(1, SEATS):
        ahead += observation.influence[track, place] >= own
    prize = PRIZES[ahead] if ahead < len(PRIZES) and own > 0 else 0
    return INFLUENCE * more + PRIZE * prize


def worth_of_entering(observation, spare, slot):
    """The value of entering: the track, and what the building gives."""
    building = building_in(observation, slot)
    track = class_of(building)
    cards = cards_of_class(observation, track) + observation.hand[JOKER]
    gain = worth_of_track(observation, track, cards) - worth_of_track(observation, track, 0)
    return gain + worth_of_building(observation, spare, building, cards)


def worth_of_building(observation, spare, building, cards):
    """The value of the action, with an even chance of the premium."""
    if building == FARM:
        return 3.0 * WORTH_OF_CARD
    if building == BREWERY:
        return 0.75 * cards * WORTH_OF_CARD
    if building == MONASTERY:
        return worth_of_dropping(spare, min(2, observation.rats[0]))
    if building == HOSPITAL:
        return 0.5 * worth_of_dropping(spare, min(2, observation.rats[0]))
    if building == PALACE:
        return 1.5
    if building == TENT:
        return 1.5 * WORTH_OF_LOOK
    return WORTH_OF_CARD if building == GUARD_TOWER else 1.5 * WORTH_OF_SPECIAL


def own_slot(observation):
    """The slot that the observer has entered."""
    for slot in range(SLOTS):
        if observation.entered[0, slot]:
            return slot
    return 0


def worth_of_laying(observation, spare, kind):
    """The value of laying a card: influence, minus the rat for another class; one Sword and one Flute at most."""
    if kind == SWORD or kind == FLUTE:
        return 0.1 if observation.laid[kind] == 0 else -1.0
    track = class_of(building_in(observation, own_slot(observation)))
    if kind == JOKER or class_of_card(kind) == track:
        return INFLUENCE
    return (
        INFLUENCE + 0.4 - worth_of_keeping(observation, kind) - cost_of_rats(spare - rats_laid(observation, track), 1)
    )


def rats_laid(observation, track):
    """Rats that the cards laid so far will bring."""
    rats = 0
    for kind in range(KINDS):
        if class_of_card(kind) != track:
            rats += observation.laid[kind]
    return rats


def strength(observation, place):
    """How much a player has in hand, on the tracks and in tokens."""
    points = observation.token_points[place] + observation.cards_held[place]
    for track in range(len(CLASSES)):
        points += observation.influence[track, place]
    return points


def worth_of_keeping(observation, kind):
    """What a card in hand is worth."""
    if kind >= KINDS:
        return 1.2 if kind == JOKER or kind == GOLD else 0.6 if kind == PASS else WORTH_OF_SPECIAL
    return 0.5 + 0.1 * cards_of_class(observation, class_of_card(kind))
