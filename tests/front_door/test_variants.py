"""House rules: games in which some names of the rules stand for something else."""

from __future__ import annotations

import pickle
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

from rat_envs import Position, get_game, variant
from rat_envs.engine.compile import compiling
from rat_envs.engine.errors import ConfigurationError, UnknownNameError
from rat_envs.engine.position import new_stream
from rat_envs.engine.story import witness
from rat_envs.games.brave_rats import rounds
from rat_envs.games.brave_rats.components import PRINCE, WIZARD

GAMES = ("brave_rats", "comme_des_rats", "rattus", "rattus_cartus")


def wizard_beats_prince() -> np.ndarray:
    """The table of winners, with another one where a Wizard meets a Prince."""
    table = rounds.WINNER.copy()
    table[WIZARD, PRINCE], table[PRINCE, WIZARD] = 0, 1
    return table


def after_wizard_against_prince(game, compiled=False):
    position = Position(game, compiled=compiled)
    position.apply("play wizard")
    position.apply("play prince")
    return position.state.rounds_won.tolist()


def random_game(game):
    """The states and tables of a random game."""
    position, stream = Position(game, compiled=False), new_stream(game, 5, compiled=False)
    seen = []
    while not position.is_over:
        seen.append((position.state.tobytes(), game.text(position.state, 0)))
        position.apply(position.sample(stream))
    return seen


@pytest.mark.parametrize("name", GAMES)
def test_a_variant_in_which_nothing_changes_is_the_same_game(name):
    base = get_game(name)
    same = variant(name, "same", {})
    assert same.rules.apply is not base.rules.apply
    assert same.name == "same" and same.ladder is None
    assert random_game(same) == random_game(base)


@pytest.mark.parametrize("compiled", [False, True] if compiling() else [False])
def test_a_table_changes_in_the_variant_alone(compiled):
    changed = variant("brave_rats", "stronger", {"WINNER": wizard_beats_prince()}, title="Stronger", version=3)
    assert (changed.title, changed.version, changed.gymnasium_id) == ("Stronger", 3, "rat_envs/Stronger-v3")
    assert after_wizard_against_prince("brave_rats", compiled) == [0, 1]
    assert after_wizard_against_prince(changed, compiled) == [1, 0]
    assert after_wizard_against_prince("brave_rats", compiled) == [0, 1]
    assert after_wizard_against_prince(variant(changed, "back", {"WINNER": rounds.WINNER}), compiled) == [0, 1]


def test_stories_and_heuristics_follow_the_changed_table():
    changed = variant("brave_rats", "stronger", {"WINNER": wizard_beats_prince()})
    position = Position(changed, compiled=False)
    position.apply("play wizard")
    assert "You win the round." in witness(position, "play prince").seen_by(0)
    assert changed.heuristics["greedy"] is not get_game("brave_rats").heuristics["greedy"]
    lead = changed.heuristics["greedy"].__globals__["round_lead"]
    assert lead.__globals__["WINNER"][WIZARD, PRINCE, 0, 0] == 0


def test_a_rule_is_changed_by_its_own_name():
    def rounds_needed(row):
        return 1

    def scores(row, out):
        out[0], out[1] = 7, 7

    with pytest.raises(ConfigurationError, match=r"different things: give rounds.rounds_needed or view.rounds_needed"):
        variant("brave_rats", "short", {"rounds_needed": rounds_needed})
    changed = variant("brave_rats", "short", {"rounds.rounds_needed": rounds_needed, "scores": scores})
    position = Position(changed, compiled=False)
    position.apply("play wizard")
    position.apply("play prince")
    assert position.is_over
    assert changed.rules.scores is scores


def test_names_that_change_nothing_are_refused():
    with pytest.raises(UnknownNameError, match="No function of brave_rats uses round_winner while a game is played"):
        variant("brave_rats", "v", {"round_winner": rounds.round_winner})
    with pytest.raises(UnknownNameError, match="No function of brave_rats uses the name 'WINER'"):
        variant("brave_rats", "v", {"WINER": rounds.WINNER})
    with pytest.raises(UnknownNameError, match=r"No function of brave_rats uses the name 'nowhere.WINER'"):
        variant("brave_rats", "v", {"nowhere.WINER": rounds.WINNER})
    with pytest.raises(UnknownNameError, match="while a game is played"):
        variant("brave_rats", "v", {"declaration.GAME": 1})


def test_a_name_of_two_things_is_refused(monkeypatch):
    base = get_game("brave_rats")
    module = types.ModuleType("rat_envs.games.brave_rats.more")
    exec("WINNER = 3\ndef scores(row, out):\n    out[0] = WINNER\n", module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    two = replace(base, rules=replace(base.rules, scores=module.scores))
    with pytest.raises(ConfigurationError, match=r"different things: give heuristics.WINNER or more.WINNER"):
        variant(two, "v", {"WINNER": 4})


def test_parts_that_cannot_be_are_refused():
    with pytest.raises(TypeError, match="not a name"):
        variant("brave_rats", "not a name", {})


def test_other_processes_find_a_variant_by_its_file(tmp_path, monkeypatch):
    (tmp_path / "found_again.py").write_text('import rat_envs\n\nGAME = rat_envs.variant("brave_rats", "again", {})\n')
    monkeypatch.syspath_prepend(tmp_path)
    import found_again

    assert pickle.loads(pickle.dumps(found_again.GAME)) is found_again.GAME
    assert b"found_again" in pickle.dumps(found_again.GAME)
