"""Which rows are possible when a player acts or the game is over; for states that come from outside."""

from __future__ import annotations

from rat_envs.engine.counts import total
from rat_envs.engine.game import TERMINAL
from rat_envs.games.brave_rats.components import (
    HELD_FROM_PILE,
    KEEP,
    KINDS,
    NO_CARD,
    NO_SEAT,
    OVER,
    PACKET_SIZE,
    PLAY,
    PRINCE,
)
from rat_envs.games.brave_rats.configuration import DRAFT, GAMES_TO_WIN, MOST_GAMES
from rat_envs.games.brave_rats.set_up import needs_draw, packet_opener

COPIES = 2
DEALT = COPIES * KINDS
#: Each of the eight rounds counts for two at most, won or on hold (BR-03, BR-10).
MOST_ROUNDS = 16

#: Minimum and maximum of every field when a player acts or the game is over.
RANGES = {
    "phase": (KEEP, OVER),
    "actor": (TERMINAL, 1),
    "undealt": (0, COPIES),
    "hand": (0, COPIES),
    "pile": (0, COPIES),
    "packet": (0, COPIES),
    "packets_done": (0, DEALT // PACKET_SIZE),
    "kept_unseen": (0, COPIES),
    "given": (NO_CARD, NO_CARD),
    "chosen": (NO_CARD, PRINCE),
    "rounds_won": (0, MOST_ROUNDS),
    "rounds_on_hold": (0, MOST_ROUNDS),
    "plus_two": (0, 1),
    "spied": (NO_SEAT, 1),
    "games_won": (0, GAMES_TO_WIN),
    "games_played": (0, MOST_GAMES),
}


def possible(row):
    """Whether the row is a possible draft, round or end."""
    if row.phase == OVER:
        return row.actor == TERMINAL
    if row.actor < 0 or not match_goes_on(row):
        return False
    return draft_is_possible(row) if row.phase == KEEP else row.phase == PLAY and round_is_possible(row)


def match_goes_on(row):
    """BR-26: the match is undecided; without a match, no game has been played before."""
    if not row.config.emperor:
        return row.games_played == 0 and total(row.games_won) == 0
    undecided = row.games_won[0] < GAMES_TO_WIN and row.games_won[1] < GAMES_TO_WIN
    return undecided and row.games_played < MOST_GAMES and total(row.games_won) <= row.games_played


def draft_is_possible(row):
    """BR-23: both have kept the right number of cards; the packet is passed on after each."""
    if row.config.hands != DRAFT:
        return False
    opener = packet_opener(row)
    kept = PACKET_SIZE - total(row.packet)
    for card in range(KINDS):
        if row.undealt[card] + row.packet[card] + row.hand[0, card] + row.hand[1, card] != COPIES:
            return False
        if row.kept_unseen[0, card] > row.hand[0, card] or row.kept_unseen[1, card] > row.hand[1, card]:
            return False
    return (
        0 <= kept <= 2
        and row.actor == (opener if kept != 1 else 1 - opener)
        and total(row.hand[opener]) == 2 * row.packets_done + (kept > 0)
        and total(row.hand[1 - opener]) == 2 * row.packets_done + (kept > 1)
        and total(row.kept_unseen[opener]) == row.packets_done // 2 + (kept > 0)
        and total(row.kept_unseen[1 - opener]) == (row.packets_done + 1) // 2
        and total(row.pile[0]) + total(row.pile[1]) == 0
        and nothing_is_chosen(row)
    )


def nothing_is_chosen(row):
    """Whether neither player has chosen a card."""
    return row.chosen[0] == NO_CARD and row.chosen[1] == NO_CARD


def round_is_possible(row):
    """BR-01, BR-12: both hold the same number of cards, and a chosen card is in hand."""
    for card in range(KINDS):
        if row.hand[0, card] + row.hand[1, card] + row.pile[0, card] + row.pile[1, card] > COPIES:
            return False
        if row.undealt[card] + row.packet[card] + row.kept_unseen[0, card] + row.kept_unseen[1, card] != 0:
            return False
    first = 0 if row.spied == NO_SEAT else row.spied
    return (
        hands_are_possible(row)
        and row.chosen[1 - first] == NO_CARD
        and (row.actor == first) == (row.chosen[first] == NO_CARD)
        and (row.chosen[first] == NO_CARD or row.hand[first, row.chosen[first]] > 0)
    )


def hands_are_possible(row):
    """BR-21: three cards in hand while the pile lasts; without that variant there is no pile."""
    piles = total(row.pile[0]) + total(row.pile[1])
    drawn = not needs_draw(row) and total(row.hand[0]) <= HELD_FROM_PILE if row.config.draw_pile else piles == 0
    as_many = total(row.hand[0]) == total(row.hand[1]) and total(row.pile[0]) == total(row.pile[1])
    return drawn and as_many and total(row.hand[0]) > 0
