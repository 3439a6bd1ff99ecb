"""Which rows are possible when a seat acts or the game is over; for states that come from outside."""

from __future__ import annotations

from rat_envs.engine.counts import total
from rat_envs.engine.game import TERMINAL
from rat_envs.games.rattus_cartus.actions import can_change
from rat_envs.games.rattus_cartus.buildings import all_the_same
from rat_envs.games.rattus_cartus.components import (
    ACT,
    ALL_KINDS,
    DISCARD,
    ENTER,
    ENTERING,
    GIVE,
    JOKER,
    KINDS,
    LAY,
    LOOK,
    MOST_REPLACEMENTS,
    NONE,
    OBSERVERS,
    ONLOOKER,
    OVER,
    PLACES,
    PLAYABLE,
    RAT_TO,
    REPLACEMENTS_OF,
    RESOLVING,
    REVEALING,
    SEATS,
    SLOTS,
    SUPPLY,
    SUPPLYING,
    TAKE_FROM,
    own_size,
    rounds,
    seat_after,
    seats,
    slots,
)
from rat_envs.games.rattus_cartus.flow import ACT_NEXT, CLEAR, NEXT_BUILDING, SCORE, USE_FLUTE
from rat_envs.games.rattus_cartus.set_up import special_copies
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    CLASSES,
    COPIES,
    COPIES_BY_NUNS,
    LARGEST_TOKEN,
    POPULATION_COPIES,
    ROUNDS,
    SPECIAL_COPIES,
    TOKENS,
)
from rat_envs.games.rattus_cartus.visits import building, is_here, played_most

#: Most cards of a kind, and the number of all cards.
OF_A_KIND, ALL_CARDS = max(SPECIAL_COPIES), sum(POPULATION_COPIES) + sum(SPECIAL_COPIES)
MOST_ROUNDS = max(ROUNDS.values())
#: Every card can be laid in every round.
MOST_RATS = MOST_INFLUENCE = (MOST_ROUNDS + 1) * ALL_CARDS

FLAG, SEAT, SOME_SEAT, SET_OF_SEATS = (0, 1), (0, SEATS - 1), (NONE, SEATS - 1), (0, (1 << SEATS) - 1)
KIND, POPULATION, CARDS = (0, OF_A_KIND), (0, max(COPIES_BY_NUNS)), (0, ALL_CARDS)
NUMBER_OF_SEATS, BUILDING = (0, SEATS), (NONE, len(BUILDING_CARDS) - 1)
#: Minimum and maximum of every field when a seat acts or the game is over.
RANGES = {
    "phase": (SUPPLY, OVER),
    "stage": (SUPPLYING, REVEALING),
    "actor": (TERMINAL, SEATS - 1),
    "rounds_played": (0, MOST_ROUNDS),
    "starting": SEAT,
    "in_use": FLAG,
    "chosen": (0, len(BUILDING_CARDS)),
    "unknown": FLAG,
    "slots_filled": (0, SLOTS),
    "slot": BUILDING,
    "replacements_unknown": (0, MOST_REPLACEMENTS),
    "replacements_known": (0, MOST_REPLACEMENTS),
    "replacement": (0, len(BUILDING_CARDS) - 1),
    "hand": KIND,
    "laid": KIND,
    "aside": KIND,
    "cards_held": CARDS,
    "cards_laid": CARDS,
    "revealed": FLAG,
    "special_deck": KIND,
    "deck_size": (0, sum(POPULATION_COPIES) - PLACES),
    "ran_out": FLAG,
    "pool": POPULATION,
    "sleeping": POPULATION,
    "discarded": POPULATION,
    "nun": (NONE, KINDS - 1),
    "looked": SET_OF_SEATS,
    "rats": (0, MOST_RATS),
    "points": (0, len(TOKENS) * LARGEST_TOKEN),
    "tokens": (0, len(TOKENS)),
    "influence": (0, MOST_INFLUENCE),
    "rank": SEAT,
    "waiting": NUMBER_OF_SEATS,
    "queue": SEAT,
    "entries": NUMBER_OF_SEATS,
    "entered": SEAT,
    "slot_of": (NONE, SLOTS - 1),
    "played": (0, 127),
    "turns": NUMBER_OF_SEATS,
    "resolved": (NONE, SLOTS),
    "premium": SEAT,
    "visit": NUMBER_OF_SEATS,
    "step": (NEXT_BUILDING, CLEAR),
    "scored_here": (0, 127),
    "giver": SOME_SEAT,
    "taker": SOME_SEAT,
    "gives_left": (0, 127),
    "givers": SET_OF_SEATS,
    "doer": SEAT,
    "draws_left": (0, 0),
    "looks_left": (0, PLACES),
    "looked_now": (0, (1 << PLACES) - 1),
    "place": (0, PLACES),
    "discards_left": (0, 3),
    "tokens_due": (0, 0),
    "at_least": KIND,
    "at_most": (0, 127),
    "fresh": POPULATION,
    "row_most": POPULATION,
}


