"""CR-78: the sample is even over all deals that fit what a seat knows, compared with their enumeration."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from comme_des_rats_helpers import samples
from scipy import stats

from rat_envs.engine.position import Position, new_stream
from rat_envs.games.comme_des_rats.components import KINDS, TRAP

#: At most so many different deals, and so many samples for each on average.
DEALS, SAMPLES_EACH = 400, 25

Deal = tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]


def deals_of(rows: np.ndarray, seat: int) -> list[Deal]:
    """What ``seat`` cannot see of tables that it cannot tell apart: the others' stocks, and the cards left in the piles
    from the top."""
    players = int(rows[0].config.players)
    stocks = np.delete(rows["stock"][:, :players], seat, axis=1).tolist()
    piles = [rows["pile"][:, pile, rows[0].drawn[pile] :].tolist() for pile in range(max(players, 3))]
    return [
        (tuple(map(tuple, held)), tuple(map(tuple, lying)))
        for held, lying in zip(stocks, zip(*piles, strict=True), strict=True)
    ]


def deal_of(position: Position, seat: int) -> Deal:
    """The same of one table."""
    return deals_of(position.state.reshape(1), seat)[0]


def arrangements(counts: tuple[int, ...], places: int) -> Iterator[tuple[int, ...]]:
    """All ways to lay cards, given by number of each kind, on places."""
    if places == 0:
        yield ()
        return
    for card in range(KINDS):
        if counts[card]:
            fewer = (*counts[:card], counts[card] - 1, *counts[card + 1 :])
            for rest in arrangements(fewer, places - 1):
                yield (card, *rest)


def fitting_deals(position: Position, seat: int) -> dict[Deal, float]:
    """The chance of every deal that fits what ``seat`` knows, without roles: laid on places, not on kinds.

    An arrangement of the unseen cards on all places counts once for each choice of the guaranteed traps (CR-04): one
    among the traps of every pile, lying beside it or in it. Stocks hold no traps.
    """
    row, players = position.state, position.configuration.players
    others = [other for other in range(players) if other != seat]
    stocks, piles = deal_of(position, seat)
    sure = [row.sure[seat, other].tolist() for other in others]
    free = [sum(stock) - sum(known) for stock, known in zip(stocks, sure, strict=True)]
    unseen = np.sum(stocks, axis=0) - np.sum(sure, axis=0)
    for pile in piles:
        unseen += np.bincount(pile, minlength=KINDS)
    cuts = list(itertools.accumulate([*free, *map(len, piles)]))[:-1]
    weights: dict[Deal, float] = defaultdict(float)
    for laid in arrangements(tuple(unseen.tolist()), int(unseen.sum())):
        parts = [laid[start:end] for start, end in itertools.pairwise([0, *cuts, len(laid)])]
        in_stocks, in_piles = parts[: len(others)], parts[len(others) :]
        if any(TRAP in part for part in in_stocks):
            continue
        weight = 1
        for pile, part in enumerate(in_piles):
            weight *= int(row.traps_beside[pile]) + part.count(TRAP)
        if weight:
            held = tuple(
                tuple(np.add(known, np.bincount(part, minlength=KINDS) if part else 0).tolist())
                for known, part in zip(sure, in_stocks, strict=True)
            )
            weights[held, tuple(in_piles)] += weight
    whole = sum(weights.values())
    return {deal: weight / whole for deal, weight in weights.items()}


def positions_with_few_deals(config: dict[str, Any], number: int) -> Iterator[tuple[Position, int]]:
    """Positions late in a round, with the seat to act, in which a seat can count all deals."""
    luck = new_stream(Position("comme_des_rats", config).game, 20)
    while number:
        position = Position("comme_des_rats", config)
        while not position.is_over and number:
            position.apply(position.sample(luck))
            seat = position.actor
            unseen = sum(map(len, deal_of(position, 0)[1])) if seat >= 0 else 99
            asked = position.legal() if seat >= 0 else []
            if unseen <= 5 and "clover" not in asked and luck.counter % 7 == 0:
                number -= 1
                yield position.copy(), seat


def assert_even(position: Position, seat: int, expected: dict[Deal, float]) -> bool:
    """Chi-squared of many samples against the chances of all deals, rare ones put together; whether there was any."""
    number = SAMPLES_EACH * len(expected)
    seen = Counter(deals_of(samples(position, seat, number, new_stream(position.game, 5)), seat))
    assert not set(seen) - set(expected), "a deal that does not fit"
    observed, wanted = [0.0], [0.0]
    for deal, chance in sorted(expected.items(), key=lambda item: item[1]):
        observed[-1] += seen[deal]
        wanted[-1] += chance * number
        if wanted[-1] >= 10:
            observed.append(0.0)
            wanted.append(0.0)
    observed[-2:], wanted[-2:] = [sum(observed[-2:])], [sum(wanted[-2:])]
    if len(wanted) == 1:
        return False
    assert stats.chisquare(observed, wanted).pvalue > 1e-4
    return True


@pytest.mark.parametrize(
    "config",
    [
        {"players": 3},
        {"players": 2},
        {"players": 3, "doors": [8, 4, 0, 3]},
        {"players": 3, "doors": [5, 2, 8, 0]},
        {"players": 4, "doors": [12, 2, 4, 2]},
    ],
    ids=str,
)
def test_cr78_without_roles_a_sample_is_exactly_even_over_all_deals(config: dict[str, Any]) -> None:
    compared = 0
    for position, seat in positions_with_few_deals(config, 16):
        for observer in {seat, (seat + 1) % position.configuration.players}:
            expected = fitting_deals(position, observer)
            if 1 < len(expected) <= DEALS:
                compared += len(expected) * assert_even(position, observer, expected)
    assert compared > 200


def test_cr04_a_pile_with_an_open_trap_is_sampled_with_fewer_traps() -> None:
    """Piles are not exchangeable: the guaranteed trap of a pile may be the one that lies beside it."""
    position = Position("comme_des_rats", {"players": 3})
    luck = new_stream(position.game, 1)
    while position.actor < 0:
        position.apply(position.sample(luck))
    position.state.drawn[0] = 1
    position.state.pile[0, 0] = TRAP
    position.state.traps_beside[0] = 1
    rows = samples(position, 0, 4000, luck)
    traps = [float((rows["pile"][:, pile, position.state.drawn[pile] :] == TRAP).mean()) for pile in range(3)]
    assert traps[0] < 0.9 * traps[1]
    assert abs(traps[1] - traps[2]) < 0.1 * traps[1]
