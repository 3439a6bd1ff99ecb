"""What holds in every position of Rattus Cartus, of many games at once: assertions about arrays of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from rattus_cartus_components import CLASS_OF, SIZES, SPECIAL_CARDS
from rattus_cartus_helpers import COPIES, KINDS, ONLOOKER

from rat_envs.engine.position import Position

#: Jokers and special cards, and the buildings without which there are none.
JOKERS_AND_SPECIALS = np.array([15, *(number for number, _ in SPECIAL_CARDS.values())])
HOMES = [list(CLASS_OF).index(building) for _, building in SPECIAL_CARDS.values()]


def rows_of(position: Position) -> np.ndarray:
    """The position's row as an array of one."""
    return np.asarray(position.state).reshape(1)


def numbers_of(rows: np.ndarray, *names: str) -> list[np.ndarray]:
    """Fields as whole numbers of any size."""
    return [rows[name].astype(int) for name in names]


def marks(kinds: np.ndarray, wanted: Any) -> np.ndarray:
    """(games, population cards): how many wanted places of ``kinds`` hold each."""
    found = np.zeros((len(kinds), KINDS), int)
    game, place = np.nonzero(wanted & (kinds >= 0))
    np.add.at(found, (game, kinds[game, place]), 1)
    return found


def check_cards(rows: np.ndarray, players: int) -> None:
    """Assert that every card of the box is somewhere, once, and that deck and discard pile follow RC-07."""
    hand, aside, laid, decks = numbers_of(rows, "hand", "aside", "laid", "special_deck")
    pool, sleeping, discarded, nun = numbers_of(rows, "pool", "sleeping", "discarded", "nun")
    assert min(array.min() for array in (hand, aside, laid, decks, pool, sleeping, discarded)) >= 0
    held = (hand + aside + laid).sum(1)
    population = held[:, :KINDS] + pool + sleeping + discarded + marks(nun, True)
    assert (population == COPIES).all()
    in_use = rows["in_use"].astype(int)
    assert set(in_use.sum(1).tolist()) <= set(range(31))
    ready = in_use.sum(1) == 30
    box = np.tile(JOKERS_AND_SPECIALS, (len(rows), 1))
    box[:, 1:] *= in_use.reshape(-1, 12, 5).any(2)[:, HOMES]
    assert (held[:, KINDS:] + decks == box)[ready].all()
    assert (in_use.reshape(-1, 6, 10).sum(2) == 5)[ready].all()
    unseen = (nun < 0).sum(1)
    size, ran_out = rows["deck_size"].astype(int), rows["ran_out"] == 1
    assert (size >= 0).all()
    assert (size == pool.sum(1) - np.where(ran_out, 0, unseen)).all()
    assert (sleeping.sum(1) == np.where(ran_out, unseen, 0)).all()
    assert not discarded[size == 0].any(), "RC-07"
    assert not laid[rows["slot_of"] < 0].any()
    assert (rows["cards_held"] == (hand + aside).sum(2)).all()
    assert (rows["cards_laid"] == laid.sum(2)).all()
    assert not hand[:, players:].any() and not aside[:, players:].any() and not laid[:, players:].any()


def check_buildings(rows: np.ndarray, players: int) -> None:
    """Assert that all thirty building cards are accounted for (RC-08, RC-12)."""
    rounds, size, replacements = SIZES[players]
    unknown, in_use, slot, replacement = numbers_of(rows, "unknown", "in_use", "slot", "replacement")
    played, filled = numbers_of(rows, "rounds_played", "slots_filled")
    known, unknown_replacements = numbers_of(rows, "replacements_known", "replacements_unknown")
    ready = in_use.sum(1) == 30
    assert (unknown <= in_use).all()
    over = played == rounds
    assert (played <= rounds).all()
    seen = played * size + np.where(over, 0, filled) + known
    assert (30 - unknown.sum(1) == seen)[ready].all()
    assert (known + unknown_replacements == replacements).all()
    assert (known >= 0).all() and (unknown_replacements >= 0).all()
    left = unknown.sum(1) - unknown_replacements
    assert (left == (rounds - played) * size - np.where(over, 0, filled))[ready].all(), "the building deck"
    for game in np.flatnonzero(known):
        cards = replacement[game, : known[game]].tolist()
        cards += [] if over[game] else slot[game, : filled[game]].tolist()
        assert len(set(cards)) == len(cards)
        assert in_use[game, cards].all() and not unknown[game, cards].any()


def check_standing(rows: np.ndarray, players: int) -> None:
    """Assert what has to be so of rats, points, and the discs on the tracks (RC-32)."""
    rats, points, tokens, influence, rank = numbers_of(rows, "rats", "points", "tokens", "influence", "rank")
    assert (rats >= 0).all() and not rats[:, players:].any()
    assert (tokens >= 0).all()
    taken = rows["config"]["vp_tokens"].astype(int) - tokens
    assert (taken >= 0).all()
    assert (points.sum(1) == (taken * np.arange(1, 6)).sum(1)).all()
    assert (influence >= 0).all() and not influence[:, :, players:].any()
    together = (influence[:, :, :, None] == influence[:, :, None, :]) & (influence > 0)[:, :, :, None]
    below = together & (rank[:, :, None, :] < rank[:, :, :, None])
    assert (below.sum(3) == rank)[influence > 0].all(), "ranks of discs on one space are 0, 1, …"
    as_high = together & (rank[:, :, None, :] == rank[:, :, :, None])
    assert (as_high.sum(3) == 1)[influence > 0].all(), "and different"


def check_ledgers(rows: np.ndarray, players: int) -> None:
    """Assert that nothing is known that is not so, of every seat and of the onlooker (RC-72 to RC-75)."""
    hand, aside, laid, revealed = numbers_of(rows, "hand", "aside", "laid", "revealed")
    at_least, at_most, fresh, row_most = numbers_of(rows, "at_least", "at_most", "fresh", "row_most")
    pool, sleeping, nun, looked = numbers_of(rows, "pool", "sleeping", "nun", "looked")
    own = hand + aside + laid * (revealed == 0)[:, :, None]
    ran_out = (rows["ran_out"] == 1)[:, None]
    for observer in (*range(players), ONLOOKER):
        others = [seat for seat in range(players) if seat != observer]
        assert (at_least[:, observer, others] >= 0).all()
        assert (at_least[:, observer, others] <= own[:, others]).all()
        assert (own[:, others, KINDS:] <= at_most[:, observer, others]).all()
        assert (at_most[:, observer, others] <= own[:, others].sum(2)[:, :, None]).all(), (
            "lowered to the number of cards"
        )
        others_saw = marks(nun, observer == ONLOOKER or looked >> observer & 1 == 0)
        before, after = pool + others_saw, sleeping + others_saw
        assert (np.where(ran_out, pool, before) <= fresh[:, observer]).all()
        assert (np.where(ran_out, after, before) <= row_most[:, observer]).all()
        assert (np.where(ran_out, 0, fresh[:, observer]) == np.where(ran_out, 0, row_most[:, observer])).all()
        assert (fresh[:, observer] <= COPIES).all() and (row_most[:, observer] <= COPIES).all()
    assert not at_least[:, ONLOOKER, :, :KINDS].any(), "RC-72: of population cards always 0"


def check(rows: np.ndarray, players: int) -> None:
    """Assert all of it."""
    check_cards(rows, players)
    check_buildings(rows, players)
    check_standing(rows, players)
    check_ledgers(rows, players)
