"""The text of every action and outcome, and the fixed order of nodes."""

from __future__ import annotations

from rat_envs.engine.game import Node
from rat_envs.engine.notation import each, first, numerals
from rat_envs.games.rattus_cartus.components import PLACES, PLAYABLE, SEATS, SLOTS
from rat_envs.games.rattus_cartus.tables import BUILDING_CARDS, BUILDINGS, CARDS, LARGEST_TOKEN, POPULATION

SEAT_NAMES = tuple(f"player_{seat}" for seat in range(SEATS))

ACTIONS = (
    *each("supply", numerals(SLOTS)),
    *each("look", numerals(PLACES)),
    *each("enter", numerals(SLOTS)),
    "pass",
    *each("lay", CARDS[:PLAYABLE]),
    *("done", "act", "decline"),
    *each("take_from", SEAT_NAMES),
    *each("rat_to", SEAT_NAMES),
    *each("give", CARDS),
    *each("discard", CARDS),
)
SUPPLY_FIRST, LOOK_FIRST = first("supply", ACTIONS), first("look", ACTIONS)
ENTER_FIRST, PASS_ACTION = first("enter", ACTIONS), first("pass", ACTIONS)
LAY_FIRST = first("lay", ACTIONS)
DONE, ACT_ACTION, DECLINE = first("done", ACTIONS), first("act", ACTIONS), first("decline", ACTIONS)
TAKE_FROM_FIRST, RAT_TO_FIRST = first("take_from", ACTIONS), first("rat_to", ACTIONS)
GIVE_FIRST, DISCARD_FIRST = first("give", ACTIONS), first("discard", ACTIONS)
#: First action of each block of actions that name a seat.
SEAT_ACTIONS = (TAKE_FROM_FIRST, RAT_TO_FIRST)

#: Frequent outcomes first: drawing from weights takes longer for those further down.
OUTCOMES = (
    *each("draw", POPULATION),
    *each("nun", POPULATION),
    *each("token", numerals(LARGEST_TOKEN)),
    *each("building", BUILDING_CARDS),
    *each("choose", BUILDINGS),
    *each("choose", BUILDING_CARDS),
)
DRAW_FIRST, NUN_FIRST = first("draw", OUTCOMES), first("nun", OUTCOMES)
TOKEN_FIRST, BUILDING_FIRST = first("token", OUTCOMES), first("building", OUTCOMES)
CHOOSE_BUILDING_FIRST = first("choose", OUTCOMES)
CHOOSE_CARD_FIRST = CHOOSE_BUILDING_FIRST + len(BUILDINGS)

NODES = (
    Node("chance", "choose BUILDING", "set-up, `random_building`: for each class"),
    Node("chance", "choose BUILDING COPY", "set-up, `random_cards`: five for each class"),
    Node("chance", "draw CARD", "five for each seat"),
    Node("chance", "building BUILDING COPY", "round: each slot of the row, and the last again while all are the same"),
    Node("each seat", "supply SLOT", "then what the card says"),
    Node("chance", "draw CARD", "for each card to draw, here and below"),
    Node("who looks", "look PLACE", "for each card to look at, here and below"),
    Node("chance", "nun CARD", "then, if nobody has looked there before"),
    Node("seat to enter", "enter SLOT, pass", "clockwise from the starting player; who passes comes back last"),
    Node("seat to enter", "lay CARD, done", "until done, or no card is left that can be laid"),
    Node("who played most swords", "take_from SEAT", "building by building: if several played the fewest"),
    Node("giver", "give CARD", "half of the hand"),
    Node("who played most flutes", "rat_to SEAT", "if several played the fewest"),
    Node("visitor", "act, decline", "the premium player first; not in the final round"),
    Node("chance", "token VALUE", "palace: if values differ"),
    Node("giver", "give CARD", "guard tower: three cards each, unless there are no more"),
    Node("visitor", "discard CARD, done", "hospital: a card for each rat"),
    Node("chance", "nun CARD", "at the end: each place that nobody looked at"),
)
assert (len(ACTIONS), len(OUTCOMES)) == (128, 197)
