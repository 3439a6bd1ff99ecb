"""CR-78 with roles: how far the sample is from the enumeration of who is the Fool and where his traps come from.

A Fool's trap that is stolen is shown, so every theft from him that showed none speaks for fewer traps in his stock.
The sample leaves this out, and nothing else: without thefts it is exact, with thefts it is close.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from math import comb
from typing import Any, NamedTuple

import numpy as np
import pytest
from comme_des_rats_helpers import samples

from rat_envs.engine.position import Position, new_stream
from rat_envs.games.comme_des_rats.components import FOOL, LOSE, MANIPULATOR, NONE, TRAP

SAMPLES = 1500

#: Who is the Fool, the traps he drew from each pile, and the traps that lie in each pile.
Fact = tuple[int, tuple[int, ...], tuple[int, ...]]


class Event(NamedTuple):
    """A card that a seat stored from a pile, or one of so many that was stolen from it."""

    seat: int
    pile: int
    size: int


def facts_of(rows: np.ndarray) -> list[Fact]:
    """The fact that is compared, of tables in which as many cards have been drawn from every pile."""
    players = int(rows[0].config.players)
    is_fool = rows["role"][:, :players] == FOOL
    fools = np.where(is_fool.any(axis=1), is_fool.argmax(axis=1), NONE).tolist()
    drew = rows["fool_drew"][:, :players].tolist()
    lying = [(rows["pile"][:, pile, rows[0].drawn[pile] :] == TRAP).sum(axis=1).tolist() for pile in range(players)]
    return list(zip(fools, map(tuple, drew), zip(*lying, strict=True), strict=True))


def trap_draws(events: list[Event], seat: int) -> Iterator[tuple[list[Event], float]]:
    """Which of the cards a seat stored may have been traps, with the chance that no theft has shown one."""
    own = [event for event in events if event.seat == seat]
    draws = [number for number, event in enumerate(own) if event.pile != NONE]
    for number in range(len(draws) + 1):
        for chosen in itertools.combinations(draws, number):
            chance, traps = 1.0, 0
            for place, event in enumerate(own):
                traps += place in chosen
                if event.pile == NONE:
                    chance *= 1 - traps / event.size
            yield [own[place] for place in chosen], chance


def exact_chances(position: Position, seat: int, events: list[Event]) -> dict[Fact, float]:
    """The chance of every fact, given all that ``seat`` has seen happen in the round."""
    row, players = position.state, position.configuration.players
    left = [5 - int(row.drawn[pile]) for pile in range(players)]
    traps = position.configuration.doors_in_use[TRAP] - int(row.traps_beside[:players].sum())
    unshown = [other for other in range(players) if other != seat and not row.role_shown[other]]
    shown = {int(row.role[other]) for other in range(players) if row.role_shown[other]}
    pool = 5 - len(shown | {int(row.role[seat]), MANIPULATOR})
    weights: dict[Fact, float] = defaultdict(float)

    def add(fool: int, drew: tuple[int, ...], chance: float) -> None:
        for lying in itertools.product(*(range(places + 1) for places in left)):
            if sum(lying) + sum(drew) == traps:
                weight = chance
                for pile in range(players):
                    dealt = int(row.traps_beside[pile]) + lying[pile] + drew[pile]
                    weight *= comb(left[pile], lying[pile]) * dealt
                weights[fool, drew, lying] += weight

    add(NONE, (0,) * players, pool - len(unshown))
    for other in unshown:
        if not row.trap_shown[other]:
            for chosen, chance in trap_draws(events, other):
                drew = tuple(sum(event.pile == pile for event in chosen) for pile in range(players))
                add(other, drew, chance)
    whole = sum(weights.values())
    return {fact: weight / whole for fact, weight in weights.items() if weight}


def positions(config: dict[str, Any], number: int) -> Iterator[tuple[Position, int, list[Event]]]:
    """Positions of first rounds: the seat to act is neither Fool nor Manipulator, and no Fool has shown himself."""
    luck = new_stream(Position("comme_des_rats", config).game, 11)
    while number:
        position, events = Position("comme_des_rats", config), []
        while not position.is_over and position.state.rounds_played == 0 and number:
            row = position.state
            before, robbed, lost = row.stored_from.copy(), int(row.robbed), row.phase == LOSE
            size = int(row.stock[robbed].sum()) if lost else 0
            position.apply(position.sample(luck))
            if lost:
                events.append(Event(robbed, NONE, size))
            for seat, pile in itertools.product(range(position.configuration.players), repeat=2):
                stored = int(row.stored_from[seat, pile] - before[seat, pile])
                events += [Event(seat, pile, 0)] * max(stored, 0)
            seat = position.actor
            if seat < 0 or len(events) < 4 or row.discard.any() or row.role[seat] in (FOOL, MANIPULATOR):
                continue
            if position.legal()[0] in ("keep_dice", "pile 1") and luck.counter % 5 == 0:
                number -= 1
                yield position.copy(), seat, list(events)


def distance(position: Position, seat: int, expected: dict[Fact, float]) -> float:
    """Half the sum of all differences between the frequencies of samples and the chances."""
    seen = Counter(facts_of(samples(position, seat, SAMPLES, new_stream(position.game, 3))))
    facts = set(seen) | set(expected)
    return sum(abs(seen[fact] / SAMPLES - expected.get(fact, 0.0)) for fact in facts) / 2


@pytest.mark.parametrize("config", [{"players": 3, "roles": True}, {"players": 4, "roles": True}], ids=str)
def test_cr78_with_roles_a_sample_is_close_to_the_enumeration(config: dict[str, Any]) -> None:
    quiet, robbed = [], []
    for position, seat, events in positions(config, 60):
        expected = exact_chances(position, seat, events)
        if 1 < len(expected) < 400:
            # What sampling alone brings about, on average: the mean absolute deviation of a binomial share.
            luck = sum((2 * p * (1 - p) / (3.14159 * SAMPLES)) ** 0.5 for p in expected.values()) / 2
            thefts = any(event.pile == NONE for event in events)
            (robbed if thefts else quiet).append(distance(position, seat, expected) - luck)
    assert len(quiet) >= 3 and max(quiet) < 0.03, "exact while nothing has been stolen"
    assert len(robbed) >= 10
    assert sum(robbed) / len(robbed) < 0.12
    assert max(robbed) < 0.6
    print(f"{config}: beyond luck {max(quiet):.3f} at most in {len(quiet)} positions without theft;", end=" ")
    print(f"with thefts mean {sum(robbed) / len(robbed):.3f}, at most {max(robbed):.3f} in {len(robbed)}")
