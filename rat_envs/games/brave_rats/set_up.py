"""From the configuration to the first round: hands, then the traitor, then the draw pile (BR-27)."""

from __future__ import annotations

from rat_envs.engine.counts import fill, move_all, total
from rat_envs.engine.game import CHANCE
from rat_envs.games.brave_rats.components import (
    DEAL,
    DRAW,
    GIVE,
    HAND_SIZE,
    HELD_FROM_PILE,
    KEEP,
    NO_CARD,
    NO_SEAT,
    PACKET_SIZE,
    PRINCE,
    PRINCES,
    PRINCESS,
    REVEAL,
)
from rat_envs.games.brave_rats.configuration import CLAN, DRAFT, RANDOM
from rat_envs.games.brave_rats.rounds import begin_round


def begin_game(row):
    """Clear what the last game of the match left (BR-26) and set up the hands."""
    for seat in range(2):
        row.rounds_won[seat] = 0
        row.rounds_on_hold[seat] = 0
        row.plus_two[seat] = 0
        row.chosen[seat] = NO_CARD
        fill(row.hand[seat], row.config.hands == CLAN)
        fill(row.pile[seat], 0)
    row.spied = NO_SEAT
    row.given = NO_CARD
    row.packets_done = 0
    row.actor = CHANCE
    if row.config.hands == CLAN:
        hands_are_known(row)
    elif row.config.hands == RANDOM:
        fill(row.undealt, 2)
        row.phase = DEAL
    elif row.config.hands == DRAFT:
        fill(row.undealt, 2)
        row.phase = REVEAL
    else:
        row.phase = PRINCES


def hands_are_known(row):
    """After BR-01 or BR-23 to BR-25: the traitor's exchange, if that variant is played."""
    if row.config.traitor:
        row.phase = GIVE
        row.actor = CHANCE
    else:
        cards_are_final(row)


def cards_are_final(row):
    """The draw pile, if that variant is played, else the first round."""
    if row.config.draw_pile:
        for seat in range(2):
            move_all(row.hand[seat], row.pile[seat])
        row.phase = DRAW
        row.actor = CHANCE
    else:
        begin_round(row)


def deal_card(row, card):
    """BR-24: eight cards go to player_0, the rest to player_1."""
    row.hand[0, card] += 1
    row.undealt[card] -= 1
    if total(row.hand[0]) == HAND_SIZE:
        move_all(row.undealt, row.hand[1])
        hands_are_known(row)


def give_princes(row, owner):
    """BR-25: both Princes to ``owner``, both Princesses to the other."""
    for seat in range(2):
        fill(row.hand[seat], 1)
    row.hand[owner, PRINCE] = 2
    row.hand[owner, PRINCESS] = 0
    row.hand[1 - owner, PRINCE] = 0
    row.hand[1 - owner, PRINCESS] = 2
    hands_are_known(row)


def packet_opener(row):
    """BR-23: the players open packets in turn, player_0 first."""
    return row.packets_done % 2


def reveal_card(row, card):
    """BR-23: a card of the packet, which only its opener sees; after the fourth the opener keeps one."""
    row.packet[card] += 1
    row.undealt[card] -= 1
    if total(row.packet) == PACKET_SIZE:
        row.phase = KEEP
        row.actor = packet_opener(row)


def keep_card(row, card):
    """BR-23: the acting seat keeps a card of the packet and passes it on; the last card needs no choice."""
    opener = packet_opener(row)
    row.hand[row.actor, card] += 1
    row.packet[card] -= 1
    left = total(row.packet)
    if left == PACKET_SIZE - 1:
        row.kept_unseen[opener, card] += 1
    if left > 1:
        row.actor = 1 - row.actor
        return
    move_all(row.packet, row.hand[1 - opener])
    row.packets_done += 1
    if total(row.undealt) > 0:
        row.phase = REVEAL
        row.actor = CHANCE
    else:
        for seat in range(2):  # BR-32: all 16 are dealt, both hands are public
            fill(row.kept_unseen[seat], 0)
        hands_are_known(row)


def giver(row):
    """BR-20: whose card is given next."""
    return 0 if row.given == NO_CARD else 1


def give_card(row, card):
    """BR-20: the cards cross at once, so player_1's comes out of its original hand."""
    if row.given == NO_CARD:
        row.given = card
        return
    row.hand[0, row.given] -= 1
    row.hand[1, row.given] += 1
    row.hand[1, card] -= 1
    row.hand[0, card] += 1
    row.given = NO_CARD
    cards_are_final(row)


def drawer(row):
    """BR-21: the seat that draws next, player_0 first, or ``NO_SEAT`` when both hold three or have no pile."""
    for seat in range(2):
        if total(row.hand[seat]) < HELD_FROM_PILE and total(row.pile[seat]) > 0:
            return seat
    return NO_SEAT


def draw_card(row, card):
    """BR-21: from the pile to the hand; the round begins when nobody has to draw."""
    seat = drawer(row)
    row.pile[seat, card] -= 1
    row.hand[seat, card] += 1
    if drawer(row) == NO_SEAT:
        begin_round(row)


def needs_draw(row):
    """Whether somebody has to draw before the next round."""
    return row.config.draw_pile != 0 and drawer(row) != NO_SEAT


def is_draft(row):
    """Whether a draft is under way (BR-32)."""
    return row.phase == REVEAL or row.phase == KEEP


def has_seen_packet(row, seat):
    """BR-32: the opener sees all four cards, the other those passed on."""
    passed_on = row.phase == KEEP and total(row.packet) < PACKET_SIZE
    return passed_on or seat == packet_opener(row)
