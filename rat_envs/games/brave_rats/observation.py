"""What a seat knows (BR-30 to BR-32), from its own point of view."""

from __future__ import annotations

import numpy as np

from rat_envs.engine.counts import add, total
from rat_envs.games.brave_rats.components import KINDS, NO_CARD, NO_SEAT
from rat_envs.games.brave_rats.set_up import has_seen_packet, is_draft, packet_opener

#: Pairs hold the observer's number first, then the opponent's. Cards are counts by value.
OBSERVATION = np.dtype(
    (
        np.record,
        [
            ("own_hand", "i1", (KINDS,)),
            ("own_pile", "i1", (KINDS,)),
            ("own_chosen", "i1", (KINDS,)),
            ("opponent_cards", "i1", (KINDS,)),
            ("opponent_unknown", "i1"),
            ("opponent_hand_size", "i1"),
            ("opponent_revealed", "i1", (KINDS,)),
            ("rounds_won", "i1", (2,)),
            ("rounds_on_hold", "i1", (2,)),
            ("plus_two", "i1", (2,)),
            ("spied", "i1", (2,)),
            ("packet", "i1", (KINDS,)),
            ("packet_opener", "i1", (2,)),
            ("games_won", "i1", (2,)),
            ("games_played", "i1"),
            # The variants in play
            ("hands", "i1", (4,)),
            ("traitor", "i1"),
            ("draw_pile", "i1"),
            ("fast", "i1"),
            ("emperor", "i1"),
        ],
    )
)

NOTES = {
    "own_hand": "own cards in hand, including the one that is chosen",
    "own_pile": "own draw pile, as a set",
    "own_chosen": "own chosen card, one-hot, until both are revealed",
    "opponent_cards": "the opponent's known unplayed cards, hand and pile together",
    "opponent_unknown": "number of the opponent's cards that are unknown, during a draft",
    "opponent_hand_size": "number of cards in the opponent's hand",
    "opponent_revealed": "the card that the spied-on opponent has chosen, one-hot",
    "rounds_won": "rounds won",
    "rounds_on_hold": "by seat: how many rounds those on hold count for it",
    "plus_two": "by seat: 1 if it has +2 in this round",
    "spied": "by seat: 1 if it reveals first in this round",
    "packet": "in a draft: the remaining cards of the packet that the observer has seen",
    "packet_opener": "in a draft, by seat: 1 if it opened the packet",
    "games_won": "games of the match won",
    "games_played": "games of the match played",
    "hands": "how hands are dealt, one-hot: clan, draft, random, princess_attack",
    "traitor": "1 if the variant is played",
    "draw_pile": "1 if the variant is played",
    "fast": "1 if the variant is played",
    "emperor": "1 if the variant is played",
}


def observe(row, seat, out):
    """Write what ``seat`` knows into ``out``."""
    opponent = 1 - seat
    for card in range(KINDS):
        out.own_hand[card] = row.hand[seat, card]
        out.opponent_cards[card] = row.hand[opponent, card]
    out.opponent_hand_size = total(row.hand[opponent])
    if row.config.draw_pile:
        add(out.own_pile, row.pile[seat])
        add(out.opponent_cards, row.pile[opponent])
    if row.chosen[seat] != NO_CARD:
        out.own_chosen[row.chosen[seat]] = 1
    if row.spied == opponent and row.chosen[opponent] != NO_CARD:
        out.opponent_revealed[row.chosen[opponent]] = 1
    if row.spied != NO_SEAT:
        out.spied[seat ^ row.spied] = 1
    if is_draft(row):
        observe_draft(row, seat, out)
    for place in range(2):
        player = seat ^ place
        out.rounds_won[place] = row.rounds_won[player]
        out.rounds_on_hold[place] = row.rounds_on_hold[player]
        out.plus_two[place] = row.plus_two[player]
        out.games_won[place] = row.games_won[player]
    out.games_played = row.games_played


def observe_fixed(row, out):
    """The variants in play."""
    out.hands[row.config.hands] = 1
    out.traitor = row.config.traitor
    out.draw_pile = row.config.draw_pile
    out.fast = row.config.fast
    out.emperor = row.config.emperor


def observe_draft(row, seat, out):
    """BR-32: the seen part of the packet, its opener, and only the known part of the opponent's hand."""
    opponent = 1 - seat
    out.opponent_unknown = total(row.kept_unseen[opponent])
    for card in range(KINDS):
        out.opponent_cards[card] -= row.kept_unseen[opponent, card]
    if has_seen_packet(row, seat):
        add(out.packet, row.packet)
    out.packet_opener[seat ^ packet_opener(row)] = 1
