"""What is in the box of Rattus Cartus, as the specification's tables have it, and a player's share of it."""

from __future__ import annotations

from collections import Counter

#: The class of each building, in the order of the specification's table.
CLASS_OF = {
    "farm": "peasantry",
    "brewery": "peasantry",
    "marketplace": "bourgeoisie",
    "office": "bourgeoisie",
    "monastery": "church",
    "hospital": "church",
    "castle": "chivalry",
    "guard_tower": "chivalry",
    "fortune_tellers_tent": "magic",
    "pied_pipers_hut": "magic",
    "palace": "royalty",
    "treasury": "royalty",
}
CLASSES = list(dict.fromkeys(CLASS_OF.values()))
RECOMMENDED = "farm,marketplace,monastery,castle,fortune_tellers_tent,palace"

#: Copies of each population card, in every class, by its nuns.
COPIES = (4, 2, 2, 2, 4)
POPULATION = {f"{each} {nuns}": copies for each in CLASSES for nuns, copies in enumerate(COPIES)}

#: The other cards: how many there are, and the building without which they stay in the box.
JOKERS = 15
SPECIAL_CARDS = {
    "sword": (12, "castle"),
    "flute": (12, "pied_pipers_hut"),
    "pass": (12, "office"),
    "gold": (15, "treasury"),
}
CARD_TAKEN_AT = {"marketplace": "joker"} | {building: card for card, (_, building) in SPECIAL_CARDS.items()}

#: Cards to draw, rats to drop, row cards to look at, by the copy of any building.
SUPPLY = ([4, 0, 0], [0, 2, 0], [2, 0, 1], [2, 1, 0], [0, 1, 1])

#: Rounds, building cards in the row, cards of the replacement deck, by the number of players.
SIZES = {2: (10, 2, 10), 3: (9, 2, 12), 4: (8, 3, 6), 5: (8, 3, 6)}

PLACES = (1, 2, 3, 4, 5)

Cards = Counter[str]


def default_supply() -> list[list[int]]:
    """The specification's supply actions, written as replaced ones."""
    return [list(triple) for _ in CLASS_OF for triple in SUPPLY]


class Player:
    """A seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.name = f"player_{seat}"
        self.rats = 10  # RC-04
        self.hand: Cards = Counter()
        self.aside: Cards = Counter()  # chosen to be given, not yet handed over (RC-37)
        self.laid: Cards = Counter()
        self.recruits = 0  # the population cards and jokers laid this round
        self.tokens: list[int] = []
        self.influence = dict.fromkeys(CLASSES, 0)
        self.arrived = dict.fromkeys(CLASSES, 0)  # when the disc came to its space

    def drop_rats(self, number: int) -> None:
        """RC-04."""
        self.rats -= min(number, self.rats)


def name_of(card: str) -> str:
    """The building on a building card."""
    return card.split()[0]


def copies_of(building: str) -> list[str]:
    """The five cards of a building."""
    return [f"{building} {copy}" for copy in (1, 2, 3, 4, 5)]


def followers(cards: Cards) -> int:
    """Population cards and jokers."""
    return sum(number for card, number in cards.items() if card in POPULATION or card == "joker")


def held(cards: Cards) -> list[str]:
    """The kinds of which there is a card."""
    return [card for card, number in cards.items() if number]


def seats_with(number: int, numbers: list[int]) -> list[int]:
    """The seats that have this number; none if it is 0."""
    return [seat for seat, each in enumerate(numbers) if each == number and each]
