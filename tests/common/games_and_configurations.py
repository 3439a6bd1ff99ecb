"""The games and configurations that the shared tests go through: a new game is entered here and nowhere else."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

#: Third-rat cards other than the printed ones.
OTHER_THIRD_RAT = [
    "heal claw steal key2 key1 opponent",
    "claw steal heal key1 key2 opponent",
    "claw heal steal key2 key1 active",
    "steal heal key2 claw key1 active",
    "key2 steal key1 heal claw opponent",
    "claw key1 key2 heal steal active",
]

#: A ring of the regions in another order, with a diagonal for three players.
RING = [
    "italia",
    "tartaria",
    "anglia",
    "scandia",
    "russia",
    "turcia",
    "hungaria",
    "hispania",
    "germania",
    "polonia",
    "bulgaria",
    "gallia",
]
OTHER_MAP = {
    "tiers": {"light": RING[:8], "middle": RING[8:10], "dark": RING[10:]},
    "edges": [[RING[place - 1], RING[place]] for place in range(12)] + [[RING[7], RING[0]], [RING[2], RING[9]]],
}


def other_tokens() -> list[dict[str, Any]]:
    """Tokens with equal faces, high limits, and one class alone."""
    tokens = []
    for number in range(49):
        start = number < 12
        name = f"s{number + 1:02}" if start else f"r{number - 11:02}"
        classes = ["witch"] * (number % 4) + ["king"] * (number % 3 == 0)
        face = {"limit": 1 + number % 9, "m": number % 2, "a": int(not classes), "classes": classes}
        tokens.append({"id": name, "set": "start" if start else "regular", **face})
    return tokens


#: Both buildings of some classes, the Guard Tower and the Hospital among them; much to draw and look at; uneven tokens.
OTHER_BUILDINGS = (
    "brewery,office 1,office 2,marketplace 3,office 4,office 5,hospital,guard_tower,pied_pipers_hut,treasury"
)
OTHER_SUPPLY = [[number % 8, number % 3, number % 6] for number in range(60)]
OTHER_VP = [1 + number % 5 for number in range(20)]

#: Every game in a few configurations that differ much: tests that take their time go through these.
PAIRS: list[tuple[str, dict[str, Any]]] = [
    ("brave_rats", {}),
    ("brave_rats", {"fast": True, "traitor": True}),
    ("brave_rats", {"hands": "random", "draw_pile": True}),
    ("brave_rats", {"hands": "princess_attack", "emperor": True}),
    ("brave_rats", {"hands": "draft", "draw_pile": True, "emperor": True}),
    ("comme_des_rats", {}),
    ("comme_des_rats", {"players": 2, "talk": True, "third_rat": OTHER_THIRD_RAT}),
    ("comme_des_rats", {"players": 3, "roles": True}),
    ("comme_des_rats", {"players": 5, "roles": True, "talk": True, "extra_rounds": 1, "die": [1, 1, 1, 2, 1]}),
    ("rattus", {}),
    ("rattus", {"players": 2, "king_after_plague": False}),
    ("rattus", {"players": 3, "map": OTHER_MAP, "tokens": other_tokens()}),
    ("rattus_cartus", {}),
    ("rattus_cartus", {"players": 2, "buildings": "random_cards"}),
    ("rattus_cartus", {"players": 5, "buildings": OTHER_BUILDINGS, "supply": OTHER_SUPPLY, "vp_tokens": OTHER_VP}),
]


def combined(fixed: dict[str, Any], **values: tuple[Any, ...]) -> list[dict[str, Any]]:
    """Every combination of some options' values."""
    return [{**fixed, **dict(zip(values, each, strict=True))} for each in itertools.product(*values.values())]


YES_OR_NO = (False, True)
#: Every game in each of its configurations that hides something of its own, and with replaced component tables.
EVERY: dict[str, list[dict[str, Any]]] = {
    "brave_rats": combined(
        {},
        hands=("clan", "draft", "random", "princess_attack"),
        traitor=YES_OR_NO,
        draw_pile=YES_OR_NO,
        fast=YES_OR_NO,
        emperor=YES_OR_NO,
    ),
    "comme_des_rats": [
        *combined({}, players=(2, 3, 4, 5), roles=YES_OR_NO, talk=YES_OR_NO),
        {"players": 2, "roles": True, "talk": True, "die": [0, 1, 2, 3, 0], "third_rat": OTHER_THIRD_RAT},
        {"players": 3, "roles": True, "doors": [6, 1, 2, 6], "extra_rounds": 1},
        {"players": 4, "roles": True, "talk": True, "die": [1, 0, 3, 1, 1], "doors": [9, 1, 1, 9], "extra_rounds": 2},
        {"players": 5, "talk": True, "die": [2, 1, 0, 3, 0], "doors": [5, 10, 5, 5], "extra_rounds": 3},
    ],
    "rattus": [
        *combined({}, players=(2, 3, 4), king_after_plague=YES_OR_NO),
        {"players": 2, "tokens": other_tokens()},
        {"players": 3, "map": OTHER_MAP},
        {"players": 4, "map": OTHER_MAP, "tokens": other_tokens(), "king_after_plague": False},
    ],
    "rattus_cartus": [
        *combined(
            {}, players=(2, 3, 4, 5), buildings=("recommended", "random_building", "random_cards", OTHER_BUILDINGS)
        ),
        {"players": 4, "fewest_rats_survive": True, "vp_tokens": OTHER_VP},
        {"players": 3, "buildings": OTHER_BUILDINGS, "supply": OTHER_SUPPLY},
        {"players": 5, "buildings": "random_cards", "supply": OTHER_SUPPLY, "vp_tokens": OTHER_VP},
    ],
}
GAMES = list(EVERY)
#: Of each game the configuration that is entered first, and the last.
FIRST = [next(pair for pair in PAIRS if pair[0] == game) for game in GAMES]
LAST = [next(pair for pair in reversed(PAIRS) if pair[0] == game) for game in GAMES]


def label(game: str, config: dict[str, Any]) -> str:
    """A configuration in a few words: replaced tables by name only."""
    words = [
        name if value is True or isinstance(value, (list, dict)) else f"{name}={value}"
        for name, value in config.items()
        if value is not False
    ]
    return "-".join([game, *words])


def each(pairs: list[tuple[str, dict[str, Any]]]) -> pytest.MarkDecorator:
    """A test goes through these pairs of a game and a configuration, as ``game`` and ``config``."""
    return pytest.mark.parametrize(("game", "config"), pairs, ids=[label(game, config) for game, config in pairs])


each_pair = each(PAIRS)
each_game = pytest.mark.parametrize("game", GAMES)


def choose(masks: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A uniform legal action for each row."""
    return (random.random(masks.shape) * masks).argmax(axis=1)
