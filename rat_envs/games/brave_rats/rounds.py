"""A round: who wins it, what it is worth, and what it does to the next one."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.counts import fill
from rat_envs.games.brave_rats.components import (
    AMBASSADOR,
    ASSASSIN,
    GENERAL,
    KINDS,
    MUSICIAN,
    NO_CARD,
    NO_SEAT,
    PLAY,
    PRINCE,
    PRINCESS,
    SPY,
    WIZARD,
)

ON_HOLD = -1


def works(card, ability, opposing):
    """Whether ``card`` has ``ability`` and the opposing card is not the Wizard, which cancels it (BR-06)."""
    return card == ability and opposing != WIZARD


def princess_finds_prince(card, opposing):
    """BR-07: the Princess's owner wins the whole game."""
    return card == PRINCESS and opposing == PRINCE


def round_winner(card_0, card_1, plus_two_0, plus_two_1):
    """The seat that wins the round, or ``ON_HOLD``; abilities in the order of BR-14.

    ``plus_two_0`` and ``plus_two_1`` are 1 for a seat that played an effective General in the round before (BR-11).
    """
    if works(card_0, MUSICIAN, card_1) or works(card_1, MUSICIAN, card_0):
        return ON_HOLD  # BR-05
    if princess_finds_prince(card_0, card_1):
        return 0
    if princess_finds_prince(card_1, card_0):
        return 1
    if works(card_0, PRINCE, card_1) and card_1 != PRINCE:
        return 0  # BR-08
    if works(card_1, PRINCE, card_0) and card_0 != PRINCE:
        return 1
    value_0 = card_0 + 2 * plus_two_0
    value_1 = card_1 + 2 * plus_two_1
    if value_0 == value_1:
        return ON_HOLD  # BR-03
    higher = 0 if value_0 > value_1 else 1
    if works(card_0, ASSASSIN, card_1) or works(card_1, ASSASSIN, card_0):
        return 1 - higher  # BR-09
    return higher  # BR-02


def worth(card, opposing):
    """How many rounds this one counts for the owner of ``card``, won or on hold (BR-10)."""
    return 2 if works(card, AMBASSADOR, opposing) else 1


def spied_seat(card_0, card_1):
    """BR-12: the seat that reveals first in the next round; two Spies cancel out."""
    if works(card_0, SPY, card_1) and card_1 != SPY:
        return 1
    if works(card_1, SPY, card_0) and card_0 != SPY:
        return 0
    return NO_SEAT


def table(function, *ranges):
    """All values of ``function``, first card by second card; a lookup is cheaper than deciding the round."""
    shape = (KINDS, KINDS, *ranges)
    return np.array([function(*place) for place in np.ndindex(shape)], np.int8).reshape(shape)


WINNER = table(round_winner, 2, 2)
WORTH = table(worth)
SPIED = table(spied_seat)
PRINCESS_WINS = table(lambda a, b: princess_finds_prince(a, b) or princess_finds_prince(b, a))
PLUS_TWO = table(lambda card, opposing: works(card, GENERAL, opposing))


def rounds_needed(row):
    """Round wins that end the game (BR-04, BR-22)."""
    return 3 if row.config.fast else 4


def begin_round(row):
    """The first to choose is the spied player, if there is one, else player_0."""
    row.phase = PLAY
    row.actor = 0 if row.spied == NO_SEAT else row.spied


def count_round(row, seat, winner, round_worth):
    """A round is worth ``round_worth`` plus what was on hold; it is won, lost or put on hold (BR-03, BR-10)."""
    value = round_worth + row.rounds_on_hold[seat]
    row.rounds_won[seat] += value * (winner == seat)
    row.rounds_on_hold[seat] = value * (winner == ON_HOLD)


def settle_round(row):
    """Reveal both chosen cards, count the round and spend the cards (BR-01)."""
    card_0 = row.chosen[0]
    card_1 = row.chosen[1]
    winner = WINNER[card_0, card_1, row.plus_two[0], row.plus_two[1]]
    count_round(row, 0, winner, WORTH[card_0, card_1])
    count_round(row, 1, winner, WORTH[card_1, card_0])
    if PRINCESS_WINS[card_0, card_1]:
        row.rounds_won[winner] = rounds_needed(row)
    row.plus_two[0] = PLUS_TWO[card_0, card_1]
    row.plus_two[1] = PLUS_TWO[card_1, card_0]
    row.spied = SPIED[card_0, card_1]
    row.hand[0, card_0] -= 1
    row.hand[1, card_1] -= 1
    fill(row.chosen, NO_CARD)
