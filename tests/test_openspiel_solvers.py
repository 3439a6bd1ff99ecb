"""OpenSpiel's solvers agree with ours, and both are measured side by side."""

# ruff: noqa: E402  # what needs OpenSpiel is imported after it is known to be there
from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel_games import load

from rat_envs.agents import make_agent
from rat_envs.benchmarks import search
from rat_envs.engine.registry import get_game
from rat_envs.solving.best_response import best_response, expected_returns, nash_conv
from rat_envs.solving.best_response import respond_in_public_states as respond_by_public_states
from rat_envs.solving.equilibrium import solve_states
from rat_envs.solving.exploitability import policy_in_public_states, policy_of
from rat_envs.solving.game_tree import GameTree, build_game_tree
from rat_envs.solving.public_tree import bind, tree_below
from rat_envs.solving.sequence_form import solve_linear_program

#: Presets whose trees OpenSpiel walks in seconds.
SOLVED = ["brave_rats", "rattus_cartus"]


def strings_of(tree: GameTree, root: Any) -> list[str]:
    """OpenSpiel's name of every information set, found by walking both trees side by side, which have to agree."""
    strings: dict[int, str] = {}
    todo = [(0, root)]
    while todo:
        number, state = todo.pop()
        node = tree.nodes[number]
        edges = tree.edges[node["first_edge"] : node["first_edge"] + node["edges"]]
        assert state.legal_actions() == edges["action"].tolist()
        if state.is_terminal():
            assert state.returns() == tree.returns[node["place"]].tolist()
        elif state.is_chance_node():
            assert state.chance_outcomes() == list(zip(edges["action"], edges["probability"], strict=True))
        else:
            assert state.current_player() == node["actor"]
            string = state.information_state_string()
            assert strings.setdefault(int(node["place"]), string) == string
        todo += [(int(edge["child"]), state.child(int(edge["action"]))) for edge in edges]
    assert len(set(strings.values())) == len(strings) == len(tree.sets)
    return [strings[number] for number in range(len(strings))]


def as_open_spiels(tree: GameTree, strings: list[str], policy: np.ndarray) -> dict[str, list[tuple[int, float]]]:
    """A policy of our solvers' as OpenSpiel has it."""
    pairs: dict[str, list[tuple[int, float]]] = {string: [] for string in strings}
    for owner, action, share in zip(tree.owners, tree.actions, policy[tree.players :], strict=True):
        pairs[strings[owner]].append((int(action), float(share)))
    return pairs


def as_ours(tree: GameTree, strings: list[str], policy: Any) -> np.ndarray:
    """A policy of OpenSpiel's as our solvers have it."""
    table = policy.policy_table()
    shares = np.ones(tree.sequences)
    for place, (owner, action) in enumerate(zip(tree.owners, tree.actions, strict=True), tree.players):
        shares[place] = dict(table[strings[owner]])[action]
    return shares


@pytest.mark.parametrize("game", SOLVED)
def test_open_spiels_solvers_agree_with_ours(game: str) -> None:
    """Its best responses to any policy are worth the same; its CFR comes to the value of our linear program."""
    chosen = get_game(game)
    tree = build_game_tree(chosen.preset("small").position(chosen))
    cached = pyspiel.convert_to_cached_tree(load(game, {"preset": "small"}))
    strings = strings_of(tree, cached.new_initial_state())
    policy = tree.normalised(np.random.default_rng(0).random(tree.sequences) ** 4)
    theirs = as_open_spiels(tree, strings, policy)
    assert pyspiel.nash_conv(cached, theirs) == pytest.approx(nash_conv(tree, policy), abs=1e-9)
    for seat in range(2):
        response = pyspiel.TabularBestResponse(cached, seat, theirs)
        value = response.value_from_state(cached.new_initial_state())
        assert value == pytest.approx(best_response(tree, policy, seat)[1], abs=1e-9)

    solver = pyspiel.CFRPlusSolver(cached)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    average = as_ours(tree, strings, solver.tabular_average_policy())
    distance = nash_conv(tree, average)
    assert distance < 0.05
    value = solve_linear_program(tree)[1]
    assert abs(expected_returns(tree, average)[0] - value) <= distance + 1e-9


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_exploitability_by_public_states_is_open_spiels(name: str) -> None:
    game = get_game("brave_rats")
    position, agent = game.preset("small").position(game), make_agent(name, "brave_rats", 0)
    public = tree_below(position)
    probabilities, _ = policy_in_public_states(agent, game, position.configuration, public)
    tree = build_game_tree(position)
    cached = pyspiel.convert_to_cached_tree(load("brave_rats", {"preset": "small"}))
    strings = strings_of(tree, cached.new_initial_state())
    theirs = as_open_spiels(tree, strings, policy_of(agent, tree, position.configuration))
    for seat in range(2):
        values = np.zeros(len(public.nodes))
        bind(game, respond_by_public_states)(seat, public.nodes, public.children, public.weights, probabilities, values)
        response = pyspiel.TabularBestResponse(cached, seat, theirs)
        assert response.value_from_state(cached.new_initial_state()) == pytest.approx(values[-1], abs=1e-9)


def test_backward_induction_and_open_spiels_regrets_come_to_the_same_value() -> None:
    game = get_game("brave_rats")
    public = tree_below(game.preset("small").position(game))
    values = np.zeros(len(public.nodes))
    bind(game, solve_states)(public.nodes, public.children, public.weights, values)
    cached = pyspiel.convert_to_cached_tree(load("brave_rats", {"preset": "small"}))
    solver = pyspiel.CFRPlusSolver(cached)
    for _ in range(1000):
        solver.evaluate_and_update_policy()
    policy = solver.tabular_average_policy()
    value, _ = pyspiel.expected_returns(cached.new_initial_state(), policy, -1, True)
    distance = pyspiel.nash_conv(cached, policy)
    assert distance < 0.005
    assert abs(value - values[-1]) <= distance + 1e-9


def test_searches_and_solvers_are_measured_beside_open_spiels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "SIMULATIONS", 50)
    monkeypatch.setattr(search, "ITERATIONS", 10)
    rows = search.measure_search([get_game("brave_rats")], 0.01)
    assert all(row.value > 0 for row in rows)
    version = importlib.metadata.version("open_spiel")
    searched = [row for row in rows if row.what == "brave_rats: ISMCTS"]
    assert [row.beside for row in searched] == [
        f"OpenSpiel {version} ISMCTS, leduc_poker",
        f"OpenSpiel {version} ISMCTS, oh_hell, 3 players, 8 tricks",
        f"OpenSpiel {version} MCTS, goofspiel(8), which it sees whole",
    ]
    (sampled,) = [row for row in rows if row.what.startswith("brave_rats, preset small: external sampling")]
    assert sampled.ratio == pytest.approx(
        sampled.value / next(row.value for row in rows if row.what == sampled.beside), rel=1e-9
    )


def test_the_sizes_of_open_spiels_games_are_right() -> None:
    for name, size in search.FOR_SAMPLING.values():
        assert len(pyspiel.CFRSolver(pyspiel.load_game(name)).tabular_average_policy().policy_table()) == size
