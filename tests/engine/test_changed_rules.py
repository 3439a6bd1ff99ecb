"""Rules that are loaded again in a running session: what is compiled stays as it was, and a warning says so."""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

import pytest

from rat_envs import Batch, get_game
from rat_envs.engine import program as programs
from rat_envs.engine.errors import ChangedRulesWarning

PENNIES = Path(__file__).parents[1] / "common" / "pennies.py"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a user's own that holds a game."""
    (tmp_path / "edited_pennies.py").write_text(PENNIES.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    programs._say_loaded_again.cache_clear()
    yield importlib.import_module("edited_pennies")
    del sys.modules["edited_pennies"]


def game_of(module):
    return next(value for value in vars(module).values() if type(value).__name__ == "Game")


def warned(game):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Batch(game, 2, seed=0, compiled=False)
    return [str(each.message) for each in caught if each.category is ChangedRulesWarning]


def test_a_module_that_is_loaded_again_is_warned_of_once(module):
    game = game_of(module)
    assert warned(game) == warned(game) == []
    importlib.reload(module)
    (sentence,) = warned(game)
    assert sentence.startswith("edited_pennies has been loaded again, but ")
    assert sentence.endswith(": start Python, or the notebook's kernel, again.")
    assert warned(game) == []
    assert warned(game_of(module)) == []  # the new game plays by the new rules


def test_code_that_is_replaced_in_place_is_warned_of(module):
    game = game_of(module)
    assert warned(game) == []
    again = {"__name__": "edited_pennies"}
    exec(compile(PENNIES.read_text(encoding="utf-8"), module.__file__, "exec"), again)
    for name, value in vars(module).items():  # as IPython's autoreload does
        if hasattr(value, "__code__") and value.__module__ == "edited_pennies":
            value.__code__ = again[name].__code__
    assert len(warned(game)) == 1


def test_every_module_of_rules_is_watched_and_no_library(module):
    assert {each.__module__ for *_, each, _ in programs.one_of_each_module(game_of(module))} == {"edited_pennies"}
    watched = {function.__module__ for *_, function, _ in programs.one_of_each_module(get_game("brave_rats"))}
    assert {f"rat_envs.games.brave_rats.{name}" for name in ("rules", "rounds", "set_up", "observation")} <= watched
