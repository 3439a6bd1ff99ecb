"""What is handed to solvers by mistake gets one sentence, before compiled code reads it."""

from __future__ import annotations

import dataclasses
import json
import time

import numpy as np
import pytest

from rat_envs.agents import make_agent
from rat_envs.engine.errors import ConfigurationError, UnknownNameError
from rat_envs.engine.position import Position
from rat_envs.engine.registry import get_game
from rat_envs.solving import solution as solving
from rat_envs.solving.best_response import best_response, best_response_values, expected_returns, nash_conv
from rat_envs.solving.cfr import CfrPlus
from rat_envs.solving.equilibrium import find_equilibrium
from rat_envs.solving.exploitability import policy_of, why_not_unasked
from rat_envs.solving.game_tree import GameTree, build_game_tree
from rat_envs.solving.mccfr import ExternalSampling
from rat_envs.solving.public_tree import build_tree, demand_public, tree_below
from rat_envs.solving.sequence_form import solve_linear_program
from rat_envs.solving.solution import converge, kept_solution, solve_preset, solve_tree

GAME = get_game("brave_rats")


@pytest.fixture(scope="module")
def tree() -> GameTree:
    return build_game_tree(GAME.preset("small").position(GAME))


@pytest.mark.parametrize("ask", [nash_conv, expected_returns, best_response_values, GameTree.first_decision])
@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (lambda tree: np.ones(3), "numbers, one for each sequence"),
        (lambda tree: np.ones(tree.sequences - 5), "numbers, one for each sequence"),
        (lambda tree: tree.uniform()[None], "numbers, one for each sequence"),
        (lambda tree: "uniform", "numbers, one for each sequence"),
        (lambda tree: [[1], [2, 3]], "numbers, one for each sequence"),
        (lambda tree: np.zeros(tree.sequences), "the information set 0 add up to 0;"),
        (lambda tree: np.ones(tree.sequences), "must be probabilities"),
        (lambda tree: tree.uniform() * np.nan, "must be probabilities"),
    ],
)
def test_what_is_no_policy_of_the_tree_is_refused(ask, policy, reason, tree):
    with pytest.raises(ConfigurationError, match=f"^policy: .*{reason}"):
        ask(tree, policy(tree))


def test_probabilities_below_nothing_are_refused_although_they_add_up(tree):
    policy = tree.uniform()
    first = int(tree.sets["first_sequence"][0])
    policy[first] -= 1
    policy[first + 1] += 1
    with pytest.raises(ConfigurationError, match="the information set 0"):
        nash_conv(tree, policy)


def test_a_list_is_a_policy_too_and_that_of_the_responding_seat_may_be_anything(tree):
    uniform = tree.uniform()
    assert nash_conv(tree, uniform.tolist()) == nash_conv(tree, uniform)
    anything = uniform.copy()
    anything[tree.players :][tree.sets["seat"][tree.owners] == 1] = 7
    assert best_response(tree, anything, 1)[1] == best_response(tree, uniform, 1)[1]
    with pytest.raises(ConfigurationError, match="must be probabilities"):
        best_response(tree, anything, 0)


@pytest.mark.parametrize("seat", [-1, 2, 50_000, 0.5, None, True])
def test_seats_that_are_not_there_are_refused(seat, tree):
    with pytest.raises(ConfigurationError, match=r"^seat=.*: must be from 0 to 1\.$"):
        best_response(tree, tree.uniform(), seat)


@pytest.mark.parametrize("nodes", [[10**6], [-1], [0.5], [[0]]])
def test_nodes_that_are_not_there_are_refused(nodes, tree):
    with pytest.raises(ConfigurationError, match=r"^nodes"):
        tree.rows(np.array(nodes))
    with pytest.raises(ConfigurationError, match=r"^node="):
        tree.history(nodes[0])


@pytest.mark.parametrize("position", ["brave_rats", None, GAME])
def test_a_tree_is_of_a_position(position):
    with pytest.raises(ConfigurationError, match=r"must be a Position, such as Preset\.position\(game\) gives\.$"):
        build_game_tree(position)
    with pytest.raises(ConfigurationError, match=r"^most="):
        build_game_tree(Position("brave_rats"), None)


