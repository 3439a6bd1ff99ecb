"""What the tests of Rattus Cartus play: configurations, other component tables, the example, and random players."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from rattus_cartus_components import CLASS_OF, POPULATION, RECOMMENDED, SPECIAL_CARDS, copies_of, default_supply

DEFAULTS = {
    "players": 4,
    "buildings": "recommended",
    "fewest_rats_survive": False,
    "supply": "default",
    "vp_tokens": "default",
}

BUILDINGS = list(CLASS_OF)
#: The buildings that are not recommended, so that the players' hands fill with other cards.
THE_OTHERS = "brewery,office,hospital,guard_tower,pied_pipers_hut,treasury"
#: Three cards of the first building of each class, two of the second.
BOTH = ",".join(
    f"{building} {copy}" for building in BUILDINGS for copy in ((1, 3, 5), (4, 2))[BUILDINGS.index(building) % 2]
)
WAYS = {"recommended": "recommended", "random_building": "random_building", "random_cards": "random_cards"}
WAYS["a list"] = BOTH

CONFIGURATIONS = {
    f"{players}-{way}-{survive}": {"players": players, "buildings": WAYS[way], "fewest_rats_survive": survive}
    for players, way, survive in itertools.product((2, 3, 4, 5), WAYS, (False, True))
}


def random_supply(seed: int) -> list[list[int]]:
    """Whatever may be printed on a building card."""
    luck = random.Random(seed)
    return [[luck.randint(0, 9), luck.randint(0, 9), luck.randint(0, 5)] for _ in range(60)]


#: Other component tables: what any supply action or token can drive the game to.
TABLES: dict[str, dict[str, Any]] = {
    "the default tables written out": {
        "players": 3,
        "buildings": RECOMMENDED,
        "supply": default_supply(),
        "vp_tokens": [1] * 20,
    },
    "no supply": {"players": 2, "buildings": BOTH, "supply": [[0, 0, 0]] * 60},
    "no supply, and Guard Towers": {"players": 5, "buildings": THE_OTHERS, "supply": [[0, 0, 0]] * 60},
    "nine cards, few of them ever discarded": {"players": 5, "supply": [[9, 0, 0]] * 60},
    "nine cards, discarded at the Hospital": {"players": 4, "buildings": THE_OTHERS, "supply": [[9, 0, 0]] * 60},
    "nine cards with two players": {"players": 2, "buildings": THE_OTHERS, "supply": [[9, 1, 0]] * 60},
    "nine rats": {"players": 3, "buildings": "random_building", "supply": [[1, 9, 0]] * 60},
    "five looks": {"players": 2, "buildings": "random_cards", "supply": [[2, 0, 5]] * 60},
    "five looks from the second round on": {
        "players": 5,
        "supply": [[5, 0, 5 if copy % 5 else 0] for copy in range(60)],
    },
    "looks after the deck has run out": {
        "players": 5,
        "buildings": "random_cards",
        "supply": [[9, 0, 1 if place == 7 else 0] for place in range(60)],
    },
    "all of everything": {"players": 4, "buildings": "random_cards", "supply": [[9, 9, 5]] * 60},
    "a random supply for two": {"players": 2, "buildings": THE_OTHERS, "supply": random_supply(1)},
    "a random supply for three": {"players": 3, "buildings": "random_cards", "supply": random_supply(2)},
    "a random supply for five": {"players": 5, "buildings": BOTH, "supply": random_supply(3)},
    "tokens of 5": {"players": 3, "vp_tokens": [5] * 20},
    "one token of another value": {"players": 5, "vp_tokens": [1] * 19 + [2]},
    "tokens in any order": {"players": 5, "vp_tokens": [5, 1, 4, 2, 3] * 4},
    "tokens of two values for two": {"players": 2, "buildings": BOTH, "vp_tokens": [4] * 3 + [2] * 17},
    "cards and tokens at random": {
        "players": 4,
        "buildings": "random_building",
        "supply": random_supply(4),
        "vp_tokens": [5, 5, 5, 4, 4, 3] + [1] * 14,
        "fewest_rats_survive": True,
    },
    "unequal buildings": {
        "players": 3,
        "buildings": ",".join(
            [*copies_of("brewery"), "office", "monastery 1", *copies_of("hospital")[1:], *copies_of("guard_tower")]
            + ["fortune_tellers_tent 5", *copies_of("pied_pipers_hut")[:4], "treasury 1", *copies_of("palace")[1:]]
        ),
        "supply": random_supply(5),
    },
}

#: The rulebook's example: its red is here player_1, yellow player_2, green player_3 and blue player_0, who takes Swords
#: in the round before.
BEFORE_THE_EXAMPLE = """
draw peasantry 0; draw peasantry 0; draw peasantry 0; draw peasantry 0; draw peasantry 1
draw church 1; draw royalty 2; draw magic 0; draw magic 3; draw bourgeoisie 4
draw magic 4; draw magic 1; draw church 0; draw chivalry 4; draw chivalry 4
draw royalty 0; draw royalty 0; draw royalty 0; draw royalty 0; draw royalty 4
building castle 5; building farm 2; building palace 4; supply 2; supply 2; supply 2; supply 2
enter 1; done; enter 1; done; enter 1; done; enter 1; done; act; decline; decline; decline
"""
EXAMPLE = """
building fortune_tellers_tent 3; building monastery 1; building monastery 2
supply 2; draw peasantry 2; draw peasantry 2; draw peasantry 3; draw peasantry 3
supply 1; draw church 4; draw church 4; look 5; nun church 4; supply 3; supply 3
enter 2; lay church 1; lay royalty 2; lay magic 0; lay magic 3; done
enter 1; lay magic 4; lay magic 1; lay church 0; done
enter 3; done; enter 3; lay sword; done
act; look 1; nun chivalry 0; look 5
act; give royalty 0; give royalty 4; act; act
"""

ACTIONS = {
    *("pass", "done", "act", "decline"),
    *(f"{verb} {slot}" for verb in ("supply", "enter") for slot in (1, 2, 3)),
    *(f"look {place}" for place in (1, 2, 3, 4, 5)),
    *(f"{verb} player_{seat}" for verb in ("take_from", "rat_to") for seat in range(5)),
    *(f"lay {card}" for card in (*POPULATION, "joker", "sword", "flute")),
    *(f"{verb} {card}" for verb in ("give", "discard") for card in (*POPULATION, "joker", *SPECIAL_CARDS)),
}
OUTCOMES = {
    *(f"choose {building}" for building in BUILDINGS),
    *(f"{verb} {card}" for verb in ("choose", "building") for building in BUILDINGS for card in copies_of(building)),
    *(f"{verb} {card}" for verb in ("draw", "nun") for card in POPULATION),
    *(f"token {value}" for value in (1, 2, 3, 4, 5)),
}


def steps_of(text: str) -> list[str]:
    """The actions and outcomes of a text like the example."""
    return text.strip().replace("\n", "; ").split("; ")


def random_player(seed: int) -> Callable[[Any], str]:
    """Picks one of a node's options, in one of three ways.

    The first is fair. In the second the players like some words better than others: so hands grow or are laid at once,
    players crowd in some buildings, and the deck runs out early, late or never. In the third they also like to act and
    to play special cards, and chance likes the building that came before: so the replacement deck is used up.
    """
    luck, way = random.Random(seed), seed % 3
    liking: dict[str, int] = defaultdict(lambda: luck.choice((1, 1, 1, 20)) if way else 1)
    if way == 2:
        liking |= {"act": 20, "sword": 20, "flute": 20, "pass": 5}
    last_building = ""

    def pick(options: Any) -> str:
        nonlocal last_building
        texts = sorted(options)
        if not isinstance(options, dict):
            weights = [math.prod(liking[word] for word in text.split()) for text in texts]
        elif way == 2 and any(last_building in text.split() for text in texts):
            weights = [options[text] * (200 if last_building in text.split() else 1) for text in texts]
        else:
            weights = [options[text] for text in texts]
        text = luck.choices(texts, weights)[0]
        if text.startswith("building "):
            last_building = text.split()[1]
        return text

    return pick
