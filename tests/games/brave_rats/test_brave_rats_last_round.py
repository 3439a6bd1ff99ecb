"""The round before, as drawings show it: both cards, who has won, and why."""

from __future__ import annotations

import itertools

import pytest

from rat_envs.engine.position import Position
from rat_envs.engine.story import witness
from rat_envs.games.brave_rats.components import CARDS, KINDS
from rat_envs.games.brave_rats.last_round import Round, reason
from rat_envs.games.brave_rats.rounds import ON_HOLD, WINNER


def rounds_of(*cards: str) -> tuple[Position, list[list[Round]]]:
    """The position after these cards, and what every event leaves to be shown."""
    position = Position("brave_rats", compiled=False)
    return position, [witness(position, f"play {card}").remembered_by(0) for card in cards]


@pytest.mark.parametrize(
    ("cards", "plus_two", "why"),
    [
        (("musician", "prince"), (0, 0), "Musician: the round is put on hold."),
        (("prince", "princess"), (0, 0), "Princess: against the Prince: wins the game."),
        (("general", "prince"), (1, 0), "Prince: wins against all but Princess and Musician."),
        (("assassin", "general"), (0, 0), "Assassin: the lower value wins."),
        (("wizard", "assassin"), (0, 0), "5 is higher than 3; the Wizard cancels the Assassin."),
        (("ambassador", "wizard"), (1, 0), "4+2 is higher than 5; the Wizard cancels the Ambassador."),
        (("spy", "ambassador"), (1, 0), "Equal values: the round is put on hold."),
    ],
)
def test_br02_to_br11_why_a_round_is_won(cards, plus_two, why):
    numbers = CARDS.index(cards[0]), CARDS.index(cards[1])
    assert reason(numbers, plus_two) == why
    assert reason(numbers[::-1], plus_two[::-1]) == why


def test_br14_the_reason_agrees_with_the_result():
    for one, other, *plus_two in itertools.product(range(KINDS), range(KINDS), (0, 1), (0, 1)):
        why = reason((one, other), plus_two)
        assert ("on hold" in why) == (WINNER[(one, other, *plus_two)] == ON_HOLD), (one, other, plus_two)


def test_br01_a_round_is_shown_when_both_cards_are_open():
    position, left = rounds_of("ambassador", "musician", "wizard", "assassin")
    assert [len(each) for each in left] == [0, 1, 0, 1]
    assert left[1] == [Round((4, 0), (False, False), ON_HOLD, 0, "Musician: the round is put on hold.")]
    assert (left[3][0].winner, left[3][0].rounds) == (0, 3)
    drawn = position.game.picture(position.state, 1, [*left[1], *left[3]])
    assert "The round before" in drawn and "Yarg: 3 rounds" in drawn
    assert "The round before" not in position.drawing(1)


@pytest.mark.parametrize("emperor", [False, True])
def test_br07_a_princess_wins_the_game_and_not_a_round(emperor):
    position = Position("brave_rats", {"emperor": emperor}, compiled=False)
    left = [witness(position, f"play {card}").remembered_by(0) for card in ("prince", "princess")][-1]
    assert [each.wins_game for each in left] == [True] and position.is_over == (not emperor)
    drawn = position.game.picture(position.state, None, left)
    assert "Applewood: the game" in drawn and "1 round<" not in drawn
    assert ("The round before" in drawn) == emperor


@pytest.mark.parametrize(("cards", "title"), [("spy spy", "The last round"), ("princess prince", "What decided")])
def test_br26_only_a_game_that_was_won_decides_a_match(cards, title):
    position = Position("brave_rats", {"emperor": True}, compiled=False)
    row = position.state
    row.games_played, row.games_won[0], row.hand[:] = 2, 1, 0
    for seat, card in enumerate(cards.split()):
        row.hand[seat, CARDS.index(card)] = 1
    left = [witness(position, f"play {card}").remembered_by(0) for card in cards.split()][-1]
    drawn = position.game.picture(position.state, None, left)
    assert position.is_over and "Yarg wins" in drawn
    assert [words for words in ("The last round", "What decided") if words in drawn] == [title]


def test_the_cards_that_decided_are_shown_at_the_end():
    position, left = rounds_of("princess", "prince")
    drawn = position.game.picture(position.state, None, left[1])
    assert position.is_over and "What decided" in drawn and "Yarg wins" in drawn
    assert "What decided" not in position.drawing(None)
