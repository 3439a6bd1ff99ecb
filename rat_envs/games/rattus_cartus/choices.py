"""What a player is asked and may do, in words and as spots in the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rat_envs.engine.choices import Choice, Offer
from rat_envs.games.rattus_cartus.notation import ACTIONS
from rat_envs.games.rattus_cartus.tables import CARDS
from rat_envs.games.rattus_cartus.view import View, view
from rat_envs.games.rattus_cartus.wording import building_name, card_in_words, question, supply_in_words

__all__ = ["building_spot", "card_spot", "offer", "player_spot", "row_spot"]

SIMPLE = {"pass": "Play a Pass: enter later", "done": "Done", "decline": "Do not use it"}
#: What is done with a card in hand.
WITH_A_CARD = {"lay": "Lay {}", "give": "Give {}", "discard": "Discard {} for a rat"}
#: What is done to a player.
TO_A_PLAYER = {"take_from": "Take from {}", "rat_to": "Pass a rat to {}"}


def offer(row: Any, seat: int, actions: Sequence[int]) -> Offer:
    """What ``seat`` may do on its turn."""
    seen = view(row, seat)
    return Offer(question(seen), tuple(choice(seen, action) for action in actions))


def choice(seen: View, action: int) -> Choice:
    """An action in words."""
    verb, _, rest = ACTIONS[action].partition(" ")
    if verb in SIMPLE:
        return Choice(action, SIMPLE[verb])
    if verb in WITH_A_CARD:
        kind = CARDS.index(rest)
        return Choice(action, WITH_A_CARD[verb].format(card_in_words(kind)), card_spot(kind))
    if verb in TO_A_PLAYER:
        number = int(rest.removeprefix("player_"))
        return Choice(action, TO_A_PLAYER[verb].format(seen.players[number].name), player_spot(number))
    return OTHERS[verb](seen, action, rest)


def supply(seen: View, action: int, rest: str) -> Choice:
    """RC-15."""
    slot = int(rest) - 1
    gains = supply_in_words(seen.buildings[slot])
    return Choice(action, f"Take the supply of {building_name(seen, slot)}: {gains}", building_spot(slot))


def enter(seen: View, action: int, rest: str) -> Choice:
    """RC-20."""
    slot = int(rest) - 1
    return Choice(action, f"Enter {building_name(seen, slot)}", building_spot(slot))


def act(seen: View, action: int, rest: str) -> Choice:
    """RC-41."""
    assert seen.resolved is not None
    return Choice(action, f"Use {building_name(seen, seen.resolved)}", building_spot(seen.resolved))


def look(seen: View, action: int, rest: str) -> Choice:
    """RC-06, RC-15."""
    return Choice(action, f"Look at card {rest} of the nun-row", row_spot(int(rest) - 1))


OTHERS: dict[str, Callable[[View, int, str], Choice]] = {"supply": supply, "enter": enter, "act": act, "look": look}


def building_spot(slot: int) -> str:
    """The spot of a building, counted from 0."""
    return f"building {slot}"


def row_spot(place: int) -> str:
    """The spot of a card in the nun-row, counted from 0."""
    return f"row {place}"


def card_spot(kind: int) -> str:
    """The spot of a kind of card in the observer's hand."""
    return f"hand {kind}"


def player_spot(number: int) -> str:
    """The spot of a player's panel."""
    return f"player {number}"
