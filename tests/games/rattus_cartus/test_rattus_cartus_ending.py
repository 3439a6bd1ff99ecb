"""RC-60 to RC-67 and the result: points, the plague, and who wins."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from rattus_cartus_components import CLASSES, RECOMMENDED
from rattus_cartus_helpers import (
    count_cards,
    doors,
    go_on,
    last_round,
    numbers,
    play,
    rank,
    rats,
    set_rats,
    start,
    verbs,
)

from rat_envs.engine.game import TERMINAL
from rat_envs.engine.position import Position
from rat_envs.games.rattus_cartus.components import OVER
from rat_envs.games.rattus_cartus.view import view
from rat_envs.games.rattus_cartus.wording import result

TREASURY = RECOMMENDED.replace("palace", "treasury")


def final(
    *hands: str, tokens: Sequence[int] = (), rats: Sequence[int] = (), nuns: Sequence[int] = (0,), **config: object
) -> Position:
    """A table at the end.

    Args:
        hands: what the seats hold.
        tokens: their points by victory point tokens.
        rats: their rats.
        nuns: on the cards of the row; where none are named there is a 0.
        config: options.
    """
    position = start(players=len(hands), **config)
    row = position.state
    for seat, cards in enumerate(hands):
        row.hand[seat] = numbers(cards)
    count_cards(row)
    row.points[: len(tokens)] = tokens
    row.nun[:] = [15 + nun for nun in (*nuns, 0, 0, 0, 0, 0)[:5]]  # chivalry
    set_rats(position, *(rats or [0] * len(hands)))
    return position


# RC-60


@pytest.mark.parametrize("track", CLASSES)
@pytest.mark.parametrize(
    ("influence", "scores"),
    [
        ((3, 7, 1, 5), [2, 10, 0, 5]),
        ((0, 7, 0, 0), [0, 10, 0, 0]),
        ((2, 0, 0, 9, 0), [5, 0, 0, 10, 0]),
        ((1, 2, 3, 4, 5), [0, 0, 2, 5, 10]),
        ((0, 0, 0), [0, 0, 0]),
        ((1, 2), [5, 10]),
        ((0, 2), [0, 10]),
        ((4, 4), [10, 5]),
        ((4, 4, 4, 4), [10, 5, 2, 0]),
        ((2, 4, 4), [2, 10, 5]),
    ],
    ids=str,
)
def test_rc60_ten_points_five_and_two(track: str, influence: tuple[int, ...], scores: list[int]) -> None:
    position = final(*[""] * len(influence))
    rank(position, track, *influence)
    assert position.scores() == scores


def test_rc60_ties_go_by_who_arrived_first() -> None:
    position = doors("farm 1, castle 1", "joker", "", "joker")
    rank(position, "peasantry", 0, 1, 0)
    play(position, "enter 1; lay joker; enter 2; enter 1; lay joker")
    assert position.scores() == [5, 10, 2]


def test_rc60_every_class_counts() -> None:
    position = final("", "", "")
    for track in CLASSES[:5]:
        rank(position, track, 1, 2, 0)
    rank(position, CLASSES[5], 0, 2, 9)
    assert position.scores() == [25, 55, 10]


# RC-61, RC-62


@pytest.mark.parametrize(
    ("hands", "scores"),
    [
        (("joker", "", ""), [2, 0, 0]),
        (("magic 0, royalty 4", "joker, joker", "joker"), [1, 1, 0]),
        (("magic 0, royalty 4, joker", "joker, joker", "joker"), [2, 0, 0]),
        (("magic 0", "joker", "church 4"), [1, 1, 1]),
        (("", "", ""), [0, 0, 0]),
        (("magic 0", "joker"), [1, 1]),
        (("magic 0, magic 0", "joker"), [2, 0]),
        (("magic 0", "sword, sword, flute"), [2, 4]),
    ],
    ids=str,
)
def test_rc61_most_population_cards_and_jokers_together(hands: tuple[str, ...], scores: list[int]) -> None:
    assert final(*hands).scores() == scores


@pytest.mark.parametrize("card", ["sword", "flute", "pass"])
@pytest.mark.parametrize(
    ("held", "scores"),
    [
        ((1, 0, 0), [2, 0, 0]),
        ((1, 2, 2), [0, 1, 1]),
        ((3, 3, 3, 3, 3), [1, 1, 1, 1, 1]),
        ((0, 0), [0, 0]),
        ((2, 2), [1, 1]),
        ((2, 1, 0), [2, 0, 0]),
    ],
    ids=str,
)
def test_rc62_most_swords_flutes_and_passes(card: str, held: tuple[int, ...], scores: list[int]) -> None:
    assert final(*(", ".join([card] * number) for number in held)).scores() == scores


def test_rc62_every_kind_has_its_majority() -> None:
    hands = ("sword, sword, pass", "flute, pass, joker", "sword, magic 0, magic 4")
    assert final(*hands).scores() == [2 + 1, 2 + 1, 2]


# RC-63


@pytest.mark.parametrize(
    ("gold", "scores"),
    [
        ((2, 1, 0), [6, 3, 0]),
        ((1, 0, 0), [6, 0, 0]),
        ((3, 1, 1), [6, 1, 1]),
        ((5, 2, 2, 2, 1), [6, 1, 1, 1, 0]),
        ((5, 2, 2, 2, 2), [6, 0, 0, 0, 0]),
        ((2, 2, 1), [4, 4, 0]),
        ((1, 1, 1), [3, 3, 3]),
        ((2, 2, 2, 2, 1), [2, 2, 2, 2, 0]),
        ((1, 1, 1, 1, 1), [1, 1, 1, 1, 1]),
        ((2, 1), [6, 0]),
        ((0, 1), [0, 6]),
        ((3, 3), [4, 4]),
        ((0, 0, 0), [0, 0, 0]),
    ],
    ids=str,
)
def test_rc63_gold(gold: tuple[int, ...], scores: list[int]) -> None:
    hands = [", ".join(["gold"] * number) for number in gold]
    assert final(*hands, buildings=TREASURY).scores() == scores


def test_rc63_one_treasury_among_the_thirty_is_enough() -> None:
    one = RECOMMENDED.replace("palace", "palace 1, palace 2, palace 3, palace 4, treasury 3")
    assert final("gold", "", buildings=one).scores() == [6, 0]


# RC-64


def test_rc64_tokens_of_equal_value_are_taken_without_a_node() -> None:
    for value in (1, 5):
        position = doors("palace 1, castle 1", "", "", vp_tokens=[value] * 20)
        play(position, "enter 1; enter 1; act; act")
        assert position.state.points[:2].tolist() == [2 * value, value]
        assert position.scores() == [2 * value, value]


def test_rc64_tokens_of_different_values_are_drawn_blindly() -> None:
    position = doors("palace 1, castle 1", "", "", vp_tokens=[1] * 10 + [3] * 8 + [5, 2])
    play(position, "enter 1; enter 1; act")
    assert position.chances() == {"token 1": 10, "token 2": 1, "token 3": 8, "token 5": 1}
    position.apply("token 5")
    assert position.chances() == {"token 1": 10, "token 2": 1, "token 3": 8}
    play(position, "token 3; act")
    assert position.chances() == {"token 1": 10, "token 2": 1, "token 3": 7}
    position.apply("token 1")
    assert position.state.points[:2].tolist() == [8, 1]
    assert position.scores() == [8, 1]


def test_rc64_a_token_of_the_last_value_that_is_left_is_still_a_node() -> None:
    position = doors("palace 1, castle 1", "", "", vp_tokens=[1] * 19 + [2])
    position.state.tokens[:] = [1, 0, 0, 0, 0]
    play(position, "enter 1; enter 1; act")
    assert position.chances() == {"token 1": 1}
    position.apply("token 1")
    assert verbs(position) == {"building"}


# RC-65


def test_rc65_the_places_that_nobody_has_looked_at_are_revealed_after_the_last_round() -> None:
    position = doors("fortune_tellers_tent 1, castle 1", "", "")
    play(position, "enter 1; enter 1; act; look 4; nun magic 3; look 1; nun church 2; decline")
    last_round(position)
    go_on(position, "enter")
    play(position, "enter 1; enter 1")
    for number in range(3):
        assert verbs(position) == {"nun"}
        assert sum(position.chances().values()) == position.state.deck_size + 3 - number
        position.apply("nun royalty 4")
    assert position.is_over
    assert position.state.nun.tolist() == [12, 29, 29, 23, 29]


def test_rc65_who_has_more_rats_than_there_are_nuns_is_dead() -> None:
    position = final("", "", "", tokens=[9, 5, 3], rats=[11, 10, 0], nuns=[4, 3, 0, 2, 1])
    assert position.winners() == [1], "equal survives"
    assert position.scores() == [9, 5, 3]
    eliminated = np.zeros(position.game.seats, np.int8)
    position.program.eliminated(position.state, eliminated)
    assert eliminated.tolist() == [1, 0, 0, 0, 0]


def test_rc65_the_dead_keep_their_ranks_and_majorities() -> None:
    position = final("sword", "", "", rats=[5, 0, 0], nuns=[4])
    rank(position, "magic", 3, 2, 1)
    assert position.scores() == [12, 5, 2]
    assert position.winners() == [1]


# RC-66, RC-67


@pytest.mark.parametrize(
    ("tokens", "rats", "winners"),
    [
        ((3, 4, 2), (0, 3, 1), [1]),
        ((4, 4, 2), (2, 3, 1), [0]),
        ((4, 4, 2), (2, 2, 1), [0, 1]),
        ((4, 4, 4), (2, 2, 2), [0, 1, 2]),
        ((4, 4, 9), (2, 2, 5), [0, 1]),
        ((4, 3, 9, 4), (2, 0, 5, 5), [0]),
        ((0, 0), (4, 3), [1]),
        ((0, 7), (4, 5), [0]),
    ],
    ids=str,
)
def test_rc66_the_survivor_with_most_points_then_the_fewest_rats(
    tokens: tuple[int, ...], rats: tuple[int, ...], winners: list[int]
) -> None:
    assert final(*[""] * len(tokens), tokens=tokens, rats=rats, nuns=[4]).winners() == winners
    assert final(*[""] * len(tokens), tokens=tokens, rats=rats, nuns=[4], fewest_rats_survive=True).winners() == winners


@pytest.mark.parametrize(
    ("tokens", "rats", "sentence"),
    [
        ((4, 4, 2), (2, 3, 1), "player_0 has won with 4 points. Of those tied it had the fewest rats."),
        (
            (4, 4, 4),
            (2, 2, 3),
            "player_0 and player_1 share the win with 4 points. Of those tied they had the fewest rats.",
        ),
        ((4, 4, 4), (2, 2, 2), "player_0, player_1 and player_2 share the win with 4 points."),
        ((4, 4, 2), (2, 5, 1), "player_0 has won with 4 points."),
    ],
    ids=str,
)
def test_rc66_what_has_broken_a_tie_is_said(tokens: tuple[int, ...], rats: tuple[int, ...], sentence: str) -> None:
    state = final("", "", "", tokens=tokens, rats=rats, nuns=[4]).state
    state.phase, state.actor = OVER, TERMINAL
    assert result(view(state, None))[-1] == f"The game is over: {sentence}"
    mine = "you have won with 4 points. Of those tied you had the fewest rats."
    assert (mine in result(view(state, 0))[-1]) == (sentence.endswith("it had the fewest rats."))


def test_rc67_all_dead_and_nobody_wins() -> None:
    position = final("", "", "", tokens=[3, 2, 1], rats=[5, 6, 7], nuns=[4])
    assert position.winners() == []
    assert position.returns() == [0, 0, 0]


@pytest.mark.parametrize(
    ("tokens", "rats", "winners"),
    [
        ((3, 2, 9), (6, 5, 7), [1]),
        ((3, 2, 9), (5, 5, 7), [0]),
        ((3, 3, 9), (5, 5, 7), [0, 1]),
        ((1, 2, 3), (9, 9, 9), [2]),
    ],
    ids=str,
)
def test_rc67_with_the_variant_those_with_the_fewest_rats_survive(
    tokens: tuple[int, ...], rats: tuple[int, ...], winners: list[int]
) -> None:
    config: dict[str, Any] = {"tokens": tokens, "rats": rats, "nuns": [4]}
    assert final("", "", "", **config, fewest_rats_survive=True).winners() == winners
    assert final("", "", "", **config).winners() == []


# The result


@pytest.mark.parametrize(
    ("tokens", "returns"),
    [
        ((3, 1), [1, -1]),
        ((3, 3), [0, 0]),
        ((3, 1, 2), [1, -1 / 2, -1 / 2]),
        ((3, 1, 3), [1 / 4, -1 / 2, 1 / 4]),
        ((1, 1, 1, 1), [0, 0, 0, 0]),
        ((1, 2, 0, 0), [-1 / 3, 1, -1 / 3, -1 / 3]),
        ((1, 2, 0, 2), [-1 / 3, 1 / 3, -1 / 3, 1 / 3]),
        ((5, 5, 5, 2, 2), [1 / 6, 1 / 6, 1 / 6, -1 / 4, -1 / 4]),
    ],
    ids=str,
)
def test_the_returns_of_winners_and_others(tokens: tuple[int, ...], returns: list[float]) -> None:
    assert final(*[""] * len(tokens), tokens=tokens).returns() == pytest.approx(returns, abs=1e-6)


def test_points_of_all_kinds_add_up_at_the_end_of_a_game() -> None:
    """player_1 takes two tokens and holds most cards; the premium point of the last round decides the Farm."""
    hands = ("joker, magic 0", "magic 4, magic 4", "")
    position = doors("palace 1, farm 1", *hands, buildings="recommended")
    play(position, "enter 2; done; enter 1; done; enter 2; act; decline; decline")
    last_round(position)
    go_on(position, "building")
    play(position, "building farm 2; building castle 1")
    go_on(position, "enter")
    assert position.actor == 1
    play(position, "enter 1; done; enter 1; enter 1; lay joker; lay magic 0")
    for nuns in (0, 0, 1, 2, 4):
        position.apply(f"nun church {nuns}")
    assert position.is_over
    assert rats(position) == [11, 10, 10]
    assert position.scores() == [10, 2 + 2, 0], "three points at the Farm"
    assert position.winners() == []
