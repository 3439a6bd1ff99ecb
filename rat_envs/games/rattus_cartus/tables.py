"""The cards of Rattus Cartus; ``docs/rules/rattus_cartus.md`` says what is printed and what is assumed."""

from __future__ import annotations

#: Classes, and the two buildings of each.
CLASSES = ("peasantry", "bourgeoisie", "church", "chivalry", "magic", "royalty")
BUILDINGS = (
    *("farm", "brewery", "marketplace", "office", "monastery", "hospital"),
    *("castle", "guard_tower", "fortune_tellers_tent", "pied_pipers_hut", "palace", "treasury"),
)
(FARM, BREWERY, MARKETPLACE, OFFICE, MONASTERY, HOSPITAL, CASTLE, GUARD_TOWER, TENT, HUT, PALACE, TREASURY) = range(
    len(BUILDINGS)
)
#: Cards of each building, and building cards in use of each class.
COPIES = 5
BUILDING_CARDS = tuple(f"{building} {copy + 1}" for building in BUILDINGS for copy in range(COPIES))

#: Population cards by class and number of nuns, and how many copies there are for each number.
COPIES_BY_NUNS = (4, 2, 2, 2, 4)
KINDS_OF_CLASS = len(COPIES_BY_NUNS)
POPULATION = tuple(f"{name} {nuns}" for name in CLASSES for nuns in range(KINDS_OF_CLASS))
POPULATION_COPIES = COPIES_BY_NUNS * len(CLASSES)
SPECIALS = ("joker", "sword", "flute", "pass", "gold")
SPECIAL_COPIES = (15, 12, 12, 12, 15)
#: Cards by kind: population cards first.
CARDS = POPULATION + SPECIALS

#: Supply actions by copy: cards to draw, rats to drop, row cards to look at.
SUPPLY_BY_COPY = ((4, 0, 0), (0, 2, 0), (2, 0, 1), (2, 1, 0), (0, 1, 1))
SUPPLY = SUPPLY_BY_COPY * len(BUILDINGS)
#: Values of victory point tokens.
TOKENS = (1,) * 20
LARGEST_TOKEN = 5

#: By number of players: rounds, building cards in the row, replacement cards.
ROUNDS = {2: 10, 3: 9, 4: 8, 5: 8}
ROW = {2: 2, 3: 2, 4: 3, 5: 3}
REPLACEMENTS = {2: 10, 3: 12, 4: 6, 5: 6}
