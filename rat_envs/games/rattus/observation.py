"""What a seat knows (RT-70 to RT-73), seats counted clockwise from itself."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import copy_all
from rat_envs.engine.seats import places_in, seats_between
from rat_envs.games.rattus.components import (
    BONUS,
    FINAL,
    FLIP,
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
    WITCH_AGAIN,
    WITCH_SWAP,
    first_of,
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
NODE_OF_PHASE = places_in([phase for phase, _ in DECISIONS], OVER + 1)

OBSERVATION = np.dtype(
    (
        np.record,
        [
            # By region: the last index is the region, in table order
            ("in_play", "i1", (len(REGIONS),)),
            ("plague", "i1", (len(REGIONS),)),
            ("neutral_cubes", "i1", (len(REGIONS),)),
            ("cubes_moving", "i1", (len(REGIONS),)),
            ("cubes", "i1", (SEATS, len(REGIONS))),
            ("rats", "i1", (len(REGIONS),)),
            ("laid_out", "i1", (SLOTS, len(REGIONS))),
            ("looked_at", "i1", (SLOTS, SEATS, len(REGIONS))),
            ("chosen", "i1", (SLOTS, len(REGIONS))),
            ("faces", "i1", (SLOTS, FACE, len(REGIONS))),
            # By token
            ("unseen", "i1", (len(TOKEN_IDS),)),
            ("flipped", "i1", (len(TOKEN_IDS),)),
            ("start_left", "i1"),
            ("supply", "i1"),
            # By seat
            ("stock", "i1", (SEATS,)),
            ("palace", "i1", (SEATS,)),
            ("holders", "i1", (len(CARDS), SEATS)),
            ("actor", "i1", (SEATS,)),
            ("active", "i1", (SEATS,)),
            ("last_active", "i1", (SEATS,)),
            # The turn and the game
            ("node", "i1", (len(DECISIONS),)),
            ("card_taken", "i1"),
            ("cubes_placed", "i1"),
            ("used", "i1", (len(CARDS),)),
            ("spread_left", "i1"),
            ("settled", "i1"),
            # Options and components; the adjacency last, where ``graph`` looks for it
            ("tokens", "i1", (len(TOKEN_IDS), FACE)),
            ("players", "i1", (SEATS - 1,)),
            ("king_after_plague", "i1"),
            ("adjacency", "i1", (len(REGIONS), len(REGIONS))),
        ],
    )
)

#: Names of the columns of a face.
FACE_COLUMNS = ("limit", "M", "A", *CARDS)
FACE_IN_WORDS = ", ".join(FACE_COLUMNS)
NOTES = {
    "in_play": "1 for regions in play",
    "plague": "where the plague piece is, one-hot",
    "neutral_cubes": "by region: the cubes that the plague piece counts as",
    "cubes_moving": "cubes that the Merchant is moving from there",
    "cubes": "cubes by seat",
    "rats": "rat tokens",
    "laid_out": "by slot: 1 if the token lay there since set-up, or was moved from such a place",
    "looked_at": "by slot and seat: 1 if the seat has looked at the token",
    "chosen": "by slot: 1 for the token that the Monk moves, or those the Witch is looking at",
    "faces": f"by slot: {FACE_IN_WORDS} of the token, as far as the observer has looked at it",
    "unseen": "1 for tokens whose face the observer has not seen",
    "flipped": "1 for tokens that have been flipped",
    "start_left": "left-over start tokens that the observer has not yet seen turn up (RT-72)",
    "supply": "tokens in the supply",
    "stock": "cubes in stock",
    "palace": "cubes in the palace",
    "holders": "for each class card its holder, one-hot",
    "actor": "the seat that is asked, one-hot",
    "active": "the seat whose turn it is, one-hot; 0 during set-up",
    "last_active": "from the final round on: the seat that had the last turn, one-hot",
    "node": "what is asked, one-hot: " + ", ".join(name for _, name in DECISIONS),
    "card_taken": "1 if a card was taken this turn",
    "cubes_placed": "1 if cubes were placed this turn",
    "used": "class cards used this turn",
    "spread_left": "new tokens still to be laid",
    "settled": "how often cubes have been placed at set-up",
    "tokens": f"the faces in use, by token: {FACE_IN_WORDS}",
    "players": "number of seats, one-hot: 2, 3, 4",
    "king_after_plague": "1 if the King may be used after the ravage",
    "adjacency": "1 for neighbours, and on the diagonal, among the regions in play",
}


@out_of_line
def observe(row, seat, out):
    """Write what ``seat`` knows into ``out``."""
    observe_board(row, seat, out)
    observe_looks(row, seat, out)
    observe_choices(row, out)
    observe_tokens(row, seat, out)
    observe_turn(row, seat, out)
    observe_seats(row, seat, out)


def place_of(row, seat, other):
    """The place of ``other``, counted from ``seat``."""
    return seats_between(seat, other, row.config.players)


def observe_board(row, seat, out):
    """RT-70: cubes and rats."""
    copy_all(row.in_play, out.in_play)
    for other in range(seats(row)):
        copy_all(row.cubes[other], out.cubes[place_of(row, seat, other)])
    copy_all(row.rats, out.rats)
    copy_all(row.pile, out.laid_out)


def observe_looks(row, seat, out):
    """RT-70, RT-71: tokens that somebody has looked at."""
    for slot in range(SLOTS):
        regions = int(row.any_looked[slot])
        while regions != 0:
            observe_look(row, seat, slot, first_of(regions), out)
            regions &= regions - 1


def observe_look(row, seat, slot, region, out):
    """RT-70: who has looked at a token; RT-71: its face, if the observer has."""
    looked = row.looked[slot, region]
    for other in range(seats(row)):
        out.looked_at[slot, place_of(row, seat, other), region] = (looked >> other) & 1
    if (looked >> seat) & 1:
        token = row.face[slot, region]
        for column in range(FACE):
            out.faces[slot, column, region] = row.config.tokens[token, column]


def observe_choices(row, out):
    """RT-70: the plague piece, and an ability in progress."""
    if row.phase != PLAGUE_BEGINS:
        out.plague[row.plague] = 1
    if row.neutral != NONE:
        out.neutral_cubes[row.neutral] = NEUTRAL_CUBES
    if row.cubes_moving > 0:
        out.cubes_moving[row.chosen_regions[0]] = row.cubes_moving
        return
    for number in range(2):
        if row.chosen_regions[number] != NONE:
            out.chosen[row.chosen_slots[number], row.chosen_regions[number]] = 1


def observe_tokens(row, seat, out):
    """RT-72: the tokens as far as the observer has seen them."""
    for token in range(len(TOKEN_IDS)):
        out.unseen[token] = 1 - ((row.seen[token] >> seat) & 1)
    copy_all(row.flipped, out.flipped)
    out.start_left = left_over(row) - row.start_seen[seat]


def observe_fixed(row, out):
    """RT-70: the options and components in use."""
    out.players[seats(row) - 2] = 1
    out.king_after_plague = row.config.king_after_plague
    copy_all(row.config.map, out.adjacency)
    copy_all(row.config.tokens, out.tokens)


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
    copy_all(row.used, out.used)
    for card in range(len(CARDS)):
        if row.holder[card] != NONE:
            out.holders[card, place_of(row, seat, row.holder[card])] = 1


def observe_seats(row, seat, out):
    """RT-70: stocks, palaces, supply."""
    for other in range(seats(row)):
        place = place_of(row, seat, other)
        out.stock[place] = row.stock[other]
        out.palace[place] = row.palace[other]
    out.supply = row.supply
