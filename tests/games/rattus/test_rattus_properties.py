"""Properties of every game: cubes and tokens are conserved, games end, results balance, samples fit what is known."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rattus_helpers import GAME, REMOVED, SUPPLY, same_view, stream
from rattus_referee import CARDS, TABLE_ORDER, Referee, default_tokens

from rat_envs.engine.batch import Batch
from rat_envs.engine.compile import compiling
from rat_envs.engine.position import Position

#: Far more than any game that was ever seen: the longest of a million had 423 decisions.
MOST_NODES_OF_A_GAME = 2000

some_games = settings(max_examples=20 if compiling() else 5, deadline=None, derandomize=True)
few_games = settings(max_examples=10 if compiling() else 2, deadline=None, derandomize=True)


@st.composite
def maps(draw: st.DrawFn) -> dict[str, Any]:
    """A tree over the regions in any order, so that every board is connected, and some more edges."""
    names = draw(st.permutations(TABLE_ORDER))
    tree = [(draw(st.integers(0, place - 1)), place) for place in range(1, 12)]
    others = [pair for pair in itertools.combinations(range(12), 2) if pair not in tree]
    edges = tree + draw(st.lists(st.sampled_from(others), max_size=20, unique=True))
    tiers = {"light": names[:8], "middle": names[8:10], "dark": names[10:]}
    return {"tiers": tiers, "edges": [[names[one], names[other]] for one, other in edges]}


@st.composite
def faces(draw: st.DrawFn) -> list[dict[str, Any]]:
    """All tokens with one of a few faces each."""
    symbols = st.tuples(st.integers(0, 3), st.integers(0, 3), st.lists(st.sampled_from(CARDS), max_size=3))
    few = draw(st.lists(st.tuples(st.integers(1, 9), symbols), min_size=1, max_size=6))
    tokens = []
    for number, token in enumerate(default_tokens()):
        limit, (m, a, classes) = few[number % len(few)]
        tokens.append(token | {"limit": limit, "m": m if m + a + len(classes) else 1, "a": a, "classes": classes})
    return tokens


@st.composite
def configurations(draw: st.DrawFn) -> dict[str, Any]:
    """Any configuration, half of them with replaced tables."""
    config: dict[str, Any] = {"players": draw(st.integers(2, 4)), "king_after_plague": draw(st.booleans())}
    if draw(st.booleans()):
        config["map"] = draw(maps())
    if draw(st.booleans()):
        config["tokens"] = draw(faces())
    return config


seeds = st.integers(0, 2**64 - 1)


def walk(position: Position, seed: int) -> Iterator[str]:
    """Random play: every node's action, before it happens."""
    luck = stream(seed)
    for _ in range(MOST_NODES_OF_A_GAME):
        if position.is_over:
            return
        text = position.sample(luck)
        yield text
        position.apply(text)
    pytest.fail("the game does not end")


def rows_of(position: Position) -> np.ndarray:
    """The position's row as an array of one."""
    return np.asarray(position.state).reshape(1)


def check_pieces(rows: np.ndarray, players: int) -> None:
    """Assert that all cubes and tokens are somewhere, and nowhere too many."""
    cubes, stock, palace = rows["cubes"].astype(int), rows["stock"].astype(int), rows["palace"].astype(int)
    everywhere = stock + palace + cubes.sum(2)
    assert (everywhere[:, :players] == 20).all()
    assert not everywhere[:, players:].any()
    assert min(cubes.min(), stock.min(), palace.min()) >= 0
    rats, supply, flipped = rows["rats"].astype(int), rows["supply"].astype(int), rows["flipped"].astype(int)
    assert (rats.sum(1) + supply + flipped.sum(1) + REMOVED[players] == 49).all()
    assert (rats >= 0).all() and (rats <= 3).all()
    assert (supply >= 0).all() and (supply <= SUPPLY[players]).all()
    in_play = rows["config"]["map"][:, range(12), range(12)] == 1
    assert (in_play.sum(1) == 4 + 2 * players).all()
    assert not rats[~in_play].any()
    assert not cubes.sum(1)[~in_play].any()
    assert (rows["holder"] >= -1).all() and (rows["holder"] < players).all()


def check_tokens(rows: np.ndarray, players: int) -> None:
    """Assert that slots are dense, and that faces, who has seen them, and what is left over go together."""
    face, pile, looked = (rows[name].astype(int) for name in ("face", "pile", "looked"))
    seen, flipped = rows["seen"].astype(int), rows["flipped"] == 1
    everybody = (1 << players) - 1
    lies = np.arange(3)[None, :, None] < rows["rats"][:, None, :]
    drawn = face >= 0
    assert (face[~lies] == -1).all() and not pile[~lies].any() and not looked[~lies].any()
    assert ((looked > 0) == drawn).all() and (looked <= everybody).all()
    assert (rows["any_looked"] == ((looked > 0) << np.arange(12)).sum(2)).all()
    game, slot, region = np.nonzero(drawn)
    of_token = np.zeros_like(seen)
    np.add.at(of_token, (game, face[drawn]), 1)
    assert (of_token + flipped <= 1).all(), "a face in two places"
    assert (seen[game, face[drawn]] == looked[game, slot, region]).all()
    assert (seen[flipped] == everybody).all()
    assert not seen[(of_token == 0) & ~flipped].any()
    assert (face[drawn & (pile == 1)] < 12).all()
    left_over = 2 * (4 - players)
    for lookers, counted in [(None, rows["start_drawn"]), *((s, rows["start_seen"][:, s]) for s in range(players))]:
        unseen = seen == 0 if lookers is None else seen >> lookers & 1 == 0
        unknown = ~drawn if lookers is None else looked >> lookers & 1 == 0
        left = left_over - counted.astype(int)
        assert (left >= 0).all()
        on_board = (lies & (pile == 1) & unknown).sum((1, 2))
        assert (unseen[:, :12].sum(1) == on_board + left).all(), "start tokens lie on the board or are left over"


