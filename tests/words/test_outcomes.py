"""How a game has ended, in the words of the table, of the terminal and of pages."""

from __future__ import annotations

import pytest

from rat_envs.api.outcomes import points_in_words, result_in_words
from rat_envs.engine.registry import all_games


@pytest.mark.parametrize(
    ("winners", "seat", "words"),
    [
        ([0], 0, "You win."),
        ([1], 0, "player_1 wins."),
        ([0, 2], 0, "You share the win with player_2."),
        ([1, 2], 0, "player_1 and player_2 share the win."),
        ([0, 1, 2], 0, "You share the win with player_1 and player_2."),
        ([], 0, "Nobody wins."),
        ([1], None, "player_1 wins."),
        ([0, 1, 2], None, "player_0, player_1 and player_2 share the win."),
        ([], None, "Nobody wins."),
    ],
)
def test_who_has_won_is_said_to_each_seat_in_its_own_words(winners, seat, words):
    assert result_in_words(winners, seat) == words


def test_a_draw_is_said_to_players_of_games_that_have_draws():
    assert result_in_words([], 0, draws=True) == "A draw."
    assert result_in_words([], None, draws=True) == "Nobody wins."
    assert result_in_words([1], 0, draws=True) == "player_1 wins."
    assert [name for name, game in all_games().items() if game.has_draws] == ["brave_rats"]


def test_points_are_said_seat_by_seat():
    assert points_in_words([3, -1]) == "Points: player_0 3, player_1 -1."
