"""What people are offered: all that is legal, in words, on the drawing, and only what they may know."""

from __future__ import annotations

import re
from typing import Any

import pytest
from games_and_configurations import EVERY

from rat_envs.engine.choices import Offer, offer
from rat_envs.engine.position import Position, new_stream

GAMES_AND_CONFIGURATIONS = [(game, config) for game, configs in EVERY.items() for config in configs]


def decisions(game: str, config: dict[str, Any], seed: int) -> list[Position]:
    """Every position of a game of random play at which a seat is to act."""
    position = Position(game, config)
    stream = new_stream(position.game, seed)
    found = []
    while not position.is_over:
        if not position.is_chance:
            found.append(position.copy())
        position.apply(position.sample(stream))
    return found


def places_of(drawing: str) -> set[str]:
    return set(re.findall(r'data-spot="([^"]*)"', drawing))


def words_of(asked: Offer) -> list[str]:
    return [choice.words for choice in asked.choices]


@pytest.mark.parametrize(("game", "config"), GAMES_AND_CONFIGURATIONS)
def test_every_choice_has_words_a_key_and_a_place_that_is_drawn(game: str, config: dict[str, Any]) -> None:
    for position in decisions(game, config, 5)[:60:3]:
        asked = offer(position)
        drawn = places_of(position.game.drawing(position.state, position.actor))
        assert [position.game.actions[one.action] for one in asked.choices] == [
            action for action, legal in zip(position.game.actions, position.mask(), strict=True) if legal
        ]
        assert asked.question.strip()
        assert len(set(words_of(asked))) == len(asked.choices) and all(words_of(asked))
        assert len({one.key for one in asked.choices}) == len(asked.choices) and all(one.key for one in asked.choices)
        assert {one.spot for one in asked.choices} - {""} <= drawn


@pytest.mark.parametrize(("game", "config"), GAMES_AND_CONFIGURATIONS)
def test_an_offer_tells_nothing_that_the_seat_does_not_know(game: str, config: dict[str, Any]) -> None:
    stream = new_stream(Position(game, config).game, 3)
    for position in decisions(game, config, 6)[::16]:
        before = offer(position), position.game.drawing(position.state, position.actor)
        position.determinize(position.actor, stream)
        assert (offer(position), position.game.drawing(position.state, position.actor)) == before


def test_br_cards_are_chosen_by_their_values() -> None:
    for position in decisions("brave_rats", {"hands": "draft"}, 1):
        for choice in offer(position).choices:
            assert choice.key == str(choice.action % 8)


def test_a_game_without_words_is_offered_in_its_notation(monkeypatch: pytest.MonkeyPatch) -> None:
    from kuhn import KUHN  # type: ignore[import-not-found]

    position = Position(KUHN, compiled=False)
    while position.is_chance:
        position.apply(position.sample(new_stream(KUHN, 1, compiled=False)))
    asked = offer(position)
    assert words_of(asked) == [KUHN.actions[one.action] for one in asked.choices]
    assert [one.key for one in asked.choices] == [str(k + 1) for k in range(len(asked.choices))]


@pytest.mark.parametrize(
    ("game", "config", "actions", "words"),
    [
        ("brave_rats", {}, ["play prince"], "Play Prince"),
        ("rattus", {"players": 2}, ["place gallia"], "Place 2 cubes in Gallia"),
        ("rattus", {"players": 2}, ["plague italia"], "Move the plague to Italia"),
        ("rattus", {"players": 2}, ["take witch"], "Take the Witch"),
        ("comme_des_rats", {"players": 2}, ["rob third_rat"], "Steal from the third rat"),
        ("comme_des_rats", {"players": 3, "talk": True}, ["say peace"], "Promise not to claw player_"),
        ("rattus_cartus", {"players": 2}, ["lay joker"], "Lay a Joker"),
    ],
)
def test_words_of_some_actions(game: str, config: dict[str, Any], actions: list[str], words: str) -> None:
    said = set()
    for seed in range(40):
        for position in decisions(game, config, seed):
            said |= {one.words for one in offer(position).choices if position.game.actions[one.action] in actions}
        if said:
            break
    assert any(one.startswith(words) for one in said), said
