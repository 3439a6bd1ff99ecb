"""What a player is asked and may do, in words and as cards in the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rat_envs.engine.choices import Choice, Offer
from rat_envs.games.brave_rats.components import KEEP, PACKET_SIZE
from rat_envs.games.brave_rats.notation import KEEP_FIRST
from rat_envs.games.brave_rats.view import view
from rat_envs.games.brave_rats.wording import card_name

__all__ = ["hand_spot", "offer", "packet_spot"]


def offer(row: Any, seat: int, actions: Sequence[int]) -> Offer:
    """What ``seat`` may do on its turn: one card for each action, numbered by its value."""
    if row.phase == KEEP:
        return Offer(keep_question(row, seat), tuple(keep(action) for action in actions))
    return Offer(play_question(row, seat), tuple(play(action) for action in actions))


def keep_question(row: Any, seat: int) -> str:
    """BR-23: four cards are kept one after the other."""
    left = len(view(row, seat).packet)
    return (
        "Which card of the packet do you keep?"
        if left < PACKET_SIZE
        else "Which card do you keep first, unseen by the other?"
    )


def play_question(row: Any, seat: int) -> str:
    """BR-02, BR-12."""
    seen = view(row, seat)
    if seen.far.shown is not None:
        return f"Which card do you play against {card_name(seen.far.shown)}?"
    return "Which card do you reveal first?" if seen.near.spied else "Which card do you play?"


def keep(action: int) -> Choice:
    """A card of the packet."""
    card = action - KEEP_FIRST
    return Choice(action, f"Keep {card_name(card)}", packet_spot(card), str(card))


def play(action: int) -> Choice:
    """A card in hand."""
    return Choice(action, f"Play {card_name(action)}", hand_spot(action), str(action))


def hand_spot(card: int) -> str:
    """The spot of a card in the observer's hand."""
    return f"hand {card}"


def packet_spot(card: int) -> str:
    """The spot of a card in the packet."""
    return f"packet {card}"
