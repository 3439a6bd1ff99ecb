"""What a seat knows (RT-70 to RT-73), seats counted clockwise from itself."""

from __future__ import annotations

import numpy as np

from rat_envs.games.rattus.components import (
    BONUS,
    FINAL,
    FLIP,
    GO_ON,
    KING_LATE,
    MAIN,
    MERCHANT_TO,
    MONK_TO,
    NEUTRAL_CUBES,
    NONE,
    OVER,
    PLAGUE_BEGINS,
    SEATS,
    SETTLE,
    SLOTS,
    SPREAD,
    START_PILE,
    WITCH_AGAIN,
    WITCH_SWAP,
    is_in_play,
    left_over,
    seats,
)
from rat_envs.games.rattus.configuration import FACE
from rat_envs.games.rattus.tables import CARDS, REGIONS, TOKEN_IDS

#: Kinds of nodes at which a seat acts.
DECISIONS = (
    (SETTLE, "settle"),
    (MAIN, "turn"),
    (MERCHANT_TO, "merchant to"),
    (MONK_TO, "monk to"),
    (WITCH_AGAIN, "witch again"),
    (WITCH_SWAP, "swap"),
    (SPREAD, "spread"),
    (BONUS, "knight"),
    (FLIP, "flip"),
    (KING_LATE, "king"),
    (FINAL, "final round"),
)
NODE_OF_PHASE = np.array(
    [
        [node for node, _ in DECISIONS].index(phase) if phase in dict(DECISIONS) else NONE
        for phase in range(GO_ON, OVER + 1)
    ],
    np.int8,
)

PLACES = ("the observer", *(f"{place}. to its left" for place in range(1, SEATS)))
#: Columns of a region: what everybody sees of it, then the same columns for each slot.
REGION_COLUMNS = ("in play", "plague", "neutral cubes", "cubes moving", *(f"cubes of {who}" for who in PLACES), "rats")
TOKEN_COLUMNS = (
    *("lies here", "laid out at set-up", *(f"looked at by {who}" for who in PLACES), "chosen"),
    *("limit", "M", "A", *CARDS),
)
IN_PLAY, PLAGUE, NEUTRAL, MOVING, CUBES = range(5)
RATS = CUBES + SEATS
TOKENS = len(REGION_COLUMNS)
LIES, FROM_START, LOOKED = range(3)
CHOSEN = LOOKED + SEATS
KNOWN_FACE = CHOSEN + 1
TOKEN = len(TOKEN_COLUMNS)
COLUMNS = TOKENS + SLOTS * TOKEN

OBSERVATION = np.dtype(
    (
        np.record,
        [
            ("regions", "i1", (len(REGIONS), COLUMNS)),
            ("adjacency", "i1", (len(REGIONS), len(REGIONS))),
            ("tokens", "i1", (len(TOKEN_IDS), FACE)),
            ("unseen", "i1", (len(TOKEN_IDS),)),
            ("flipped", "i1", (len(TOKEN_IDS),)),
            ("start_left", "i1"),
            ("players", "i1", (SEATS - 1,)),
            ("king_after_plague", "i1"),
            ("node", "i1", (len(DECISIONS),)),
            ("actor", "i1", (SEATS,)),
            ("active", "i1", (SEATS,)),
            ("settled", "i1"),
            ("last_active", "i1", (SEATS,)),
            ("card_taken", "i1"),
            ("cubes_placed", "i1"),
            ("used", "i1", (len(CARDS),)),
            ("spread_left", "i1"),
            ("holders", "i1", (len(CARDS), SEATS)),
            ("stock", "i1", (SEATS,)),
            ("palace", "i1", (SEATS,)),
            ("supply", "i1"),
        ],
    )
)

NOTES = {
    "regions": f"a row for each region in table order: {', '.join(REGION_COLUMNS)}; then for each of its three slots: "
    f"{', '.join(TOKEN_COLUMNS)} (from the limit on 0 unless the observer knows the face)",
    "adjacency": "1 for neighbours, and on the diagonal, among the regions in play",
    "tokens": f"the faces in use, a row for each token: limit, M, A, {', '.join(CARDS)}",
    "unseen": "1 for tokens whose face the observer has not seen",
    "flipped": "1 for tokens that have been flipped",
    "start_left": "left-over start tokens that the observer has not yet seen turn up (RT-72)",
    "players": "number of seats, one-hot: 2, 3, 4",
    "king_after_plague": "1 if the King may be used after the ravage",
    "node": "what is asked, one-hot: " + ", ".join(name for _, name in DECISIONS),
    "actor": "who is asked, one-hot",
    "active": "whose turn it is, one-hot; 0 during set-up",
    "settled": "placings done at set-up",
    "last_active": "from the final round on: who had the last turn, one-hot",
    "card_taken": "1 if a card was taken this turn",
    "cubes_placed": "1 if cubes were placed this turn",
    "used": "class cards used this turn",
    "spread_left": "new tokens still to be laid",
    "holders": "for each class card its holder, one-hot",
    "stock": "cubes in stock",
    "palace": "cubes in the palace",
    "supply": "tokens in the supply",
}


