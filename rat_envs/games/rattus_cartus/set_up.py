"""The beginning (RC-01 to RC-09)."""

from __future__ import annotations

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.game import CHANCE
from rat_envs.games.rattus_cartus.cards import begin_draws
from rat_envs.games.rattus_cartus.components import (
    ALL_KINDS,
    CHOOSE,
    CHOOSING,
    DEALING,
    FIRST_HAND,
    FIRST_RATS,
    GO_ON,
    JOKER,
    KINDS,
    NONE,
    PLACES,
    REPLACEMENTS_OF,
    SLOTS,
    SWORD,
    building_of,
    seats,
)
from rat_envs.games.rattus_cartus.configuration import BY_BUILDING
from rat_envs.games.rattus_cartus.knowledge import begin_ledgers
from rat_envs.games.rattus_cartus.notation import CHOOSE_BUILDING_FIRST, CHOOSE_CARD_FIRST
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    CASTLE,
    CLASSES,
    COPIES,
    HUT,
    OFFICE,
    POPULATION_COPIES,
    SPECIAL_COPIES,
    TREASURY,
)

#: Building cards of a class.
OF_CLASS = 2 * COPIES
#: The buildings that give swords, flutes, passes and gold (RC-05).
GIVERS = (CASTLE, HUT, OFFICE, TREASURY)


@out_of_line
def set_up(row):
    """RC-01 to RC-06: everything up to the choice of buildings."""
    for seat in range(len(row.rats)):
        row.rats[seat] = FIRST_RATS if seat < seats(row) else 0
        row.slot_of[seat] = NONE
    for kind in range(KINDS):
        row.pool[kind] = POPULATION_COPIES[kind]
        row.deck_size += POPULATION_COPIES[kind]
    row.deck_size -= PLACES
    for place in range(PLACES):
        row.nun[place] = NONE
    for slot in range(SLOTS):
        row.slot[slot] = NONE
    for value in range(len(row.tokens)):
        row.tokens[value] = row.config.vp_tokens[value]
    row.replacements_unknown = REPLACEMENTS_OF[row.config.players]
    row.resolved = NONE
    row.giver = NONE
    row.taker = NONE
    begin_ledgers(row)
    row.stage = CHOOSING
    row.phase = GO_ON


def go_on_choosing(row):
    """RC-02: by lot, class by class, or as configured."""
    if row.config.buildings[0] >= 0:
        for card in range(len(BUILDING_CARDS)):
            row.in_use[card] = row.config.buildings[card]
        end_choosing(row)
    elif row.chosen < len(CLASSES) * (1 if by_building(row) else COPIES):
        row.phase = CHOOSE
        row.actor = CHANCE
    else:
        end_choosing(row)


def by_building(row):
    """RC-02: whether one building of each class is chosen by lot."""
    return row.config.buildings[0] == BY_BUILDING


def weigh_choices(row, weights):
    """RC-02: either building of the class, or each of its cards that is left."""
    if by_building(row):
        for building in range(2):
            weights[CHOOSE_BUILDING_FIRST + 2 * int(row.chosen) + building] = 1
    else:
        first = row.chosen // COPIES * OF_CLASS
        for card in range(first, first + OF_CLASS):
            weights[CHOOSE_CARD_FIRST + card] = 1 - row.in_use[card]


def choose_buildings(row, outcome):
    """RC-02."""
    row.chosen += 1
    if by_building(row):
        for copy in range(COPIES):
            row.in_use[(outcome - CHOOSE_BUILDING_FIRST) * COPIES + copy] = 1
    else:
        row.in_use[outcome - CHOOSE_CARD_FIRST] = 1
    row.phase = GO_ON


def end_choosing(row):
    """RC-05: the special decks that buildings in use give; RC-08."""
    for card in range(len(BUILDING_CARDS)):
        row.unknown[card] = row.in_use[card]
    for kind in range(JOKER, ALL_KINDS):
        row.special_deck[kind - KINDS] = special_copies(row, kind)
    row.stage = DEALING


def special_copies(row, kind):
    """RC-05: special cards of a kind that are in the game."""
    if kind == JOKER:
        return SPECIAL_COPIES[0]
    for card in range(len(BUILDING_CARDS)):
        if row.in_use[card] and building_of(card) == GIVERS[kind - SWORD]:
            return SPECIAL_COPIES[kind - KINDS]
    return 0


def deal(row):
    """RC-06: five cards to each seat in turn."""
    begin_draws(row, row.turns, FIRST_HAND)
    row.turns += 1
