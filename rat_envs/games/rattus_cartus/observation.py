"""What a seat knows (RC-70 to RC-75), seats counted clockwise from itself."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import copy_all
from rat_envs.engine.seats import places_in, seats_between
from rat_envs.games.rattus_cartus.components import (
    ACT,
    DISCARD,
    ENTER,
    GIVE,
    KINDS,
    LAY,
    LOOK,
    MOST_REPLACEMENTS,
    NONE,
    ONLOOKER,
    OVER,
    PLACES,
    RAT_TO,
    RESOLVING,
    SEATS,
    SLOTS,
    SUPPLY,
    TAKE_FROM,
    building_of,
    class_of_card,
    nuns_on,
    seats,
)
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    BUILDINGS,
    CARDS,
    CLASSES,
    COPIES,
    KINDS_OF_CLASS,
    LARGEST_TOKEN,
    POPULATION,
    SPECIALS,
)

#: Kinds of nodes at which a seat acts.
DECISIONS = (
    (SUPPLY, "supply"),
    (LOOK, "look"),
    (ENTER, "enter"),
    (LAY, "lay"),
    (TAKE_FROM, "take_from"),
    (RAT_TO, "rat_to"),
    (GIVE, "give"),
    (ACT, "act"),
    (DISCARD, "discard"),
)
NODE_OF_PHASE = places_in([phase for phase, _ in DECISIONS], OVER + 1)
LARGEST = 127
NUN_COLUMNS = len(CLASSES) + KINDS_OF_CLASS

OBSERVATION = np.dtype(
    (
        np.record,
        [
            # The observer's own cards
            ("hand", "i1", (len(CARDS),)),
            ("laid", "i1", (len(CARDS),)),
            ("aside", "i1", (len(CARDS),)),
            ("nuns", "i1", (PLACES, NUN_COLUMNS)),
            # What is surely known of the rest
            ("at_least", "i1", (SEATS - 1, len(CARDS))),
            ("at_most", "i1", (SEATS - 1, len(SPECIALS))),
            ("fresh", "i1", (len(POPULATION),)),
            ("row_most", "i1", (len(POPULATION),)),
            ("public_at_least", "i1", (SEATS, len(SPECIALS))),
            ("public_at_most", "i1", (SEATS, len(SPECIALS))),
            ("public_fresh", "i1", (len(POPULATION),)),
            ("public_row_most", "i1", (len(POPULATION),)),
            # Seats
            ("rats", "i1", (SEATS,)),
            ("token_points", "i1", (SEATS,)),
            ("influence", "i1", (len(CLASSES), SEATS)),
            ("discs_below", "i1", (len(CLASSES), SEATS)),
            ("cards_held", "i1", (SEATS,)),
            ("cards_laid", "i1", (SEATS,)),
            ("revealed", "i1", (SEATS, len(CARDS))),
            ("played", "i1", (SEATS,)),
            ("entered", "i1", (SEATS, SLOTS)),
            ("order_of_entry", "i1", (SEATS,)),
            ("place_in_queue", "i1", (SEATS,)),
            ("looked", "i1", (PLACES, SEATS)),
            # Decks and buildings
            ("special_decks", "i1", (len(SPECIALS),)),
            ("discard_pile", "i1", (len(POPULATION),)),
            ("deck_size", "i1"),
            ("ran_out", "i1"),
            ("tokens_left", "i1", (LARGEST_TOKEN,)),
            ("row", "i1", (SLOTS, len(BUILDINGS))),
            ("row_copies", "i1", (SLOTS, COPIES)),
            ("row_supply", "i1", (SLOTS, 3)),
            ("unknown_buildings", "i1", (len(BUILDING_CARDS),)),
            ("replacements_unknown", "i1"),
            ("replacements_known", "i1", (MOST_REPLACEMENTS,)),
            # The round and the node
            ("rounds_played", "i1"),
            ("starting", "i1", (SEATS,)),
            ("seat", "i1", (SEATS,)),
            ("node", "i1", (len(DECISIONS),)),
            ("actor", "i1", (SEATS,)),
            ("resolved", "i1", (SLOTS,)),
            ("giver", "i1", (SEATS,)),
            ("taker", "i1", (SEATS,)),
            ("givers_to_come", "i1", (SEATS,)),
            ("gives_left", "i1"),
            ("looks_left", "i1"),
            ("looked_now", "i1", (PLACES,)),
            ("discards_left", "i1"),
            # Options and components
            ("players", "i1", (SEATS - 1,)),
            ("fewest_rats_survive", "i1"),
            ("in_use", "i1", (len(BUILDING_CARDS),)),
            ("supply", "i1", (len(BUILDING_CARDS), 3)),
        ],
    )
)

NOTES = {
    "hand": "cards in hand by kind",
    "laid": "cards laid face down, by kind",
    "aside": "cards chosen to be given, by kind",
    "nuns": "row cards that the observer has seen, by place: class, one-hot, then number of nuns 0 to 4, one-hot; "
    "at the end all of them",
    "at_least": "own cards of each other seat by kind: so many at least (RC-73)",
    "at_most": "special cards of each other seat by kind: so many at most",
    "fresh": "population cards by kind: so many at most in the deck (RC-74)",
    "row_most": "so many at most among row cards that the observer has not seen (RC-75)",
    "public_at_least": "as `at_least`, but what everybody knows: special cards of each seat",
    "public_at_most": "as `at_most`, but what everybody knows",
    "public_fresh": "as `fresh`, but what everybody knows",
    "public_row_most": "as `row_most`, but what everybody knows",
    "rats": "rats, at most 127",
    "token_points": "points of victory point tokens",
    "influence": "influence by class and seat, at most 127",
    "discs_below": "discs that came to the same space earlier and so rank better (RC-32)",
    "cards_held": "cards in hand, those lying aside counted, at most 127",
    "cards_laid": "cards laid and not yet discarded, at most 127",
    "revealed": "laid cards that are revealed, by seat and kind",
    "played": "population cards and jokers revealed this round",
    "entered": "the building entered, one-hot by slot",
    "order_of_entry": "by seat: 1 if it entered first this round, 2 if second, …; 0 if it has not",
    "place_in_queue": "by seat: 1 if it is to enter now, 2 if next, …; 0 if it is not waiting",
    "looked": "by place and seat: 1 if the seat has looked at the row card",
    "special_decks": "cards left in each special deck",
    "discard_pile": "the discard pile by kind",
    "deck_size": "cards in the population deck",
    "ran_out": "1 if the population deck ever ran out",
    "tokens_left": "victory point tokens left, by value",
    "row": "the building of each slot, one-hot",
    "row_copies": "which copy it is, one-hot",
    "row_supply": "its supply action: cards to draw, rats to drop, row cards to look at",
    "unknown_buildings": "1 for building cards in use that nobody has seen yet",
    "replacements_unknown": "unknown cards of the replacement deck; they come before the known ones",
    "replacements_known": "its known cards in their order: 1 + the number of the building card, 0 for none",
    "rounds_played": "rounds played before this one",
    "starting": "the starting player, one-hot",
    "seat": "the observer's own number, one-hot: actions name seats by number",
    "node": "what is asked, one-hot: " + ", ".join(name for _, name in DECISIONS),
    "actor": "the seat that is asked, one-hot",
    "resolved": "phase D: the slot being resolved, one-hot",
    "giver": "the seat that gives, one-hot",
    "taker": "the seat that is given cards, one-hot",
    "givers_to_come": "Guard Tower: seats that give after this one",
    "gives_left": "cards still to be chosen",
    "looks_left": "looks still to be done",
    "looked_now": "places looked at in this action",
    "discards_left": "cards that may still be discarded at the Hospital",
    "players": "number of seats, one-hot: 2, 3, 4, 5",
    "fewest_rats_survive": "1 if of the dead those with the fewest rats survive",
    "in_use": "1 for the thirty building cards in use",
    "supply": "supply actions of all building cards",
}


@out_of_line
def observe(row, seat, out):
    """Write what ``seat`` knows into ``out``."""
    observe_own_cards(row, seat, out)
    observe_sure(row, seat, out)
    observe_nuns(row, seat, out)
    for other in range(seats(row)):
        observe_seat(row, place_of(row, seat, other), other, out)
    observe_entries(row, seat, out)
    observe_decks(row, out)
    observe_buildings(row, out)
    observe_node(row, seat, out)


def place_of(row, seat, other):
    """The place of ``other``, counted from ``seat``."""
    return seats_between(seat, other, row.config.players)


def observe_fixed(row, out):
    """RC-70: the options and components in use."""
    out.players[seats(row) - 2] = 1
    out.fewest_rats_survive = row.config.fewest_rats_survive
    copy_all(row.in_use, out.in_use)
    copy_all(row.config.supply, out.supply)


def observe_own_cards(row, seat, out):
    """RC-71."""
    copy_all(row.hand[seat], out.hand)
    copy_all(row.laid[seat], out.laid)
    copy_all(row.aside[seat], out.aside)


def observe_sure(row, seat, out):
    """RC-72 to RC-75: for the observer, and for an onlooker."""
    for other in range(seats(row)):
        place = place_of(row, seat, other)
        if other != seat:
            copy_all(row.at_least[seat, other], out.at_least[place - 1])
            copy_all(row.at_most[seat, other], out.at_most[place - 1])
        copy_all(row.at_least[ONLOOKER, other, KINDS:], out.public_at_least[place])
        copy_all(row.at_most[ONLOOKER, other], out.public_at_most[place])
    copy_all(row.fresh[seat], out.fresh)
    copy_all(row.row_most[seat], out.row_most)
    copy_all(row.fresh[ONLOOKER], out.public_fresh)
    copy_all(row.row_most[ONLOOKER], out.public_row_most)


def observe_nuns(row, seat, out):
    """RC-71: the row cards looked at; RC-70: who has looked where."""
    for place in range(PLACES):
        looked = row.looked[place]
        if row.nun[place] != NONE and ((looked >> seat) & 1 or row.phase == OVER):
            out.nuns[place, class_of_card(row.nun[place])] = 1
            out.nuns[place, len(CLASSES) + nuns_on(row.nun[place])] = 1
        if looked != 0:
            for other in range(seats(row)):
                out.looked[place, place_of(row, seat, other)] = (looked >> other) & 1
    if row.looks_left > 0:
        for place in range(PLACES):
            out.looked_now[place] = (row.looked_now >> place) & 1


@out_of_line
def observe_seat(row, place, other, out):
    """RC-70: what everybody sees of a seat."""
    out.rats[place] = min(row.rats[other], LARGEST)
    out.token_points[place] = row.points[other]
    for track in range(len(CLASSES)):
        out.influence[track, place] = min(row.influence[track, other], LARGEST)
        out.discs_below[track, place] = row.rank[track, other]
    out.cards_held[place] = min(row.cards_held[other], LARGEST)
    out.cards_laid[place] = min(row.cards_laid[other], LARGEST)
    if row.revealed[other]:
        copy_all(row.laid[other], out.revealed[place])
    out.played[place] = row.played[other]
    if row.slot_of[other] != NONE:
        out.entered[place, row.slot_of[other]] = 1


def observe_entries(row, seat, out):
    """RC-70: who has entered in which order, and who is to enter."""
    for number in range(row.entries):
        out.order_of_entry[place_of(row, seat, row.entered[number])] = number + 1
    for number in range(row.waiting):
        out.place_in_queue[place_of(row, seat, row.queue[number])] = number + 1


def observe_decks(row, out):
    """RC-70."""
    copy_all(row.special_deck, out.special_decks)
    copy_all(row.discarded, out.discard_pile)
    out.deck_size = row.deck_size
    out.ran_out = row.ran_out
    copy_all(row.tokens, out.tokens_left)


def observe_buildings(row, out):
    """RC-70: the row, and the building cards to come."""
    for slot in range(SLOTS):
        card = row.slot[slot]
        if card != NONE:
            out.row[slot, building_of(card)] = 1
            out.row_copies[slot, card % COPIES] = 1
            copy_all(row.config.supply[card], out.row_supply[slot])
    copy_all(row.unknown, out.unknown_buildings)
    out.replacements_unknown = row.replacements_unknown
    for number in range(row.replacements_known):
        out.replacements_known[number] = row.replacement[number] + 1


def observe_node(row, seat, out):
    """RC-70: the round, and what is asked."""
    out.rounds_played = row.rounds_played
    out.starting[place_of(row, seat, row.starting)] = 1
    out.seat[seat] = 1
    if row.actor >= 0:
        out.node[NODE_OF_PHASE[row.phase]] = 1
        out.actor[place_of(row, seat, row.actor)] = 1
    if row.stage == RESOLVING and row.resolved != NONE:
        out.resolved[row.resolved] = 1
    out.gives_left = row.gives_left
    out.looks_left = row.looks_left
    out.discards_left = row.discards_left
    if row.gives_left > 0:
        out.giver[place_of(row, seat, row.giver)] = 1
        out.taker[place_of(row, seat, row.taker)] = 1
        for other in range(seats(row)):
            out.givers_to_come[place_of(row, seat, other)] = (row.givers >> other) & 1
