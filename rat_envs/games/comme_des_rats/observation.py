"""What a seat knows (CR-70 to CR-77), seats counted clockwise from itself."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.compile import out_of_line
from rat_envs.engine.counts import copy_all
from rat_envs.engine.seats import places_in, seats_between
from rat_envs.games.comme_des_rats.components import (
    BANDAGE,
    CHOOSE_DIE,
    CHOOSE_PILE,
    CHOOSE_TARGET,
    CLAIM,
    FOOL,
    KEEP_DICE,
    KINDS,
    LOOK,
    MANIPULATOR,
    NONE,
    OVER,
    PARTNER,
    PILES,
    PLACE,
    REDIRECT,
    ROB,
    SEATS,
    TALK,
    cards_left,
    is_third_rat,
    piles,
    rats,
    seats,
    stock_size,
)
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES, PILE_SIZE, ROLES, THIRD_RAT_CARDS
from rat_envs.games.comme_des_rats.notation import SAY_CLAW, STATEMENTS, THIRD_RAT_PLACE

#: Places of rats: the observer, the other seats clockwise from it, and last the third rat.
RATS = SEATS + 1
#: Kinds of a seat's own nodes.
OWN_NODES = (
    (LOOK, "look"),
    (PLACE, "place"),
    (KEEP_DICE, "keep_dice"),
    (TALK, "say"),
    (CLAIM, "claim"),
    (PARTNER, "partner"),
    (CHOOSE_DIE, "die"),
    (CHOOSE_PILE, "pile"),
    (ROB, "rob"),
    (CHOOSE_TARGET, "claw"),
    (REDIRECT, "redirect"),
    (BANDAGE, "bandage"),
)
NODE_OF_PHASE = places_in([phase for phase, _ in OWN_NODES], OVER + 1)
LARGEST = 127

OBSERVATION = np.dtype(
    (
        np.record,
        [
            ("seat", "i1", (SEATS,)),
            ("node", "i1", (len(OWN_NODES),)),
            ("rounds_played", "i1"),
            ("extra_rounds_played", "i1"),
            ("active", "i1", (SEATS,)),
            ("first_roll", "i1", (len(FACES),)),
            ("dice", "i1", (len(FACES),)),
            ("rerolled", "i1"),
            ("statements", "i1", (SEATS, STATEMENTS)),
            ("partner", "i1", (RATS,)),
            ("partners_die", "i1", (len(FACES),)),
            ("active_die", "i1", (len(FACES),)),
            ("visited", "i1", (RATS,)),
            ("points", "i1", (RATS,)),
            ("bandages", "i1", (RATS,)),
            ("out", "i1", (RATS,)),
            ("stock_size", "i1", (RATS,)),
            ("pile_size", "i1", (PILES,)),
            ("traps_beside", "i1", (PILES,)),
            ("discard", "i1", (len(CARDS),)),
            ("roles_shown", "i1", (SEATS, len(ROLES))),
            ("trap_shown", "i1", (SEATS,)),
            ("looked_at", "i1", (PILES,)),
            ("third_rat_stock", "i1", (len(CARDS),)),
            ("third_rat_card", "i1", (THIRD_RAT_CARDS,)),
            ("third_rat_unshown", "i1", (THIRD_RAT_CARDS,)),
            ("die_resolved", "i1", (2,)),
            ("whose_die", "i1", (RATS,)),
            ("decider", "i1", (SEATS,)),
            ("pile_searched", "i1", (PILES,)),
            ("second_draw", "i1"),
            ("robbed", "i1", (RATS,)),
            ("aimed_at", "i1", (RATS,)),
            ("fool_bandages", "i1"),
            ("own_stock", "i1", (len(CARDS),)),
            ("own_role", "i1", (len(ROLES),)),
            ("own_role_spent", "i1"),
            ("known_piles", "i1", (PILES, PILE_SIZE, len(CARDS))),
            ("left_to_place", "i1", (len(CARDS),)),
            ("own_fool_drew", "i1", (PILES,)),
            ("sure", "i1", (SEATS, len(CARDS))),
            # Options and components
            ("players", "i1", (4,)),
            ("roles", "i1"),
            ("talk", "i1"),
            ("extra_rounds", "i1"),
            ("faces_of_die", "i1", (len(FACES),)),
            ("doors", "i1", (len(CARDS),)),
            ("third_rat_ranks", "i1", (THIRD_RAT_CARDS, len(FACES) + 1)),
        ],
    )
)

NOTES = {
    "seat": "the observer's own number, one-hot: actions name seats by number",
    "node": "what the observer is asked, if it is to act, one-hot: " + ", ".join(name for _, name in OWN_NODES),
    "rounds_played": "rounds played before this one, those that break a tie not counted",
    "extra_rounds_played": "rounds begun to break a tie",
    "active": "the active seat, one-hot",
    "first_roll": "the first roll by symbol",
    "dice": "the roll that counts so far, by symbol",
    "rerolled": "1 if the dice were rolled again",
    "statements": "each seat's statement of this turn, one-hot: nothing, peace, die by symbol, claw by rat",
    "partner": "the partner, one-hot",
    "partners_die": "the die that the partner keeps, one-hot",
    "active_die": "the die that the active seat gets back, one-hot",
    "visited": "by rat: 1 if the cat was sent to it this turn",
    "points": "points, at most 127",
    "bandages": "bandages",
    "out": "by rat: 1 if it is out",
    "stock_size": "number of cards in stock",
    "pile_size": "face-down cards in each pile",
    "traps_beside": "traps face up beside each pile",
    "discard": "the discard pile by kind",
    "roles_shown": "roles shown in this round, one-hot by seat",
    "trap_shown": "with roles: 1 for seats that have shown a trap they drew",
    "looked_at": "1 for piles that the Manipulator looked through",
    "third_rat_stock": "the third rat's stock by kind",
    "third_rat_card": "the third rat's card of this turn, one-hot",
    "third_rat_unshown": "1 for third-rat cards not shown in this round",
    "die_resolved": "which die is being resolved, one-hot: the partner's, the active seat's",
    "whose_die": "the rat whose die is being resolved, one-hot",
    "decider": "the seat that decides for that rat, one-hot",
    "pile_searched": "the pile drawn from, one-hot",
    "second_draw": "1 if another draw is to follow",
    "robbed": "the rat robbed by this die, one-hot",
    "aimed_at": "the rat the cat is sent to by this die, one-hot",
    "fool_bandages": "bandages that a Fool still has to take for traps shown",
    "own_stock": "own stock by kind",
    "own_role": "own role, one-hot",
    "own_role_spent": "1 if it has been shown",
    "known_piles": "Manipulator: what lies in the piles looked through, one-hot by pile and place from the top",
    "left_to_place": "Manipulator: what is left of the pile being put in order",
    "own_fool_drew": "Fool: traps drawn from each pile",
    "sure": "what the observer surely knows of each seat's stock, by kind",
    "players": "number of seats, one-hot: 2, 3, 4, 5",
    "roles": "1 if roles are played",
    "talk": "1 if statements are made",
    "extra_rounds": "rounds that may be added to break a tie",
    "faces_of_die": "faces of a die that show each symbol",
    "doors": "door cards in use by kind",
    "third_rat_ranks": "two players: for each third-rat card the rank of each face (0: kept first), then 1 if the "
    "opponent decides",
}


@out_of_line
def observe(row, seat, out):
    """Write what ``seat`` knows into ``out``."""
    out.seat[seat] = 1
    if row.actor == seat:
        out.node[NODE_OF_PHASE[row.phase]] = 1
    observe_rats(row, seat, out)
    observe_piles(row, out)
    observe_turn(row, seat, out)
    if row.die > 0:
        observe_die(row, seat, out)
    if row.config.roles:
        observe_roles(row, seat, out)
    if row.config.players == 2:
        observe_third_rat(row, out)


def place_of(row, seat, rat):
    """The place of ``rat``, counted from ``seat``."""
    if is_third_rat(row, rat):
        return THIRD_RAT_PLACE
    return seats_between(seat, rat, row.config.players)


def observe_fixed(row, out):
    """CR-70: the options and components in use."""
    out.players[row.config.players - 2] = 1
    out.roles = row.config.roles
    out.talk = row.config.talk
    out.extra_rounds = row.config.extra_rounds
    for face in range(len(FACES)):
        out.faces_of_die[face] = row.config.die[face]
    for card in range(KINDS):
        out.doors[card] = row.config.doors[card]
    if row.config.players == 2:
        for number in range(THIRD_RAT_CARDS):
            for column in range(len(FACES) + 1):
                out.third_rat_ranks[number, column] = row.config.third_rat[number, column]


def observe_rats(row, seat, out):
    """CR-70: what everybody sees of a rat; CR-71, CR-74: the observer's stock and what it surely knows of others'."""
    for rat in range(rats(row)):
        place = place_of(row, seat, rat)
        out.points[place] = min(row.points[rat], LARGEST)
        out.bandages[place] = row.bandages[rat]
        out.out[place] = row.out[rat]
        out.visited[place] = row.visited[rat]
        out.stock_size[place] = stock_size(row, rat)
    for other in range(seats(row)):
        copy_all(row.sure[seat, other], out.sure[place_of(row, seat, other)])
    copy_all(row.stock[seat], out.own_stock)
    copy_all(row.discard, out.discard)


def observe_piles(row, out):
    """CR-70."""
    for pile in range(piles(row)):
        out.pile_size[pile] = cards_left(row, pile)
        out.traps_beside[pile] = row.traps_beside[pile]


def observe_turn(row, seat, out):
    """CR-70: round, roll, statements, partner."""
    out.rounds_played = row.rounds_played
    out.extra_rounds_played = row.extra_rounds_played
    out.active[place_of(row, seat, row.active)] = 1
    for number in range(2):
        if row.dice[number] != NONE:
            out.first_roll[row.first_roll[number]] += 1
            out.dice[row.dice[number]] += 1
    out.rerolled = row.rerolled
    if row.config.talk:
        for other in range(seats(row)):
            if row.statement[other] != NONE:
                observe_statement(row, seat, other, out)
    if row.partner != NONE:
        out.partner[place_of(row, seat, row.partner)] = 1


def observe_statement(row, seat, other, out):
    """CR-40: a named rat is counted from the observer."""
    statement = row.statement[other]
    if statement >= SAY_CLAW:
        named = statement - SAY_CLAW
        statement = SAY_CLAW + (named if named == THIRD_RAT_PLACE else place_of(row, seat, named))
    out.statements[place_of(row, seat, other), statement] = 1


def observe_die(row, seat, out):
    """CR-70: how far the turn has come."""
    out.partners_die[row.kept[0]] = 1
    out.active_die[row.kept[1]] = 1
    out.die_resolved[row.die - 1] = 1
    out.whose_die[place_of(row, seat, row.rat)] = 1
    out.decider[place_of(row, seat, row.decider)] = 1
    if row.robbed != NONE:
        out.robbed[place_of(row, seat, row.robbed)] = 1
    if row.aimed_at != NONE:
        out.aimed_at[place_of(row, seat, row.aimed_at)] = 1
    if row.pile_searched != NONE:
        out.pile_searched[row.pile_searched] = 1
    out.second_draw = row.draws_left
    out.fool_bandages = row.fool_bandages


def observe_roles(row, seat, out):
    """CR-70: roles shown; CR-71: the observer's role and what that role knows."""
    for other in range(seats(row)):
        place = place_of(row, seat, other)
        out.trap_shown[place] = row.trap_shown[other]
        if row.role_shown[other]:
            out.roles_shown[place, row.role[other]] = 1
    if row.role[seat] != NONE:
        out.own_role[row.role[seat]] = 1
        out.own_role_spent = row.role_shown[seat]
    for pile in range(piles(row)):
        out.looked_at[pile] = row.looked_at[0] == pile or row.looked_at[1] == pile
        if knows_pile(row, seat, pile):
            observe_known_pile(row, pile, out)
        if row.role[seat] == FOOL:
            out.own_fool_drew[pile] = row.fool_drew[pile]
    if row.role[seat] == MANIPULATOR:
        copy_all(row.left_to_place, out.left_to_place)


def knows_pile(row, seat, pile):
    """CR-71: the Manipulator knows the piles he looked through."""
    return row.role[seat] == MANIPULATOR and (row.looked_at[0] == pile or row.looked_at[1] == pile)


def observe_known_pile(row, pile, out):
    """CR-71: the cards that have not been drawn, in their places."""
    for place in range(row.drawn[pile], PILE_SIZE):
        if row.pile[pile, place] != NONE:
            out.known_piles[pile, place, row.pile[pile, place]] = 1


def observe_third_rat(row, out):
    """CR-67, CR-70: its open stock, and its cards: this turn's and those not shown."""
    third_rat = row.config.players
    copy_all(row.stock[third_rat], out.third_rat_stock)
    for number in range(THIRD_RAT_CARDS):
        out.third_rat_unshown[number] = 1 - row.third_rat_shown[number]
    if row.third_rat_card != NONE:
        out.third_rat_card[row.third_rat_card] = 1
