"""Redraw what is hidden from a seat, within what it knows; the other player's choices are taken as uninformative."""

from __future__ import annotations

from rat_envs.engine.counts import add, move_all, total
from rat_envs.engine.random import draw_below, draw_weighted
from rat_envs.games.brave_rats.components import KINDS, NO_CARD
from rat_envs.games.brave_rats.set_up import has_seen_packet, is_draft


def determinize(row, seat, stream):
    """Replace the opponent's hidden cards (BR-21, BR-32) and its hidden choice (BR-30)."""
    opponent = 1 - seat
    if is_draft(row):
        redraw_draft(row, seat, stream)
    if row.config.draw_pile:
        redraw_hand(row, opponent, row.spied == opponent, stream)
    if row.chosen[opponent] != NO_CARD and row.spied != opponent:
        row.chosen[opponent] = draw_kind(stream, row.hand[opponent])


def draw_kind(stream, cards):
    """Draw a kind of card from a hand, each kind equally likely: copies are one choice (BR-28)."""
    kinds = 0
    for card in range(KINDS):
        kinds += cards[card] > 0
    left = draw_below(stream, kinds)
    for card in range(KINDS):
        if cards[card] > 0:
            if left == 0:
                return card
            left -= 1
    return NO_CARD


def redraw_hand(row, player, choice_is_seen, stream):
    """Redeal ``player``'s hand from its hand and pile; a chosen card that was seen stays in the hand."""
    size = total(row.hand[player])
    move_all(row.hand[player], row.pile[player])
    if choice_is_seen and row.chosen[player] != NO_CARD:
        move_card(row.pile[player], row.hand[player], row.chosen[player])
        size -= 1
    move_random_cards(row.pile[player], row.hand[player], size, stream)


def redraw_draft(row, seat, stream):
    """Redeal the cards that the opponent kept unseen and, before it is passed on, the packet.

    Unseen cards are exchangeable: both sets are uniform samples of the cards that ``seat`` has not seen.
    """
    opponent = 1 - seat
    kept = total(row.kept_unseen[opponent])
    in_packet = 0
    if not has_seen_packet(row, seat):
        in_packet = total(row.packet)
        move_all(row.packet, row.undealt)
    for card in range(KINDS):
        row.hand[opponent, card] -= row.kept_unseen[opponent, card]
    move_all(row.kept_unseen[opponent], row.undealt)
    move_random_cards(row.undealt, row.kept_unseen[opponent], kept, stream)
    add(row.hand[opponent], row.kept_unseen[opponent])
    move_random_cards(row.undealt, row.packet, in_packet, stream)


def move_random_cards(source, target, number, stream):
    """Move ``number`` random cards, each copy equally likely."""
    for _ in range(number):
        move_card(source, target, draw_weighted(stream, source))


def move_card(source, target, card):
    """Move one card from one set to another."""
    source[card] -= 1
    target[card] += 1
