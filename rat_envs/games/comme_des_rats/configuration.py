"""The options of Comme des Rats, and the component tables that a user can replace."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rat_envs.engine.configuration import Configuration, Option, integer, is_whole_number, switch

#: Notation of faces, door cards and role cards, by number.
FACES = ("key1", "key2", "steal", "claw", "heal")
CARDS = ("trap", "cheese1", "cheese2", "clover")
ROLES = ("manipulator", "al_ratone", "hypnotist", "fool", "alchemist")
DECIDERS = ("active", "opponent")

FACES_OF_A_DIE = 6
PILE_SIZE = 5
THIRD_RAT_CARDS = 6

#: Door cards in use by number of players, in the order of ``CARDS`` (CR-02).
DOORS = {2: (5, 4, 3, 3), 3: (5, 4, 3, 3), 4: (6, 6, 4, 4), 5: (8, 7, 5, 5)}
#: The third rat's cards: faces in order of preference, then who decides for it (CR-62, CR-63).
THIRD_RAT = (
    "key2 key1 steal claw heal active",
    "key1 steal key2 claw heal opponent",
    "steal claw key2 key1 heal active",
    "claw key2 steal heal key1 opponent",
    "key2 claw heal key1 steal opponent",
    "heal key1 claw steal key2 active",
)


def piles_for(players: int) -> int:
    """CR-02: as many piles as players, three with two players."""
    return max(players, 3)


def are_numbers(value: Any, number: int) -> bool:
    """Whether ``value`` is ``number`` whole numbers, none below 0."""
    right = isinstance(value, tuple) and len(value) == number
    return right and all(is_whole_number(each, 0, math.inf) for each in value)


class Die(Option):
    """How many faces of a die show each symbol."""

    dtype = np.dtype(("i1", (len(FACES),)))

    def values(self) -> str:
        return f"{len(FACES)} numbers, the faces that show {', '.join(FACES)}; sum {FACES_OF_A_DIE}, at least one key"

    def check(self, value: Any) -> str | None:
        if are_numbers(value, len(FACES)) and sum(value) == FACES_OF_A_DIE and value[0] + value[1] > 0:
            return None
        faces = f"{len(FACES)} whole numbers from 0, the faces that show {', '.join(FACES)}"
        return f"{faces}, with the sum {FACES_OF_A_DIE} and at least one key"

    def encode(self, value: Any) -> Any:
        return value


class Doors(Option):
    """How many door cards of each kind are in use; None for the printed number."""

    dtype = np.dtype(("i1", (len(CARDS),)))

    def values(self) -> str:
        return f"null, or {len(CARDS)} numbers: {', '.join(CARDS)}; sum 5 × piles, a trap a pile or more"

    def check(self, value: Any) -> str | None:
        right = value is None or are_numbers(value, len(CARDS))
        return None if right else f"null, or {len(CARDS)} whole numbers from 0: {', '.join(CARDS)}"

    def encode(self, value: Any) -> Any:
        return (0,) * len(CARDS) if value is None else value


class ThirdRat(Option):
    """The third rat's cards: for each, the rank of every face (0 is kept first) and who decides."""

    dtype = np.dtype(("i1", (THIRD_RAT_CARDS, len(FACES) + 1)))

    def values(self) -> str:
        return f"{THIRD_RAT_CARDS} texts: the faces in order of preference, then {' or '.join(DECIDERS)}"

    def check(self, value: Any) -> str | None:
        if isinstance(value, tuple) and len(value) == THIRD_RAT_CARDS and all(map(self.is_card, value)):
            return None
        faces = f"{THIRD_RAT_CARDS} texts, each with the faces {', '.join(FACES)} in order of preference"
        return f"{faces}, then {' or '.join(DECIDERS)}, as in {THIRD_RAT[0]!r}"

    @staticmethod
    def is_card(text: Any) -> bool:
        """Whether ``text`` ranks every face once and names who decides."""
        words = text.split() if isinstance(text, str) else []
        return sorted(words[:-1]) == sorted(FACES) and words[-1] in DECIDERS

    def encode(self, value: Any) -> Any:
        cards = [text.split() for text in value]
        return [[*(words.index(face) for face in FACES), DECIDERS.index(words[-1])] for words in cards]


@dataclass(frozen=True)
class CommeDesRatsConfiguration(Configuration):
    """Players, the advanced rules, and the components."""

    players: int = integer(4, 2, 5, "how many play; two play with a third rat", "CR-02, CR-60")
    roles: bool = switch(False, "the advanced rules: a secret role for each seat in each round", "CR-50 to CR-56")
    talk: bool = switch(False, "statements that bind nobody, before the partner is chosen", "CR-40, CR-41")
    extra_rounds: int = integer(0, 0, 3, "rounds that may be added to break a tie", "CR-32")
    die: tuple[int, ...] = Die((1, 1, 2, 1, 1), "faces of a die that show each symbol", "components").declare()
    doors: tuple[int, ...] | None = Doors(
        None, "door cards in use; null for those assumed for the number of players", "components"
    ).declare()
    third_rat: tuple[str, ...] = ThirdRat(THIRD_RAT, "the third rat's cards (two players)", "CR-62, CR-63").declare()

    def conflict(self) -> tuple[str, str | None]:
        piles = piles_for(self.players)
        cards = self.doors_in_use
        if sum(cards) == PILE_SIZE * piles and cards[0] >= piles:
            return "doors", None
        number = f"{PILE_SIZE * piles} cards in all, {piles} traps or more among them"
        return "doors", f"{number}, for the {piles} piles of {self.players} players"

    @property
    def doors_in_use(self) -> tuple[int, ...]:
        """Door cards of each kind (CR-02)."""
        return DOORS[self.players] if self.doors is None else self.doors

    def write(self, out: Any) -> None:
        super().write(out)
        out["doors"] = self.doors_in_use

    def hidden_information(self) -> str | None:
        return "the stocks and the cards in the piles are hidden"
