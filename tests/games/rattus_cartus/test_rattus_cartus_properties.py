"""Properties of every game: cards are conserved, games end, results balance, nothing is known that is not so."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rattus_cartus_checks import check, rows_of
from rattus_cartus_components import CLASS_OF, CLASSES, SIZES, copies_of
from rattus_cartus_games import BOTH, THE_OTHERS, random_player, random_supply
from rattus_cartus_helpers import GAME, KINDS, ONLOOKER

from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.position import Position

#: Far more than any game can have: a game draws at most 9 cards a supply and gives at most a hand a building.
MOST_NODES_OF_A_GAME = 20_000

some_games = settings(max_examples=6 if compiling() else 3, deadline=None, derandomize=True)
few_games = settings(max_examples=3 if compiling() else 2, deadline=None, derandomize=True)


@st.composite
def lists_of_buildings(draw: st.DrawFn) -> str:
    """Any five cards of each class."""
    chosen: list[str] = []
    for each in CLASSES:
        ten = [card for building in CLASS_OF if CLASS_OF[building] == each for card in copies_of(building)]
        chosen += draw(st.permutations(ten))[:5]
    return ", ".join(draw(st.permutations(chosen)))


@st.composite
def supplies(draw: st.DrawFn) -> list[list[int]]:
    """A few supply actions over and over."""
    triples = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 5))
    few = draw(st.lists(triples, min_size=1, max_size=7))
    return [list(few[number % len(few)]) for number in range(60)]


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Any configuration, half of them with replaced tables."""
    ways = st.sampled_from(["recommended", "random_building", "random_cards", THE_OTHERS, BOTH])
    config: dict[str, Any] = {
        "players": draw(st.integers(2, 5)),
        "buildings": draw(ways | lists_of_buildings()),
        "fewest_rats_survive": draw(st.booleans()),
    }
    if draw(st.booleans()):
        config["supply"] = draw(supplies())
    if draw(st.booleans()):
        config["vp_tokens"] = draw(st.lists(st.integers(1, 5), min_size=20, max_size=20))
    return config


seeds = st.integers(0, 2**32 - 1)


def walk(position: Position, seed: int) -> Iterator[str]:
    """Random play in one of several ways: every node's action, before it happens."""
    pick = random_player(seed)
    for _ in range(MOST_NODES_OF_A_GAME):
        if position.is_over:
            return
        text = pick(position.chances() if position.is_chance else position.legal())
        yield text
        position.apply(text)
    pytest.fail("the game does not end")


@some_games
@given(configurations(), seeds)
def test_cards_are_conserved_and_tracks_ledgers_and_rats_are_right(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    for _ in walk(position, seed):
        check(rows_of(position), config["players"])
    check(rows_of(position), config["players"])


@some_games
@given(configurations(), seeds)
def test_games_end_after_their_rounds_and_results_balance(config: dict[str, Any], seed: int) -> None:
    position, players = Position(GAME, config), config["players"]
    entered = supplied = 0
    for text in walk(position, seed):
        assert position.is_chance or 0 <= position.actor < players
        entered += text.startswith("enter ")
        supplied += text.startswith("supply ")
    rounds = {2: 10, 3: 9, 4: 8, 5: 8}[players]
    assert (entered, supplied) == (rounds * players, rounds * players)
    assert int(position.state["rounds_played"]) == rounds
    check_result(config, position.state, position.returns(), position.scores(), position.winners())


def check_result(config: dict[str, Any], row: Any, returns: list[float], scores: list[int], winners: list[int]) -> None:
    """Assert that returns, scores and winners go together (RC-65 to RC-67)."""
    players = config["players"]
    assert len(returns) == len(scores) == players
    assert sum(returns) == pytest.approx(0, abs=1e-6)
    assert min(scores) >= 0
    assert min(row.nun) >= 0, "the row is revealed"
    rats, nuns = row.rats[:players].tolist(), int((row.nun % 5).sum())
    bound = max(nuns, min(rats)) if config["fewest_rats_survive"] else nuns
    living = [seat for seat in range(players) if rats[seat] <= bound]
    best = max(((scores[seat], -rats[seat]) for seat in living), default=None)
    assert winners == [seat for seat in living if (scores[seat], -rats[seat]) == best]
    for seat, result in enumerate(returns):
        share = 1 / len(winners) if seat in winners else 0.0
        right = (share - 1 / players) * players / (players - 1) if winners else 0
        assert result == pytest.approx(right, abs=1e-6)


def test_no_action_is_legal_at_a_chance_node_or_when_the_game_is_over() -> None:
    position = Position(GAME, {})
    for _ in walk(position, 1):
        assert bool(position.legal()) != position.is_chance
    assert position.legal() == []


# Many games at once

MANY: dict[str, dict[str, Any]] = {
    **{f"{number} players": {"players": number} for number in (2, 3, 4, 5)},
    **{f"{number} of all": {"players": number, "buildings": "random_cards"} for number in (2, 3, 4, 5)},
    "2 draw": {"players": 2, "buildings": BOTH, "supply": [[9, 1, 1]] * 60},
    "3 draw": {"players": 3, "buildings": BOTH, "supply": [[6, 1, 1]] * 60},
    "4 draw": {"players": 4, "buildings": THE_OTHERS, "supply": [[3, 0, 1]] * 60},
    "5 draw": {"players": 5, "buildings": BOTH, "supply": random_supply(2), "fewest_rats_survive": True},
    "5 tokens": {"players": 5, "buildings": "random_building", "vp_tokens": [1, 2, 3, 4, 5] * 4},
}


@pytest.mark.parametrize("name", MANY)
def test_many_games_at_once(name: str) -> None:
    """Hundreds of games, looked at while they are played, and each at its end."""
    config = MANY[name]
    players, number = config["players"], 300 if compiling() else 2
    batch = Batch(GAME, number, config, seed=players, auto_reset=False)
    for step in range(MOST_NODES_OF_A_GAME):
        if step % 7 == 0:
            check(batch.states, players)
        playing = batch.actors >= 0
        if not playing.any():
            break
        assert batch.masks[playing].any(1).all()
        assert (batch.actors < players).all()
        batch.step_random()
        ended = batch.rewards[playing & (batch.actors < 0)]
        assert np.allclose(ended.sum(1), 0, atol=1e-5)
        assert (ended[:, players:] == 0).all()
    else:
        pytest.fail("a game does not end")
    check(batch.states, players)
    assert (batch.states["rounds_played"] == SIZES[players][0]).all()


@pytest.mark.parametrize("name", ["2 draw", "3 draw", "4 draw", "5 draw"])
def test_there_is_something_to_check_in_them(name: str) -> None:
    """Known cards of others, special cards that may or may not be there, decks that run out, and bounds of the row."""
    config = MANY[name]
    players = config["players"]
    known = unsure = bounded = 0
    for seed in range(3):
        position = Position(GAME, config)
        for _ in walk(position, seed):
            row = position.state
            known += bool(row.at_least[:players, :players, :KINDS].any())
            unsure += bool((row.at_least[ONLOOKER, :players, KINDS:] < row.at_most[ONLOOKER, :players]).any())
            bounded += bool(row.ran_out and row.fresh[0].any() and (row.row_most[0] < 2).any())
    assert known and unsure and bounded