def check(position: Position) -> None:
    """Assert all of it for one position."""
    check_pieces(rows_of(position), position.configuration.players)
    check_tokens(rows_of(position), position.configuration.players)


@some_games
@given(configurations(), seeds)
def test_cubes_and_tokens_are_conserved_and_slots_are_dense(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    for _ in walk(position, seed):
        check(position)
    check(position)


@some_games
@given(configurations(), seeds)
def test_games_end_with_one_winner_and_results_balance(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    for _ in walk(position, seed):
        assert position.actor < config["players"]
    players, row = config["players"], position.state
    returns, scores = position.returns(), position.scores()
    (winner,) = position.winners()
    assert returns[winner] == 1
    assert returns == pytest.approx([1 if seat == winner else -1 / (players - 1) for seat in range(players)])
    assert sum(returns) == pytest.approx(0, abs=1e-6)
    assert scores[winner] == max(scores)
    assert scores == (row.cubes.sum(1) + row.palace)[:players].tolist()
    assert row.last_active >= 0
    assert not any((row.rats > 0) & (row.cubes.sum(0) > 0)), "something is left to ravage"


@few_games
@given(configurations(), seeds)
def test_masks_are_exact(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    referee = Referee(position.configuration.to_dict())
    for text in walk(position, seed):
        assert referee.actor() == ("chance" if position.is_chance else position.actor)
        assert referee.options() == (position.chances() if position.is_chance else position.legal())
        referee.apply(text)
    assert referee.over


def test_no_action_is_legal_at_a_chance_node_or_when_the_game_is_over() -> None:
    position = Position(GAME, {})
    for _ in walk(position, 1):
        assert bool(position.legal()) != position.is_chance
    assert position.legal() == []


@few_games
@given(configurations(), seeds)
def test_rt74_determinization_changes_nothing_a_seat_knows(config: dict[str, Any], seed: int) -> None:
    position, luck = Position(GAME, config), stream(seed + 1 & 0xFFFF)
    for number, _ in enumerate(walk(position, seed)):
        if number % 3 or position.is_chance:
            continue
        for seat in range(config["players"]):
            other = position.copy()
            other.determinize(seat, luck)
            check_sample(position, other, seat)


def check_sample(position: Position, other: Position, seat: int) -> None:
    """Assert that ``other`` is what ``position`` could be as far as ``seat`` knows."""
    check(other)
    assert same_view(other, position, seat)
    assert other.actor == position.actor
    assert other.legal() == position.legal()  # what can be done does not depend on faces
    known = position.state.looked >> seat & 1 == 1
    assert (other.state.face == position.state.face)[known].all()
    changed = [name for name in GAME.state.names if np.any(other.state[name] != position.state[name])]
    assert set(changed) <= {"face", "seen", "start_drawn", "start_seen"}


@few_games
@given(configurations(), seeds)
def test_rt74_a_determinized_game_goes_on_by_the_rules(config: dict[str, Any], seed: int) -> None:
    position, luck = Position(GAME, config), stream(74)
    for number, _ in enumerate(walk(position, seed)):
        if number % 50 == 49 and not position.is_chance:
            other = position.copy()
            other.determinize(number % config["players"], luck)
            for _ in walk(other, number):
                check(other)
            assert len(other.winners()) == 1


# Many games at once


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("king_after_plague", [True, False])
def test_many_games_at_once(players: int, king_after_plague: bool) -> None:
    """Thousands of games, looked at while they are played, and each at its end."""
    number = 2000 if compiling() else 10
    config = {"players": players, "king_after_plague": king_after_plague}
    batch = Batch(GAME, number, config, seed=1 + players, auto_reset=False)
    wins = np.zeros(4)
    for step in range(MOST_NODES_OF_A_GAME):
        if step % 10 == 0:
            check_pieces(batch.states, players)
            check_tokens(batch.states, players)
        playing = batch.actors >= 0
        if not playing.any():
            break
        assert batch.masks[playing].any(1).all()
        assert (batch.actors < players).all()
        batch.step_random()
        ended = batch.rewards[playing & (batch.actors < 0)]
        assert np.allclose(ended.sum(1), 0, atol=1e-5)
        assert ((ended == 1).sum(1) == 1).all()
        wins += (ended == 1).sum(0)
    else:
        pytest.fail("a game does not end")
    assert wins.sum() == number
    assert not wins[players:].any()
    assert (batch.states["last_active"] >= 0).all()
    check_pieces(batch.states, players)
    check_tokens(batch.states, players)
