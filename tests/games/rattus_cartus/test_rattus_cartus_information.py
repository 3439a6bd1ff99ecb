"""Who knows what (RC-70 to RC-72), and the deals that a seat holds for possible (RC-76, RC-77)."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from rattus_cartus_checks import check
from rattus_cartus_games import BOTH
from rattus_cartus_helpers import GAME, KINDS, ONLOOKER, stream

from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.program import program
from rat_envs.games.rattus_cartus.components import SEATS

GAMES = 48 if compiling() else 2
#: Steps before the first moment, and from each moment to the next.
STEPS = (5, 18, 18, 17, 19, 26)
each_number = pytest.mark.parametrize("players", [2, 3, 4, 5])


@functools.cache
def positions(players: int) -> tuple[np.ndarray, ...]:
    """Rows of games of random play at several moments, most of them in phases C and D."""
    config = {"players": players, "buildings": BOTH, "supply": [[4, 1, 1], [2, 0, 2], [6, 2, 0]] * 20}
    batch, moments = Batch("rattus_cartus", GAMES, config, seed=11), []
    for steps in STEPS:
        for _ in range(steps):
            batch.step_random()
        moments.append(batch.states.copy())
    return tuple(moments)


def observed(rows: np.ndarray, seat: int) -> np.ndarray:
    """What ``seat`` knows in each row."""
    out = np.zeros(len(rows), GAME.observation)
    for row, record in zip(rows, out, strict=True):
        program(GAME).observe_whole(row, seat, record)
    return out


def masks(rows: np.ndarray, seat: int) -> list[bytes]:
    """The legal actions where ``seat`` is to act."""
    found = []
    for row in rows[rows["actor"] == seat]:
        mask = np.zeros(len(GAME.actions), np.int8)
        program(GAME).legal(row, mask)
        found.append(mask.tobytes())
    return found


def resampled(rows: np.ndarray, seat: int, seed: int) -> np.ndarray:
    """The rows with everything dealt anew that ``seat`` cannot know, each from the same random numbers."""
    copies = rows.copy()
    for row in copies:
        program(GAME).determinize(row, seat, stream(seed))
    return copies


def by_place(values: np.ndarray, seat: int, players: int, axis: int) -> np.ndarray:
    """A table by seat, as ``seat`` counts them; places without a seat are 0."""
    turned = np.zeros_like(values)
    order = [(seat + place) % players for place in range(players)]
    np.moveaxis(turned, axis, 0)[:players] = np.moveaxis(values, axis, 0)[order]
    return turned


@each_number
def test_rc70_what_is_public_is_seen_by_all_counted_from_oneself(players: int) -> None:
    for rows in positions(players):
        for seat in range(players):
            seen = observed(rows, seat)
            for field, name in (("rats", "rats"), ("points", "token_points"), ("played", "played")):
                assert (seen[name] == by_place(rows[field], seat, players, 1)).all()
            assert (seen["influence"] == by_place(rows["influence"], seat, players, 2)).all()
            assert (seen["discs_below"] == by_place(rows["rank"], seat, players, 2)).all()
            held = (rows["hand"] + rows["aside"]).sum(2, dtype=np.int8)
            assert (seen["cards_held"] == by_place(held, seat, players, 1)).all()
            laid = rows["laid"].sum(2, dtype=np.int8)
            assert (seen["cards_laid"] == by_place(laid, seat, players, 1)).all()
            revealed = rows["laid"] * rows["revealed"][:, :, None]
            assert (seen["revealed"] == by_place(revealed, seat, players, 1)).all()
            for field, name in (("special_deck", "special_decks"), ("discarded", "discard_pile")):
                assert (seen[name] == rows[field]).all()
            for name in ("deck_size", "ran_out", "rounds_played", "in_use", "replacements_unknown"):
                assert (seen[name] == rows[name]).all()
            assert (seen["unknown_buildings"] == rows["unknown"]).all()


@each_number
def test_rc71_nobody_sees_what_it_cannot_know(players: int) -> None:
    """Another deal of all that changes no byte of what a seat sees or may do."""
    for rows in positions(players):
        for seat in range(players):
            others = resampled(rows, seat, seed=7)
            assert observed(others, seat).tobytes() == observed(rows, seat).tobytes()
            assert masks(others, seat) == masks(rows, seat)
            assert (others["hand"] != rows["hand"]).any()


@each_number
def test_rc71_a_seat_sees_its_own_cards_and_the_row_cards_it_has_looked_at(players: int) -> None:
    for rows in positions(players):
        for seat in range(players):
            seen = observed(rows, seat)
            for name in ("hand", "laid", "aside"):
                assert (seen[name] == rows[name][:, seat]).all()
            looked = (rows["looked"] >> seat) & 1
            assert (seen["nuns"].sum(2) == 2 * looked).all()
            game, place = np.nonzero(looked)
            nuns = rows["nun"][game, place]
            assert seen["nuns"][game, place, nuns // 5].all()
            assert seen["nuns"][game, place, 6 + nuns % 5].all()


@each_number
def test_rc72_a_seat_sees_its_own_certain_knowledge_and_an_onlookers(players: int) -> None:
    for rows in positions(players):
        for seat in range(players):
            seen = observed(rows, seat)
            own = by_place(rows["at_least"][:, seat], seat, players, 1)
            assert (seen["at_least"] == own[:, 1:]).all()
            assert (seen["at_most"] == by_place(rows["at_most"][:, seat], seat, players, 1)[:, 1:]).all()
            assert not rows["at_least"][:, ONLOOKER, :, :KINDS].any()
            onlooker = by_place(rows["at_least"][:, ONLOOKER, :, KINDS:], seat, players, 1)
            assert (seen["public_at_least"] == onlooker).all()
            for name in ("fresh", "row_most"):
                assert (seen[name] == rows[name][:, seat]).all()
                assert (seen[f"public_{name}"] == rows[name][:, ONLOOKER]).all()


@each_number
def test_rc76_numbers_stay_and_everything_that_is_sure_holds(players: int) -> None:
    for rows in positions(players):
        for seat in range(players):
            others = resampled(rows, seat, seed=3)
            check(others, players)
            for name in ("hand", "laid", "aside"):
                assert (others[name].sum(2) == rows[name].sum(2)).all()
            assert (others["deck_size"] == rows["deck_size"]).all()
            held = others["hand"] + others["aside"] + others["laid"] * (1 - others["revealed"][:, :, None])
            assert (held >= rows["at_least"][:, seat])[:, np.arange(SEATS) != seat].all()


@each_number
def test_rc76_tables_that_look_alike_come_out_alike(players: int) -> None:
    for rows in positions(players):
        for seat in range(players):
            other_tables = resampled(rows, seat, seed=5)
            assert resampled(other_tables, seat, seed=6).tobytes() == resampled(rows, seat, seed=6).tobytes()


@each_number
def test_rc77_the_others_know_what_an_onlooker_does_and_the_row_cards_they_have_seen(players: int) -> None:
    for rows in positions(players):
        others = resampled(rows, 0, seed=9)
        for seat in range(1, players):
            owners = [owner for owner in range(players) if owner != seat]
            for name in ("at_least", "at_most"):
                assert (others[name][:, seat, owners] == rows[name][:, ONLOOKER, owners]).all()
            seen = np.zeros((len(rows), KINDS), np.int8)
            game, place = np.nonzero((rows["looked"] >> seat) & 1)
            np.add.at(seen, (game, others["nun"][game, place]), 1)
            assert (others["row_most"][:, seat] == rows["row_most"][:, ONLOOKER] - seen).all()
            still_fresh = seen * (1 - rows["ran_out"])[:, None]
            assert (others["fresh"][:, seat] == rows["fresh"][:, ONLOOKER] - still_fresh).all()


def test_rc76_before_there_are_cards_nothing_is_dealt_anew() -> None:
    for way in ("random_building", "random_cards"):
        position = Position(GAME, {"buildings": way}, compiled=False)
        before = position.state.tobytes()
        position.determinize(0, new_stream(GAME, 1, compiled=False))
        assert position.state.tobytes() == before