def possible(row):
    """The end, or a node, with every card, building and token in one place, and no false knowledge."""
    return (
        cards_are_possible(row)
        and hands_are_counted(row)
        and buildings_are_possible(row)
        and row_is_possible(row)
        and standing_is_possible(row)
        and (end_is_possible(row) if row.phase == OVER else ledgers_are_possible(row) and node_is_possible(row))
    )


def end_is_possible(row):
    """RC-50, RC-65: after the last round, with the nun-row revealed."""
    for place in range(PLACES):
        if row.nun[place] == NONE:
            return False
    return row.actor == TERMINAL and row.stage == REVEALING and row.rounds_played == rounds(row)


def cards_are_possible(row):
    """RC-01, RC-05: every card is in one place; RC-07: deck and unseen row have the right sizes."""
    for kind in range(ALL_KINDS):
        number = 0
        for seat in range(SEATS):
            number += row.hand[seat, kind] + row.aside[seat, kind] + row.laid[seat, kind]
        if kind < KINDS:
            number += row.pool[kind] + row.sleeping[kind] + row.discarded[kind]
            for place in range(PLACES):
                number += row.nun[place] == kind
            right = POPULATION_COPIES[kind]
        else:
            number += row.special_deck[kind - KINDS]
            right = special_copies(row, kind)
        if number != right:
            return False
    unseen = 0
    for place in range(PLACES):
        unseen += row.nun[place] == NONE
    asleep = unseen if row.ran_out else 0
    in_deck = total(row.pool) + asleep - unseen
    shuffled = row.deck_size > 0 or (row.ran_out and total(row.discarded) == 0)
    return total(row.sleeping) == asleep and row.deck_size == in_deck and shuffled


def hands_are_counted(row):
    """Numbers of cards by seat; RC-44: cards lie aside while they are being given."""
    for seat in range(SEATS):
        held = total(row.hand[seat])
        aside = total(row.aside[seat])
        laid = total(row.laid[seat])
        if row.cards_held[seat] != held + aside or row.cards_laid[seat] != laid:
            return False
        if aside > 0 and not (row.phase == GIVE and seat == row.giver):
            return False
        if (seat >= seats(row) and held + laid + row.rats[seat] > 0) or (row.slot_of[seat] == NONE and laid > 0):
            return False
        for kind in range(PLAYABLE, ALL_KINDS):
            if row.laid[seat, kind] > 0:
                return False
    return True


def buildings_are_possible(row):
    """RC-02, RC-08, RC-12: five cards a class are in use; seen ones are or were in the row, or are replacements."""
    number = slots(row)
    if not buildings_in_use_are_possible(row) or row.rounds_played > rounds(row):
        return False
    for place in range(row.replacements_known):
        if not seen_once(row, row.replacement[place]):
            return False
    if row.phase != OVER:
        for slot in range(number):
            if row.slot[slot] == NONE or row.slot_of[slot] >= number or not seen_once(row, row.slot[slot]):
                return False
        if row.slots_filled != number or all_the_same(row) or row.rounds_played == rounds(row):
            return False
    to_come = (rounds(row) - row.rounds_played - (row.phase != OVER)) * number
    replacements = row.replacements_known + row.replacements_unknown
    return (
        replacements == REPLACEMENTS_OF[row.config.players] and total(row.unknown) == to_come + row.replacements_unknown
    )


def buildings_in_use_are_possible(row):
    """RC-02: as configured, or five of each class."""
    of_class = len(BUILDING_CARDS) // len(CLASSES)
    for card in range(len(BUILDING_CARDS)):
        if row.unknown[card] > row.in_use[card] or (
            row.config.buildings[0] >= 0 and row.in_use[card] != row.config.buildings[card]
        ):
            return False
    for first in range(0, len(BUILDING_CARDS), of_class):
        if total(row.in_use[first : first + of_class]) != COPIES:
            return False
    return True


