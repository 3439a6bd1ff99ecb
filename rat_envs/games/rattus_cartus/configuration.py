"""The options of Rattus Cartus, and the component tables that a user can replace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration, Option, integer, is_whole_number, switch
from rat_envs.engine.errors import shown
from rat_envs.games.rattus_cartus.tables import (
    BUILDING_CARDS,
    BUILDINGS,
    CLASSES,
    COPIES,
    LARGEST_TOKEN,
    SUPPLY,
    TOKENS,
)

DEFAULT = "default"
#: Ways to choose buildings, besides a list.
WAYS = ("recommended", "random_building", "random_cards")
BY_BUILDING, BY_CARD = -1, -2
CHANCE_CHOOSES = {"random_building": BY_BUILDING, "random_cards": BY_CARD}
#: Columns of a supply action.
DRAW, DROP, LOOK = range(3)
LARGEST_SUPPLY = (9, 9, 5)


def cards_of(item: str) -> tuple[str, ...]:
    """The building cards that an item of a list names; empty if it names none."""
    if item in BUILDINGS:
        return tuple(card for card in BUILDING_CARDS if card.rpartition(" ")[0] == item)
    return (item,) if item in BUILDING_CARDS else ()


class Buildings(Option):
    """How the thirty building cards are chosen; stored as the cards in use.

    If chance chooses, every entry says how: ``BY_BUILDING`` or ``BY_CARD``.
    """

    dtype = np.dtype(("i1", (len(BUILDING_CARDS),)))

    def values(self) -> str:
        return f'{", ".join(WAYS)}, or a text of buildings and building cards: "farm, office 1, office 3, …"'

    def check(self, value: Any) -> str | None:
        if not isinstance(value, str):
            return f"one of {', '.join(WAYS)}, or a text of buildings parted by commas"
        return None if value in WAYS else check_list(value)

    def encode(self, value: Any) -> Any:
        if value in CHANCE_CHOOSES:
            return (CHANCE_CHOOSES[value],) * len(BUILDING_CARDS)
        items = BUILDINGS[::2] if value == WAYS[0] else [item.strip() for item in value.split(",")]
        chosen = {card for item in items for card in cards_of(item)}
        return [card in chosen for card in BUILDING_CARDS]


def check_list(value: str) -> str | None:
    """RC-02: exactly five cards a class, none twice."""
    chosen: list[str] = []
    for item in (part.strip() for part in value.split(",")):
        if not cards_of(item):
            return (
                f'one of {", ".join(WAYS)}, or a text of buildings ("farm") and cards ("farm 3"); {shown(item)} is none'
            )
        chosen.extend(cards_of(item))
    for card in chosen:
        if chosen.count(card) > 1:
            return f"a text in which no card occurs twice; {card} does"
    for number, name in enumerate(CLASSES):
        first = number * 2 * COPIES
        of_class = sum(card in BUILDING_CARDS[first : first + 2 * COPIES] for card in chosen)
        if of_class != COPIES:
            return f"a text with {COPIES} cards of each class; there are {of_class} of {name}"
    return None


class Supply(Option):
    """The supply action of every building card."""

    dtype = np.dtype(("i1", (len(BUILDING_CARDS), len(LARGEST_SUPPLY))))

    def values(self) -> str:
        return f'"default", or {len(BUILDING_CARDS)} triples [draw, drop, look], five for each building in order'

    def check(self, value: Any) -> str | None:
        if value == DEFAULT:
            return None
        if not isinstance(value, tuple) or len(value) != len(BUILDING_CARDS):
            return f'"default" or a list of {len(BUILDING_CARDS)} triples [draw, drop, look]'
        for card, triple in zip(BUILDING_CARDS, value, strict=True):
            right = isinstance(triple, tuple) and len(triple) == len(LARGEST_SUPPLY)
            if not right or not all(map(is_whole_number, triple, (0, 0, 0), LARGEST_SUPPLY)):
                return f"a list in which {card} has three numbers, to draw 0–9, to drop 0–9, to look at 0–5"
        return None

    def encode(self, value: Any) -> Any:
        return SUPPLY if value == DEFAULT else value


class Tokens(Option):
    """The values of the victory point tokens; stored as how many there are of each value from 1."""

    dtype = np.dtype(("i1", (LARGEST_TOKEN,)))

    def values(self) -> str:
        return f'"default" (all 1), or {len(TOKENS)} values from 1 to {LARGEST_TOKEN}'

    def check(self, value: Any) -> str | None:
        if value == DEFAULT:
            return None
        right = isinstance(value, tuple) and len(value) == len(TOKENS)
        if right and all(is_whole_number(each, 1, LARGEST_TOKEN) for each in value):
            return None
        return f'"default" or a list of {len(TOKENS)} whole numbers from 1 to {LARGEST_TOKEN}'

    def encode(self, value: Any) -> Any:
        values = list(TOKENS if value == DEFAULT else value)
        return [values.count(points + 1) for points in range(LARGEST_TOKEN)]


@dataclass(frozen=True)
class RattusCartusConfiguration(Configuration):
    """Players, buildings, one variant, and the components."""

    players: int = integer(4, 2, 5, "how many play", "RC-01")
    buildings: str = Buildings("recommended", "which thirty building cards are used", "RC-02").declare()
    fewest_rats_survive: bool = switch(False, "if all are dead, those with the fewest rats are not", "RC-67")
    supply: Any = Supply(DEFAULT, "supply actions of the building cards", "components").declare()  # noqa: RUF009
    vp_tokens: Any = Tokens(DEFAULT, "values of the victory point tokens", "components").declare()  # noqa: RUF009

    def hidden_information(self) -> str | None:
        return "hands and the nun-row are hidden"
