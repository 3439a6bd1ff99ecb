"""The text of every action and outcome, and the fixed order of nodes."""

from __future__ import annotations

import itertools

import numpy as np

from rat_envs.engine.game import Node
from rat_envs.engine.notation import each, first, numerals
from rat_envs.games.comme_des_rats.components import PILES, SEATS
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES, PILE_SIZE, ROLES, THIRD_RAT_CARDS

RATS = (*(f"player_{seat}" for seat in range(SEATS)), "third_rat")
#: The third rat's place among actions that name a rat.
THIRD_RAT_PLACE = SEATS
PILE_NAMES = numerals(PILES)
PLACES = numerals(PILE_SIZE)
#: The two faces of every roll.
ROLLS = np.array(list(itertools.combinations_with_replacement(range(len(FACES)), 2)), np.int8)


ACTIONS = (
    *("keep_dice", "reroll"),
    *("say nothing", "say peace", *each("say die", FACES), *each("say claw", RATS)),
    *("claim", "no_claim"),
    *each("partner", RATS),
    *each("die", FACES),
    *each("pile", PILE_NAMES),
    *each("rob", RATS),
    *each("claw", RATS),
    *(*each("redirect", RATS), "no_redirect"),
    *("clover", "bandage"),
    *each("look", PILE_NAMES),
    *each("place", CARDS),
)
KEEP_DICE_ACTION, REROLL_ACTION = first("keep_dice", ACTIONS), first("reroll", ACTIONS)
SAY_FIRST = first("say", ACTIONS)
#: Statements, counted from ``SAY_FIRST``.
SAY_NOTHING, SAY_PEACE, SAY_DIE, SAY_CLAW = 0, 1, 2, 2 + len(FACES)
STATEMENTS = SAY_CLAW + len(RATS)
CLAIM_ACTION, NO_CLAIM_ACTION = first("claim", ACTIONS), first("no_claim", ACTIONS)
PARTNER_FIRST, DIE_FIRST = first("partner", ACTIONS), first("die", ACTIONS)
PILE_FIRST, ROB_FIRST = first("pile", ACTIONS), first("rob", ACTIONS)
CLAW_FIRST = first("claw", ACTIONS)
REDIRECT_FIRST, NO_REDIRECT_ACTION = first("redirect", ACTIONS), first("no_redirect", ACTIONS)
CLOVER_ACTION, BANDAGE_ACTION = first("clover", ACTIONS), first("bandage", ACTIONS)
LOOK_FIRST, PLACE_FIRST = first("look", ACTIONS), first("place", ACTIONS)
#: First action of each block of actions that name a rat.
SEAT_ACTIONS = (SAY_FIRST + SAY_CLAW, PARTNER_FIRST, ROB_FIRST, CLAW_FIRST, REDIRECT_FIRST)

OUTCOMES = (
    *each("trap", PLACES),
    *each("deal", CARDS),
    *each("role", ROLES),
    *(f"roll {FACES[first]} {FACES[second]}" for first, second in ROLLS),
    *(f"reveal tr{card + 1}" for card in range(THIRD_RAT_CARDS)),
    *each("lose", CARDS),
)
TRAP_FIRST, DEAL_FIRST = first("trap", OUTCOMES), first("deal", OUTCOMES)
ROLE_FIRST, ROLL_FIRST = first("role", OUTCOMES), first("roll", OUTCOMES)
REVEAL_FIRST, LOSE_FIRST = first("reveal", OUTCOMES), first("lose", OUTCOMES)

NODES = (
    Node("chance", "trap K", "round set-up, for each pile: the place of its guaranteed trap from the top"),
    Node("chance", "deal CARD", "then the pile's four other places, top to bottom"),
    Node("chance", "role ROLE", "`roles`: for each seat"),
    Node("Manipulator", "look K", "`roles`: two different piles"),
    Node("Manipulator", "place CARD", "`roles`: both piles anew, from the top; the fifth card is automatic"),
    Node("chance", "roll FACE FACE", "each turn, and again after `reroll`"),
    Node("active seat", "keep_dice, reroll", "after the first roll"),
    Node("each other seat", "say …", "`talk`: clockwise from the active seat's left"),
    Node("Al Ratone", "claim, no_claim", "`roles`: unless he is active or would be partner anyway"),
    Node("active seat", "partner RAT", "unless claimed, or there is one possible partner"),
    Node("chance", "reveal CARD", "when the third rat is partner"),
    Node("partner", "die FACE", "unless both dice show the same"),
    Node("decider", "pile K", "a key: the partner's die first, then the active seat's"),
    Node("decider", "rob RAT", "a theft, if anybody has stock"),
    Node("chance", "lose CARD", "then: what is stolen"),
    Node("decider", "claw RAT", "the cat, if it can be sent at anybody"),
    Node("Hypnotist", "redirect RAT, no_redirect", "`roles`: when the cat is sent at him"),
    Node("about to be hurt", "clover, bandage", "a seat with a clover in stock"),
)


def place_of_rat(row, rat):
    """A rat's place among actions that name one."""
    return rat if rat < row.config.players else THIRD_RAT_PLACE


def rat_at(row, place):
    """The rat that an action names by its place."""
    return row.config.players if place == THIRD_RAT_PLACE else place
