"""The table in a terminal that is narrower than its text: paragraphs that say the same, broken at blanks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from games_and_configurations import EVERY

from rat_envs.engine.position import Position, new_stream
from rat_envs.engine.registry import get_game
from rat_envs.play.terminal import table_in_words

GAMES_AND_CONFIGURATIONS = [(game, config) for game, configs in EVERY.items() for config in configs]
#: Words that explain what stands in boxes and columns, or head these.
OF_COLUMNS: dict[str, set[str]] = {
    "brave_rats": set(),
    "comme_des_rats": {"traps", "points"},
    "rattus": {
        *("on", "map", "as", "from", "slot", "number", "start", "limit", "you", "know", "chosen", "just", "now"),
        *("cubes", "rat", "rats", "in"),
    },
    "rattus_cartus": {
        *("slot", "building", "class", "premium", "action", "other", "visitors", "cards", "laid", "points", "tokens"),
        *("sword", "flute", "pass", "gold", "influence", "as", "they", "are", "now"),
    },
}


def moments(game: str, config: dict[str, Any]) -> list[Position]:
    """Some positions of a game, the last included."""
    position = Position(game, config)
    stream = new_stream(position.game, 4)
    found = []
    while not position.is_over:
        position.apply(position.sample(stream))
        found.append(position.copy())
    return [*found[:-1:23], found[-1]]


def words_of(text: str) -> set[str]:
    """Names and other words, in small letters."""
    return set(re.findall(r"[a-z]+(?:_\d)?", text.lower()))


@pytest.mark.parametrize(("game", "config"), GAMES_AND_CONFIGURATIONS)
def test_the_paragraphs_say_what_the_text_says(game, config):
    for position in moments(game, config):
        for seat in (0, 1, None):
            paragraphs = position.game.paragraphs(position.state, seat)
            said = "\n".join(paragraphs)
            assert said.isascii() and all(each == " ".join(each.split()) and each for each in paragraphs)
            lacking = words_of(position.game.text(position.state, seat)) - OF_COLUMNS[game]
            lacking = {word for word in lacking if not re.search(rf"\b{word}", said.lower())}  # names may be cut short
            assert not lacking, (seat, said)


def test_rattus_says_where_the_pieces_are():
    game = get_game("rattus")
    position = Position(game, {"players": 4})
    for step in ("plague scandia", "place tartaria", "place turcia", "place bulgaria", "place gallia"):
        position.apply(step)
    said = game.paragraphs(position.state, 0)
    scandia = "Scandia: the plague; no cubes; rat 1 laid out at the start; neighbours Anglia, Germania and Russia."
    assert scandia in said
    gallia = "Gallia: 2 green cubes; rat 1 laid out at the start; neighbours Anglia, Germania, Hispania and Italia."
    assert gallia in said
    assert "player_3 (right), green: stock 18, palace 0, score 2; cards: none." in said


@pytest.mark.parametrize("game", EVERY)
@pytest.mark.parametrize("columns", [40, 60])
def test_no_line_is_longer_than_a_narrow_terminal(game, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    for position in moments(game, EVERY[game][0]):
        shown = table_in_words(position.game, position.state, 0)
        assert max(map(len, shown.splitlines())) <= columns
        assert shown.endswith("\n") and "---" not in shown and "|" not in shown


@pytest.mark.parametrize("game", EVERY)
def test_a_terminal_that_is_wide_enough_shows_the_text(game, monkeypatch):
    position = Position(game)
    text = position.game.text(position.state, 0)
    monkeypatch.setenv("COLUMNS", str(max(map(len, text.splitlines()))))
    assert table_in_words(position.game, position.state, 0) == text
    monkeypatch.setenv("COLUMNS", "0")  # as in a pipe
    assert table_in_words(position.game, position.state, 0) == text


def test_a_game_without_paragraphs_shows_its_text(monkeypatch):
    from kuhn import KUHN

    monkeypatch.setenv("COLUMNS", "10")
    row = Position(KUHN, compiled=False).state
    assert table_in_words(KUHN, row, 0) == KUHN.text(row, 0)
