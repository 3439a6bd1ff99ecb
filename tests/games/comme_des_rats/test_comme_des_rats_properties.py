"""Properties of every game: cards are conserved, games end, results balance, nothing is known that is not so."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from comme_des_rats_helpers import GAME, place, same_view, stock, stream, verb, view
from comme_des_rats_referee import Referee
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_envs.engine.compile import compiling
from rat_envs.engine.position import Position
from rat_envs.games.comme_des_rats.configuration import CARDS, FACES, ROLES

TRAP, CLOVER = CARDS.index("trap"), CARDS.index("clover")
MANIPULATOR, AL_RATONE, HYPNOTIST, FOOL, ALCHEMIST = range(len(ROLES))
#: Far more than any game that was ever seen.
MOST_NODES_OF_A_GAME = 50_000

some_games = settings(max_examples=40 if compiling() else 8, deadline=None, derandomize=True)
few_games = settings(max_examples=25 if compiling() else 3, deadline=None, derandomize=True)


@st.composite
def splits(draw: st.DrawFn, total: int, parts: int) -> list[int]:
    """Numbers from 0 with this sum."""
    cuts = sorted(draw(st.lists(st.integers(0, total), min_size=parts - 1, max_size=parts - 1)))
    return [after - before for before, after in zip([0, *cuts], [*cuts, total], strict=True)]


@st.composite
def configurations(draw: st.DrawFn, **fixed: Any) -> dict[str, Any]:
    """Any configuration, half of them with replaced tables."""
    config: dict[str, Any] = {
        "players": draw(st.integers(2, 5)),
        "roles": draw(st.booleans()),
        "talk": draw(st.booleans()),
        "extra_rounds": draw(st.integers(0, 3)),
        **fixed,
    }
    if draw(st.booleans()):
        config["die"] = draw(splits(6, 5).filter(lambda die: die[0] + die[1] > 0))
    if draw(st.booleans()):
        piles = max(3, config["players"])
        traps, *others = draw(splits(4 * piles, 4))
        config["doors"] = [piles + traps, *others]
    if draw(st.booleans()):
        ranks = [draw(st.permutations(FACES)) for _ in range(6)]
        config["third_rat"] = [" ".join([*rank, draw(st.sampled_from(["active", "opponent"]))]) for rank in ranks]
    return config


seeds = st.integers(0, 2**64 - 1)


def walk(position: Position, seed: int) -> Iterator[str]:
    """Random play: every node's action, before it happens; the first node is the one at which the piles are laid."""
    luck = stream(seed)
    for _ in range(MOST_NODES_OF_A_GAME):
        if position.is_over:
            return
        text = position.sample(luck)
        yield text
        position.apply(text)
    pytest.fail("the game does not end")


def piles_are_laid(position: Position) -> bool:
    """Whether every pile has been dealt."""
    return bool(position.state.pile_dealt == max(3, position.state.config.players))


def traps_and_others(position: Position) -> np.ndarray:
    """Every card, wherever it is, by kind."""
    row = position.state
    rats = max(3, int(row.config.players))
    everywhere = row.stock[:rats].sum(0) + row.discard + row.left_to_place
    everywhere[TRAP] += row.traps_beside.sum()
    for number in range(rats):
        face_down = row.pile[number][row.drawn[number] :]
        everywhere += np.bincount(face_down[face_down >= 0], minlength=len(CARDS)).astype(everywhere.dtype)
    return everywhere