def seen_once(row, card):
    """Whether an open building card is in use, has been seen, and is open only once."""
    number = 0
    for place in range(row.replacements_known):
        number += row.replacement[place] == card
    if row.phase != OVER:
        for slot in range(slots(row)):
            number += row.slot[slot] == card
    return row.in_use[card] and not row.unknown[card] and number == 1


def row_is_possible(row):
    """RC-09, RC-71: only seats in play have looked at row cards, and only at known ones."""
    for place in range(PLACES):
        if row.looked[place] >> seats(row) != 0 or (row.nun[place] == NONE and row.looked[place] != 0):
            return False
    return True


def standing_is_possible(row):
    """RC-64: token points match the tokens taken; RC-32: discs are stacked on each other."""
    points = 0
    for value in range(len(row.tokens)):
        if row.tokens[value] > row.config.vp_tokens[value]:
            return False
        points += (value + 1) * (row.config.vp_tokens[value] - row.tokens[value])
    for seat in range(SEATS):
        points -= row.points[seat]
        for track in range(len(CLASSES)):
            if row.influence[track, seat] > 0 and not disc_is_possible(row, track, seat):
                return False
    return points == 0


def disc_is_possible(row, track, seat):
    """RC-32: the number of discs below a disc is its rank."""
    below = 0
    for other in range(seats(row)):
        if other != seat and row.influence[track, other] == row.influence[track, seat]:
            below += row.rank[track, other] < row.rank[track, seat]
            if row.rank[track, other] == row.rank[track, seat]:
                return False
    return seat < seats(row) and below == row.rank[track, seat]


def ledgers_are_possible(row):
    """RC-73 to RC-75: everything that a seat or the onlooker knows is true."""
    for observer in range(OBSERVERS):
        if observer < seats(row) or observer == ONLOOKER:
            for owner in range(seats(row)):
                if owner != observer and not owner_is_known_rightly(row, observer, owner):
                    return False
            for kind in range(KINDS):
                if not deck_is_known_rightly(row, observer, kind):
                    return False
    return True


def owner_is_known_rightly(row, observer, owner):
    """RC-73: an owner's cards are within the bounds that an observer knows."""
    for kind in range(ALL_KINDS):
        number = row.hand[owner, kind] + row.aside[owner, kind]
        number += 0 if row.revealed[owner] else row.laid[owner, kind]
        if row.at_least[observer, owner, kind] > number or (
            observer == ONLOOKER and kind < KINDS and row.at_least[observer, owner, kind] > 0
        ):
            return False
        if kind >= KINDS and not number <= row.at_most[observer, owner, kind - KINDS] <= own_size(row, owner):
            return False
    return True


def deck_is_known_rightly(row, observer, kind):
    """RC-74, RC-75: the deck, and the row cards that an observer has not seen, hold no more than its bounds."""
    seen_by_others = 0
    for place in range(PLACES):
        mine = observer != ONLOOKER and (row.looked[place] >> observer) & 1
        seen_by_others += row.nun[place] == kind and not mine
    if row.ran_out:
        least_deck, least_row = row.pool[kind], row.sleeping[kind] + seen_by_others
    else:
        least_deck = least_row = row.pool[kind] + seen_by_others
    same = row.ran_out or row.fresh[observer, kind] == row.row_most[observer, kind]
    return (
        least_deck <= row.fresh[observer, kind] <= POPULATION_COPIES[kind]
        and least_row <= row.row_most[observer, kind] <= POPULATION_COPIES[kind]
        and same
    )


def node_is_possible(row):
    """RC-15, RC-20, RC-30: the acting seat is in play, and the node fits the stage."""
    if not 0 <= row.actor < seats(row) or row.starting >= seats(row) or row.doer >= seats(row):
        return False
    if max(row.premium, row.giver, row.taker) >= seats(row) or row.givers >> seats(row) != 0:
        return False
    if (row.phase == LOOK and not look_is_possible(row)) or (row.phase != LOOK and row.looks_left > 0):
        return False
    if (row.phase != GIVE and row.gives_left + row.givers > 0) or (row.phase != DISCARD and row.discards_left > 0):
        return False
    if row.stage == SUPPLYING:
        return supplying_is_possible(row)
    if row.stage == ENTERING:
        return entering_is_possible(row)
    return row.stage == RESOLVING and resolving_is_possible(row)


def look_is_possible(row):
    """RC-09: enough places are left for the looks; no place is looked at twice."""
    left = PLACES
    for place in range(PLACES):
        left -= (row.looked_now >> place) & 1
    return row.actor == row.doer and 0 < row.looks_left <= left


