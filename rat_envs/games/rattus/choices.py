"""What a player is asked and may do, in words and as spots in the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rat_envs.engine.choices import Choice, Offer
from rat_envs.engine.wording import number_of
from rat_envs.games.rattus.notation import ACTIONS
from rat_envs.games.rattus.tables import CARDS, REGIONS
from rat_envs.games.rattus.view import View, view
from rat_envs.games.rattus.wording import CARD_WORDS, question

__all__ = ["card_spot", "offer", "rat_spot", "region_spot"]

SIMPLE = {
    "stop": "Look at no other rat",
    "swap": "Swap the two rats",
    "keep": "Leave the two rats where they are",
    "bonus": "The plague counts as two cubes (Knight)",
    "no_bonus": "The plague counts as nothing",
    "pass": "Pass",
}
#: Actions that name a region.
IN_A_REGION = {
    "to": "To {}",
    "king": "Put a cube from {} into the palace (King)",
    "plague": "Move the plague to {}",
    "rat": "Lay the new rat in {}",
}
#: Actions that name a region and a rat there.
AT_A_RAT = {"monk": "Move rat {} of {} (Monk)", "witch": "Look at rat {} in {} (Witch)"}


def offer(row: Any, seat: int, actions: Sequence[int]) -> Offer:
    """What ``seat`` may do on its turn."""
    seen = view(row, seat)
    return Offer(question(seen), tuple(choice(seen, action) for action in actions))


def choice(seen: View, action: int) -> Choice:
    """An action in words."""
    verb, *names = ACTIONS[action].split()
    if verb in SIMPLE:
        return Choice(action, SIMPLE[verb])
    if verb == "take":
        return take(seen, action, CARDS.index(names[0]))
    if verb == "flip":
        return flip(seen, action, int(names[0]) - 1)
    region = REGIONS.index(names[0])
    return in_a_region(seen, action, verb, region, [int(number) for number in names[1:]])


def take(seen: View, action: int, card: int) -> Choice:
    """RT-11: a card from beside the board, or from another player."""
    holder = seen.holder(card)
    source = "" if holder is None else f" from {holder.name}"
    return Choice(action, f"Take the {CARD_WORDS[card]}{source}", card_spot(card))


def flip(seen: View, action: int, slot: int) -> Choice:
    """RT-25: a rat in the plague's region."""
    spot = "" if seen.plague is None else rat_spot(seen.plague.number, slot)
    return Choice(action, f"Flip rat {slot + 1}", spot)


def in_a_region(seen: View, action: int, verb: str, region: int, numbers: list[int]) -> Choice:
    """An action in a region, with a number of cubes or one of its rats."""
    name = seen.regions[region].name
    if verb == "merchant":
        words = f"Move {number_of(numbers[0], 'cube')} out of {name} (Merchant)"
    elif verb in AT_A_RAT:
        return Choice(action, AT_A_RAT[verb].format(numbers[0], name), rat_spot(region, numbers[0] - 1))
    elif verb == "place":
        words = f"Place {number_of(cubes(seen, region), 'cube')} in {name}"
    elif verb == "peasant":
        words = f"Place {number_of(cubes(seen, region) + 1, 'cube')} in {name} (Peasant)"
    else:
        words = IN_A_REGION[verb].format(name)
    return Choice(action, words, region_spot(region))


def cubes(seen: View, region: int) -> int:
    """RT-07, RT-12, RT-62: how many cubes are placed there without the Peasant."""
    assert seen.asked is not None
    if seen.node == "settle":
        return 2
    return min(len(seen.regions[region].rats), seen.asked.stock) if seen.node == "turn" else 0


def card_spot(card: int) -> str:
    """The spot of a class card."""
    return f"card {card}"


def region_spot(region: int) -> str:
    """The spot of a region on the map."""
    return f"region {region}"


def rat_spot(region: int, slot: int) -> str:
    """The spot of a rat on the map."""
    return f"rat {region} {slot}"