@some_games
@given(configurations(), seeds)
def test_every_door_card_is_somewhere_exactly_once(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    row = position.state
    for _ in walk(position, seed):
        if piles_are_laid(position):
            assert traps_and_others(position).tolist() == row.config.doors.tolist()
        assert row.stock.min() >= 0
        assert row.discard.min() >= 0
        assert row.drawn.max() <= 5
    assert traps_and_others(position).tolist() == row.config.doors.tolist()


@some_games
@given(configurations(), seeds)
def test_bandages_are_from_none_to_three_and_three_are_out(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    row = position.state
    rats = max(3, position.configuration.players)
    for _ in walk(position, seed):
        assert row.bandages.min() >= 0
        assert row.bandages.max() <= 3
        assert ((row.bandages == 3) == (row.out == 1))[:rats].all()
        assert not row.stock[:rats][row.out[:rats] == 1].any()


@some_games
@given(configurations(), seeds)
def test_only_the_fool_stores_traps(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    row = position.state
    for _ in walk(position, seed):
        for rat in np.flatnonzero(row.stock[:, TRAP]):
            assert config["roles"] and row.role[rat] == FOOL and not row.role_shown[rat]
        for rat in range(position.configuration.players):
            assert not (row.trap_shown[rat] and row.role[rat] == FOOL and not row.role_shown[rat])


@some_games
@given(configurations(), seeds)
def test_games_end_and_results_balance(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    for _ in walk(position, seed):
        pass
    players = config["players"]
    returns, scores, winners = position.returns(), position.scores(), position.winners()
    assert sum(returns) == pytest.approx(0, abs=1e-6)
    assert min(scores) >= 0
    points = position.state.points[: max(3, players)].tolist()
    assert scores == points[:players]
    assert all(scores[winner] == max(points) for winner in winners)
    assert winners or (players == 2 and points[2] == max(points))
    for seat, result in enumerate(returns):
        if len(winners) in (0, players):
            assert result == 0
        else:
            assert (result > 0) == (seat in winners)


@few_games
@given(configurations(), seeds)
def test_masks_are_exact(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    referee = Referee(position.configuration.to_dict())
    for text in walk(position, seed):
        if position.is_chance:
            assert referee.actor() == "chance"
            assert position.chances() == referee.options()
            assert not position.mask().any()
        else:
            assert referee.actor() == position.actor < config["players"]
            assert position.legal() == referee.options()
        assert referee.options()
        referee.apply(text)
    assert referee.over
    assert not position.mask().any()


# CR-74, CR-75: what is observed is so


@some_games
@given(configurations(), seeds)
def test_cr74_sure_never_exceeds_the_truth(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    row, players = position.state, config["players"]
    for _ in walk(position, seed):
        assert row.sure.min() >= 0
        for seat in range(players):
            assert (row.sure[seat, :players] <= row.stock[:players]).all()
            assert not row.sure[seat, seat].any()


@few_games
@given(configurations(), seeds)
def test_an_observation_agrees_with_itself_and_with_the_table(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    row, players = position.state, config["players"]
    for number, _ in enumerate(walk(position, seed)):
        seat = number % players
        seen = view(position, seat)
        assert seen.own_stock.sum() == seen.stock_size[0]
        assert (seen.sure.sum(1) <= seen.stock_size[:5]).all()
        assert seen.node.sum() == (position.actor == seat)
        assert seen.dice.sum() == seen.first_roll.sum()
        for rat in range(max(3, players)):
            at = place(position, seat, rat)
            assert seen.stock_size[at] == len(stock(position, rat).split())
            assert seen.bandages[at] == row.bandages[rat]
        for field in GAME.observation.names:
            assert seen[field].min() >= 0, field


# CR-76: windows


def without_window(position: Position, asked: int) -> Position:
    """The same table, but ``asked`` has no role that opens a window and no clover."""
    other = position.copy()
    row = other.state
    if row.role[asked] in (AL_RATONE, HYPNOTIST) and not row.role_shown[asked]:
        row.role[asked] = ALCHEMIST
    row.stock[asked, CARDS.index("cheese1")] += row.stock[asked, CLOVER]
    row.stock[asked, CLOVER] = 0
    return other


@some_games
@given(configurations(roles=True), seeds)
def test_cr76_a_window_that_is_not_used_leaves_no_trace(config: dict[str, Any], seed: int) -> None:
    position = Position(GAME, config)
    refusals = {"no_claim", "no_redirect", "bandage"}
    for text in walk(position, seed):
        asked = position.copy()
        asked.apply(text)
        if asked.is_over or asked.is_chance or not refusals & set(asked.legal()) or not piles_are_laid(asked):
            continue
        seat = asked.actor
        if position.actor == seat:
            continue  # its own action may have brought or used the clover
        none = without_window(position, seat)
        none.apply(text)
        lost = False
        while not asked.is_chance and asked.actor == seat and (answers := refusals & set(asked.legal())):
            asked.apply(answers.pop())
            lost = lost or bool(asked.state.out[seat])
        if lost or asked.is_over or verb(asked) == "trap":
            continue  # what was hidden has come to light, as lost stock or points
        for other in set(range(config["players"])) - {seat}:
            assert same_view(asked, none, other), (text, other)


# CR-78: determinization


def check_sample(position: Position, other: Position, seat: int) -> None:
    """Assert that ``other`` is what ``position`` could be as far as ``seat`` knows."""
    row, players = other.state, position.configuration.players
    rats = max(3, players)
    assert same_view(other, position, seat)
    assert other.actor == position.actor
    if other.actor >= 0 and (other.actor == seat or {"claim", "no_redirect", "bandage"} & set(position.legal())):
        assert other.legal() == position.legal()
    assert (row.stock.sum(1) == position.state.stock.sum(1)).all()
    assert (row.drawn == position.state.drawn).all()
    if piles_are_laid(position):
        assert traps_and_others(other).tolist() == row.config.doors.tolist()
    assert row.stock.min() >= 0
    for observer in range(players):
        assert (row.sure[observer, :players] <= row.stock[:players]).all()
        if observer != seat:
            assert (row.sure[observer] <= position.state.sure[observer]).all()
    fools = [rat for rat in range(players) if row.role[rat] == FOOL and not row.role_shown[rat]]
    for rat in np.flatnonzero(row.stock[:rats, TRAP]).tolist():
        assert rat in fools
        assert not row.trap_shown[rat]
    roles = [role for role in row.role[:players].tolist() if role >= 0]
    assert len(set(roles)) == len(roles)
    if len(roles) == players:  # else they are still being dealt
        assert ((row.role == MANIPULATOR) == (position.state.role == MANIPULATOR))[:players].all()
    if piles_are_laid(position) and not row.left_to_place.any():
        check_guaranteed_traps(other, seat)


def check_guaranteed_traps(position: Position, seat: int) -> None:
    """Assert that every pile has a trap, unless the Fool of a sample for ``seat`` can have drawn it there."""
    row = position.state
    without = []
    for number in range(max(3, position.configuration.players)):
        face_down = row.pile[number][row.drawn[number] :]
        if not row.traps_beside[number] and TRAP not in face_down:
            without.append(number)
    if without:
        (fool,) = np.flatnonzero(row.role[: position.configuration.players] == FOOL)
        assert row.stored_from[fool][without].all()
        assert len(without) <= row.stock[fool, TRAP] + row.discard[TRAP]
        assert fool != seat or row.fool_drew[without].all()


@few_games
@given(configurations(), seeds)
def test_cr78_determinization_changes_nothing_a_seat_knows(config: dict[str, Any], seed: int) -> None:
    check_determinizations(config, seed)


@few_games
@given(configurations(roles=True), seeds)
def test_cr78_determinization_with_roles(config: dict[str, Any], seed: int) -> None:
    check_determinizations(config, seed)


def check_determinizations(config: dict[str, Any], seed: int) -> None:
    """At every third node for one seat, so that kinds of node and seats alternate."""
    position, luck = Position(GAME, config), stream(seed + 1 & 0xFFFF)
    for number, _ in enumerate(walk(position, seed)):
        if number % 3 == 0:
            seat = number // 3 % config["players"]
            other = position.copy()
            other.determinize(seat, luck)
            check_sample(position, other, seat)
    for seat in range(config["players"]):  # and when the game is over
        other = position.copy()
        other.determinize(seat, luck)
        check_sample(position, other, seat)


@few_games
@given(configurations(), seeds)
def test_cr78_a_determinized_game_goes_on_by_the_rules(config: dict[str, Any], seed: int) -> None:
    position, luck = Position(GAME, config), stream(78)
    for number, _ in enumerate(walk(position, seed)):
        if number % 60 == 59:
            other = position.copy()
            other.determinize(number % config["players"], luck)
            row = other.state
            for _ in range(40):
                if other.is_over:
                    break
                other.apply(other.sample(luck))
                assert not piles_are_laid(other) or traps_and_others(other).tolist() == row.config.doors.tolist()
                assert (row.sure[: config["players"], : config["players"]] <= row.stock[: config["players"]]).all()