def nothing_is_resolved(row):
    """Whether no building has been resolved yet."""
    for seat in range(SEATS):
        if row.revealed[seat]:
            return False
    return row.resolved == NONE and row.step == NEXT_BUILDING


def supplying_is_possible(row):
    """RC-15: in turn order, before anybody enters."""
    if (
        not nothing_is_resolved(row)
        or row.entries != 0
        or total(row.cards_laid) > 0
        or total(row.slot_of) != SEATS * NONE
    ):
        return False
    if row.phase == LOOK:
        return 0 < row.turns <= seats(row) and row.actor == seat_after(row, row.starting, row.turns - 1)
    return row.phase == SUPPLY and row.turns < seats(row) and row.actor == seat_after(row, row.starting, row.turns)


def everybody_is_in_order(row):
    """RC-20: every seat has either entered one building of the row or is waiting."""
    known = 0
    for number in range(row.entries):
        known |= 1 << row.entered[number]
    for number in range(row.waiting):
        known |= 1 << row.queue[number]
    for seat in range(SEATS):
        if row.slot_of[seat] >= slots(row):
            return False
    entered = 0
    for number in range(row.entries):
        entered += row.slot_of[row.entered[number]] != NONE
    return (
        known == (1 << seats(row)) - 1
        and row.entries + row.waiting == seats(row)
        and entered == row.entries
        and total(row.slot_of) == slots_entered(row) + (SEATS - row.entries) * NONE
    )


def slots_entered(row):
    """The sum of the slots of those who have entered."""
    number = 0
    for entry in range(row.entries):
        number += row.slot_of[row.entered[entry]]
    return number


def entering_is_possible(row):
    """RC-20 to RC-23."""
    if not nothing_is_resolved(row) or not everybody_is_in_order(row) or row.turns != seats(row):
        return False
    if row.phase == ENTER:
        return row.waiting > 0 and row.actor == row.queue[0]
    return row.phase == LAY and row.entries > 0 and row.actor == row.entered[row.entries - 1] and has_playable(row)


def has_playable(row):
    """RC-23: the acting seat has a card that can be laid."""
    return total(row.hand[row.actor, :PLAYABLE]) > 0


def resolving_is_possible(row):
    """RC-30 to RC-46: earlier buildings are empty again; the acting seat visits this one, or gives to a visitor."""
    if not everybody_is_in_order(row) or row.waiting != 0 or not 0 <= row.resolved < slots(row):
        return False
    for seat in range(seats(row)):
        is_done = row.slot_of[seat] < row.resolved
        if row.revealed[seat] != (row.slot_of[seat] <= row.resolved or seats(row) == 2):
            return False
        if (is_done and row.cards_laid[seat] > 0) or row.played[seat] > own_most(row, seat):
            return False
    if row.visit > row.entries or row.phase == GIVE:
        return row.visit <= row.entries and gift_is_possible(row)
    return is_here(row, row.actor) and visit_is_possible(row)


def own_most(row, seat):
    """Upper bound of what a seat has played: what it laid, until that is discarded."""
    return row.cards_laid[seat] if row.slot_of[seat] >= row.resolved else 127


def visit_is_possible(row):
    """RC-36, RC-38, RC-41, RC-43: the step calls for this choice."""
    if row.phase == TAKE_FROM:
        right = row.step == USE_FLUTE and row.visit < row.entries and row.actor == row.entered[row.visit]
        return right and row.taker == row.actor and played_most(row, JOKER + 1) == row.actor
    if row.phase == RAT_TO:
        right = row.step == SCORE and row.visit > 0 and row.actor == row.entered[row.visit - 1]
        return right and row.rats[row.actor] > 0
    if row.step != ACT_NEXT:
        return False
    if row.phase == ACT:
        return can_change(row, row.actor, building(row), row.actor == row.premium)
    if row.phase == DISCARD:
        right = row.actor == row.doer and row.discards_left > 0
        return right and row.rats[row.actor] > 0 and row.cards_held[row.actor] > 0
    return row.phase == LOOK


def gift_is_possible(row):
    """RC-37, RC-44: the giver has the cards, and there is a taker."""
    if row.actor != row.giver or row.taker == NONE or row.taker == row.giver:
        return False
    if (row.givers >> row.giver) & 1 or (row.givers >> row.taker) & 1:
        return False
    step = row.step == ACT_NEXT or row.step == USE_FLUTE
    return step and 0 < row.gives_left <= total(row.hand[row.giver])
