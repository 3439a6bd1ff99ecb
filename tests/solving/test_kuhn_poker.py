"""Solvers on Kuhn's poker, whose equilibria are known (Kuhn 1950), and brute force beside them."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from kuhn import KUHN
from pure_policies import pure_policies

from rat_envs.engine.errors import ConfigurationError
from rat_envs.engine.game import CHANCE, TERMINAL
from rat_envs.engine.position import Position
from rat_envs.solving import game_tree
from rat_envs.solving.best_response import best_response, expected_returns, nash_conv
from rat_envs.solving.game_tree import GameTree, build_game_tree
from rat_envs.solving.sequence_form import solve_linear_program
from rat_envs.solving.solution import converge


@functools.cache
def tree() -> GameTree:
    """All histories."""
    return build_game_tree(Position(KUHN, compiled=False))


def value(policy: np.ndarray, number: int = 0) -> np.ndarray:
    """(P) float64: the mean returns below a node, by plain recursion."""
    node = tree().nodes[number]
    if node["actor"] == TERMINAL:
        return tree().returns[node["place"]]
    edges = tree().edges[node["first_edge"] : node["first_edge"] + node["edges"]]
    shares = edges["probability"]
    if node["actor"] != CHANCE:
        shares = policy[tree().sets["first_sequence"][node["place"]] :][: len(edges)]
    return sum(share * value(policy, int(child)) for share, child in zip(shares, edges["child"], strict=True))


def test_it_has_twelve_information_sets_of_two_histories() -> None:
    assert (tree().histories, len(tree().sets), len(tree().returns)) == (1 + 3 + 6 * 9, 12, 30)
    assert np.bincount(tree().nodes["place"][tree().nodes["actor"] >= 0]).tolist() == [2] * 12


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_a_best_response_is_the_best_of_all_pure_strategies(seat: int, seed: int) -> None:
    policy = tree().normalised(np.random.default_rng(seed).random(tree().sequences) + 0.05)
    assert expected_returns(tree(), policy) == pytest.approx(value(policy), abs=1e-12)
    response, best = best_response(tree(), policy, seat)
    assert best == pytest.approx(max(value(pure)[seat] for pure in pure_policies(tree(), seat, policy)))
    assert value(response)[seat] == pytest.approx(best)
    others = tree().sets["seat"][tree().owners] != seat
    assert np.array_equal(response[2:][others], policy[2:][others])


def test_its_value_and_its_equilibrium_are_the_known_ones() -> None:
    policy, worth = solve_linear_program(tree())
    assert worth == pytest.approx(-1 / 18)
    assert nash_conv(tree(), policy) == pytest.approx(0, abs=1e-9)
    by_history = {tuple(tree().history(int(one["node"]))): one for one in tree().sets}
    facing_a_bet = by_history["deal 1", "deal 2", "bet"]  # player_1's middle card calls a third of the time
    for method, iterations, tolerance in (("cfr", 30_000, 1e-3), ("mccfr", 300_000, 1e-2)):
        ((_, average),) = converge(tree(), method, np.array([iterations]), seed=1)
        assert nash_conv(tree(), average) < tolerance
        assert expected_returns(tree(), average)[0] == pytest.approx(-1 / 18, abs=tolerance)
        assert average[facing_a_bet["first_sequence"] + 1] == pytest.approx(1 / 3, abs=0.05)


def test_what_is_too_large_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    start = Position(KUHN, compiled=False)
    with pytest.raises(ConfigurationError, match="there are more than 50 histories; small enough is a position"):
        build_game_tree(start, most=50)
    assert build_game_tree(start, most=58).histories == 58
    monkeypatch.setattr(game_tree, "DEEPEST", 4)
    with pytest.raises(ConfigurationError, match="there is a history of more than 4 nodes"):
        build_game_tree(start)