def observe(row, seat, out):
    """Write what ``seat`` knows into ``out``."""
    for region in range(len(REGIONS)):
        if is_in_play(row, region):
            observe_region(row, seat, region, out)
    observe_choices(row, out)
    observe_faces(row, seat, out)
    observe_configuration(row, out)
    observe_turn(row, seat, out)
    observe_seats(row, seat, out)


def place_of(row, seat, other):
    """The place of ``other`` as ``seat`` counts."""
    place = other - seat
    return place if place >= 0 else place + row.config.players


def observe_region(row, seat, region, out):
    """RT-70: cubes and tokens."""
    out.regions[region, IN_PLAY] = 1
    for other in range(seats(row)):
        out.regions[region, CUBES + place_of(row, seat, other)] = row.cubes[region, other]
    out.regions[region, RATS] = row.rats[region]
    for slot in range(row.rats[region]):
        observe_token(row, seat, region, slot, out)


def observe_token(row, seat, region, slot, out):
    """RT-70: its pile and who has looked at it; RT-71: its face, if the observer has."""
    first = TOKENS + slot * TOKEN
    out.regions[region, first + LIES] = 1
    out.regions[region, first + FROM_START] = row.pile[region, slot] == START_PILE
    looked = row.looked[region, slot]
    if looked == 0:
        return
    for other in range(seats(row)):
        out.regions[region, first + LOOKED + place_of(row, seat, other)] = (looked >> other) & 1
    if (looked >> seat) & 1:
        token = row.face[region, slot]
        for column in range(FACE):
            out.regions[region, first + KNOWN_FACE + column] = row.config.tokens[token, column]


def observe_choices(row, out):
    """RT-70: the plague piece, and a half-made ability."""
    if row.phase != PLAGUE_BEGINS:
        out.regions[row.plague, PLAGUE] = 1
    if row.neutral != NONE:
        out.regions[row.neutral, NEUTRAL] = NEUTRAL_CUBES
    if row.cubes_moving > 0:
        out.regions[row.chosen_regions[0], MOVING] = row.cubes_moving
        return
    for number in range(2):
        if row.chosen_regions[number] != NONE:
            out.regions[row.chosen_regions[number], TOKENS + row.chosen_slots[number] * TOKEN + CHOSEN] = 1


def observe_faces(row, seat, out):
    """RT-72: by the observer's own eyes."""
    for token in range(len(TOKEN_IDS)):
        out.unseen[token] = 1 - ((row.seen[token] >> seat) & 1)
        out.flipped[token] = row.flipped[token]
    out.start_left = left_over(row) - row.start_seen[seat]


def observe_configuration(row, out):
    """RT-70: the options and components in use."""
    out.players[seats(row) - 2] = 1
    out.king_after_plague = row.config.king_after_plague
    for region in range(len(REGIONS)):
        for other in range(len(REGIONS)):
            out.adjacency[region, other] = row.config.map[region, other]
    for token in range(len(TOKEN_IDS)):
        for column in range(FACE):
            out.tokens[token, column] = row.config.tokens[token, column]


def observe_turn(row, seat, out):
    """RT-70: what is asked, and what has been done this turn."""
    if row.actor >= 0:
        out.node[NODE_OF_PHASE[row.phase]] = 1
        out.actor[place_of(row, seat, row.actor)] = 1
    out.settled = row.settled
    if row.settled == 2 * seats(row):
        out.active[place_of(row, seat, row.active)] = 1
    if row.last_active != NONE:
        out.last_active[place_of(row, seat, row.last_active)] = 1
    out.card_taken = row.card_taken
    out.cubes_placed = row.cubes_placed
    out.spread_left = row.spread_left
    for card in range(len(CARDS)):
        out.used[card] = row.used[card]
        if row.holder[card] != NONE:
            out.holders[card, place_of(row, seat, row.holder[card])] = 1


def observe_seats(row, seat, out):
    """RT-70: stocks, palaces, supply."""
    for other in range(seats(row)):
        place = place_of(row, seat, other)
        out.stock[place] = row.stock[other]
        out.palace[place] = row.palace[other]
    out.supply = row.supply
