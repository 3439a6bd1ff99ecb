"""Short words for the tests of Rattus's texts: games by hand, random games, and what a seat is told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from games_and_configurations import OTHER_MAP, other_tokens

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.story import story, witness

EVERY_PAIR = {
    "tiers": OTHER_MAP["tiers"],
    "edges": [
        list(pair)
        for pair in itertools.combinations([name for names in OTHER_MAP["tiers"].values() for name in names], 2)
    ],
}
#: Tokens with all symbols that can be printed on one.
FULL_TOKENS = [token | {"m": 3, "a": 3, "classes": ["peasant", "monk", "king"] * 3} for token in other_tokens()]

CONFIGURATIONS: list[dict[str, Any]] = [
    *({"players": players, "king_after_plague": king} for players in (2, 3, 4) for king in (True, False)),
    {"players": 3, "map": OTHER_MAP, "tokens": other_tokens()},
    {"players": 4, "map": EVERY_PAIR, "tokens": FULL_TOKENS},
]
NAMES = [f"{c['players']}-{'-'.join(key for key in c if key != 'players' and c[key])}" for c in CONFIGURATIONS]

#: The set-up of a game for four, and for two.
SET_UP = (
    "plague scandia; place tartaria; place turcia; place bulgaria; place gallia; "
    "place tartaria; place bulgaria; place turcia; place tartaria"
)
SET_UP_OF_TWO = "plague scandia; place gallia; place italia; place italia; place gallia"


def played(steps: str, **config: Any) -> Position:
    """A game after these steps."""
    position = Position("rattus", config)
    for step in steps.split("; "):
        position.apply(step)
    return position


def random_play(config: dict[str, Any], seed: int = 0) -> Iterator[Position]:
    """Every position of a random game after the first, the last included."""
    position = Position("rattus", config)
    stream = new_stream(position.game, seed)
    while not position.is_over:
        position.apply(position.sample(stream))
        yield position


def points_of_view(config: dict[str, Any]) -> tuple[int | None, ...]:
    """All seats, and a spectator."""
    return (*range(config["players"]), None)


def told(position: Position, seat: int | None, steps: str) -> str:
    """What a seat, or a spectator, is told of these steps, which are made."""
    return " ".join(story([witness(position, step) for step in steps.split("; ")], seat))