@pytest.mark.parametrize("tree", ["brave_rats", None, GAME, Position("brave_rats")])
@pytest.mark.parametrize(
    "ask",
    [
        lambda tree: best_response(tree, [1.0], 0),
        lambda tree: best_response_values(tree, [1.0]),
        lambda tree: expected_returns(tree, [1.0]),
        lambda tree: nash_conv(tree, [1.0]),
        lambda tree: policy_of(make_agent("random", GAME, 0), tree, GAME.configuration()),
        lambda tree: solve_tree(tree, "cfr", 1),
        lambda tree: next(converge(tree, "mccfr", np.ones(1))),
        CfrPlus,
        ExternalSampling,
        solve_linear_program,
    ],
)
def test_what_is_no_tree_is_refused(ask, tree):
    with pytest.raises(ConfigurationError, match=r"^tree=.*: must be a GameTree, such as build_game_tree\(position\)"):
        ask(tree)


def test_what_asks_for_a_game_takes_its_name():
    assert build_tree("brave_rats", {"fast": True}) is build_tree(GAME, GAME.configuration(fast=True))
    assert why_not_unasked("brave_rats", {"fast": True}) is None
    demand_public("brave_rats", None)
    with pytest.raises(UnknownNameError, match="brave_rat'"):
        build_tree("brave_rat")
    with pytest.raises(ConfigurationError, match=r"^position='brave_rats': must be a Position, such as "):
        tree_below("brave_rats")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"method": "cfr", "iterations": -5}, "iterations=-5: must be a whole number from 1"),
        ({"method": "cfr", "iterations": 2.5}, "iterations=2.5: must be a whole number from 1"),
        ({"method": "cfr", "iterations": True}, "iterations=True: must be a whole number from 1"),
        ({"method": "mccfr", "iterations": "10"}, "iterations='10': must be a whole number from 1"),
        ({"method": "lp", "iterations": 10}, "iterations=10: the method lp has none"),
        ({"method": "simplex"}, "method='simplex': must be one of lp, cfr, mccfr"),
        ({"method": None}, "method=None: must be one of"),
        ({"method": "mccfr", "seed": -1}, "seed=-1: must be a whole number from 0"),
        ({"method": "mccfr", "seed": None}, "seed=None: must be a whole number from 0"),
    ],
)
def test_arguments_of_a_solver_get_one_sentence(given, reason):
    with pytest.raises(ConfigurationError, match=reason.replace("'", "['\"]")):
        solve_preset("brave_rats", "small", **given)


def test_numbers_of_numpy_give_plain_results():
    found = solve_preset("brave_rats", "small", "mccfr", np.int64(10), np.uint8(3))
    again = solve_preset("brave_rats", "small", "mccfr", 10, 3)
    assert json.loads(json.dumps(found.summary())).keys() == again.summary().keys()
    assert (found.policy, found.iterations, found.seed) == (again.policy, 10, 3)


def test_a_preset_of_ones_own_is_solved_too():
    own = dataclasses.replace(GAME.preset("small"), name="mine")
    assert solve_preset(GAME, own).preset == "mine"
    assert solve_preset(GAME, own).value == solve_preset(GAME, "small").value
    with pytest.raises(UnknownNameError, match="no preset 'mine'"):
        solve_preset(GAME, "mine")


def test_games_and_options_by_name():
    assert kept_solution("brave_rats", "small") == kept_solution(GAME, "small")
    by_name = find_equilibrium("brave_rats", {"fast": True})
    assert by_name is find_equilibrium(GAME, GAME.configuration.make({"fast": True}))


def test_iterations_are_done_in_short_parts(tree, monkeypatch):
    """Ctrl-C acts between them; together they give what one long part gives."""
    parts = []

    class Watched(CfrPlus):
        def run(self, iterations: int) -> None:
            parts.append(iterations)
            super().run(iterations)
            if iterations >= 8:
                time.sleep(solving.SLOW)  # as if it took that long

    in_parts, at_once = Watched(tree), CfrPlus(tree)
    solving.run_until(in_parts, 37)
    at_once.run(37)
    assert max(parts) == 8 and sum(parts) == 37
    assert (in_parts.average() == at_once.average()).all()
