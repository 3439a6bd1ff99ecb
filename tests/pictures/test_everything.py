"""The view in which nothing is hidden: it shows what all seats together know, and every game of ours has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from drawn_games import GAMES, moments

import rat_envs
from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import EVERYTHING
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game
from rat_envs.games.brave_rats.view import view as brave_rats_view
from rat_envs.games.comme_des_rats.view import view as comme_des_rats_view
from rat_envs.games.rattus.view import view as rattus_view
from rat_envs.games.rattus_cartus.view import view as rattus_cartus_view


def brave_rats(row: Any) -> tuple[list, list]:
    seen = brave_rats_view(row, EVERYTHING)
    sides = (seen.near, seen.far)
    shown = [[sorted(side.cards + (() if side.shown is None else (side.shown,))), list(side.pile)] for side in sides]
    return shown, [[cards(row.hand[side.seat]), cards(row.pile[side.seat])] for side in sides]


def cards(counts: Any) -> list[int]:
    return [card for card, number in enumerate(counts) for _ in range(number)]


def comme_des_rats(row: Any) -> tuple[list, list]:
    rats = comme_des_rats_view(row, EVERYTHING).rats
    return [(list(rat.known), rat.role) for rat in rats], [
        (row.stock[rat.number].tolist(), None if row.role[rat.number] < 0 else int(row.role[rat.number]))
        for rat in rats
    ]


def rattus(row: Any) -> tuple[list, list]:
    regions = rattus_view(row, EVERYTHING).regions
    tokens = [rat for region in regions for rat in region.rats]
    return [rat.face is not None for rat in tokens], [bool(rat.looked_at_by) for rat in tokens]


def rattus_cartus(row: Any) -> tuple[list, list]:
    seen = rattus_cartus_view(row, EVERYTHING)
    shown = [list(player.hand or ()) for player in seen.players] + [[card.kind for card in seen.row_cards]]
    nuns = [None if kind < 0 else int(kind) for kind in row.nun]
    return shown, [row.hand[player.number].tolist() for player in seen.players] + [nuns]


FACTS: dict[str, Callable[[Any], tuple[list, list]]] = {
    each.__name__: each for each in (brave_rats, comme_des_rats, rattus, rattus_cartus)
}


@pytest.mark.parametrize("game", GAMES)
def test_what_is_hidden_is_shown(game):
    differ = 0
    for row in moments(game):
        shown, true = FACTS[game](row)
        assert shown == true
        declared = get_game(game)
        everything = declared.drawing(row, EVERYTHING)
        assert "you" not in declared.text(row, EVERYTHING).split()
        differ += all(everything != declared.drawing(row, seat) for seat in (None, 0, 1))
    assert differ


def test_in_environments():
    env = rat_envs.make("brave_rats", draw_pile=True, render_mode="svg", point_of_view="all")
    env.reset(seed=1)
    assert env.render() == env.unwrapped.render_for("all", "svg") != env.unwrapped.render_for("public", "svg")
    assert env.unwrapped.render_for("all", "ansi").count("Pile (5)") == 2
    own = rat_envs.make("brave_rats", draw_pile=True, render_mode="svg").unwrapped
    own.reset(seed=1)
    assert own.render() == own.render_for("player_0", "svg")


def test_a_game_without_it_says_so():
    from kuhn import KUHN

    with pytest.raises(ConfigurationError, match="has no view in which nothing is hidden"):
        Position(KUHN, compiled=False).drawing("all")
    with pytest.raises(ConfigurationError, match=r"must be one of own, public, player_0, player_1\.$"):
        rat_envs.make(KUHN, point_of_view="all")
