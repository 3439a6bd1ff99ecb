"""Matrix games against scipy's linear program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rat_envs.engine import get_game
from rat_envs.solving.matrix_game import solve_matrix_game
from rat_envs.solving.public_tree import bind


def solve(payoffs):
    rows, columns = payoffs.shape
    first, second = np.zeros(rows), np.zeros(columns)
    solver = bind(get_game("brave_rats"), solve_matrix_game)
    value = solver(payoffs, rows, columns, first, second, np.zeros((rows + 1, rows + columns + 1)))
    return value, first, second


def value_by_linear_program(payoffs):
    rows, columns = payoffs.shape
    result = linprog(
        c=[*[0.0] * rows, -1.0],
        A_ub=np.hstack([-payoffs.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[[*[1.0] * rows, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0, None)] * rows, (None, None)],
    )
    return -result.fun


def matrices(entries):
    """Payoffs of up to eight actions a side."""
    return st.tuples(st.integers(1, 8), st.integers(1, 8)).flatmap(
        lambda shape: st.lists(entries, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).map(
            lambda values: np.array(values).reshape(shape)
        )
    )


def check_equilibrium(payoffs, tolerance):
    """Both are sure of the value, and a linear program finds the same."""
    value, first, second = solve(payoffs)
    assert first.sum() == pytest.approx(1)
    assert second.sum() == pytest.approx(1)
    assert min(first.min(), second.min()) >= 0
    assert (first @ payoffs).min() >= value - tolerance  # the row player is sure of the value
    assert (payoffs @ second).max() <= value + tolerance  # and is held to it
    assert value == pytest.approx(value_by_linear_program(payoffs), abs=1e-7)


@settings(max_examples=150, deadline=None)
@given(matrices(st.one_of(st.integers(-1, 1).map(float), st.integers(-64, 64).map(lambda number: number / 64))))
def test_value_and_strategies_are_an_equilibrium(payoffs):
    check_equilibrium(payoffs, 1e-9)


@settings(max_examples=150, deadline=None)
@given(matrices(st.one_of(st.integers(-1, 1).map(float), st.floats(-1, 1, allow_subnormal=False))))
def test_payoffs_that_hardly_differ_cost_hardly_any_accuracy(payoffs):
    check_equilibrium(payoffs, 1e-7)


def test_a_payoff_of_a_billionth_does_not_spoil_the_strategies():
    payoffs = np.zeros((8, 5))
    payoffs[1, 0] = payoffs[4, [0, 1, 3, 4]] = payoffs[7, 2] = 1
    payoffs[4, 2] = 1e-9
    check_equilibrium(payoffs, 1e-12)


def test_a_basis_that_is_none_does_not_spoil_the_strategies():
    nearly, third, other, sure = 0.9999228715896606, 0.337316632270813, 0.3302634358406067, 0.9974859952926636
    payoffs = [[1, -1, third, -1, nearly], [1, -1, -1, -1, 1], [1, 1, 1, other, -1], [1, 1, 1, 1, -1]]
    check_equilibrium(np.array([*payoffs, [-1, 1, 1, 1, sure]]), 1e-7)


def test_games_with_known_solutions():
    rock_paper_scissors = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    value, first, second = solve(rock_paper_scissors)
    assert value == pytest.approx(0, abs=1e-12)
    assert first == pytest.approx([1 / 3] * 3)
    assert second == pytest.approx([1 / 3] * 3)
    value, first, second = solve(np.array([[3.0, -1], [-2, 1]]))
    assert value == pytest.approx(1 / 7)
    assert first == pytest.approx([3 / 7, 4 / 7])
    assert second == pytest.approx([2 / 7, 5 / 7])
    value, first, second = solve(np.array([[1.0, 2], [0, 5]]))  # a saddle point
    assert (value, first.tolist(), second.tolist()) == (1, [1, 0], [1, 0])
