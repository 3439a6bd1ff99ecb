"""Short words for the tests of BraveRats: hands by name, rounds, and what a seat sees."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.games.brave_rats.components import CARDS

GAME = get_game("brave_rats")
HANDS = ("clan", "draft", "random", "princess_attack")
SWITCHES = ("traitor", "draw_pile", "fast", "emperor")
CONFIGURATIONS = [
    {"hands": hands, **dict(zip(SWITCHES, switches, strict=True))}
    for hands in HANDS
    for switches in itertools.product((False, True), repeat=len(SWITCHES))
]

#: Every rule that is about one player and the other is checked from both sides.
both_seats = pytest.mark.parametrize("seat", [0, 1], ids=("player_0", "player_1"))


def start(**config: Any) -> Position:
    """A new game."""
    return Position("brave_rats", config)


def start_with(hand_0: str, hand_1: str, **config: Any) -> Position:
    """A game before its first round, with these cards in hand ("prince spy") instead of a clan each."""
    position = start(**config)
    for seat, hand in enumerate((hand_0, hand_1)):
        position.state.hand[seat] = counts(hand)
    return position


def counts(cards: str) -> list[int]:
    """Cards by name as the row holds them."""
    held = Counter(cards.split())
    assert held.keys() <= set(CARDS)
    return [held[card] for card in CARDS]


def names(numbers: Iterable[int]) -> str:
    """The inverse of ``counts``: names in order of value, a card once for each copy."""
    return " ".join(card for card, copies in zip(CARDS, numbers, strict=True) for _ in range(copies))


def apply_all(position: Position, texts: Iterable[str]) -> None:
    """Apply one text after another."""
    for text in texts:
        position.apply(text)


def play_round(position: Position, card_0: str, card_1: str) -> None:
    """One round, whoever has to reveal first."""
    for _ in range(2):
        position.apply(f"play {(card_0, card_1)[position.actor]}")


def play_as(position: Position, seat: int, own: str, other: str) -> None:
    """One round in which ``seat`` plays ``own`` and the opponent ``other``."""
    play_round(position, *((own, other) if seat == 0 else (other, own)))


def rounds_won(position: Position, seat: int = 0) -> tuple[int, int]:
    """Rounds won by ``seat`` and by its opponent."""
    won = position.state.rounds_won
    return int(won[seat]), int(won[1 - seat])


def on_hold(position: Position, seat: int = 0) -> tuple[int, int]:
    """What the rounds on hold are worth to ``seat`` and to its opponent."""
    held = position.state.rounds_on_hold
    return int(held[seat]), int(held[1 - seat])


def hand(position: Position, seat: int) -> str:
    """The cards in hand."""
    return names(position.state.hand[seat])


def pile(position: Position, seat: int) -> str:
    """The cards in the draw pile."""
    return names(position.state.pile[seat])


def view(position: Position, seat: int) -> Any:
    """What ``seat`` observes, as a record."""
    return position.observe(seat)[0]


def stream(seed: int) -> Any:
    """A random stream for play and determinization."""
    return new_stream(GAME, seed)


def assert_fair(seen: Mapping[Hashable, int], weights: Mapping[Hashable, float]) -> None:
    """Pearson's chi-squared test at a level of about one in ten thousand (quantile after Wilson and Hilferty)."""
    assert seen.keys() <= weights.keys(), "something impossible was drawn"
    draws, total = sum(seen.values()), sum(weights.values())
    expected = {outcome: draws * weight / total for outcome, weight in weights.items()}
    assert min(expected.values()) >= 5, "too few draws for this test"
    statistic = sum((seen.get(outcome, 0) - mean) ** 2 / mean for outcome, mean in expected.items())
    freedom = len(weights) - 1
    spread = 2 / (9 * freedom)
    assert statistic < freedom * (1 - spread + 3.72 * math.sqrt(spread)) ** 3


def choices_by_copies(cards: str, number: int) -> Counter[str]:
    """Every set of ``number`` cards out of ``cards``, weighted by the ways to draw it."""
    return Counter(names(counts(" ".join(chosen))) for chosen in itertools.combinations(cards.split(), number))


def state_bytes(position: Position) -> bytes:
    """Everything there is."""
    return np.asarray(position.state).tobytes()
